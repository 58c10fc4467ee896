package explore_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/explore"
	"github.com/cash-mcp/go-sdk/registry"
)

// Host names of requests.
const host = "localhost:8080"

type order struct {
	Customer string `json:"customer" jsonschema:"Customer number." cash:"example=C-42"`
	Note     string `json:"note,omitempty" jsonschema:"Free text."`
}

// shop returns a registry with a public and a hidden part. made counts the orders.
func shop(made *int) *registry.Registry {
	reg := registry.New(nil)
	reg.Namespace("orders", "Create and manage orders.").Add(
		registry.Func("create", "Create an order for a customer.", func(_ context.Context, in order) (map[string]string, error) {
			*made++
			return map[string]string{"id": "O-1", "customer": in.Customer}, nil
		}),
		registry.Func("list", "List the orders.", func(context.Context, struct{}) ([]string, error) {
			return []string{"O-1", "O-2"}, nil
		}, registry.ReadOnly),
		registry.Func("fail", "Fail.", func(context.Context, struct{}) (string, error) { return "", errors.New("no such thing") }, registry.ReadOnly),
	)
	reg.Namespace("payroll", "Salaries of the secretariat.", registry.VisibleTo(registry.Roles("boss"))).Add(
		registry.Func("salaries", "List salaries.", func(context.Context, struct{}) (string, error) { return "much", nil }, registry.ReadOnly),
	)
	reg.Namespace("orders", "Create and manage orders.").AddSkill(
		registry.NewSkill("refund", "Refund an order.", "First find it.\n\n```bash\nrm -rf /\n```\n\nThen refund <b>it</b>.\n"),
	)
	return reg
}

var (
	boss  = &registry.Caller{ID: "boss", Roles: []string{"boss"}}
	clerk = &registry.Caller{ID: "clerk"}
)

// A browser makes requests as a browser on the same machine makes them.
type browser struct {
	t    *testing.T
	page http.Handler
	edit func(*http.Request)
}

func open(t *testing.T, src registry.Source, o *explore.Options) *browser {
	return &browser{t: t, page: explore.New(src, o)}
}

// with returns a browser whose requests are edited.
func (b *browser) with(edit func(*http.Request)) *browser {
	return &browser{b.t, b.page, edit}
}

func (b *browser) do(method, target string, form url.Values) *httptest.ResponseRecorder {
	b.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r := httptest.NewRequest(method, "http://"+host+"/"+target, body)
	r.RemoteAddr = "127.0.0.1:40000"
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://"+host)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	if b.edit != nil {
		b.edit(r)
	}
	w := httptest.NewRecorder()
	b.page.ServeHTTP(w, r)
	return w
}

// get returns a page that must be there.
func (b *browser) get(target string) string {
	b.t.Helper()
	w := b.do("GET", target, nil)
	if w.Code != 200 {
		b.t.Fatalf("GET %s: %d %s", target, w.Code, w.Body)
	}
	return w.Body.String()
}

// post submits a form, which must be answered with the status.
func (b *browser) post(target string, status int, pairs ...string) string {
	b.t.Helper()
	w := b.do("POST", target, form(pairs...))
	if w.Code != status {
		b.t.Fatalf("POST %s: %d, want %d\n%s", target, w.Code, status, w.Body)
	}
	return w.Body.String()
}

// form returns a form of names and values.
func form(pairs ...string) url.Values {
	values := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return values
}

// has requires texts in a page, those with a leading ! to be absent.
func has(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if absent := strings.HasPrefix(text, "!"); strings.Contains(page, strings.TrimPrefix(text, "!")) == absent {
			t.Errorf("the page has %q: %v, want otherwise\n%s", strings.TrimPrefix(text, "!"), absent, page[:min(len(page), 5000)])
		}
	}
}

// value returns the value of a hidden field.
func value(t *testing.T, page, name string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, `name="`+name+`" value="`)
	if !ok {
		t.Fatalf("the page has no field %s:\n%s", name, page)
	}
	text, _, _ := strings.Cut(rest, `"`)
	return text
}

func none(context.Context, struct{}) (string, error) { return "", nil }

func done(context.Context, json.RawMessage) (*registry.Result, error) {
	return registry.TextResult("done"), nil
}
