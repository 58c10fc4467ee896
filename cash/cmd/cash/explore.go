package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/cash-mcp/go-sdk/cash/explore"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/registry"
)

// exploreServer serves a page that shows a server, on this machine alone.
func exploreServer(ctx context.Context, env *environment, args []string) error {
	flags := newFlags()
	read := env.targetFlags(flags)
	addr := flags.String("addr", "localhost:0", "serve the page on a loopback `ADDRESS`")
	calls := flags.Bool("calls", false, "let the page call functions")
	err := env.parse(page{"explore [flags] URL | FILE | COMMAND",
		"Serves a page that shows what is behind a server and what it costs a model,\nuntil it is interrupted. Only this machine can open it.\nNothing is pinned: what is accepted on the page holds until the end.\n\n" + forms}, flags, args)
	if err != nil {
		return err
	}
	_, words, err := split(flags.Args(), 0, 0)
	if err != nil {
		return err
	}
	t, err := read(words)
	if err != nil {
		return err
	}
	listener, err := listenLocal(ctx, *addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	stop := env.progress("reading " + t.String())
	m, err := t.mount(ctx)
	stop()
	if err != nil {
		return err
	}
	defer m.close()
	o := &explore.Options{Name: t.String(), Upstreams: m.agg}
	if *calls {
		o.Pipeline, o.Firewall = &registry.PipelineOptions{Timeout: t.timeout}, firewall.New(nil)
	}
	fmt.Fprintf(env.stdout, "http://%s/\n", listener.Addr())
	return serveUntil(ctx, listener, explore.New(m.Registry, o))
}

// listenLocal listens on a loopback address. A name has to be one of this machine.
func listenLocal(ctx context.Context, addr string) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	if at, err := netip.ParseAddrPort(listener.Addr().String()); err != nil || !at.Addr().Unmap().IsLoopback() {
		listener.Close()
		return nil, usagef("-addr must be a loopback address, such as localhost:8080")
	}
	return listener, nil
}

// serveUntil serves a handler until the context ends.
func serveUntil(ctx context.Context, listener net.Listener, h http.Handler) error {
	srv := webServer(h)
	srv.ReadTimeout, srv.MaxHeaderBytes = time.Minute, 64<<10
	stopped := make(chan struct{})
	defer context.AfterFunc(ctx, func() {
		defer close(stopped)
		shut, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		if srv.Shutdown(shut) != nil {
			srv.Close()
		}
	})()
	if err := srv.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-stopped
	return nil
}
