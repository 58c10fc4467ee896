package upstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/registry"
)

// A wire counts what reaches a server: calls of its tool call, and dry runs.
type wire struct {
	calls, dryRuns atomic.Int64
	mu             sync.Mutex
	pages          map[string]int // of functions, by name
}

// tap returns the server of a face with a wire before it.
func (w *wire) tap(face interface{ AddTo(*mcp.Server) }) *mcp.Server {
	srv := mcp.NewServer(&mcp.Implementation{Name: "tapped"}, nil)
	face.AddTo(srv)
	return w.on(srv)
}

func (w *wire) on(srv *mcp.Server) *mcp.Server {
	srv.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if call, ok := req.(*mcp.CallToolRequest); ok {
				var a args
				_ = json.Unmarshal(call.Params.Arguments, &a)
				switch {
				case call.Params.Name == "call":
					w.calls.Add(1)
				case call.Params.Meta[registry.MetaDryRun] == true:
					w.dryRuns.Add(1)
				case call.Params.Name == "help" && a["function"] != nil:
					w.mu.Lock()
					if w.pages == nil {
						w.pages = make(map[string]int)
					}
					w.pages[str(a["function"])]++
					w.mu.Unlock()
				}
			}
			return next(ctx, method, req)
		}
	})
	return srv
}

type line struct {
	ProductID string `json:"product_id" jsonschema:"What is ordered."`
	Quantity  int    `json:"quantity" cash:"min=1"`
}

type createOrder struct {
	CustomerID string `json:"customer_id" jsonschema:"Who orders; see call(namespace=orders, function=get)."`
	Items      []line `json:"items" cash:"minItems=1"`
	Priority   string `json:"priority,omitempty" cash:"enum=low|help(namespace=\"orders\"),default=low"`
	Channel    string `json:"channel,omitempty" cash:"advanced,pattern='^[A-Z]{2,4}$'"`
}

// newStockist is a CaSH server of ours with one function that takes much.
func newStockist(o *cash.Options, ran *atomic.Int64) *cash.Server {
	reg := newShop()
	reg.Namespace("orders", "").Add(registry.Func("create", "Create an order.", func(_ context.Context, in createOrder) (string, error) {
		ran.Add(1)
		return fmt.Sprintf("%s %d %s", in.CustomerID, len(in.Items), in.Channel), nil
	}))
	return cash.NewServer(reg, o)
}

const (
	goodOrder  = `{"customer_id":"C","items":[{"product_id":"P","quantity":2}],"channel":"WEB"}`
	flatOrders = "# orders\n\n## Functions\n\n- **create** — Create an order.\n"
	flatCreate = "# orders.create\n\nCreate an order.\n\n## Parameters\n\n| Name | Type | Required | Description |\n|--|--|--|--|\n" +
		"| customer_id | string | yes | Who orders. |\n" +
		"| items | array of {product_id, quantity} | yes | What. |\n| items[].product_id | string | yes | Which. |\n| items[].quantity | integer | yes | How many. |\n" +
		"| priority | string | no | Handling priority. One of: low, high. Default: low. |\n| limit | int | no | Most (default: 20). |\n"
)

// newFlat is a CaSH server by other hands: markdown help, and no checks of its own.
func newFlat() *speaker {
	s := newSpeaker()
	s.pages["help orders/"], s.pages["help orders/create"] = flatOrders, flatCreate
	return s
}

