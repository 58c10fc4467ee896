package disclosure_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// changing is a source that is replaced as a whole.
type changing struct {
	src atomic.Pointer[registry.Registry]
}

func (c *changing) set(r *registry.Registry) { c.src.Store(r) }
func (c *changing) List(ctx context.Context, path string) (*registry.Listing, error) {
	return c.src.Load().List(ctx, path)
}
func (c *changing) Function(ctx context.Context, path, name string) (*registry.Function, error) {
	return c.src.Load().Function(ctx, path, name)
}
func (c *changing) Skill(ctx context.Context, path, name string) (*registry.Skill, error) {
	return c.src.Load().Skill(ctx, path, name)
}

func TestP12P13P14(t *testing.T) {
	overAll(t, &disclosure.Options{}, func(t *testing.T, c *client) {
		before := ran.Load()
		r := c.call("orders-create", `{"customer_id":"C-1","quantity":2}`)
		if !r.IsError || r.Text != required("orders-create") || ran.Load() != before {
			t.Fatalf("not fetched: %+v", r)
		}
		m := c.fetch(strings.TrimPrefix(failureIn(t, r.Text).ResourceURI, uri+"?"))
		if len(m) != 1 {
			t.Fatalf("fetched %v", keys(m))
		}
		for range 20 {
			runtime.GC() // what is known of a session lasts as long as the session
			if got := c.call("orders-create", `{"customer_id":"C-1","quantity":2}`).OK().Text; got != `{"id":"C-1","total":2}` {
				t.Fatalf("got %s", got)
			}
		}
		if got := c.call("orders-get", `{"customer_id":"C-1"}`).Text; got != required("orders-get") {
			t.Errorf("another tool: %s", got)
		}
	})
}

func TestP25Order(t *testing.T) {
	deny := func(registry.Handler) registry.Handler {
		return func(_ context.Context, c *registry.Call) (*registry.Result, error) {
			return nil, &registry.Error{Kind: registry.Denied, Message: "Not you."}
		}
	}
	overAll(t, &disclosure.Options{Serve: serve.Options{Middleware: []registry.Middleware{deny}}}, func(t *testing.T, c *client) {
		wantCode(t, c.call("orders-create", `{"quantity":0}`), "TOOL_DESCRIPTION_REQUIRED")
		c.fetch("tools=orders-create")
		f := wantCode(t, c.call("orders-create", `{"customer_id":"secret-1","quantity":0}`), "INVALID_ARGUMENTS")
		if f.ResourceURI != uri+"?tools=orders-create" || strings.Contains(f.Message, "secret-1") {
			t.Errorf("%+v", f)
		}
		wantCode(t, c.call("orders-create", `{"customer_id":"x","quantity":1,"unknown":1}`), "INVALID_ARGUMENTS")
		wantCode(t, c.call("orders-create", `{"Customer_Id":"x","quantity":1}`), "INVALID_ARGUMENTS") // Y8
		wantCode(t, c.call("orders-create", `{"customer_id":"x","quantity":1}`), "DENIED")            // P18
	})
}

func TestY2Kinds(t *testing.T) {
	kind := registry.Failed
	fails := func(registry.Handler) registry.Handler {
		return func(context.Context, *registry.Call) (*registry.Result, error) {
			return nil, &registry.Error{Kind: kind, Message: "It\u202e went <wrong>.", Hint: "Do that.", Details: map[string]any{"n": 1}}
		}
	}
	c := connect(t, disclosure.NewServer(shop(), &disclosure.Options{Serve: serve.Options{Middleware: []registry.Middleware{fails}}}), nil)
	c.fetch("tools=ping")
	for _, kind = range registry.Kinds() {
		r := c.call("ping", "{}")
		f := wantCode(t, r, string(kind))
		if f.Message != "It went <wrong>. Do that." || f.Details["n"] != 1.0 || r.Raw.StructuredContent != nil {
			t.Errorf("%s: %s", kind, r.Text)
		}
	}
	kind = "NONSENSE"
	wantCode(t, c.call("ping", "{}"), "FAILED")
}

