package facade_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestY5Stateless holds that no session is needed.
func TestY5Stateless(t *testing.T) {
	srv := facade.NewServer(newShop(), &facade.Options{Serve: serve.Options{HTTP: serve.NoSessions}})
	web := httptest.NewServer(srv.Handler())
	defer web.Close()
	c := cashtest.ConnectHTTP(t, web.URL)
	okOf(t, c, "OrdersExecute", object{"cmd": "list"})
}

// TestY6Gate holds that a gate measures what the detail has left.
func TestY6Gate(t *testing.T) {
	c := inMemory(t, facade.NewServer(newShop(), &facade.Options{Serve: serve.Options{Middleware: []registry.Middleware{control.SizeLimit(100)}}}), nil)
	okOf(t, c, "OrdersExecute", object{"cmd": "list", "detail": "minimal"})
	if e := failedOf(t, c, "OrdersExecute", object{"cmd": "list"}); !containsAll(e.Error, "2 orders", "limit", "detail=minimal") {
		t.Errorf("%s", e.text)
	}
	create := object{"cmd": "create", "params": object{"customer_id": strings.Repeat("x", 200), "items": []object{{"product_id": "P", "quantity": 1}}}}
	okOf(t, c, "OrdersExecute", create)
}

// TestY7NoSkills holds that skills and what they say are no commands.
func TestY7NoSkills(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("n", "").AddSkill(registry.NewSkill("deploy", "How to deploy.", "Run `rm -rf`."))
	if c := inMemory(t, facade.NewServer(reg, nil), nil); len(c.Tools()) != 0 {
		t.Errorf("tools %s", namesOf(c.Tools()))
	}
	if r := facade.NewServer(reg, nil).Execute(t.Context(), "n", &facade.Request{Cmd: "deploy"}); r.OK || r.Error != "Unknown domain: n." {
		t.Errorf("response %+v", r)
	}
}

// TestCancel holds that a command that its client gives up ends, and that the
// server serves on.
func TestCancel(t *testing.T) {
	for _, l := range links[:3] { // a stateless request ends with its connection
		t.Run(l.String(), func(t *testing.T) {
			started, ended := make(chan struct{}), make(chan struct{})
			reg := registry.New(nil)
			reg.Namespace("n", "").Add(
				registry.Func("wait", "", func(ctx context.Context, _ struct{}) (string, error) {
					close(started)
					<-ctx.Done()
					close(ended)
					return "", ctx.Err()
				}),
				registry.Func("ping", "", func(context.Context, struct{}) (string, error) { return "pong", nil }))
			c := l.Connect(t, facade.NewServer(reg, nil), nil, nil)
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-started; cancel() }()
			if res, err := c.Session.CallTool(ctx, &mcp.CallToolParams{Name: "NExecute", Arguments: object{"cmd": "wait"}}); err == nil {
				t.Errorf("the call was answered: %s", toJSON(res))
			}
			<-ended
			okOf(t, c, "NExecute", object{"cmd": "ping"})
		})
	}
}

// TestAddTo holds that the domains stand beside an embedder's own tools.
func TestAddTo(t *testing.T) {
	own := mcp.NewServer(&mcp.Implementation{Name: "own", Version: "1"}, nil)
	mcp.AddTool(own, &mcp.Tool{Name: "RunExecute"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{text("mine")}}, nil, nil
	})
	srv := facade.NewServer(newShop(), nil)
	srv.AddTo(own)
	c := cashtest.Connect(t, own)
	if got := namesOf(c.Tools()); got != "RunExecute McpExecute OrdersExecute StockExecute" {
		t.Errorf("tools %s", got)
	}
	if r := c.Tool("RunExecute", object{}); r.Text != "mine" {
		t.Errorf("own tool %s", r.Text)
	}
	okOf(t, c, "StockExecute", object{"cmd": "count"})
	if err := srv.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e := failedOf(t, c, "StockExecute", object{"cmd": "count"}); !strings.Contains(e.Error, "shutting down") || string(e.Cmd) != `"count"` {
		t.Errorf("%s", e.text)
	}
}

// TestIdentity holds that who is refused reads an envelope.
func TestIdentity(t *testing.T) {
	srv := facade.NewServer(newShop(), &facade.Options{Serve: serve.Options{Identify: func(context.Context, *serve.Incoming) (*registry.Caller, error) {
		return nil, fmt.Errorf("nobody is let in")
	}}})
	c := inMemory(t, srv, named("max", "boss"))
	if e := failedOf(t, c, "StockExecute", object{"cmd": "count"}); !strings.Contains(e.Error, "nobody is let in") {
		t.Errorf("%s", e.text)
	}
}

// hostile is a source of which one namespace cannot be listed, and whose lists
// have names that are none.
type hostile struct{ registry.Source }

func (h hostile) List(ctx context.Context, path string) (*registry.Listing, error) {
	if strings.EqualFold(path, "stock") {
		panic("broken")
	}
	l, err := h.Source.List(ctx, path)
	if err != nil || path != "" {
		return l, err
	}
	worse := *l
	worse.Namespaces = append(worse.Namespaces, registry.Child{Name: "\x1b[31m", Path: "\x1b[31m", HasFunctions: true}, registry.Child{Name: "or_ders", Path: "or_ders", HasFunctions: true})
	return &worse, nil
}

