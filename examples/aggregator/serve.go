package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/config"
)

const (
	readTimeout     = 10 * time.Second
	shutdownTimeout = 10 * time.Second
)

// serveStdio serves until the client is gone or ctx ends.
func serveStdio(ctx context.Context, srv *config.Server) error {
	err := srv.Run(ctx, &mcp.StdioTransport{})
	if ctx.Err() != nil {
		return nil // stopped by a signal, as intended
	}
	return err
}

// serveHTTP serves until ctx ends. Calls in flight may then finish.
func serveHTTP(ctx context.Context, srv *config.Server, addr string, log io.Writer) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: srv.Handler(), ReadHeaderTimeout: readTimeout}
	stopped := make(chan error, 1)
	defer context.AfterFunc(ctx, func() {
		limit, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
		defer cancel()
		// The face goes first: it ends streams that the HTTP server would wait for.
		stopped <- errors.Join(srv.Shutdown(limit), server.Shutdown(limit))
	})()
	fmt.Fprintf(log, "listening on http://%s/mcp\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}
