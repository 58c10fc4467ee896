package plain_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/cashtest/faulty"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// mounted is a server of what other servers have, each at its label.
func mounted(t *testing.T, servers ...upstream.Server) *plain.Server {
	t.Helper()
	reg := registry.New(nil)
	agg := upstream.New(reg, nil)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := agg.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	for _, s := range servers {
		if err := agg.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := agg.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	return plain.NewServer(reg, nil)
}

// TestUpstream: the tools of another server are known by their flat names, and its
// progress and its questions reach the client; what it does wrong is one answer.
func TestUpstream(t *testing.T) {
	far := new(faulty.Server)
	srv := mounted(t, upstream.Server{Label: "far", Endpoint: upstream.HTTP{URL: far.HTTP(t)}})
	for _, l := range links {
		t.Run(l.String(), func(t *testing.T) {
			progress := make(chan float64, 8)
			c := l.Connect(t, srv, nil, &mcp.ClientOptions{
				ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) { progress <- req.Params.Progress },
				ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"word": "apple"}}, nil
				},
			})
			if r := c.Tool("far-echo", object{"text": "hello"}).OK(); r.Text != "hello" {
				t.Errorf("echo: %s", r.Text)
			}
			if r := c.Tool("far-ask", nil).OK(); !strings.Contains(r.Text, "apple") {
				t.Errorf("ask: %s", r.Text)
			}
			res, err := c.Session.CallTool(t.Context(), &mcp.CallToolParams{Name: "far-progress", Arguments: object{"n": 2}, Meta: mcp.Meta{"progressToken": "p"}})
			if err != nil || res.IsError {
				t.Fatal(spoken(res, err))
			}
			select {
			case <-progress:
			case <-time.After(10 * time.Second):
				t.Error("no progress")
			}
			far.SetFault("null-result")
			if r := c.Tool("far-echo", object{"text": "hello"}); !r.IsError || r.Raw.Meta[registry.MetaCode] == nil {
				t.Errorf("a server that answers nothing: %s", toJSON(r.Raw))
			}
			far.Heal()
		})
	}
}

// TestUpstreamGate: a CaSH server behind this one lets large results through whole.
func TestUpstreamGate(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("n", "").Add(registry.Func("big", "Get a lot.", func(context.Context, none) (string, error) {
		return strings.Repeat("x", 30_000), nil
	}))
	c := cashtest.Connect(t, mounted(t, upstream.Server{Label: "far", Endpoint: upstream.InMemory{Server: cash.NewServer(reg, nil)}}))
	if got := fmt.Sprint(names(c.Tools())); got != "[far-n-big]" {
		t.Errorf("tools %s", got)
	}
	if r := c.Tool("far-n-big", nil).OK(); r.Chars() != 30_000 {
		t.Errorf("%d characters: %.100s", r.Chars(), r.Text)
	}
}

// TestAnnotations holds that what is declared of a tool is listed as it is, and nothing else: equal to what the SDK's
// own server lists, for functions and for tools of another server.
func TestAnnotations(t *testing.T) {
	yes, no := true, false
	theirs := mcp.NewServer(&mcp.Implementation{Name: "far"}, nil)
	reg := registry.New(nil)
	near := reg.Namespace("near", "")
	want := make(map[string]string)
	for _, readOnly := range []bool{true, false} {
		for i, destructive := range []*bool{nil, &no, &yes} {
			for j, idempotent := range []*bool{nil, &no, &yes} {
				for k, open := range []*bool{nil, &no, &yes} {
					if readOnly && (i == 2 || j == 1) {
						continue // against each other
					}
					name := fmt.Sprintf("f_%t_%d%d%d", readOnly, i, j, k)
					a := &mcp.ToolAnnotations{ReadOnlyHint: readOnly, DestructiveHint: destructive, IdempotentHint: j == 2, OpenWorldHint: open}
					var facts []registry.FuncOption
					if readOnly {
						facts = append(facts, registry.ReadOnly)
					}
					if destructive != nil {
						facts = append(facts, registry.Destructive(*destructive))
					}
					if idempotent != nil {
						facts = append(facts, registry.Idempotent(*idempotent))
					}
					if open != nil {
						facts = append(facts, registry.OpenWorld(*open))
					}
					near.Add(registry.Func(name, "", answer, facts...))
					theirs.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}, Annotations: a}, nil)
					want["far-"+name], want["near-"+name] = toJSON(a), toJSON(a)
					if len(facts) == 0 {
						want["near-"+name] = "null"
					}
				}
			}
		}
	}
	agg := upstream.New(reg, nil)
	defer agg.Close(context.Background())
	if err := agg.Add(upstream.Server{Label: "far", Endpoint: upstream.InMemory{Server: theirs}}); err != nil {
		t.Fatal(err)
	}
	if err := agg.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	tools := cashtest.Connect(t, plain.NewServer(reg, nil)).Tools()
	for _, tool := range tools {
		if got := toJSON(tool.Annotations); got != want[tool.Name] {
			t.Errorf("%s: %s, want %s", tool.Name, got, want[tool.Name])
		}
	}
	if len(tools) != len(want) {
		t.Errorf("%d tools, want %d", len(tools), len(want))
	}
}
