package openapi_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/openapi"
	"github.com/cash-mcp/go-sdk/registry"
)

// A hidden operation is not reached by a value of another one, with a router that reads the decoded path. What 3.2 and
// the hook allow is sent.
func TestHiddenByPath(t *testing.T) {
	service := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := strings.Split(r.URL.Path, "/"); len(p) == 4 && p[3] == "secret" {
			io.WriteString(w, "the secret of "+p[2])
		}
	})
	const id = `{"name":"id","in":"path","required":true,"schema":{"type":"string"}%s}`
	doc := func(version, more string) []byte {
		return fmt.Appendf(nil, `{"openapi":%q,"info":{},"paths":{"/users/{id}":{"get":{"operationId":"get","tags":["u"],"parameters":[%s]}},
			"/users/{id}/secret":{"get":{"x-cash":{"hidden":true},"parameters":[%s]}}}}`, version, fmt.Sprintf(id, more), fmt.Sprintf(id, ""))
	}
	const reserved = `,"allowReserved":true`
	for _, c := range []struct {
		doc  []byte
		sent bool
	}{{doc("3.1.0", ""), false}, {doc("3.1.0", reserved), false}, {doc("3.2.0", reserved), true}} {
		both(t, service, func(t *testing.T, server *openapi.Server) {
			reg, _ := mount(t, c.doc, server)
			if _, err := call(t.Context(), reg, "shop.u", "get", `{"id":"1/secret"}`); (err == nil) != c.sent {
				t.Errorf("%s: %v", c.doc, err)
			}
		})
	}
}

// No value makes the path of another operation, also of one that is hidden or left out, in another case, or added later.
func TestPathsOfOthers(t *testing.T) {
	service := new(recorder)
	id := func(names ...string) string {
		var list []string
		for _, name := range names {
			list = append(list, `{"name":"`+name+`","in":"path","required":true,"schema":{"type":"string"}}`)
		}
		return `"parameters":[` + strings.Join(list, ",") + `]`
	}
	const some = `"/users/{id}":{"get":{"operationId":"get","tags":["u"],%s},"put":{"operationId":"put","tags":["u"],%[1]s}},
		"/users/export":{"get":{"x-cash":{"hidden":true}}},"/users/All/":{"get":{"operationId":"all","tags":["u"],"parameters":[{"$ref":"#/nowhere"}]}},
		"/users/{id}.csv":{"get":{"operationId":"csv","tags":["u"],%[1]s}},"/users/{a}-{b}.csv":{"get":{"operationId":"range","tags":["u"],%s}},
		"/{kind}/{id}":{"get":{"operationId":"any","tags":["u"],%s}},"/{kind}/of/{id}":{"get":{"operationId":"of","tags":["u"],%[3]s}},
		"/Users/{ID}":{"delete":{"operationId":"delete","tags":["u"],%s}},"/items{ext}":{"get":{"operationId":"items","tags":["u"],%s}},"/items":{"get":{}}`
	paths := fmt.Sprintf(some, id("id"), id("a", "b"), id("kind", "id"), id("ID"), id("ext"))
	both(t, service, func(t *testing.T, server *openapi.Server) {
		reg, m := mount(t, document("{"+paths+"}"), server)
		if m.Report().Operations != 9 {
			t.Fatal(m.Report())
		}
		send := func(function, args string, sent bool) {
			t.Helper()
			_, err := call(t.Context(), reg, "shop.u", function, args)
			if got := service.take(); (err == nil) != sent || (got != nil) != sent {
				t.Errorf("%s %s: %v, %+v", function, args, err, got)
			}
		}
		for value, sent := range map[string]bool{"export": false, "EXPORT": false, "%65xport": true, "all": false, "1.csv": false, "a-b.csv": false, ".csv": true, "exports": true, "new": true, "": false} {
			send("get", fmt.Sprintf(`{"id":%q}`, value), sent)
		}
		send("put", `{"id":"export"}`, true)
		send("delete", `{"ID":"export"}`, true)
		send("csv", `{"id":"a"}`, true)
		send("csv", `{"id":"a-b"}`, false)
		send("range", `{"a":"1","b":"2"}`, true)
		send("any", `{"kind":"users","id":"1"}`, false)
		send("any", `{"kind":"orders","id":"1"}`, true)
		send("of", `{"kind":"users","id":"export"}`, true)
		send("items", `{"ext":""}`, false)
		send("items", `{"ext":".json"}`, true)
		if report, err := m.Replace(document("{" + paths + `,"/users/new":{"get":{"x-cash":{"hidden":true}}}}`)); err != nil || report.Built != 0 {
			t.Fatal(report, err)
		}
		send("get", `{"id":"new"}`, false)
	})
}

