package cash_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

func as(id string) context.Context {
	return registry.WithCaller(context.Background(), &registry.Caller{ID: id})
}

func write(size string, limit int) *cash.CallRequest {
	req := &cash.CallRequest{Function: "write", Kwargs: json.RawMessage(`{"size":` + size + `}`)}
	if limit > 0 {
		req.SizeLimit = &limit
	}
	return req
}

// TestGateLongErrors holds R104 for errors of every kind: a short one says what
// to do next and passes any limit, a long one is withheld.
func TestGateLongErrors(t *testing.T) {
	fail := func(kind registry.Kind, size int) (*registry.Result, error) {
		f := registry.Func("f", "", func(context.Context, none) (string, error) {
			return "", &registry.Error{Kind: kind, Message: strings.Repeat("x", size)}
		}, registry.ReadOnly)
		limit := 100
		return serverOf(f).Call(context.Background(), &cash.CallRequest{Function: "f", SizeLimit: &limit})
	}
	for _, tt := range []struct {
		kind  registry.Kind
		size  int
		gated bool
	}{
		{registry.Denied, 3_000_000, true},
		{registry.RateLimited, 2_000, true},
		{registry.Internal, 2_000, true},
		{registry.Denied, 500, false},
		{registry.Unavailable, 900, false},
		{registry.Failed, 500, true},
		{registry.Failed, 20, false},
	} {
		res, err := fail(tt.kind, tt.size)
		is := err == nil && res.IsError && res.Meta[registry.MetaCode] == cash.CodeGated
		if is != tt.gated || !is && !errors.Is(err, tt.kind) {
			t.Errorf("R104: %s of %d characters: %+v, %v", tt.kind, tt.size, res, err)
		}
	}
}

// TestGateMetadata holds that metadata does not carry a result past the gate.
func TestGateMetadata(t *testing.T) {
	f := registry.Func("f", "", func(context.Context, none) (*registry.Result, error) {
		r := registry.TextResult("short")
		r.Meta = map[string]any{"x": strings.Repeat("x", 20_000)}
		return r, nil
	})
	res, err := serverOf(f).Call(context.Background(), &cash.CallRequest{Function: "f"})
	if err != nil || res.Meta[registry.MetaCode] != cash.CodeGated {
		t.Errorf("got %+v, %v", res, err)
	}
}

// TestGateFilters holds that only what may be left out is proposed as a filter.
func TestGateFilters(t *testing.T) {
	type in struct {
		Customer string `json:"customer"`
		Status   string `json:"status,omitempty"`
		Since    string `json:"since,omitempty" cash:"advanced"`
	}
	f := registry.Func("f", "", func(context.Context, in) (string, error) { return strings.Repeat("x", 20_000), nil }, registry.ReadOnly)
	res, err := serverOf(f).Call(context.Background(), &cash.CallRequest{Function: "f", Kwargs: json.RawMessage(`{"customer":"a"}`)})
	if err != nil || !strings.Contains(res.Text(), "filters (e.g., status, since)") {
		t.Errorf("got %v, %v", res, err)
	}
}

// TestAnonymousOwnsNothing holds that callers of whom no ID is known are not
// taken for one another.
func TestAnonymousOwnsNothing(t *testing.T) {
	for name, c := range map[string]*registry.Caller{
		"nil":         nil,
		"without ID":  {Roles: []string{"clerk"}},
		"attributes":  {Attributes: map[string]string{"name": "ann"}},
		"empty value": {},
	} {
		t.Run(name, func(t *testing.T) {
			srv, ran := effects(nil)
			ctx := registry.WithCaller(context.Background(), c)
			res, err := srv.Call(ctx, write("50000", 0))
			if err != nil || !strings.Contains(res.Text(), `replay="`) {
				t.Fatalf("no replay value in %v, %v", res, err)
			}
			if _, err := srv.Call(ctx, write("50000", 60_000)); err != nil || ran.Load() != 2 {
				t.Errorf("another's result was delivered: %d runs, %v", ran.Load(), err)
			}
		})
	}
}

// TestRepeatWithTheSameLimit holds that only a larger limit asks for what was
// withheld: the same call again is a call of its own.
func TestRepeatWithTheSameLimit(t *testing.T) {
	srv, ran := effects(nil)
	srv.Call(as("ann"), write("50000", 20_000))
	for i, limit := range []int{20_000, 15_000, 0} {
		if res, err := srv.Call(as("ann"), write("50000", limit)); err != nil || !res.IsError || int(ran.Load()) != i+2 {
			t.Errorf("limit %d: %d runs, %v", limit, ran.Load(), err)
		}
	}
	runs := ran.Load()
	if res, err := srv.Call(as("ann"), write("50000", 50_000)); err != nil || res.IsError || ran.Load() != runs {
		t.Errorf("a larger limit: %d runs, %v", ran.Load()-runs, err)
	}
}

