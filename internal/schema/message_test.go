package schema_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// TestMessages pins what a model reads, for every rule.
func TestMessages(t *testing.T) {
	for _, test := range []struct{ doc, data, rule, want string }{
		{`{"type":"string"}`, `1`, "type", "must be a string, not a number"},
		{`{"type":["object","null"]}`, `[]`, "type", "must be an object or null, not an array"},
		{`{"type":["number","integer","string"]}`, `true`, "type", "must be a string or number, not a boolean"},
		{`{"type":"integer"}`, `1.5`, "type", "must be an integer, without a fraction"},
		{`{"enum":["low","normal",3,null]}`, `"x"`, "enum", "must be one of low, normal, 3, null"},
		{`{"enum":["only"]}`, `1`, "enum", "must be only"},
		{`{"enum":[]}`, `1`, "enum", "not allowed here; leave it out"},
		{`{"enum":[` + repeat(14, func(i int) string { return fmt.Sprintf(`"%d%s"`, i, strings.Repeat("v", 50)) }) + `]}`, `1`, "enum", "must be one of 0" + strings.Repeat("v", 39) + "..., 1"},
		{`{"const":{"a":1}}`, `2`, "const", `must be {"a":1}`},
		{`{"minimum":1}`, `0`, "minimum", "must be at least 1"},
		{`{"maximum":1e3}`, `1001`, "maximum", "must be at most 1e3"},
		{`{"exclusiveMinimum":0}`, `0.0`, "exclusiveMinimum", "must be more than 0"},
		{`{"exclusiveMaximum":0}`, `-0`, "exclusiveMaximum", "must be less than 0"},
		{`{"minimum":5,"exclusiveMinimum":true}`, `5`, "exclusiveMinimum", "must be more than 5"},
		{`{"maximum":5,"exclusiveMaximum":true,"$schema":"http://json-schema.org/draft-04/schema#","id":"http://x/y"}`, `5`, "exclusiveMaximum", "must be less than 5"},
		{`{"$recursiveRef":"#/$defs/a","$ref":"#/$defs/b","$defs":{"a":{"minimum":1},"b":{"maximum":2}}}`, `3`, "maximum", "must be at most 2"},
		{`{"$recursiveRef":"#/$defs/a","$ref":"#/$defs/b","$defs":{"a":{"minimum":1},"b":{"maximum":2}}}`, `0`, "minimum", "must be at least 1"},
		{`{"const":"a\"\\b\u00e9"}`, `"a\u0022\u005cbé"`, "", ""},
		{`{"items":{"const":"\"]"}}`, `["\"]","x"]`, "const", `[1]: must be "]`},
		{`{"dependentSchemas":{"a":{"required":["b"]}}}`, `{"a":1}`, "required", "b: missing"},
		{`{"dependencies":{"a":{"required":["b"]},"c":["d"]}}`, `{"c":1}`, "dependentRequired", "d: missing, but needed beside `c`"},
		{`{"required":["z"],"dependentRequired":{"z":["y"]},"properties":{"x":{"type":"null"},"y":{},"z":{}},"additionalProperties":false}`, `{"z":1,"x":1}`, "type",
			"x: must be null, not a number; y: missing, but needed beside `z`"},
		{`{"multipleOf":0.01}`, `1.005`, "multipleOf", "must be a multiple of 0.01"},
		{`{"minLength":2}`, `"é"`, "minLength", "must have at least 2 characters"},
		{`{"maxLength":1}`, `"ab"`, "maxLength", "must have at most 1 character"},
		{`{"pattern":"^[A-Z]+$"}`, `"a"`, "pattern", "must match the pattern ^[A-Z]+$"},
		{`{"format":"date","pattern":"^` + strings.Repeat("[0-9-]", 10) + `$"}`, `"a"`, "pattern", "must match the pattern ^" + strings.Repeat("[0-9-]", 10) + "$"},
		{`{"format":"date","pattern":"^` + strings.Repeat("[0-9-]", 30) + `$"}`, `"a"`, "pattern", "must be a date such as 2026-01-31, in the form that its pattern has"},
		{`{"format":"mine","pattern":"^` + strings.Repeat("[0-9-]", 30) + `$"}`, `"a"`, "pattern", "must match the pattern ^" + strings.Repeat("[0-9-]", 19) + "[0-9-..."},
		{`{"minItems":1}`, `[]`, "minItems", "must have at least 1 item"},
		{`{"maxItems":1}`, `[1,2]`, "maxItems", "must have at most 1 item"},
		{`{"uniqueItems":true}`, `[{"a":1,"b":2},1,{"b":2.0,"a":1}]`, "uniqueItems", "items must differ, but [0] and [2] are equal"},
		{`{"contains":{"type":"string"}}`, `[1]`, "contains", "must contain at least 1 item of this sort: string"},
		{`{"contains":{"type":"string"},"maxContains":1}`, `["a","b"]`, "maxContains", "must contain at most 1 item of this sort: string"},
		{`{"required":["customer_id"]}`, `{}`, "required", "customer_id: missing"},
		{`{"items":{"required":["a b"]}}`, `[{}]`, "required", `[0]["a b"]: missing`},
		{`{"minProperties":1}`, `{}`, "minProperties", "must have at least 1 member"},
		{`{"maxProperties":0}`, `{"a":1}`, "maxProperties", "must have at most 0 members"},
		{`{"dependentRequired":{"card":["cvc"]}}`, `{"card":1}`, "dependentRequired", "cvc: missing, but needed beside `card`"},
		{`{"additionalProperties":false}`, `{"a":1}`, "additionalProperties", "a: unknown parameter; none is known here, leave it out"},
		{`{"properties":{"customer_id":{},"items":{}},"additionalProperties":false}`, `{"customerId":1}`, "additionalProperties",
			"customerId: unknown parameter, did you mean `customer_id`? known: customer_id, items"},
		{`{"properties":{"customer_id":{}},"additionalProperties":false}`, `{"custmer_id":1}`, "additionalProperties", "custmer_id: unknown parameter, did you mean `customer_id`? known: customer_id"},
		{`{"properties":{"id":{}},"additionalProperties":false}`, `{"xy":1}`, "additionalProperties", "xy: unknown parameter; known: id"},
		{`{"properties":{"a":{"properties":{"b":{}},"additionalProperties":false}}}`, `{"a":{"C-D":1}}`, "additionalProperties", `a["C-D"]: unknown member; known: b`},
		{`{"additionalProperties":{"type":"string"}}`, `{"a":1}`, "type", "a: must be a string, not a number"},
		{`{"unevaluatedProperties":false,"allOf":[{"properties":{"a":true}}]}`, `{"a":1,"b":1}`, "unevaluatedProperties", "b: unknown here; leave it out"},
		{`{"unevaluatedItems":false,"prefixItems":[true]}`, `[1,2]`, "unevaluatedItems", "[1]: unknown here; leave it out"},
		{`{"propertyNames":{"maxLength":1}}`, `{"ab":1}`, "maxLength", "ab: must have at most 1 character"},
		{`{"properties":{"a":false}}`, `{"a":1}`, "false", "a: not allowed here; leave it out"},
		{`{"not":{"type":"string"}}`, `"a"`, "not", "must not be string"},
		{`{"not":{"required":["a"]}}`, `{"a":1}`, "not", "must not be {a}"},
		{`{"not":{}}`, `1`, "not", "has a form that is excluded here"},
		{`{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"integer"}}]}`, `{}`, "anyOf", "must be one of: string or array of integer"},
		{`{"anyOf":[{"type":"null"},{"type":"object","properties":{"a":{"minimum":1}}}]}`, `{"a":0}`, "minimum", "a: must be at least 1"},
		{`{"anyOf":[{"required":["a"]},{"required":["b","c"]}]}`, `{}`, "anyOf", "must be one of: {a} or {b, c}"},
		{`{"anyOf":[{"minProperties":3},{"minProperties":4}]}`, `{}`, "anyOf", "must be one of: the 2 forms that the schema describes"},
		{`{"oneOf":[{"type":"number"},{"type":"integer"}]}`, `1`, "oneOf", "matches more than one of its alternatives; it must match exactly one"},
		{`{"oneOf":[{"type":"number"},{"type":"string"}]}`, `null`, "oneOf", "must be one of: number or string"},
		{`{"if":{"required":["a"]},"then":{"required":["b"]}}`, `{"a":1}`, "required", "b: missing"},
		{`{"type":"object"}`, `{` + repeat(3, func(i int) string { return fmt.Sprintf(`"k%d":1`, i) }) + `}`, "", ""},
	} {
		t.Run(test.doc+" "+test.data, func(t *testing.T) {
			data := []byte(test.data)
			if err := strictjson.Check(data); err != nil {
				t.Fatal(err)
			}
			err := parse(t, test.doc).Check(context.Background(), data)
			got := ""
			if err != nil {
				checkError(t, err)
				got = err.Error()
			}
			if !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") || rule(err) != test.rule {
				t.Errorf("\n got %s: %s\nwant %s: %s", rule(err), got, test.rule, test.want)
			}
		})
	}
}