// mountedFaces call the function of a registry on each face.
func mountedFaces(t *testing.T, reg *registry.Registry, namespace, function string) map[string]func(kwargs string) (text string, isError bool) {
	t.Helper()
	f, err := reg.Function(t.Context(), namespace, function)
	if err != nil {
		t.Fatal(err)
	}
	tool := func(session *mcp.ClientSession, name string, arguments func(kwargs string) string) func(string) (string, bool) {
		return func(kwargs string) (string, bool) {
			t.Helper()
			r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments(kwargs))})
			if err != nil {
				t.Fatal(err)
			}
			return (&registry.Result{Content: r.Content}).Text(), r.IsError
		}
	}
	same := func(kwargs string) string { return kwargs }
	byID := func(kwargs string) string { return fmt.Sprintf(`{"tool_id":%q,"args":%s}`, f.ID(), kwargs) }
	top, rest, _ := strings.Cut(namespace, ".")
	described := connect(t, inMemoryTap(t, disclosure.NewServer(reg, nil)))
	if _, err := described.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: disclosure.DefaultURI + "?tools=" + f.FlatName()}); err != nil {
		t.Fatal(err)
	}
	command := endpoint.New(reg, nil)
	return map[string]func(string) (string, bool){
		"cash": tool(connect(t, inMemoryTap(t, cash.NewServer(reg, nil))), "call", func(kwargs string) string {
			return fmt.Sprintf(`{"namespace":%q,"function":%q,"kwargs":%s}`, namespace, function, kwargs)
		}),
		"gateway":    tool(connect(t, inMemoryTap(t, gateway.NewServer(reg, nil))), "tool_execute", byID),
		"proxy":      tool(connect(t, inMemoryTap(t, gateway.NewServer(reg, &gateway.Options{Mode: gateway.Proxy}))), "tool_execute", byID),
		"plain":      tool(connect(t, inMemoryTap(t, plain.NewServer(reg, nil))), f.FlatName(), same),
		"disclosure": tool(described, f.FlatName(), same),
		"facade": tool(connect(t, inMemoryTap(t, facade.NewServer(reg, nil))), strings.ToUpper(top[:1])+top[1:]+"Execute", func(kwargs string) string {
			return fmt.Sprintf(`{"cmd":"%s.%s","params":%s}`, rest, function, kwargs)
		}),
		"endpoint": func(kwargs string) (string, bool) {
			document, exit := command.Answer(t.Context(), []byte(fmt.Sprintf(`{"action":"call_tool","tool":"%s.%s","arguments":%s}`, namespace, function, kwargs)))
			return string(document), exit != 0
		},
	}
}

// Arguments are held to what a mounted CaSH server tells of them, on every face and
// through levels, before anything crosses a wire (gateway surface, 4.4).
func TestW29MountedServersOnEveryFace(t *testing.T) {
	var ran atomic.Int64
	for name, tt := range map[string]struct {
		server func(w *wire) *mcp.Server
		bad    []string
		good   []string
	}{
		"ours": {
			func(w *wire) *mcp.Server { return w.tap(newStockist(nil, &ran)) },
			[]string{
				`{}`, `{"customer_id":"C","items":[]}`, `{"customer_id":7,"items":[{"product_id":"P","quantity":2}]}`,
				`{"customer_id":"C","items":[{"product_id":"P","quantity":0}]}`, `{"customer_id":"C","items":[{"quantity":2}]}`,
				`{"customer_id":"C","items":[{"product_id":"P","quantity":2}],"channel":"web"}`,
				`{"customer_id":"C","items":[{"product_id":"P","quantity":2}],"priority":"help(namespace=\"shop.orders\")"}`,
				`{"customer_id":"C","items":[{"product_id":"P","quantity":2}],"more":1}`,
			},
			[]string{goodOrder, `{"customer_id":"C","items":[{"product_id":"P","quantity":2}],"priority":"help(namespace=\"orders\")"}`},
		},
		"by other hands": {
			func(w *wire) *mcp.Server { return w.on(newFlat().server()) },
			[]string{
				`{}`, `{"customer_id":7,"items":[]}`, `{"customer_id":"C","items":{}}`, `{"customer_id":"C","items":[{"product_id":"P"}]}`,
				`{"customer_id":"C","items":[{"product_id":"P","quantity":1.5}]}`, `{"customer_id":"C","items":[],"priority":"middle"}`,
			},
			[]string{goodOrder, `{"customer_id":"C","items":[],"limit":"many","priority":"high"}`},
		},
	} {
		for levels := 1; levels <= 2; levels++ {
			t.Run(fmt.Sprintf("%s %d", name, levels), func(t *testing.T) {
				w := new(wire)
				_, agg, reg := aggregate(t, nil, memory("shop", tt.server(w)))
				namespace := "shop.orders"
				if levels == 2 {
					_, agg, reg = aggregate(t, nil, memory("mid", cash.NewServer(reg, nil)))
					namespace = "mid.shop.orders"
				}
				for face, call := range mountedFaces(t, reg, namespace, "create") {
					before := w.calls.Load()
					for _, kwargs := range tt.bad {
						if text, isError := call(kwargs); !isError {
							t.Errorf("%s: %s is answered with %.300s", face, kwargs, text)
						}
					}
					if n := w.calls.Load() - before; n != 0 {
						t.Errorf("%s: %d bad calls crossed the wire", face, n)
					}
					for _, kwargs := range tt.good {
						if text, isError := call(kwargs); isError {
							t.Errorf("%s: %s is refused: %s", face, kwargs, text)
						}
					}
					if n := w.calls.Load() - before; n != int64(len(tt.good)) {
						t.Errorf("%s: %d of %d calls crossed the wire", face, n, len(tt.good))
					}
				}
				if s := agg.Status()[0]; len(s.Notes) > 0 {
					t.Errorf("notes: %q", s.Notes)
				}
			})
		}
	}
}

