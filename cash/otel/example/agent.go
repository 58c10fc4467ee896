package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"
)

// callDesk calls a function of the desk as an agent does in one turn, and prints the answer.
func callDesk(ctx context.Context, url, function, arguments string, out io.Writer) (err error) {
	stop, err := startTelemetry(ctx, "agent", nil)
	if err != nil {
		return err
	}
	defer func() {
		limit, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		err = errors.Join(err, stop(limit))
	}()
	ctx, turn := otel.Tracer("agent").Start(ctx, "turn")
	defer turn.End()
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: url, HTTPClient: &http.Client{Transport: traced{}}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	dot := strings.LastIndex(function, ".")
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "call", Arguments: map[string]any{
		"namespace": function[:max(dot, 0)], "function": function[dot+1:], "kwargs": json.RawMessage(arguments),
	}})
	if err != nil {
		return err
	}
	for _, c := range res.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			fmt.Fprintln(out, text.Text)
		}
	}
	return nil
}

// traced sends the context of each request in its headers.
type traced struct{}

// RoundTrip implements http.RoundTripper.
func (traced) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	otel.GetTextMapPropagator().Inject(r.Context(), propagation.HeaderCarrier(r.Header))
	return http.DefaultTransport.RoundTrip(r)
}
