package openapi_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/openapi"
	"github.com/cash-mcp/go-sdk/registry"
)

// get is a document with one operation, get in t.
var get = document(`{"/get":{"get":{"operationId":"get","tags":["t"],"parameters":[
	{"name":"page","in":"query","schema":{"type":"integer"}},{"name":"cursor","in":"query","schema":{"type":"string"}}]}}}`)

func answer(code int, header map[string]string, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for k, v := range header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(code)
		io.WriteString(w, body)
	})
}

func TestResults(t *testing.T) {
	js := map[string]string{"Content-Type": "application/json; charset=utf-8"}
	for name, c := range map[string]struct {
		code   int
		header map[string]string
		body   string
		want   string
	}{
		"json as it came": {200, js, "{ \"b\": 9007199254740993, \"a\": 1.50,\n\"b\": [] }\n", "{ \"b\": 9007199254740993, \"a\": 1.50,\n\"b\": [] }\n"},
		"no json":         {200, js, "{", "{"},
		"nothing":         {204, nil, "", "204 No Content"},
		"text":            {200, map[string]string{"Content-Type": "text/csv"}, "a,b\n", "a,b\n"},
		"elsewhere":       {302, map[string]string{"Location": "https://example.com/a"}, "", "302 Found: https://example.com/a"},
		"created":         {201, map[string]string{"Location": "/orders/7"}, "", "201 Created: /orders/7"},
		"accepted":        {202, map[string]string{"Location": "https://x/jobs/\u202e7" + strings.Repeat("x", 3000)}, "", "202 Accepted: https://x/jobs/7" + strings.Repeat("x", 1983) + "…"},
		"created nowhere": {201, nil, "", "201 Created"},
		"created as told": {201, map[string]string{"Location": "/orders/7", "Content-Type": "application/json"}, `{"id":7}`, `{"id":7}`},
		"not created":     {200, map[string]string{"Location": "/orders/7"}, "", "200 OK"},
		"next by Link": {200, map[string]string{"Content-Type": "application/json", "Link": `<https://x/get?page=1>; rel="first", <https://x/get?page=3&token=secret>; rel="next"`},
			"[]", "[]\nMore: call again with page=3."},
		"next by Link with commas": {200, map[string]string{"Content-Type": "application/json", "Link": `<https://x/get?page=1>; rel="prev"; title="a; rel=next, \"b\"", </get?fields=a,b&page=3>; title="a, <b>; c" ; rel = "last NEXT"`},
			"[]", "[]\nMore: call again with page=3."},
		"no next by Link":   {200, map[string]string{"Content-Type": "application/json", "Link": `<https://x/get?page=3>; rel="prev"; title="rel=next;rel=next", <x; rel=next`}, "[]", "[]"},
		"next by address":   {200, js, `{"next":"https://x/get?page=2&secret=1"}`, "{\"next\":\"https://x/get?page=2&secret=1\"}\nMore: call again with page=2."},
		"next page address": {200, js, `{"next_page":"/get?page=2"}`, "{\"next_page\":\"/get?page=2\"}\nMore: call again with page=2."},
		"address of others": {200, js, `{"next_page":"/get?other=2"}`, `{"next_page":"/get?other=2"}`},
		"latin":             {200, map[string]string{"Content-Type": "text/plain; charset=ISO-8859-1"}, "caf\xe9", "café"},
		"latin json":        {200, map[string]string{"Content-Type": "application/json;charset=iso-8859-1"}, "[\"\xe9\"]", `["é"]`},
		"no latin json":     {200, map[string]string{"Content-Type": "application/json;charset=iso-8859-1"}, `["é"]`, `["é"]`},
		"next by member":    {200, js, `{"next_cursor":"abc"}`, "{\"next_cursor\":\"abc\"}\nMore: call again with next_cursor of this result as cursor."},
		"no next":           {200, js, `{"next_cursor":null}`, `{"next_cursor":null}`},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, answer(c.code, c.header, c.body), func(t *testing.T, server *openapi.Server) {
				reg, _ := mount(t, get, server)
				res, err := call(t.Context(), reg, "shop.t", "get", `{}`)
				if err != nil {
					t.Fatal(err)
				}
				if got := res.Text(); got != c.want {
					t.Errorf("%q, want %q", got, c.want)
				}
			})
		})
	}
}

