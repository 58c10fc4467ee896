package upstream_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// Every prompt has an id, however many would have the same one: below a label
// that leaves no room for names they are told apart by numbers alone.
func TestW40EveryPromptHasAnID(t *testing.T) {
	many := sized(10_000, 2000)
	list := make([]string, many)
	for i := range list {
		list[i] = fmt.Sprintf(`{"name":"%sp%d"}`, strings.Repeat("x", i%5), i)
	}
	for _, label := range []string{"corp", "corp." + strings.Repeat("y", 150)} {
		schemas, dropped, ok := upstream.ReadPrimitives(toolid.Prompt, label, json.RawMessage("["+strings.Join(list, ",")+"]"))
		if !ok || len(dropped) > 0 || len(schemas) != many {
			t.Errorf("below %.10s there are %d ids, and %q were left out", label, len(schemas), dropped)
		}
	}
}

// Hashes are short, so that a server can make two URIs of one. Each resource has
// an id all the same.
func TestW40ForgedURIs(t *testing.T) {
	seen := make(map[string]string)
	for i := 0; ; i++ {
		uri := fmt.Sprint("a:", i)
		id, err := toolid.FromResource("corp", "x", uri)
		if err != nil {
			t.Fatal(err)
		}
		other, forged := seen[id.Hash]
		if !forged {
			seen[id.Hash] = uri
			continue
		}
		list := fmt.Sprintf(`[{"uri":%q,"name":"x"},{"uri":%q,"name":"x"}]`, uri, other)
		schemas, dropped, ok := upstream.ReadPrimitives(toolid.Resource, "corp", json.RawMessage(list))
		second := id
		second.Name = "x_2"
		if !ok || len(dropped) > 0 || len(schemas) != 2 || schemas[id] == nil || schemas[second] == nil {
			t.Errorf("got %v, %q", schemas, dropped)
		}
		return
	}
}

// A prompt whose name is made to fit has an id that becomes nobody else's, whoever
// comes later.
func TestW37IDsAreNotPassedOn(t *testing.T) {
	var later atomic.Bool
	s := shelve(t, memory("a", handmade(func(method string, _ json.RawMessage) (string, error) {
		switch {
		case method == "resources/list":
			return `{"resources":[]}`, nil
		case method == "prompts/list" && later.Load():
			return `{"prompts":[{"name":"a!b"},{"name":"a b"},{"name":"a_b"},{"name":"a_b_2"}]}`, nil
		case method == "prompts/list":
			return `{"prompts":[{"name":"a b"},{"name":"a_b"}]}`, nil
		}
		return "", nil
	})))
	before := primitivesOf(t, s.prompts)
	later.Store(true)
	if err := s.agg.Refresh(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	after := primitivesOf(t, s.prompts)
	if len(before) != 2 || len(after) != 4 || before["a b"] != after["a b"] || before["a_b"] != after["a_b"] {
		t.Errorf("before there were %v, and then %v", before, after)
	}
	var names []string
	for _, id := range after {
		names = append(names, id.Name)
	}
	slices.Sort(names)
	if want := []string{"a_b", "a_b", "a_b", "a_b_2"}; !slices.Equal(names, want) {
		t.Errorf("the ids are of %q", names)
	}
}

// primitivesOf returns the ids of all that is in reg, each of which leads there,
// by what the server calls it.
func primitivesOf(t *testing.T, reg *registry.Registry) map[string]toolid.Primitive {
	t.Helper()
	ids := make(map[string]toolid.Primitive)
	for f := range reg.All() {
		ids[f.Tool()] = f.Primitive()
		if g, err := registry.Find(t.Context(), reg, f.Primitive()); g != f {
			t.Errorf("%s is %v, %v", f.Primitive(), g, err)
		}
	}
	return ids
}

// What a tool does not show of its definition counts too: neither an approval nor
// a result that is kept passes on to another one.
func TestW36WholeDefinitions(t *testing.T) {
	definition := func(tool string) string {
		t.Helper()
		_, agg, reg := aggregate(t, nil, upstream.Server{Label: "a", Endpoint: upstream.Command{Path: "/nowhere"}})
		d := new(pin.Definition)
		var raw map[string]json.RawMessage
		if err := json.Unmarshal([]byte(tool), &raw); err != nil {
			t.Fatal(err)
		}
		d.Name, d.InputSchema, d.OutputSchema, d.Annotations = "run", raw["inputSchema"], raw["outputSchema"], raw["annotations"]
		adopt, err := upstream.Catalog(agg, "a", d)
		if err != nil {
			t.Fatal(err)
		}
		adopt()
		f, err := reg.Function(t.Context(), "a", "run")
		if err != nil {
			t.Fatal(err)
		}
		return f.Definition()
	}
	seen := make(map[string]string)
	for _, tool := range []string{
		`{"inputSchema":{"type":"object"}}`,
		`{"inputSchema":{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}}`,
		`{"inputSchema":{"type":"object","properties":{"b":{"$ref":"#/properties/b"}}}}`,
		`{"inputSchema":{"type":"object"},"annotations":{"openWorldHint":true}}`,
		`{"inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"a":{"minimum":1}}}}`,
		`{"inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"a":{"minimum":2}}}}`,
	} {
		d := definition(tool)
		if other, dup := seen[d]; dup {
			t.Errorf("%s and %s have one definition", other, tool)
		}
		seen[d] = tool
	}
	if again := definition(`{"inputSchema": {"type": "object"}}`); seen[again] == "" {
		t.Error("the same definition is another one")
	}
}
