package upstream_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// The scenario is a company with an aggregator behind an aggregator:
//
//	outer ── team ─► inner ─┬─ flat   a CaSH server by another hand: markdown help, no checks
//	                        ├─ shop   a nested CaSH server of ours
//	                        ├─ git    an MCP server with createIssue and create_issue
//	                        └─ web    an MCP server over HTTP that fails on command
//
// Each is called through one level (inner) and through two (outer), and each wire is recorded.

// A recorder records the tool calls that one server receives.
type recorder struct {
	name   string
	server cashtest.Runner

	mu   sync.Mutex
	seen []string
}

// Run serves a connection and records it.
func (w *recorder) Run(ctx context.Context, t mcp.Transport) error {
	return w.server.Run(ctx, &mcp.LoggingTransport{Transport: t, Writer: w})
}

// Write takes one line of the log.
func (w *recorder) Write(line []byte) (int, error) {
	if text, ok := strings.CutPrefix(string(line), "read: "); ok {
		w.record([]byte(text))
	}
	return len(line), nil
}

// record takes one message to the server.
func (w *recorder) record(message []byte) {
	var m struct {
		Method string
		Params struct {
			Name      string
			Arguments struct{ Namespace, Function string }
		}
	}
	if json.Unmarshal(message, &m) != nil || m.Method != "tools/call" {
		return
	}
	name := m.Params.Name
	switch a := m.Params.Arguments; name {
	case "help", "skill":
		return // reading is no call
	case "call":
		name = strings.TrimPrefix(a.Namespace+"."+a.Function, ".")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, name)
}

// calls returns what the wire has seen since the last time.
func (w *recorder) calls() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := w.seen
	w.seen = nil
	return seen
}

// answering makes a server of the SDK alone. Each tool answers with its own name.
func answering(t testing.TB, tools ...*mcp.Tool) *mcp.Server {
	t.Helper()
	srv := mcp.NewServer(&mcp.Implementation{Name: "plain", Version: "1.0.0"}, nil)
	for _, tool := range tools {
		srv.AddTool(tool, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "this is " + tool.Name}}}, nil
		})
	}
	return srv
}

func titled(name string) *mcp.Tool {
	return &mcp.Tool{
		Name: name, Description: "Create an issue as " + name + ".", Meta: mcp.Meta{"version": "1.4.0"},
		InputSchema: json.RawMessage(`{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}`),
	}
}

// The pages of the flat server, as a person wrote them from the RFC.
const (
	flatIndex = "# Available Functions\n\n- **convert** — Convert an amount. See also flat_stats.\n- **stats** — Statistics of what was converted.\n"

	flatConvert = "# convert\n\nConvert an amount of money.\n\n## Parameters\n\n| Name | Type | Required | Description |\n|---|---|---|---|\n" +
		"| amount | number | yes | The amount. |\n| currency | string | yes | One of: EUR, USD. |\n| note | string | no | A note. |\n"

	flatStats = "# stats\n\nStatistics.\n\nNo parameters.\n"
)

// flatServer is a CaSH server made with the SDK alone. It runs whatever it is sent.
func flatServer() *mcp.Server {
	srv := mcp.NewServer(&mcp.Implementation{Name: "flat", Version: "0.1.0"}, nil)
	input := json.RawMessage(`{"type":"object","properties":{"namespace":{"type":"string"},"function":{"type":"string"},"skillname":{"type":"string"},"kwargs":{"type":"object"}}}`)
	text := func(s string) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}, nil
	}
	type named struct{ Namespace, Function string }
	answer := func(name, description string, f func(named) (*mcp.CallToolResult, error)) {
		srv.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: input}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var a named
			if err := json.Unmarshal(req.Params.Arguments, &a); err != nil {
				return nil, err
			}
			return f(a)
		})
	}
	answer("call", "Call a function.", func(a named) (*mcp.CallToolResult, error) { return text("flat ran " + a.Function) })
	answer("help", "Look up functions.", func(a named) (*mcp.CallToolResult, error) {
		switch a.Function {
		case "":
			return text(flatIndex)
		case "convert":
			return text(flatConvert)
		case "stats":
			return text(flatStats)
		}
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "No such function."}}}, nil
	})
	answer("skill", "Read a skill.", func(named) (*mcp.CallToolResult, error) { return text("# Available Skills\n\nNone.") })
	return srv
}

