package facade_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

func text(s string) mcp.Content { return &mcp.TextContent{Text: s} }

// TestF3Data holds what becomes of the results that functions and other servers
// return, exact to the byte.
func TestF3Data(t *testing.T) {
	deep := strings.Repeat("[", 100) + strings.Repeat("]", 100)
	tooDeep := strings.Repeat("[", 2000) + strings.Repeat("]", 2000)
	image := &mcp.ImageContent{MIMEType: "image/png", Data: []byte{1, 2}}
	link := &mcp.ResourceLink{URI: "file:///a", Name: "a"}
	seventeen := 17
	for _, q := range []struct {
		name    string
		res     registry.Result
		want    string // what stands behind cmd; empty is a failure to be kept
		further int
	}{
		{"text", registry.Result{Content: []mcp.Content{text("hello <b>\n\u2028")}}, `,"data":"hello <b>\n\u2028"`, 0},
		{"empty text", registry.Result{Content: []mcp.Content{text("")}}, `,"data":""`, 0},
		{"nothing", registry.Result{}, ``, 0},
		{"number as text", registry.Result{Content: []mcp.Content{text("42")}}, `,"data":"42"`, 0},
		{"number as value", registry.Result{JSON: true, Content: []mcp.Content{text("42")}}, `,"data":42`, 0},
		{"null", registry.Result{JSON: true, Content: []mcp.Content{text("null")}}, ``, 0},
		{"object as text", registry.Result{Content: []mcp.Content{text("\n { \"b\" : 9007199254740993.10, \"a\" : \"<>\" } ")}}, `,"data":{"b":9007199254740993.10,"a":"<>"}`, 0},
		{"array as text", registry.Result{Content: []mcp.Content{text(`[1E+2, -0]`)}}, `,"data":[1E+2,-0]`, 0},
		{"beyond numbers", registry.Result{Content: []mcp.Content{text(`{"1e400":1e400}`)}}, `,"data":"{\"1e400\":1e400}"`, 0},
		{"deep", registry.Result{Content: []mcp.Content{text(deep)}}, `,"data":` + deep, 0},
		{"too deep", registry.Result{Content: []mcp.Content{text(tooDeep)}}, `,"data":"` + tooDeep + `"`, 0},
		{"like an object", registry.Result{Content: []mcp.Content{text(`{a}`)}}, `,"data":"{a}"`, 0},
		{"key twice", registry.Result{Content: []mcp.Content{text(`{"a":1,"a":2}`)}}, `,"data":"{\"a\":1,\"a\":2}"`, 0},
		{"value that is none", registry.Result{JSON: true, Content: []mcp.Content{text(`{"a":`)}}, `,"data":"{\"a\":"`, 0},
		{"not UTF-8", registry.Result{Content: []mcp.Content{text("a\xffb")}}, `,"data":"a\ufffdb"`, 0},
		{"count", registry.Result{JSON: true, Content: []mcp.Content{text(`[1]`)}, Count: &seventeen}, `,"data":[1],"count":17`, 0},
		{"texts", registry.Result{Content: []mcp.Content{text("a"), text("[1]")}}, `,"data":["a","[1]"]`, 0},
		{"structured", registry.Result{Structured: json.RawMessage(`{"z":12345678901234567890, "a":1}`), Content: []mcp.Content{text(`{"z":1,"a":1}`)}}, `,"data":{"z":12345678901234567890,"a":1}`, 0},
		{"structured, wrapped", registry.Result{Structured: json.RawMessage(`{"result":"so it is"}`), Content: []mcp.Content{text(`so it is`)}}, `,"data":{"result":"so it is"}`, 0},
		{"structured, and more", registry.Result{Structured: json.RawMessage(`{"a":1}`), Content: []mcp.Content{text(`There is one.`), image}}, `,"data":{"a":1}`, 2},
		{"image", registry.Result{Content: []mcp.Content{image}}, `,"data":{"type":"image","mimeType":"image/png","content":1}`, 1},
		{"mixed", registry.Result{Content: []mcp.Content{text("a"), link, image}}, `,"data":["a",{"type":"resource_link","uri":"file:///a","content":1},{"type":"image","mimeType":"image/png","content":2}]`, 2},
		{"resource", registry.Result{Content: []mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///b", Text: "x"}}}}, `,"data":{"type":"resource","uri":"file:///b","content":1}`, 1},
	} {
		c := inMemory(t, answering(&q.res, nil), nil)
		r := c.Tool("NExecute", object{"cmd": "f"})
		want := `{"ok":true,"cmd":"f"` + q.want + `}`
		if got := r.Raw.Content[0].(*mcp.TextContent).Text; got != want {
			t.Errorf("%s: %.300s, want %.300s", q.name, got, want)
		}
		if n := len(r.Raw.Content) - 1; n != q.further {
			t.Errorf("%s: %d further contents, want %d", q.name, n, q.further)
		}
		envelopeOf(t, r)
	}
}

// TestF3ErrorContent holds that a failure keeps what is no text.
func TestF3ErrorContent(t *testing.T) {
	image := &mcp.ImageContent{MIMEType: "image/png", Data: []byte{1}}
	srv := answering(&registry.Result{IsError: true, Content: []mcp.Content{text("See the picture."), image}, Count: new(int)}, nil)
	r := inMemory(t, srv, nil).Tool("NExecute", object{"cmd": "f"})
	if e := envelopeOf(t, r); e.Error != "See the picture." || len(r.Raw.Content) != 2 {
		t.Errorf("%s and %d contents", e.text, len(r.Raw.Content))
	}
}

// TestF3Meta holds that a result's metadata reaches programs.
func TestF3Meta(t *testing.T) {
	r := inMemory(t, answering(&registry.Result{Meta: map[string]any{"x": "y"}}, nil), nil).Tool("NExecute", object{"cmd": "f"})
	if r.Raw.Meta["x"] != "y" {
		t.Errorf("metadata %v", r.Raw.Meta)
	}
}

// TestY2Kinds renders every kind of error.
func TestY2Kinds(t *testing.T) {
	for _, kind := range registry.Kinds() {
		srv := answering(nil, &registry.Error{Kind: kind, Message: "It did not work.", Hint: "Do something else.", Err: errors.New("10.0.0.1")})
		r := inMemory(t, srv, nil).Tool("NExecute", object{"cmd": "F"})
		e := envelopeOf(t, r)
		if !strings.HasSuffix(e.Error, "It did not work. Do something else.") || string(e.Cmd) != `"F"` || strings.Contains(e.text, "10.0.0.1") {
			t.Errorf("%s: %s", kind, e.text)
		}
		if r.Raw.Meta[registry.MetaCode] != string(kind) {
			t.Errorf("%s: metadata %v", kind, r.Raw.Meta)
		}
		resp := srv.Execute(t.Context(), "n", &facade.Request{Cmd: "F"})
		if !errors.Is(resp.Err, kind) || resp.OK {
			t.Errorf("%s: %+v", kind, resp)
		}
	}
}

// TestF3ManyTexts holds that texts beside structured content are told from those
// that repeat it, however many there are: to look through it for each would take
// minutes here.
func TestF3ManyTexts(t *testing.T) {
	res := &registry.Result{Structured: json.RawMessage(`{"list":["one","t\u0077o \u003c","` + strings.Repeat("no 1", 1<<20) + `"]}`)}
	for i := range 50_000 {
		res.Content = append(res.Content, text(fmt.Sprintf("no %d", i)), text("one"), text("two <"))
	}
	r := answering(res, nil).Execute(t.Context(), "n", &facade.Request{Cmd: "f"})
	if !r.OK || len(r.Content) != 50_000 || r.Content[1].(*mcp.TextContent).Text != "no 1" {
		t.Errorf("%d contents", len(r.Content))
	}
}

// TestErrorBounded holds that an error of any length is answered with some of it.
func TestErrorBounded(t *testing.T) {
	res := registry.TextResult(strings.Repeat("word ", 1<<18))
	res.IsError = true
	for _, srv := range []*facade.Server{answering(res, nil), answering(nil, errors.New(strings.Repeat("word ", 1<<18)))} {
		if e := srv.Execute(t.Context(), "n", &facade.Request{Cmd: "f"}); len(e.Error) > 16_010 || len(e.Error) < 1000 {
			t.Errorf("an error of %d bytes", len(e.Error))
		}
	}
}

func TestExecute(t *testing.T) {
	srv := everything()
	ctx := context.Background()
	for _, q := range []struct {
		domain string
		req    *facade.Request
		want   string
	}{
		{"mcp", &facade.Request{Cmd: "ping"}, `{"ok":true,"cmd":"ping","data":"pong"}`},
		{"ORDERS", &facade.Request{Cmd: "get", Detail: registry.Minimal, Params: json.RawMessage(`{"order_id":"ORD-1"}`)}, `{"ok":true,"cmd":"get","data":{"order_id":"ORD-1","title":"Order 1"}}`},
		{"tools", &facade.Request{Cmd: "execute", Params: json.RawMessage(`{"name":"stock.count"}`)}, `{"ok":true,"cmd":"execute","data":42}`},
		{"no", &facade.Request{Cmd: "ping"}, `{"ok":false,"cmd":"ping","error":"Unknown domain: no."}`},
		{"OrdersExecute", &facade.Request{Cmd: "ping"}, `{"ok":false,"cmd":"ping","error":"Unknown domain: OrdersExecute."}`},
		{"orders.retail", &facade.Request{Cmd: "refund"}, `{"ok":false,"cmd":"refund","error":"Unknown domain: orders.retail."}`},
		{"", nil, `{"ok":false,"error":"Unknown domain: ."}`},
		{"mcp", nil, `{"ok":false,"error":"cmd is required"}`},
		{"mcp", &facade.Request{Cmd: "ping", Detail: "x"}, `{"ok":false,"cmd":"ping","error":"Unknown detail. It is one of minimal, standard and full; without it, it is standard."}`},
		{"mcp", &facade.Request{Cmd: "ping", Params: json.RawMessage(`"{`)}, `{"ok":false,"cmd":"ping","error":"params is not valid JSON: `},
	} {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(srv.Execute(ctx, q.domain, q.req)); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(b.String()); got != q.want && !(strings.HasSuffix(q.want, " ") && strings.HasPrefix(got, q.want)) {
			t.Errorf("%s %+v: %s, want %s", q.domain, q.req, got, q.want)
		}
	}
}

// TestY4Validation holds that arguments are held to the whole schema, and that an
// error says what the command takes.
func TestY4Validation(t *testing.T) {
	s := newShop()
	c := inMemory(t, facade.NewServer(s, nil), nil)
	for _, params := range []string{
		`{}`, `{"customer_id":1,"items":[{"product_id":"P","quantity":1}]}`, `{"customer_id":"C","items":[]}`,
		`{"customer_id":"C","items":[{"product_id":"P","quantity":1}],"no_such":1}`,
		`{"Customer_ID":"C","items":[{"product_id":"P","quantity":1}]}`, // Y8
		`{"customerid":"C","items":[{"product_id":"P","quantity":1}]}`,
	} {
		e := failedOf(t, c, "OrdersExecute", json.RawMessage(`{"cmd":"create","params":`+params+`}`))
		for _, want := range []string{"Invalid arguments", "customer_id (string, required)", "items (array of {product_id: string, quantity: integer}, required", "notes (string)"} {
			if !strings.Contains(e.Error, want) {
				t.Errorf("%s is answered with %s, want %s", params, e.text, want)
			}
		}
	}
	if e := failedOf(t, c, "McpExecute", object{"cmd": "ping", "params": object{"x": 1}}); !strings.Contains(e.Error, "ping takes no parameters") {
		t.Errorf("error %s", e.text)
	}
	if s.runs.Load() != 0 {
		t.Error("a function has run")
	}
	e := okOf(t, c, "OrdersExecute", json.RawMessage(`{"cmd":"create","detail":"full","params":{"customer_id":"C","items":[{"product_id":"P","quantity":9007199254740993}]}}`))
	if !strings.Contains(e.text, "9007199254740993") {
		t.Errorf("data %s", e.text)
	}
	tolerant := inMemory(t, facade.NewServer(s, &facade.Options{Serve: serve.Options{Repair: true}}), nil)
	okOf(t, tolerant, "OrdersExecute", object{"cmd": "list", "params": object{"limit": "1"}})
	small := inMemory(t, facade.NewServer(s, &facade.Options{Serve: serve.Options{MaxArguments: 20}}), nil)
	if e := failedOf(t, small, "OrdersExecute", object{"cmd": "list", "params": object{"limit": 1, "long": strings.Repeat("x", 50)}}); !strings.Contains(e.Error, "at most 20") {
		t.Errorf("error %s", e.text)
	}
}

// TestY4Nested holds that an error of arguments says what is inside of them, so that
// a second try can be right.
func TestY4Nested(t *testing.T) {
	for schema, want := range map[string]string{
		`{"properties":{"a":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"n":{"type":"integer","minimum":1},"to":{"type":["object","null"],"properties":{"city":{"enum":["a","b"]}}}},"required":["id"]}}},"required":["a"]}`: `Parameters of f: a (array of {id: string, n?: integer (Minimum: 1), to?: {city?: one of`,
		`{"properties":{"a":{"type":"array","items":{"type":"array","items":{"type":"object","properties":{"x":{"type":"number"}}}}}},"required":["a"]}`:                                                                                                       `a (array of array of {x?: number}, required)`,
		`{"properties":{"a":{"type":"object","properties":{"}{ \u202e":{"type":"number"}}}},"required":["a"]}`:                                                                                                                                                 `a ({}{ ??}, required)`,
		`{"properties":{"a":{"type":["object","array"],"properties":{"x":{"type":"string"}},"items":{"type":"object","properties":{"y":{}}}}},"required":["a"]}`:                                                                                               `a (array of {y?} or {x?}, required)`,
		`{"properties":{"a":{"type":"object"},"b":{"type":"string"}},"required":["b"]}`:                                                                                                                                                                        `a (object), b (string, required)`,
	} {
		f, err := registry.RawFunc("f", "", json.RawMessage(`{"type":"object",`+schema[1:]), func(context.Context, json.RawMessage) (*registry.Result, error) { return nil, nil })
		if err != nil {
			t.Fatal(err)
		}
		reg := registry.New(nil)
		reg.Namespace("n", "").Add(f)
		srv := facade.NewServer(reg, &facade.Options{Tools: true})
		if r := srv.Execute(t.Context(), "n", &facade.Request{Cmd: "f"}); !strings.Contains(r.Error, want) {
			t.Errorf("error %s, want %s", r.Error, want)
		}
		r := srv.Execute(t.Context(), "tools", &facade.Request{Cmd: "validate", Params: json.RawMessage(`{"name":"n.f"}`)})
		if !strings.Contains(string(r.Data), strings.TrimPrefix(want, "Parameters of f: ")) {
			t.Errorf("validate %s, want %s", r.Data, want)
		}
	}
	// However much there is inside, the error is bounded and names what comes after.
	var wide strings.Builder
	for i := range 200 {
		fmt.Fprintf(&wide, `,"member_%d":{"type":"string"}`, i)
	}
	schema := `{"type":"object","properties":{"a":{"type":"object","properties":{` + wide.String()[1:] + `}},"z":{"type":"integer"}},"required":["z"]}`
	f, err := registry.RawFunc("f", "", json.RawMessage(schema), func(context.Context, json.RawMessage) (*registry.Result, error) { return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	reg := registry.New(nil)
	reg.Namespace("n", "").Add(f)
	r := facade.NewServer(reg, nil).Execute(t.Context(), "n", &facade.Request{Cmd: "f"})
	if len(r.Error) > 700 || !strings.Contains(r.Error, "z (integer, required)") {
		t.Errorf("error %s", r.Error)
	}
}

// TestY3Names holds that commands differ by underscores, though not by case.
func TestY3Names(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("n", "").Add(registry.Func("Roundtrip_Start", "", func(context.Context, struct{}) (string, error) { return "x", nil }))
	srv := facade.NewServer(reg, nil)
	for cmd, want := range map[string]bool{"roundtrip_start": true, "ROUNDTRIP_START": true, "Roundtrip_Start": true, "roundtripstart": false, "roundtrip_start_": false, "round_trip_start": false, "roundtrıp_start": false} {
		if got := srv.Execute(t.Context(), "n", &facade.Request{Cmd: cmd}); got.OK != want {
			t.Errorf("%s: %+v", cmd, got)
		}
	}
}

// TestRoot holds that the root's functions are commands of one domain, next to
// those of a namespace that is called so.
func TestRoot(t *testing.T) {
	says := func(name string) *registry.Function {
		f := registry.Func(name, "", func(context.Context, struct{}) (string, error) { return "root", nil }, registry.ReadOnly)
		return f
	}
	reg := registry.New(nil)
	reg.Namespace("", "").Add(says("ping"), says("other"))
	reg.Namespace("Mc_p", "Both.").Add(registry.Func("Ping", "", func(context.Context, struct{}) (string, error) { return "namespace", nil }))
	reg.Namespace("mcp.below", "").Add(registry.Func("x", "", func(context.Context, struct{}) (string, error) { return "below", nil }))
	srv := facade.NewServer(reg, nil)
	c := inMemory(t, srv, nil)
	tools := c.Tools()
	if namesOf(tools) != "McPExecute" || tools[0].Description != "Both. Cmd help finds commands and tells params.\nCommands:\nPing()\nbelow.x()\nother()\nping-2()" {
		t.Errorf("tools %s", toJSON(tools))
	}
	for cmd, want := range map[string]string{"ping": `"namespace"`, "PING-2": `"root"`, "other": `"root"`, "below.x": `"below"`} {
		if e := okOf(t, c, "McPExecute", object{"cmd": cmd}); string(e.Data) != want {
			t.Errorf("%s: %s", cmd, e.text)
		}
	}
	for _, cmd := range []string{"other-2", "below.x-2", "ping-3", "mcp.below.x"} {
		failedOf(t, c, "McPExecute", object{"cmd": cmd})
	}
	c = inMemory(t, facade.NewServer(newShop(), &facade.Options{Root: "top_level"}), nil)
	if got := namesOf(c.Tools()); got != "OrdersExecute StockExecute TopLevelExecute" {
		t.Errorf("tools %s", got)
	}
	// What is below the root is no command of its domain.
	for _, cmd := range []string{"stock.count", "orders.retail.refund"} {
		failedOf(t, c, "TopLevelExecute", object{"cmd": cmd})
	}
}

func TestOptionsPanic(t *testing.T) {
	search := func(context.Context, string, int) ([]facade.Hit, error) { return nil, nil }
	for name, o := range map[string]*facade.Options{
		"root":  {Root: "a.b"},
		"nil":   {Search: map[string]facade.SearchFunc{"web": nil}},
		"label": {Search: map[string]facade.SearchFunc{"the web": search}},
		"taken": {Search: map[string]facade.SearchFunc{"Tools": search}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			facade.NewServer(registry.New(nil), o)
		}()
	}
}

// TestAnnotations holds that a tool's class is that of its commands.
func TestAnnotations(t *testing.T) {
	c := inMemory(t, everything(), nil)
	var readOnly, destructive []string
	for _, tool := range c.Tools() {
		if tool.Annotations.ReadOnlyHint {
			readOnly = append(readOnly, tool.Name)
		}
		if d := tool.Annotations.DestructiveHint; d != nil && *d {
			destructive = append(destructive, tool.Name)
		}
	}
	if !slices.Equal(readOnly, []string{"McpExecute", "SearchExecute", "StockExecute"}) || !slices.Equal(destructive, []string{"OrdersExecute", "ToolsExecute"}) {
		t.Errorf("read-only %v, destructive %v", readOnly, destructive)
	}
}

func TestInstructions(t *testing.T) {
	srv := facade.NewServer(newShop(), &facade.Options{Serve: serve.Options{Instructions: "A shop."}})
	got := inMemory(t, srv, nil).Session.InitializeResult().Instructions
	if want := "A shop.\n\nEach tool is a domain: pass it cmd and params. Its cmd help finds commands and tells params. Domains: McpExecute, OrdersExecute, StockExecute."; got != want {
		t.Errorf("instructions %q", got)
	}
	reg := registry.New(nil)
	for i := range 300 {
		reg.Namespace(fmt.Sprintf("namespace_%d", i), "").Add(registry.Func("f", "", func(context.Context, struct{}) (int, error) { return 0, nil }))
	}
	if got := inMemory(t, facade.NewServer(reg, nil), nil).Session.InitializeResult().Instructions; len(got) > 400 || !strings.HasSuffix(got, "and more.") {
		t.Errorf("instructions %q", got)
	}
}
