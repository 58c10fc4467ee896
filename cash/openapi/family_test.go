package openapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/openapi"
)

// pets is a family as springdoc and NSwag write it: the parent lists its children, which are made of the parent. The
// texts are the version, and the schema of the body and of the result.
const pets = `{"openapi":"%s","info":{},"components":{"schemas":{
	"Pet":{"type":"object","required":["kind","name"],"properties":{"kind":{"type":"string"},"name":{"type":"string"},
		"friends":{"type":"array","items":{"$ref":"#/components/schemas/Pet"}},"id":{"type":"string","readOnly":true}},
		"anyOf":[{"properties":{"name":{"minLength":2}}},{"required":["alias"]}],
		"oneOf":[{"$ref":"#/components/schemas/Cat"},{"$ref":"#/components/schemas/Dog"},{"$ref":"#/components/schemas/Puppy"}],
		"discriminator":{"propertyName":"kind","mapping":{"cat":"#/components/schemas/Cat","dog":"Dog"}}},
	"Cat":{"allOf":[{"$ref":"#/components/schemas/Pet"},{"type":"object","required":["lives"],"properties":{"lives":{"type":"integer"}}}]},
	"Dog":{"type":"object","properties":{"size":{"enum":["s","m"]}},"allOf":[{"$ref":"#/components/schemas/Pet"}]},
	"Puppy":{"allOf":[{"$ref":"#/components/schemas/Dog"},{"allOf":[{"properties":{"weeks":{"type":"integer"}}}],"required":["weeks"]}]}}},
	"paths":{"/a":{"post":{"operationId":"a","tags":["t"],"requestBody":{"required":true,"content":{"application/json":{"schema":%s}}},
	"responses":{"200":{"description":"It.","content":{"application/json":{"schema":%[2]s}}}}}}}}`

// Children that are made of their parent are checked, and shown with the values that choose them.
func TestFamilies(t *testing.T) {
	const pet, cat = `{"$ref":"#/components/schemas/Pet"}`, `{"$ref":"#/components/schemas/Cat"}`
	each := map[string]bool{
		`{"kind":"cat","name":"Tom","lives":7}`: true, `{"kind":"cat","name":"Tom"}`: false, `{"kind":"cat","lives":7}`: false,
		`{"kind":"cat","name":"Tom","lives":7,"id":"1"}`: false, `{"kind":"cat","name":"T","lives":7}`: false,
		`{"kind":"cat","name":"Tom","lives":7,"friends":[{"kind":"dog","name":"Rex","friends":[{"kind":"cat","name":"Kit","lives":1}]}]}`: true,
		`{"kind":"cat","name":"Tom","lives":7,"friends":[{"kind":"dog","name":"Rex","friends":[{"kind":"cat","name":"Kit"}]}]}`:           false,
	}
	all := map[string]bool{
		`{"kind":"dog","name":"Rex","size":"s"}`: true, `{"kind":"dog","name":"Rex","size":"xl"}`: false, `{"kind":"cow","name":"Ida"}`: false,
		`{"kind":"Puppy","name":"Rex","size":"m","weeks":3}`: true, `{"kind":"Puppy","name":"Rex"}`: false,
		`{"kind":"Puppy","name":"Rex","size":"xl","weeks":3}`: false, `{"kind":"Puppy","size":"m","weeks":3}`: false,
	}
	for _, c := range []struct {
		version, body string
		fits          []map[string]bool
	}{
		{"3.0.3", pet, []map[string]bool{each, all}}, {"3.1.0", `{"allOf":[` + pet + `]}`, []map[string]bool{each, all}},
		{"3.1.0", `{"allOf":[{"$ref":"#/components/schemas/Pet","description":"It."}]}`, []map[string]bool{each, all}},
		{"3.0.1", cat, []map[string]bool{each}}, {"3.1.0", `{"oneOf":[` + cat + `]}`, []map[string]bool{each}},
	} {
		doc := fmt.Appendf(nil, pets, c.version, c.body)
		reg, m := mount(t, doc, openapi.Handler(new(recorder)), openapi.OnOperation(func(o *openapi.Operation) { o.Typed = true }))
		page, err := cash.NewServer(reg, nil).Help(t.Context(), &cash.HelpRequest{
			Namespace: "shop.t", Function: "a", Kwargs: []byte(`{"format":"json","params":"full"}`)})
		if page := strings.Join(strings.Fields(page), ""); err != nil || !strings.Contains(page, `"lives"`) || !strings.Contains(page, `{"kind":{"enum":["cat"]}}`) {
			t.Errorf("%s: %v\n%s\n%s", c.body, err, page, m.Report())
		}
		f := slices.Collect(reg.All())[0]
		if out := string(f.OutputSchema()); !strings.Contains(out, `"Pet_base"`) || !strings.Contains(out, `"lives"`) {
			t.Errorf("%s: output schema %s", c.body, out)
		}
		for _, fits := range c.fits {
			for args, want := range fits {
				if _, err := call(t.Context(), reg, "shop.t", "a", `{"body":`+args+`}`); (err == nil) != want {
					t.Errorf("%s of %s: %v", args, c.body, err)
				}
			}
		}
	}
}

