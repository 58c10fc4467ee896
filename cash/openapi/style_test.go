package openapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/openapi"
	"github.com/cash-mcp/go-sdk/registry"
)

// The values of the table in the OpenAPI Specification 3.1.1, "Style Examples".
const (
	empty  = `""`
	text   = `"blue"`
	array  = `["blue","black","brown"]`
	object = `{"R":100,"G":200,"B":150}`
)

// styles is the table in the OpenAPI Specification 3.1.1, "Style Examples", with the separators that it
// percent-encodes. A path begins with /p/ here. Cookies are those of an HTTP client: one for each exploded part.
var styles = []struct {
	in, style string
	explode   bool
	value     string
	want      string
}{
	{"path", "matrix", false, empty, ";color"},
	{"path", "matrix", false, text, ";color=blue"},
	{"path", "matrix", false, array, ";color=blue,black,brown"},
	{"path", "matrix", false, object, ";color=R,100,G,200,B,150"},
	{"path", "matrix", true, empty, ";color"},
	{"path", "matrix", true, text, ";color=blue"},
	{"path", "matrix", true, array, ";color=blue;color=black;color=brown"},
	{"path", "matrix", true, object, ";R=100;G=200;B=150"},
	{"path", "label", false, text, ".blue"},
	{"path", "label", false, array, ".blue,black,brown"},
	{"path", "label", false, object, ".R,100,G,200,B,150"},
	{"path", "label", true, text, ".blue"},
	{"path", "label", true, array, ".blue.black.brown"},
	{"path", "label", true, object, ".R=100.G=200.B=150"},
	{"path", "simple", false, text, "blue"},
	{"path", "simple", false, array, "blue,black,brown"},
	{"path", "simple", false, object, "R,100,G,200,B,150"},
	{"path", "simple", true, text, "blue"},
	{"path", "simple", true, array, "blue,black,brown"},
	{"path", "simple", true, object, "R=100,G=200,B=150"},
	{"header", "simple", false, text, "blue"},
	{"header", "simple", false, array, "blue,black,brown"},
	{"header", "simple", false, object, "R,100,G,200,B,150"},
	{"header", "simple", true, text, "blue"},
	{"header", "simple", true, array, "blue,black,brown"},
	{"header", "simple", true, object, "R=100,G=200,B=150"},
	{"query", "form", false, empty, "color="},
	{"query", "form", false, text, "color=blue"},
	{"query", "form", false, array, "color=blue,black,brown"},
	{"query", "form", false, object, "color=R,100,G,200,B,150"},
	{"query", "form", true, empty, "color="},
	{"query", "form", true, text, "color=blue"},
	{"query", "form", true, array, "color=blue&color=black&color=brown"},
	{"query", "form", true, object, "R=100&G=200&B=150"},
	{"query", "spaceDelimited", false, array, "color=blue%20black%20brown"},
	{"query", "spaceDelimited", false, object, "color=R%20100%20G%20200%20B%20150"},
	{"query", "pipeDelimited", false, array, "color=blue%7Cblack%7Cbrown"},
	{"query", "pipeDelimited", false, object, "color=R%7C100%7CG%7C200%7CB%7C150"},
	{"query", "deepObject", true, object, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"},
	{"cookie", "form", false, text, "color=blue"},
	{"cookie", "form", false, array, "color=blue,black,brown"},
	{"cookie", "form", false, object, "color=R,100,G,200,B,150"},
	{"cookie", "form", true, text, "color=blue"},
	{"cookie", "form", true, array, "color=blue; color=black; color=brown"},
	{"cookie", "form", true, object, "R=100; G=200; B=150"},

	// Characters that separate are encoded within values.
	{"path", "simple", false, `["a,b","c/d","e f?"]`, "a%2Cb,c%2Fd,e%20f%3F"},
	{"path", "matrix", true, `"a;b=c"`, ";color=a%3Bb%3Dc"},
	{"path", "label", true, `["a.b/c"]`, ".a.b%2Fc"},
	{"query", "form", true, `"a&b=c d+e#é"`, "color=a%26b%3Dc%20d%2Be%23%C3%A9"},
	{"query", "form", false, `["a,b","c"]`, "color=a%2Cb,c"},
	{"query", "pipeDelimited", false, `["a|b","c"]`, "color=a%7Cb%7Cc"},
	{"query", "deepObject", true, `{"a":{"b":[1,2]},"c":"x&y"}`, "color%5Ba%5D%5Bb%5D=1&color%5Ba%5D%5Bb%5D=2&color%5Bc%5D=x%26y"},
	{"cookie", "form", false, `"a;b c"`, "color=a%3Bb%20c"},

	// Numbers as they are spelled; nothing of what is empty.
	{"query", "form", true, `9007199254740993`, "color=9007199254740993"},
	{"query", "form", true, `1.50`, "color=1.50"},
	{"query", "form", true, `true`, "color=true"},
	{"query", "form", true, `[]`, ""},
	{"query", "form", false, `{}`, ""},
	{"query", "form", true, `null`, ""},
	{"header", "simple", false, `{"R":[1,2]}`, "R,[1,2]"},
	{"query", "form", true, `["a",null,"b"]`, "color=a&color=b"},
	{"query", "form", false, `["a",null,""]`, "color=a,"},
	{"query", "form", true, `[null]`, ""},
	{"query", "deepObject", true, `{"a":[null,1],"b":[null]}`, "color%5Ba%5D=1"},
	{"path", "simple", false, `[1,null,2]`, "1,2"},
	{"path", "label", true, `[1,null,2]`, ".1.2"},
}

func TestStyles(t *testing.T) {
	service := new(recorder)
	both(t, service, func(t *testing.T, server *openapi.Server) {
		for _, c := range styles {
			path := "/p"
			if c.in == "path" {
				path = "/p/{color}"
			}
			doc := document(fmt.Sprintf(`{%q:{"get":{"operationId":"paint","tags":["t"],"parameters":[
				{"name":"color","in":%q,"style":%q,"explode":%t,"required":true,"schema":{}}]}}}`, path, c.in, c.style, c.explode))
			reg, _ := mount(t, doc, server, slashes)
			name := fmt.Sprintf("%s %s %t %s", c.in, c.style, c.explode, c.value)
			if _, err := call(t.Context(), reg, "shop.t", "paint", `{"color":`+c.value+`}`); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			got := service.take()
			where, query, _ := strings.Cut(got.URI, "?")
			have := map[string]string{
				"path": strings.TrimPrefix(where, "/p/"), "query": query,
				"header": got.Header.Get("color"), "cookie": got.Header.Get("Cookie"),
			}[c.in]
			if have != c.want {
				t.Errorf("%s is %q, want %q", name, have, c.want)
			}
		}
	})
}

// The defaults of style and explode (OpenAPI, "Parameter Object").
func TestStyleDefaults(t *testing.T) {
	service := new(recorder)
	doc := document(`{"/p/{path}":{"get":{"operationId":"paint","tags":["t"],"parameters":[
		{"name":"path","in":"path","required":true,"schema":{}},{"name":"query","in":"query","schema":{}},
		{"name":"open","in":"query","allowReserved":true,"schema":{}},
		{"name":"json","in":"query","content":{"application/json":{"schema":{}}}},
		{"name":"word","in":"query","content":{"application/json":{"schema":{}}}},
		{"name":"header","in":"header","schema":{}},{"name":"cookie","in":"cookie","schema":{}},
		{"name":"plain","in":"cookie","style":"cookie","schema":{}},{"name":"joined","in":"cookie","style":"cookie","explode":false,"schema":{}}]}}}`)
	reg, _ := mount(t, doc, openapi.Handler(service))
	args := fmt.Sprintf(`{"path":%s,"query":%[1]s,"header":%[1]s,"cookie":%[1]s,"open":"a/b?c&d%%20e%%zz%%41","json":{"x":[1]},"word":"1","plain":["a/b","c%%"],"joined":["d","e"]}`, `["a","b"]`)
	if _, err := call(t.Context(), reg, "shop.t", "paint", args); err != nil {
		t.Fatal(err)
	}
	got := service.take()
	if want := "/p/a,b?query=a&query=b&open=a/b?c%26d%20e%25zz%41&json=%7B%22x%22%3A%5B1%5D%7D&word=%221%22"; got.URI != want {
		t.Errorf("request %s, want %s", got.URI, want)
	}
	if got.Header.Get("header") != "a,b" || got.Header.Get("Cookie") != "cookie=a; cookie=b; plain=a/b; plain=c%; joined=d,e" {
		t.Errorf("headers %v", got.Header)
	}
	for _, value := range []string{`"a; session=b"`, `"a b"`, `{"a=b":"c"}`} {
		if _, err := call(t.Context(), reg, "shop.t", "paint", `{"path":"p","plain":`+value+`}`); err == nil || service.take() != nil {
			t.Errorf("the cookie %s is sent: %v", value, err)
		}
	}
}

// An empty array or object makes no header. A header of an operation replaces that of its path in another letter case.
func TestHeaders(t *testing.T) {
	service := new(recorder)
	doc := document(`{"/p":{"parameters":[{"name":"X-Color","in":"header","required":true,"schema":{"type":"integer"}}],
		"get":{"operationId":"paint","tags":["t"],"parameters":[{"name":"x-color","in":"header","schema":{}}]}}}`)
	both(t, service, func(t *testing.T, server *openapi.Server) {
		reg, _ := mount(t, doc, server)
		for value, want := range map[string]string{`[]`: "", `{}`: "", `[null]`: "", `{"a":null}`: "", `""`: "[]", `[""]`: "[]", `[1,2]`: "[1,2]"} {
			if _, err := call(t.Context(), reg, "shop.t", "paint", `{"x-color":`+value+`}`); err != nil {
				t.Fatalf("%s: %v", value, err)
			}
			got, sent := service.take().Header["X-Color"]
			if have := fmt.Sprint(got); sent != (want != "") || sent && have != want {
				t.Errorf("%s is sent as %q, want %s", value, got, want)
			}
		}
	})
}

// slashes lets the values of all paths have slashes.
var slashes = openapi.OnOperation(func(o *openapi.Operation) { o.Slashes = []string{"color", "name"} })

// A value never leads to another path.
func TestPathValues(t *testing.T) {
	service := new(recorder)
	doc := document(`{"/files/{name}":{"get":{"operationId":"read","tags":["t"],"parameters":[
		{"name":"name","in":"path","required":true,"schema":{"type":"string"}}]}},
		"/list{name}":{"get":{"operationId":"list","tags":["t"],"parameters":[{"name":"name","in":"path","required":true,"style":"label"}]}},
		"/pairs/{a}.{b}":{"get":{"operationId":"two","tags":["t"],"parameters":[
		{"name":"a","in":"path","required":true,"schema":{"type":"string"}},{"name":"b","in":"path","required":true,"schema":{"type":"string"}}]}}}`)
	both(t, service, func(t *testing.T, server *openapi.Server) {
		strict, _ := mount(t, doc, server)
		reg, _ := mount(t, doc, server, slashes)
		for _, value := range []string{"", ".", "..", "../x", "a/../b", `..\\x`, "a/.."} {
			for _, reg := range []*registry.Registry{reg, strict} {
				_, err := call(t.Context(), reg, "shop.t", "read", fmt.Sprintf(`{"name":"%s"}`, value))
				if err == nil || service.take() != nil {
					t.Errorf("%q: sent, with error %v", value, err)
				}
			}
		}
		for _, value := range []string{"a/b", `a\\b`, "/", "a/"} {
			_, err := call(t.Context(), strict, "shop.t", "read", fmt.Sprintf(`{"name":"%s"}`, value))
			if e := registry.AsError(err); e.Kind != registry.InvalidArguments || !e.NotRun || service.take() != nil {
				t.Errorf("%q: sent, with error %v", value, err)
			}
		}
		if _, err := call(t.Context(), reg, "shop.t", "two", `{"a":"","b":""}`); err == nil || service.take() != nil {
			t.Errorf("a segment of dots was sent")
		}
		if _, err := call(t.Context(), reg, "shop.t", "list", `{"name":[]}`); err == nil || service.take() != nil {
			t.Errorf("an empty array is a part of a path")
		}
		for value, want := range map[string]string{"a/b": "a%2Fb", "%2e%2e": "%252e%252e", "a?b#c": "a%3Fb%23c", "...": "...", "é": "%C3%A9"} {
			if _, err := call(t.Context(), reg, "shop.t", "read", fmt.Sprintf(`{"name":%q}`, value)); err != nil {
				t.Errorf("%q: %v", value, err)
			} else if got := service.take(); got.URI != "/files/"+want {
				t.Errorf("%q is sent as %s", value, got.URI)
			}
		}
	})
}
