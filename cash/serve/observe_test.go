package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// watch is a hook that keeps what it is told. It fails the test unless each Begin has one End, in its own context.
type watch struct {
	t *testing.T

	mu    sync.Mutex
	open  map[*int]bool
	ended []observe.Request
	more  chan struct{} // receives after an End
}

type openKey struct{}

func newWatch(t *testing.T) *watch {
	return &watch{t: t, open: make(map[*int]bool), more: make(chan struct{}, 10_000)}
}

func (w *watch) Begin(ctx context.Context, r *observe.Request) context.Context {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := new(int)
	w.open[one] = true
	if r.Start.IsZero() {
		w.t.Errorf("no time: %+v", r)
	}
	return context.WithValue(ctx, openKey{}, one)
}

func (w *watch) End(ctx context.Context, r *observe.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	one, _ := ctx.Value(openKey{}).(*int)
	if !w.open[one] {
		w.t.Errorf("it ended twice, or in another context: %+v", r)
	}
	delete(w.open, one)
	if r.Outcome == "" || r.Duration <= 0 {
		w.t.Errorf("without outcome or duration: %+v", r)
	}
	w.ended = append(w.ended, *r)
	w.more <- struct{}{}
}

// take returns the next request that is no notification, and that pick takes, as one line.
func (w *watch) take(pick func(*observe.Request) bool) observe.Request {
	w.t.Helper()
	deadline := time.After(5 * time.Second)
	for {
		w.mu.Lock()
		for i, r := range w.ended {
			if pick(&r) {
				w.ended = slices.Delete(w.ended, i, i+1)
				w.mu.Unlock()
				return r
			}
		}
		w.mu.Unlock()
		select {
		case <-w.more:
		case <-deadline:
			w.t.Fatalf("nothing was told of it; but %+v", w.ended)
		}
	}
}

func (w *watch) call() observe.Request {
	w.t.Helper()
	return w.take(func(r *observe.Request) bool { return r.Method == "tools/call" })
}

func (w *watch) refusal() observe.Request {
	w.t.Helper()
	return w.take(func(r *observe.Request) bool { return r.Outcome == observe.Refused })
}

// line tells a request in short.
func line(r observe.Request) string {
	text := strings.Join([]string{r.Method, r.Tool, r.Function, string(r.Outcome)}, " ")
	if r.Code != 0 {
		text += fmt.Sprint(" ", r.Code)
	}
	if r.Status != 0 {
		text += fmt.Sprint(" HTTP ", r.Status)
	}
	return text
}

type sum struct {
	A int `json:"a" jsonschema:"First."`
	B int `json:"b,omitempty" jsonschema:"Second."`
}

// sums is a registry with a function, one that a boss sees, one with a long result, and a skill.
func sums() *registry.Registry {
	reg := registry.New(nil)
	math := reg.Namespace("math", "Sums.")
	math.Add(
		registry.Func("add", "Add two numbers.", func(_ context.Context, in sum) (int, error) { return in.A + in.B, nil }, registry.ReadOnly),
		registry.Func("boss", "For the boss.", func(context.Context, sum) (int, error) { return 1, nil }, registry.VisibleTo(registry.Roles("boss"))),
		registry.Func("digits", "Tell many digits.", func(context.Context, struct{}) (string, error) { return strings.Repeat("7", 50_000), nil }, registry.ReadOnly),
		registry.Func("fail", "Fail.", func(context.Context, struct{}) (string, error) { return "", errors.New("it broke") }),
	)
	math.AddSkill(registry.NewSkill("adding", "How to add.", "Use add."))
	return reg
}