// TestReservedBelongToTheFunction holds that a function's own arguments of the
// gate's names stay its own.
func TestReservedBelongToTheFunction(t *testing.T) {
	type in struct {
		Replay    string `json:"replay,omitempty"`
		SizeLimit int    `json:"size_limit,omitempty"`
	}
	f := registry.Func("own", "", func(_ context.Context, in in) (string, error) { return fmt.Sprint(in.Replay, in.SizeLimit), nil })
	open := registry.Func("open", "", func(_ context.Context, in map[string]any) (string, error) { return fmt.Sprint(in["replay"]), nil })
	srv := serverOf(f, open)
	for _, tt := range []struct{ function, kwargs, want string }{
		{"own", `{"replay":"replay-A","sizelimit":1}`, "replay-A1"},
		{"open", `{"replay":"tape 7"}`, "tape 7"},
		{"open", `{"replay":5}`, "5"},
	} {
		res, err := srv.Call(context.Background(), &cash.CallRequest{Function: tt.function, Kwargs: json.RawMessage(tt.kwargs)})
		if err != nil || res.Text() != tt.want {
			t.Errorf("R105: %s%s: %v, %v", tt.function, tt.kwargs, res, err)
		}
	}
}

// TestAddTo holds that an embedder's own MCP server keeps what it says, gets
// the tools and their line, and outlives the hooks of the face.
func TestAddTo(t *testing.T) {
	panics := stubSource{func() error { panic("the secret") }}
	identify := func(f func() error) *cash.Options {
		return &cash.Options{Serve: serve.Options{Identify: func(context.Context, *serve.Incoming) (*registry.Caller, error) { return nil, f() }}}
	}
	for name, tt := range map[string]struct {
		srv  *cash.Server
		own  string
		want string
	}{
		"both":          {cash.NewServer(registryOf(5), nil), "We sell shoes.", "We sell shoes.\n\nStart with help(). Namespaces: ns0."},
		"only the face": {cash.NewServer(registryOf(5), &cash.Options{Serve: serve.Options{Instructions: "A shop."}}), "", "A shop.\n\nStart with help(). Namespaces: ns0."},
		"only its own":  {cash.NewServer(registry.New(nil), nil), "We sell shoes.", "We sell shoes."},
		"source panics": {cash.NewServer(panics, nil), "We sell shoes.", "We sell shoes."},
		"hook panics":   {cash.NewServer(registryOf(5), identify(func() error { panic("the secret") })), "We sell shoes.", "We sell shoes."},
		"hook refuses":  {cash.NewServer(registryOf(5), identify(func() error { return errors.New("who are you") })), "We sell shoes.", "We sell shoes."},
	} {
		t.Run(name, func(t *testing.T) {
			own := mcp.NewServer(&mcp.Implementation{Name: "own"}, &mcp.ServerOptions{Instructions: tt.own})
			own.AddTool(&mcp.Tool{Name: "boom", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { panic("the secret") })
			tt.srv.AddTo(own)
			near, far := mcp.NewInMemoryTransports()
			ctx := context.Background()
			ss, err := own.Connect(ctx, far, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer ss.Close()
			s, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(ctx, near, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if got := s.InitializeResult().Instructions; got != tt.want {
				t.Errorf("instructions %q, want %q", got, tt.want)
			}
			if _, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "boom"}); err == nil || strings.Contains(err.Error(), "secret") {
				t.Errorf("a panic of its own tool: %v", err)
			}
			if tools, err := s.ListTools(ctx, nil); err != nil || len(tools.Tools) != 4 {
				t.Errorf("afterwards: %v, %v", tools, err)
			}
		})
	}
}

// stubSource is a source that fails.
type stubSource struct{ fail func() error }

func (s stubSource) List(context.Context, string) (*registry.Listing, error) { return nil, s.fail() }

func (s stubSource) Function(context.Context, string, string) (*registry.Function, error) {
	return nil, s.fail()
}

func (s stubSource) Skill(context.Context, string, string) (*registry.Skill, error) {
	return nil, s.fail()
}