// The same holds where two templates cross, below servers of their own, and for a path that cannot be read. A call that
// goes on while variables are renamed is not refused.
func TestPathsThatCross(t *testing.T) {
	service := new(recorder)
	id := func(name string) string {
		return `"parameters":[{"name":"` + name + `","in":"path","required":true,"schema":{"type":"string"}}]`
	}
	get := func(name, more string) string {
		return `{"get":{"operationId":"` + name + `","tags":["u"],` + more + `}}`
	}
	doc := func(variable string) []byte {
		return document("{" + strings.Join([]string{`"/users/{` + variable + `}":` + get("user", id(variable)),
			`"/{kind}/export":` + get("export", id("kind")+`,"x-cash":{"hidden":true}`), `"/{kind}/import":` + get("import", id("kind")),
			`"/orders/{id}":` + get("order", id("id")), `"/admin":` + get("admin", `"servers":[{"url":"/orders"}],"x-cash":{"hidden":true}`),
			`"/far":` + get("far", `"servers":[{"url":"https://far.example/orders"}]`),
			`"/of/{id}":` + get("of", id("id")+`,"servers":[{"url":"/v2"}]`), `"/v2/of/all":{"get":{"x-cash":{"hidden":true}}}`,
			`"/orders/broken":{"$ref":"#/nowhere"}`}, ",") + "}")
	}
	both(t, service, func(t *testing.T, server *openapi.Server) {
		var m *openapi.Mounted
		renamed := openapi.OnOperation(func(o *openapi.Operation) {
			o.Wrap = func(next registry.Handler) registry.Handler {
				return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
					if bytes.Contains(c.Arguments, []byte("renamed")) {
						if _, err := m.Replace(doc("other")); err != nil {
							t.Error(err)
						}
					}
					return next(ctx, c)
				}
			}
		})
		reg, m := mount(t, doc("id"), server, renamed)
		for _, c := range []struct {
			function, args string
			sent           bool
		}{
			{"user", `{"id":"export"}`, false}, {"user", `{"id":"import"}`, false}, {"user", `{"id":"1"}`, true},
			{"import", `{"kind":"users"}`, false}, {"import", `{"kind":"carts"}`, true},
			{"order", `{"id":"admin"}`, false}, {"order", `{"id":"far"}`, true}, {"order", `{"id":"broken"}`, false},
			{"of", `{"id":"all"}`, false}, {"of", `{"id":"1"}`, true}, {"user", `{"id":"renamed"}`, true},
		} {
			_, err := call(t.Context(), reg, "shop.u", c.function, c.args)
			if got := service.take(); (err == nil) != c.sent || (got != nil) != c.sent {
				t.Errorf("%s %s: %v, %+v\n%s", c.function, c.args, err, got, m.Report())
			}
		}
	})
}

