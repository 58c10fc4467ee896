package openapi_test

import (
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cash-mcp/go-sdk/cash/openapi"
	"github.com/cash-mcp/go-sdk/registry"
)

// operation returns a document with one operation, send in t, that has this body.
func operation(params, body string) []byte {
	return document(`{"/send":{"post":{"operationId":"send","tags":["t"],"parameters":[` + params + `],"requestBody":` + body + `}}}`)
}

func TestBodies(t *testing.T) {
	const plain = `{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"count":{"type":"integer"},
		"id":{"type":"string","readOnly":true}}}`
	query := func(name string) string { return `{"name":"` + name + `","in":"query","schema":{"type":"string"}}` }
	json := func(schema string) string {
		return `{"required":true,"content":{"application/json":{"schema":` + schema + `}}}`
	}
	for name, c := range map[string]struct{ params, body, args, media, want string }{
		"members":            {"", json(plain), `{"count":9007199254740993,"name":"é"}`, "application/json", `{"name":"é","count":9007199254740993}`},
		"collision":          {query("NAME"), json(plain), `{"NAME":"q","body":{"count":1,"name":"x"}}`, "application/json", `{"count":1,"name":"x"}`},
		"collision of body":  {query("body"), json(`{"type":"array","items":{}}`), `{"body":"q","body_request":[ 1.50]}`, "application/json", `[ 1.50]`},
		"array":              {"", json(`{"type":"array"}`), `{"body":[1,2]}`, "application/json", `[1,2]`},
		"more members":       {"", json(`{"type":"object","properties":{"a":{}},"additionalProperties":true}`), `{"body":{"b":1}}`, "application/json", `{"b":1}`},
		"choice":             {"", json(`{"oneOf":[{"type":"string"},{"type":"integer"}]}`), `{"body":1}`, "application/json", `1`},
		"nothing required":   {"", json(`{"type":"object","properties":{"a":{}}}`), `{}`, "application/json", `{}`},
		"optional":           {"", `{"content":{"application/json":{"schema":{"properties":{"a":{}}}}}}`, `{}`, "", ``},
		"optional, required": {"", `{"content":{"application/json":{"schema":` + plain + `}}}`, `{"body":{"name":"a"}}`, "application/json", `{"name":"a"}`},
		"problem json":       {"", `{"required":true,"content":{"text/plain":{},"application/merge-patch+json":{"schema":` + plain + `}}}`, `{"name":"a"}`, "application/merge-patch+json", `{"name":"a"}`},
		"text":               {"", `{"required":true,"content":{"text/csv":{"schema":{"type":"string"}}}}`, `{"body":"a,b\n"}`, "text/csv", "a,b\n"},
		"any text":           {"", `{"required":true,"content":{"text/*":{"schema":{"type":"string"}}}}`, `{"body":"a"}`, "text/plain", "a"},
		"any json":           {"", `{"required":true,"content":{"application/*+json":{"schema":{"type":"object"}}}}`, `{"body":{}}`, "application/json", "{}"},
		"bytes in base64":    {"", `{"required":true,"content":{"image/png":{"schema":{"type":"string","format":"binary"}}}}`, `{"body":{"base64":"AAEC"}}`, "image/png", "\x00\x01\x02"},
		"bytes of a type":    {"", `{"required":true,"content":{"*/*":{"schema":{"type":"string"}}}}`, `{"body":{"text":"hi","content_type":"text/x"}}`, "text/x", "hi"},
		"bytes of a file":    {"", `{"required":true,"content":{"application/octet-stream":{}}}`, `{"body":{"file":"a/b.txt"}}`, "application/octet-stream", "of a file"},
		"form": {"", `{"required":true,"content":{"application/x-www-form-urlencoded":{"schema":{"properties":{
			"a":{"type":"string"},"list":{"type":"array"},"o":{"type":"object"},"d":{"type":"object"},"p":{"type":"array"}}},
			"encoding":{"d":{"style":"deepObject","explode":true},"p":{"style":"pipeDelimited","explode":false}}}}}`,
			`{"a":"x &=+é","list":[1,2],"o":{"k":[1]},"d":{"k":"v"},"p":["1","2"]}`, "application/x-www-form-urlencoded",
			"a=x%20%26%3D%2B%C3%A9&list=1&list=2&o=%7B%22k%22%3A%5B1%5D%7D&d%5Bk%5D=v&p=1%7C2"},
		"form of objects": {"", `{"required":true,"content":{"application/x-www-form-urlencoded":{"schema":{"additionalProperties":true,"properties":{
			"name":{"type":"string"},"a":{"type":["object","null"]},"b":{},"list":{"type":["array","null"]}}}}}}`,
			`{"body":{"name":"x","a":{"name":"y"},"b":{"name":"z"},"list":[1,{"k":2}],"c":{"d":1}}}`, "application/x-www-form-urlencoded",
			"name=x&a=%7B%22name%22%3A%22y%22%7D&b=%7B%22name%22%3A%22z%22%7D&list=1&list=%7B%22k%22%3A2%7D&c=%7B%22d%22%3A1%7D"},
		"more beside a reference": {"", `{"required":true,"content":{"application/json":{"schema":{"$ref":"#/paths/~1send/post/x-base","properties":{"extra":{"type":"string"}},"required":["extra"]}}}},
			"x-base":{"type":"object","properties":{"a":{"type":"string"}}}`, `{"body":{"a":"b","extra":"c"}}`, "application/json", `{"a":"b","extra":"c"}`},
		"form in one argument": {query("a"), `{"required":true,"content":{"application/x-www-form-urlencoded":{"schema":{"properties":{"a":{"type":"string"}}}}}}`,
			`{"a":"q","body":{"a":"b"}}`, "application/x-www-form-urlencoded", "a=b"},
	} {
		t.Run(name, func(t *testing.T) {
			service := new(recorder)
			reg, m := mount(t, operation(c.params, c.body), openapi.Handler(service),
				openapi.Files(fstest.MapFS{"a/b.txt": {Data: []byte("of a file")}}))
			if _, err := call(t.Context(), reg, "shop.t", "send", c.args); err != nil {
				t.Fatalf("%v\n%s", err, m.Report())
			}
			if got := service.take(); got.Body != c.want || got.Header.Get("Content-Type") != c.media {
				t.Errorf("sent %q of type %q", got.Body, got.Header.Get("Content-Type"))
			}
		})
	}
}