// TestObserveFaces holds that calls of every tool of every face are told over every link, good and bad ones.
func TestObserveFaces(t *testing.T) {
	type use struct {
		tool, arguments, want string
	}
	opts := func(w *watch) serve.Options {
		return serve.Options{Observe: w, Repair: true, Controls: &control.Controls{Retry: &control.Retry{}}}
	}
	for name, f := range map[string]struct {
		make func(*watch) cashtest.Face
		uses []use
	}{
		"cash": {
			func(w *watch) cashtest.Face { return cash.NewServer(sums(), &cash.Options{Serve: opts(w)}) },
			[]use{
				{"call", `{"namespace":"math","function":"add","kwargs":{"a":1}}`, "tools/call call math.add ok"},
				{"call", `{"namespace":"math","function":"add","kwargs":{"b":1}}`, "tools/call call math.add INVALID_ARGUMENTS"},
				{"call", `{"namespace":"math","function":"boss","kwargs":{"a":1}}`, "tools/call call  UNKNOWN_FUNCTION"},
				{"call", `{"namespace":"math","function":"evil"}`, "tools/call call  UNKNOWN_FUNCTION"},
				{"call", `{"namespace":7}`, "tools/call call  INVALID_ARGUMENTS"},
				{"call", `{"namespace":"math","function":"fail"}`, "tools/call call math.fail FAILED"},
				{"call", `{"namespace":"math","function":"digits"}`, "tools/call call math.digits ok gated"},
				{"call", `{"namespace":"math","function":"add","kwargs":{"a":"1"}}`, "tools/call call math.add ok repairs 1"},
				{"help", `{"namespace":"math"}`, "tools/call help  ok"},
				{"help", `{"namespace":"none"}`, "tools/call help  UNKNOWN_NAMESPACE"},
				{"skill", `{"skillname":"adding"}`, "tools/call skill  ok"},
			},
		},
		"gateway": {
			func(w *watch) cashtest.Face { return gateway.NewServer(sums(), &gateway.Options{Serve: opts(w)}) },
			[]use{
				{"tool_browse", `{"path":"/"}`, "tools/call tool_browse  ok"},
				{"tool_browse", `{"path":"nowhere"}`, "tools/call tool_browse  PATH_INVALID"},
				{"tool_execute", `{"tool_id":"math:evil","args":{"a":1}}`, "tools/call tool_execute  UNKNOWN_FUNCTION"},
				{"tool_execute", `{"tool_id":"math:add","args":{"a":1}}`, "tools/call tool_execute math.add ok"},
				{"tool_execute", `{"tool_id":"math:digits"}`, "tools/call tool_execute math.digits ok gated"},
				{"tool_execute", `{"tool_id":"math:add","args":{}}`, "tools/call tool_execute math.add INVALID_ARGUMENTS"},
				{"tool_execute", `{"nothing":1}`, "tools/call tool_execute  INVALID_ARGUMENTS"},
				{"tool_view", `{"handle":"none"}`, "tools/call tool_view  INVALID_ARGUMENTS"},
			},
		},
		"facade": {
			func(w *watch) cashtest.Face { return facade.NewServer(sums(), &facade.Options{Serve: opts(w)}) },
			[]use{
				{"MathExecute", `{"cmd":"add","params":{"a":1}}`, "tools/call MathExecute math.add ok"},
				{"MathExecute", `{"cmd":"add","params":{}}`, "tools/call MathExecute math.add INVALID_ARGUMENTS"},
				{"MathExecute", `{"cmd":"boss","params":{}}`, "tools/call MathExecute  UNKNOWN_FUNCTION"},
				{"EvilExecute", `{"cmd":"add"}`, "tools/call   refused -32602"},
			},
		},
		"disclosure": {
			func(w *watch) cashtest.Face { return disclosure.NewServer(sums(), &disclosure.Options{Serve: opts(w)}) },
			[]use{
				{"math-add", `{"a":1}`, "tools/call math-add math.add INVALID_ARGUMENTS"}, // its description was not fetched
				{"math-boss", `{"a":1}`, "tools/call   refused -32602"},
			},
		},
		"plain": {
			func(w *watch) cashtest.Face { return plain.NewServer(sums(), &plain.Options{Serve: opts(w)}) },
			[]use{
				{"math-add", `{"a":1}`, "tools/call math-add math.add ok"},
				{"math-add", `{}`, "tools/call math-add math.add INVALID_ARGUMENTS"},
				{"math-boss", `{"a":1}`, "tools/call   refused -32602"},
			},
		},
	} {
		for _, link := range cashtest.Links() {
			if name == "disclosure" && link.HTTP && link.Version == "2026-07-28" {
				continue // it needs sessions
			}
			t.Run(name+"/"+link.String(), func(t *testing.T) {
				w := newWatch(t)
				c := link.Connect(t, f.make(w), &registry.Caller{ID: "ann"}, nil)
				for _, u := range f.uses {
					_, _ = c.Session.CallTool(t.Context(), &mcp.CallToolParams{Name: u.tool, Arguments: json.RawMessage(withIDs(u.arguments))})
					r := w.call()
					got := line(r)
					if r.Gated {
						got += " gated"
					}
					if r.Repairs > 0 {
						got += fmt.Sprint(" repairs ", r.Repairs)
					}
					if got != u.want {
						t.Errorf("%s %s:\n got %s\nwant %s", u.tool, u.arguments, got, u.want)
					}
					transport := "stdio"
					if link.HTTP {
						transport = "http"
					}
					if r.Transport != transport || r.Version != link.Version || r.Sent || r.Tool != "" && (r.Owner != "caller:ann" || r.RequestBytes != len(withIDs(u.arguments))) {
						t.Errorf("%+v", r)
					}
					if r.Outcome == observe.OK && r.ResultBytes == 0 {
						t.Errorf("no size: %+v", r)
					}
				}
			})
		}
	}
}

