package cash_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

type sizeIn struct {
	Size int    `json:"size" jsonschema:"Characters to answer with."`
	Fill string `json:"fill,omitempty" jsonschema:"Character to fill with." cash:"default=x"`
}

// effects is a server with a function that has an effect, and counts it.
func effects(opts *cash.Options) (*cash.Server, *atomic.Int32) {
	ran := new(atomic.Int32)
	h := func(_ context.Context, in sizeIn) (string, error) {
		ran.Add(1)
		return strings.Repeat(in.Fill, in.Size), nil
	}
	reg := registry.New(nil)
	read := registry.Func("read", "Read.", h, registry.ReadOnly)
	reg.Namespace("", "").Add(registry.Func("write", "Write.", h), read,
		registry.Func("fail", "Fail.", func(_ context.Context, in sizeIn) (string, error) {
			ran.Add(1)
			return "", fmt.Errorf("%s", strings.Repeat(in.Fill, in.Size))
		}))
	return cash.NewServer(reg, opts), ran
}

// tool calls a tool with arguments in JSON.
func tool(t testing.TB, s *mcp.ClientSession, name, args string) *mcp.CallToolResult {
	t.Helper()
	res, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(args)})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func textOf(t testing.TB, res *mcp.CallToolResult) string {
	t.Helper()
	if len(res.Content) != 1 {
		t.Fatalf("%d content blocks", len(res.Content))
	}
	return res.Content[0].(*mcp.TextContent).Text
}

func gated(t testing.TB, res *mcp.CallToolResult) bool {
	t.Helper()
	text := textOf(t, res)
	is := strings.HasPrefix(text, "**Gated:**")
	if is && (!res.IsError || res.StructuredContent != nil || len(text) > 600) {
		t.Errorf("R92, R99, R100: gated as %+v", res)
	}
	return is
}

func TestGateThresholds(t *testing.T) {
	srv, ran := effects(nil)
	s := connect(t, context.Background(), srv)
	for _, tt := range []struct {
		row, args string
		gated     bool
	}{
		{"R90", `{"function":"read","kwargs":{"size":10000,"fill":"é"}}`, false},
		{"R91", `{"function":"read","kwargs":{"size":10001,"fill":"é"}}`, true},
		{"R95", `{"function":"read","kwargs":{"size":2000000},"sizelimit":2000000}`, false},
		{"R96", `{"function":"read","kwargs":{"size":5000},"sizelimit":100}`, true},
		{"R97", `{"function":"read","kwargs":{"size":5000}}`, false},
		{"R98", `{"function":"read","kwargs":{"size":1},"sizelimit":0}`, true},
		{"R98", `{"function":"read","kwargs":{"size":0},"sizelimit":0}`, false},
		{"R98", `{"function":"read","kwargs":{"size":20000},"sizelimit":null}`, true},
		{"R98", `{"function":"read","kwargs":{"size":20000},"sizelimit":50000.0}`, false},
		{"R98", `{"function":"read","kwargs":{"size":20000},"sizelimit":5e4}`, false},
		{"R98", `{"function":"read","kwargs":{"size":20000},"sizelimit":"50000"}`, false},
		{"R98", `{"function":"read","kwargs":{"size":20000},"sizelimit":1e400}`, false},
		{"R98", `{"function":"read","kwargs":{"size":20000},"sizelimit":99999999999999999999}`, false},
		{"R8", `{"function":"read","kwargs":{"size":5000},"size_limit":100}`, true},
		{"R105", `{"function":"read","kwargs":{"size":5000,"sizeLimit":100}}`, true},
		{"R104", `{"function":"fail","kwargs":{"size":20000}}`, true},
	} {
		if got := gated(t, tool(t, s, "call", tt.args)); got != tt.gated {
			t.Errorf("%s: call%s gated: %t", tt.row, tt.args, got)
		}
	}
	before := ran.Load()
	for _, limit := range []string{`-1`, `1.5`, `"x"`, `"-5"`, `true`, `[]`, `{}`, `-1e400`, `""`} {
		res := tool(t, s, "call", `{"function":"read","kwargs":{"size":1},"sizelimit":`+limit+`}`)
		if !res.IsError || !strings.Contains(textOf(t, res), "sizelimit") {
			t.Errorf("R98: sizelimit %s: %+v", limit, res)
		}
	}
	if ran.Load() != before {
		t.Error("R98: a function ran in spite of an invalid size limit")
	}
}

var suggestion = regexp.MustCompile("`sizelimit=([0-9]+)`")