func TestMultipart(t *testing.T) {
	service := new(recorder)
	doc := operation("", `{"required":true,"content":{"multipart/form-data":{"schema":{"type":"object","required":["photo"],"properties":{
		"title":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}},"about":{"type":"object"},
		"photo":{"type":"string","format":"binary"},"more":{"type":"array","items":{"type":"string","format":"binary"}}}},
		"encoding":{"photo":{"contentType":"image/png"}}}}}`)
	both(t, service, func(t *testing.T, server *openapi.Server) {
		reg, _ := mount(t, doc, server)
		_, err := call(t.Context(), reg, "shop.t", "send", `{"title":"é","tags":["a","b"],"about":{"x":1.0},
			"photo":{"base64":"AAEC","filename":"a \"b\".png"},"more":[{"text":"one"},{"text":"two","content_type":"text/plain"}]}`)
		if err != nil {
			t.Fatal(err)
		}
		got := service.take()
		_, params, _ := mime.ParseMediaType(got.Header.Get("Content-Type"))
		reader := multipart.NewReader(strings.NewReader(got.Body), params["boundary"])
		var parts []string
		for {
			p, err := reader.NextPart()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			data, _ := io.ReadAll(p)
			parts = append(parts, strings.Join([]string{p.FormName(), p.FileName(), p.Header.Get("Content-Type"), string(data)}, "|"))
		}
		want := "title|||é,tags|||a,tags|||b,about||application/json|{\"x\":1.0},photo|a \"b\".png|image/png|\x00\x01\x02," +
			"more|file|application/octet-stream|one,more|file|text/plain|two"
		if text := strings.Join(parts, ","); text != want {
			t.Errorf("parts %q", text)
		}
	})
}