// scenario is the company.
type scenario struct {
	shop               *registry.Registry
	flatWire, shopWire *recorder
	gitWire, webWire   *recorder
	fail               atomic.Int32 // status of the answers of web; 0 is none, 1 a page that is no JSON-RPC
	levels             []level
	created            atomic.Int32
}

// A level is an aggregator with two faces, seen from its clients.
type level struct {
	name, prefix  string // prefix of all paths
	faces         [2]cashtest.Runner
	cash, gateway *cashtest.Client
}

const bigTree = 3000

func newScenario(t *testing.T) *scenario {
	s := &scenario{shop: registry.New(nil)}
	orders := s.shop.Namespace("orders", "Create orders; see `orders.retail` and inventory.check.")
	orders.Add(registry.Func("create", "Create an order. Check inventory.check first.", func(context.Context, placeOrder) (string, error) {
		s.created.Add(1)
		return "created", nil
	}, registry.Destructive(true)))
	s.shop.Namespace("orders.retail", "Retail orders.").Add(registry.Func("list", "List them.", func(context.Context, struct{}) (string, error) { return "listed", nil }, registry.ReadOnly))
	s.shop.Namespace("inventory", "Stock.").Add(registry.Func("check", "Check the stock.", func(context.Context, struct{}) (string, error) { return "in stock", nil }, registry.ReadOnly))
	big := s.shop.Namespace("catalog", "A large catalog.")
	for i := range bigTree {
		big.Add(registry.Func(fmt.Sprintf("item_%04d", i), "Read an item of the catalog.", func(context.Context, struct{}) (string, error) {
			return fmt.Sprintf("item %d", i), nil
		}, registry.ReadOnly))
	}
	s.flatWire = &recorder{name: "flat", server: flatServer()}
	s.shopWire = &recorder{name: "shop", server: cash.NewServer(s.shop, &cash.Options{Name: "shop", Version: "1.0.0"})}
	s.gitWire = &recorder{name: "git", server: answering(t, titled("createIssue"), titled("create_issue"), titled("get-user"))}
	s.webWire = &recorder{name: "web"}
	web := httptest.NewServer(s.webHandler(answering(t, titled("fetch"))))
	t.Cleanup(web.Close)

	inner := s.aggregate(t, "inner", "",
		memory("flat", s.flatWire), memory("shop", s.shopWire), memory("git", s.gitWire),
		upstream.Server{Label: "web", Description: "The web.", Endpoint: upstream.HTTP{URL: web.URL}})
	s.aggregate(t, "outer", "team.", memory("team", inner))
	return s
}

type placeOrder struct {
	CustomerID string `json:"customer_id" jsonschema:"Customer."`
	Channel    string `json:"channel,omitempty" jsonschema:"Sales channel." cash:"advanced,enum=web|phone"`
}

// aggregate adds a level, and returns its CaSH face. The big tree takes long to read.
func (s *scenario) aggregate(t *testing.T, name, prefix string, servers ...upstream.Server) *cash.Server {
	for i := range servers {
		servers[i].ConnectTimeout = 6 * patience
	}
	face, _, reg := aggregateWithin(t, 6*patience, nil, servers...)
	s.levels = append(s.levels, level{name: name, prefix: prefix, faces: [2]cashtest.Runner{face, gateway.NewServer(reg, nil)}})
	return face
}

