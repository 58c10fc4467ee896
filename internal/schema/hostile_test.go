package schema_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// repeat joins n texts that f makes with commas.
func repeat(n int, f func(i int) string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(f(i))
	}
	return b.String()
}

func TestParseRefuses(t *testing.T) {
	chain := func(n int) string {
		return `{"$ref":"#/$defs/d0","$defs":{` + repeat(n, func(i int) string {
			return fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d"}`, i, i+1)
		}) + fmt.Sprintf(`,"d%d":true}}`, n)
	}
	for _, test := range []struct{ name, doc, want string }{
		{"no JSON", `{"type":}`, `reading schema: expected a JSON value at byte 8`},
		{"duplicate key", `{"type":"string","type":"number"}`, `reading schema: duplicate key "type" at byte 17`},
		{"no schema", `[]`, `schema is a JSON array; it must be an object or a boolean`},
		{"size", `{"description":"` + strings.Repeat("x", 256<<10) + `"}`, `schema has 262162 bytes; at most 262144 are accepted`},
		{"100,000 enum values", `{"items":{"enum":[` + repeat(100_000, func(i int) string { return fmt.Sprint(i) }) + `]}}`, `at most 262144 are accepted`},
		{"enum", `{"enum":[` + repeat(10_001, func(i int) string { return fmt.Sprint(i) }) + `]}`, `schema at "#/enum": has more than 10000 values`},
		{"depth", strings.Repeat(`{"not":`, 65) + `{}` + strings.Repeat("}", 65), `nested deeper than 64`},
		{"not 5,000 deep", strings.Repeat(`{"not":`, 5_000) + `{}` + strings.Repeat("}", 5_000), `nested deeper than 64`},
		{"subschemas", `{"anyOf":[` + repeat(10_000, func(int) string { return `{}` }) + `]}`, `schema has more than 10000 subschemas`},
		{"self", `{"$ref":"#"}`, `schema at "#": applies itself to the same value without end`},
		{"self through allOf", `{"allOf":[{"$ref":"#"}]}`, `applies itself`},
		{"self through not", `{"not":{"$ref":"#"}}`, `applies itself`},
		{"self through if", `{"if":{"$ref":"#"},"then":true}`, `applies itself`},
		{"self through dependentSchemas", `{"dependentSchemas":{"a":{"$ref":"#"}}}`, `applies itself`},
		{"self through $dynamicRef", `{"$dynamicAnchor":"a","$dynamicRef":"#a"}`, `applies itself`},
		{"self through another $dynamicAnchor", `{"$id":"http://x/","$dynamicAnchor":"a","$ref":"b","$defs":{"b":{"$id":"b","$dynamicRef":"#a","$defs":{"c":{"$dynamicAnchor":"a"}}}}}`, `applies itself`},
		{"mutual", `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, `applies itself`},
		{"below a property", `{"properties":{"p":{"$ref":"#/$defs/a"}},"$defs":{"a":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/a"}]}}}`, `applies itself`},
		{"draft-07 self", `{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{"$ref":"#/definitions/a"}},"$ref":"#/definitions/a"}`, `applies itself`},
		{"draft-07 self beside what is ignored", inDraft(draft7, `{"$ref":"#/definitions/a","type":"string","definitions":{"a":{"$ref":"#","minLength":1}}}`), `applies itself`},
		{"draft-07 self through what is ignored", inDraft(draft7, `{"$ref":"#/properties/a","properties":{"a":{"allOf":[{"$ref":"#"}]}}}`), `applies itself`},
		{"draft-07 self below what is ignored", inDraft(draft7, `{"properties":{"p":{"$ref":"#/definitions/a","not":{"anyOf":[{"$ref":"#/definitions/a/if"}]}}},"definitions":{"a":{"if":{"$ref":"#/properties/p/not"}}}}`), `applies itself`},
		{"draft-04 self in a resource", `{"$ref":"http://x/a","$defs":{"a":{"$schema":"` + draft4 + `","id":"http://x/a","$ref":"#","type":"string"}}}`, `applies itself`},
		{"draft-07 chain of 300", inDraft(draft7, chain(300)), `applies more than 256 subschemas in a row to the same value`},
		{"draft-07 name below what is ignored", inDraft(draft7, `{"$ref":"http://x/t","properties":{"a":{"$id":"http://x/t"}}}`), `"http://x/t" is not in this document`},
		{"draft-07 anchor beside $ref", inDraft(draft7, `{"allOf":[{"$ref":"#t"}],"definitions":{"a":{"$id":"#t","$ref":"#/definitions/b"},"b":{}}}`), `there is no subschema at "#t"`},
		{"chain of 300", chain(300), `applies more than 256 subschemas in a row to the same value`},
		{"remote", `{"properties":{"a":{"$ref":"https://evil.example/s.json"}}}`, `schema at "#/properties/a/$ref": "https://evil.example/s.json" is not in this document, and others are never read`},
		{"file", `{"$ref":"file:///etc/passwd"}`, `not in this document`},
		{"nowhere", `{"$ref":"#/$defs/a"}`, `schema at "#/$ref": there is no subschema at "#/$defs/a"`},
		{"no schema at the target", `{"$ref":"#/description","description":"x"}`, `there is no subschema`},
		{"no such anchor", `{"$ref":"#a"}`, `there is no subschema at "#a"`},
		{"not a reference", `{"$ref":"http://[::1"}`, `schema at "#/$ref": not a URI reference`},
		{"long reference", `{"$ref":"#` + strings.Repeat("a", 3000) + `"}`, `not a URI reference`},
		{"reference of the wrong type", `{"$ref":1}`, `must be a URI reference`},
		{"two of one name", `{"$id":"http://x/a","$defs":{"b":{"$id":"http://x/a"}}}`, `schema at "#/$defs/b/$id": another subschema has the same identifier`},
		{"type", `{"type":"int"}`, `schema at "#/type": must be one of the seven type words`},
		{"no type", `{"type":[]}`, `must be at least one type word`},
		{"minimum", `{"minimum":"1"}`, `schema at "#/minimum": must be a number`},
		{"long number", `{"minimum":` + strings.Repeat("1", 1001) + `}`, `must be a number of at most 1000 characters`},
		{"multipleOf", `{"multipleOf":0}`, `must be a number above 0`},
		{"minLength", `{"minLength":-1}`, `schema at "#/minLength": must be a whole number, 0 or more`},
		{"maxItems", `{"maxItems":1.5}`, `must be a whole number`},
		{"pattern", `{"pattern":1}`, `must be a regular expression`},
		{"required", `{"required":"a"}`, `must be a list of names`},
		{"required number", `{"required":[1]}`, `schema at "#/required/0": must be a name`},
		{"properties", `{"properties":[]}`, `must be an object of schemas`},
		{"property", `{"properties":{"a/b~":1}}`, `schema at "#/properties/a~1b~0": must be a schema`},
		{"allOf", `{"allOf":{}}`, `must be a list of schemas that is not empty`},
		{"uniqueItems", `{"uniqueItems":1}`, `must be true or false`},
		{"dependencies", `{"dependencies":[]}`, `must be an object`},
		{"patterns together", `{"patternProperties":{` + repeat(60, func(i int) string { return fmt.Sprintf(`"(ab){200}(cd){200}%d":{}`, i) }) + `}}`, `regular expressions of the schema are too large together`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := schema.Parse([]byte(test.doc))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Parse(%.100s)\n got %.300v\nwant %s", test.doc, err, test.want)
			}
			if err != nil && len(err.Error()) > 700 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}

// TestCheckIsBounded holds documents that take minutes or gigabytes elsewhere
// to a number of steps.
func TestCheckIsBounded(t *testing.T) {
	diamond := `{"$ref":"#/$defs/d0","$defs":{` + repeat(22, func(i int) string {
		return fmt.Sprintf(`"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1)
	}) + `,"d22":{"type":"string"}}}`
	big := `{` + repeat(20_000, func(i int) string { return fmt.Sprintf(`"k%d":"%s"`, i, strings.Repeat("v", 100)) }) + `}`
	for _, test := range []struct {
		name, schema, data string
		most               int  // steps; 0 for the budget
		gives              bool // gives up
	}{
		{"diamond", diamond, `1`, 0, true},
		{"diamond that holds", diamond, `"a"`, 200, false},
		{"enum of 10,000 for 10,000 items",
			`{"items":{"enum":[` + repeat(10_000, func(i int) string { return fmt.Sprint(i) }) + `]}}`,
			`[` + repeat(10_000, func(i int) string { return fmt.Sprint(9_999 - i) }) + `]`, 50_000, false},
		{"2,000 patterns for 1,000 keys",
			`{"patternProperties":{` + repeat(2_000, func(i int) string { return fmt.Sprintf(`"^x[a-z]*%d$":{"type":"string"}`, i) }) + `}}`,
			`{` + repeat(1_000, func(i int) string { return fmt.Sprintf(`"xyz%d":"a"`, i) }) + `}`, 0, true},
		{"unique items", `{"uniqueItems":true}`, `[` + repeat(100_000, func(i int) string { return fmt.Sprintf(`{"a":%d}`, i) }) + `]`, 700_000, false},
		{"unique items, equal at the end", `{"uniqueItems":true}`, `[` + repeat(50_000, func(i int) string { return fmt.Sprint(i) }) + `,0.0]`, 200_000, false},
		{"9,000 alternatives for a large object", `{"anyOf":[` + repeat(9_000, func(int) string { return `{"required":["no"]}` }) + `]}`, big, 0, true},
		{"9,000 true schemas for a large object", `{"allOf":[` + repeat(9_000, func(int) string { return `{}` }) + `]}`, big, 0, true},
		{"9,000 exclusions of a long text", `{"allOf":[` + repeat(9_000, func(int) string { return `{"maxLength":9}` }) + `]}`, `"` + strings.Repeat(`\u0041`, 100_000) + `"`, 0, false},
		{"long text, 500 patterns", `{"allOf":[` + repeat(500, func(i int) string { return fmt.Sprintf(`{"pattern":"(a|b|c|d){9}%d?"}`, i) }) + `]}`, `"` + strings.Repeat("abcd", 100_000) + `"`, 0, true},
		{"long number, multipleOf", `{"multipleOf":7}`, strings.Repeat("7", 3<<20), 0, true},
		{"large exponents, multipleOf", `{"multipleOf":7e-1000000000}`, `7e999999999`, 100, false},
		{"large exponents, bounds", `{"minimum":1e999999999,"maximum":1e1000000001}`, `1e1000000000`, 100, false},
		{"unevaluatedProperties and 9,000 branches",
			`{"anyOf":[` + repeat(3_000, func(i int) string { return fmt.Sprintf(`{"properties":{"k%d":true}}`, i) }) + `],"unevaluatedProperties":false}`, big, 0, true},
		{"required names", `{"items":{"required":[` + repeat(20_000, func(i int) string { return fmt.Sprintf(`"r%d"`, i) }) + `]}}`,
			`[` + repeat(100_000, func(int) string { return `{}` }) + `]`, 0, false},
		{"recursion through properties", `{"properties":{"a":{"$ref":"#"},"b":{"$ref":"#"}},"anyOf":[{"required":["a"]},{"properties":{"a":{"$ref":"#"},"b":{"$ref":"#"}}}]}`,
			strings.Repeat(`{"b":`, 64) + `1` + strings.Repeat(`}`, 64), 0, true},
		{"white space", `{"allOf":[` + repeat(5_000, func(int) string { return `{"minItems":0}` }) + `]}`, `[` + strings.Repeat(" ", 1<<20) + `]`, 0, true},
		{"$dynamicRef over many resources", `{"$id":"http://x/","$dynamicAnchor":"a","items":{"$ref":"r0"},"$defs":{` + repeat(200, func(i int) string {
			return fmt.Sprintf(`"r%d":{"$id":"r%d","$ref":"r%d"}`, i, i, i+1)
		}) + `,"r200":{"$id":"r200","items":{"$dynamicRef":"http://x/#a"}}}}`, strings.Repeat("[", 60) + strings.Repeat("]", 60), 30_000, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := schema.Parse([]byte(test.schema))
			if err != nil {
				t.Fatal(err)
			}
			data := []byte(test.data)
			if err := strictjson.Check(data); err != nil {
				t.Fatal(err)
			}
			steps, err := s.Steps(context.Background(), data)
			limit := schema.StepLimit(len(data))
			if test.most > 0 {
				limit = test.most
			}
			if steps > limit {
				t.Errorf("%d steps, at most %d are accepted", steps, limit)
			}
			if got := rule(err) == "budget"; got != test.gives {
				t.Errorf("gives up: %t, want %t (%v, %d steps)", got, test.gives, err, steps)
			}
		})
	}
}

// rule returns the rule of the first violation.
func rule(err error) string {
	var e *schema.Error
	if errors.As(err, &e) && len(e.Violations) > 0 {
		return e.Violations[0].Rule
	}
	return ""
}

func TestCheckEndsWithItsContext(t *testing.T) {
	s, err := schema.Parse([]byte(`{"items":{"type":"integer"}}`))
	if err != nil {
		t.Fatal(err)
	}
	data := []byte(`[` + repeat(20_000, func(int) string { return `"a"` }) + `]`)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	data[1] = '1' // the first violations would end the check otherwise
	numbers := []byte(`[` + repeat(20_000, func(int) string { return `1` }) + `]`)
	err = s.Check(ctx, numbers)
	if rule(err) != "canceled" || !errors.Is(err, context.Canceled) {
		t.Errorf("Check = %v, want a canceled one", err)
	}
	if err := s.Check(context.Background(), numbers); err != nil {
		t.Errorf("Check = %v after a canceled one", err)
	}
}

func TestNotes(t *testing.T) {
	s, err := schema.Parse([]byte(`{
		"properties": {"a": {"pattern": "^(?!x)"}, "b": {"pattern": "^\\/[\\u0041-\\u005A]+$"}, "c": {"pattern": "(a{1000}){5}"}},
		"patternProperties": {"(?<=y)z": {"type": "null"}, "^n_": {"type": "number"}},
		"additionalProperties": false}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`schema at "#/properties/a/pattern": pattern "^(?!x)" is not in RE2 syntax and is not enforced`,
		`schema at "#/properties/c/pattern": pattern "(a{1000}){5}" is not in RE2 syntax and is not enforced`,
		`schema at "#/patternProperties/(?<=y)z": pattern "(?<=y)z" is not in RE2 syntax and is not enforced`,
	}
	if got := strings.Join(s.Notes(), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("Notes:\n%s", got)
	}
	for data, ok := range map[string]bool{
		`{"a":"x","b":"/AZ","yz":1}`: true, // yz may match the pattern that is not enforced
		`{"b":"/az"}`:                false,
		`{"n_1":"a"}`:                false,
		`{"n_1":1}`:                  true,
	} {
		if err := s.Check(context.Background(), []byte(data)); (err == nil) != ok {
			t.Errorf("Check(%s) = %v, want accepted: %t", data, err, ok)
		}
	}
	many, err := schema.Parse([]byte(`{"allOf":[` + repeat(50, func(i int) string { return fmt.Sprintf(`{"pattern":"(?=%d)"}`, i) }) + `]}`))
	if err != nil || len(many.Notes()) != 20 {
		t.Errorf("%v, %d notes of 50, want 20", err, len(many.Notes()))
	}
}