// The same holds for operations that are left out, wherever the document has them.
func TestPathsOfOddOnes(t *testing.T) {
	service := new(recorder)
	const id, hidden = `"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}}]`, `{"get":{"x-cash":{"hidden":true}%s}}`
	const get = `"/users/{id}":{"get":{"operationId":"get","tags":["u"],` + id + `},"head":{"operationId":"head","tags":["u"],` + id + `}}`
	odd := func(path, more string) string { return fmt.Sprintf("%q:"+hidden, path, more) }
	for name, c := range map[string]struct{ other, function, value string }{
		"query":        {odd("/users/export?format=csv", ""), "get", "export"},
		"fragment":     {odd("/users/export#csv", ""), "get", "export"},
		"no slash":     {odd("users/export", ""), "get", "export"},
		"pattern":      {odd("/{name=users/export}", ""), "get", "export"},
		"second":       {odd("/users/export", `,"servers":[{"url":"https://eu.example"},{"url":"/v1"}]`), "get", "export"},
		"above":        {odd("/v1/users/export", `,"servers":[{"url":"https://api.example/"}]`), "get", "export"},
		"server":       {odd("/export", `,"servers":[{"url":"/v1/users?x"}]`), "get", "export"},
		"no server":    {odd("/users/export", `,"servers":[{"url":"http://[::"}]`), "get", "export"},
		"beside":       {`"/users/export":{"$ref":"#/paths/~1zz","get":{}},"/zz":{"put":{}}`, "get", "export"},
		"folded":       {odd("/users/users", ""), "get", "uſers"},
		"HEAD":         {odd("/users/export", ""), "head", "export"},
		"no path":      {odd("/v1/users/export", `,"servers":[{"url":"https://api.example"}]`), "get", "export"},
		"host":         {odd("/users/export", `,"servers":[{"url":"https://API.example:443/v1"}]`), "get", "export"},
		"rest":         {odd("/admin/{proxy+}", "") + `,"/{id}/of/us":{"get":{"operationId":"us","tags":["u"],` + id + `}}`, "us", "admin"},
		"two segments": {odd("/{a}{b}", `,"servers":[{"url":"/v1/users"}]`), "get", "ab"},
		"mixed":        {odd("/reports/admin-{x}", "") + `,"/reports/{id}.download":{"get":{"operationId":"report","tags":["u"],` + id + `}}`, "report", "admin-1"},
	} {
		doc := []byte(`{"openapi":"3.1.0","info":{},"servers":[{"url":"https://api.example/v1"}],"paths":{` + get + `,` + c.other + `}}`)
		for _, server := range []*openapi.Server{openapi.Handler(service), openapi.Client("http://127.0.0.1:1/of/tenant", nil)} {
			reg, m := mount(t, doc, server)
			_, err := call(t.Context(), reg, "shop.u", c.function, fmt.Sprintf(`{"id":%q}`, c.value))
			if e := registry.AsError(err); e == nil || e.Kind != registry.InvalidArguments || service.take() != nil {
				t.Errorf("%s: %v\n%s", name, err, m.Report())
			}
			if left := m.Report().Left; left == 0 {
				t.Errorf("%s: %s", name, m.Report())
			}
		}
	}
}

// Such operations stand in the way of no other.
func TestPathsBesideOddOnes(t *testing.T) {
	service := new(recorder)
	const id = `"parameters":[{"name":"id","in":"path","required":true}]`
	reg, m := mount(t, document(`{"/users/{key}":{"get":{"operationId":"one","tags":["u"],"parameters":[{"name":"key","in":"path","required":true}]}},
		"/users/{id}":{"get":{"operationId":"two","tags":["u"],"servers":[{"url":"/v2"}],`+id+`}},"/{proxy+}":{"get":{}},"/users/export":{"head":{}},
		"/b/{key}#part":{"get":{}},"/b/{key}?part":{"get":{}},"/{name=b/*}":{"get":{}},"/b/{id}":{"get":{"operationId":"three","tags":["u"],`+id+`}},
		"/health":{"get":{"operationId":"four","tags":["u"],"servers":[{"url":"http://localhost"}]}}}`), openapi.Handler(service))
	for _, c := range [][3]string{{"one", `{"key":"export"}`, "/users/export"}, {"two", `{"id":"1"}`, "/v2/users/1"}, {"three", `{"id":"1"}`, "/b/1"}, {"four", `{}`, "/health"}} {
		if _, err := call(t.Context(), reg, "shop.u", c[0], c[1]); err != nil {
			t.Errorf("%s: %v\n%s", c[0], err, m.Report())
		} else if got := service.take().URI; got != c[2] {
			t.Errorf("%s is sent to %s", c[0], got)
		}
	}
}