// webHandler fails on command, and records.
func (s *scenario) webHandler(srv *mcp.Server) http.Handler {
	next := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, &mcp.StreamableHTTPOptions{Stateless: true})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		s.webWire.record(body)
		if status := int(s.fail.Load()); strings.Contains(string(body), `"tools/call"`) && status != 0 {
			if status == http.StatusOK {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, `{"ok":true}`)
				return
			}
			w.WriteHeader(status)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		next.ServeHTTP(w, r)
	})
}

// path returns the path to browse of one at the inner level.
func (l level) path(inner string) string { return "/" + strings.ReplaceAll(l.prefix, ".", "/") + inner }

var cardLine = regexp.MustCompile(`(?m)^\[\d+/\d+\] (\S+) \(tool\)`)

// id returns the id of a tool by its card.
func (l level) id(t *testing.T, path, name string) string {
	t.Helper()
	r := l.gateway.Tool("tool_browse", args{"path": path, "top_k": 100}).OK()
	for _, m := range cardLine.FindAllStringSubmatch(r.Text, -1) {
		if id, err := toolid.Parse(m[1]); err == nil && (id.Name == name || strings.HasSuffix(id.Name, "."+name)) {
			return m[1]
		}
	}
	t.Fatalf("%s: no card of %s at %s: %.2000s", l.name, name, path, r.Text)
	return ""
}

// A gatewayError is an error of the gateway.
type gatewayError struct {
	Error, Message string
	Retryable      bool
	Details        map[string]any
}

func (l level) execute(t *testing.T, id string, more args) (*cashtest.Reply, gatewayError) {
	t.Helper()
	a := args{"tool_id": id}
	for k, v := range more {
		a[k] = v
	}
	r := l.gateway.Tool("tool_execute", a)
	var e gatewayError
	if r.IsError {
		if err := json.Unmarshal([]byte(r.Text), &e); err != nil {
			t.Fatalf("%v: %s", err, r.Text)
		}
	}
	return r, e
}

func saw(t *testing.T, w *recorder, want ...string) {
	t.Helper()
	if got := w.calls(); !slices.Equal(got, want) {
		t.Errorf("the wire of %s saw %q, want %q", w.name, got, want)
	}
}

func TestScenario(t *testing.T) {
	s := newScenario(t)
	for _, l := range s.levels {
		t.Run(l.name, func(t *testing.T) {
			l.cash, l.gateway = cashtest.Dial(t, inMemory(t, l.faces[0])), cashtest.Dial(t, inMemory(t, l.faces[1]))
			s.validation(t, l)
			s.ids(t, l)
			s.exact(t, l)
			s.classes(t, l)
			s.pages(t, l)
			s.texts(t, l)
			s.changes(t, l)
		})
	}
}

// validation holds the arguments to what is known, before any wire (gateway surface, section 4.4).
func (s *scenario) validation(t *testing.T, l level) {
	s.shopWire.calls()
	create := l.id(t, l.path("shop/orders"), "create")
	for _, bad := range []args{{}, {"customer_id": 7}, {"customer_id": "c", "channel": "fax"}} {
		if _, e := l.execute(t, create, args{"args": bad}); e.Error != "ARGS_INVALID" {
			t.Errorf("create %v: %+v", bad, e)
		}
		if r := l.cash.Call(l.prefix+"shop.orders", "create", bad); !r.IsError {
			t.Errorf("call create %v: %s", bad, r.Text)
		}
	}
	convert := l.id(t, "/"+strings.ReplaceAll(l.prefix, ".", "/")+"flat", "convert")
	for _, bad := range []args{{}, {"amount": "much", "currency": "EUR"}, {"amount": 1, "currency": "DM"}} {
		if _, e := l.execute(t, convert, args{"args": bad}); e.Error != "ARGS_INVALID" {
			t.Errorf("convert %v: %+v", bad, e)
		}
		if r := l.cash.Call(l.prefix+"flat", "convert", bad); !r.IsError {
			t.Errorf("call convert %v: %s", bad, r.Text)
		}
	}
	saw(t, s.shopWire)
	saw(t, s.flatWire)
	r, _ := l.execute(t, create, args{"args": args{"customer_id": "c"}, "dry_run": true})
	if !strings.Contains(r.OK().Text, `"schema_validation","status":"pass"`) {
		t.Errorf("dry run of create: %s", r.Text)
	}
	r, _ = l.execute(t, convert, args{"args": args{"amount": 1, "currency": "EUR"}, "dry_run": true})
	if !strings.Contains(r.OK().Text, `"schema_validation","status":"partial"`) {
		t.Errorf("dry run of convert: %s", r.Text)
	}
	saw(t, s.flatWire)
	if n := s.created.Load(); n != 0 {
		t.Errorf("create ran %d times", n)
	}
	s.shopWire.calls() // dry runs are passed on
	l.cash.Call(l.prefix+"shop.orders", "create", args{"customer_id": "c", "channel": "web"}).OK()
	l.cash.Call(l.prefix+"flat", "convert", args{"amount": 1, "currency": "EUR", "more": true}).OK()
	saw(t, s.shopWire, "orders.create")
	saw(t, s.flatWire, "convert")
	if n := s.created.Swap(0); n != 1 {
		t.Errorf("create ran %d times", n)
	}
}