// Bytes are bytes wherever a form has them: beside null, as one or a list, and in what its schema is made of.
func TestMultipartSchemas(t *testing.T) {
	service := new(recorder)
	const bytes = `{"type":"string","format":"binary"}`
	for name, c := range map[string]struct {
		schema, args string
		want         []string // nil if it is refused
	}{
		"or null":        {`{"type":"object","properties":{"f":{"anyOf":[` + bytes + `,{"type":"null"}]}}}`, `{"f":{"base64":"AAEC"}}`, []string{"\x00\x01\x02"}},
		"list or null":   {`{"type":"object","properties":{"f":{"anyOf":[{"type":"array","items":` + bytes + `},{"type":"null"}]}}}`, `{"f":[{"text":"y"},{"text":"z"}]}`, []string{"y", "z"}},
		"one or a list":  {`{"type":"object","properties":{"f":{"oneOf":[` + bytes + `,{"type":"array","items":` + bytes + `}]}}}`, `{"f":[{"text":"y"}]}`, []string{"y"}},
		"one of those":   {`{"type":"object","properties":{"f":{"oneOf":[` + bytes + `,{"type":"array","items":` + bytes + `}]}}}`, `{"f":{"text":"y"}}`, []string{"y"}},
		"with a note":    {`{"type":"object","properties":{"f":{"allOf":[` + bytes + `],"description":"A photo."}}}`, `{"f":{"text":"y"}}`, []string{"y"}},
		"made of":        {`{"allOf":[{"type":"object","properties":{"f":` + bytes + `}},{"type":"object","required":["n"],"properties":{"n":{"type":"string"}}}]}`, `{"body":{"f":{"text":"y"},"n":"x"}}`, []string{"y"}},
		"made of, wrong": {`{"properties":{"f":` + bytes + `},"allOf":[{"required":["n"],"properties":{"n":{"type":"string"}}}]}`, `{"body":{"f":{"text":"y"}}}`, nil},
		"or an address":  {`{"type":"object","properties":{"f":{"anyOf":[` + bytes + `,{"type":"string","format":"uri"}]}}}`, `{"f":"y"}`, []string{}},
		"beside a $ref":  {`{"allOf":[{"$ref":"#/info","properties":{"f":` + bytes + `}}]}`, `{"body":{"f":{"text":"y"}}}`, []string{"y"}},
		"no object":      {`{"oneOf":[{"properties":{"f":` + bytes + `}}]}`, `{"body":"y"}`, nil},
	} {
		reg, m := mount(t, operation("", `{"required":true,"content":{"multipart/form-data":{"schema":`+c.schema+`}}}`), openapi.Handler(service))
		_, err := call(t.Context(), reg, "shop.t", "send", c.args)
		got := service.take()
		if (err == nil) != (c.want != nil) || (got != nil) != (c.want != nil) {
			t.Errorf("%s: %v, %+v\n%s", name, err, got, m.Report())
			continue
		}
		for _, want := range c.want {
			if want = "name=\"f\"; filename=\"file\"\r\nContent-Type: application/octet-stream\r\n\r\n" + want + "\r\n"; !strings.Contains(got.Body, want) {
				t.Errorf("%s: no %q in\n%s", name, want, got.Body)
			}
		}
	}
	for content, want := range map[string]string{
		`"multipart/mixed":{}`: "no media type",
		`"multipart/form-data":{"schema":{"oneOf":[{"properties":{"f":` + bytes + `}},{"properties":{"f":{"type":"string"}}}]}}`: `"f" of the form`,
	} {
		if _, m := mount(t, operation("", `{"content":{`+content+`}}`), openapi.Handler(service)); m.Report().Left != 1 || !strings.Contains(m.Report().String(), want) {
			t.Errorf("%s: %s", content, m.Report())
		}
	}
}