// What is sent in an unknown place, by an unknown method or from a path that cannot be split is left out, and the report
// says so.
func TestUnknownPlaces(t *testing.T) {
	get := func(path, more string) string {
		return fmt.Sprintf(`%q:{"get":{"tags":["u"],"parameters":[%s]}}`, path, more)
	}
	doc := document("{" + strings.Join([]string{
		get("/a", `{"in":"querystring","name":"f","required":true,"content":{"application/x-www-form-urlencoded":{}}}`), get("/b", `{"in":"Query","name":"f"}`),
		get("/c", `{"name":"f"}`), get("/d", `{"in":"body","name":"f","schema":{}}`), get("/e", `{"in":"query","name":"f","style":"odd"}`),
		get("/f", `{"in":"query","name":"f","style":"cookie"}`), get("/{a/b}/{c}", `{"in":"path","name":"a/b"},{"in":"path","name":"c"}`),
		`"/g":{"trace":{"operationId":"g"},"additionalOperations":{"LINK":{"operationId":"link"}}}`,
	}, ",") + "}")
	_, m := mount(t, doc, openapi.Handler(new(recorder)))
	report := m.Report()
	if report.Operations != 0 || report.Left != 9 {
		t.Error(report)
	}
	for _, want := range []string{`GET /a is left out: a parameter is in "querystring"`, `"Query"`, `in "",`, `in "body"`, `"odd"`, `"cookie"`, "{a/b}", "TRACE /g", "LINK /g"} {
		if !strings.Contains(report.String(), want) {
			t.Errorf("no %s in\n%s", want, report)
		}
	}
}

// Only what HTTP says to be harmless is offered to be repeated (RFC 9110, section 9.2.2).
func TestRepeating(t *testing.T) {
	type answer struct {
		code              int
		cut, large, check bool // check is asked for before it is repeated
	}
	var now atomic.Pointer[answer] // an aborted connection orders nothing
	service := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := now.Load()
		if now.cut {
			w.Header().Set("Content-Length", "100")
		}
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(now.code)
		if now.cut {
			io.WriteString(w, "{}")
			panic(http.ErrAbortHandler)
		}
		if now.large {
			w.Write(make([]byte, 17<<20))
		}
	})
	doc := document(`{"/a":{"get":{"operationId":"get","tags":["u"]},"put":{"operationId":"put","tags":["u"]},"post":{"operationId":"post","tags":["u"]},
		"patch":{"operationId":"safe","tags":["u"],"x-cash":{"idempotentHint":true}}}}`)
	both(t, service, func(t *testing.T, server *openapi.Server) {
		reg, _ := mount(t, doc, server)
		for _, function := range []string{"get", "put", "post", "safe"} {
			for _, c := range []answer{
				{502, false, false, true}, {503, false, false, false}, {504, false, false, true}, {408, false, false, true}, {429, false, false, false},
				{201, true, false, true}, {201, false, true, true}, {500, false, false, false},
			} {
				now.Store(&c)
				_, err := call(t.Context(), reg, "shop.u", function, `{}`)
				e := registry.AsError(err)
				check := strings.Contains(err.Error(), "check before you repeat it")
				if want := c.check && function == "post"; check != want || check && (e.Kind == registry.Unavailable || e.Details["retry_after"] != nil) {
					t.Errorf("%s, %d: %v, %v", function, c.code, e.Kind, err)
				}
			}
		}
	})
}

// A parameter that carries the identity is no argument, in whatever place and case the document lists it.
func TestIdentity(t *testing.T) {
	service := new(recorder)
	doc := document(`{"/orders/{id}":{"delete":{"operationId":"cancel","tags":["orders"],"parameters":[
		{"name":"id","in":"path","required":true,"schema":{"type":"integer"}},{"name":"x-user","in":"header"},
		{"name":"as","in":"query"},{"name":"who","in":"cookie"},{"name":"filter","in":"query","schema":{"type":"object"}}]}}}`)
	both(t, service, func(t *testing.T, server *openapi.Server) {
		reg, _ := mount(t, doc, server, openapi.Identity("header", "X-User"), openapi.Identity("query", "as"),
			openapi.Identity("cookie", "who"), openapi.Login(func(r *http.Request, c *registry.Caller) error {
				if !c.Anonymous() {
					r.Header.Add("X-User", c.ID)
				}
				return nil
			}))
		for f := range reg.All() {
			for _, p := range f.Params() {
				if p.Name != "id" && p.Name != "filter" {
					t.Errorf("the argument %s", p.Name)
				}
			}
		}
		for _, args := range []string{`{"id":1,"x-user":"admin"}`, `{"id":1,"X-User":"admin"}`, `{"id":1,"as":"admin"}`,
			`{"id":1,"who":"admin"}`, `{"id":1,"filter":{"AS":"admin"}}`} {
			if _, err := call(t.Context(), reg, "shop.orders", "cancel", args); err == nil || service.take() != nil {
				t.Errorf("%s: %v", args, err)
			}
		}
		ctx := registry.WithCaller(t.Context(), &registry.Caller{ID: "ann"})
		if _, err := call(ctx, reg, "shop.orders", "cancel", `{"id":1}`); err != nil || service.take().Header.Get("X-User") != "ann" {
			t.Error(err)
		}
	})
	defer func() {
		if recover() == nil {
			t.Error("an identity in the path is taken")
		}
	}()
	openapi.Identity("path", "id")
}