// The next page is told wherever services write it, and only if there is one.
func TestNextPages(t *testing.T) {
	doc := document(`{"/get":{"get":{"operationId":"get","tags":["t"],"parameters":[{"name":"page","in":"query"},{"name":"cursor","in":"query"},
		{"name":"after","in":"query"},{"name":"page[number]","in":"query"},{"name":"continue","in":"query"}]}}}`)
	for body, want := range map[string]string{
		`{"data":[],"meta":{"next_cursor":"abc"}}`:                                                              "meta.next_cursor of this result as cursor",
		`{"metadata":{"continue":"abc","name":"x"}}`:                                                            "metadata.continue of this result as continue",
		`{"pagination":{"next_page":2,"has_more":true}}`:                                                        "pagination.next_page of this result as page",
		`{"response_metadata":{"next_cursor":"abc"}}`:                                                           "response_metadata.next_cursor of this result as cursor",
		`{"pageInfo":{"endCursor":"abc","hasNextPage":true}}`:                                                   "pageInfo.endCursor of this result as after",
		`{"page_info":{"end_cursor":"abc"}}`:                                                                    "page_info.end_cursor of this result as after",
		`{"paging":{"next":"https://x/get?after=abc&access_token=secret"}}`:                                     "after=abc",
		`{"_links":{"self":{"href":"/get?page=1"},"next":{"href":"/get?page=2&size=9"}}}`:                       "page=2",
		`{"links":{"next":"https://x/get?page%5Bnumber%5D=3","last":"/get?page%5Bnumber%5D=9"}}`:                "page_number=3",
		`{"links":{"next":{"href":"/get?page=2","meta":{}}}}`:                                                   "page=2",
		`{"meta":{"next_cursor":""},"next_page":2}`:                                                             "next_page of this result as page",
		`{"response_metadata":{"next_cursor":""}}`:                                                              "",
		`{"meta":{"next_cursor":null,"next_page":"","nextToken":{"href":7},"next":[]}}`:                         "",
		`{"pageInfo":{"endCursor":"abc","hasNextPage":false}}`:                                                  "",
		`{"meta":{"next_cursor":"abc"},"has_more":false}`:                                                       "",
		`{"next_cursor":"abc","has_more":false}`:                                                                "",
		`{"next_cursor":"abc","pagination":{"has_next":false}}`:                                                 "",
		`{"links":{"next":null,"prev":"/get?page=1"}}`:                                                          "",
		`{"links":{"next":{"href":""}},"_links":{"next":{}}}`:                                                   "",
		`{"data":{"next_cursor":"abc"},"meta":{"meta":{"next_cursor":"abc"}},"links":[{"next":"/get?page=2"}]}`: "",
		`{"meta":{"next_cursor":"` + strings.Repeat("x", 1000) + `"}}`:                                          "",
	} {
		reg, _ := mount(t, doc, openapi.Handler(answer(200, map[string]string{"Content-Type": "application/json"}, body)))
		res, err := call(t.Context(), reg, "shop.t", "get", `{}`)
		if err != nil {
			t.Fatal(err)
		}
		if want != "" {
			want = "\nMore: call again with " + want + "."
		}
		if got := res.Text(); got != body+want {
			t.Errorf("%q, want %q", got, body+want)
		}
	}
}

// To look for the next page takes one pass over a large result, whatever its members are called.
func TestNextPageOfLargeResults(t *testing.T) {
	for _, body := range []string{
		"{" + repeated(500_000, `"next%d":{"href":1}`) + "}", `{"meta":{` + repeated(500_000, `"n%d":{"meta":{}}`) + "}}",
		`{"meta":` + strings.Repeat(`{"meta":`, 900) + "1" + strings.Repeat("}", 901), `{"meta":{"` + strings.Repeat("_", 8<<20) + `next":1}}`,
		`{"meta":{"next":{"href":"` + strings.Repeat("?", 8<<20) + `"}}}`,
	} {
		reg, _ := mount(t, get, openapi.Handler(answer(200, map[string]string{"Content-Type": "application/json"}, body)))
		began := time.Now()
		res, err := call(t.Context(), reg, "shop.t", "get", `{}`)
		if d := time.Since(began); err != nil || res.Text() != body || d > 10*time.Second {
			t.Errorf("%.40s: %v, %v", body, err, d)
		}
	}
}

