package schema_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/schema"
)

// oldDrafts are spellings of $schema under which a $ref stands alone.
var oldDrafts = []string{
	"http://json-schema.org/draft-03/schema#",
	"http://json-schema.org/draft-04/schema#",
	"http://json-schema.org/draft-04/schema",
	"https://json-schema.org/draft-04/schema#",
	"http://json-schema.org/draft-06/schema#",
	"https://json-schema.org/draft-06/schema",
	"http://json-schema.org/draft-07/schema#",
	"http://json-schema.org/draft-07/schema",
	"https://json-schema.org/draft-07/schema#",
	"https://json-schema.org/draft-07/schema",
	"http://json-schema.org/draft-07/hyper-schema#",
}

// newDrafts are others; "" leaves $schema out.
var newDrafts = []string{
	"",
	"https://json-schema.org/draft/2019-09/schema",
	"https://json-schema.org/draft/2020-12/schema",
	"http://json-schema.org/draft/2020-12/schema#",
	"http://json-schema.org/schema#",
	"https://example.com/draft-07/schema#",
	"https://example.com/json-schema.org/draft-07/schema#",
	"draft-07",
}

// inDraft puts a $schema first.
func inDraft(uri, doc string) string {
	if uri == "" {
		return doc
	}
	return fmt.Sprintf(`{"$schema":%q,%s`, uri, doc[1:])
}

// TestRefSiblings checks one document, whose siblings of $ref all say something,
// in every draft.
func TestRefSiblings(t *testing.T) {
	doc := `{
		"properties": {
			"a": {"$ref": "#/definitions/text", "maxLength": 3, "enum": ["low", "high"], "default": "high", "examples": ["low"],
				"title": "Level", "format": "date", "pattern": "(?=x)", "description": "How much."},
			"b": {"minItems": 1, "default": [], "$ref": "#/definitions/list", "items": {"type": "string"}, "title": "Beside."},
			"c": {"$ref": "#/definitions/open", "additionalProperties": false, "required": ["d"], "properties": {"d": {"default": 1}}}
		},
		"definitions": {
			"text": {"type": "string", "minLength": 1, "description": "A text."},
			"list": {"type": "array", "items": {"maximum": 5}},
			"open": {"type": "object", "properties": {"e": {"type": "integer"}}}
		}}`
	checks := []struct {
		data     string
		old, new bool
	}{
		{`{"a":"low"}`, true, true},
		{`{"a":"normal"}`, true, false},
		{`{"a":""}`, false, false},
		{`{"a":1}`, false, false},
		{`{"b":[5]}`, true, false},
		{`{"b":[]}`, true, false},
		{`{"b":[6]}`, false, false},
		{`{"c":{"x":1}}`, true, false},
		{`{"c":{"e":"x"}}`, false, false},
	}
	const oldText = "a: string \"How much.\" [Minimum length: 1.]\n" +
		"b: array \"Beside.\" [Each item: maximum: 5.]\n" +
		"c: {e?}\n" +
		"  e: integer\n"
	verify := func(uri string, old bool) {
		s := parse(t, inDraft(uri, doc))
		for _, c := range checks {
			want := c.new
			if old {
				want = c.old
			}
			if err := s.Check(context.Background(), []byte(c.data)); (err == nil) != want {
				t.Errorf("%q: Check(%s) = %v, want accepted: %t", uri, c.data, err, want)
			}
		}
		text := show(s.Params(), "")
		if old != (text == oldText) {
			t.Errorf("%q: parameters\n%s", uri, text)
		}
		if old == s.HasDefaults() || old != (string(s.WithDefaults([]byte(`{}`))) == `{}`) {
			t.Errorf("%q: HasDefaults %t, WithDefaults %s", uri, s.HasDefaults(), s.WithDefaults([]byte(`{}`)))
		}
		if old != (len(s.Notes()) == 0) {
			t.Errorf("%q: notes %q", uri, s.Notes())
		}
	}
	for _, uri := range oldDrafts {
		verify(uri, true)
	}
	for _, uri := range newDrafts {
		verify(uri, false)
	}
}

const (
	draft4 = "http://json-schema.org/draft-04/schema#"
	draft7 = "http://json-schema.org/draft-07/schema#"
)

