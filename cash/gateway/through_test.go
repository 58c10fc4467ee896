package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestW39Progress holds that a function's progress reaches the client.
func TestW39Progress(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			reg := registry.New(nil)
			reg.Namespace("", "").Add(registry.StreamFunc("work", "Work for a while.", func(_ context.Context, _ struct{}, report func(registry.Progress) error) (string, error) {
				return "done", errors.Join(report(registry.Progress{Done: 1, Total: 2, Message: "half"}), report(registry.Progress{Done: 2, Total: 2, Message: "all"}))
			}))
			got := make(chan string, 8)
			d := &cashtest.Dialer{Version: version, Client: &mcp.ClientOptions{
				ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
					got <- fmt.Sprint(req.Params.Progress, req.Params.Total, req.Params.Message)
				},
			}}
			c := d.Connect(t, gateway.NewServer(reg, nil))
			params := &mcp.CallToolParams{Name: "tool_execute", Arguments: object{"tool_id": idOf(t, reg, "work")}, Meta: mcp.Meta{"progressToken": "p"}}
			if res, err := c.Session.CallTool(t.Context(), params); err != nil || res.IsError {
				t.Fatal(toJSON(res), err)
			}
			for _, want := range []string{"1 2half", "2 2all"} {
				select {
				case text := <-got:
					if text != want {
						t.Errorf("progress %q, want %q", text, want)
					}
				case <-time.After(10 * time.Second):
					t.Fatal("no progress")
				}
			}
		})
	}
}

// TestW39Cancel holds that a call that its client gives up ends, and that the server
// serves on.
func TestW39Cancel(t *testing.T) {
	for _, l := range links[:3] { // a stateless request ends with its connection
		t.Run(l.String(), func(t *testing.T) {
			started, ended := make(chan struct{}), make(chan struct{})
			reg := raw(registry.New(nil), "", "wait", func(ctx context.Context, _ *registry.Call) (*registry.Result, error) {
				close(started)
				<-ctx.Done()
				close(ended)
				return nil, ctx.Err()
			})
			c := l.Connect(t, gateway.NewServer(reg, nil), nil, nil)
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-started; cancel() }()
			if res, err := c.Session.CallTool(ctx, &mcp.CallToolParams{Name: "tool_execute", Arguments: object{"tool_id": idOf(t, reg, "wait")}}); err == nil {
				t.Errorf("the call was answered: %s", toJSON(res))
			}
			select {
			case <-ended:
			case <-time.After(10 * time.Second):
				t.Error("the function goes on")
			}
			c.Tool("tool_browse", object{"path": "/"}).OK()
		})
	}
}

// TestW39Elicitation holds that what a function asks reaches the person, in both
// generations.
func TestW39Elicitation(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			reg := raw(registry.New(nil), "", "ask", func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
				q := &mcp.ElicitParams{Message: "Which one?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"one": map[string]any{"type": "string"}}}}
				switch {
				case c.Client.Elicit != nil:
					res, err := c.Client.Elicit(ctx, q)
					if err != nil {
						return nil, err
					}
					return registry.TextResult(fmt.Sprint("chosen ", res.Content["one"])), nil
				case len(c.Client.Answers) > 0:
					return registry.TextResult("chosen " + fmt.Sprint(c.Client.Answers["q"].(*mcp.ElicitResult).Content["one"])), nil
				}
				return &registry.Result{InputRequests: mcp.InputRequestMap{"q": q}}, nil
			})
			d := &cashtest.Dialer{Version: version, Client: &mcp.ClientOptions{
				ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"one": "the blue"}}, nil
				},
			}}
			c := d.Connect(t, gateway.NewServer(reg, nil))
			if e := execute(t, c, idOf(t, reg, "ask"), nil); e.Summary != "chosen the blue" {
				t.Errorf("envelope %+v", e)
			}
		})
	}
}

// TestW35Log holds that the log has what the caller is not told.
func TestW35Log(t *testing.T) {
	var log bytes.Buffer
	reg := raw(registry.New(nil), "", "fails", fails(&registry.Error{Kind: registry.Unavailable, Message: "Not now.", Err: fmt.Errorf("dialing: %w", errors.New("10.1.2.3:443: refused"))}))
	srv := gateway.NewServer(reg, &gateway.Options{Serve: serve.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}})
	r := inMemory(t, srv, nil).Tool("tool_execute", object{"tool_id": idOf(t, reg, "fails")})
	if wantCode(t, r, gateway.UpstreamUnavailable); strings.Contains(r.Text, "10.1.2.3") {
		t.Errorf("the caller is told %s", r.Text)
	}
	if !strings.Contains(log.String(), "10.1.2.3:443: refused") || !strings.Contains(log.String(), "UPSTREAM_UNAVAILABLE") {
		t.Errorf("the log has %s", log.String())
	}
}

// TestW38Audit holds that the event of a call names the real tool and its class.
func TestW38Audit(t *testing.T) {
	var log bytes.Buffer
	s := newShop()
	srv := gateway.NewServer(s, &gateway.Options{Serve: serve.Options{Controls: &control.Controls{Audit: &control.Audit{Logger: slog.New(slog.NewTextHandler(&log, nil))}}}})
	c := inMemory(t, srv, named("ann"))
	id := s.id(t, "orders.cancel")
	execute(t, c, id, object{"id": "value-of-mine"})
	c.Tool("tool_execute", object{"tool_id": id, "args": object{"id": "7"}, "dry_run": true}).OK()
	for _, want := range []string{"execute.completed", "execute.dry_run", "id=" + id, "class=destructive", "caller=ann"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %s:\n%s", want, log.String())
		}
	}
	if strings.Contains(log.String(), "value-of-mine") {
		t.Errorf("the log has arguments:\n%s", log.String())
	}
	card := c.Tool("tool_browse", object{"path": "/orders/cancel"}).OK().Text
	if !strings.Contains(card, "safety=destructive") {
		t.Errorf("card %s", card)
	}
}

// TestAddTo holds that the gateway can be added to a server of the embedder's.
func TestAddTo(t *testing.T) {
	for _, mode := range []gateway.Mode{gateway.Gateway, gateway.Proxy} {
		own := mcp.NewServer(&mcp.Implementation{Name: "own"}, nil)
		own.AddTool(&mcp.Tool{Name: "mine:own", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "my own"}}}, nil
		})
		s := newShop()
		gateway.NewServer(s, &gateway.Options{Mode: mode}).AddTo(own)
		c := cashtest.Connect(t, own)
		if r := c.Tool("mine:own", nil).OK(); r.Text != "my own" {
			t.Errorf("the embedder's tool says %s", r.Text)
		}
		c.Tool("tool_execute", object{"tool_id": s.id(t, "ping")}).OK()
	}
}

// TestOptions holds that options in error panic.
func TestOptions(t *testing.T) {
	for name, opts := range map[string]*gateway.Options{
		"hint": {Serve: serve.Options{Hint: strings.Repeat("x", 201)}}, "top": {TopK: 101}, "negative": {TopK: -1},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			gateway.NewServer(registry.New(nil), opts)
		})
	}
	c := inMemory(t, gateway.NewServer(newShop(), &gateway.Options{Serve: serve.Options{Hint: "Apples and pears.", Instructions: "Be kind."}}), nil)
	if !strings.Contains(toJSON(c.Tools()), "Apples and pears.") || !strings.HasPrefix(c.Session.InitializeResult().Instructions, "Be kind.") {
		t.Error("the hint or the instructions are not there")
	}
}