// TestMessagesHideValues sends a secret everywhere a value can stand.
func TestMessagesHideValues(t *testing.T) {
	const secret = "hunter2"
	for doc, data := range map[string]string{
		`{"type":"integer"}`:             `"hunter2"`,
		`{"enum":["a"]}`:                 `"hunter2"`,
		`{"const":1}`:                    `{"a":"hunter2"}`,
		`{"pattern":"^x"}`:               `"hunter2"`,
		`{"maxLength":1}`:                `"hunter2"`,
		`{"uniqueItems":true}`:           `["hunter2","hunter2"]`,
		`{"contains":{"type":"null"}}`:   `["hunter2"]`,
		`{"additionalProperties":false}`: `{"a":"hunter2"}`,
		`{"anyOf":[{"type":"null"}]}`:    `"hunter2"`,
		`{"not":{}}`:                     `"hunter2"`,
		`{"properties":{"a":{"format":"date"}},"required":["b"]}`: `{"a":"hunter2"}`,
	} {
		err := parse(t, doc).Check(context.Background(), []byte(data))
		if err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", doc, err)
		}
	}
	err := typed[everything](t).Check(context.Background(), []byte(`{"id":"","shadowed":"","time":"hunter2","mail":"hunter2","addr":"hunter2","bytes":"hunter2","qi":"hunter2"}`))
	if err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("typed: %v", err)
	}
}

// TestMessagesAreBounded sends names and schemas that want to fill a context.
func TestMessagesAreBounded(t *testing.T) {
	long := strings.Repeat(`x\u001b[31m`, 10_000)
	s := parse(t, `{"properties":{"`+strings.Repeat("p", 5000)+`":{},"q":{"enum":["`+strings.Repeat("e", 5000)+`"]},"r":{"pattern":"^`+strings.Repeat("r", 4000)+`$"}},"additionalProperties":false,"required":["`+strings.Repeat("m", 5000)+`"]}`)
	data := []byte(`{"` + long + `":1,"y` + long + `":1,"q":1,"r":"a"}`)
	err := s.Check(context.Background(), data)
	checkError(t, err)
	if n := len(err.Error()); n > 1500 {
		t.Errorf("%d bytes: %s", n, err)
	}
	many := `{` + repeat(100, func(i int) string { return fmt.Sprintf(`"z%d":1`, i) }) + `}`
	checkError(t, s.Check(context.Background(), []byte(many)))
}
