package explore_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/explore"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestSameMachine serves nobody else without a Login, and no page that has rebound its name.
func TestSameMachine(t *testing.T) {
	b := open(t, shop(new(int)), nil)
	for name, test := range map[string]struct {
		edit func(*http.Request)
		want int
	}{
		"localhost":        {func(*http.Request) {}, 200},
		"IPv4":             {func(r *http.Request) { r.Host = "127.0.0.1:80" }, 200},
		"IPv6":             {func(r *http.Request) { r.Host, r.RemoteAddr = "[::1]:80", "[::1]:4000" }, 200},
		"mapped":           {func(r *http.Request) { r.RemoteAddr = "[::ffff:127.0.0.1]:4000" }, 200},
		"another machine":  {func(r *http.Request) { r.RemoteAddr = "192.0.2.1:4000" }, 403},
		"no address":       {func(r *http.Request) { r.RemoteAddr = "@" }, 403},
		"rebound name":     {func(r *http.Request) { r.Host = "evil.example" }, 403},
		"localhost.evil":   {func(r *http.Request) { r.Host = "localhost.evil.example:8080" }, 403},
		"127.0.0.1.evil":   {func(r *http.Request) { r.Host = "127.0.0.1.evil.example" }, 403},
		"no host":          {func(r *http.Request) { r.Host = "" }, 403},
		"proxy":            {func(r *http.Request) { r.Header.Set("X-Forwarded-For", "192.0.2.1") }, 403},
		"proxy, RFC 7239":  {func(r *http.Request) { r.Header.Set("Forwarded", "for=192.0.2.1") }, 403},
		"image elsewhere":  {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403},
		"image, same site": {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }, 403},
		"link elsewhere": {func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "navigate")
			r.Header.Set("Sec-Fetch-Dest", "document")
		}, 200},
		"frame elsewhere":  {func(r *http.Request) { fetched(r, "cross-site", "navigate", "iframe") }, 403},
		"frame, same site": {func(r *http.Request) { fetched(r, "same-site", "navigate", "frame") }, 403},
		"object elsewhere": {func(r *http.Request) { fetched(r, "cross-site", "navigate", "object") }, 403},
		"script elsewhere": {func(r *http.Request) { fetched(r, "cross-site", "no-cors", "document") }, 403},
		"same machine too": {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "none") }, 200},
	} {
		t.Run(name, func(t *testing.T) {
			for _, target := range []string{"", "style.css", "search?q=order"} {
				w := b.with(test.edit).do("GET", target, nil)
				if w.Code != test.want {
					t.Errorf("GET /%s: %d, want %d", target, w.Code, test.want)
				}
				if w.Code == 403 {
					has(t, w.Body.String(), "!orders")
				}
			}
		})
	}
}

// fetched sets what a browser says of a request.
func fetched(r *http.Request, site, mode, dest string) {
	r.Header.Set("Sec-Fetch-Site", site)
	r.Header.Set("Sec-Fetch-Mode", mode)
	r.Header.Set("Sec-Fetch-Dest", dest)
}

// TestMeasureFromElsewhere: a link of another site shows the form of a measurement, and measures nothing.
func TestMeasureFromElsewhere(t *testing.T) {
	b := open(t, shop(new(int)), nil)
	for site, measured := range map[string]bool{"cross-site": false, "same-site": false, "same-origin": true, "none": true} {
		page := b.with(func(r *http.Request) { fetched(r, site, "navigate", "document") }).get("costs?calls=7")
		if got := strings.Contains(page, "<svg"); got != measured {
			t.Errorf("%s: measured is %v", site, got)
		}
		has(t, page, `value="7"`, ">Measure<")
	}
}

