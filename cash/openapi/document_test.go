package openapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/openapi"
	"github.com/cash-mcp/go-sdk/registry"
)

// paths returns the paths of all functions, in order.
func paths(reg *registry.Registry) string {
	var list []string
	for f := range reg.All() {
		list = append(list, strings.TrimPrefix(f.Path(), "shop."))
	}
	return strings.Join(list, " ")
}

func TestTree(t *testing.T) {
	doc := []byte(`
openapi: 3.2.0
info: {title: A shop, version: 1.0}
tags:
  - {name: orders, description: Orders of customers.}
  - {name: refunds, parent: orders}
  - {name: stock}
x-tagGroups:
  - {name: Back Office, description: For employees., tags: [stock]}
paths:
  /orders:
    get: {operationId: orders/list, tags: [orders], summary: List orders., description: All of them., responses: {200: {description: The orders.}}}
    post: {operationId: createOrder, tags: [orders], deprecated: true, summary: Create an order.}
  /orders/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get: {tags: [orders]}
    delete: {operationId: drop, tags: [orders], x-cash: {destructiveHint: false, name: cancel}}
    put: {operationId: secret, x-cash: {hidden: true}}
  /refunds: {get: {operationId: list, tags: [refunds]}}
  /stock: {get: {operationId: list, tags: [stock], x-cash: {readOnlyHint: false}}}
  /sub: {get: {operationId: list, tags: ["Ware: Houses/Big"]}}
  /api/v2/users/{id}/keys/all: {get: {operationId: keys, parameters: [{$ref: '#/components/parameters/id'}]}}
components:
  parameters: {id: {name: id, in: path, required: true, schema: {type: integer}}}
`)
	reg, m := mount(t, doc, openapi.Handler(http.NotFoundHandler()))
	want := "Back_Office.stock.list orders.cancel orders.get_orders_id orders.list orders.createOrder orders.refunds.list users.keys.keys Ware.Houses.Big.list"
	if got := paths(reg); got != want {
		t.Errorf("functions %s\nwant %s\n%s", got, want, m.Report())
	}
	for path, want := range map[string]string{"shop.orders": "Orders of customers.", "shop.Back_Office": "For employees."} {
		if l, err := reg.List(t.Context(), path); err != nil || l.Description != want {
			t.Errorf("%s: %v, %v", path, l, err)
		}
	}
	facts := make(map[string]string)
	for f := range reg.All() {
		h := f.Hints()
		text := fmt.Sprintf("%t", h.ReadOnly)
		for _, hint := range []*bool{h.Destructive, h.Idempotent} {
			if hint == nil {
				text += " -"
			} else {
				text += fmt.Sprintf(" %t", *hint)
			}
		}
		facts[strings.TrimPrefix(f.Path(), "shop.")] = text + " " + strings.ReplaceAll(f.Description(), "\n", "|") + " " + f.Returns()
	}
	page, err := cash.NewServer(reg, nil).Help(t.Context(), &cash.HelpRequest{Namespace: "shop.orders"})
	if last := strings.LastIndex(page, "createOrder"); err != nil || last < strings.LastIndex(page, "list") || !strings.Contains(page[max(last, 0):], "Deprecated.") {
		t.Errorf("a deprecated operation is not the last one: %v\n%s", err, page)
	}
	for path, want := range map[string]string{
		"orders.list":            "true - - List orders.||All of them. The orders.",
		"orders.createOrder":     "false - - Deprecated. Create an order. ",
		"orders.cancel":          "false false true  ",
		"Back_Office.stock.list": "false - -  ",
	} {
		if facts[path] != want {
			t.Errorf("%s is %q, want %q", path, facts[path], want)
		}
	}
}