// withIDs gives functions their ids.
func withIDs(arguments string) string {
	for f := range sums().All() {
		arguments = strings.Replace(arguments, `"math:`+f.Name()+`"`, `"`+f.ID().String()+`"`, 1)
	}
	return arguments
}

// TestObserveMethods holds that requests that are no calls are told too, and counted.
func TestObserveMethods(t *testing.T) {
	for _, link := range cashtest.Links() {
		t.Run(link.String(), func(t *testing.T) {
			w := newWatch(t)
			srv := cash.NewServer(sums(), &cash.Options{Serve: serve.Options{Observe: w}})
			c := link.Connect(t, srv, nil, nil)
			first := "initialize"
			if link.Version == "2026-07-28" {
				first = "server/discover"
			}
			of := func(method string) observe.Request {
				return w.take(func(r *observe.Request) bool { return r.Method == method })
			}
			if r := of(first); r.Outcome != observe.OK || r.Version != link.Version || r.ResultBytes == 0 {
				t.Errorf("%+v", r)
			}
			if _, err := c.Session.ListTools(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if r := of("tools/list"); r.Outcome != observe.OK || r.ResultBytes < 500 {
				t.Errorf("%+v", r)
			}
			if _, err := c.Session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "skill://math/adding/SKILL.md"}); err != nil {
				t.Fatal(err)
			}
			if r := of("resources/read"); r.Outcome != observe.OK || r.ResultBytes == 0 {
				t.Errorf("%+v", r)
			}
			if _, err := c.Session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "skill://math/none/SKILL.md"}); err == nil {
				t.Error("there is no such skill")
			}
			if r := of("resources/read"); line(r) != "resources/read   refused -32602" {
				t.Error(line(r))
			}
			if link.Version == "2025-11-25" {
				if err := c.Session.Ping(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				of("ping")
				of("notifications/initialized")
			}
			st := srv.Stats()
			if st.Requests[observe.Refused] != 1 || st.Requests[observe.OK] < 3 || st.Calls != 0 {
				t.Errorf("%+v", st)
			}
			if data, err := json.Marshal(st); err != nil || !strings.Contains(string(data), `"requests":{"ok":`) {
				t.Errorf("%s, %v", data, err)
			}
			want := [2]int{1, 0} // connections, sessions
			if link.HTTP {
				want = [2]int{0, 1}
				if link.Version == "2026-07-28" {
					want[1] = 0
				}
			}
			if got := [2]int{st.Connections, st.Sessions}; got != want {
				t.Errorf("connections and sessions: %v, want %v", got, want)
			}
		})
	}
}

