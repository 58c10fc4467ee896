package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// answer returns what a function with the given handler answers to arguments.
func answer[In, Out any](t *testing.T, f func(context.Context, In) (Out, error), args string) (*registry.Result, error) {
	t.Helper()
	p, _ := pipelineOf(registry.Func("f", "F.", f), nil)
	return run(p, "f", args)
}

type money struct{ Cents int64 }

func (m money) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%d.%02d", m.Cents/100, m.Cents%100), nil
}

func TestOutputs(t *testing.T) {
	type out struct {
		B string `json:"b"`
		A money  `json:"a"`
	}
	type none struct{}
	text := func(r *registry.Result, err error) string {
		if err != nil {
			return "error: " + string(registry.AsError(err).Kind)
		}
		return r.Text()
	}
	var nothing *out
	for _, tt := range []struct{ name, got, want string }{
		{"string", text(answer(t, func(context.Context, none) (string, error) { return "a <b> & c", nil }, "")), "a <b> & c"},
		{"struct", text(answer(t, func(context.Context, none) (out, error) { return out{"<x> & y", money{1250}}, nil }, "")), `{"b":"<x> & y","a":12.50}`},
		{"pointer", text(answer(t, func(context.Context, none) (*out, error) { return &out{}, nil }, "")), `{"b":"","a":0.00}`},
		{"nil pointer", text(answer(t, func(context.Context, none) (*out, error) { return nothing, nil }, "")), "error: INTERNAL"},
		{"nil slice", text(answer(t, func(context.Context, none) ([]int, error) { return nil, nil }, "")), "[]"},
		{"raw", text(answer(t, func(context.Context, none) (json.RawMessage, error) {
			return json.RawMessage(`{"z":12.50, "a":9007199254740993}`), nil
		}, "")), `{"z":12.50, "a":9007199254740993}`},
		{"no JSON form", text(answer(t, func(context.Context, none) (any, error) { return func() {}, nil }, "")), "error: INTERNAL"},
		{"nil any", text(answer(t, func(context.Context, none) (any, error) { return nil, nil }, "")), "error: INTERNAL"},
		{"content", text(answer(t, func(context.Context, none) (*mcp.TextContent, error) { return &mcp.TextContent{Text: "x"}, nil }, "")), "x"},
		{"nil content", text(answer(t, func(context.Context, none) (mcp.Content, error) { return nil, nil }, "")), "error: INTERNAL"},
		{"contents", text(answer(t, func(context.Context, none) ([]mcp.Content, error) {
			return []mcp.Content{&mcp.TextContent{Text: "x"}, &mcp.ImageContent{Data: []byte{1}}, &mcp.TextContent{Text: "y"}}, nil
		}, "")), "x\ny"},
		{"result", text(answer(t, func(context.Context, none) (*registry.Result, error) { return registry.TextResult("r"), nil }, "")), "r"},
		{"tool result", text(answer(t, func(context.Context, none) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "t"}}, StructuredContent: map[string]int{"a": 1}}, nil
		}, "")), "t"},
		{"int64", text(answer(t, func(context.Context, none) (int64, error) { return 9007199254740993, nil }, "")), "9007199254740993"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, tt.got, tt.want)
		}
	}
}

func TestStructured(t *testing.T) {
	type out struct {
		N int64 `json:"n"`
	}
	get := func(context.Context, echoIn) (out, error) { return out{9007199254740993}, nil }
	p, _ := pipelineOf(registry.Func("f", "", get), nil)
	res, err := run(p, "f", "")
	if err != nil || res.Structured != nil {
		t.Errorf("structured content without being asked for: %s, %v", res.Structured, err)
	}
	p, _ = pipelineOf(registry.Func("f", "", get, registry.Structured), nil)
	res, err = run(p, "f", "")
	if err != nil || string(res.Structured) != `{"n":9007199254740993}` || res.Text() != `{"n":9007199254740993}` {
		t.Errorf("got %s and %s, %v", res.Structured, res.Text(), err)
	}
}

// TestExactIntegers holds integers beyond 2^53 through arguments, typed
// handlers and results.
func TestExactIntegers(t *testing.T) {
	type inner struct {
		ID  int64  `json:"id"`
		Big uint64 `json:"big"`
	}
	type in struct {
		ID   int64           `json:"id"`
		List []inner         `json:"list"`
		Any  any             `json:"any"`
		Map  map[string]any  `json:"map"`
		Raw  json.RawMessage `json:"raw"`
	}
	const args = `{"id":9007199254740993,"list":[{"id":-9007199254740993,"big":18446744073709551615}],"any":9007199254740993,"map":{"x":[9007199254740993]},"raw":9007199254740993}`
	res, err := answer(t, func(_ context.Context, in in) (in_ in, _ error) { return in, nil }, args)
	if err != nil {
		t.Fatal(err)
	}
	if got := res.Text(); got != args {
		t.Errorf("got  %s\nwant %s", got, args)
	}
}

