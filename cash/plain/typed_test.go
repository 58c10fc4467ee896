package plain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// weather is a result with most kinds of Go types.
type weather struct {
	City     string            `json:"city" jsonschema:"Where."`
	Celsius  *float64          `json:"celsius,omitempty"`
	Sky      []string          `json:"sky"`
	Wind     [2]int8           `json:"wind"`
	Labels   map[string]string `json:"labels"`
	Until    time.Time         `json:"until"`
	Level    slog.Level        `json:"level"`
	Stations []station         `json:"stations,omitempty"`
	Extra    any               `json:"extra"`
}

type station struct {
	ID   uint64 `json:"id"`
	Near *station2
}

type station2 struct{ Name string }

type place struct {
	City string `json:"city" jsonschema:"Where."`
}

func forecast(_ context.Context, in place) (weather, error) {
	half := 0.5
	return weather{City: in.City, Celsius: &half, Sky: []string{"clear"}, Labels: map[string]string{"a": "<b>"}, Until: time.Unix(0, 0).UTC(),
		Stations: []station{{ID: 1<<63 + 1, Near: &station2{"n"}}, {}}, Extra: []any{1}}, nil
}

// The facts of a tool beside its types.
var (
	yes, no    = true, false
	someIcons  = []mcp.Icon{{Source: "https://example.com/i.png", MIMEType: "image/png", Sizes: []string{"48x48"}, Theme: mcp.IconThemeDark}, {Source: "data:image/svg+xml;base64,PHN2Zy8+"}}
	someMeta   = mcp.Meta{"ui": map[string]any{"resourceUri": "ui://shop/card"}, "com.example/n": 12.5}
	someHints  = &mcp.ToolAnnotations{DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &yes}
	hintFacts  = []registry.FuncOption{registry.Destructive(false), registry.Idempotent(true), registry.OpenWorld(true)}
	shownFacts = []registry.FuncOption{registry.Title("Weather"), registry.Icons(someIcons...), registry.Meta(map[string]any(someMeta))}
)

// sdkTool is a tool with all facts.
func sdkTool(name string) *mcp.Tool {
	return &mcp.Tool{Name: name, Description: "Forecast the weather.", Title: "Weather", Icons: someIcons, Meta: someMeta, Annotations: someHints}
}

// sdkServer is a server of the SDK's own with a typed and a raw tool.
func sdkServer() *mcp.Server {
	srv := mcp.NewServer(&mcp.Implementation{Name: "far", Version: "1"}, nil)
	mcp.AddTool(srv, sdkTool("typed"), func(ctx context.Context, _ *mcp.CallToolRequest, in place) (*mcp.CallToolResult, weather, error) {
		out, err := forecast(ctx, in)
		return nil, out, err
	})
	raw := sdkTool("raw")
	raw.InputSchema = json.RawMessage(`{"type":"object"}`)
	srv.AddTool(raw, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "raw"}}}, nil
	})
	return srv
}

// everywhere is a registry with the tools of the SDK's server as functions of its own (near), of an upstream (far), and
// of a catalog (kept). end closes the upstream. A mistake panics, because a process of its own serves it too.
func everywhere() (reg *registry.Registry, end func()) {
	reg = registry.New(nil)
	facts := slices.Concat(hintFacts, shownFacts)
	raw, err := registry.RawFunc("raw", "Forecast the weather.", nil, func(context.Context, json.RawMessage) (*registry.Result, error) {
		return registry.TextResult("raw"), nil
	}, facts...)
	must(err)
	reg.Namespace("near", "").Add(registry.Func("typed", "Forecast the weather.", forecast, facts...), raw)

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	agg := upstream.New(reg, nil)
	must(agg.Add(upstream.Server{Label: "far", Endpoint: upstream.InMemory{Server: sdkServer()}}))
	must(agg.Wait(ctx))

	c := catalog.New(nil)
	_, err = c.Load(keptDocument(ctx))
	must(err)
	must(reg.Replace("kept", c.Tools()))
	return reg, func() { agg.Close(context.Background()) }
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// keptDocument is what the SDK's server lists and answers, as a catalog.
func keptDocument(ctx context.Context) []byte {
	near, far := mcp.NewInMemoryTransports()
	go sdkServer().Run(ctx, far)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(ctx, near, nil)
	must(err)
	defer session.Close()
	list, err := session.ListTools(ctx, nil)
	must(err)
	var tools []map[string]any
	for _, tool := range list.Tools {
		res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool.Name, Arguments: place{"Oslo"}})
		must(err)
		members := make(map[string]any)
		must(json.Unmarshal([]byte(toJSON(tool)), &members))
		members["result"] = res
		tools = append(tools, members)
	}
	return []byte(toJSON(map[string]any{"tools": tools}))
}