func TestP15ConcurrentSessions(t *testing.T) {
	const sessions = 50
	reg := registry.New(nil)
	for i := range sessions {
		reg.Namespace("t", "").Add(registry.Func(fmt.Sprintf("f%d", i), "Do it.", func(context.Context, none) (int, error) { return i, nil }))
	}
	srv := disclosure.NewServer(reg, nil)
	web := httptest.NewServer(srv.Handler())
	t.Cleanup(web.Close)
	var clients []*client
	for range sessions {
		clients = append(clients, &client{Client: cashtest.ConnectHTTP(t, web.URL), t: t})
	}
	var all sync.WaitGroup
	for i, c := range clients {
		all.Go(func() {
			ctx := context.Background()
			_, err := c.Session.ReadResource(ctx, &mcp.ReadResourceParams{URI: fmt.Sprintf("%s?tools=t-f%d", uri, i)})
			if err != nil {
				t.Error(err)
			}
			for j := i; j < i+10; j++ {
				tool := fmt.Sprintf("t-f%d", j%sessions)
				r, err := c.Session.CallTool(ctx, &mcp.CallToolParams{Name: tool})
				if err != nil || r.IsError != (j != i) {
					t.Errorf("session %d, %s: %v %s", i, tool, err, toJSON(r))
				}
			}
		})
	}
	all.Wait()
	if n := srv.Sessions(); n != sessions {
		t.Errorf("%d sessions are known", n)
	}
}

func TestP16EndOfSession(t *testing.T) {
	srv := disclosure.NewServer(shop(), nil)
	web := httptest.NewServer(srv.Handler())
	t.Cleanup(web.Close)
	for range 3 {
		c := &client{Client: cashtest.ConnectHTTP(t, web.URL), t: t}
		if c.Session.ID() == "" {
			t.Fatal("there is no session")
		}
		wantCode(t, c.call("ping", "{}"), "TOOL_DESCRIPTION_REQUIRED")
		c.fetch("tools=ping")
		c.call("ping", "{}").OK()
		if err := c.Session.Close(); err != nil { // DELETE
			t.Fatal(err)
		}
		if _, err := c.Session.CallTool(context.Background(), &mcp.CallToolParams{Name: "ping"}); err == nil {
			t.Error("a session that has ended calls")
		}
	}
	for range 2 {
		c := connect(t, srv, nil)
		wantCode(t, c.call("ping", "{}"), "TOOL_DESCRIPTION_REQUIRED")
		c.fetch("tools=ping")
	}
}