// A result of a family has a type.
func TestFamiliesInResults(t *testing.T) {
	for body, fits := range map[string]bool{`{"kind":"cat","name":"Tom","lives":7}`: true, `{"kind":"cat","name":"Tom"}`: false} {
		doc := fmt.Appendf(nil, pets, "3.0.3", `{"$ref":"#/components/schemas/Pet"}`)
		reg, _ := mount(t, doc, openapi.Handler(answer(200, map[string]string{"Content-Type": "application/json"}, body)),
			openapi.OnOperation(func(o *openapi.Operation) { o.Typed = true }))
		res, err := call(t.Context(), reg, "shop.t", "a", `{"body":{"kind":"dog","name":"Rex"}}`)
		if err != nil {
			t.Fatal(err)
		}
		typed, err := slices.Collect(reg.All())[0].Typed(t.Context(), res)
		if (err == nil && string(typed.Structured) == body) != fits {
			t.Errorf("%s: %s, %v", body, typed.Structured, err)
		}
	}
}

// A child with children of its own is a parent and a child. What is no family stays as it is.
func TestFamiliesOfFamilies(t *testing.T) {
	for _, c := range []struct{ schemas, good, bad string }{
		{`"P":{"required":["p"],"oneOf":[{"$ref":"#/x/C"}]},"C":{"allOf":[{"$ref":"#/x/P"}],"required":["c"],"oneOf":[{"$ref":"#/x/G"}]},
			"G":{"allOf":[{"$ref":"#/x/C"}],"required":["g"]}`, `{"p":1,"c":1,"g":1}`, `{"c":1,"g":1} {"p":1,"g":1} {"p":1,"c":1}`},
		{`"P":{"required":["p"],"anyOf":[{"$ref":"#/x/G"}]},"C":{"allOf":[{"$ref":"#/x/P"}],"required":["c"]},
			"G":{"allOf":[{"$ref":"#/x/C"}],"required":["g"]}`, `{"p":1,"c":1,"g":1}`, `{"c":1,"g":1} {"p":1,"g":1} {"p":1,"c":1}`},
		{`"P":{"required":["p"],"oneOf":[{"$ref":"#/x/A"},{"type":"null"}]},"A":{"$ref":"#/x/C"},"B":{"$ref":"#/x/P"},"C":{"allOf":[{"allOf":[{"$ref":"#/x/B"}]}],"required":["c"]}`,
			`{"p":1,"c":1}`, `{"c":1} {"p":1} null`},
		{`"P":{"type":"object","required":["p"],"oneOf":[{"$ref":"#/x/C"}]},"C":{"allOf":[{"$ref":"#/x/Q"}]},"Q":{"required":["q"],"oneOf":[{"required":["c"]}]}`,
			`{"p":1,"q":1,"c":1}`, `{"p":1,"q":1} {"p":1,"c":1}`},
	} {
		doc := document(`{"/a":{"post":{"operationId":"a","tags":["t"],"requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/x/P"}}}}}}}`)
		doc = fmt.Appendf(doc[:len(doc)-1], `,"x":{%s}}`, c.schemas)
		reg, m := mount(t, doc, openapi.Handler(new(recorder)))
		if _, err := call(t.Context(), reg, "shop.t", "a", `{"body":`+c.good+`}`); err != nil {
			t.Errorf("%s: %v\n%s", c.good, err, m.Report())
		}
		for bad := range strings.FieldsSeq(c.bad) {
			if _, err := call(t.Context(), reg, "shop.t", "a", `{"body":`+bad+`}`); err == nil {
				t.Errorf("%s fits %s", bad, c.schemas)
			}
		}
	}
}

// Large families, and families of families, cost no more than other schemas.
func TestHostileFamilies(t *testing.T) {
	var children, chain []string
	for i := range 2000 {
		children = append(children, fmt.Sprintf(`"c%d":{"allOf":[{"$ref":"#/x/P"},{"required":["m%[1]d"]}]}`, i))
		chain = append(chain, fmt.Sprintf(`"d%d":{"oneOf":[{"$ref":"#/x/d%d"}],"allOf":[{"$ref":"#/x/d%d"}]}`, i, (i+1)%2000, (i+1999)%2000))
	}
	list := "[" + repeated(2000, `{"$ref":"#/x/c%d"}`) + "]"
	for name, schemas := range map[string]string{
		"wide": `"P":{"oneOf":` + list + `},` + strings.Join(children, ","),
		"ring": `"P":{"$ref":"#/x/d0"},` + strings.Join(chain, ","),
	} {
		doc := document(`{` + repeated(10, `"/a%d":{"post":{"tags":["t"],"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/x/P"}}}}}}`) + `}`)
		doc = fmt.Appendf(doc[:len(doc)-1], `,"x":{%s}}`, schemas)
		began := time.Now()
		_, m := mount(t, doc, openapi.Handler(http.NotFoundHandler()))
		if d := time.Since(began); d > 20*time.Second || m.Report().Operations == 0 {
			t.Errorf("%s: %v\n%.500s", name, d, m.Report())
		}
	}
}