// seen is what a client gets of a tool, in a form that can be compared.
type seen struct{ Title, Icons, Meta, Output, Annotations, Structured string }

func look(t *testing.T, c *mcp.ClientSession, tool *mcp.Tool, call bool) seen {
	t.Helper()
	s := seen{tool.Title, toJSON(tool.Icons), toJSON(tool.Meta), sameSchema(t, tool.OutputSchema), toJSON(tool.Annotations), ""}
	if !call {
		return s
	}
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: place{"Oslo"}})
	if err != nil || res.IsError || len(res.Content) != 1 {
		t.Fatalf("%s: %s", tool.Name, spoken(res, err))
	}
	s.Structured = toJSON(res.StructuredContent)
	checkAgainst(t, tool, res)
	return s
}

// sameSchema is a schema in one form: clients up to 2025-11-25 get {} for true.
func sameSchema(t *testing.T, schema any) string {
	t.Helper()
	if schema == nil {
		return "null"
	}
	s := new(jsonschema.Schema)
	if err := json.Unmarshal([]byte(toJSON(schema)), s); err != nil {
		t.Fatal(err)
	}
	return toJSON(s)
}

// checkAgainst holds that the structured content of a result is what the output schema says, by the SDK's own validator.
func checkAgainst(t *testing.T, tool *mcp.Tool, res *mcp.CallToolResult) {
	t.Helper()
	if tool.OutputSchema == nil {
		return
	}
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(toJSON(tool.OutputSchema)), &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case s.Type != "object":
		t.Errorf("%s: the output schema is of %q", tool.Name, s.Type)
	case res.IsError && res.StructuredContent != nil:
		t.Errorf("%s: an error has structured content", tool.Name)
	case !res.IsError && res.StructuredContent == nil:
		t.Errorf("%s: no structured content", tool.Name)
	case !res.IsError:
		if err := resolved.Validate(res.StructuredContent); err != nil {
			t.Errorf("%s: %v: %s", tool.Name, err, toJSON(res.StructuredContent))
		}
	}
}

// TestZ3Facts holds that the facts of a tool reach the wire unchanged: annotations, title, icons, metadata, output schema
// and structured content of a typed and a raw function, of our own, of an upstream and of a catalog, are those of the
// SDK's own server for the same Go types, over every transport. Faces that list tools without their schemas have the
// rest.
func TestZ3Facts(t *testing.T) {
	theirs := wire(t, links[0], sdkServer())
	list, err := theirs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := make(map[string]seen)
	for _, tool := range list.Tools {
		want[tool.Name] = look(t, theirs, tool, true)
	}
	reg, end := everywhere()
	defer end()
	ids := make(map[string]string)
	for f := range reg.All() {
		ids[f.ID().String()] = f.FlatName()
	}
	type face struct {
		srv  cashtest.Face
		full bool // lists output schemas, and can be called by the name
		name func(string) string
	}
	same := func(name string) string { return name }
	for name, f := range map[string]face{
		"plain":      {plain.NewServer(reg, nil), true, same},
		"disclosure": {disclosure.NewServer(reg, &disclosure.Options{Grants: new(disclosure.Grants)}), false, same},
		"proxy":      {gateway.NewServer(reg, &gateway.Options{Mode: gateway.Proxy}), false, func(id string) string { return ids[id] }},
	} {
		for _, l := range links {
			t.Run(name+" "+l.String(), func(t *testing.T) {
				facts(t, l.Connect(t, f.srv, nil, nil).Session, f.full, f.name, want)
			})
		}
	}
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run("plain stdio "+version, func(t *testing.T) {
			cmd := command(t)
			cmd.Env = append(cmd.Env, asServer+"=facts")
			facts(t, (&cashtest.Dialer{Version: version}).ConnectCommand(t, cmd).Session, true, same, want)
		})
	}
}

// facts compares the tools of a session with those of the SDK's server.
func facts(t *testing.T, session *mcp.ClientSession, full bool, name func(string) string, want map[string]seen) {
	t.Helper()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]bool)
	for _, tool := range list.Tools {
		flat := name(tool.Name)
		_, kind, _ := strings.Cut(flat, "-")
		kind = strings.TrimPrefix(kind, "mcp-") // the namespace that the catalog gives it
		expected, ok := want[kind]
		if !ok {
			continue // a tool of the face itself
		}
		got[flat] = true
		is := look(t, session, tool, full)
		if !full {
			expected.Output, expected.Structured = "null", ""
		}
		if flat != tool.Name { // the proxy has no annotations
			is.Annotations = expected.Annotations
		}
		if is != expected {
			t.Errorf("%s:\n%+v\nwant\n%+v", flat, is, expected)
		}
	}
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, []string{"far-raw", "far-typed", "kept-mcp-raw", "kept-mcp-typed", "near-raw", "near-typed"}) {
		t.Errorf("tools %v", names)
	}
}