// TestObserveRefused holds that what the strict reader, the connection and the SDK refuse is told, without the names
// that only the client knows.
func TestObserveRefused(t *testing.T) {
	deep := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	for name, messages := range map[string][][2]string{
		"lines": {
			{`{"jsonrpc":"2.0","id":1,"method":"tools/list"`, "   refused -32700"},
			{`{"jsonrpc":"2.0","id":1,"method":"evil/method"}`, "   refused -32601"},
			{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call","x":` + deep + `}}`, "tools/call   refused -32600"},
			{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"evil"}}`, "tools/call   refused -32602"},
			{`{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, "server/discover   refused -32601"},                                                                   // the SDK
			{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}}`, "tools/list   refused -32602"}, // the SDK
		},
		"sessions": {
			{`{"jsonrpc":"2.0","id":1,"method":"tools/list"`, "   refused -32700 HTTP 400"},
			{`{"jsonrpc":"2.0","id":1,"method":"evil/method"}`, "   refused -32601 HTTP 200"},
			{`{"jsonrpc":"2.0","id":1,"method":"ping","params":7}`, "ping   refused -32602 HTTP 200"},
			{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"evil"}}`, "tools/call   refused -32602"},
		},
		"sessionless": {
			{`{"jsonrpc":"2.0","id":1,"method":"tools/list"`, "   refused -32700 HTTP 400"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWatch(t)
			srv := cash.NewServer(sums(), &cash.Options{Serve: serve.Options{Observe: w}})
			c := raws(t, srv)[name]
			before := srv.Stats().Requests[observe.Refused]
			for _, m := range messages {
				c.post(t, m[0], http.Header{"Mcp-Protocol-Version": {c.version}})
				if r := w.refusal(); line(r) != m[1] {
					t.Errorf("%.100s\n got %s\nwant %s", m[0], line(r), m[1])
				}
			}
			if got := srv.Stats().Requests[observe.Refused] - before; name != "lines" && got != int64(len(messages)) {
				t.Errorf("%d refusals counted of %d", got, len(messages))
			}
		})
	}
}

// TestObserveHTTP holds that refusals by HTTP are told and counted.
func TestObserveHTTP(t *testing.T) {
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	begin := strings.Replace(initialize, "\n", "", -1)
	for name, c := range map[string]struct {
		opts   serve.Options
		host   string
		header http.Header
		body   string
		want   string
	}{
		"no token":     {serve.Options{VerifyToken: verify}, "", nil, list, "   refused HTTP 401"},
		"host":         {serve.Options{AllowedHosts: []string{"a.example"}}, "b.example", nil, list, "   refused HTTP 403"},
		"origin":       {serve.Options{}, "", http.Header{"Origin": {"https://evil.example"}}, list, "   refused HTTP 403"},
		"no session":   {serve.Options{}, "", http.Header{"Mcp-Session-Id": {"gone"}}, list, "   refused HTTP 404"},
		"too large":    {serve.Options{MaxBody: 100}, "", nil, list + strings.Repeat(" ", 100), "   refused -32600 HTTP 413"},
		"many":         {serve.Options{MaxSessions: 1}, "", nil, begin, "   refused HTTP 503"},
		"no such kind": {serve.Options{}, "", http.Header{"Content-Type": {"text/plain"}}, begin, "   refused HTTP 415"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWatch(t)
			c.opts.Observe = w
			srv := cash.NewServer(sums(), &cash.Options{Serve: c.opts})
			web := httptest.NewServer(srv.Handler())
			t.Cleanup(web.Close)
			if name == "many" {
				poster(web.URL, nil)(t, begin, nil)
			}
			req, _ := http.NewRequest(http.MethodPost, web.URL, strings.NewReader(c.body))
			req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
			for k, v := range c.header {
				req.Header[k] = v
			}
			if c.host != "" {
				req.Host = c.host
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			r := w.refusal()
			if line(r) != c.want || r.Transport != "http" || r.Header.Get("Accept") == "" {
				t.Errorf("got %s, want %s: %+v", line(r), c.want, r)
			}
			if got := srv.Stats().HTTP; got[res.StatusCode] != 1 || len(got) != 1 {
				t.Errorf("counted %v, answered %d", got, res.StatusCode)
			}
		})
	}
}

