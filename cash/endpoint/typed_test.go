package endpoint_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestK1ResultSchema holds that the result_schema of a descriptor is inferred from the Go type, with the wrapper of a
// result that is no object, and that results are as it says.
func TestK1ResultSchema(t *testing.T) {
	type order struct {
		ID    string   `json:"id" jsonschema:"Number of the order."`
		Items []string `json:"items"`
	}
	reg := registry.New(nil)
	ns := reg.Namespace("", "")
	add := func(f *registry.Function) { ns.Add(f) }
	add(returning("object", order{ID: "A-1"}))
	add(returning("list", []order{{ID: "A-1"}}))
	add(returning("text", "hello"))
	add(returning("json_text", `{"a":1}`))
	add(returning("number", 7))
	add(returning("anything", any(map[string]int{"a": 1})))
	const (
		orders  = `{"type":"object","properties":{"id":{"type":"string","description":"Number of the order."},"items":{"type":["null","array"],"items":{"type":"string"}}},"required":["id","items"],"additionalProperties":false}`
		wrapper = `{"type":"object","properties":{%q:%s},"required":[%[1]q],"additionalProperties":false}`
	)
	for name, want := range map[string][2]string{
		"object":    {orders, `{"id":"A-1","items":null}`},
		"list":      {fmt.Sprintf(wrapper, "value", `{"type":["null","array"],"items":`+orders+`}`), `{"value":[{"id":"A-1","items":null}]}`},
		"text":      {fmt.Sprintf(wrapper, "text", `{"type":"string"}`), `{"text":"hello"}`},
		"json_text": {fmt.Sprintf(wrapper, "text", `{"type":"string"}`), `{"text":"{\"a\":1}"}`},
		"number":    {fmt.Sprintf(wrapper, "value", `{"type":"integer"}`), `{"value":7}`},
		"anything":  {`{"type":"object"}`, `{"a":1}`},
	} {
		d := descriptor(t, reg, name)
		if got := string(d.ResultSchema); got != want[0] && name != "anything" {
			t.Errorf("%s: result_schema\n%s, want\n%s", name, got, want[0])
		}
		members, exit := ask(t, endpoint.New(reg, nil), `{"action":"call_tool","tool":"`+name+`","arguments":{}}`)
		if got := string(members["result"]); exit != 0 || got != want[1] {
			t.Errorf("%s: result %s, want %s", name, got, want[1])
		}
		var s jsonschema.Schema
		if err := json.Unmarshal(d.ResultSchema, &s); err != nil {
			t.Fatal(err)
		}
		resolved, err := s.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(members["result"], &value); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(value); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// returning is a function with one result.
func returning[Out any](name string, out Out) *registry.Function {
	return registry.Func(name, "Get it.", func(context.Context, struct{}) (Out, error) { return out, nil })
}