// The defaults of a document are those of the service. They are shown, and not sent: a change of one member would reset
// the others.
func TestDefaults(t *testing.T) {
	service := new(recorder)
	doc := document(`{"/repo":{"patch":{"operationId":"update","tags":["t"],"parameters":[{"name":"page","in":"query","schema":{"type":"integer","default":1}}],
		"requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"about":{"type":"string"},"private":{"type":"boolean","default":false}}}}}}}}}`)
	both(t, service, func(t *testing.T, server *openapi.Server) {
		reg, _ := mount(t, doc, server)
		for args, want := range map[string]string{`{"about":"x"}`: `{"about":"x"}`, `{}`: ""} {
			if _, err := call(t.Context(), reg, "shop.t", "update", args); err != nil {
				t.Error(err)
			} else if got := service.take(); got.Body != want || got.URI != "/repo" {
				t.Errorf("%s: sent %+v", args, got)
			}
		}
		for f := range reg.All() {
			if !strings.Contains(string(f.InputSchema()), `"default":false`) {
				t.Errorf("input schema %s", f.InputSchema())
			}
		}
	})
}

// Media types of OpenAPI 3.2 may be elsewhere in the document.
func TestMediaTypeReferences(t *testing.T) {
	service := new(recorder)
	const ref = `{"application/json":{"$ref":"#/components/mediaTypes/%s"}}`
	doc := fmt.Appendf(nil, `{"openapi":"3.2.0","info":{},"components":{"mediaTypes":{"m":{"schema":{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}}}},
		"paths":{"/a":{"post":{"operationId":"a","tags":["t"],"requestBody":{"required":true,"content":%s},"parameters":[{"name":"p","in":"query","content":%[1]s}],
		"responses":{"200":{"content":%[1]s}}}},"/b":{"post":{"requestBody":{"content":%[2]s}}}}}`, fmt.Sprintf(ref, "m"), fmt.Sprintf(ref, "none"))
	reg, m := mount(t, doc, openapi.Handler(service), openapi.OnOperation(func(o *openapi.Operation) { o.Typed = true }))
	if _, err := call(t.Context(), reg, "shop.t", "a", `{"a":"x","p":{"a":"y"}}`); err != nil {
		t.Fatalf("%v\n%s", err, m.Report())
	}
	if got := service.take(); got.Body != `{"a":"x"}` || got.URI != "/a?p=%7B%22a%22%3A%22y%22%7D" {
		t.Errorf("sent %+v", got)
	}
	for f := range reg.All() {
		if !strings.Contains(string(f.OutputSchema()), `"a"`) {
			t.Errorf("output schema %s", f.OutputSchema())
		}
	}
	if _, err := call(t.Context(), reg, "shop.t", "a", `{"a":"x","p":{}}`); err == nil {
		t.Error("the schema of a parameter is not checked")
	}
	if r := m.Report(); r.Left != 1 || !strings.Contains(r.String(), "names nothing") {
		t.Error(r)
	}
}

// A form costs by its size: with each name looked for among all others, these would take hours.
func TestLargeForms(t *testing.T) {
	service := new(recorder)
	for _, media := range []string{"application/x-www-form-urlencoded", "multipart/form-data"} {
		const object = `{"type":"object","additionalProperties":true}`
		reg, m := mount(t, operation("", `{"content":{"`+media+`":{"schema":{"type":"object","properties":{"o":`+object+`},"additionalProperties":true},
			"encoding":{"o":{"style":"form","explode":true}}}}}`), openapi.Handler(service))
		args := `{"body":{"o":{` + repeated(50_000, `"o%d":1`) + `},` + repeated(50_000, `"m%d":2`) + `}}`
		if _, err := call(t.Context(), reg, "shop.t", "send", args); err != nil {
			t.Fatalf("%v\n%s", err, m.Report())
		}
		if got := service.take().Body; !strings.Contains(got, "o49999") || !strings.Contains(got, "m49999") {
			t.Errorf("%s: sent %.100q", media, got)
		}
	}
}

