package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"
)

// callDesk calls a function of the desk as an agent does in one turn, as the user whose token is in DESK_TOKEN. It
// prints the answer.
func callDesk(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("example call", flag.ContinueOnError)
	flags.SetOutput(stderr)
	url := flags.String("url", "http://127.0.0.1:8080/mcp", "the `URL` of the desk's MCP endpoint")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 2 {
		return errors.New("call takes a function and its arguments, as in call tickets.close '{\"id\":\"T-1\"}'")
	}
	stop, err := startTelemetry(ctx, "agent", nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, flush(stop)) }()
	ctx, turn := otel.Tracer("agent").Start(ctx, "turn")
	defer turn.End()
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1.0.0"}, nil)
	web := &http.Client{
		Transport:     asUser(getenv("DESK_TOKEN")),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the token is for one server
	}
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: *url, HTTPClient: web, DisableStandaloneSSE: true}, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	function, kwargs := flags.Arg(0), flags.Arg(1)
	dot := strings.LastIndex(function, ".")
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "call", Arguments: map[string]any{
		"namespace": function[:max(dot, 0)], "function": function[dot+1:], "kwargs": json.RawMessage(kwargs),
	}})
	if err != nil {
		return err
	}
	for _, c := range res.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			fmt.Fprintln(stdout, text.Text)
		}
	}
	return nil
}

// asUser sends a user's token with each request, and the context in its headers.
type asUser string

// RoundTrip implements [http.RoundTripper].
func (token asUser) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	otel.GetTextMapPropagator().Inject(r.Context(), propagation.HeaderCarrier(r.Header))
	return http.DefaultTransport.RoundTrip(r)
}