func TestResultsOfOtherTypes(t *testing.T) {
	for media, want := range map[string]string{"image/png": "*mcp.ImageContent", "audio/ogg": "*mcp.AudioContent", "application/zip": "*mcp.EmbeddedResource"} {
		reg, _ := mount(t, get, openapi.Handler(answer(200, map[string]string{"Content-Type": media}, "\x00\xff")))
		res, err := call(t.Context(), reg, "shop.t", "get", `{}`)
		if err != nil {
			t.Fatal(err)
		}
		var data []byte
		switch c := res.Content[0].(type) {
		case *mcp.ImageContent:
			data = c.Data
		case *mcp.AudioContent:
			data = c.Data
		case *mcp.EmbeddedResource:
			data = c.Resource.Blob
		}
		if string(data) != "\x00\xff" {
			t.Errorf("%s is no %s: %T", media, want, res.Content[0])
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		code         int
		header, body string
		kind         registry.Kind
		want         string
	}{
		{400, "application/json", `{"message":"no\u001b[31m such\nsize"}`, registry.InvalidArguments, "The service answers 400 Bad Request: no such size."},
		{401, "text/plain", "log in first\nand more", registry.Unauthorized, "The service answers 401 Unauthorized: log in first."},
		{403, "text/html", "<h1>", registry.Denied, "The service answers 403 Forbidden."},
		{404, "application/problem+json", `{"title":"Gone","detail":"No order.","status":404}`, registry.Failed, "The service answers 404 Not Found: Gone: No order."},
		{422, "application/problem+json", `{"detail":"bad","errors":[{"message":"too small","location":"body.n"}]}`, registry.InvalidArguments, "The service answers 422 Unprocessable Entity: bad: too small: body.n."},
		{422, "application/json", `{"detail":[{"type":"missing","loc":["query",0,"q"],"msg":"Field required","input":null}]}`, registry.InvalidArguments,
			"The service answers 422 Unprocessable Entity: Field required: query.0.q."},
		{400, "application/problem+json", `{"title":"Errors occurred.","errors":{"Name":["It is required.","It is short."],"x":1,"title":["Bad."]}}`, registry.InvalidArguments,
			"The service answers 400 Bad Request: Errors occurred: Name: It is required. It is short: title: Bad."},
		{422, "application/json", `{"errors":{"name":"is taken"}}`, registry.InvalidArguments, "The service answers 422 Unprocessable Entity: name: is taken."},
		{400, "application/json", `{"error":{"message":"oh","stack":["secret"]}}`, registry.InvalidArguments, "The service answers 400 Bad Request: oh."},
		{400, "application/json", `["no size",{"message":"no color"}]`, registry.InvalidArguments, "The service answers 400 Bad Request: no size: no color."},
		{400, "application/json", `"no size"`, registry.InvalidArguments, "The service answers 400 Bad Request: no size."},
		{400, "application/json", `{"name":["This field is required."],"non_field_errors":["Dates\u001b[31m cross.","Too\nlong."]}`, registry.InvalidArguments,
			"The service answers 400 Bad Request: name: This field is required: non_field_errors: Dates cross. Too long."},
		{400, "application/json", `{"title":["It is short."],"error":["No."]}`, registry.InvalidArguments, "The service answers 400 Bad Request: title: It is short: error: No."},
		{400, "application/json", `{"errors":["No.","Never."]}`, registry.InvalidArguments, "The service answers 400 Bad Request: No: Never."},
		{400, "application/json", `{"name":["No."],"code":7}`, registry.InvalidArguments, "The service answers 400 Bad Request."},
		{400, "application/json", `{"name":[],"tags":[["secret"]]}`, registry.InvalidArguments, "The service answers 400 Bad Request."},
		{400, "application/json", `{` + repeated(1000, `"f%d":["`+strings.Repeat("x", 20)+`"]`) + `}`, registry.InvalidArguments,
			"The service answers 400 Bad Request: f0: xxxxxxxxxxxxxxxxxxxx: f1: xxxxxxxxxxxxxxxxxxxx: f2: xxxxxxxxxxxxxxxxxxxx: f3: xxxxxxxxxxxxxxxxxxxx: f4: xxxxxxxxxxxxxxxxxxxx."},
		{400, "application/json", `{"` + strings.Repeat("n", 9000) + `":["x"]}`, registry.InvalidArguments, "The service answers 400 Bad Request: " + strings.Repeat("n", 499) + "…."},
		{403, "application/json", `{"Message":"User\u202e may not."}`, registry.Denied, "The service answers 403 Forbidden: User may not."},
		{400, "application/x-amz-json-1.0", `{"__type":"com.amazonaws.dynamodb#ResourceNotFoundException","message":"No table."}`, registry.InvalidArguments,
			"The service answers 400 Bad Request: ResourceNotFoundException: No table."},
		{429, "", "", registry.RateLimited, "The service answers 429 Too Many Requests. Try again in 7 seconds."},
		{500, "application/json", `{"error":{"message":"oh"}}`, registry.Failed, "The service answers 500 Internal Server Error: oh."},
		{503, "application/json", `{`, registry.Unavailable, "The service answers 503 Service Unavailable. Try again in 7 seconds."},
		{504, "", "", registry.TimedOut, "The service answers 504 Gateway Timeout."},
	} {
		both(t, answer(c.code, map[string]string{"Content-Type": c.header, "Retry-After": "7"}, c.body), func(t *testing.T, server *openapi.Server) {
			reg, _ := mount(t, get, server)
			_, err := call(t.Context(), reg, "shop.t", "get", `{}`)
			e := registry.AsError(err)
			if e.Kind != c.kind || !strings.HasPrefix(e.Error(), c.want) {
				t.Errorf("%d: %s: %s", c.code, e.Kind, e.Error())
			}
			if e.NotRun != (c.code == 429) {
				t.Errorf("%d: NotRun is %t", c.code, e.NotRun)
			}
		})
	}
}

// A response without an end, one that is too large, and one that never comes.
func TestHostileServers(t *testing.T) {
	endless := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				panic(http.ErrAbortHandler)
			}
		}
	})
	both(t, endless, func(t *testing.T, server *openapi.Server) {
		reg, _ := mount(t, get, server)
		if _, err := call(t.Context(), reg, "shop.t", "get", `{}`); err == nil || !strings.Contains(err.Error(), "more than 16 MiB") {
			t.Error(err)
		}
	})
	panics := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { panic("secret") })
	both(t, panics, func(t *testing.T, server *openapi.Server) {
		reg, _ := mount(t, get, server)
		if _, err := call(t.Context(), reg, "shop.t", "get", `{}`); err == nil || strings.Contains(err.Error(), "secret") {
			t.Error(err)
		}
	})
	reg, _ := mount(t, get, openapi.Client("http://127.0.0.1:1/secret", nil))
	if _, err := call(t.Context(), reg, "shop.t", "get", `{}`); registry.AsError(err).Kind != registry.Unavailable || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
}