// TestReplay holds R103: what was gated is delivered without running again.
func TestReplay(t *testing.T) {
	srv, ran := effects(nil)
	s := connect(t, context.Background(), srv)
	first := tool(t, s, "call", `{"function":"write","kwargs":{"size":50000,"fill":"y"}}`)
	if !gated(t, first) || !strings.Contains(textOf(t, first), "already ran") || !strings.Contains(textOf(t, first), "add filters (e.g., fill) to narrow results") {
		t.Fatalf("got %s", textOf(t, first))
	}
	limit := suggestion.FindStringSubmatch(textOf(t, first))[1]
	if still := tool(t, s, "call", `{"function":"write","kwargs":{"fill":"y","size":50000},"sizelimit":20000}`); !gated(t, still) {
		t.Error("a limit that is too small lets the result through")
	}
	full := tool(t, s, "call", `{"function":"Write","kwargs":{"fill":"y","Size":50000},"sizelimit":`+limit+`}`)
	if got := textOf(t, full); got != strings.Repeat("y", 50000) || ran.Load() != 1 {
		t.Errorf("%d characters after %d runs", len(got), ran.Load())
	}
}

// TestReplayIsDeliveredOnce holds that a client whose answer was lost may ask
// again, also at the same time, and that a later call is a new one.
func TestReplayIsDeliveredOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, ran := effects(nil)
		ctx := registry.WithCaller(context.Background(), &registry.Caller{ID: "alice"})
		limit := 60000
		full := &cash.CallRequest{Function: "write", Kwargs: json.RawMessage(`{"size":50000}`), SizeLimit: &limit}
		srv.Call(ctx, &cash.CallRequest{Function: "write", Kwargs: json.RawMessage(`{"size":50000}`)})
		for range 10 {
			go srv.Call(ctx, full)
		}
		synctest.Wait()
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		srv.Call(cancelled, full)
		if res, err := srv.Call(ctx, full); err != nil || len(res.Text()) != 50000 || ran.Load() != 1 {
			t.Errorf("%v after %d runs", err, ran.Load())
		}
		time.Sleep(31 * time.Second)
		if _, err := srv.Call(ctx, full); err != nil || ran.Load() != 2 {
			t.Errorf("%v after %d runs", err, ran.Load())
		}
	})
}

// TestReplayGoesThroughMiddleware holds that what decides about calls decides
// about repeats, and that middleware cannot make a repeat look like another
// call.
func TestReplayGoesThroughMiddleware(t *testing.T) {
	seen, denied := 0, false
	policy := func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			seen++
			if denied {
				return nil, &registry.Error{Kind: registry.Denied, Message: "No longer."}
			}
			c.Arguments = json.RawMessage(`{"size":50000,"fill":"z"}`)
			return next(ctx, c)
		}
	}
	srv, ran := effects(&cash.Options{Serve: serve.Options{Middleware: []registry.Middleware{policy}}})
	ctx := registry.WithCaller(context.Background(), &registry.Caller{ID: "alice"})
	limit := 60000
	srv.Call(ctx, &cash.CallRequest{Function: "write", Kwargs: json.RawMessage(`{"size":50000}`)})
	full := &cash.CallRequest{Function: "write", Kwargs: json.RawMessage(`{"size":50000}`), SizeLimit: &limit}
	if res, err := srv.Call(ctx, full); err != nil || res.IsError || ran.Load() != 1 || seen != 2 {
		t.Errorf("%v after %d runs, seen %d times", err, ran.Load(), seen)
	}
	denied = true
	if _, err := srv.Call(ctx, full); !errors.Is(err, registry.Denied) {
		t.Errorf("a denied caller gets %v", err)
	}
}