// TestZ3Export holds that an exported catalog has the same facts.
func TestZ3Export(t *testing.T) {
	reg, end := everywhere()
	defer end()
	data, err := catalog.Export(t.Context(), reg, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Tools []*mcp.Tool }
	if err := json.Unmarshal(data, &doc); err != nil || len(doc.Tools) != 6 {
		t.Fatal(err, string(data))
	}
	schema := ""
	for _, tool := range doc.Tools {
		var meta map[string]any
		if err := json.Unmarshal([]byte(toJSON(someMeta)), &meta); err != nil {
			t.Fatal(err)
		}
		for key, value := range meta {
			if !reflect.DeepEqual(tool.Meta[key], value) {
				t.Errorf("%s: _meta %s", tool.Name, toJSON(tool.Meta))
			}
		}
		if tool.Title != "Weather" || toJSON(tool.Icons) != toJSON(someIcons) {
			t.Errorf("%s: title %q, icons %s", tool.Name, tool.Title, toJSON(tool.Icons))
		}
		if typed := strings.HasSuffix(tool.Name, "typed"); typed != (tool.OutputSchema != nil) {
			t.Errorf("%s: output schema %s", tool.Name, toJSON(tool.OutputSchema))
		} else if typed && schema != "" && schema != toJSON(tool.OutputSchema) {
			t.Errorf("%s: output schema %s", tool.Name, toJSON(tool.OutputSchema))
		} else if typed {
			schema = toJSON(tool.OutputSchema)
		}
	}
}

// sdkSchema is the output schema that the SDK lists for a type.
func sdkSchema[Out any](t *testing.T) string {
	t.Helper()
	srv := mcp.NewServer(&mcp.Implementation{Name: "s"}, nil)
	mcp.AddTool(srv, &mcp.Tool{Name: "f"}, func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, Out, error) {
		var out Out
		return nil, out, nil
	})
	list, err := wire(t, links[3], srv).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return toJSON(list.Tools[0].OutputSchema)
}

// TestSchemasForOlder holds that clients up to 2025-11-25, of which some accept nothing else, get objects for properties
// that anything or nothing fits.
func TestSchemasForOlder(t *testing.T) {
	reg := registry.New(nil)
	const schema = `{"type":"object","properties":{"a":true,"b":false,"c":{"properties":{"d":true}}},"additionalProperties":true}`
	f, err := registry.RawFunc("f", "", json.RawMessage(schema), func(context.Context, json.RawMessage) (*registry.Result, error) {
		return registry.TextResult(`{}`), nil
	}, registry.OutputSchema(json.RawMessage(schema)))
	must(err)
	reg.Namespace("", "").Add(f)
	for _, l := range links {
		want := `{"additionalProperties":true,"properties":{"a":true,"b":false,"c":{"properties":{"d":true}}},"type":"object"}`
		if l.Version < "2026" {
			want = strings.NewReplacer(`"a":true`, `"a":{}`, `"b":false`, `"b":{"not":{}}`).Replace(want)
		}
		tool := l.Connect(t, plain.NewServer(reg, nil), nil, nil).Tools()[0]
		if in, out := toJSON(tool.InputSchema), toJSON(tool.OutputSchema); in != want || out != want {
			t.Errorf("%s: %s and %s, want %s", l, in, out, want)
		}
	}
}

type (
	box struct {
		Map  map[string]int  `json:"map"`
		List []int           `json:"list"`
		Deep map[string]box2 `json:"deep"`
	}
	box2 struct {
		Map  map[string]string
		Next *box3
	}
	box3  struct{ Maps []map[string]bool }
	chain struct{ Next *chain }
	odd   struct {
		Raw    json.RawMessage `json:"raw"`
		Bytes  []byte          `json:"bytes"`
		Number json.Number     `json:"number"`
		Own    ownJSON         `json:"own"`
		OwnP   *ownJSON        `json:"own_p"`
		Quoted quoted          `json:"quoted"`
		Based  based           `json:"based"`
		Named  named2          `json:"named"`
	}
	ownJSON struct{ A int }
	quoted  struct {
		N int64 `json:",string"`
	}
	based struct {
		*place
		B int
	}
	named2 struct {
		place `json:"place"`
	}
)