func TestOnOperation(t *testing.T) {
	doc := document(`{"/a":{"get":{"operationId":"a","tags":["x"],"x-scope":"admin"}},"/b":{"get":{"operationId":"b","tags":["x"]}},"/c":{"get":{"operationId":"c","tags":["x"]}}}`)
	asked := 0
	hook := func(o *openapi.Operation) {
		asked++
		switch {
		case string(o.Extensions["x-scope"]) == `"admin"`:
			o.Options = append(o.Options, registry.VisibleTo(registry.Roles("admin")))
			o.Namespace, o.Name, o.Description, o.Tags = "staff.tools", "run it", "Runs it.", append(o.Tags, "careful")
		case o.ID == "b":
			o.Hidden = true
		default:
			o.Wrap = func(next registry.Handler) registry.Handler { return next }
		}
	}
	reg, m := mount(t, doc, openapi.Handler(new(recorder)), openapi.OnOperation(hook))
	if got := paths(reg); got != "staff.tools.run_it x.c" || m.Report().Operations != 2 {
		t.Errorf("functions %s\n%s", got, m.Report())
	}
	if _, err := call(t.Context(), reg, "shop.staff.tools", "run_it", `{}`); registry.AsError(err).Kind != registry.UnknownNamespace {
		t.Errorf("a hidden function: %v", err)
	}
	admin := registry.WithCaller(t.Context(), &registry.Caller{ID: "a", Roles: []string{"admin"}})
	if _, err := call(admin, reg, "shop.staff.tools", "run_it", `{}`); err != nil {
		t.Error(err)
	}
	asked = 0
	if report, err := m.Replace(doc); err != nil || report.Built != 0 || asked != 1 {
		t.Errorf("replaced: %v, %v, %d asked", report, err, asked)
	}
}

// Tags below tags nest to three levels; what is below is joined there. A tag below itself is one level.
func TestParents(t *testing.T) {
	get := func(tag string) string {
		return fmt.Sprintf(`"/%s":{"get":{"operationId":"list","tags":[%[1]q]}}`, tag)
	}
	doc := []byte(`{"openapi":"3.2.0","info":{},"tags":[{"name":"one","description":"One."},{"name":"two","parent":"one"},{"name":"three","parent":"two"},
		{"name":"four","parent":"three"},{"name":"five","parent":"four"},{"name":"self","parent":"self"},{"name":"left","parent":"right"},{"name":"right","parent":"left"}],
		"paths":{` + strings.Join([]string{get("five"), get("four"), get("three"), get("two"), get("self"), get("left"), get("right")}, ",") + `}}`)
	reg, m := mount(t, doc, openapi.Handler(new(recorder)))
	want := "left.right.list one.two.list one.two.three.list one.two.three_four.list one.two.three_four_five.list right.left.list self.list"
	if got := paths(reg); got != want {
		t.Errorf("functions %s\nwant %s\n%s", got, want, m.Report())
	}
}

// A document whose tags cost too much work does not lose its operations silently.
func TestManyParents(t *testing.T) {
	var tags []string
	for i := range 60_000 {
		tags = append(tags, fmt.Sprintf(`{"name":"t%d","parent":"t%d"}`, i+1, i))
	}
	_, m := mount(t, []byte(`{"openapi":"3.2.0","info":{},"tags":[`+strings.Join(tags, ",")+`],"paths":{"/a":{"get":{"operationId":"a"}}}}`), openapi.Handler(new(recorder)))
	if got := m.Report(); got.Operations+got.Left != 1 {
		t.Error(got)
	}
}

// Descriptions that are added to one another without end cost work.
func TestManyGroups(t *testing.T) {
	groups := fmt.Sprintf(`{"name":"g","description":%q},`, strings.Repeat("long ", 800)) + repeated(100_000, `{"name":"g","description":"%d"}`)
	_, m := mount(t, []byte(`{"openapi":"3.1.0","info":{},"x-tagGroups":[`+groups+`],"paths":{"/a":{"get":{"operationId":"a"}}}}`), openapi.Handler(new(recorder)))
	if got := m.Report().String(); !strings.Contains(got, "refers to so much of itself") {
		t.Error(got)
	}
}