// Names that repeat make no request of a size beyond its limits, nor take the memory for it.
func TestNamesThatRepeat(t *testing.T) {
	service := new(recorder)
	long := strings.Repeat("k", 10_000)
	many := "[1" + strings.Repeat(",1", 100_000) + "]"
	const deep = `"schema":{"type":"object","properties":{"f":{"type":"object"}}},"encoding":{"f":{"style":"deepObject","explode":true}}`
	param := func(in, style string) string {
		return `{"name":"` + long[:200] + `","in":"` + in + `","required":true,"explode":true,` + style + `"schema":{}}`
	}
	for name, c := range map[string]struct{ params, body, args string }{
		"query":     {param("query", ""), "", many},
		"cookie":    {param("cookie", ""), "", many},
		"path":      {param("path", `"style":"matrix",`), "", many},
		"deep":      {param("query", `"style":"deepObject",`), "", `{"` + long + `":` + many + `}`},
		"header":    {param("header", ""), "", many},
		"long":      {param("path", ""), "", `"` + strings.Repeat("x", 100_000) + `"`},
		"form":      {"", `{"content":{"application/x-www-form-urlencoded":{` + deep + `}}}`, `{"` + long + `":` + many + `}`},
		"multipart": {"", `{"content":{"multipart/form-data":{` + deep + `}}}`, `{"` + long + `":` + many + `}`},
	} {
		if c.body == "" {
			c.body = "null"
		}
		doc := operation(c.params, c.body)
		if strings.Contains(c.params, `"in":"path"`) {
			doc = []byte(strings.Replace(string(doc), `"/send"`, `"/{`+long[:200]+`}"`, 1))
		}
		reg, m := mount(t, doc, openapi.Handler(service))
		for f := range reg.All() {
			args := fmt.Sprintf(`{%q:%s}`, f.Params()[0].Name, c.args)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := call(t.Context(), reg, "shop.t", "send", args)
			runtime.ReadMemStats(&after)
			if e := registry.AsError(err); e == nil || e.Kind != registry.InvalidArguments || !e.NotRun || service.take() != nil {
				t.Errorf("%s: %.200v\n%s", name, err, m.Report())
			}
			if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 200 {
				t.Errorf("%s: %d MiB for %d KiB of arguments", name, mib, len(args)>>10)
			}
		}
	}
}