// TestCallersOfOneID tells callers with one ID apart, also between a dry run and its call.
func TestCallersOfOneID(t *testing.T) {
	made := 0
	b := open(t, shop(&made), &explore.Options{Pipeline: new(registry.PipelineOptions), Callers: []*registry.Caller{
		{ID: "me"}, {ID: "me", Roles: []string{"boss"}}, {ID: "me", Roles: []string{"boss"}}, nil, nil, {ID: "me (boss)"},
	}})
	page := b.get("")
	has(t, page, "!payroll")
	for _, name := range []string{"me", "me (boss)", "me (boss) (2)", "", " (2)", "me (boss) (3)"} {
		has(t, page, `<option value="`+name+`"`)
	}
	has(t, b.get("?as=me"), "!payroll")
	has(t, b.get("?as="), "!payroll")
	for _, name := range []string{"me (boss)", "me (boss) (2)"} {
		as := url.Values{"as": {name}}.Encode()
		has(t, b.get("?"+as), "payroll", `<option value="`+name+`" selected`, `href="costs?`+strings.ReplaceAll(as, "+", "&#43;"))
	}
	has(t, b.get("?as="+url.QueryEscape("me (boss) (3)")), "!payroll")
	ran := b.post("call", 200, "path", "orders.create", "do", "dry", "arguments", `{"customer":"C"}`, "as", "me (boss)")
	again := []string{"path", "orders.create", "do", "call", "arguments", `{"customer":"C"}`, "ticket", value(t, ran, "ticket")}
	b.post("call", 409, append(again, "as", "me")...)
	if made != 0 {
		t.Errorf("%d orders were made", made)
	}
}

// TestNotThisCaller leads from the error back to the pages that the viewer may see.
func TestNotThisCaller(t *testing.T) {
	for name, o := range map[string]*explore.Options{
		"one": {Callers: []*registry.Caller{clerk}}, "two": {Callers: []*registry.Caller{clerk, nil}}, "none": nil,
	} {
		w := open(t, shop(new(int)), o).do("GET", "?as=stranger", nil)
		if w.Code != 403 {
			t.Errorf("%s: %d", name, w.Code)
		}
		has(t, w.Body.String(), "You may not look at the page as this caller.", "!as=", "!stranger", "!type=\"hidden\"")
	}
}

// TestLogin shows two logins their trees, and others nothing.
func TestLogin(t *testing.T) {
	b := open(t, shop(new(int)), &explore.Options{Log: explore.NewLog(nil), Login: func(r *http.Request) (*explore.Viewer, error) {
		switch r.Header.Get("X-User") {
		case "boss":
			return &explore.Viewer{Callers: []*registry.Caller{boss, clerk}, Operator: true}, nil
		case "clerk":
			return &explore.Viewer{Callers: []*registry.Caller{clerk}}, nil
		case "nobody":
			return nil, nil
		}
		return nil, errors.New("the secret reason")
	}})
	as := func(user string) *browser {
		return b.with(func(r *http.Request) {
			r.RemoteAddr, r.Host = "192.0.2.1:4000", "tools.example.com"
			r.Header.Set("X-User", user)
		})
	}
	has(t, as("boss").get(""), "payroll", `href="log"`, `<option value="clerk">`)
	has(t, as("clerk").get(""), "!payroll", "!log", "!boss", "orders")
	has(t, as("clerk").get("search?q=salaries"), "!payroll")
	for _, target := range []string{"?as=boss", "function?path=orders.create&as=boss", "?as="} {
		if w := as("clerk").do("GET", target, nil); w.Code != 403 {
			t.Errorf("GET %s as the clerk: %d", target, w.Code)
		}
	}
	if w := as("clerk").do("GET", "log", nil); w.Code != 404 {
		t.Errorf("the log of a viewer who is no operator: %d", w.Code)
	}
	for _, user := range []string{"nobody", "stranger"} {
		w := as(user).do("GET", "", nil)
		if w.Code != 403 {
			t.Errorf("%s: %d", user, w.Code)
		}
		has(t, w.Body.String(), "!orders", "!secret")
	}
}

