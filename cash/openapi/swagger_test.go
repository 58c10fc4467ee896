package openapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/openapi"
)

// Arrays are written by collectionFormat, whose default is csv, in all places and also in shared parameters. Where
// OpenAPI 3 has no such style, the operation is left out.
func TestSwagger2Arrays(t *testing.T) {
	service := new(recorder)
	array := func(in, format string) string {
		if format != "" {
			format = `,"collectionFormat":"` + format + `"`
		}
		return `{"name":"a","in":"` + in + `","required":true,"type":"array","items":{"type":"string"}` + format + `}`
	}
	for in, formats := range map[string]map[string]string{
		"query":    {"": "a=x,y%20z", "csv": "a=x,y%20z", "ssv": "a=x%20y%20z", "pipes": "a=x%7Cy%20z", "multi": "a=x&a=y%20z", "tsv": ""},
		"formData": {"": "a=x,y%20z", "csv": "a=x,y%20z", "ssv": "a=x%20y%20z", "pipes": "a=x%7Cy%20z", "multi": "a=x&a=y%20z", "tsv": ""},
		"header":   {"": "x,y z", "csv": "x,y z", "ssv": "", "tsv": "", "pipes": ""},
		"path":     {"": "x,y%20z", "csv": "x,y%20z", "ssv": "", "tsv": "", "pipes": ""},
	} {
		for format, want := range formats {
			for _, shared := range []bool{false, true} {
				param, parameters := array(in, format), `{}`
				if shared {
					param, parameters = `{"$ref":"#/parameters/a"}`, `{"a":`+param+`}`
				}
				path := "/send"
				if in == "path" {
					path += "/{a}"
				}
				doc := fmt.Appendf(nil, `{"swagger":"2.0","info":{},"parameters":%s,"paths":{%q:{"post":{"operationId":"send","tags":["t"],"parameters":[%s]}}}}`, parameters, path, param)
				reg, m := mount(t, doc, openapi.Handler(service))
				_, err := call(t.Context(), reg, "shop.t", "send", `{"a":["x","y z"]}`)
				got := service.take()
				if want == "" {
					if err == nil || got != nil || m.Report().Left != 1 || !strings.Contains(m.Report().String(), "collectionFormat") {
						t.Errorf("%s %s is sent: %v, %+v\n%s", in, format, err, got, m.Report())
					}
					continue
				}
				if err != nil {
					t.Errorf("%s %s: %v\n%s", in, format, err, m.Report())
					continue
				}
				_, query, _ := strings.Cut(got.URI, "?")
				have := map[string]string{"query": query, "formData": got.Body, "header": got.Header.Get("a"), "path": strings.TrimPrefix(got.URI, "/send/")}[in]
				if have != want {
					t.Errorf("%s %q, shared %t, is %q, want %q", in, format, shared, have, want)
				}
			}
		}
	}
}

// Long numbers among values are as they are spelled.
func TestSwagger2Numbers(t *testing.T) {
	service := new(recorder)
	doc := []byte(`{"swagger":"2.0","info":{},"paths":{"/a":{"get":{"operationId":"a","tags":["t"],"parameters":[
		{"name":"n","in":"query","type":"integer","enum":[1, 9007199254740993 ,-9223372036854775808,9223372036854775807],"default" : 9223372036854775807,"description":"\"default\":1234567890123456789"},
		{"name":"b","in":"query","type":"object","default":{"default":0.12345678901234567890}}]},
		"post":{"operationId":"b","tags":["t"],"parameters":[{"name":"b","in":"body","schema":{"type":"object","properties":{"default":{"type":"integer","example":9007199254740993}}}}]}}}}`)
	reg, m := mount(t, doc, openapi.Handler(service))
	var schemas string
	for f := range reg.All() {
		schemas += string(f.InputSchema())
	}
	for _, want := range []string{`"enum":[1,9007199254740993,-9223372036854775808,9223372036854775807]`, `"default":9223372036854775807`, `\"default\":1234567890123456789`, `"default":{"default":0.12345678901234567890}`, `"examples":[9007199254740993]`} {
		if !strings.Contains(schemas, want) {
			t.Errorf("no %s in %s\n%s", want, schemas, m.Report())
		}
	}
	if _, err := call(t.Context(), reg, "shop.t", "a", `{"n":9007199254740993}`); err != nil {
		t.Error(err)
	} else if got := service.take().URI; got != "/a?n=9007199254740993" {
		t.Errorf("sent %s", got)
	}
}