func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		reg, _ := mount(t, get, openapi.Handler(hangs), openapi.OnOperation(func(o *openapi.Operation) {
			o.Options = append(o.Options, registry.Timeout(time.Second))
		}))
		began := time.Now()
		_, err := call(t.Context(), reg, "shop.t", "get", `{}`)
		if registry.AsError(err).Kind != registry.TimedOut || time.Since(began) > 2*time.Second {
			t.Error(err)
		}
	})
}

// A redirect to another host is told, not followed: the request's identity is not for there.
func TestRedirects(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { t.Errorf("%s reached another host", r.URL) }))
	defer other.Close()
	var to string
	code := 302
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/there" {
			io.WriteString(w, r.Method+" there")
			return
		}
		http.Redirect(w, r, to, code)
	}))
	defer web.Close()
	reg, _ := mount(t, document(`{"/get":{"get":{"operationId":"get","tags":["t"]},"post":{"operationId":"post","tags":["t"]}}}`),
		openapi.Client(web.URL, nil), openapi.Login(func(r *http.Request, _ *registry.Caller) error { r.Header.Set("Authorization", "Bearer s"); return nil }))
	for _, c := range []struct {
		name, to string
		code     int
		want     string
	}{
		{"get", "/there", 302, "GET there"}, {"post", "/there", 303, "303 See Other: /there"}, {"post", "/there", 308, "POST there"},
		{"get", other.URL + "/x", 307, "307 Temporary Redirect: " + other.URL + "/x"}, {"get", "https" + web.URL[4:] + "/there", 307, "307"},
	} {
		to, code = c.to, c.code
		res, err := call(t.Context(), reg, "shop.t", c.name, `{}`)
		if err != nil || !strings.HasPrefix(res.Text(), c.want) {
			t.Errorf("%s to %s: %v, %v", c.name, c.to, res, err)
		}
	}
}

type key struct{}