// Tags that make one namespace share it with all their descriptions, and the report says so once for each.
func TestSharedNamespaces(t *testing.T) {
	get := func(id, tag string) string {
		return fmt.Sprintf(`"/%s":{"get":{"operationId":%[1]q,"tags":[%q]}}`, id, tag)
	}
	doc := []byte(`{"openapi":"3.1.0","info":{},"tags":[{"name":"用户","description":"Users."},{"name":"订单","description":"Orders."},
		{"name":"Back Office","description":"For employees."}],"paths":{` +
		strings.Join([]string{get("users", "用户"), get("orders", "订单"), get("cancel", "订单"), get("close", "back-office")}, ",") + `}}`)
	reg, m := mount(t, doc, openapi.Handler(new(recorder)))
	if got := m.Report().String(); strings.Count(got, `its tag "订单" is that of "用户" too`) != 1 {
		t.Error(got)
	}
	for path, want := range map[string]string{"shop.tag": "Users.\n\nOrders.", "shop.back_office": "For employees."} {
		if l, err := reg.List(t.Context(), path); err != nil || l.Description != want {
			t.Errorf("%s: %+v, %v", path, l, err)
		}
	}
}

// The report is about what is served: operations as the hook has made them, without those that it hides.
func TestHookedReport(t *testing.T) {
	doc := document(`{"/a":{"get":{"operationId":"a","tags":["x"]}},"/b":{"get":{"operationId":"b","tags":["x"]}},"/c":{"get":{"operationId":"good","tags":["x"],"summary":"It."}}}`)
	_, m := mount(t, doc, openapi.Handler(new(recorder)), openapi.OnOperation(func(o *openapi.Operation) {
		switch o.ID {
		case "a":
			o.Name, o.Description = "list", "Lists all."
		case "b":
			o.Hidden = true
		default:
			o.Name, o.Description = "c", ""
		}
	}))
	check := func() {
		t.Helper()
		text := m.Report().String()
		if strings.Contains(text, "GET /a") || strings.Count(text, "GET /b") != 1 || !strings.Contains(text, "GET /c: it has no description") || !strings.Contains(text, `the name "c"`) {
			t.Error(text)
		}
	}
	check()
	if _, err := m.Replace(doc); err != nil {
		t.Error(err)
	}
	check()
}

// The extension x-cash outweighs what follows from the method.
func TestEffectsOfExtensions(t *testing.T) {
	reg, m := mount(t, document(`{"/a":{"delete":{"operationId":"preview","tags":["x"],"x-cash":{"readOnlyHint":true}},
		"get":{"operationId":"consume","tags":["x"],"x-cash":{"destructiveHint":true}},
		"put":{"operationId":"both","tags":["x"],"x-cash":{"readOnlyHint":true,"destructiveHint":true}}}}`), openapi.Handler(http.HandlerFunc(
		func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })))
	for name, want := range map[string]struct{ reads, destroys, check bool }{"preview": {true, false, false}, "consume": {false, true, true}, "both": {false, true, false}} {
		f, err := reg.Function(t.Context(), "shop.x", name)
		if err != nil {
			t.Fatalf("%v\n%s", err, m.Report())
		}
		h := f.Hints()
		_, err = call(t.Context(), reg, "shop.x", name, `{}`)
		if destroys := h.Destructive != nil && *h.Destructive; h.ReadOnly != want.reads || destroys != want.destroys || strings.Contains(err.Error(), "check before") != want.check {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
	}
}

// The hook's tags and its cost of a call are those of the function, whatever tags the document has.
func TestHookFacts(t *testing.T) {
	tags := strings.TrimSuffix(strings.Repeat(`"many",`, 20), ",")
	doc := document(`{"/a":{"get":{"operationId":"a","tags":[` + tags + `]}}}`)
	reg, m := mount(t, doc, openapi.Handler(new(recorder)), openapi.OnOperation(func(o *openapi.Operation) {
		o.Tags = append(o.Tags, "careful", "destructive")
		o.Options = append(o.Options, registry.CostHint(5))
	}))
	f, err := reg.Function(t.Context(), "shop.many", "a")
	if err != nil {
		t.Fatalf("%v\n%s", err, m.Report())
	}
	if tags := f.Tags(); !slices.Contains(tags, "careful") || slices.Contains(tags, "destructive") || f.CostHint() != 5 {
		t.Errorf("tags %v, cost %v", tags, f.CostHint())
	}
}