// TestP15Callers: in a session that several callers share, a fetch is one for all
// (section 5.1), and shows and opens to nobody what that caller does not see.
func TestP15Callers(t *testing.T) {
	web := httptest.NewServer(disclosure.NewServer(shop(), &disclosure.Options{Serve: byHeaderOptions}).Handler())
	t.Cleanup(web.Close)
	from := new(turns)
	d := &cashtest.Dialer{Version: "2025-11-25", HTTPClient: &http.Client{Transport: from}}
	c := &client{Client: d.ConnectHTTP(t, web.URL), t: t}
	from.Store("admin")
	c.fetch("tools=ping,admin-report")
	c.call("admin-report", "{}").OK()
	from.Store("bob")
	c.call("ping", "{}").OK()
	if m := c.fetch("tools=admin-report"); !reflect.DeepEqual(m["admin-report"].Available, names) || m["admin-report"].InputSchema != nil {
		t.Errorf("bob fetches %+v", m)
	}
	for _, name := range []string{"admin-report", "nothing"} {
		if _, err := c.Session.CallTool(context.Background(), &mcp.CallToolParams{Name: name}); err == nil || !strings.Contains(err.Error(), `unknown tool "`+name+`"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
	from.Store("admin")
	c.call("admin-report", "{}").OK()
}

// turns sends requests as the caller whose turn it is.
type turns struct{ atomic.Value }

func (c *turns) RoundTrip(r *http.Request) (*http.Response, error) {
	id, _ := c.Load().(string)
	return asCaller(id).RoundTrip(r)
}

// TestP17Bounded: what is known of sessions goes with them.
func TestP17Bounded(t *testing.T) {
	const manySessions = 2000
	srv := disclosure.NewServer(shop(), nil)
	own := mcp.NewServer(&mcp.Implementation{Name: "own", Version: "1"}, nil)
	srv.AddTo(own)
	settle := func(most int) (goroutines int) {
		for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
			runtime.GC()
			if goroutines = runtime.NumGoroutine(); srv.Sessions() < 100 && goroutines <= most {
				return goroutines
			}
		}
		return goroutines
	}
	one := func() {
		ctx := context.Background()
		near, far := mcp.NewInMemoryTransports()
		ss, err := own.Connect(ctx, far, nil)
		if err != nil {
			t.Fatal(err)
		}
		cs, err := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil).Connect(ctx, near, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := cs.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri + "?tools=ping"}); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(cs.Close(), ss.Wait()); err != nil {
			t.Fatal(err)
		}
	}
	one()
	before := settle(math.MaxInt)
	most := 0
	for range manySessions {
		one()
		most = max(most, srv.Sessions())
	}
	after := settle(before + 20)
	if n := srv.Sessions(); n >= 100 {
		t.Errorf("%d sessions are still known", n)
	}
	if after > before+20 {
		t.Errorf("%d goroutines, %d before", after, before)
	}
	t.Logf("at most %d of %d sessions were known at a time", most, manySessions)
}

// TestP17HTTP: sessions that clients have deleted leave nothing behind.
func TestP17HTTP(t *testing.T) {
	srv := disclosure.NewServer(shop(), nil)
	web := httptest.NewServer(srv.Handler())
	t.Cleanup(web.Close)
	for range 100 {
		c := &client{Client: cashtest.ConnectHTTP(t, web.URL), t: t}
		c.fetch("tools=ping")
		if err := c.Session.Close(); err != nil {
			t.Fatal(err)
		}
	}
	left := srv.Sessions()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if left = srv.Sessions(); left < 10 {
			return
		}
		runtime.GC()
	}
	t.Errorf("%d sessions are still known", left)
}

// partly is a source of which a part does not answer.
type partly struct{ registry.Source }

func (p partly) Function(ctx context.Context, path, name string) (*registry.Function, error) {
	if path == "down" {
		return nil, &registry.Error{Kind: registry.Unavailable, Message: "The server down does not answer."}
	}
	return p.Source.Function(ctx, path, name)
}

func TestUnavailable(t *testing.T) {
	c := connect(t, disclosure.NewServer(partly{shop()}, nil), nil)
	m := c.fetch("tools=down-get,ping")
	if e := m["down-get"]; e.Error != "Tool 'down-get' is not available now: The server down does not answer." || e.Available != nil || m["ping"].Name != "ping" {
		t.Errorf("%+v", m)
	}
	wantCode(t, c.call("down-get", "{}"), "UNAVAILABLE")
}

func TestPX6Renew(t *testing.T) {
	other := registry.New(nil)
	other.Namespace("", "").Add(registry.Func("ping", "Ask for more.", func(_ context.Context, in struct {
		Word string `json:"word"`
	}) (string, error) {
		return in.Word, nil
	}))
	for _, renew := range []bool{false, true} {
		for _, l := range links {
			src := &changing{}
			src.set(shop())
			opts := &disclosure.Options{Renew: renew}
			if l == links[3] {
				opts.Grants = new(disclosure.Grants)
			}
			c := over(t, l, disclosure.NewServer(src, opts), nil)
			c.fetch("tools=ping")
			c.call("ping", "{}").OK()
			src.set(shop()) // the list has changed, and the tool has not
			c.call("ping", "{}").OK()
			src.set(registry.New(nil))
			if _, err := c.Session.CallTool(context.Background(), &mcp.CallToolParams{Name: "ping"}); err == nil {
				t.Error("a tool that is gone is called")
			}
			src.set(other)
			code := "INVALID_ARGUMENTS"
			if renew {
				code = "TOOL_DESCRIPTION_REQUIRED"
			}
			wantCode(t, c.call("ping", "{}"), code)
			c.fetch("tools=ping")
			if got := c.call("ping", `{"word":"x"}`).OK().Text; got != "x" {
				t.Errorf("got %q", got)
			}
		}
	}
}

func TestNewServerErrors(t *testing.T) {
	bad := registry.New(nil)
	bad.Namespace("", "").Add(registry.Func("error", "Err.", func(context.Context, none) (string, error) { return "", nil }))
	for want, tt := range map[string]struct {
		src  registry.Source
		opts *disclosure.Options
	}{
		`function "error"`: {bad, nil}, // P27
		"Options.Grants":   {shop(), &disclosure.Options{Serve: serve.Options{HTTP: serve.NoSessions}}},
		"31 bytes":         {shop(), &disclosure.Options{Grants: &disclosure.Grants{Keys: [][]byte{make([]byte, 31)}}}},
		"no key":           {shop(), &disclosure.Options{Grants: &disclosure.Grants{Keys: [][]byte{}}}},
		"Grants.TTL":       {shop(), &disclosure.Options{Grants: &disclosure.Grants{TTL: -1}}},
		`URI "x"`:          {shop(), &disclosure.Options{URI: "x"}},
		"without a query":  {shop(), &disclosure.Options{URI: "x:///y?z"}},
		"absolute":         {shop(), &disclosure.Options{URI: "x:///{y}"}},
	} {
		func() {
			defer func() {
				text, _ := recover().(string)
				if !strings.HasPrefix(text, "disclosure: ") || !strings.Contains(text, want) || !strings.Contains(text, "authorise_test.go:") {
					t.Errorf("%s: %q", want, text)
				}
			}()
			disclosure.NewServer(tt.src, tt.opts)
		}()
		if err := tt.opts.Check(); tt.opts != nil && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", want, err)
		}
	}
	disclosure.NewServer(shop(), &disclosure.Options{Grants: new(disclosure.Grants), Serve: serve.Options{HTTP: serve.NoSessions}})
}

// TestP27ErrorOfOthers: a function of another server that has this name is left out.
func TestP27ErrorOfOthers(t *testing.T) {
	f, err := registry.RemoteFunc("error", "Err.", registry.Remote{Tool: "error", Handler: func(context.Context, *registry.Call) (*registry.Result, error) {
		return registry.TextResult("ran"), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	reg := shop()
	reg.Namespace("", "").Add(f)
	c := connect(t, disclosure.NewServer(reg, nil), nil)
	if got := toolNames(c.Tools()); len(got) != len(names) {
		t.Errorf("tools %v", got)
	}
	if _, err := c.Session.CallTool(t.Context(), &mcp.CallToolParams{Name: "error"}); err == nil {
		t.Error("it is called")
	}
}

// TestP27Error: from a source that cannot tell all that it has, the tool is left
// out.
func TestP27Error(t *testing.T) {
	reg := shop()
	reg.Namespace("", "").Add(registry.Func("error", "Err.", func(context.Context, none) (string, error) { return "", nil }))
	src := &changing{}
	src.set(reg)
	log := new(lines)
	c := connect(t, disclosure.NewServer(src, &disclosure.Options{Serve: serve.Options{Logger: log.logger()}}), nil)
	if got := toolNames(c.Tools()); len(got) != len(names) {
		t.Errorf("tools %v", got)
	}
	c.Tools()
	if m := c.fetch("tools=error"); m["error"].Error != "Tool 'error' not found" {
		t.Errorf("%+v", m)
	}
	if _, err := c.Session.CallTool(context.Background(), &mcp.CallToolParams{Name: "error"}); err == nil {
		t.Error("it is called")
	}
	if n := log.count("left out"); n != 1 {
		t.Errorf("%d lines in the log", n)
	}
}

func TestFallBack(t *testing.T) {
	web := httptest.NewServer(disclosure.NewServer(shop(), nil).Handler())
	t.Cleanup(web.Close)
	c := &client{Client: cashtest.ConnectHTTP(t, web.URL), t: t} // asks for the newest
	if got := c.Session.InitializeResult().ProtocolVersion; got != "2025-11-25" {
		t.Errorf("version %s", got)
	}
	c.fetch("tools=ping")
	c.call("ping", "{}").OK()
}

func TestRefusedCaller(t *testing.T) {
	opts := &disclosure.Options{Serve: serve.Options{Identify: func(context.Context, *serve.Incoming) (*registry.Caller, error) {
		return nil, errors.New("nobody")
	}}}
	c := connect(t, disclosure.NewServer(shop(), opts), nil)
	if f := failureIn(t, c.read(uri+"?tools=ping")); f.Code != "DENIED" {
		t.Errorf("%+v", f)
	}
	wantCode(t, c.call("ping", "{}"), "DENIED")
}

func TestArguments(t *testing.T) {
	for _, tolerant := range []bool{false, true} {
		overAll(t, &disclosure.Options{Serve: serve.Options{Repair: tolerant}}, func(t *testing.T, c *client) {
			c.fetch("tools=ping,orders-create")
			grant := ""
			if g := c.grants["orders-create"]; g != "" {
				grant = fmt.Sprintf(`,"_grant":%q`, g)
			}
			text, err := json.Marshal(`{"customer_id":"C","quantity":"3"` + grant + `}`)
			if err != nil {
				t.Fatal(err)
			}
			r := c.Tool("orders-create", json.RawMessage(text))
			if tolerant && r.OK().Text != `{"id":"C","total":3}` {
				t.Errorf("%s", r.Text)
			}
			if !tolerant && !r.IsError {
				t.Errorf("taken as it is: %s", r.Text)
			}
			c.call("ping", `{}`).OK()
		})
	}
}