func (ownJSON) MarshalJSON() ([]byte, error) { return []byte(`"mine"`), nil }

// returns adds a function with a result.
func returns[Out any](reg *registry.Registry, name string, out Out, facts ...registry.FuncOption) {
	reg.Namespace("", "").Add(registry.Func(name, "Get "+name+".", func(context.Context, none) (Out, error) { return out, nil }, facts...))
}

// wrapped is the output schema of a result that is no object.
func wrapped(member, schema string) string {
	return fmt.Sprintf(`{"additionalProperties":false,"properties":{%q:%s},"required":[%q],"type":"object"}`, member, schema, member)
}

// TestTypedResults holds the form of each type of results, and that it fits its schema also where the SDK's does not.
func TestTypedResults(t *testing.T) {
	reg := registry.New(nil)
	want := make(map[string][2]string) // output schema, structured content
	returns(reg, "text", "a <b>")
	want["text"] = [2]string{wrapped("text", sdkSchema[string](t)), `{"text":"a \u003cb\u003e"}`}
	returns(reg, "textual", `{"a":1}`)
	want["textual"] = [2]string{wrapped("text", sdkSchema[string](t)), `{"text":"{\"a\":1}"}`}
	returns(reg, "list", []station{})
	want["list"] = [2]string{wrapped("value", sdkSchema[[]station](t)), `{"value":[]}`}
	returns[[]int](reg, "nil_list", nil)
	want["nil_list"] = [2]string{wrapped("value", sdkSchema[[]int](t)), `{"value":[]}`}
	returns(reg, "number", 7)
	want["number"] = [2]string{wrapped("value", sdkSchema[int](t)), `{"value":7}`}
	returns(reg, "time", time.Unix(0, 0).UTC())
	want["time"] = [2]string{wrapped("value", sdkSchema[time.Time](t)), `{"value":"1970-01-01T00:00:00Z"}`}
	returns(reg, "pointer", &place{"Oslo"})
	want["pointer"] = [2]string{sdkSchema[*place](t), `{"city":"Oslo"}`}
	returns[map[string]int](reg, "nil_map", nil)
	want["nil_map"] = [2]string{sdkSchema[map[string]int](t), `{}`}
	returns(reg, "box", box{Deep: map[string]box2{"x": {Next: &box3{[]map[string]bool{nil}}}}})
	want["box"] = [2]string{sdkSchema[box](t), `{"deep":{"x":{"Map":{},"Next":{"Maps":[{}]}}},"list":null,"map":{}}`}
	returns(reg, "odd", odd{Raw: json.RawMessage(`[1]`), Bytes: []byte("ab"), Number: "12.5", OwnP: new(ownJSON)})
	want["odd"] = [2]string{"", `{"based":{"B":0},"bytes":"YWI=","named":{"place":{"city":""}},"number":12.5,"own":"mine","own_p":"mine","quoted":{"N":"0"},"raw":[1]}`}
	returns(reg, "declared", []int{1}, registry.OutputSchema(json.RawMessage(`{"type":"array","items":{"$ref":"#/$defs/n"},"$defs":{"n":{"type":"integer"}}}`)))
	want["declared"] = [2]string{`{"additionalProperties":false,"properties":{"value":{"$defs":{"n":{"type":"integer"}},"items":{"$ref":"#/properties/value/$defs/n"},"type":"array"}},"required":["value"],"type":"object"}`, `{"value":[1]}`}
	type nested []nested
	returns(reg, "recursive", nested{{}, {{}}}, registry.OutputSchema(json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"array","items":{"$ref":"#"}}`)))
	want["recursive"] = [2]string{`{"$schema":"https://json-schema.org/draft/2020-12/schema","additionalProperties":false,"properties":{"value":{"items":{"$ref":"#/properties/value"},"type":"array"}},"required":["value"],"type":"object"}`, `{"value":[[],[[]]]}`}
	returns(reg, "lies", place{"Oslo"}, registry.OutputSchema(json.RawMessage(`{"type":"object","required":["country"]}`)))
	want["lies"] = [2]string{`{"required":["country"],"type":"object"}`, "null"}
	returns(reg, "structured", []int{1}, registry.Structured)
	want["structured"] = [2]string{wrapped("value", sdkSchema[[]int](t)), `{"value":[1]}`}
	for name, out := range map[string]func(string){
		"any":    func(n string) { returns[any](reg, n, map[string]int{"a": 1}) },
		"raw":    func(n string) { returns(reg, n, json.RawMessage(`{"a":1}`)) },
		"own":    func(n string) { returns(reg, n, ownJSON{}) },
		"chain":  func(n string) { returns(reg, n, chain{new(chain)}) },
		"blocks": func(n string) { returns(reg, n, []mcp.Content{&mcp.TextContent{Text: "x"}}) },
		"result": func(n string) { returns(reg, n, registry.TextResult("x")) },
		"quiet":  func(n string) { returns(reg, n, place{"Oslo"}, registry.TextOnly) },
	} {
		out(name)
		want[name] = [2]string{"null", "null"}
	}
	log := new(strings.Builder)
	srv := plain.NewServer(reg, &plain.Options{Serve: serve.Options{Logger: slog.New(slog.NewTextHandler(log, nil))}})
	for _, l := range links {
		c := l.Connect(t, srv, nil, nil)
		for _, tool := range c.Tools() {
			res, err := c.Session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name})
			if err != nil || res.IsError {
				t.Fatal(spoken(res, err))
			}
			if tool.Name != "lies" {
				checkAgainst(t, tool, res)
			}
			w := want[tool.Name]
			if got := toJSON(tool.OutputSchema); w[0] != "" && got != w[0] {
				t.Errorf("%s: output schema\n%s, want\n%s", tool.Name, got, w[0])
			}
			if got := toJSON(res.StructuredContent); got != w[1] {
				t.Errorf("%s: structured content\n%s, want\n%s", tool.Name, got, w[1])
			}
		}
	}
	if !strings.Contains(log.String(), "lies") || strings.Contains(log.String(), "Oslo") {
		t.Errorf("the log says %s", log)
	}
	quiet := cashtest.Connect(t, plain.NewServer(reg, &plain.Options{TextOnly: true}))
	for _, tool := range quiet.Tools() {
		if r := quiet.Tool(tool.Name, nil).OK(); tool.OutputSchema != nil || r.Raw.StructuredContent != nil || len(r.Raw.Content) == 0 {
			t.Errorf("%s: %s %s", tool.Name, toJSON(tool), toJSON(r.Raw))
		}
	}
}

// TestTypedErrors holds that errors have no structured content, also if they come from elsewhere, and that results which
// do not fit are sent as text.
func TestTypedErrors(t *testing.T) {
	theirs := mcp.NewServer(&mcp.Implementation{Name: "far"}, nil)
	answers := map[string]*mcp.CallToolResult{
		"right":   {StructuredContent: json.RawMessage(`{"n":9007199254740993,"a":1.50}`), Content: []mcp.Content{&mcp.TextContent{Text: "one"}}},
		"wrong":   {StructuredContent: json.RawMessage(`{"n":"x"}`)},
		"missing": {Content: []mcp.Content{&mcp.TextContent{Text: "one"}}},
		"failed":  {StructuredContent: json.RawMessage(`{"n":1}`), IsError: true},
	}
	for name, res := range answers {
		theirs.AddTool(&mcp.Tool{
			Name: name, InputSchema: json.RawMessage(`{"type":"object"}`),
			OutputSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`),
		}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return res, nil })
	}
	theirs.AddTool(&mcp.Tool{Name: "list", InputSchema: json.RawMessage(`{"type":"object"}`), OutputSchema: json.RawMessage(`{"type":"array"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{StructuredContent: json.RawMessage(`[1]`), Content: []mcp.Content{&mcp.TextContent{Text: "[1]"}}}, nil
		})
	srv := mounted(t, upstream.Server{Label: "far", Endpoint: upstream.InMemory{Server: theirs}})
	for _, l := range links {
		c := l.Connect(t, srv, nil, nil)
		newest := l.Version > "2026"
		for _, tool := range c.Tools() {
			if tool.Name == "far-list" && (tool.OutputSchema != nil) != newest {
				t.Errorf("%s: output schema %s", l, toJSON(tool.OutputSchema))
			}
		}
		for name, want := range map[string]string{
			"right": `{"a":1.5,"n":9007199254740992}`, "wrong": "null", "missing": "null", "failed": "null", "list": map[bool]string{true: "[1]", false: "null"}[newest],
		} {
			res, err := c.Session.CallTool(t.Context(), &mcp.CallToolParams{Name: "far-" + name})
			if err != nil || res.IsError != (name == "failed") || len(res.Content) != 1 || toJSON(res.StructuredContent) != want {
				t.Errorf("%s: %s: %s", l, name, spoken(res, err))
			}
		}
	}
}
