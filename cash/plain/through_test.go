package plain_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestProgress: the progress of a function reaches the client, also of one that
// panics after it.
func TestProgress(t *testing.T) {
	reg := registry.New(nil)
	work := func(_ context.Context, _ none, report func(registry.Progress) error) (string, error) {
		return "done", errors.Join(report(registry.Progress{Done: 1, Total: 2, Message: "half"}), report(registry.Progress{Done: 2, Total: 2, Message: "all"}))
	}
	reg.Namespace("", "").Add(
		registry.StreamFunc("work", "Work for a while.", work),
		registry.StreamFunc("fall", "Fall over.", func(ctx context.Context, in none, report func(registry.Progress) error) (string, error) {
			_, err := work(ctx, in, report)
			panic(fmt.Sprint("the secret", err))
		}))
	for _, l := range links {
		t.Run(l.String(), func(t *testing.T) {
			got := make(chan string, 8)
			c := l.Connect(t, plain.NewServer(reg, nil), nil, &mcp.ClientOptions{
				ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
					got <- fmt.Sprint(req.Params.Progress, req.Params.Total, req.Params.Message)
				},
			})
			for name, want := range map[string]registry.Kind{"work": "", "fall": registry.Internal} {
				params := &mcp.CallToolParams{Name: name, Meta: mcp.Meta{"progressToken": name}}
				res, err := c.Session.CallTool(t.Context(), params)
				if err != nil || res.IsError != (want != "") || want != "" && res.Meta[registry.MetaCode] != string(want) || strings.Contains(toJSON(res), "secret") {
					t.Fatal(spoken(res, err))
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
			}
		})
	}
}

// TestCancel: a call that its client gives up ends, and the server serves on.
func TestCancel(t *testing.T) {
	for _, l := range links[:3] { // a stateless request ends with its connection
		t.Run(l.String(), func(t *testing.T) {
			started, ended := make(chan struct{}), make(chan struct{})
			reg := raw(registry.New(nil), "", "wait", func(ctx context.Context, _ *registry.Call) (*registry.Result, error) {
				close(started)
				<-ctx.Done()
				close(ended)
				return nil, ctx.Err()
			})
			c := l.Connect(t, plain.NewServer(reg, nil), nil, nil)
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-started; cancel() }()
			if res, err := c.Session.CallTool(ctx, &mcp.CallToolParams{Name: "wait"}); err == nil {
				t.Errorf("the call was answered: %s", toJSON(res))
			}
			select {
			case <-ended:
			case <-time.After(10 * time.Second):
				t.Error("the function goes on")
			}
			c.Tools()
		})
	}
}

// TestElicitation: what a function asks reaches the person, in both generations.
func TestElicitation(t *testing.T) {
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
			return registry.TextResult(fmt.Sprint("chosen ", c.Client.Answers["q"].(*mcp.ElicitResult).Content["one"])), nil
		}
		return &registry.Result{InputRequests: mcp.InputRequestMap{"q": q}}, nil
	})
	for _, l := range links {
		t.Run(l.String(), func(t *testing.T) {
			c := l.Connect(t, plain.NewServer(reg, nil), nil, &mcp.ClientOptions{
				ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"one": "the blue"}}, nil
				},
			})
			if r := c.Tool("ask", nil).OK(); r.Text != "chosen the blue" {
				t.Errorf("answer %s", r.Text)
			}
		})
	}
}

// TestBadFunctions: one that panics, ends its goroutine, answers nothing or hangs
// costs one answer; so does a rule that hangs.
func TestBadFunctions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		defer close(hang)
		reg := registry.New(nil)
		for name, answer := range map[string]registry.Handler{
			"panics":  func(context.Context, *registry.Call) (*registry.Result, error) { panic("the secret") },
			"exits":   func(context.Context, *registry.Call) (*registry.Result, error) { runtime.Goexit(); return nil, nil },
			"nothing": func(context.Context, *registry.Call) (*registry.Result, error) { return nil, nil },
			"hangs":   func(context.Context, *registry.Call) (*registry.Result, error) { <-hang; return nil, nil },
			"fine": func(context.Context, *registry.Call) (*registry.Result, error) {
				return registry.TextResult("fine"), nil
			},
		} {
			raw(reg, "", name, answer)
		}
		reg.Namespace("slow", "", registry.VisibleTo(func(ctx context.Context, c *registry.Caller) bool {
			if c.HasRole("patient") {
				<-hang
			}
			return true
		})).Add(registry.Func("f", "F.", func(context.Context, none) (string, error) { return "", nil }))
		srv := plain.NewServer(reg, &plain.Options{Serve: serve.Options{Timeout: time.Minute}})
		c, end := inBubble(t, srv, nil)
		for name, want := range map[string]registry.Kind{"panics": registry.Internal, "exits": registry.Internal, "nothing": registry.Internal, "hangs": registry.TimedOut} {
			res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name})
			if err != nil || !res.IsError || res.Meta[registry.MetaCode] != string(want) || strings.Contains(toJSON(res), "secret") {
				t.Errorf("%s: %s", name, spoken(res, err))
			}
			if res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "fine"}); err != nil || res.IsError {
				t.Errorf("after %s: %s", name, spoken(res, err))
			}
		}
		end()
		patient, end := inBubble(t, srv, named("p", "patient"))
		if _, err := patient.ListTools(t.Context(), nil); err == nil {
			t.Error("tools/list was answered")
		}
		if res, err := patient.CallTool(t.Context(), &mcp.CallToolParams{Name: "slow-f"}); err != nil || res.Meta[registry.MetaCode] != string(registry.TimedOut) {
			t.Errorf("a call of what the rule is about: %s", spoken(res, err))
		}
		if res, err := patient.CallTool(t.Context(), &mcp.CallToolParams{Name: "fine"}); err != nil || res.IsError {
			t.Errorf("a call after that: %s", spoken(res, err))
		}
		end()
	})
}