// Generators close parents and children. A value has the members of both, and no others; a parent by itself stays closed.
func TestClosedFamilies(t *testing.T) {
	const schemas = `"P":{"type":"object","properties":{"p":{"type":"integer"}},"additionalProperties":false},
		"C":{"allOf":[{"$ref":"#/x/P"}],"type":"object","properties":{"c":{"type":"integer"}},"additionalProperties":false},
		"D":{"allOf":[{"$ref":"#/x/C"},{"type":"object","properties":{"d":{"$ref":"#/x/P"}},"additionalProperties":false}]},
		"Open":{"allOf":[{"properties":{"p":{"type":"integer"}}}]},
		"L":{"type":"object","properties":{"k":{"type":"string"}},"additionalProperties":false,"oneOf":[{"$ref":"#/x/M"}]},
		"M":{"allOf":[{"$ref":"#/x/L"},{"properties":{"m":{"type":"integer"}},"required":["m"]}]},
		"U":{"type":"object","properties":{"k":{"type":"string"}},"unevaluatedProperties":false,"anyOf":[{"$ref":"#/x/V"}]},
		"W":{"type":"object","properties":{"k":{"type":"string"}},"additionalProperties":false,"oneOf":[{"$ref":"#/x/X"}]},
		"X":{"allOf":[{"$ref":"#/x/W"}],"required":["k"]},
		"Y":{"allOf":[{"allOf":[{"$ref":"#/x/P"}]},{"properties":{"y":{"type":"integer"}}}]},
		"V":{"allOf":[{"$ref":"#/x/U"},{"properties":{"m":{"type":"integer"}},"required":["m"]}]}`
	for schema, c := range map[string]struct{ good, bad string }{
		"P":    {`{} {"p":1}`, `{"p":1,"c":1} {"c":1}`},
		"C":    {`{} {"p":1} {"c":1} {"p":1,"c":1}`, `{"p":1,"z":1} {"p":"a"} {"p":1,"d":{}}`},
		"D":    {`{"p":1,"c":1,"d":{"p":1}}`, `{"p":1,"c":1,"z":1} {"d":{"p":1,"c":1}}`},
		"Open": {`{"p":1,"z":1}`, `{"p":"a"}`},
		"L":    {`{"k":"a","m":1}`, `{"k":"a"} {"k":"a","m":1,"z":1}`},
		"M":    {`{"k":"a","m":1}`, `{"k":"a"} {"k":"a","m":1,"z":1}`},
		"U":    {`{"k":"a","m":1}`, `{"k":"a"} {"k":"a","m":1,"z":1}`},
		"W":    {`{"k":"a"}`, `{} {"k":"a","z":1}`},
		"X":    {`{"k":"a"}`, `{} {"k":"a","z":1}`},
		"Y":    {`{"p":1,"y":1}`, `{"p":1,"z":1} {"y":"a"}`},
		"V":    {`{"k":"a","m":1}`, `{"k":"a"} {"k":"a","m":1,"z":1}`},
	} {
		doc := document(`{"/a":{"post":{"operationId":"a","tags":["t"],"requestBody":{"required":true,"content":{"application/json":{"schema":
			{"type":"object","properties":{"body":{"$ref":"#/x/` + schema + `"}}}}}}}}}`)
		doc = fmt.Appendf(doc[:len(doc)-1], `,"x":{%s}}`, schemas)
		reg, m := mount(t, doc, openapi.Handler(new(recorder)))
		for good := range strings.FieldsSeq(c.good) {
			if _, err := call(t.Context(), reg, "shop.t", "a", `{"body":`+good+`}`); err != nil {
				t.Errorf("%s as %s: %v\n%s", good, schema, err, m.Report())
			}
		}
		for bad := range strings.FieldsSeq(c.bad) {
			if _, err := call(t.Context(), reg, "shop.t", "a", `{"body":`+bad+`}`); err == nil {
				t.Errorf("%s fits %s", bad, schema)
			}
		}
	}
}

// A schema that only wraps a closed one is closed by that, which knows the names of members.
func TestClosedWrapper(t *testing.T) {
	for version, wrapper := range map[string]string{
		"3.0.3": `{"allOf":[{"$ref":"#/x/P"}],"description":"It.","nullable":true}`,
		"3.1.0": `{"allOf":[{"allOf":[{"$ref":"#/x/P"}]}],"default":{}}`,
	} {
		doc := fmt.Appendf(nil, `{"openapi":%q,"info":{},"x":{"P":{"type":"object","properties":{"kind":{"type":"string"}},"additionalProperties":false}},
			"paths":{"/a":{"post":{"operationId":"a","tags":["t"],"requestBody":{"required":true,"content":{"application/json":{"schema":
			{"type":"object","properties":{"p":%s}}}}}}}}}`, version, wrapper)
		reg, m := mount(t, doc, openapi.Handler(new(recorder)))
		if _, err := call(t.Context(), reg, "shop.t", "a", `{"p":{"kindd":"a"}}`); err == nil || !strings.Contains(err.Error(), "did you mean `kind`?") {
			t.Errorf("%s: %v\n%s", wrapper, err, m.Report())
		}
	}
}
