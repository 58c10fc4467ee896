package schema_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// plainTypes are Go types that jsonschema-go infers as we do, but for null in
// slices.
var plainTypes = []reflect.Type{
	reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](),
	reflect.TypeFor[uint](), reflect.TypeFor[float32](), reflect.TypeFor[bool](), reflect.TypeFor[any](), reflect.TypeFor[[3]bool](),
	reflect.TypeFor[map[string]int](), reflect.TypeFor[plain](),
}

type line struct {
	Product  string `json:"product_id"`
	Quantity uint8  `json:"quantity"`
}

type plain struct {
	Name  string           `json:"name" jsonschema:"What it is called."`
	Note  *string          `json:"note"`
	Count int              `json:"count,omitempty"`
	Ratio float64          `json:"ratio,omitzero"`
	Tags  []string         `json:"tags"`
	Items []*line          `json:"items,omitempty"`
	Sizes map[string]int16 `json:"sizes,omitempty"`
	Pair  [2]bool          `json:"pair,omitempty"`
	Free  any              `json:"free,omitempty"`
	Inner struct {
		On bool
	} `json:"inner,omitempty"`
}

// TestInferenceAgrees holds our inference to that of jsonschema-go.
func TestInferenceAgrees(t *testing.T) {
	for _, typ := range plainTypes {
		t.Run(typ.String(), func(t *testing.T) {
			want, err := jsonschema.ForType(typ, nil)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			// Null in slices is the one deviation: it says nothing that [] does not.
			text = regexp.MustCompile(`"type":\["null","array"\]`).ReplaceAll(text, []byte(`"type":"array"`))
			ours, err := schema.ForType(typ)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := normal(t, ours.JSON()), normal(t, text); !reflect.DeepEqual(a, b) {
				t.Errorf("\n ours %s\ntheirs %s", ours.JSON(), text)
			}
		})
	}
}

// normal decodes a schema, with types and required names as sets.
func normal(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return asSets(v)
}

func asSets(v any) any {
	switch v := v.(type) {
	case bool:
		if v {
			return map[string]any{} // true and {} are the same schema
		}
	case map[string]any:
		for k, e := range v {
			if list, ok := e.([]any); ok && (k == "type" || k == "required") {
				set := map[any]bool{}
				for _, w := range list {
					set[w] = true
				}
				v[k] = set
			} else {
				v[k] = asSets(e)
			}
		}
	case []any:
		for i := range v {
			v[i] = asSets(v[i])
		}
	}
	return v
}

// oracle validates with jsonschema-go.
func oracle(t testing.TB, text []byte) *jsonschema.Resolved {
	t.Helper()
	var doc jsonschema.Schema
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil
	}
	resolved, err := doc.Resolve(nil)
	if err != nil {
		return nil
	}
	return resolved
}

// stricter are our rules that go beyond the published schema of a Go type: the
// ranges and spellings of Go numbers, formats, base64 and types that decode
// themselves.
var stricter = map[string]bool{"type": true, "format": true, "contentEncoding": true}

// FuzzTypedOracle compares the checks of Go types with jsonschema-go, which
// validates what we publish. What we accept it accepts; what we refuse it
// refuses too, unless the rule is one of ours.
func FuzzTypedOracle(f *testing.F) {
	types := append([]reflect.Type{reflect.TypeFor[createOrder](), reflect.TypeFor[everything]()}, plainTypes...)
	for i, doc := range []string{
		string(orderArgs), `{"id":"a","shadowed":"b","i8":7,"list":[{"tags":["x"]}],"any":[1]}`, `"a"`, `12`, `-3`, `{"a":1}`,
		`{"name":"a","note":null,"tags":["a"],"items":[{"product_id":"a","quantity":1},null],"sizes":{"a":3},"pair":[true,false],"inner":{"On":true}}`,
	} {
		f.Add(uint8(i), []byte(doc))
	}
	oracles := make([]*jsonschema.Resolved, len(types))
	for i, typ := range types {
		s, err := schema.ForType(typ)
		if err != nil {
			f.Fatal(err)
		}
		if oracles[i] = oracle(f, s.JSON()); oracles[i] == nil {
			f.Fatalf("jsonschema-go refuses %s", s.JSON())
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		i := int(which) % len(types)
		s, _ := schema.ForType(types[i])
		var v any
		if strictjson.Check(data) != nil || json.Unmarshal(data, &v) != nil {
			return
		}
		ours, theirs := s.Check(context.Background(), data), oracles[i].Validate(v)
		switch {
		case ours == nil && theirs != nil:
			t.Fatalf("%s: we accept, jsonschema-go says: %v\n%s", types[i], theirs, data)
		case ours != nil && theirs == nil && !onlyStricter(ours):
			t.Fatalf("%s: jsonschema-go accepts, we say: %v\n%s", types[i], ours, data)
		}
	})
}

// onlyStricter reports whether all violations are by rules of our own.
func onlyStricter(err error) bool {
	var e *schema.Error
	if !errors.As(err, &e) {
		return false
	}
	for _, v := range e.Violations {
		if !stricter[v.Rule] {
			return false
		}
	}
	return true
}