// TestHeaders holds the browser to the page's own script and style.
func TestHeaders(t *testing.T) {
	b := open(t, shop(new(int)), nil)
	nonces := make(map[string]bool)
	for _, target := range []string{"", "?path=orders", "function?path=orders.create", "skill?path=orders.refund", "costs", "search?q=a", "nothing"} {
		w := b.do("GET", target, nil)
		policy := w.Header().Get("Content-Security-Policy")
		_, rest, _ := strings.Cut(policy, "script-src 'nonce-")
		nonce, _, _ := strings.Cut(rest, "'")
		if len(nonce) < 20 || nonces[nonce] {
			t.Errorf("GET %s: nonce %q", target, nonce)
		}
		nonces[nonce] = true
		has(t, policy, "default-src 'none'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'", "!unsafe", "!*", "!http")
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store", "Content-Type": "text/html; charset=utf-8",
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("GET %s: %s is %q, want %q", target, name, got, want)
			}
		}
		page := w.Body.String()
		has(t, page, `nonce="`+nonce+`"`, "! onclick", "! onload", "! style=", "!javascript:", `!src="//`, `!href="//`, `!src="http`, `!href="http`)
		if n := strings.Count(page, "<script"); n != 1 {
			t.Errorf("GET %s: %d scripts", target, n)
		}
	}
	for _, target := range []string{"style.css", "page.js"} {
		has(t, b.get(target), "!http:", "!https:", "!@import")
	}
}

