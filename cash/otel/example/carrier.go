package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	cashotel "github.com/cash-mcp/go-sdk/cash/otel"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// accounts are those at the carrier, by token: that of the desk itself, which reads what there is, and those of users.
var accounts = map[string]string{
	"the-desk-itself":      "desk",
	"carla-at-the-carrier": "carla",
	"anton-at-the-carrier": "anton",
}

// serveCarrier serves the carrier until ctx ends.
func serveCarrier(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("example carrier", flag.ContinueOnError)
	flags.SetOutput(stderr)
	addr := flags.String("addr", "127.0.0.1:8081", "listen on `address`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	stop, err := startTelemetry(ctx, "carrier", nil)
	if err != nil {
		return err
	}
	reg := registry.New(nil)
	reg.Namespace("", "").Add(registry.Func("track", "Tell where a parcel is.", track, registry.ReadOnly))
	srv := plain.NewServer(reg, &plain.Options{Name: "carrier", Serve: serve.Options{VerifyToken: verify, Observe: cashotel.New(nil)}})
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return errors.Join(err, flush(stop))
	}
	fmt.Fprintf(stdout, "The carrier is at http://%s/mcp\n", listener.Addr())
	mux := http.NewServeMux()
	mux.Handle("/mcp", srv.Handler())
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(listener) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	limit, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return errors.Join(err, srv.Shutdown(limit), web.Shutdown(limit), flush(stop))
}

func verify(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	user, ok := accounts[token]
	if !ok {
		return nil, auth.ErrInvalidToken
	}
	return &auth.TokenInfo{UserID: user, Expiration: time.Now().Add(time.Hour)}, nil
}

type parcel struct {
	Parcel string `json:"parcel" jsonschema:"Parcel, such as P-1."`
}

func track(ctx context.Context, in parcel) (string, error) {
	return fmt.Sprintf("%s of %s is on its way.", in.Parcel, registry.CallerFrom(ctx).ID), nil
}