// The members of an exploded object, and those of a form, set no other parameter.
func TestExplodedNames(t *testing.T) {
	service := new(recorder)
	doc := []byte(`{"openapi":"3.1.0","info":{},"components":{"securitySchemes":{"k":{"type":"apiKey","in":"query","name":"api_key"},
		"c":{"type":"apiKey","in":"cookie","name":"session"}}},"paths":{"/a":{"get":{"operationId":"a","tags":["u"],"parameters":[
		{"name":"filter","in":"query","schema":{"type":"object"}},{"name":"prefs","in":"cookie","schema":{"type":"object"}},
		{"name":"deep","in":"query","style":"deepObject","schema":{"type":"object"}},{"name":"deep[x]","in":"query"},
		{"name":"limit","in":"query","schema":{"maximum":9}}]}},
		"/form":{"post":{"operationId":"form","tags":["u"],"requestBody":{"content":{"application/x-www-form-urlencoded":{"schema":{"type":"object",
		"additionalProperties":true,"properties":{"o":{"type":"object"}}},"encoding":{"o":{"style":"form","explode":true}}}}}}},
		"/parts":{"post":{"operationId":"parts","tags":["u"],"requestBody":{"content":{"multipart/form-data":{"schema":{"type":"object"}}}}}}}}`)
	both(t, service, func(t *testing.T, server *openapi.Server) {
		reg, m := mount(t, doc, server)
		for _, c := range []struct {
			function, args string
			sent           bool
		}{
			{"a", `{"filter":{"api_key":"mine"}}`, false}, {"a", `{"filter":{"API_KEY":"mine"}}`, false},
			{"a", `{"prefs":{"session":"stolen"}}`, false}, {"a", `{"filter":{"limit":10}}`, false},
			{"a", `{"deep":{"x":1}}`, false}, {"a", `{"deep":{"y":1},"filter":{"session":"s","other":1}}`, true},
			{"a", `{"filter":{"filter":1},"prefs":{"api_key":"k"},"limit":1}`, true},
			{"form", `{"body":{"api_key":"mine"}}`, false}, {"form", `{"body":{"o":{"api_key":"mine"}}}`, false},
			{"form", `{"body":{"o":{"x":"y"},"z":1}}`, true}, {"parts", `{"body":{"api_key":"mine"}}`, false},
			{"parts", `{"body":{"z":"x"}}`, true},
		} {
			_, err := call(t.Context(), reg, "shop.u", c.function, c.args)
			if got := service.take(); (err == nil) != c.sent || (got != nil) != c.sent {
				t.Errorf("%s %s: %v, %+v\n%s", c.function, c.args, err, got, m.Report())
			}
		}
	})
}

// Requests stay below the base of a client. An operation whose server is elsewhere is left out.
func TestBase(t *testing.T) {
	service := new(recorder)
	web := httptest.NewServer(service)
	defer web.Close()
	get := func(id, server string) string {
		return fmt.Sprintf(`"/%s":{"get":{"operationId":%[1]q,"tags":["u"],"servers":[{"url":%q}]}}`, id, server)
	}
	operations := strings.Join([]string{get("same", "https://api.example/v1"), get("below", "/v1/admin/"), get("other", "/v2"),
		get("longer", "/v10"), get("up", "/v1/../v2"), get("encoded", "/v1/%2e%2e/v2"), get("top", "/"),
		`"/../../dots":{"get":{"operationId":"dots","tags":["u"]}}`, `"/%2E%2e/b":{"get":{"operationId":"encodeddots","tags":["u"]}}`}, ",")
	doc := fmt.Appendf(nil, `{"openapi":"3.1.0","info":{},"servers":[{"url":"https://api.example/v1"}],"paths":{%s}}`, operations)
	for name, c := range map[string]struct {
		server *openapi.Server
		want   map[string]string
	}{
		"client": {openapi.Client(web.URL+"/of/tenant", nil), map[string]string{"same": "/of/tenant/same", "below": "/of/tenant/admin/below"}},
		"handler": {openapi.Handler(service), map[string]string{"same": "/v1/same", "below": "/v1/admin/below", "other": "/v2/other",
			"longer": "/v10/longer", "up": "/v2/up", "top": "/top"}},
	} {
		reg, m := mount(t, doc, c.server)
		if m.Report().Operations != len(c.want) {
			t.Errorf("%s: %s", name, m.Report())
		}
		for f, want := range c.want {
			if _, err := call(t.Context(), reg, "shop.u", f, `{}`); err != nil {
				t.Error(err)
			} else if got := service.take(); got.URI != want {
				t.Errorf("%s: %s is sent to %s", name, f, got.URI)
			}
		}
	}
	reg, _ := mount(t, document(`{`+get("a", "/admin")+`}`), openapi.Client(web.URL+"/v1/tenant/", nil))
	if _, err := call(t.Context(), reg, "shop.u", "a", `{}`); err != nil || service.take().URI != "/v1/tenant/admin/a" {
		t.Error(err)
	}
}