// Parts are named as they are, in letters of any language. A document's media type makes no header, and styles are those
// of 3.1.
func TestMultipartNames(t *testing.T) {
	service := new(recorder)
	reg, m := mount(t, operation("", `{"required":true,"content":{"multipart/form-data":{"schema":{"type":"object","properties":{
		"größe":{"type":"string"},"file":{"type":["array","null"],"items":{"type":"string","format":"binary"}},"json":{},"bad":{"type":"string"},
		"list":{"type":"array"},"either":{"type":"string"},"o":{"type":"object"}}},
		"encoding":{"json":{"contentType":"application/json"},"bad":{"contentType":"text/plain\r\nX-A: b"},"list":{"style":"pipeDelimited","explode":false},
		"either":{"contentType":"application/json, text/plain"},"o":{"style":"deepObject","explode":true}}}}}`), openapi.Handler(service))
	_, err := call(t.Context(), reg, "shop.t", "send", `{"body":{"größe":"M","file":[{"text":"x","filename":"bücher \"1\".pdf"}],"json":"text","bad":"b","list":["a","b c"],"either":"e","o":{"k":"v&w"}}}`)
	if err != nil {
		t.Fatalf("%v\n%s", err, m.Report())
	}
	got := service.take().Body
	for _, want := range []string{
		"Content-Disposition: form-data; name=\"größe\"\r\n\r\nM\r\n",
		"Content-Disposition: form-data; name=\"file\"; filename=\"bücher \\\"1\\\".pdf\"\r\nContent-Type: application/octet-stream\r\n\r\nx\r\n",
		"name=\"json\"\r\nContent-Type: application/json\r\n\r\n\"text\"\r\n", "name=\"bad\"\r\n\r\nb\r\n", "name=\"list\"\r\n\r\na|b c\r\n",
		"name=\"either\"\r\n\r\ne\r\n", "name=\"o[k]\"\r\n\r\nv&w\r\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for _, args := range []string{`{"body":{"a\r\nb":"c"}}`, `{"body":{"file":[{"text":"x","filename":"a\u0000"}]}}`} {
		if _, err := call(t.Context(), reg, "shop.t", "send", args); registry.AsError(err).Kind != registry.InvalidArguments || service.take() != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// Arguments that do not fit are refused before anything is sent.
func TestArgumentsThatDoNotFit(t *testing.T) {
	service := new(recorder)
	doc := operation(`{"name":"h","in":"header","schema":{"type":"string"}},{"name":"n","in":"query","required":true,"schema":{"type":"integer","minimum":1}}`,
		`{"required":true,"content":{"image/png":{}}}`)
	reg, _ := mount(t, doc, openapi.Handler(service), openapi.Files(fstest.MapFS{"big": {Data: make([]byte, 17<<20)}, "dir/a": {}}))
	for _, args := range []string{
		`{"body":{"text":"a"}}`, `{"n":0,"body":{"text":"a"}}`, `{"n":"x","body":{"text":"a"}}`, `{"n":1}`, `{"n":1,"body":{"text":"a"},"m":1}`,
		`{"n":1,"body":{}}`, `{"n":1,"body":{"text":"a","base64":""}}`, `{"n":1,"body":{"base64":"?"}}`, `{"n":1,"body":"a"}`,
		`{"n":1,"body":{"file":"../etc/passwd"}}`, `{"n":1,"body":{"file":"none"}}`, `{"n":1,"body":{"file":"big"}}`, `{"n":1,"body":{"file":"dir"}}`,
		`{"n":1,"body":{"text":"a","content_type":"a\r\nb: c"}}`, `{"n":1,"body":{"text":"a","content_type":"text/plain;\r\n\r\nb=c"}}`,
		`{"n":1,"body":{"text":"a","content_type":"text/plain\n"}}`, `{"n":1,"h":"a\r\nX: y","body":{"text":"a"}}`,
	} {
		_, err := call(t.Context(), reg, "shop.t", "send", args)
		if registry.AsError(err).Kind != registry.InvalidArguments {
			t.Errorf("%s: %v", args, err)
		}
		if service.take() != nil {
			t.Errorf("%s was sent", args)
		}
	}
}

// Parameters that carry credentials, and headers of the connection, are no arguments.
func TestArgumentsNeverAsked(t *testing.T) {
	doc := []byte(`{"openapi":"3.0.3","info":{"title":"s","version":"1"},
		"components":{"securitySchemes":{"key":{"type":"apiKey","in":"query","name":"api_key"},"head":{"type":"apiKey","in":"header","name":"X-Key"}}},
		"paths":{"/a":{"get":{"operationId":"a","tags":["t"],"parameters":[
		{"name":"api_key","in":"query","schema":{"type":"string"}},{"name":"x-key","in":"header","required":true,"schema":{"type":"string"}},
		{"name":"Host","in":"header","schema":{"type":"string"}},{"name":"Authorization","in":"header","schema":{"type":"string"}},
		{"name":"filter[name]","in":"query","schema":{"type":"string"}},{"name":"id","in":"query","schema":{"type":"string"}},
		{"name":"ID","in":"header","schema":{"type":"string"}}]}}}}`)
	service := new(recorder)
	reg, _ := mount(t, doc, openapi.Handler(service))
	var names []string
	for f := range reg.All() {
		for _, p := range f.Params() {
			names = append(names, p.Name)
		}
	}
	if got := strings.Join(names, " "); got != "filter_name id ID_header" {
		t.Errorf("arguments %s", got)
	}
	if _, err := call(t.Context(), reg, "shop.t", "a", `{"filter_name":"x","ID_header":"y"}`); err != nil {
		t.Fatal(err)
	}
	if got := service.take(); got.URI != "/a?filter%5Bname%5D=x" || got.Header.Get("ID") != "y" {
		t.Errorf("sent %+v", got)
	}
}
