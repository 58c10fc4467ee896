package registry_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

// TestExample holds what a made-up call has, and that there is none that would be
// refused.
func TestExample(t *testing.T) {
	for schema, want := range map[string][2]string{
		`{"type":"object"}`: {`{}`, `{}`},
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"]}`:                             {`{"a": "<a>"}`, `{"a": "<a>"}`},
		`{"type":"object","properties":{"a":{"enum":["x<y","z"]},"b":{"type":"boolean","default":true}},"required":["a","b"]}`:       {`{"a": "x<y", "b": true}`, `{"a": "x<y", "b": true}`},
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"number"}},"o":{"type":"object"}},"required":["a","o"]}`: {`{"a": [1], "o": {}}`, `{"a": [1], "o": {}}`},
		`{"type":"object","properties":{"a":{"type":"string","pattern":"^[0-9]{7}$"}},"required":["a"]}`:                             {"", ""},
	} {
		f, err := registry.RawFunc("f", "F.", json.RawMessage(schema), func(context.Context, json.RawMessage) (*registry.Result, error) { return nil, nil })
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]string{string(f.Example(false)), string(f.Example(true))}; got != want {
			t.Errorf("%s: %q, want %q", schema, got, want)
		}
	}
	f := registry.Func("f", "F.", func(context.Context, struct {
		ID    string `json:"id" jsonschema:"I." cash:"example=C-42,pattern='^C-[0-9]+$'"`
		Note  string `json:"note,omitempty" jsonschema:"N."`
		Style string `json:"style,omitempty" jsonschema:"S." cash:"example=plain"`
		Deep  string `json:"deep,omitempty" jsonschema:"D." cash:"example=x,advanced"`
	}) (string, error) {
		return "", nil
	})
	if got, want := string(f.Example(false)), `{"id": "C-42", "style": "plain"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := string(f.Example(true)), `{"id": "C-42", "style": "plain", "deep": "x"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