// The document's first server, whose path may be relative, is that of all operations. Where it cannot be used they are
// left out, unless the base of a client takes its place.
func TestFirstServer(t *testing.T) {
	service := new(recorder)
	web := httptest.NewServer(service)
	defer web.Close()
	for server, want := range map[string]string{
		`{"url":"v1"}`: "/v1/a", `{"url":"./v1/"}`: "/v1/a", `{"url":"."}`: "/a", `{"url":"../v1"}`: "/v1/a", `{"url":"https://x.example"}`: "/a", `{}`: "/a",
		`{"url":"https://{host}/v{n}","variables":{"n":{"default":"1"}}}`: "/v1/a", `{"url":"/v{n}","variables":{"n":{"default":1}}}`: "/v1/a",
		`{"url":"{scheme}://{host}/v1"}`: "/v1/a", `{"url":"{scheme}://{host}/{scheme}"}`: "no default",
		`{"url":"https://x.example/{tenant}/v1"}`: "{tenant} of its server has no default", `{"url":"/{n}","variables":{"n":{}}}`: "no default",
		`{"url":"{{baseUrl}}"}`: "no default", `{"url":"https://x.example/v1?key=a"}`: "has a query", `{"url":"http://[::"}`: "cannot be read",
		`{"url":"/v1/%2e%2e"}`: "segment of dots", `{"url":"/` + strings.Repeat("{a}", 100_000) + `"}`: "cannot be read",
	} {
		doc := fmt.Appendf(nil, `{"openapi":"3.1.0","info":{},"servers":[%s],"paths":{"/a":{"get":{"operationId":"a","tags":["u"]}},
			"/b":{"get":{"operationId":"b","tags":["u"],"servers":[{"url":"/v1/b"}]}}}}`, server)
		reg, m := mount(t, doc, openapi.Handler(service))
		_, err := call(t.Context(), reg, "shop.u", "a", `{}`)
		got := service.take()
		if want[0] == '/' && (err != nil || got == nil || got.URI != want) || want[0] != '/' && (got != nil || !strings.Contains(m.Report().String(), want)) {
			t.Errorf("%.80s: %v, %+v, want %s\n%s", server, err, got, want, m.Report())
		}
		reg, m = mount(t, doc, openapi.Client(web.URL+"/of", nil))
		if _, err := call(t.Context(), reg, "shop.u", "a", `{}`); err != nil || service.take().URI != "/of/a" {
			t.Errorf("%.80s behind a client: %v", server, err)
		}
		if want[0] != '/' && !strings.Contains(m.Report().String(), "GET /b is left out: ") {
			t.Errorf("%.80s: %s", server, m.Report())
		}
	}
}