// The service gets the caller as its login expects it, and the values that are named. No argument replaces the identity.
func TestLogin(t *testing.T) {
	service := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := "nobody"
		if c := registry.CallerFrom(r.Context()); c != nil {
			who = c.ID
		}
		value, _ := r.Context().Value(key{}).(string)
		io.WriteString(w, r.Header.Get("X-User")+" "+who+" "+value)
	})
	doc := document(`{"/me":{"get":{"operationId":"me","tags":["t"],"parameters":[{"name":"x-user","in":"header","schema":{"type":"string"}}]}}}`)
	reg, _ := mount(t, doc, openapi.Handler(service), openapi.Login(func(r *http.Request, c *registry.Caller) error {
		if c.Anonymous() {
			return errors.New("secret reason")
		}
		r.Header.Set("X-User", c.ID)
		return nil
	}), openapi.Context(func(request, call context.Context) context.Context {
		return context.WithValue(request, key{}, call.Value(key{}))
	}))
	ctx := context.WithValue(registry.WithCaller(t.Context(), &registry.Caller{ID: "ann"}), key{}, "value")
	res, err := call(ctx, reg, "shop.t", "me", `{"x-user":"root"}`)
	if err != nil || res.Text() != "ann ann value" {
		t.Errorf("%v, %v", res, err)
	}
	_, err = call(t.Context(), reg, "shop.t", "me", `{}`)
	if e := registry.AsError(err); e.Kind != registry.Unauthorized || !e.NotRun || strings.Contains(e.Error(), "secret") {
		t.Error(err)
	}
}

// A transport knows the caller, and can renew what the service no longer takes.
func TestTransportOfCallers(t *testing.T) {
	tokens := map[string]string{"ann": "old"}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Token") != "new" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		io.Copy(w, r.Body)
	}))
	defer web.Close()
	client := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		who := registry.CallerFrom(r.Context()).ID
		for try := 0; ; try++ {
			again := r.Clone(r.Context())
			again.Header.Set("X-Token", tokens[who])
			again.Body, _ = r.GetBody()
			res, err := web.Client().Transport.RoundTrip(again)
			if err != nil || res.StatusCode != http.StatusUnauthorized || try > 0 {
				return res, err
			}
			res.Body.Close()
			tokens[who] = "new"
		}
	})}
	doc := document(`{"/echo":{"post":{"operationId":"echo","tags":["t"],"requestBody":{"content":{"text/plain":{"schema":{"type":"string"}}}}}}}`)
	reg, _ := mount(t, doc, openapi.Client(web.URL, client))
	ctx := registry.WithCaller(t.Context(), &registry.Caller{ID: "ann"})
	if res, err := call(ctx, reg, "shop.t", "echo", `{"body":"hello"}`); err != nil || res.Text() != "hello" {
		t.Errorf("%v, %v", res, err)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements [http.RoundTripper].
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A cookie of the login is the only one of its name.
func TestLoginCookies(t *testing.T) {
	service := new(recorder)
	doc := document(`{"/me":{"get":{"operationId":"me","tags":["t"],"parameters":[{"name":"session","in":"cookie","schema":{}},{"name":"lang","in":"cookie","schema":{}}]}}}`)
	both(t, service, func(t *testing.T, server *openapi.Server) {
		reg, _ := mount(t, doc, server, openapi.Login(func(r *http.Request, _ *registry.Caller) error {
			r.AddCookie(&http.Cookie{Name: "session", Value: "mine"})
			return nil
		}))
		if _, err := call(t.Context(), reg, "shop.t", "me", `{"session":["root","mine; session=x"],"lang":"de"}`); err != nil {
			t.Fatal(err)
		}
		if got := service.take().Header.Values("Cookie"); len(got) != 1 || got[0] != "session=mine; lang=de" {
			t.Errorf("cookies %q", got)
		}
	})
}

// Texts of a server over HTTP are cleaned; those of this process are its own.
func TestForeignTexts(t *testing.T) {
	const body = "{\"a\":\"x\u202ey\"}"
	h := answer(200, map[string]string{"Content-Type": "application/json"}, body)
	both(t, h, func(t *testing.T, server *openapi.Server) {
		reg, _ := mount(t, get, server)
		res, err := call(t.Context(), reg, "shop.t", "get", `{}`)
		if err != nil {
			t.Fatal(err)
		}
		if clean := !strings.Contains(res.Text(), "\u202e"); clean != strings.HasSuffix(t.Name(), "client") {
			t.Errorf("%q", res.Text())
		}
	})
}