func TestInputForms(t *testing.T) {
	if res, err := answer(t, func(_ context.Context, in map[string]any) (map[string]any, error) { return in, nil }, `{"Any_Key":1.50}`); err != nil || res.Text() != `{"Any_Key":1.50}` {
		t.Errorf("map: %v, %v", res, err)
	}
	if res, err := answer(t, func(_ context.Context, in *echoIn) (string, error) { return in.Text, nil }, `{"text":"x"}`); err != nil || res.Text() != "x" {
		t.Errorf("pointer: %v, %v", res, err)
	}
	if res, err := answer(t, func(_ context.Context, in struct{}) (string, error) { return "ok", nil }, ``); err != nil || res.Text() != "ok" {
		t.Errorf("empty struct: %v, %v", res, err)
	}
	// encoding/json would match this key without regard to case: ſ folds to s.
	_, err := answer(t, func(_ context.Context, in struct {
		CustomerID string `json:"customer_id,omitempty"`
	}) (string, error) {
		return in.CustomerID, nil
	}, `{"cuſtomer_id":"x"}`)
	wantKind(t, err, registry.InvalidArguments)
	_, err = answer(t, func(_ context.Context, in struct {
		In struct {
			A int `json:"a"`
		} `json:"in"`
	}) (int, error) {
		return in.In.A, nil
	}, `{"in":{"A":1}}`)
	wantKind(t, err, registry.InvalidArguments)
}

func TestDefaults(t *testing.T) {
	type in struct {
		Mode  string `json:"mode,omitempty" cash:"enum=fast|slow,default=slow"`
		Count int    `json:"count,omitempty" cash:"min=1,max=9,default=3"`
	}
	h := func(_ context.Context, in in) (string, error) { return fmt.Sprintf("%s %d", in.Mode, in.Count), nil }
	for args, want := range map[string]string{``: "slow 3", `{"count":5}`: "slow 5", `{"MODE":"fast"}`: "fast 3"} {
		if res, err := answer(t, h, args); err != nil || res.Text() != want {
			t.Errorf("%s: got %v, %v; want %s", args, res, err, want)
		}
	}
	for args, want := range map[string]string{`{"count":10}`: "count", `{"mode":"x"}`: "fast, slow", `{"mod":"x"}`: "mode"} {
		_, err := answer(t, h, args)
		wantKind(t, err, registry.InvalidArguments)
		if err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q does not say %q", args, err, want)
		}
	}
}

func TestStreamFunc(t *testing.T) {
	f := registry.StreamFunc("f", "", func(_ context.Context, in echoIn, report func(registry.Progress) error) (string, error) {
		for i := range 3 {
			if err := report(registry.Progress{Done: float64(i + 1), Total: 3, Message: in.Text}); err != nil {
				return "", err
			}
		}
		return "done", nil
	})
	if !f.Streaming() {
		t.Error("not streaming")
	}
	p, _ := pipelineOf(f, nil)
	var got []registry.Progress
	res, err := p.Call(context.Background(), &registry.Request{
		Function: "f", Arguments: json.RawMessage(`{"text":"x"}`),
		Progress: func(_ context.Context, p registry.Progress) error { got = append(got, p); return nil },
	})
	if err != nil || res.Text() != "done" || len(got) != 3 || got[2] != (registry.Progress{Done: 3, Total: 3, Message: "x"}) {
		t.Errorf("got %v, %v, %v", res, err, got)
	}
	if _, err := run(p, "f", `{"text":"nobody listens"}`); err != nil {
		t.Error(err)
	}
}

func TestRawFunc(t *testing.T) {
	h := func(context.Context, json.RawMessage) (*registry.Result, error) {
		return registry.TextResult("ok"), nil
	}
	for _, tt := range []struct{ name, schema, want string }{
		{"no object", `{"type":"string"}`, "object"},
		{"no JSON", `{`, "schema"},
		{"cyclic", `{"type":"object","$ref":"#"}`, "schema"},
		{"R26 parameters", `{"type":"object","properties":{"a_b":{},"aB":{}}}`, "a_b"},
	} {
		if _, err := registry.RawFunc("f", "", json.RawMessage(tt.schema), h); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v does not say %q", tt.name, err, tt.want)
		}
	}
	if _, err := registry.RawFunc("f", "", `{}`, h); err == nil || !strings.Contains(err.Error(), "string") {
		t.Errorf("a schema of another type: %v", err)
	}
	const given = `{ "type": "object",  "properties": {"z":{"type":"integer"},"a":{}} }`
	f, err := registry.RawFunc("f", "", json.RawMessage(given), h)
	if err != nil {
		t.Fatal(err)
	}
	if string(f.InputSchema()) != given {
		t.Errorf("the schema is published as %s", f.InputSchema())
	}
	if ps := f.Params(); len(ps) != 2 || ps[0].Name != "z" || ps[1].Name != "a" {
		t.Errorf("parameters %+v", ps)
	}
}