// TestObserveIdentify holds that refusals of Identify are told.
func TestObserveIdentify(t *testing.T) {
	w := newWatch(t)
	refuse := func(context.Context, *serve.Incoming) (*registry.Caller, error) { return nil, errors.New("banned") }
	c := cashtest.Connect(t, cash.NewServer(sums(), &cash.Options{Serve: serve.Options{Observe: w, Identify: refuse}}))
	c.Call("math", "add", map[string]any{"a": 1})
	if got := line(w.call()); got != "tools/call call  DENIED" {
		t.Error(got)
	}
}

// TestObserveDirect holds that Go calls are told, as calls without a transport.
func TestObserveDirect(t *testing.T) {
	w := newWatch(t)
	srv := cash.NewServer(sums(), &cash.Options{Serve: serve.Options{Observe: w}})
	ctx := registry.WithCaller(t.Context(), &registry.Caller{ID: "ann"})
	args := json.RawMessage(`{"a":1,"b":2}`)
	_, _ = srv.Call(ctx, &cash.CallRequest{Namespace: "math", Function: "add", Kwargs: args})
	if r := w.call(); line(r) != "tools/call call math.add ok" || r.Transport != "" || r.RequestBytes != len(args) || r.ResultBytes != 1 || !strings.Contains(r.Owner, "ann") {
		t.Errorf("%+v", r)
	}
	_, _ = srv.Call(ctx, nil)
	if r := w.call(); line(r) != "tools/call call  INVALID_ARGUMENTS" {
		t.Errorf("%+v", r)
	}
	_, _ = srv.Help(ctx, nil)
	if r := w.call(); line(r) != "tools/call help  ok" || r.ResultBytes == 0 {
		t.Errorf("%+v", r)
	}
	_, _ = srv.Skill(ctx, &cash.SkillRequest{Name: "none"})
	if r := w.call(); line(r) != "tools/call skill  UNKNOWN_SKILL" {
		t.Errorf("%+v", r)
	}
	_, _ = srv.Call(ctx, &cash.CallRequest{Namespace: "math", Function: "add", Kwargs: args, DryRun: true})
	if r := w.call(); !r.DryRun || line(r) != "tools/call call math.add ok" {
		t.Errorf("%+v", r)
	}
	gw := gateway.NewServer(sums(), &gateway.Options{Serve: serve.Options{Observe: w}})
	cards, err := gw.Browse(ctx, &gateway.BrowseRequest{Query: "add numbers"})
	if r := w.call(); err != nil || line(r) != "tools/call tool_browse  ok" {
		t.Errorf("%v, %+v", err, r)
	}
	_, _ = gw.Execute(ctx, &gateway.ExecuteRequest{ID: cards[0].ID, Args: args})
	if r := w.call(); line(r) != "tools/call tool_execute math.add ok" {
		t.Errorf("%+v", r)
	}
	fc := facade.NewServer(sums(), &facade.Options{Serve: serve.Options{Observe: w}})
	fc.Execute(ctx, "math", &facade.Request{Cmd: "add", Params: json.RawMessage(`{}`)})
	if r := w.call(); line(r) != "tools/call MathExecute math.add INVALID_ARGUMENTS" {
		t.Errorf("%+v", r)
	}
}

