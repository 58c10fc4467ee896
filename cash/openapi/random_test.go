package openapi_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/cash-mcp/go-sdk/cash/openapi"
	"github.com/cash-mcp/go-sdk/registry"
)

// A sample is a value with a schema that it fits, and one that it does not fit.
type sample struct{ schema, value, wrong string }

var scalars = []sample{
	{`{"type":"string","minLength":1}`, `"a b/c&d=é"`, `""`},
	{`{"type":"string","enum":["x","y"]}`, `"y"`, `"z"`},
	{`{"type":"integer","maximum":99}`, `42`, `100`},
	{`{"type":"number"}`, `1.25`, `"x"`},
	{`{"type":"boolean"}`, `true`, `1`},
}

var compound = []sample{
	{`{"type":"array","items":{"type":"string"}}`, `["ab","cd","e"]`, `[1]`},
	{`{"type":"array","items":{"type":"integer"},"maxItems":3}`, `[1,2]`, `[1,2,3,4]`},
	{`{"type":"object","required":["r"],"properties":{"r":{"type":"integer"},"g":{"type":"string"}}}`, `{"r":1,"g":"x"}`, `{"g":"x"}`},
}

// nested are samples for bodies of JSON.
var nested = []sample{
	{`{"type":"array","items":{"type":"object","properties":{"n":{"type":"string","nullable":true}}}}`, `[{"n":null},{"n":"é"}]`, `[{"n":1}]`},
	{`{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"integer"}}]}`, `[1,2]`, `{}`},
}

// A generated is a random document, with arguments for its operations.
type generated struct {
	paths, exact strings.Builder // exact: with the values as the only ones
	calls        []generatedCall
}

type generatedCall struct{ name, good, bad string }

// generate writes a document with up to five operations.
func generate(r *rand.Rand) *generated {
	g := new(generated)
	for i := range 1 + r.IntN(5) {
		if i > 0 {
			g.paths.WriteByte(',')
			g.exact.WriteByte(',')
		}
		g.operation(r, i)
	}
	return g
}

func (g *generated) operation(r *rand.Rand, i int) {
	path := fmt.Sprintf("/p%d", i)
	good, params, exact := map[string]json.RawMessage{}, []string{}, []string{}
	wrong, wrongName := "", ""
	for j := range r.IntN(6) {
		in := []string{"path", "query", "query", "header", "cookie"}[r.IntN(5)]
		name := fmt.Sprintf("%s_%d", in, j)
		s := scalars[r.IntN(len(scalars))]
		if in != "query" { // kin-openapi does not decode their characters
			s = scalars[1+r.IntN(len(scalars)-1)]
		}
		style := map[string]string{"path": "simple", "query": "form", "header": "simple", "cookie": "form"}[in]
		explode := r.IntN(2) == 0
		if r.IntN(2) == 0 && in != "cookie" {
			s = compound[r.IntN(len(compound))]
		}
		object := strings.Contains(s.schema, `"object"`)
		switch {
		case in == "path":
			style = []string{"simple", "matrix"}[r.IntN(2)]
			path += "/{" + name + "}"
		case in == "query" && object:
			style, explode = "deepObject", true
		case in == "query" && s.value[0] == '[' && !explode:
			style = []string{"form", "spaceDelimited", "pipeDelimited"}[r.IntN(3)]
		}
		required := in == "path" || r.IntN(2) == 0
		head := fmt.Sprintf(`{"name":%q,"in":%q,"style":%q,"explode":%t,"required":%t,"schema":`, name, in, style, explode, required)
		params = append(params, head+s.schema+"}")
		exact = append(exact, head+only(s)+"}")
		good[name] = json.RawMessage(s.value)
		wrong, wrongName = s.wrong, name
	}
	method, body, exactBody := "get", "", ""
	if r.IntN(2) == 0 {
		method = "post"
		s := append(append([]sample{}, scalars...), append(compound, nested...)...)[r.IntN(10)]
		schema := func(s string) string {
			return `,"requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","required":["b"],"properties":{"b":` + s + `}}}}}`
		}
		body, exactBody = schema(s.schema), schema(only(s))
		good["b"], wrong, wrongName = json.RawMessage(s.value), s.wrong, "b"
	}
	id := fmt.Sprintf("op%d", i)
	write := func(b *strings.Builder, params []string, body string) {
		fmt.Fprintf(b, `%q:{%q:{"operationId":%q,"tags":["t"],"parameters":[%s]%s,"responses":{"200":{"description":""}}}}`,
			path, method, id, strings.Join(params, ","), body)
	}
	write(&g.paths, params, body)
	write(&g.exact, exact, exactBody)
	call := generatedCall{name: id}
	data, _ := json.Marshal(good)
	call.good = string(data)
	good["unknown"] = json.RawMessage("1")
	if wrongName != "" {
		delete(good, "unknown")
		good[wrongName] = json.RawMessage(wrong)
	}
	data, _ = json.Marshal(good)
	call.bad = string(data)
	g.calls = append(g.calls, call)
}

// only returns a sample's schema with its value as the only one.
func only(s sample) string {
	return `{"enum":[` + s.value + `],` + s.schema[1:]
}

// Two hundred random documents: what arrives is what was given, by the reader of kin-openapi; and what does not fit is
// not sent.
func TestRandomDocuments(t *testing.T) {
	for seed := range uint64(200) {
		g := generate(rand.New(rand.NewPCG(seed, 1)))
		doc := func(paths string) []byte {
			return []byte(`{"openapi":"3.0.3","info":{"title":"t","version":"1"},"paths":{` + strings.ReplaceAll(paths, `"enum":["x","y"],"enum"`, `"enum"`) + `}}`)
		}
		oracle, err := openapi3.NewLoader().LoadFromData(doc(strings.ReplaceAll(g.exact.String(), `,"enum":["x","y"]`, "")))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		oracle.Servers = openapi3.Servers{{URL: "http://localhost"}}
		router, err := gorillamux.NewRouter(oracle)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		var problem error
		requests := 0
		service := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests++
			route, params, err := router.FindRoute(r)
			if err == nil {
				err = openapi3filter.ValidateRequest(r.Context(), &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route})
			}
			problem = err
		})
		reg, m := mount(t, doc(g.paths.String()), openapi.Handler(service))
		if n := m.Report().Operations; n != len(g.calls) {
			t.Fatalf("seed %d: %d operations of %d\n%s", seed, n, len(g.calls), m.Report())
		}
		for _, c := range g.calls {
			requests = 0
			if _, err := call(t.Context(), reg, "shop.t", c.name, c.good); err != nil || problem != nil || requests != 1 {
				t.Errorf("seed %d: %s with %s: %v, %v, %d requests\n%s", seed, c.name, c.good, err, problem, requests, g.paths.String())
			}
			requests = 0
			if _, err := call(t.Context(), reg, "shop.t", c.name, c.bad); registry.AsError(err).Kind != registry.InvalidArguments || requests != 0 {
				t.Errorf("seed %d: %s with %s: %v, %d requests", seed, c.name, c.bad, err, requests)
			}
		}
	}
}