// Shared parameters of a form are not taken for definitions, and those of an operation replace those of its path. Paths
// may refer to others.
func TestSwagger2References(t *testing.T) {
	service := new(recorder)
	doc := []byte(`{"swagger":"2.0","info":{},"parameters":{"Pet":{"name":"pet","in":"formData","type":"string"}},"definitions":{"Pet":{"type":"object"}},"paths":{
		"/shared":{"post":{"operationId":"shared","tags":["t"],"parameters":[{"$ref":"#/parameters/Pet"}]}},
		"/own":{"parameters":[{"name":"pet","in":"formData","type":"file"}],"post":{"operationId":"own","tags":["t"],
			"consumes":["application/x-www-form-urlencoded"],"parameters":[{"name":"pet","in":"formData","type":"string"}]}},
		"/z":{"$ref":"#/paths/~1shared"},"/nowhere":{"$ref":"#/paths/~1nothing"}}}`)
	reg, m := mount(t, doc, openapi.Handler(service))
	for _, f := range []string{"shared", "own"} {
		if _, err := call(t.Context(), reg, "shop.t", f, `{"pet":"x"}`); err != nil {
			t.Fatalf("%s: %v\n%s", f, err, m.Report())
		}
		if got := service.take(); got.URI != "/"+f || got.Body != "pet=x" {
			t.Errorf("%s: sent %+v", f, got)
		}
	}
	other := []byte(`{"swagger":"2.0","info":{},"paths":{"/a":{"$ref":"#/x-items/a"}},"x-items":{"a":{"get":{}}}}`)
	if _, err := openapi.Mount(reg, "other", other, openapi.Handler(service)); err == nil || !strings.Contains(err.Error(), `"#/x-items/a"`) {
		t.Error(err)
	}
	if r := m.Report(); r.Operations != 3 || !strings.Contains(r.String(), `/nowhere is left out: $ref "#/paths/~1nothing" names nothing`) {
		t.Error(r)
	}
}

// Parameters in formData make a form, whatever the document says that the operation consumes; with a file, one of parts.
func TestSwagger2Forms(t *testing.T) {
	service := new(recorder)
	const name, file = `{"name":"n","in":"formData","type":"string"}`, `{"name":"f","in":"formData","type":"file"}`
	for _, c := range []struct{ consumes, params, args, media string }{
		{``, name, `{"n":"x"}`, "application/x-www-form-urlencoded"},
		{`"consumes":["application/json"],`, name, `{"n":"x"}`, "application/x-www-form-urlencoded"},
		{`"consumes":["multipart/form-data"],`, name, `{"n":"x"}`, "multipart/form-data; "},
		{``, name + "," + file, `{"n":"x","f":{"text":"y"}}`, "multipart/form-data; "},
		{`"consumes":["application/x-www-form-urlencoded"],`, name + "," + file, `{"n":"x","f":{"text":"y"}}`, "multipart/form-data; "},
		{`"consumes":["application/json","application/x-www-form-urlencoded; charset=utf-8"],`, name, `{"n":"x"}`, "application/x-www-form-urlencoded"},
		{`"consumes":["application/json","application/x-www-form-urlencoded","multipart/form-data"],`, name + "," + file, `{"n":"x","f":{"text":"y"}}`, "multipart/form-data; "},
		{`"consumes":["application/x-www-form-urlencoded"],`, `{"name":"b","in":"body","schema":{"type":"object","required":["n"],"properties":{"n":{"type":"string"}}}}`, `{}`, ""},
	} {
		doc := fmt.Appendf(nil, `{"swagger":"2.0","info":{},%s"paths":{"/send":{"post":{"operationId":"send","tags":["t"],"parameters":[%s]}}}}`, c.consumes, c.params)
		reg, m := mount(t, doc, openapi.Handler(service))
		if _, err := call(t.Context(), reg, "shop.t", "send", c.args); err != nil {
			t.Errorf("%s: %v\n%s", c.consumes, err, m.Report())
		} else if got := service.take(); got.Header.Get("Content-Type") != c.media && (c.media == "" || !strings.HasPrefix(got.Header.Get("Content-Type"), c.media)) {
			t.Errorf("%s is sent as %q", c.consumes, got.Header.Get("Content-Type"))
		}
	}
}