// TestObserveControls holds that the hook and the audit are told the same of what the controls did.
func TestObserveControls(t *testing.T) {
	w := newWatch(t)
	var log strings.Builder
	runs := 0
	reg := registry.New(nil)
	reg.Namespace("x", "Things.").Add(
		registry.Func("read", "Read.", func(context.Context, struct{}) (string, error) {
			if runs++; runs == 1 {
				return "", &registry.Error{Kind: registry.Unavailable, NotRun: true, Message: "Not yet."}
			}
			return "read", nil
		}, registry.ReadOnly),
		registry.Func("drop", "Drop.", func(context.Context, struct{}) (string, error) { return "dropped", nil }),
	)
	approve := func(context.Context, *control.ApprovalRequest) (control.Decision, error) { return control.Allow, nil }
	srv := cash.NewServer(reg, &cash.Options{Serve: serve.Options{Observe: w, Controls: &control.Controls{
		Audit: &control.Audit{Logger: slog.New(slog.NewTextHandler(&log, nil))},
		Policy: control.NewPolicy(&control.PolicyOptions{
			Rules:     []control.Rule{{Tools: []string{"x.drop"}, Decision: control.RequireApproval}},
			Approvals: control.NewApprovals(&control.ApprovalOptions{Approve: approve}),
		}),
		Cache: control.NewCache(&control.CacheOptions{ReadOnly: true}),
		Retry: &control.Retry{MaxAttempts: 3, BaseDelay: time.Microsecond},
	}}})
	ctx := registry.WithCaller(t.Context(), &registry.Caller{ID: "ann"})
	for i, want := range []string{"attempts=2", "cache_hit=true", "approved_by=hook"} {
		log.Reset()
		_, _ = srv.Call(ctx, &cash.CallRequest{Namespace: "x", Function: []string{"read", "read", "drop"}[i]})
		r := w.call()
		got := fmt.Sprint(r.Outcome, " ", r.Attempts, r.Cached, " ", r.Approval)
		if got != []string{"ok 2 false ", "ok 0 true ", "ok 1 false hook"}[i] || !strings.Contains(log.String(), want) {
			t.Errorf("%s; %s", got, &log)
		}
	}
}

// TestObserveNested holds that a Go call within a function is a request of its own, within that of the function.
func TestObserveNested(t *testing.T) {
	w := newWatch(t)
	inner := cash.NewServer(sums(), &cash.Options{Serve: serve.Options{Observe: w}})
	reg := registry.New(nil)
	reg.Namespace("outer", "Outer.").Add(registry.Func("twice", "Call twice.", func(ctx context.Context, in sum) (string, error) {
		if ctx.Value(openKey{}) == nil {
			t.Error("the context of the hook does not arrive")
		}
		_, err := inner.Call(ctx, &cash.CallRequest{Namespace: "math", Function: "fail"})
		return "survived " + fmt.Sprint(err != nil), nil
	}))
	c := cashtest.Connect(t, cash.NewServer(reg, &cash.Options{Serve: serve.Options{Observe: w}}))
	c.Call("outer", "twice", map[string]any{"a": 1}).OK()
	if a, b := line(w.call()), line(w.call()); a != "tools/call call math.fail FAILED" || b != "tools/call call outer.twice ok" {
		t.Errorf("%s, %s", a, b)
	}
}

