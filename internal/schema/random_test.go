package schema_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/schema"
)

// large is for tests of sizes in which nothing runs side by side. With the race detector they take minutes.
func large(t *testing.T) {
	if testing.Short() {
		t.Skip("in full without -short")
	}
}

// TestRandomSchemasAgree compares verdicts with jsonschema-go on schemas and
// values that are made to meet each other: few names, few numbers, every
// keyword. The seed is fixed.
func TestRandomSchemasAgree(t *testing.T) {
	large(t)
	g := generator{rand.New(rand.NewPCG(1, 2))}
	accepted, refused := 0, 0
	for range 3_000 {
		text := marshal(t, map[string]any{"allOf": []any{g.schema(3)}, "$defs": map[string]any{"d": g.schema(1)}})
		s, err := schema.Parse(text)
		if err != nil {
			t.Fatalf("Parse(%s) = %v", text, err)
		}
		resolved := oracle(t, text)
		if resolved == nil {
			t.Fatalf("jsonschema-go refuses %s", text)
		}
		for range 5 {
			value := g.value(3)
			data := marshal(t, value)
			ours, theirs := s.Check(context.Background(), data), resolved.Validate(value)
			if (ours == nil) != (theirs == nil) {
				t.Fatalf("ours: %v\ntheirs: %v\n%s\n%s", ours, theirs, text, data)
			}
			if ours == nil {
				accepted++
				continue
			}
			refused++
			checkError(t, ours)
		}
	}
	if accepted < 2_000 || refused < 2_000 {
		t.Errorf("%d accepted and %d refused say little", accepted, refused)
	}
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

type generator struct{ *rand.Rand }

var (
	someNames  = []string{"a", "b", "c", "ab"}
	someValues = []any{nil, true, false, 0.0, 1.0, 2.0, 2.5, "", "a", "b", "ab", []any{}, []any{1.0}, map[string]any{}, map[string]any{"a": 1.0}}
	someTypes  = []string{"null", "boolean", "number", "integer", "string", "array", "object"}
)

func (g generator) name() string { return someNames[g.IntN(len(someNames))] }

// value makes an instance.
func (g generator) value(depth int) any {
	if depth == 0 || g.IntN(3) == 0 {
		return someValues[g.IntN(len(someValues))]
	}
	if g.IntN(2) == 0 {
		list := make([]any, g.IntN(4))
		for i := range list {
			list[i] = g.value(depth - 1)
		}
		return list
	}
	object := map[string]any{}
	for range g.IntN(4) {
		object[g.name()] = g.value(depth - 1)
	}
	return object
}

// schema makes a schema of some keywords.
func (g generator) schema(depth int) any {
	if g.IntN(12) == 0 {
		return g.IntN(3) > 0
	}
	s := map[string]any{}
	for range 1 + g.IntN(3) {
		g.keyword(s, depth)
	}
	return s
}

func (g generator) schemas(depth int) []any {
	list := make([]any, 1+g.IntN(3))
	for i := range list {
		list[i] = g.schema(depth)
	}
	return list
}

func (g generator) schemaMap(names []string, depth int) map[string]any {
	m := map[string]any{}
	for range 1 + g.IntN(2) {
		m[names[g.IntN(len(names))]] = g.schema(depth)
	}
	return m
}

func (g generator) names() []any {
	set := map[string]bool{}
	var list []any
	for range 1 + g.IntN(2) {
		if n := g.name(); !set[n] {
			set[n] = true
			list = append(list, n)
		}
	}
	return list
}

// keyword adds one keyword, with subschemas only while depth lasts.
func (g generator) keyword(s map[string]any, depth int) {
	leaf := []func(){
		func() { s["type"] = someTypes[g.IntN(len(someTypes))] },
		func() { s["type"] = []any{someTypes[g.IntN(3)], someTypes[3+g.IntN(4)]} },
		func() { s["enum"] = []any{someValues[g.IntN(len(someValues))], "a", 1.0} },
		func() { s["const"] = someValues[g.IntN(len(someValues))] },
		func() { s["minimum"] = g.IntN(3) },
		func() { s["exclusiveMaximum"] = g.IntN(4) },
		func() { s["multipleOf"] = 0.5 * float64(1+g.IntN(3)) },
		func() { s["minLength"] = g.IntN(3) },
		func() { s["maxLength"] = g.IntN(3) },
		func() { s["pattern"] = []string{"^a", "b$", "^$"}[g.IntN(3)] },
		func() { s["minItems"] = g.IntN(3) },
		func() { s["maxItems"] = g.IntN(3) },
		func() { s["uniqueItems"] = true },
		func() { s["required"] = g.names() },
		func() { s["minProperties"] = g.IntN(3) },
		func() { s["maxProperties"] = g.IntN(3) },
		func() { s["dependentRequired"] = map[string]any{g.name(): g.names()} },
		func() { s["$ref"] = "#/$defs/d" },
	}
	nested := []func(){
		func() { s["properties"] = g.schemaMap(someNames, depth-1) },
		func() { s["patternProperties"] = g.schemaMap([]string{"^a", "b$"}, depth-1) },
		func() { s["additionalProperties"] = g.schema(depth - 1) },
		func() { s["propertyNames"] = g.schema(depth - 1) },
		func() { s["items"] = g.schema(depth - 1) },
		func() { s["prefixItems"] = g.schemas(depth - 1) },
		func() { s["contains"] = g.schema(depth - 1) },
		func() { s["contains"], s["minContains"] = g.schema(depth-1), g.IntN(3) },
		func() { s["contains"], s["maxContains"] = g.schema(depth-1), g.IntN(3) },
		func() { s["allOf"] = g.schemas(depth - 1) },
		func() { s["anyOf"] = g.schemas(depth - 1) },
		func() { s["oneOf"] = g.schemas(depth - 1) },
		func() { s["not"] = g.schema(depth - 1) },
		func() { s["if"], s["then"], s["else"] = g.schema(depth-1), g.schema(depth-1), g.schema(depth-1) },
		func() { s["dependentSchemas"] = g.schemaMap(someNames, depth-1) },
		func() { s["unevaluatedProperties"] = g.schema(depth - 1) },
		func() { s["unevaluatedItems"] = g.schema(depth - 1) },
	}
	if depth == 0 {
		leaf[g.IntN(len(leaf)-1)]() // the definition does not refer to itself
		return
	}
	if i := g.IntN(len(leaf) + 2*len(nested)); i < len(leaf) {
		leaf[i]()
	} else {
		nested[(i-len(leaf))%len(nested)]()
	}
	if _, ok := s["$ref"]; ok && depth == 1 {
		delete(s, "$ref") // as above
		s["title"] = fmt.Sprint(depth)
	}
}
