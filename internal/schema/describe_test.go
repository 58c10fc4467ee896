package schema_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/schema"
)

func parse(t testing.TB, text string) *schema.Schema {
	t.Helper()
	s, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// show spells parameters in a few lines.
func show(params []schema.Param, indent string) string {
	var b strings.Builder
	for _, p := range params {
		fmt.Fprintf(&b, "%s%s: %s", indent, p.Name, p.Type)
		if p.Required {
			b.WriteString(" required")
		}
		if p.Advanced {
			b.WriteString(" advanced")
		}
		if p.Description != "" {
			fmt.Fprintf(&b, " %q", p.Description)
		}
		if p.Rules != "" {
			fmt.Fprintf(&b, " [%s]", p.Rules)
		}
		if p.Enum != nil {
			fmt.Fprintf(&b, " enum %q", p.Enum)
		}
		if p.Default != nil || p.Example != nil {
			fmt.Fprintf(&b, " default %s example %s", p.Default, p.Example)
		}
		b.WriteString("\n" + show(p.Fields, indent+"  "))
	}
	return b.String()
}

func TestParamsTyped(t *testing.T) {
	type part struct {
		Product string  `json:"product_id" jsonschema:"SKU."`
		Note    *string `json:"note,omitempty"`
	}
	s := typed[struct {
		Customer string            `json:"customer_id" jsonschema:"Unique\ncustomer   identifier."`
		Parts    []part            `json:"parts,omitempty" cash:"minItems=1"`
		Priority string            `json:"priority,omitempty" cash:"enum=low|high,default=low,example=high"`
		Codes    []string          `json:"codes,omitempty" cash:"advanced,pattern=^[A-Z]+$,minLength=2"`
		Ratio    float64           `json:"ratio,omitempty" cash:"min=0.5,max=2"`
		Labels   map[string]string `json:"labels,omitempty"`
		When     time.Time         `json:"when,omitzero"`
		Free     any               `json:"free,omitempty"`
		Ship     struct {
			Fast bool `json:"fast"`
		} `json:"ship,omitzero" cash:"example='{\"fast\":true}'"`
		Grid [][]int `json:"grid,omitempty"`
	}](t)
	want := `customer_id: string required "Unique customer identifier."
parts: array of {product_id, note?} [Minimum items: 1.]
  product_id: string required "SKU."
  note: string or null
priority: string [One of: low, high. Default: low.] enum ["low" "high"] default "low" example "high"
codes: array of string advanced [Each item: minimum length: 2. Each item: pattern: ^[A-Z]+$.]
ratio: number [Minimum: 0.5. Maximum: 2.]
labels: object
when: string [Format: date-time.]
free: any
ship: {fast} default  example {"fast":true}
  fast: boolean required
grid: array of array of integer
`
	if got := show(s.Params(), ""); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if !s.Closed() || !s.HasDefaults() {
		t.Error("a struct is closed, and this one has a default")
	}
}

func TestParamsForeign(t *testing.T) {
	s := parse(t, `{
		"$schema": "http://json-schema.org/draft-07/schema#",
		"type": "object",
		"properties": {
			"zeta": {"$ref": "#/definitions/z", "description": "Last\u200b first."},
			"alpha": {"anyOf": [{"type": "string"}, {"type": "null"}], "title": "A"},
			"kind": {"const": "order"},
			"pick": {"enum": [1, "two", null], "default": 1},
			"tuple": {"type": "array", "items": [{"type": "string"}]},
			"either": {"oneOf": [{"type": "object", "properties": {"a": {}}, "required": ["a", "b"]}, {"type": "integer", "exclusiveMinimum": 0, "multipleOf": 5}]},
			"no": false,
			"loop": {"$ref": "#"},
			"len": {"type": ["string", "number"], "maxLength": 3, "examples": ["a", "b"]}
		},
		"required": ["kind", "ghost"],
		"definitions": {"z": {"type": "array", "maxItems": 2, "items": {"type": "object", "properties": {"q": {"type": "integer"}}}}}
	}`)
	want := `zeta: array of {q?} "Last? first." [Maximum items: 2.]
  q: integer
alpha: string or null "A"
kind: order required [Always: order.]
pick: one of 1, two, null [One of: 1, two, null. Default: 1.] enum ["1" "two" "null"] default 1 example 
tuple: array
either: {a, b} or integer
no: nothing
loop: {zeta?, alpha?, kind, pick?, tuple?, either?, loop?, len?, ghost}
len: string or number [Maximum length: 3.] default  example "a"
`
	if got := show(s.Params(), ""); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if s.Closed() || !s.HasDefaults() {
		t.Error("open, with a default")
	}
	s = parse(t, `{"properties":{"v":{"anyOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/B"}]}},"$defs":{"A":{"properties":{"x":{}}},"B":{"properties":{"y":{}}}}}`)
	if p := s.Params()[0]; p.Type != "{x?} or {y?}" || p.Fields != nil {
		t.Errorf("one of two objects: %+v", p)
	}
	if p := parse(t, `{"type":"string"}`).Params(); p != nil {
		t.Errorf("a string has parameters: %v", p)
	}
}

// TestParamsAreBounded describes a schema in which few bytes stand for very
// many members.
func TestParamsAreBounded(t *testing.T) {
	wide := `{"type":"object","properties":{` + repeat(150, func(i int) string {
		return fmt.Sprintf(`"p%d":{"$ref":"#","description":"%s"}`, i, strings.Repeat("é", 650))
	}) + `}}`
	s := parse(t, wide)
	total := 0
	var walk func([]schema.Param)
	walk = func(params []schema.Param) {
		for _, p := range params {
			total++
			for _, text := range []string{p.Type, p.Description, p.Rules} {
				if n := utf8.RuneCountInString(text); n > 603 {
					t.Fatalf("a text of %d characters", n)
				}
			}
			walk(p.Fields)
		}
	}
	walk(s.Params())
	if total > 1_200 {
		t.Errorf("%d members described", total)
	}
	alternatives := `{"anyOf":[` + repeat(12, func(int) string { return `{"$ref":"#/$defs/a"}` }) + `]}`
	nested := parse(t, `{"properties":{`+repeat(500, func(i int) string { return fmt.Sprintf(`"p%d":{"items":{"$ref":"#/$defs/b"}}`, i) })+
		`},"$defs":{"a":{"properties":{`+repeat(100, func(i int) string { return fmt.Sprintf(`"long_name_%d":{}`, i) })+`}},"b":`+alternatives+`}}`)
	for _, p := range nested.Params() {
		if utf8.RuneCountInString(p.Type) > 140 {
			t.Fatalf("type of %d bytes: %s", len(p.Type), p.Type)
		}
	}
}

func TestSummary(t *testing.T) {
	for _, test := range []struct{ doc, want string }{
		{`{"type":"object","properties":{"order_id":{},"status":{},"items":{},"total":{}}}`, "Object with `order_id`, `status`, `items` and `total`."},
		{`{"properties":{"a":{}}}`, "Object with `a`."},
		{`{"type":"object"}`, "Object."},
		{`{"type":"object","properties":{` + repeat(15, func(i int) string { return fmt.Sprintf(`"p%d":{}`, i) }) + `}}`,
			"Object with `p0`, `p1`, `p2`, `p3`, `p4`, `p5`, `p6`, `p7`, `p8`, `p9`, `p10`, `p11` and 3 more."},
		{`{"type":"array","items":{"type":"object","properties":{"id":{},"name":{}}}}`, "Array of objects with `id` and `name`."},
		{`{"type":"array","items":{"$ref":"#/$defs/a"},"$defs":{"a":{"type":"string"}}}`, "Array of texts."},
		{`{"type":"array","items":{"type":"integer"}}`, "Array of numbers."},
		{`{"type":"array","items":{"type":"array"}}`, "Array of arrays."},
		{`{"type":"array","items":{"type":"boolean"}}`, "Array of booleans."},
		{`{"type":"array"}`, "Array."},
		{`{"type":"array","items":{}}`, "Array."},
		{`{"type":"string"}`, "Text."},
		{`{"type":"number"}`, "Number."},
		{`{"type":"boolean"}`, "True or false."},
		{`{"type":"null"}`, "Nothing."},
		{`{}`, "Any JSON value."},
		{`{"type":["string","null"]}`, "Value: string or null."},
		{`{"const":"é"}`, "Value: é."},
		{`{"type":"object","properties":{"a` + "`" + `\n\u202e":{}}}`, "Object with `a` ?`."},
		{`{"type":"object","properties":{"a\u200bb\ufe0f\udb40\udd00\u3164\u2800":{}}}`, "Object with `a?b????`."},
	} {
		if got := parse(t, test.doc).Summary(); strings.ReplaceAll(got, "a``", "a`") != test.want {
			t.Errorf("Summary(%.60s)\n got %s\nwant %s", test.doc, got, test.want)
		}
	}
	if got := typed[*[]item](t).Summary(); got != "Array of objects with `product_id` and `quantity`." {
		t.Errorf("Summary of a pointer: %s", got)
	}
}

func TestCheckNamesForeign(t *testing.T) {
	err := parse(t, `{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"x y":{}}}}}`).CheckNames()
	if err == nil || !strings.HasPrefix(err.Error(), `parameter "x y": a name`) {
		t.Errorf("CheckNames = %v", err)
	}
}

func TestCheckNames(t *testing.T) {
	for _, test := range []struct {
		name string
		typ  reflect.Type
		want string // "" for a good one
	}{
		{"R20 letters, digits, underscore", reflect.TypeFor[struct {
			A int `json:"Order_id2"`
		}](), ""},
		{"R20 hyphen", reflect.TypeFor[struct {
			A int `json:"order-id"`
			B int `json:"order-date"`
		}](), ""},
		{"R20 hyphen and underscore", reflect.TypeFor[struct {
			A int `json:"order-id"`
			B int `json:"order_id"`
		}](), `parameters "order-id" and "order_id" are the same`},
		{"R20 dot", reflect.TypeFor[struct {
			A int `json:"order.id"`
		}](), `parameter "order.id": a name is made of letters A-Z and a-z, digits, _ and -, and has a letter or a digit; write json:"order_id"`},
		{"R20 kelvin sign", reflect.TypeFor[struct {
			A int `json:"\u212a"`
		}](), "a name is made of letters"},
		{"R28 underscores alone", reflect.TypeFor[struct {
			A int `json:"__"`
		}](), `parameter "__": a name is made of letters`},
		{"R26 same canonical form", reflect.TypeFor[struct {
			A int `json:"a_b"`
			B int `json:"aB"`
		}](), `parameters "a_b" and "aB" are the same but for case, _ and -; rename one`},
		{"R23 nested names are data", reflect.TypeFor[struct {
			A struct {
				B int `json:"b-c"`
				C int `json:"b_c"`
				D int `json:"bc"`
			}
		}](), ""},
		{"no object", reflect.TypeFor[string](), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := schema.ForType(test.typ)
			if err != nil {
				t.Fatal(err)
			}
			err = s.CheckNames()
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("CheckNames = %v, want %q", err, test.want)
			}
		})
	}
}

// TestParamsLongPattern holds that a pattern that would be cut is left to the format
// that says the same in a word.
func TestParamsLongPattern(t *testing.T) {
	long, short := strings.Repeat("[0-9-]", 30), "^[0-9-]+$"
	s := parse(t, `{"type":"object","properties":{
		"a":{"type":"string","format":"date","pattern":"`+long+`"},
		"b":{"type":"string","format":"date","pattern":"`+short+`"},
		"c":{"type":"string","format":"mine","pattern":"`+long+`"}}}`)
	for i, want := range []string{"Format: date.", "Format: date. Pattern: " + short + ".", "Format: mine. Pattern: [0-9-][0-9-]"} {
		if got := s.Params()[i].Rules; got != want && (i < 2 || !strings.HasPrefix(got, want)) {
			t.Errorf("rules %q, want %q", got, want)
		}
	}
}