// TestObserveFurtherFace holds that two faces on one MCP server tell a request once, and that the embedder's own tools
// are told.
func TestObserveFurtherFace(t *testing.T) {
	w := newWatch(t)
	srv := mcp.NewServer(&mcp.Implementation{Name: "own"}, nil)
	srv.AddTool(&mcp.Tool{Name: "mine", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "mine"}}}, nil
	})
	cash.NewServer(sums(), &cash.Options{Serve: serve.Options{Observe: w}}).AddTo(srv)
	plain.NewServer(sums(), &plain.Options{Serve: serve.Options{Observe: w}}).AddTo(srv)
	handler := serve.CarryContext(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, nil))
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	c := cashtest.ConnectHTTP(t, web.URL)
	for tool, want := range map[string]string{
		"mine": "tools/call mine  ok", "math-add": "tools/call math-add math.add ok", "help": "tools/call help  ok", "evil": "tools/call   refused -32602",
	} {
		_, _ = c.Session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(`{"a":1}`)})
		if r := w.call(); line(r) != want || r.Transport != "http" || r.Session == "" {
			t.Errorf("%s: %+v", want, r)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := slices.IndexFunc(w.ended, func(r observe.Request) bool { return r.Method == "tools/call" }); i >= 0 {
		t.Errorf("told twice: %+v", w.ended[i])
	}
}

// TestObserveAbandoned holds that a call that goes on after its request has ended changes nothing of what was told.
func TestObserveAbandoned(t *testing.T) {
	reg, end, noted := registry.New(nil), make(chan struct{}), make(chan struct{})
	reg.Namespace("", "").Add(
		registry.Func("deaf", "Ignore the context.", func(context.Context, struct{}) (string, error) { <-end; return "late", nil }),
	)
	w := newWatch(t)
	noting := func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			res, err := next(ctx, c)
			c.Record.Note(func(r *observe.Request) { r.Tokens, r.Function = 7, "late" })
			close(noted)
			return res, err
		}
	}
	srv := cash.NewServer(reg, &cash.Options{Serve: serve.Options{Observe: w, Timeout: 20 * time.Millisecond, Middleware: []registry.Middleware{noting}}})
	c := cashtest.Connect(t, srv)
	c.Call("", "deaf", nil)
	r := w.call()
	if line(r) != "tools/call call deaf TIMEOUT" || r.Tokens != 0 {
		t.Errorf("%+v", r)
	}
	close(end)
	<-noted
	w.mu.Lock()
	defer w.mu.Unlock()
	if slices.ContainsFunc(w.ended, func(r observe.Request) bool { return r.Method == "tools/call" }) {
		t.Errorf("told twice: %+v", w.ended)
	}
}

// TestObservePanics holds that a hook that panics costs a request nothing, and is logged once.
func TestObservePanics(t *testing.T) {
	var log strings.Builder
	w := newWatch(t)
	opts := serve.Options{Observe: observe.Hooks(panicking{}, w), Logger: slog.New(slog.NewTextHandler(&log, nil))}
	srv := cash.NewServer(sums(), &cash.Options{Serve: opts})
	for range 3 {
		res, err := srv.Call(t.Context(), &cash.CallRequest{Namespace: "math", Function: "add", Kwargs: json.RawMessage(`{"a":1}`)})
		if err != nil || res.Text() != "1" {
			t.Errorf("%v, %v", res, err)
		}
		if r := w.call(); r.Outcome != observe.OK {
			t.Errorf("%+v", r)
		}
	}
	if n := strings.Count(log.String(), "observe hook panicked"); n != 1 || strings.Contains(log.String(), "secret") {
		t.Errorf("logged %d times: %s", n, &log)
	}
}

type panicking struct{}

func (panicking) Begin(context.Context, *observe.Request) context.Context { panic("secret") }
func (panicking) End(context.Context, *observe.Request)                   { panic("secret") }

// TestObserveNothing holds that without a hook nothing is allocated.
func TestObserveNothing(t *testing.T) {
	srv := cash.NewServer(sums(), nil).Server
	ctx, args, res := t.Context(), json.RawMessage(`{}`), registry.TextResult("x")
	if n := testing.AllocsPerRun(100, func() {
		_, _ = serve.Direct(ctx, srv, "call", args, func(_ context.Context, rec *observe.Record) (*registry.Result, error) {
			rec.Note(func(r *observe.Request) { r.Function = "x" })
			return res, nil
		})
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