// TestHostileSource holds that what is broken takes no other domain with it.
func TestHostileSource(t *testing.T) {
	c := inMemory(t, facade.NewServer(hostile{newShop()}, nil), nil)
	if got := namesOf(c.Tools()); got != "McpExecute OrDersExecute OrdersExecute StockExecute" {
		t.Errorf("tools %s", got)
	}
	okOf(t, c, "OrdersExecute", object{"cmd": "list"})
	if e := failedOf(t, c, "StockExecute", object{"cmd": "no"}); !strings.Contains(e.Error, "could not look that up") || strings.Contains(e.text, "broken") {
		t.Errorf("%s", e.text)
	}
}

// TestRace changes a registry while it is listed and called.
func TestRace(t *testing.T) {
	reg := registry.New(nil)
	says := func(context.Context, struct{}) (string, error) { return "x", nil }
	reg.Namespace("n", "").Add(registry.Func("f", "", says))
	srv := facade.NewServer(reg, &facade.Options{Tools: true})
	c := inMemory(t, srv, nil)
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for j := range 25 {
				reg.Namespace(fmt.Sprintf("n%d_%d", i, j), "").Add(registry.Func("f", "", says))
				c.Tools()
				okOf(t, c, "NExecute", object{"cmd": "f"})
				okOf(t, c, facade.ToolName(fmt.Sprintf("n%d_%d", i, j)), object{"cmd": "F"})
				srv.Execute(context.Background(), "tools", &facade.Request{Cmd: "list"})
				helped(t, c, "NExecute", "help", "", object{"query": "f"})
			}
		})
	}
	all.Wait()
	if got := len(c.Tools()); got != 102 {
		t.Errorf("%d tools", got)
	}
}

// FuzzRequest holds that no request makes the reader panic, that what it takes it
// would take again, and that an echo is what was sent.
func FuzzRequest(f *testing.F) {
	for _, s := range []string{`{}`, `{"cmd":"a","params":{"b":1}}`, `{"cmd":"a","params":"{}","detail":"full"}`, `{"cmd":"\ud83d\ude00"}`, `{"cmd":1e9}`, `{"cmd":"a","cmd":"b"}`, `null`, `{"cmd":"\ud800"}`, `{"cmd":"a","x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		cmd, echo, params, problem := facade.ReadRequest(data)
		if len(echo) > 0 && strictjson.Check(echo) != nil {
			t.Fatalf("echo %q", echo)
		}
		if problem != "" {
			return
		}
		if cmd == "" || strictjson.Check(data) != nil && strictjson.CheckDepth(data, strictjson.MaxDepth+1) != nil {
			t.Fatalf("%q was taken", data)
		}
		if len(params) > 0 && strictjson.KindOf(params) != strictjson.Object {
			t.Fatalf("params %q", params)
		}
		if len(cmd) <= 1024 {
			var back string
			if err := json.Unmarshal(echo, &back); err != nil || back != cmd {
				t.Fatalf("%q is echoed as %q", cmd, echo)
			}
		}
	})
}

// FuzzCommand holds that whatever is sent is answered with an envelope.
func FuzzCommand(f *testing.F) {
	for _, s := range []string{"list", " LIST", "retail.refund", "a.b.c", "-2", "\x1b[31m", "ſtock", strings.Repeat("x", 2000)} {
		f.Add("orders", s, `{"order_id":"x"}`)
		f.Add("tools", "execute", `{"name":`+toJSON(s)+`}`)
		f.Add("orders", "help", `{"command":`+toJSON(s)+`}`)
		f.Add("mcp", "HELP", `{"query":`+toJSON(s)+`,"offset":1}`)
	}
	srv := everything()
	f.Fuzz(func(t *testing.T, domain, cmd, params string) {
		r := srv.Execute(context.Background(), domain, &facade.Request{Cmd: cmd, Params: json.RawMessage(params)})
		if _, err := readEnvelope(toJSON(r)); err != nil {
			t.Fatalf("%v: %+v", err, r)
		}
		if strings.ContainsAny(r.Error, "\x1b\x00\u202e") {
			t.Fatalf("error %q", r.Error)
		}
	})
}

// TestF7RuleThatHangs holds that a visibility rule that does not end holds nobody
// up for ever.
func TestF7RuleThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		f := registry.Func("f", "", func(context.Context, struct{}) (string, error) { return "x", nil }, registry.VisibleTo(func(context.Context, *registry.Caller) bool { <-release; return true }))
		reg := registry.New(nil)
		reg.Namespace("n", "").Add(f)
		r := facade.NewServer(reg, nil).Execute(t.Context(), "n", &facade.Request{Cmd: "f"})
		if r.OK || !errors.Is(r.Err, registry.TimedOut) || string(r.Cmd) != `"f"` {
			t.Errorf("response %+v", r)
		}
	})
}