// A server without a scheme is a host: one that is another leaves the operation out, and its path counts.
func TestServerWithoutScheme(t *testing.T) {
	service := new(recorder)
	reg, m := mount(t, []byte(`{"openapi":"3.1.0","info":{},"servers":[{"url":"localhost:8080/v1"}],"paths":{"/a":{"get":{"operationId":"a","tags":["u"]}},
		"/b":{"get":{"operationId":"b","tags":["u"],"servers":[{"url":"evil.example:8080/v1"}]}}}}`), openapi.Handler(service))
	if _, err := call(t.Context(), reg, "shop.u", "a", `{}`); err != nil || service.take().URI != "/v1/a" {
		t.Errorf("%v\n%s", err, m.Report())
	}
	if !strings.Contains(m.Report().String(), `GET /b is left out: it is on another server, "evil.example:8080"`) {
		t.Error(m.Report())
	}
	for _, host := range []string{"127.0.0.1:8080", "my_host:8080", "[::1]:8080"} {
		doc := fmt.Appendf(nil, `{"openapi":"3.1.0","info":{},"servers":[{"url":"%s/v1"}],"paths":{"/a":{"get":{"operationId":"a","tags":["u"]}}}}`, host)
		reg, m := mount(t, doc, openapi.Handler(service))
		if _, err := call(t.Context(), reg, "shop.u", "a", `{}`); err != nil || service.take().URI != "/v1/a" {
			t.Errorf("%s: %v\n%s", host, err, m.Report())
		}
	}
	if _, err := openapi.Mount(registry.New(nil), "shop", get, openapi.Client("http://localhost/v1?", nil)); err == nil {
		t.Error("a base with an empty query is taken")
	}
}

// The report names a security scheme that cannot be read: its parameter may be an argument.
func TestLostScheme(t *testing.T) {
	_, m := mount(t, []byte(`{"openapi":"3.1.0","info":{},"components":{"securitySchemes":{"key":{"$ref":"security.yaml#/key"}}},
		"paths":{"/a":{"get":{"operationId":"a","tags":["u"],"parameters":[{"name":"X-Key","in":"header"}]}}}}`), openapi.Handler(new(recorder)))
	if want := "securitySchemes key: "; !strings.Contains(m.Report().String(), want) {
		t.Errorf("no %s in\n%s", want, m.Report())
	}
}

// Cookies that a server sets for one caller are not sent for another one.
func TestJar(t *testing.T) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = openapi.Mount(registry.New(nil), "shop", get, openapi.Client("http://localhost", &http.Client{Jar: jar}))
	if err == nil || !strings.Contains(err.Error(), "cookie jar") {
		t.Error(err)
	}
}

// A member that is read-only is not sent, wherever it is in a body. Help does not show it.
func TestReadOnlyMembers(t *testing.T) {
	const user = `{"type":"object","properties":{"name":{"type":"string"},"role":{"type":"string","readOnly":true}}}`
	service := new(recorder)
	for name, c := range map[string]struct{ media, schema, good, bad string }{
		"composed":        {"application/json", `{"allOf":[` + user + `]}`, `{"body":{"name":"x"}}`, `{"body":{"name":"x","role":"admin"}}`},
		"nested":          {"application/json", `{"type":"object","properties":{"user":` + user + `}}`, `{"user":{"name":"x"}}`, `{"user":{"name":"x","role":"admin"}}`},
		"list":            {"application/json", `{"type":"array","items":` + user + `}`, `{"body":[{"name":"x"}]}`, `{"body":[{"role":"admin"}]}`},
		"referred":        {"application/json", `{"anyOf":[{"$ref":"#/x"},{"type":"null"}]}`, `{"body":{"name":"x"}}`, `{"body":{"role":"admin"}}`},
		"form":            {"application/x-www-form-urlencoded", `{"type":"object","additionalProperties":true,"properties":{"o":` + user + `,"role":{"readOnly":true}}}`, `{"body":{"o":{"name":"x"}}}`, `{"body":{"role":"admin"}}`},
		"required":        {"application/json", `{"allOf":[{"$ref":"#/x"}],"required":["name","role"]}`, `{"body":{"name":"x"}}`, `{"body":{"name":"x","role":"admin"}}`},
		"required beside": {"application/json", `{"allOf":[{"allOf":[{"$ref":"#/x"}]},{"required":["name","role"]}]}`, `{"body":{"name":"x"}}`, `{"body":{"role":"admin"}}`},
		"required there":  {"application/json", `{"$ref":"#/x","required":["name","role"]}`, `{"body":{"name":"x"}}`, `{"body":{"role":"admin"}}`},
		"not":             {"application/json", `{"type":"object","additionalProperties":true,"not":` + strings.Replace(user, `"string"}`, `"string"}`, 1) + `}`, ``, `{"body":{"name":"x"}}`},
	} {
		doc := document(`{"/u":{"post":{"operationId":"send","tags":["u"],"requestBody":{"required":true,"content":{"` + c.media + `":{"schema":` + c.schema + `}}}}}}`)
		doc = slices.Concat(doc[:len(doc)-1], []byte(`,"x":`+user+`}`))
		reg, m := mount(t, doc, openapi.Handler(service))
		if c.good != "" {
			if _, err := call(t.Context(), reg, "shop.u", "send", c.good); err != nil || service.take() == nil {
				t.Errorf("%s: %v\n%s", name, err, m.Report())
			}
		}
		if _, err := call(t.Context(), reg, "shop.u", "send", c.bad); err == nil || service.take() != nil {
			t.Errorf("%s: %v\n%s", name, err, m.Report())
		}
		help, err := cash.NewServer(reg, nil).Help(t.Context(), &cash.HelpRequest{Namespace: "shop.u", Function: "send"})
		if err != nil || strings.Contains(help, "role") && name != "not" {
			t.Errorf("%s: %v\n%s", name, err, help)
		}
	}
}