// TestReplayKeepsTheCall holds that the handler of a remote function, which may prepare the call for its server,
// does not make a repeat look like another call.
func TestReplayKeepsTheCall(t *testing.T) {
	ran, reg := 0, registry.New(nil)
	f, err := registry.RemoteFunc("write", "Write.", registry.Remote{Handler: func(_ context.Context, c *registry.Call) (*registry.Result, error) {
		ran++
		c.Arguments = json.RawMessage(`{"size":50000,"account":7}`)
		return registry.TextResult(strings.Repeat("x", 50000)), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	reg.Namespace("", "").Add(f)
	srv, limit := cash.NewServer(reg, nil), 60000
	ctx := registry.WithCaller(context.Background(), &registry.Caller{ID: "alice"})
	srv.Call(ctx, &cash.CallRequest{Function: "write", Kwargs: json.RawMessage(`{"size":50000}`)})
	res, err := srv.Call(ctx, &cash.CallRequest{Function: "write", Kwargs: json.RawMessage(`{"size":50000}`), SizeLimit: &limit})
	if err != nil || len(res.Text()) != 50000 || ran != 1 {
		t.Errorf("%v after %d runs", err, ran)
	}
}

func TestReplayBelongsToItsCaller(t *testing.T) {
	srv, ran := effects(nil)
	as := func(id string) context.Context {
		return registry.WithCaller(context.Background(), &registry.Caller{ID: id})
	}
	limit := 60000
	req := &cash.CallRequest{Function: "write", Kwargs: json.RawMessage(`{"size":50000}`)}
	full := *req
	full.SizeLimit = &limit
	if res, err := srv.Call(as("alice"), req); err != nil || !res.IsError {
		t.Fatal(res, err)
	}
	if _, err := srv.Call(as("bob"), &full); err != nil || ran.Load() != 2 {
		t.Errorf("%d runs, %v", ran.Load(), err)
	}
	if res, err := srv.Call(as("alice"), &full); err != nil || ran.Load() != 2 || len(res.Text()) != 50000 {
		t.Errorf("%d runs, %v", ran.Load(), err)
	}
}

// TestReplayToken is for callers that can't be told from one another.
func TestReplayToken(t *testing.T) {
	srv, ran := effects(nil)
	ctx := context.Background()
	res, err := srv.Call(ctx, &cash.CallRequest{Function: "write", Kwargs: json.RawMessage(`{"size":50000}`)})
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(`replay="([^"]+)"`).FindStringSubmatch(res.Text())
	if match == nil || len(match[1]) < 26 {
		t.Fatalf("no replay value in %s", res.Text())
	}
	token := match[1]
	for _, kwargs := range []string{
		`{"size":50000,"sizelimit":60000,"replay":"replay-` + strings.Repeat("A", len(token)) + `"}`, // another value
		`{"size":50001,"sizelimit":60000,"replay":"` + token + `"}`,                                  // other arguments
	} {
		if _, err := srv.Call(ctx, &cash.CallRequest{Function: "write", Kwargs: json.RawMessage(kwargs)}); err == nil || ran.Load() != 1 {
			t.Errorf("%s: error %v after %d runs", kwargs, err, ran.Load())
		}
	}
	res, err = srv.Call(ctx, &cash.CallRequest{Function: "write", Kwargs: json.RawMessage(`{"size":50000,"sizelimit":55000,"replay":"` + token + `"}`)})
	if err != nil || len(res.Text()) != 50000 || ran.Load() != 1 {
		t.Errorf("%v after %d runs", err, ran.Load())
	}
	// Without the value, a repeat of an unknown caller is a call of its own.
	limit := 60000
	if _, err := srv.Call(ctx, &cash.CallRequest{Function: "write", Kwargs: json.RawMessage(`{"size":50000}`), SizeLimit: &limit}); err != nil || ran.Load() != 2 {
		t.Errorf("%v after %d runs", err, ran.Load())
	}
}

func TestReplayExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, ran := effects(nil)
		ctx := registry.WithCaller(context.Background(), &registry.Caller{ID: "alice"})
		limit := 60000
		srv.Call(ctx, &cash.CallRequest{Function: "write", Kwargs: json.RawMessage(`{"size":50000}`)})
		time.Sleep(10*time.Minute + 1)
		srv.Call(ctx, &cash.CallRequest{Function: "write", Kwargs: json.RawMessage(`{"size":50000}`), SizeLimit: &limit})
		if ran.Load() != 2 {
			t.Errorf("ran %d times", ran.Load())
		}
	})
}

func TestReplayNotKept(t *testing.T) {
	srv, _ := effects(&cash.Options{Replays: control.NewResults(&control.ResultOptions{MaxBytes: 1000})})
	res, err := srv.Call(context.Background(), &cash.CallRequest{Function: "write", Kwargs: json.RawMessage(`{"size":50000}`)})
	if err != nil || !strings.Contains(res.Text(), "not kept") || strings.Contains(res.Text(), "replay") {
		t.Errorf("%v, %v", res, err)
	}
}

// TestReadOnlyRunsAgain holds that what only reads is fresh.
func TestReadOnlyRunsAgain(t *testing.T) {
	srv, ran := effects(nil)
	s := connect(t, context.Background(), srv)
	gated(t, tool(t, s, "call", `{"function":"read","kwargs":{"size":50000}}`))
	tool(t, s, "call", `{"function":"read","kwargs":{"size":50000},"sizelimit":60000}`)
	if ran.Load() != 2 {
		t.Errorf("ran %d times", ran.Load())
	}
}

// slowStore is a store that does not answer before the deadline of the call.
type slowStore struct {
	control.ResultStore
	asked  chan struct{}
	answer chan struct{}
}

func (s *slowStore) Find(context.Context, control.ResultKey) (*control.StoredResult, string, error) {
	close(s.asked)
	<-s.answer
	return &control.StoredResult{Result: registry.TextResult(strings.Repeat("x", 100))}, "", nil
}

// TestResultStoreThatHangs holds that a store which answers too late is left
// behind like a function, and shares nothing with the call that went on.
func TestResultStoreThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &slowStore{control.NewResults(nil), make(chan struct{}), make(chan struct{})}
		srv, ran := effects(&cash.Options{Replays: store, Serve: serve.Options{Timeout: time.Second}})
		ctx := registry.WithCaller(context.Background(), &registry.Caller{ID: "alice"})
		limit := 10
		go func() {
			<-store.asked
			time.Sleep(2 * time.Second)
			close(store.answer)
		}()
		_, err := srv.Call(ctx, &cash.CallRequest{Function: "write", Kwargs: json.RawMessage(`{"size":100}`), SizeLimit: &limit})
		if !errors.Is(err, registry.TimedOut) || ran.Load() != 0 {
			t.Errorf("%v after %d runs", err, ran.Load())
		}
		time.Sleep(2 * time.Second) // until the store has answered
		synctest.Wait()
	})
}