// Two operations never share a name silently, and names stay while their operations do.
func TestNames(t *testing.T) {
	one := `"/a":{"get":{"operationId":"get","tags":["x"]}}`
	two := `"/b":{"get":{"operationId":"GET","tags":["X"]}},"/c":{"get":{"operationId":"日本"}},"/d":{"get":{"operationId":"g-e-t","tags":["x"]}}`
	reg, m := mount(t, document(`{`+two+`,`+one+`}`), openapi.Handler(new(recorder)))
	if m.Report().Operations != 4 || strings.Count(m.Report().String(), "one of them got a suffix") != 2 {
		t.Errorf("%s\n%s", paths(reg), m.Report())
	}
	before := paths(reg)
	if _, err := m.Replace(document(`{` + one + `,` + two + `}`)); err != nil || !strings.EqualFold(paths(reg), before) {
		t.Errorf("%s became %s, %v", before, paths(reg), err)
	}
	placed, _ := mount(t, document(`{"/a":{"get":{"operationId":"a","x-cash":{"namespace":"back-office. new orders.x/y"}}},"/b":{"get":{"operationId":"b"}}}`), openapi.Handler(new(recorder)),
		openapi.OnOperation(func(o *openapi.Operation) {
			if o.ID == "b" {
				o.Namespace = " ."
			}
		}))
	if got := paths(placed); got != "back_office.new_orders.x.y.a tag.b" {
		t.Errorf("functions %s", got)
	}
	service := map[string]string{}
	for f := range reg.All() {
		service[f.Tool()] = f.Name()
	}
	if len(service) != 4 {
		t.Errorf("operations %v", service)
	}
}

func TestSwap(t *testing.T) {
	op := func(id, about string) string {
		return fmt.Sprintf(`"/%s":{"get":{"operationId":%[1]q,"tags":["t"],"summary":%q,"parameters":[{"$ref":"#/components/parameters/p"}]}}`, id, about)
	}
	doc := func(p string, ops ...string) []byte {
		return fmt.Appendf(nil, `{"openapi":"3.0.0","info":{},"paths":{%s},"components":{"parameters":{"p":{"name":"p","in":"query","schema":%s}}}}`, strings.Join(ops, ","), p)
	}
	reg, m := mount(t, doc(`{}`, op("a", "1"), op("b", "1")), openapi.Handler(new(recorder)))
	functions := func() map[string]*registry.Function {
		list := make(map[string]*registry.Function)
		for f := range reg.All() {
			list[f.Name()] = f
		}
		return list
	}
	before := functions()
	report, err := m.Replace(doc(`{}`, op("b", "2"), op("a", "1"), op("c", "1")))
	after := functions()
	if err != nil || report.Built != 2 || after["a"] != before["a"] || after["b"] == before["b"] || after["c"] == nil {
		t.Errorf("%v, %v", report, err)
	}
	if report, err = m.Replace(doc(`{"type":"string"}`, op("a", "1"), op("b", "2"))); err != nil || report.Built != 2 {
		t.Errorf("a changed component: %v, %v", report, err)
	}
	if _, err := m.Replace([]byte(`{"openapi":"3.0.0","paths":{"/a":1,"/a":2}}`)); err == nil || !strings.Contains(err.Error(), `line 1: duplicate key "/a"`) {
		t.Errorf("a bad document: %v", err)
	}
	if paths(reg) != "t.a t.b" {
		t.Errorf("functions %s", paths(reg))
	}
}