// A redirect of what changes something is an error: it may not be done. 303 says that it is.
func TestRedirectedWrites(t *testing.T) {
	code := 302
	service := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "/login?next=/orders")
		w.WriteHeader(code)
	})
	doc := document(`{"/orders":{"post":{"operationId":"post","tags":["u"]},"get":{"operationId":"get","tags":["u"]}}}`)
	both(t, service, func(t *testing.T, server *openapi.Server) {
		reg, _ := mount(t, doc, server)
		for _, code = range []int{301, 302, 304} {
			_, err := call(t.Context(), reg, "shop.u", "post", `{}`)
			if e := registry.AsError(err); e.Kind != registry.Failed || e.NotRun || !strings.Contains(e.Message, fmt.Sprint(code)) || !strings.Contains(e.Message, "/login?next=/orders") {
				t.Errorf("%d: %v", code, err)
			}
		}
		code = 303
		if res, err := call(t.Context(), reg, "shop.u", "post", `{}`); err != nil || !strings.Contains(res.Text(), "/login") {
			t.Errorf("303: %v", err)
		}
	})
	code = 302
	reg, _ := mount(t, doc, openapi.Handler(service))
	if res, err := call(t.Context(), reg, "shop.u", "get", `{}`); err != nil || !strings.Contains(res.Text(), "/login") {
		t.Errorf("GET: %v", err)
	}
}

// What the document says of an operation is not the hook's: the request stays what it was. The hook can read the
// report.
func TestHookChanges(t *testing.T) {
	service := new(recorder)
	var m *openapi.Mounted
	reported := 0
	hook := openapi.OnOperation(func(o *openapi.Operation) {
		if m != nil {
			reported = m.Report().Operations
		}
		o.Method, o.Path, o.ID = "DELETE", "/changed", "other"
		o.Extensions = nil
	})
	reg, m := mount(t, document(`{"/a":{"get":{"operationId":"a","tags":["u"]}}}`), openapi.Handler(service), hook)
	if _, err := call(t.Context(), reg, "shop.u", "a", `{}`); err != nil {
		t.Fatal(err)
	}
	if got := service.take(); got.Method != "GET" || got.URI != "/a" {
		t.Errorf("sent %+v", got)
	}
	if _, err := m.Replace(document(`{"/b":{"get":{"operationId":"b","tags":["u"]}}}`)); err != nil || reported != 1 {
		t.Errorf("the hook reads a report of %d operations; %v", reported, err)
	}
}

// A response that has no body by HTTP has none here.
func TestNoBody(t *testing.T) {
	service := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			w.WriteHeader(http.StatusNoContent)
		}
		io.WriteString(w, "body")
	})
	doc := document(`{"/a":{"head":{"operationId":"head","tags":["u"]},"delete":{"operationId":"delete","tags":["u"]}}}`)
	both(t, service, func(t *testing.T, server *openapi.Server) {
		reg, _ := mount(t, doc, server)
		for f, want := range map[string]string{"head": "200 OK", "delete": "204 No Content"} {
			if res, err := call(t.Context(), reg, "shop.u", f, `{}`); err != nil || res.Text() != want {
				t.Errorf("%s: %v, %v", f, res, err)
			}
		}
	})
}