// ids holds that a tool has one id at all levels (gateway surface, sections 1.2 to 1.4).
func (s *scenario) ids(t *testing.T, l level) {
	path := l.path("git")
	for _, name := range []string{"createIssue", "create_issue", "get-user"} {
		want := "git:" + name + "@1.4.0"
		if r := l.gateway.Tool("tool_browse", args{"path": path}).OK(); !strings.Contains(r.Text, " "+want+" ") {
			t.Errorf("no id %s: %s", want, r.Text)
		}
	}
}

// exact holds that neither of two similar tools gets the other's call (gateway surface, section 2.6).
func (s *scenario) exact(t *testing.T, l level) {
	for _, name := range []string{"createIssue", "create_issue"} {
		if r := l.cash.Call(l.prefix+"git", name, args{"title": "t"}); !strings.Contains(r.Text, "this is "+name) {
			t.Errorf("call %s: %s", name, r.Text)
		}
		saw(t, s.gitWire, name)
	}
	if r := l.gateway.Tool("tool_browse", args{"path": l.path("git/create_issue")}).OK(); !strings.Contains(r.Text, "as create_issue.") {
		t.Errorf("browse create_issue: %s", r.Text)
	}
}

// classes holds what is the upstream's fault apart from what may pass (gateway surface, section 3.4).
func (s *scenario) classes(t *testing.T, l level) {
	defer s.fail.Store(0)
	fetch := l.id(t, "/"+strings.ReplaceAll(l.prefix, ".", "/")+"web", "fetch")
	for _, status := range []int{400, 404, 409, 413, 422, 200} {
		s.fail.Store(int32(status))
		s.webWire.calls()
		_, e := l.execute(t, fetch, args{"args": args{"title": "t"}})
		if e.Error != "UPSTREAM_ERROR" || e.Retryable {
			t.Errorf("%d: %+v", status, e)
		}
		saw(t, s.webWire, "fetch")
		s.fail.Store(0)
		if err := eventually(func() error {
			if _, e := l.execute(t, fetch, args{"args": args{"title": "t"}}); e.Error != "" {
				return errors.New(e.Message)
			}
			return nil
		}); err != nil {
			t.Fatalf("after %d: %v", status, err)
		}
	}
	s.fail.Store(503)
	if _, e := l.execute(t, fetch, args{"args": args{"title": "t"}}); e.Error != "UPSTREAM_UNAVAILABLE" || !e.Retryable {
		t.Errorf("503: %+v", e)
	}
}