// Calls during swaps meet either document. Run it with the race detector.
func TestSwapsDuringCalls(t *testing.T) {
	doc := func(i int) []byte {
		return document(fmt.Sprintf(`{"/a":{"get":{"operationId":"a","tags":["t"],"summary":"%d","parameters":[{"name":"p","in":"query","schema":{}}]}},"/b%[1]d":{"get":{"operationId":"b","tags":["t"]}}}`, i))
	}
	reg, m := mount(t, doc(0), openapi.Handler(new(recorder)))
	var calls sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		calls.Go(func() {
			for {
				for _, name := range []string{"a", "b"} {
					if _, err := call(t.Context(), reg, "shop.t", name, `{}`); err != nil {
						t.Error(err)
						return
					}
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	for i := range 50 {
		if _, err := m.Replace(doc(i)); err != nil {
			t.Fatal(err)
		}
		_ = m.Report().String()
	}
	close(stop)
	calls.Wait()
}

func TestDocumentsThatAreRefused(t *testing.T) {
	for doc, want := range map[string]string{
		``:                                  "empty",
		`[]`:                                "",
		`{}`:                                "version",
		`{"openapi":"4.0.0"}`:               "not supported",
		`{"swagger":"1.2"}`:                 "not supported",
		`{"openapi":"3.0.0"`:                "line 1",
		`{"openapi":"3.0.0","a":1,"a":2}`:   `duplicate key "a"`,
		"openapi: 3.0.0\na: 1\na: 2":        "line 3: ",
		"openapi: 3.0.0\n---\nopenapi: 3":   "second document",
		"a: &a [*a]":                        "",
		"a: &a {x: 1}\nb: {<<: *a}":         "line 2: merge keys",
		"? [a]\n: b":                        "line 1: a key",
		strings.Repeat(`{"a":`, 300):        "line 1",
		strings.Repeat(`[`, 100_000):        "",
		"a: " + strings.Repeat("[", 10_000): "",
		"a: &a [" + strings.Repeat("x,", 1000) + "]\nb: &b [" + strings.Repeat("*a,", 1000) + "]\nc: &c [" + strings.Repeat("*b,", 1000) + "]": "too large",
	} {
		_, err := openapi.Mount(registry.New(nil), "shop", []byte(doc), openapi.Handler(new(recorder)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", doc, err, want)
		}
	}
}

// A version without quotes is a number in YAML. It counts as it is spelled.
func TestVersionsThatAreNumbers(t *testing.T) {
	const rest = "\ninfo: {title: t, version: '1'}\npaths: {/a: {get: {operationId: a, tags: [t], responses: {'200': {description: It.}}}}}"
	for version, want := range map[string]string{
		"swagger: 2.0": "", "openapi: 3.0": "", "openapi: 3.1": "", `{"openapi":3.2`: "", "openapi: 3.0.3": "", "swagger: '2.0'": "",
		"openapi: 4.1": `"4.1" is not supported`, "swagger: 1.2": `"1.2" of Swagger`, "swagger: 2": `"2" of Swagger`, "openapi: [3.1]": "no member",
		"openapi: null": "no member",
	} {
		doc := version + rest
		if strings.HasPrefix(version, "{") {
			doc = version + `,"paths":{"/a":{"get":{"operationId":"a","tags":["t"]}}}}`
		}
		reg := registry.New(nil)
		_, err := openapi.Mount(reg, "shop", []byte(doc), openapi.Handler(new(recorder)))
		if want == "" && (err != nil || paths(reg) != "t.a") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, %s", version, err, paths(reg))
		}
	}
	// In 3.0, members beside $ref have no meaning.
	doc := "openapi: 3.0\nx: {type: integer}\npaths: {/a: {get: {operationId: a, tags: [t], parameters: [{name: q, in: query, schema: {$ref: '#/x', minimum: 9}}]}}}"
	reg, _ := mount(t, []byte(doc), openapi.Handler(new(recorder)))
	if _, err := call(t.Context(), reg, "shop.t", "a", `{"q":1}`); err != nil {
		t.Error(err)
	}
}

// What is wrong with one operation leaves it out; the others are served.
func TestOperationsThatAreLeftOut(t *testing.T) {
	const good = `"/good":{"get":{"operationId":"good","tags":["t"]}}`
	for part, want := range map[string]string{
		`"/a":{"get":{"parameters":[{"$ref":"#/components/parameters/none"}]}}`:                      "names nothing",
		`"/a":{"get":{"parameters":[{"$ref":"file:///etc/passwd"}]}}`:                                "leads out of the document",
		`"/a":{"get":{"parameters":[{"$ref":"http://169.254.169.254/latest"}]}}`:                     "leads out of the document",
		`"/a":{"get":{"parameters":[{"$ref":"../../etc/passwd"}]}}`:                                  "leads out of the document",
		`"/a":{"$ref":"#/paths/~1b"},"/b":{"$ref":"#/paths/~1a"}`:                                    "without end",
		`"/a":{"get":{"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/none"}}}}}}`: "names nothing",
		`"/a":{"get":{"requestBody":{"content":{}}}}`:                                                "media type",
		`"/a/{id}":{"get":{}}`: "no parameter describes the variable {id}",
		`"/a/{id":{"get":{}}`:  "brace",
		`"/a?b=c":{"get":{}}`:  "query",
		`"a":{"get":{}}`:       "slash",
		`"/a/{b}":{"get":{"parameters":[{"name":"b","in":"path"}]}},"/a/{c}":{"get":{"parameters":[{"name":"c","in":"path"}]}}`: `of "/a/{b}", which comes first`,
		`"/a":{"get":{"servers":[{"url":"https://evil.example"}]}}`:                                                             "another server",
		`"/a":{"get":{"parameters":[{"name":"a\r\nb","in":"header"}]}}`:                                                         "cannot be sent",
	} {
		doc := document(`{` + part + `,` + good + `}`)
		reg, m := mount(t, doc, openapi.Handler(new(recorder)))
		if m.Report().Left == 0 || !strings.Contains(m.Report().String(), want) || !strings.Contains(paths(reg), "t.good") {
			t.Errorf("%s: %s, want %q", part, m.Report(), want)
		}
	}
}

// Many operations over one large schema, and many names that make one label: what is built is bounded.
func TestHostileSizes(t *testing.T) {
	var schemas, refs, ops []string
	for i := range 1000 {
		schemas = append(schemas, fmt.Sprintf(`"%s":{"type":"string"}`, strings.Repeat("日", i%50+1)+strings.Repeat("本", i/50)))
		refs = append(refs, fmt.Sprintf(`"m%d":{"$ref":"#/components/schemas/%s"}`, i, strings.Repeat("日", i%50+1)+strings.Repeat("本", i/50)))
	}
	for i := range 1000 {
		ops = append(ops, fmt.Sprintf(`"/p%d":{"post":{"operationId":"o%[1]d","tags":["t"],"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/big"}}}}}}`, i))
	}
	doc := []byte(`{"openapi":"3.1.0","info":{},"components":{"schemas":{"big":{"properties":{` + strings.Join(refs, ",") + `}},` +
		strings.Join(schemas, ",") + `}},"paths":{` + strings.Join(ops, ",") + `}}`)
	_, m := mount(t, doc, openapi.Handler(new(recorder)))
	if r := m.Report(); r.Operations < 10 || r.Left == 0 || r.Operations+r.Left != 1000 {
		t.Errorf("%.300s", r)
	}
}

// Schemas with cycles are served; hostile ones cost nothing worth mentioning.
func TestHostileSchemas(t *testing.T) {
	diamond := ""
	for i := range 30 {
		diamond += fmt.Sprintf(`"d%d":{"anyOf":[{"$ref":"#/components/schemas/d%d"},{"$ref":"#/components/schemas/d%[2]d"}]},`, i, i+1)
	}
	long := strings.Repeat("x", 10<<20)
	doc := []byte(`{"openapi":"3.1.0","info":{"description":"` + long + `"},"components":{"schemas":{` + diamond + `"d30":{},
		"tree":{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#/components/schemas/tree"}}}},
		"self":{"$ref":"#/components/schemas/self"},"all":{"allOf":[{"$ref":"#/components/schemas/all"}]},
		"long":{"type":"string","description":"` + long + `"},"wide":{"properties":{` + wide(20_000) + `}}}},"paths":{` +
		`"/png":{"post":{"operationId":"png","tags":["t"],"requestBody":{"description":"` + long + long + `","content":{"image/png":{}}}}},
		"/csv":{"post":{"operationId":"csv","tags":["t"],"requestBody":{"description":"` + long + `","content":{"text/csv":{}}}}},
		"/file":{"post":{"operationId":"file","tags":["t"],"requestBody":{"content":{"multipart/form-data":{"schema":{"properties":{"f":{"format":"binary","description":"` + long + `"}}}}}}}},` +
		strings.Join([]string{post("tree"), post("self"), post("all"), post("long"), post("d0"), post("wide")}, ",") + `}}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	reg, m := mount(t, doc, openapi.Handler(new(recorder)))
	runtime.ReadMemStats(&after)
	if d, size := time.Since(began), after.TotalAlloc-before.TotalAlloc; d > 20*time.Second || size > 1<<30 {
		t.Errorf("%v and %d MB", d, size>>20)
	}
	if got := paths(reg); got != "t.all t.csv t.d0 t.file t.long t.png t.tree t.wide" {
		t.Errorf("functions %s\n%.2000s", got, m.Report())
	}
	for f := range reg.All() {
		if len(f.InputSchema()) > 1<<20 || len(f.Description()) > 20_000 {
			t.Errorf("%s: schema of %d bytes", f.Name(), len(f.InputSchema()))
		}
		if slices.Contains([]string{"csv", "file", "png"}, f.Name()) && len(f.Params()) != 1 {
			t.Errorf("%s has %d parameters", f.Name(), len(f.Params()))
		}
	}
	if _, err := call(t.Context(), reg, "shop.t", "tree", `{"body":{"children":[{"children":[1]}]}}`); err == nil {
		t.Error("arguments that break a schema with a cycle were sent")
	}
}

func post(name string) string {
	return fmt.Sprintf(`"/%s":{"post":{"operationId":%[1]q,"tags":["t"],"requestBody":{"content":{"application/json":{"schema":{"allOf":[{"$ref":"#/components/schemas/%[1]s"}]}}}}}}`, name)
}

func wide(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"m%d":{"type":"string","pattern":"^.{%d}$"}`, i, i%100)
	}
	return strings.Join(list, ",")
}

func TestReferences(t *testing.T) {
	files := fstest.MapFS{
		"parts/params.yaml":  {Data: []byte("id: {name: id, in: query, schema: {$ref: 'schemas.json#/Id'}}")},
		"parts/schemas.json": {Data: []byte(`{"Id":{"type":"integer","$comment":"x"}}`)},
	}
	doc := document(`{"/a":{"get":{"operationId":"a","tags":["t"],"parameters":[{"$ref":"./parts/params.yaml#/id"}]}},
		"/b":{"get":{"operationId":"b","tags":["t"],"parameters":[{"$ref":"../outside.json#/x"}]}}}`)
	reg, m := mount(t, doc, openapi.Handler(new(recorder)), openapi.References(files))
	if got := paths(reg); got != "t.a" {
		t.Fatalf("functions %s\n%s", got, m.Report())
	}
	if _, err := call(t.Context(), reg, "shop.t", "a", `{"id":"x"}`); err == nil {
		t.Error("the referenced schema is not checked")
	}
}

// Schemas of 3.0 become JSON Schema: what they accept and refuse is what the document says.
func TestSchemas(t *testing.T) {
	doc := []byte(`{"openapi":"3.0.3","info":{},"components":{"schemas":{
		"Tom":{"$ref":"#/components/schemas/Cat"},
		"Cat":{"type":"object","required":["kind"],"properties":{"kind":{"type":"string"},"lives":{"type":"integer"}}},
		"Dog":{"type":"object","required":["kind"],"properties":{"kind":{"type":"string"}}}}},
		"paths":{"/a":{"post":{"operationId":"a","tags":["t"],"requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","required":["id","name"],"properties":{
		"id":{"type":"string","readOnly":true},"name":{"type":"string","nullable":true},"size":{"type":"string","enum":["s","m"],"nullable":true},
		"age":{"type":"integer","minimum":3,"exclusiveMinimum":true},"any":{"nullable":true,"allOf":[{"type":"string"}]},
		"guest":{"oneOf":[{"$ref":"#/components/schemas/Tom"},{"$ref":"#/components/schemas/Dog"}],"discriminator":{"propertyName":"kind","mapping":{"tom":"Tom"}}},
		"pet":{"oneOf":[{"$ref":"#/components/schemas/Cat"},{"$ref":"#/components/schemas/Dog"}],"discriminator":{"propertyName":"kind","mapping":{"cat":"#/components/schemas/Cat","dog":"Dog"}}}
		}}}}}}}}}`)
	reg, m := mount(t, doc, openapi.Handler(new(recorder)))
	for args, fits := range map[string]bool{
		`{"name":null}`: true, `{"name":"x"}`: true, `{"name":1}`: false, `{}`: false, `{"name":"","id":"1"}`: false,
		`{"name":"","size":null}`: true, `{"name":"","size":"s"}`: true, `{"name":"","size":"l"}`: false,
		`{"name":"","age":4}`: true, `{"name":"","age":3}`: false, `{"name":"","any":null}`: true, `{"name":"","any":1}`: false,
		`{"name":"","pet":{"kind":"cat","lives":7}}`: true, `{"name":"","pet":{"kind":"dog"}}`: true, `{"name":"","pet":{"kind":"cow"}}`: false,
		`{"name":"","guest":{"kind":"tom"}}`: true, `{"name":"","guest":{"kind":"Dog"}}`: true, `{"name":"","guest":{"kind":"Cat"}}`: false,
	} {
		if _, err := call(t.Context(), reg, "shop.t", "a", args); (err == nil) != fits {
			t.Errorf("%s: %v\n%s", args, err, m.Report())
		}
	}
}

func TestTyped(t *testing.T) {
	doc := document(`{"/a":{"get":{"operationId":"a","tags":["t"],"responses":{"200":{"description":"It.","content":{"application/json":{"schema":{"$ref":"#/paths/~1a/get/x-it"}}}}},
		"x-it":{"type":"object","properties":{"id":{"type":"integer"},"pin":{"type":"string","writeOnly":true}},"required":["id","pin"]}},
		"delete":{"operationId":"b","tags":["t"],"responses":{"204":{"description":"Gone."}}}}}`)
	reg, m := mount(t, doc, openapi.Handler(answer(200, map[string]string{"Content-Type": "application/json"}, `{"id":1}`)),
		openapi.OnOperation(func(o *openapi.Operation) { o.Typed = true }))
	f := slices.Collect(reg.All())
	if len(f) != 2 || string(f[0].OutputSchema()) == "" {
		t.Fatal(m.Report())
	}
	want := "DELETE /a: it has no output schema: no response of success has a schema of JSON"
	if f[1].OutputSchema() != nil || !strings.Contains(m.Report().String(), want) {
		t.Errorf("%s\n%s", f[1].OutputSchema(), m.Report())
	}
	var schema struct{ Required []string }
	if err := json.Unmarshal(f[0].OutputSchema(), &schema); err != nil || !slices.Equal(schema.Required, []string{"id"}) {
		t.Errorf("%s, %v", f[0].OutputSchema(), err)
	}
	res, err := call(t.Context(), reg, "shop.t", "a", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	if typed, err := f[0].Typed(t.Context(), res); err != nil || string(typed.Structured) != `{"id":1}` {
		t.Errorf("%s, %v", typed.Structured, err)
	}
}

func TestSwagger2(t *testing.T) {
	doc, err := os.ReadFile("testdata/swagger2.yaml")
	if err != nil {
		t.Fatal(err)
	}
	service := new(recorder)
	reg, m := mount(t, doc, openapi.Handler(service))
	if got := paths(reg); got != "pets.create pets.find pets.upload" {
		t.Fatalf("functions %s\n%s", got, m.Report())
	}
	if _, err := call(t.Context(), reg, "shop.pets", "find", `{"tags":["a","b"],"id":7}`); err != nil {
		t.Fatal(err)
	}
	if got := service.take(); got.URI != "/v1/pets/7?tags=a%7Cb" {
		t.Errorf("sent %+v", got)
	}
	if _, err := call(t.Context(), reg, "shop.pets", "create", `{"name":"Rex"}`); err != nil {
		t.Fatal(err)
	}
	if got := service.take(); got.Body != `{"name":"Rex"}` {
		t.Errorf("sent %+v", got)
	}
}

// The converter reads the whole document or nothing.
func TestSwagger2ToNowhere(t *testing.T) {
	doc := `{"swagger":"2.0","info":{"title":"t","version":"1"},"paths":{
		"/a":{"get":{"operationId":"a","responses":{"200":{"description":"It."}}}},
		"/b":{"post":{"operationId":"b","parameters":[{"$ref":"#/parameters/none"}],"responses":{"200":{"description":"It."}}}}}}`
	reg := registry.New(nil)
	_, err := openapi.Mount(reg, "shop", []byte(doc), openapi.Handler(http.NotFoundHandler()))
	if err == nil || !strings.Contains(err.Error(), "/parameters/none") {
		t.Errorf("error %v", err)
	}
	if got := paths(reg); got != "" {
		t.Errorf("functions %s", got)
	}
}