// TestForms refuses forms of other sites, and changes nothing by GET.
func TestForms(t *testing.T) {
	made := 0
	b := open(t, shop(&made), &explore.Options{Pipeline: new(registry.PipelineOptions)})
	form := url.Values{"path": {"orders.list"}, "do": {"call"}, "arguments": {"{}"}}
	for name, edit := range map[string]func(http.Header){
		"another origin":  func(h http.Header) { h.Set("Origin", "http://evil.example"); h.Del("Sec-Fetch-Site") },
		"another port":    func(h http.Header) { h.Set("Origin", "http://localhost:9"); h.Del("Sec-Fetch-Site") },
		"null":            func(h http.Header) { h.Set("Origin", "null"); h.Del("Sec-Fetch-Site") },
		"cross-site":      func(h http.Header) { h.Set("Sec-Fetch-Site", "cross-site") },
		"same-site":       func(h http.Header) { h.Set("Sec-Fetch-Site", "same-site") },
		"neither header":  func(h http.Header) { h.Del("Origin"); h.Del("Sec-Fetch-Site") },
		"simple, no form": func(h http.Header) { h.Set("Content-Type", "text/plain"); h.Set("Sec-Fetch-Site", "cross-site") },
	} {
		if w := b.with(func(r *http.Request) { edit(r.Header) }).do("POST", "call", form); w.Code != 403 {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
	if w := b.do("POST", "call", form); w.Code != 200 {
		t.Errorf("the page's own form: %d %s", w.Code, w.Body)
	}
	for _, target := range []string{"call", "accept", "refresh", "settle"} {
		w := b.do("GET", target+"?path=orders.create&do=call&arguments={}", nil)
		if w.Code != 404 && w.Code != 405 {
			t.Errorf("GET %s: %d", target, w.Code)
		}
	}
	if w := b.do("POST", "", url.Values{}); w.Code != 405 {
		t.Errorf("POST /: %d", w.Code)
	}
	if made != 0 {
		t.Errorf("%d orders were made", made)
	}
	form.Set("arguments", strings.Repeat("x", 3<<20))
	if w := b.do("POST", "call", form); w.Code != 400 {
		t.Errorf("a form of 3 MB: %d", w.Code)
	}
	if w := b.do("GET", "search?q="+strings.Repeat("x", 20<<10), nil); w.Code != 414 {
		t.Errorf("a query of 20 KB: %d", w.Code)
	}
}

// TestParts leaves out the pages whose part was not given.
func TestParts(t *testing.T) {
	b := open(t, shop(new(int)), nil)
	has(t, b.get(""), "!artifact", "!upstreams", "!approvals", "!log")
	for _, target := range []string{"artifact", "log", "upstreams", "approvals"} {
		if w := b.do("GET", target, nil); w.Code != 404 {
			t.Errorf("GET %s: %d", target, w.Code)
		}
	}
	if w := b.do("POST", "call", url.Values{"path": {"orders.list"}}); w.Code != 405 {
		t.Errorf("a call without a pipeline: %d", w.Code)
	}
}

// TestHostile shows hostile texts as texts.
func TestHostile(t *testing.T) {
	const script = `"><script>alert(1)</script><img src=x onerror=alert(2)>`
	const unseen = "\x1b[31mred\u202egnorw\u200b\U000e0041"
	reg := registry.New(nil)
	f, err := registry.RawFunc("evil", script+unseen+strings.Repeat("long ", 2000), []byte(fmt.Sprintf(
		`{"type":"object","properties":{"a":{"type":"string","description":%q,"enum":["</textarea><script>alert(3)</script>"]}},"required":["a"]}`, script)), done)
	if err != nil {
		t.Fatal(err)
	}
	reg.Namespace("ns", script+unseen).Add(f)
	reg.Namespace("ns", script+unseen).AddSkill(registry.NewSkill("evil", script+unseen, "Hello "+script+"\n\n</pre><script>alert(4)</script>"+unseen))
	b := open(t, reg, &explore.Options{Name: script, Callers: []*registry.Caller{{ID: script}, nil}, Pipeline: new(registry.PipelineOptions)})
	for _, target := range []string{"", "?path=ns", "function?path=ns.evil", "skill?path=ns.evil", "search?q=evil", "search?q=" + url.QueryEscape(script+unseen), "costs?calls=1"} {
		page := b.get(target)
		has(t, page, "!<script>", "!<img", "!\x1b", "!\u202e", "!\u200b", "!\U000e0041", "!</textarea><")
		if len(page) > 200<<10 {
			t.Errorf("GET %s: %d bytes", target, len(page))
		}
	}
	for _, target := range []string{"?path=" + url.QueryEscape(script), "function?path=" + url.QueryEscape(script), "?as=" + url.QueryEscape("<b>")} {
		has(t, b.do("GET", target, nil).Body.String(), "!<script>", "!<img", "!<b>")
	}
	page := b.post("call", 200, "path", "ns.evil", "do", "dry", "arguments", `{"a":"`+"</textarea><script>"+`"}`, "as", script)
	has(t, page, "!<script>", "!</textarea><", "INVALID_ARGUMENTS")
}

// TestMany shows 10,000 functions in pages.
func TestMany(t *testing.T) {
	reg := registry.New(nil)
	n := reg.Namespace("flat", "All in one.")
	for i := range 1000 {
		n.Add(registry.Func(fmt.Sprintf("f%04d", i), "A function.", none))
		reg.Namespace(fmt.Sprintf("n%04d", i), "").Add(registry.Func("f", "A function.", none))
	}
	b := open(t, reg, nil)
	page := b.get("?path=flat")
	has(t, page, "f0199", "!f0200", "1 to 200 of 1,000", "from=200")
	has(t, b.get("?path=flat&from=800"), "f0800", "f0999", "!f0799", "from=600")
	has(t, b.get("?path=flat&from=99999999999999999999"), "f0800", "!f0799") // the largest int
	has(t, b.get("?path=flat&from=-5"), "f0000")
	page = b.get("?path=n0900")
	has(t, page, "n0900", "!n0899", "more")
	if len(page) > 30<<10 {
		t.Errorf("the page of a small namespace has %d bytes", len(page))
	}
	if n := strings.Count(b.get("search?q=function"), "<tr class"); n != 100 {
		t.Errorf("a search lists %d functions", n)
	}
}