// pages holds that a page of help has a budget, and that nothing is lost (RFC 4.2).
func (s *scenario) pages(t *testing.T, l level) {
	r := l.cash.Help(l.prefix+"shop.catalog", "").OK()
	if n := r.Chars(); n > 10_000 || !strings.Contains(r.Text, "3,000") && !strings.Contains(r.Text, "3000") {
		t.Errorf("the page has %d characters and ends %q", n, r.Text[max(0, len(r.Text)-300):])
	}
	names := make(map[string]bool)
	for offset := 0; offset < bigTree; {
		r := l.cash.Tool("help", args{"namespace": l.prefix + "shop.catalog", "kwargs": args{"offset": offset, "limit": 700, "format": "json"}}).OK()
		var page struct{ Functions []struct{ Name string } }
		r.Decode(&page)
		if len(page.Functions) == 0 {
			break
		}
		for _, f := range page.Functions {
			names[f.Name] = true
		}
		offset += len(page.Functions)
	}
	if len(names) != bigTree {
		t.Errorf("the pages have %d functions", len(names))
	}
	for _, i := range []int{0, 1777, bigTree - 1} {
		if r := l.cash.Call(l.prefix+"shop.catalog", fmt.Sprintf("item_%04d", i), nil).OK(); r.Text != fmt.Sprintf("item %d", i) {
			t.Errorf("item %d is %q", i, r.Text)
		}
	}
	s.shopWire.calls()
}

// texts holds that paths in texts are those of the caller's tree (R137).
func (s *scenario) texts(t *testing.T, l level) {
	r := l.cash.Help(l.prefix+"shop", "").OK()
	for _, want := range []string{"`" + l.prefix + "shop.orders.retail`", " " + l.prefix + "shop.inventory.check"} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("the page has no %q: %s", want, r.Text)
		}
	}
	for _, r := range []*cashtest.Reply{
		l.cash.Call(l.prefix+"shop.orders", "create", nil),
		l.cash.Call(l.prefix+"shop.orders", "creat", nil),
		l.cash.Call(l.prefix+"shop.nowhere", "create", nil),
	} {
		if !r.IsError || !strings.Contains(r.Text, l.prefix+"shop.") || strings.Contains(r.Text, "`orders") {
			t.Errorf("the error is %s", r.Text)
		}
	}
}

// changes holds that what a server gains, renames and loses is usable, or gone, without a restart (RFC 5.4).
// How soon is held by TestChangesThroughLevels.
func (s *scenario) changes(t *testing.T, l level) {
	path := l.prefix + "shop.news"
	say := func(name, text string) *registry.Function {
		return registry.Func(name, "Say "+text+".", func(context.Context, struct{}) (string, error) { return text, nil }, registry.ReadOnly)
	}
	plant := func(f ...*registry.Function) {
		t.Helper()
		next := registry.New(nil)
		next.Namespace("", "").Add(f...)
		if err := s.shop.Replace("news", next); err != nil {
			t.Fatal(err)
		}
	}
	within := func(what string, check func() error) {
		t.Helper()
		began := time.Now()
		err := eventually(check)
		if took := time.Since(began); err != nil {
			t.Errorf("%s: %v", what, err)
		} else {
			t.Logf("%s after %v", what, took.Round(time.Millisecond))
		}
	}
	says := func(name, want string) func() error {
		return func() error {
			if r := l.cash.Call(path, name, nil); r.IsError || r.Text != want {
				return errors.New(r.Text)
			}
			return nil
		}
	}
	gone := func(name string) func() error {
		return func() error {
			if r := l.cash.Call(path, name, nil); !r.IsError {
				return errors.New(r.Text)
			}
			return nil
		}
	}
	plant(say("first", "one"))
	within("a new function", says("first", "one"))
	plant(say("second", "two"))
	within("a renamed function", says("second", "two"))
	within("its old name", gone("first"))
	plant()
	within("a removed function", gone("second"))
}

// eventually tries for a while.
func eventually(check func() error) (err error) {
	for end := time.Now().Add(6 * patience); ; time.Sleep(20 * time.Millisecond) {
		if err = check(); err == nil || time.Now().After(end) {
			return err
		}
	}
}