// A schema passes through levels as it is, but for the paths in its descriptions.
func TestW29SchemasThroughLevels(t *testing.T) {
	const odd = `{"type":"object","properties":{"a":{"type":"string","description":"See help(namespace=\"orders\").","enum":["help(namespace=\"orders\")","a\u200bb","\u001b[0m"],` +
		`"default":"a\u200bb","pattern":"."},"description":{"const":"call(namespace=\"orders\", function=\"x\")"},"n":{"minimum":9007199254740993}},` +
		`"$defs":{"d":{"description":"In help(namespace=\"orders\")."}},"required":["a"],"additionalProperties":false}`
	inner := registry.New(nil)
	f, err := registry.RawFunc("odd", "Odd.", json.RawMessage(odd), func(_ context.Context, a json.RawMessage) (*registry.Result, error) {
		return registry.TextResult(string(a)), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	deep := strings.Repeat(`{"type":"object","properties":{"a":`, 31) + `{}` + strings.Repeat(`}}`, 31)
	d, err := registry.RawFunc("deep", "Deep.", json.RawMessage(deep), func(context.Context, json.RawMessage) (*registry.Result, error) {
		return registry.TextResult("deep"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	inner.Namespace("orders", "Orders.").Add(f, d)
	_, _, mid := aggregate(t, nil, memory("shop", cash.NewServer(inner, nil)))
	_, _, outer := aggregate(t, nil, memory("mid", cash.NewServer(mid, nil)))
	for path, reg := range map[string]*registry.Registry{"shop.orders": mid, "mid.shop.orders": outer} {
		got, err := reg.Function(t.Context(), path, "odd")
		if err != nil {
			t.Fatal(err)
		}
		var have, want any
		moved := strings.NewReplacer(`See help(namespace=\"orders\")`, `See help(namespace=\"`+path+`\")`, `In help(namespace=\"orders\")`, `In help(namespace=\"`+path+`\")`).Replace(odd)
		if json.Unmarshal(got.InputSchema(), &have) != nil || json.Unmarshal([]byte(moved), &want) != nil || asJSON(have) != asJSON(want) || !strings.Contains(string(got.InputSchema()), "9007199254740993") {
			t.Errorf("%s: got  %s\nwant %s", path, got.InputSchema(), moved)
		}
		if got.Partial() != "" || got.Open() {
			t.Errorf("%s: partial %q, open %v", path, got.Partial(), got.Open())
		}
		if got, err := reg.Function(t.Context(), path, "deep"); err != nil || string(got.InputSchema()) != deep || got.Partial() != "" {
			t.Errorf("%s: a deep schema is %v, %v", path, got, err)
		}
	}
	page, err := cash.NewServer(outer, nil).Help(t.Context(), &cash.HelpRequest{Namespace: "mid.shop.orders", Function: "odd", Kwargs: json.RawMessage(`{"format":"json"}`)})
	if err != nil || strings.Contains(page, `"schema"`) {
		t.Errorf("a page that was not asked for the schema is %s, %v", page, err)
	}
}

// report is what a dry run says.
type report struct {
	DryRun bool                 `json:"dry_run"`
	Valid  bool                 `json:"args_valid"`
	Checks []registry.PlanCheck `json:"checks"`
	Token  string               `json:"plan_token"`
}

// check returns the status and the detail of a check.
func (r report) check(server, name string) (status, detail string) {
	for _, c := range r.Checks {
		if c.Server == server && c.Name == name {
			return c.Status, c.Detail
		}
	}
	return "", ""
}

func dryRun(t *testing.T, g *gateway.Server, ctx context.Context, reg *registry.Registry, namespace, kwargs string) (r report, err error) {
	t.Helper()
	f, err := reg.Function(ctx, namespace, "create")
	if err != nil {
		t.Fatal(err)
	}
	res, err := g.Execute(ctx, &gateway.ExecuteRequest{ID: f.ID().String(), Args: json.RawMessage(kwargs), DryRun: true})
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal([]byte(res.Text()), &r); err != nil {
		t.Fatalf("%v: %s", err, res.Text())
	}
	return r, nil
}

// A dry run reports what was not checked, and the checks of the servers behind. It
// runs nothing anywhere (gateway surface, 4.5).
func TestW30DryRunsThroughLevels(t *testing.T) {
	ctx := registry.WithCaller(t.Context(), &registry.Caller{ID: "ada"})
	var ran atomic.Int64
	ours, flatWire, theirs := new(wire), new(wire), newFlat()
	policy := control.NewPolicy(&control.PolicyOptions{Rules: []control.Rule{{Tools: []string{"**"}, Decision: control.Allow}}})
	shop := newStockist(&cash.Options{Serve: serve.Options{Controls: &control.Controls{
		Policy: policy, Quota: control.NewQuota(&control.QuotaOptions{Meta: map[string]control.Limit{"call": {PerSession: 1}}}),
	}}}, &ran)
	_, _, mid := aggregate(t, nil, memory("shop", ours.tap(shop)), memory("flat", flatWire.on(theirs.server())))
	_, _, outer := aggregate(t, nil, memory("mid", cash.NewServer(mid, nil)))
	for prefix, reg := range map[string]*registry.Registry{"": mid, "mid.": outer} {
		g := gateway.NewServer(reg, nil)
		for range 3 { // a dry run uses nothing up
			r, err := dryRun(t, g, ctx, reg, prefix+"shop.orders", goodOrder)
			if status, _ := r.check("", "schema_validation"); err != nil || !r.Valid || status != "pass" {
				t.Errorf("%sshop: %+v, %v", prefix, r, err)
			}
			for _, name := range []string{"schema_validation", "policy", "rate_limit"} {
				if status, _ := r.check(prefix+"shop", name); status != "pass" {
					t.Errorf("%sshop: the check %s inside is %q in %+v", prefix, name, status, r.Checks)
				}
			}
		}
		if _, err := dryRun(t, g, ctx, reg, prefix+"shop.orders", `{}`); err == nil || !strings.Contains(err.Error(), "customer_id") {
			t.Errorf("%sshop: bad arguments are %v", prefix, err)
		}
		r, err := dryRun(t, g, ctx, reg, prefix+"flat.orders", goodOrder)
		status, detail := r.check("", "schema_validation")
		if err != nil || !r.Valid || status != "partial" || !strings.Contains(detail, "limit") || !strings.Contains(detail, "does not list") {
			t.Errorf("%sflat: %+v, %v", prefix, r, err)
		}
		for _, c := range r.Checks {
			if strings.HasSuffix(c.Server, "flat") {
				t.Errorf("%sflat: a server that takes no dry runs has reported %v", prefix, c)
			}
		}
	}
	if n := ours.calls.Load() + flatWire.calls.Load() + flatWire.dryRuns.Load() + ran.Load(); n != 0 || ours.dryRuns.Load() == 0 {
		t.Errorf("%d calls crossed a wire, and %d dry runs", n, ours.dryRuns.Load())
	}
}

// Plan tokens of servers behind work from outside: a call gives each server its own.
func TestW30PlanTokensThroughLevels(t *testing.T) {
	ctx := registry.WithCaller(t.Context(), &registry.Caller{ID: "ada"})
	need := func() *control.Controls {
		return &control.Controls{Plans: control.NewPlans(&control.PlanOptions{Require: func(*registry.Call) bool { return true }})}
	}
	for name, tt := range map[string][3]*control.Controls{ // of the shop, the aggregator in between, and the gateway
		"inside": {need(), nil, nil}, "between": {nil, need(), nil}, "outside": {nil, nil, need()}, "all": {need(), need(), need()}, "ends": {need(), nil, need()},
	} {
		t.Run(name, func(t *testing.T) {
			var ran atomic.Int64
			shop := newStockist(&cash.Options{Serve: serve.Options{Controls: tt[0]}}, &ran)
			_, _, mid := aggregate(t, nil, memory("shop", shop))
			_, _, reg := aggregate(t, nil, memory("mid", cash.NewServer(mid, &cash.Options{Serve: serve.Options{Controls: tt[1]}})))
			g := gateway.NewServer(reg, &gateway.Options{Serve: serve.Options{Controls: tt[2]}})
			r, err := dryRun(t, g, ctx, reg, "mid.shop.orders", goodOrder)
			if err != nil || r.Token == "" || ran.Load() != 0 {
				t.Fatalf("the dry run: %+v, %v", r, err)
			}
			for i, server := range []string{"mid.shop", "mid", ""} {
				if status, _ := r.check(server, "plan_token"); (status == "required") != (tt[i] != nil) {
					t.Errorf("the check of %q is %q", server, status)
				}
			}
			f, err := reg.Function(ctx, "mid.shop.orders", "create")
			if err != nil {
				t.Fatal(err)
			}
			execute := func(token, kwargs string) (string, bool) {
				res, err := g.Execute(ctx, &gateway.ExecuteRequest{ID: f.ID().String(), Args: json.RawMessage(kwargs), PlanToken: token})
				if err != nil {
					return err.Error(), false
				}
				return res.Text(), !res.IsError
			}
			if text, ok := execute("", goodOrder); ok || ran.Load() != 0 {
				t.Errorf("without the token: %s", text)
			}
			if text, ok := execute(r.Token, strings.Replace(goodOrder, `"C"`, `"D"`, 1)); ok || ran.Load() != 0 {
				t.Errorf("with other arguments: %s", text)
			}
			if text, ok := execute(r.Token, goodOrder); !ok || ran.Load() != 1 {
				t.Errorf("with the token: %s", text)
			}
			if text, ok := execute(r.Token, goodOrder); ok || ran.Load() != 1 {
				t.Errorf("again: %s", text)
			}
		})
	}
}

// Whatever a server says to a dry run, its report is bounded and clean, and nothing runs.
func TestW30HostileReports(t *testing.T) {
	for name, tt := range map[string]struct {
		answer *mcp.CallToolResult
		want   string // a part of the report, or of the error
	}{
		"a page":     {text(flatCreate), `{"name":"dry_run","status":"partial","detail":"The server made no report: its own checks are not known.","server":"shop"}`},
		"no JSON":    {text(`{"dry_run":true,"dry_run":true}`), `"name":"dry_run","status":"partial"`},
		"not a run":  {text(`{"dry_run":false,"checks":[{"name":"policy","status":"pass"}]}`), `"name":"dry_run","status":"partial"`},
		"no content": {&mcp.CallToolResult{Content: []mcp.Content{}}, `"name":"dry_run","status":"partial"`},
		"steering":   {text(`{"dry_run":true,"checks":[7,{"name":"\u001b[31mpolicy","status":"\u202epass","detail":"See help(namespace=\"orders\").\n\u0007","server":"a.b"},{"status":"pass"}],"plan_token":"a b"}`), `{"name":"policy","status":"pass","detail":"See help(namespace=\"shop.orders\").","server":"shop.a.b"}]`},
		"much":       {text(`{"dry_run":true,"checks":[` + strings.Repeat(`{"name":"n","status":"pass","server":"/"},`, 5000) + `{"name":"last","status":"pass"}]}`), `{"name":"n","status":"pass","server":"shop"}`},
		"an error":   {with(failed("**Error:** No. Use `help(namespace=\"orders\")`."), registry.MetaCode, "DENIED"), "PERMISSION_DENIED"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newFlat()
			s.listen = func(_ context.Context, a args) *mcp.CallToolResult {
				kwargs, _ := a["kwargs"].(map[string]any)
				switch {
				case a["namespace"] == nil && a["function"] == nil:
					return with(text(rootPage), registry.MetaDryRun, true)
				case a["function"] != nil && kwargs["customer_id"] != nil:
					return tt.answer
				}
				return nil
			}
			_, _, reg := aggregate(t, nil, memory("shop", s.server()))
			f, err := reg.Function(t.Context(), "shop.orders", "create")
			if err != nil {
				t.Fatal(err)
			}
			res, err := gateway.NewServer(reg, nil).Execute(t.Context(), &gateway.ExecuteRequest{ID: f.ID().String(), Args: json.RawMessage(goodOrder), DryRun: true})
			said := asJSON(err)
			if err == nil {
				said = res.Text()
			}
			if !strings.Contains(said, tt.want) || strings.Contains(said, `"plan_token":`) || strings.Count(said, `"status"`) > 110 || len(s.calls) > 0 {
				t.Errorf("the report is %.2000s after %d calls", said, len(s.calls))
			}
		})
	}
}

// The page of a function that was not read in advance is read before its first
// call: once, whoever calls.
func TestW29PagesThatWereNotRead(t *testing.T) {
	const many = 1100
	reg := registry.New(nil)
	for i := range many {
		reg.Namespace("orders", "Orders.").Add(registry.Func(fmt.Sprintf("get%04d", i), "Retrieve.", func(_ context.Context, in getOrder) (string, error) { return in.OrderID, nil }))
	}
	w := new(wire)
	srv, agg, outer := aggregate(t, nil, memory("shop", w.tap(cash.NewServer(reg, nil))))
	unread, err := outer.Function(t.Context(), "shop.orders", "get1050")
	if err != nil || unread.Partial() == "" || w.pages["get1050"] != 0 {
		t.Fatalf("%v, %v; the page was read %d times; %v", unread, err, w.pages["get1050"], agg.Status()[0].Notes)
	}
	var callers sync.WaitGroup
	for range 16 {
		callers.Go(func() {
			_, err := srv.Call(t.Context(), &cash.CallRequest{Namespace: "shop.orders", Function: "get1050"})
			if err == nil || !strings.Contains(err.Error(), "order_id: missing") {
				t.Errorf("the call is answered with %v", err)
			}
		})
	}
	callers.Wait()
	if w.pages["get1050"] != 1 || w.calls.Load() != 0 {
		t.Errorf("%d reads of the page, %d calls crossed the wire", w.pages["get1050"], w.calls.Load())
	}
	if r, err := srv.Call(t.Context(), &cash.CallRequest{Namespace: "shop.orders", Function: "get1050", Kwargs: json.RawMessage(`{"orderId":"7"}`)}); err != nil || r.Text() != "7" {
		t.Errorf("a good call is answered with %v, %v", r, err)
	}
	g := gateway.NewServer(outer, nil)
	_, err = g.Execute(t.Context(), &gateway.ExecuteRequest{ID: unread.ID().String(), Args: json.RawMessage(`{}`)})
	if err == nil || !strings.Contains(asJSON(err), "Identifier of the order.") {
		t.Errorf("the gateway answers %v", asJSON(err))
	}
	proxy := gateway.NewServer(outer, &gateway.Options{Mode: gateway.Proxy})
	if h, err := proxy.Hydrate(t.Context(), unread.ID().String()); err != nil || !strings.Contains(string(h.InputSchema), "order_id") || h.Partial != "" || h.ID != unread.ID().String() {
		t.Errorf("hydrated: %+v, %v", h, err)
	}
}

// A page that cannot be read is told as such: nothing was checked.
func TestW29NoPage(t *testing.T) {
	s := newSpeaker()
	delete(s.pages, "help orders/create")
	_, _, reg := aggregate(t, nil, memory("shop", s.server()))
	g := gateway.NewServer(reg, nil)
	r, err := dryRun(t, g, t.Context(), reg, "shop.orders", `{"a":1}`)
	if status, detail := r.check("", "schema_validation"); err != nil || status != "partial" || !strings.HasPrefix(detail, "Nothing was checked") || len(s.calls) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A schema that a server tells is screened like that of any tool.
func TestW29HostileSchemasOfCaSHServers(t *testing.T) {
	for _, schema := range []string{
		`{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}`, `{"type":"array"}`, `{"type":"object","required":7}`,
		`{"type":"object","description":"` + strings.Repeat("x", 300<<10) + `"}`,
	} {
		s := newSpeaker()
		s.pages["help orders/create"] = `{"name":"create","namespace":"orders","parameters":[],"schema":` + schema + `}`
		_, agg, reg := aggregate(t, nil, memory("shop", s.server()))
		if notes := agg.Status()[0].Notes; len(notes) != 1 || !strings.Contains(notes[0], "orders.create is not used") {
			t.Errorf("%.60s: notes %q", schema, notes)
		}
		_, err := dryRun(t, gateway.NewServer(reg, nil), t.Context(), reg, "shop.orders", `{}`)
		if err == nil || !strings.Contains(asJSON(err), "SCHEMA_INVALID") {
			t.Errorf("%.60s: %v", schema, err)
		}
	}
}

// Pins cover the schema that a server tells beside its parameters.
func TestW37SchemasOfCaSHServers(t *testing.T) {
	s := newSpeaker()
	page := func(schema string) string {
		return `{"name":"create","namespace":"orders","description":"Create.","parameters":[{"name":"id","type":"string","required":true}],"schema":` + schema + `}`
	}
	s.pages["help orders/create"] = page(idSchema)
	o := operate(t, pin.NewMemory(), pin.FirstUse, s.server())
	o.wantQuarantined()
	s.pages["help orders/create"] = page(strings.Replace(idSchema, `"string"`, `"string","pattern":"^x"`, 1))
	o.refresh()
	o.wantQuarantined("changed orders.create")
	if q := o.quarantined()["orders.create"]; !strings.Contains(q.Difference, "pattern") {
		t.Errorf("the difference is %s", q.Difference)
	}
	// A pin file can hold whatever is pinned.
	for levels := 30; levels <= 33; levels++ {
		path := filepath.Join(t.TempDir(), "pins.json")
		s.pages["help orders/create"] = page(strings.Repeat(`{"type":"object","properties":{"a":`, levels) + `{}` + strings.Repeat(`}}`, levels))
		operate(t, openPins(t, path), pin.FirstUse, s.server()).wantQuarantined()
		operate(t, openPins(t, path), pin.Locked, s.server()).wantQuarantined()
	}
}

// What help takes besides is named at the top, with the namespace, through levels;
// and never where it would be ignored.
func TestR139FurtherArgumentsAtTheTop(t *testing.T) {
	help := func(srv *cash.Server, ctx context.Context, kwargs string) string {
		t.Helper()
		text, err := srv.Help(ctx, &cash.HelpRequest{Kwargs: json.RawMessage(kwargs)})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	s := newSpeaker()
	s.pages["help /"] = rootPage + "\nSupported arguments: `format` (json|markdown), `lang` (de|fr), `verbose` (true|false).\n"
	server := memory("flat", s.server())
	server.VisibleTo = registry.Roles("staff")
	_, _, mid := aggregate(t, nil, server, memory("ours", cash.NewServer(newShop(), nil)))
	staff := registry.WithCaller(t.Context(), &registry.Caller{ID: "ada", Roles: []string{"staff"}})
	if text := help(cash.NewServer(mid, nil), staff, `{}`); !strings.HasSuffix(text, " In `flat` also: `lang`, `verbose`.") {
		t.Errorf("the top is\n%s", text)
	}
	if text := help(cash.NewServer(mid, nil), staff, `{"format":"json"}`); !strings.Contains(text, `"further":[{"namespace":"flat","arguments":["lang","verbose"]}]`) {
		t.Errorf("the top is\n%s", text)
	}
	for _, kwargs := range []string{`{}`, `{"format":"json"}`} {
		if text := help(cash.NewServer(mid, nil), t.Context(), kwargs); strings.Contains(text, "lang") || strings.Contains(text, "flat") {
			t.Errorf("a caller who does not see the namespace reads\n%s", text)
		}
	}
	// Through two levels, with the outer path.
	_, _, open := aggregate(t, nil, memory("flat", s.server()))
	for where, namespace := range map[string]string{"": "mid.flat", "flat": "top"} {
		m := memory(strings.Split(namespace, ".")[0], cash.NewServer(open, nil))
		m.Namespace = where
		_, _, outer := aggregate(t, nil, m)
		if text := help(cash.NewServer(outer, nil), t.Context(), `{}`); !strings.HasSuffix(text, " In `"+namespace+"` also: `lang`, `verbose`.") {
			t.Errorf("the top is\n%s", text)
		}
		page, err := cash.NewServer(outer, nil).Help(t.Context(), &cash.HelpRequest{Namespace: namespace})
		if err != nil || !strings.Contains(page, "`lang`") {
			t.Errorf("the page of %s is %s, %v", namespace, page, err)
		}
	}
	// Ignored with pins, and by a tool that takes neither kwargs nor the argument.
	pinned, _, _ := aggregate(t, &upstream.Options{Pins: pin.NewMemory(), Mode: pin.FirstUse}, memory("flat", s.server()))
	narrow := newSpeaker()
	narrow.pages["help /"], narrow.schemas["help"] = s.pages["help /"], `{"namespace":{},"function":{},"lang":{}}`
	for name, srv := range map[string]*cash.Server{"pins": pinned, "no kwargs": serving(t, memory("flat", narrow.server()))} {
		page, err := srv.Help(t.Context(), &cash.HelpRequest{Namespace: "flat"})
		if text := help(srv, t.Context(), `{}`) + page; err != nil || strings.Contains(text, "lang") {
			t.Errorf("%s: help says\n%s", name, text)
		}
	}
}

// The identity that a server gives in cash://server is read, checked and watched
// (RFC 5.6).
func TestR140Identity(t *testing.T) {
	for _, hold := range []bool{false, true} {
		var doc atomic.Pointer[string]
		say := func(publisher, version string) {
			text := fmt.Sprintf(`{"cash_version":%q,"last_updated":"2026-04-24","publisher":%q,"endpoint":"https://shop.example/mcp","authentication":{"scheme":"bearer"},`+
				`"namespaces":[{"suggested":"orders","description":"Orders of the shop."}]}`, version, publisher)
			doc.Store(&text)
		}
		say("Shop", "0.1.1")
		srv := newSpeaker().server()
		srv.AddResource(&mcp.Resource{URI: "cash://server", Name: "server"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{
				Cacheable: mcp.Cacheable{TTLMs: 3_600_000}, // what a server says of its identity is not kept
				Contents:  []*mcp.ResourceContents{{URI: "cash://server", Text: *doc.Load()}},
			}, nil
		})
		server := memory("shop", srv)
		server.Description, server.HoldIdentity = "", hold
		face, agg, _ := aggregate(t, nil, server)
		if text, err := face.Help(t.Context(), nil); err != nil || !strings.Contains(text, "**shop** — Orders of the shop.") {
			t.Errorf("help() says %s, %v", text, err)
		}
		s := agg.Status()[0]
		if s.Identity == nil || s.Identity.Publisher != "Shop" || s.Identity.Authentication == nil || len(s.Notes) > 0 {
			t.Errorf("the status is %+v", s)
		}
		say("Shop", "9.9")
		err := agg.Refresh(t.Context(), "shop")
		notes := strings.Join(agg.Status()[0].Notes, "\n")
		call := func() error {
			_, err := face.Call(t.Context(), &cash.CallRequest{Namespace: "shop.orders", Function: "create", Kwargs: json.RawMessage(`{"id":"7"}`)})
			return err
		}
		if !hold {
			if err != nil || !strings.Contains(notes, `version "9.9"`) && !strings.Contains(notes, `"9.9" is not known`) || !strings.Contains(notes, `its cash_version was "0.1.1" and is "9.9"`) || call() != nil {
				t.Errorf("the notes are %s, %v, %v", notes, err, call())
			}
			continue
		}
		if err == nil {
			t.Error("a refresh that finds another identity succeeds")
		}
		until(t, func() bool { return agg.Status()[0].State == upstream.Down })
		if e := call(); e == nil || !strings.Contains(e.Error(), "cash_version") {
			t.Errorf("a call to a held server: %v", e)
		}
		say("Shop", "0.1.1")
		until(t, func() bool { return agg.Status()[0].State == upstream.Connected && call() == nil })
	}
}

// A server whose identity cannot be read is used like one without.
func TestR140NoIdentity(t *testing.T) {
	for name, read := range map[string]func() (*mcp.ReadResourceResult, error){
		"no manifest": func() (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "cash://server", Text: "a: [b"}}}, nil
		},
		"empty": func() (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{}}, nil
		},
		"refused": func() (*mcp.ReadResourceResult, error) { return nil, mcp.ResourceNotFoundError("cash://server") },
	} {
		srv := newSpeaker().server()
		srv.AddResource(&mcp.Resource{URI: "cash://server", Name: "server"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) { return read() })
		server := memory("shop", srv)
		server.HoldIdentity = true
		_, agg, _ := aggregate(t, nil, server)
		if s := agg.Status()[0]; s.State != upstream.Connected || s.Identity != nil || s.Functions != 1 || (len(s.Notes) > 0) != (name == "no manifest") {
			t.Errorf("%s: the status is %+v", name, s)
		}
	}
}

// The identity is compared with the manifest that led to the server.
func TestR140IdentityAndManifest(t *testing.T) {
	p := publish("shop.example", "Shop", "orders")
	n := newNetwork(p)
	f := discover(t, n, from(p)...)
	until(t, func() bool { return len(f.Status()) == 1 && f.Status()[0].State == upstream.Connected })
	if s := f.Status()[0]; s.Identity == nil || len(s.Notes) > 0 {
		t.Errorf("the status is %+v", s)
	}
	q := publish("other.example", "Other", "stock")
	q.edit(func() { q.doc.Publisher = "Somebody else" })
	d := from(q)
	d[0].Server.HoldIdentity = true
	f = discover(t, newNetwork(q), d...)
	until(t, func() bool { return len(f.Status()) == 1 && f.Status()[0].State == upstream.Down })
	if s := f.Status()[0]; s.Err == nil || !strings.Contains(s.Err.Error(), `its publisher was "Somebody else" and is "Other"`) {
		t.Errorf("the status is %+v", s)
	}
}
