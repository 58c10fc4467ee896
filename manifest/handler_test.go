package manifest_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/manifest"
)

// answer sends a request with headers, given as pairs, to a handler.
func answer(h http.Handler, method string, headers ...string) *http.Response {
	r := httptest.NewRequest(method, manifest.WellKnownPath, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func bodyOf(t *testing.T, r *http.Response) []byte {
	t.Helper()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestR110Handler(t *testing.T) {
	h := manifest.Handler(manifest.Static(shop()), nil)
	get, head := answer(h, "GET"), answer(h, "HEAD")
	want, err := shop().YAML()
	if err != nil {
		t.Fatal(err)
	}
	if got := bodyOf(t, get); get.StatusCode != 200 || !bytes.Equal(got, want) {
		t.Errorf("GET: %s\n%s", get.Status, got)
	}
	if got := bodyOf(t, head); head.StatusCode != 200 || len(got) != 0 {
		t.Errorf("HEAD: %s %q", head.Status, got)
	}
	for key, want := range map[string]string{
		"Content-Type": "application/yaml", "Vary": "Accept", "X-Content-Type-Options": "nosniff",
		"Cache-Control": "private, max-age=600", "Last-Modified": "",
	} {
		if got := get.Header.Get(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	if !reflect.DeepEqual(get.Header, head.Header) {
		t.Errorf("R111: GET has %v, HEAD %v", get.Header, head.Header)
	}
	if manifest.WellKnownPath != "/.well-known/cash-mcp.yaml" || manifest.ResourceURI != "cash://server" {
		t.Error("the places are not those of the specification")
	}
}

func TestR111OtherMethods(t *testing.T) {
	h := manifest.Handler(manifest.Static(shop()), nil)
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "PROPFIND"} {
		r := answer(h, method)
		if r.StatusCode != http.StatusMethodNotAllowed || r.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %s, Allow: %q", method, r.Status, r.Header.Get("Allow"))
		}
	}
}

func TestR112Negotiation(t *testing.T) {
	const yaml, json = manifest.MediaTypeYAML, manifest.MediaTypeJSON
	h := manifest.Handler(manifest.Static(shop()), nil)
	for _, tt := range []struct {
		accept []string
		want   string
	}{
		{nil, yaml},
		{[]string{""}, yaml},
		{[]string{"*/*"}, yaml},
		{[]string{"text/html"}, yaml},
		{[]string{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}, yaml},
		{[]string{"application/yaml;q=0.9, application/json;q=0.1"}, yaml},
		{[]string{"application/yaml, application/json"}, yaml},
		{[]string{"application/*"}, yaml},
		{[]string{"application/json;q=0"}, yaml},
		{[]string{"application/json;q=0, */*"}, yaml},
		{[]string{"application/json, text/yaml"}, yaml},
		{[]string{"application/json;q=nan"}, yaml},
		{[]string{"application/json;q=inf"}, yaml},
		{[]string{"application/json;q=2"}, yaml},
		{[]string{"application/json;q=1e9"}, yaml},
		{[]string{"application/jsonx, application/problem+json"}, yaml},
		{[]string{`text/html;a="x, application/json, y"`}, yaml},
		{[]string{`text/html;a="\", application/json, y"`}, yaml},
		{[]string{`text/html;a="x, application/json`}, yaml},
		{[]string{",,;,/,application/;q"}, yaml},
		{[]string{"application/json"}, json},
		{[]string{"Application/JSON; charset=utf-8"}, json},
		{[]string{"application/json, */*;q=0.1"}, json},
		{[]string{"*/*;q=0.1, application/json"}, json},
		{[]string{"*/*;q=0.1", "application/json"}, json},
		{[]string{"application/json;q=0.2, application/yaml;q=0.1"}, json},
		{[]string{"application/json;q=0.2, application/x-yaml;q=0.1"}, json},
		{[]string{"application/yaml;q=0, */*"}, json},
		{[]string{"application/json, application/*;q=0.9, */*"}, json},
		{[]string{"application/json;q=0.001"}, json},
	} {
		var headers []string
		for _, a := range tt.accept {
			headers = append(headers, "Accept", a)
		}
		r := answer(h, "GET", headers...)
		if got := r.Header.Get("Content-Type"); got != tt.want || r.StatusCode != 200 || r.Header.Get("Vary") != "Accept" {
			t.Errorf("Accept %q: %s %s", tt.accept, r.Status, got)
		}
		m, err := manifest.Parse(bodyOf(t, r))
		if err != nil || !reflect.DeepEqual(m, shop()) {
			t.Errorf("Accept %q: %+v, %v", tt.accept, m, err)
		}
	}
}

// FuzzAccept holds that any Accept header is answered with the manifest, in
// JSON only if the header names it or a range that it is in.
func FuzzAccept(f *testing.F) {
	for _, s := range []string{"application/json", `a/b;c="\"`, "*/*;q=0.1,application/json;q=1", ",;=", "application/yaml;q=0,*/*"} {
		f.Add(s)
	}
	h := manifest.Handler(manifest.Static(shop()), nil)
	f.Fuzz(func(t *testing.T, accept string) {
		r := answer(h, "GET", "Accept", accept)
		media := r.Header.Get("Content-Type")
		named := strings.Contains(strings.ToLower(accept), "application/json") || strings.Contains(accept, "*")
		if r.StatusCode != 200 || media != manifest.MediaTypeYAML && (media != manifest.MediaTypeJSON || !named) {
			t.Fatalf("%q: %s %s", accept, r.Status, media)
		}
	})
}

func TestR110Validators(t *testing.T) {
	h := manifest.Handler(manifest.Static(shop()), nil)
	asYAML := answer(h, "GET").Header.Get("ETag")
	asJSON := answer(h, "GET", "Accept", "application/json").Header.Get("ETag")
	if len(asYAML) < 18 || asYAML == asJSON || asYAML != answer(h, "GET").Header.Get("ETag") {
		t.Fatalf("ETags %s and %s", asYAML, asJSON)
	}
	for match, status := range map[string]int{
		asYAML: 304, `"x", W/` + asYAML: 304, "*": 304, asJSON: 200, `"x"`: 200, "": 200,
	} {
		r := answer(h, "GET", "If-None-Match", match)
		if r.StatusCode != status || r.Header.Get("Vary") != "Accept" || r.Header.Get("Cache-Control") == "" || r.Header.Get("ETag") != asYAML {
			t.Errorf("If-None-Match %s: %s %v", match, r.Status, r.Header)
		}
		if body := bodyOf(t, r); status == 304 && len(body) > 0 {
			t.Errorf("304 with %q", body)
		}
	}
	changed := shop()
	changed.Publisher = "Other"
	if answer(manifest.Handler(manifest.Static(changed), nil), "GET").Header.Get("ETag") == asYAML {
		t.Error("another manifest has the same ETag")
	}
}

func TestR110CacheControl(t *testing.T) {
	for _, tt := range []struct {
		edit   func(*manifest.Manifest)
		public bool
		want   string
	}{
		{func(*manifest.Manifest) {}, true, "public, max-age=600"},
		{func(m *manifest.Manifest) { m.CacheTTL = 0 }, false, "private, max-age=3600"},
		{func(m *manifest.Manifest) { m.CacheTTL = manifest.NoCache }, true, "public, no-cache"},
	} {
		m := shop()
		tt.edit(m)
		r := answer(manifest.Handler(manifest.Static(m), &manifest.HandlerOptions{Public: tt.public}), "GET")
		if got := r.Header.Get("Cache-Control"); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestR110SourceOfTheRequest(t *testing.T) {
	type key struct{}
	h := manifest.Handler(func(ctx context.Context) (*manifest.Manifest, error) {
		m := shop()
		m.Publisher = ctx.Value(key{}).(string)
		return m, nil
	}, nil)
	r := httptest.NewRequest("GET", manifest.WellKnownPath, nil)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), key{}, "Who asks")))
	if m := mustParse(t, w.Body.String()); m.Publisher != "Who asks" {
		t.Errorf("got %+v", m)
	}
}

func TestR113HandlerWithoutManifest(t *testing.T) {
	for name, source := range map[string]manifest.Source{
		"error":   func(context.Context) (*manifest.Manifest, error) { return nil, errors.New("secret db:5432") },
		"nil":     manifest.Static(nil),
		"invalid": manifest.Static(&manifest.Manifest{Publisher: "secret"}),
		"panic":   func(context.Context) (*manifest.Manifest, error) { panic("secret") },
		"crash": func(context.Context) (*manifest.Manifest, error) {
			var m *manifest.Manifest
			m.Publisher = "x"
			return m, nil
		},
	} {
		for _, accept := range []string{"", "application/json"} {
			var log bytes.Buffer
			h := manifest.Handler(source, &manifest.HandlerOptions{Public: true, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			r := answer(h, "GET", "Accept", accept)
			body := bodyOf(t, r)
			if r.StatusCode != 503 || r.Header.Get("Cache-Control") != "no-store" || !bytes.Contains(body, []byte("try again later")) || bytes.Contains(body, []byte("secret")) {
				t.Errorf("%s: %s %v %s", name, r.Status, r.Header, body)
			}
			if !strings.Contains(log.String(), "no manifest to serve") {
				t.Errorf("%s: logged %q", name, log.String())
			}
		}
	}
}

func TestR113HandlerWithoutSource(t *testing.T) {
	defer func() {
		if v, _ := recover().(string); !strings.Contains(v, "without a source") {
			t.Errorf("got %v", v)
		}
	}()
	manifest.Handler(nil, nil)
}