// inBubble connects a client in memory, and returns what ends the connection.
func inBubble(t *testing.T, srv *plain.Server, c *registry.Caller) (*mcp.ClientSession, func()) {
	t.Helper()
	near, far := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(registry.WithCaller(context.Background(), c))
	done := make(chan error, 1)
	go func() { done <- srv.Run(ctx, far) }()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(ctx, near, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, func() { _ = s.Close(); cancel(); <-done }
}

// TestUnavailable: a tool of a server that is away says so, and is not listed.
func TestUnavailable(t *testing.T) {
	s := newShop()
	s.Namespace("away", "Not here.").Unavailable(&registry.Error{Kind: registry.Unavailable, Message: "The server `away` does not answer.", Hint: "Try again in a minute."})
	c := cashtest.Connect(t, plain.NewServer(s, nil))
	checkShop(t, c)
	if r := c.Tool("away-get", nil); !r.IsError || !strings.Contains(r.Text, "does not answer") || r.Raw.Meta[registry.MetaCode] != "UNAVAILABLE" {
		t.Errorf("%s", toJSON(r.Raw))
	}
}

// TestControls: middleware and controls see the real function, and the owner of a
// call.
func TestControls(t *testing.T) {
	var log bytes.Buffer
	policy := control.NewPolicy(&control.PolicyOptions{Rules: []control.Rule{{Decision: control.Deny, Classes: []control.Class{control.Destructive}}}})
	quota := control.NewQuota(&control.QuotaOptions{Default: control.Limit{PerMinute: 2}})
	var seen []string
	s := newShop()
	srv := plain.NewServer(s, &plain.Options{
		Serve: serve.Options{
			Controls: &control.Controls{Policy: policy, Quota: quota, Audit: &control.Audit{Logger: slog.New(slog.NewTextHandler(&log, nil))}},
			Middleware: []registry.Middleware{func(next registry.Handler) registry.Handler {
				return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
					seen = append(seen, c.Function.Path()+" "+c.Owner())
					return next(ctx, c)
				}
			}},
		},
	})
	c := links[3].Connect(t, srv, named("ann"), nil)
	if r := c.Tool("orders-cancel", object{"id": 1}); r.Raw.Meta[registry.MetaCode] != "DENIED" {
		t.Errorf("a destructive tool: %s", toJSON(r.Raw))
	}
	for range 2 {
		c.Tool("orders-list", nil).OK()
	}
	if r := c.Tool("orders-list", nil); r.Raw.Meta[registry.MetaCode] != "RATE_LIMITED" {
		t.Errorf("the third call: %s", toJSON(r.Raw))
	}
	if len(seen) != 4 || !strings.HasPrefix(seen[0], "orders.cancel ") || !strings.Contains(seen[0], "ann") {
		t.Errorf("middleware saw %q", seen)
	}
	for _, want := range []string{"class=destructive", "caller=ann"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %s:\n%s", want, log.String())
		}
	}
}

// TestOwner: a connection without a caller is told from others where it lasts.
func TestOwner(t *testing.T) {
	reg := raw(registry.New(nil), "", "who", func(_ context.Context, c *registry.Call) (*registry.Result, error) {
		return registry.TextResult(c.Owner()), nil
	})
	srv := plain.NewServer(reg, nil)
	seen := map[string]bool{}
	for i, l := range links {
		for range 2 {
			who := l.Connect(t, srv, nil, nil).Tool("who", nil).OK().Text
			if (who == "") != (i == 3) || who != "" && seen[who] {
				t.Errorf("%s: owner %q", l, who)
			}
			seen[who] = true
		}
	}
}

// TestAddTo: a server of the embedder's keeps its own tools.
func TestAddTo(t *testing.T) {
	own := mcp.NewServer(&mcp.Implementation{Name: "own"}, nil)
	own.AddTool(&mcp.Tool{Name: "mine", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "my own"}}}, nil
	})
	plain.NewServer(newShop(), &plain.Options{Serve: serve.Options{Instructions: "Be kind."}}).AddTo(own)
	c := cashtest.Connect(t, own)
	if got := strings.Join(names(c.Tools()), " "); got != "mine "+strings.Join(shopTools, " ") {
		t.Errorf("tools %s", got)
	}
	if r := c.Tool("mine", nil).OK(); r.Text != "my own" {
		t.Errorf("the embedder's tool says %s", r.Text)
	}
	c.Tool("ping", nil).OK()
	if got := c.Session.InitializeResult().Instructions; got != "Be kind." {
		t.Errorf("instructions %q", got)
	}
}

// TestShutdown: calls are refused after it.
func TestShutdown(t *testing.T) {
	srv := plain.NewServer(newShop(), nil)
	c := links[3].Connect(t, srv, nil, nil)
	c.Tool("ping", nil).OK()
	if err := srv.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if res, err := c.Session.CallTool(t.Context(), &mcp.CallToolParams{Name: "ping"}); err == nil && !res.IsError {
		t.Errorf("a call after that: %s", toJSON(res))
	}
}