// inexact finds numbers and rules that jsonschema-go does not treat exactly:
// numbers beyond float64, multiples by division, formats that it does not know.
var inexact = regexp.MustCompile(`[0-9]{9}|[0-9][.eE]|multipleOf`)

// deviating are the keywords on which the two differ, each with its reason.
var deviating = map[string]string{
	"$id":            "base URIs without an absolute root",
	"$schema":        "jsonschema-go refuses drafts that it does not know",
	"$recursiveRef":  "2019-09 only",
	"exclusiveM":     "draft-04's booleans",
	"example":        "not in its struct",
	"required":       "draft-03's booleans",
	"$anchor":        "two of one name",
	"$dynamicAnchor": "two of one name",
	"$vocabulary":    "selects nothing here",
	"pattern":        "jsonschema-go takes ECMA-262 for RE2: \\s is ASCII, a dot matches U+2028, [^] and \\u0041 are errors",
	"then":           "without if",
	"dependencies":   "beside its two successors",
}

// FuzzParse compiles and applies hostile schemas: nothing panics, the budget
// holds, errors keep their form, and jsonschema-go agrees where it can be asked
// without harm.
func FuzzParse(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"type":"object","properties":{"a":{"type":["integer","null"],"minimum":3}},"required":["a"],"additionalProperties":false}`, `{"a":4}`},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"items":{"$ref":"#"},"maxItems":2}}}`, `[[],[[]]]`},
		{`{"oneOf":[{"type":"string"},{"enum":[1,{"b":[1.0]}]}],"not":{"const":2}}`, `{"b":[1]}`},
		{`{"$id":"http://x/","$dynamicAnchor":"n","items":{"$dynamicRef":"#n"},"unevaluatedItems":false}`, `[[],1]`},
		{`{"if":{"required":["a"]},"then":{"minProperties":2},"else":false,"unevaluatedProperties":{"type":"string"}}`, `{"a":1,"b":"x"}`},
		{`{"patternProperties":{"^a":{"uniqueItems":true}},"propertyNames":{"maxLength":3},"dependentRequired":{"a":["b"]}}`, `{"ab":[1,1.0]}`},
		{`{"prefixItems":[true,false],"contains":{"multipleOf":2},"minContains":2,"maxContains":3}`, `[2,4]`},
		{`{"items":[{"type":"string"}],"additionalItems":{"type":"number"},"dependencies":{"a":["b"],"c":{"type":"object"}}}`, `["a",1]`},
		{`{"allOf":[{"pattern":"^(a|b)+$"},{"minLength":2}],"format":"date"}`, `"ab"`},
		{`{"$ref":"#"}`, `1`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, text, data []byte) {
		s, err := schema.Parse(text)
		if err != nil || strictjson.Check(data) != nil {
			return
		}
		s.Summary()
		s.Params()
		_ = s.CheckNames()
		s.WithDefaults(data)
		steps, err := s.Steps(context.Background(), data)
		if steps > schema.StepLimit(len(data)) {
			t.Fatalf("%d steps", steps)
		}
		if err != nil {
			checkError(t, err)
		}
		if steps > 20_000 || inexact.Match(text) || inexact.Match(data) || hasDeviating(text) {
			return
		}
		compare(t, text, data, err)
	})
}

// camelCase are the keywords with capitals. Their other spellings are keywords to
// jsonschema-go, which decodes them without regard to case.
var camelCase = []string{"additionalItems", "additionalProperties", "allOf", "anyOf", "oneOf", "dependentRequired", "dependentSchemas",
	"$dynamicRef", "maxContains", "minContains", "maxItems", "minItems", "maxLength", "minLength", "maxProperties", "minProperties",
	"prefixItems", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "uniqueItems",
	"contentEncoding", "contentMediaType", "contentSchema", "readOnly", "writeOnly"}

func hasDeviating(text []byte) bool {
	rest := string(text)
	for keyword := range deviating {
		if strings.Contains(strings.ToLower(rest), strings.ToLower(keyword)) {
			return true
		}
	}
	for _, keyword := range camelCase {
		rest = strings.ReplaceAll(rest, `"`+keyword+`"`, `""`)
	}
	for _, keyword := range camelCase {
		if strings.Contains(rest, strings.ToLower(keyword)) {
			return true
		}
	}
	return strings.ContainsFunc(rest, func(r rune) bool {
		return r >= 0x80 || 'A' <= r && r <= 'Z' || r == '\\' // a backslash may hide a letter
	})
}

// compare asks jsonschema-go.
func compare(t *testing.T, text, data []byte, ours error) {
	t.Helper()
	resolved := oracle(t, text)
	var v any
	if resolved == nil || json.Unmarshal(data, &v) != nil {
		return
	}
	if theirs := resolved.Validate(v); (ours == nil) != (theirs == nil) {
		t.Fatalf("ours: %v\ntheirs: %v\n%s\n%s", ours, theirs, text, data)
	}
}