// TestRefSiblingNames holds that a hidden sibling names nothing, while pointers
// lead everywhere.
func TestRefSiblingNames(t *testing.T) {
	for _, test := range []struct{ name, doc, accepted, refused string }{
		{"$id is no base", inDraft(draft7, `{"$id":"http://x/a/","allOf":[{"$id":"http://x/b/","$ref":"t"}],
			"definitions":{"r":{"$id":"http://x/a/t","type":"string"},"w":{"$id":"http://x/b/t","type":"number"}}}`), `"a"`, `1`},
		{"id is no base", inDraft(draft4, `{"id":"http://x/a/","allOf":[{"id":"http://x/b/","$ref":"t"}],
			"definitions":{"r":{"id":"http://x/a/t","type":"string"},"w":{"id":"http://x/b/t","type":"number"}}}`), `"a"`, `1`},
		{"$id is a base today", `{"$id":"http://x/a/","allOf":[{"$id":"http://x/b/","$ref":"t"}],
			"$defs":{"r":{"$id":"http://x/a/t","type":"number"},"w":{"$id":"http://x/b/t","type":"string"}}}`, `"a"`, `1`},
		{"id means nothing in draft-07", inDraft(draft7, `{"id":"http://x/a","properties":{"id":{"type":"string"}}}`), `{"id":"a"}`, `{"id":1}`},
		{"$id of the root", inDraft(draft7, `{"$id":"http://x/a/","$ref":"#/definitions/r","definitions":{"r":{"type":"string"}}}`), `"a"`, `1`},
		{"definitions beside $ref", inDraft(draft7, `{"$ref":"#/definitions/r","definitions":{"r":{"items":{"$ref":"#t"}},"t":{"$id":"#t","type":"string"}}}`), `["a"]`, `[1]`},
		{"definitions beside a $ref below", inDraft(draft4, `{"items":{"$ref":"http://x/t","definitions":{"r":{"id":"http://x/t","type":"string"}}}}`), `["a"]`, `[1]`},
		{"pointer to a hidden sibling", inDraft(draft7, `{"properties":{"a":{"$ref":"#/definitions/r","items":{"type":"number"}},"b":{"$ref":"#/properties/a/items"}},
			"definitions":{"r":{"type":"string"}}}`), `{"a":"a","b":1}`, `{"b":"a"}`},
		{"one identifier here and there", inDraft(draft7, `{"allOf":[{"$ref":"http://x/t","not":{"$id":"http://x/t"}}],"definitions":{"r":{"$id":"http://x/t","type":"string"}}}`), `"a"`, `1`},
		{"anchor here and there", inDraft(draft7, `{"definitions":{"r":{"$id":"#t","type":"string"},"s":{"$anchor":"t","$dynamicAnchor":"t","$ref":"#/definitions/n"},"n":{"type":"number"}},
			"allOf":[{"$ref":"#t"}]}`), `"a"`, `1`},
		{"wrong values", inDraft(draft7, `{"$ref":"#/definitions/r","type":"text","minimum":"a","$id":"http://[::1","allOf":[],"items":{"$id":"http://[::1"},
			"properties":{"a":{"pattern":1}},"definitions":{"r":{"type":"string"}}}`), `"a"`, `1`},
		{"a cycle through what is ignored", inDraft(draft7, `{"$ref":"#/definitions/r","allOf":[{"$ref":"#"}],"definitions":{"r":{"type":"string"}}}`), `"a"`, `1`},
		{"a property of that name", inDraft(draft7, `{"properties":{"$ref":{"type":"string"}},"required":["$ref"]}`), `{"$ref":"a"}`, `{}`},
		{"a resource of draft-07", `{"$ref":"http://x/old","$defs":{"o":{"$id":"http://x/old","$schema":"` + draft7 + `","items":{"$ref":"#/definitions/r","maxLength":1},
			"definitions":{"r":{"type":"string"}}}}}`, `["ab"]`, `[1]`},
		{"a resource of draft-07 that is a $ref", `{"$ref":"http://x/old","$defs":{"o":{"$id":"http://x/old","$schema":"` + draft7 + `","$ref":"#/definitions/r","maxLength":1,
			"definitions":{"r":{"type":"string"}}}}}`, `"ab"`, `1`},
		{"a resource of draft-04", `{"$ref":"http://x/old","$defs":{"o":{"id":"http://x/old","$schema":"` + draft4 + `","items":{"$ref":"t","maxLength":1},
			"definitions":{"r":{"id":"http://x/t","type":"string"}}}}}`, `["ab"]`, `[1]`},
		{"a resource of today in draft-07", inDraft(draft7, `{"$ref":"http://x/new","definitions":{"n":{"$id":"http://x/new","$schema":"https://json-schema.org/draft/2020-12/schema",
			"items":{"$ref":"#/$defs/r","maxLength":1},"$defs":{"r":{"type":"string"}}}}}`), `["a"]`, `["ab"]`},
		{"$schema without an $id", `{"items":{"$schema":"` + draft7 + `","$ref":"#/$defs/r","maxLength":1},"$defs":{"r":{"type":"string"}}}`, `["a"]`, `["ab"]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := parse(t, test.doc)
			if err := s.Check(context.Background(), []byte(test.accepted)); err != nil {
				t.Errorf("Check(%s) = %v", test.accepted, err)
			}
			if s.Check(context.Background(), []byte(test.refused)) == nil {
				t.Errorf("%s is accepted", test.refused)
			}
		})
	}
}

// withoutSiblings returns a schema in which every $ref stands alone, and how
// many siblings it had.
func withoutSiblings(v any) (alone any, siblings int) {
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"]; ok {
			return map[string]any{"$ref": ref}, len(v) - 1
		}
		m := map[string]any{}
		for k, e := range v {
			sub, n := withoutSiblings(e)
			m[k], siblings = sub, siblings+n
		}
		return m, siblings
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			sub, n := withoutSiblings(e)
			list[i], siblings = sub, siblings+n
		}
		return list, siblings
	}
	return v, 0
}

// TestHiddenSiblingsSayNothing compares draft-07 schemas with those that lack
// the siblings of each $ref, and with jsonschema-go, which knows draft-07 as
// well. The keywords are those of that draft; the seed is fixed.
func TestHiddenSiblingsSayNothing(t *testing.T) {
	large(t)
	g := generator{rand.New(rand.NewPCG(3, 4))}
	hidden, accepted := 0, 0
	for range 2_000 {
		doc := g.oldSchema()
		alone, n := withoutSiblings(doc)
		text, short := marshal(t, doc), marshal(t, alone)
		s, bare, theirs := parse(t, string(text)), parse(t, string(short)), oracle(t, text)
		if theirs == nil {
			t.Fatalf("jsonschema-go refuses %s", text)
		}
		if n > 0 {
			hidden++
		}
		sameTexts(t, s, bare, text)
		for range 5 {
			value := g.value(3)
			data := marshal(t, value)
			ours, alone, theirs := s.Check(context.Background(), data), bare.Check(context.Background(), data), theirs.Validate(value)
			if (ours == nil) != (alone == nil) || (ours == nil) != (theirs == nil) {
				t.Fatalf("ours: %v\nalone: %v\ntheirs: %v\n%s\n%s", ours, alone, theirs, text, data)
			}
			if ours == nil && n > 0 {
				accepted++
			}
		}
	}
	if hidden < 500 || accepted < 1_000 {
		t.Errorf("%d schemas with siblings and %d values that they accept say little", hidden, accepted)
	}
}

// sameTexts compares what two schemas say, but for descriptions.
func sameTexts(t *testing.T, a, b *schema.Schema, text []byte) {
	t.Helper()
	if got, want := untitled(a.Params()), untitled(b.Params()); !reflect.DeepEqual(got, want) {
		t.Fatalf("parameters\n%swant\n%s%s", show(got, ""), show(want, ""), text)
	}
	if a.Summary() != b.Summary() || a.Closed() != b.Closed() || a.HasDefaults() != b.HasDefaults() ||
		string(a.WithDefaults([]byte(`{}`))) != string(b.WithDefaults([]byte(`{}`))) {
		t.Fatalf("%s and %s differ in %s", a.JSON(), b.JSON(), text)
	}
}

// untitled leaves descriptions out.
func untitled(params []schema.Param) []schema.Param {
	list := append([]schema.Param(nil), params...)
	for i := range list {
		list[i].Description, list[i].Fields = "", untitled(list[i].Fields)
	}
	return list
}

// oldSchema makes an object of draft-07 with two definitions, and references to
// them that have siblings.
func (g generator) oldSchema() map[string]any {
	properties := map[string]any{}
	for _, name := range someNames {
		s, ok := g.schema(2).(map[string]any)
		if !ok {
			s = map[string]any{}
		}
		if g.IntN(2) == 0 {
			s["$ref"] = "#/$defs/d"
		}
		if g.IntN(2) == 0 {
			s["default"] = g.value(1)
		}
		properties[name] = s
	}
	doc := map[string]any{"properties": properties, "allOf": []any{g.schema(2)}, "$defs": map[string]any{"d": g.schema(1)}}
	var old map[string]any
	text, _ := json.Marshal(oldKeywords(doc)) // it was made of JSON's types
	_ = json.Unmarshal([]byte(strings.ReplaceAll(string(text), "$defs", "definitions")), &old)
	old["$schema"] = draft7
	return old
}

// oldKeywords leaves out what draft-07 does not have.
func oldKeywords(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for _, kw := range []string{"prefixItems", "minContains", "maxContains", "dependentRequired", "dependentSchemas", "unevaluatedItems", "unevaluatedProperties"} {
			delete(v, kw)
		}
		for k := range v {
			v[k] = oldKeywords(v[k])
		}
	case []any:
		for i := range v {
			v[i] = oldKeywords(v[i])
		}
	}
	return v
}
