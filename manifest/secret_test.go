package manifest_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/manifest"
)

// TestR128ConfigKeepsSecrets holds that mistakes in URLs do not show what may be
// a secret in them.
func TestR128ConfigKeepsSecrets(t *testing.T) {
	const endpoint = "https://mcp.example/"
	for _, raw := range []string{
		"https://user:sesame@mcp.example/", "http://sesame@mcp.example/", "https://user:p?sesame@mcp.example/", "sesame:x@mcp.example",
		"http://mcp.example/?key=sesame", "https://a b/#sesame", "https://mcp.example:0?a@b=sesame", "https://user:%zz@sesame/", "https://sesame@[::1",
	} {
		_, err := manifest.CheckEndpoint(endpoint, raw)
		e := wantKind(t, raw, err, manifest.KindConfig, "the manifest URL")
		_, err = manifest.CheckEndpoint(endpoint, endpoint, "ftp://"+strings.TrimPrefix(raw, "https://"))
		other := wantKind(t, raw, err, manifest.KindConfig, "the trusted endpoint")
		if strings.Contains(e.Error()+other.Error(), "sesame") || e.Err != nil || other.Err != nil {
			t.Errorf("%s: %v (%v), %v (%v)", raw, e, e.Err, other, other.Err)
		}
	}
	for _, raw := range []string{"https://user:sesame@%zz/", "https://user:sesame@mcp.example/", "https://mcp.example/?key=sesame\x00"} {
		m := shop()
		m.Endpoint = raw
		if err := m.Check(); err == nil || strings.Contains(err.Error(), "sesame") {
			t.Errorf("Check of %q: %v", raw, err)
		}
	}
	// What is no secret is shown, for it is how the mistake is found.
	_, err := manifest.CheckEndpoint(endpoint, "http://mcp.example/m?key=sesame")
	wantKind(t, "http", err, manifest.KindConfig, `the manifest URL "http://mcp.example/m…" cannot be used: manifests are fetched over https only`)
}

// TestR128ErrorsKeepSecrets holds that neither the text of an error nor its cause
// shows the query of a URL or what is sent in headers.
func TestR128ErrorsKeepSecrets(t *testing.T) {
	s := listen(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/hangup":
			panic(http.ErrAbortHandler)
		case "/elsewhere":
			http.Redirect(w, r, "https://evil.example/?"+r.URL.RawQuery, http.StatusFound)
		case "/loop":
			http.Redirect(w, r, r.URL.String(), http.StatusFound)
		case "/malformed":
			w.Header().Set("Location", "https://%zz/")
			w.WriteHeader(http.StatusFound)
		case "/short":
			w.Header().Set("Content-Length", "10")
		}
	})
	header := func(value string) func(string) http.Header {
		return func(string) http.Header { return http.Header{"Authorization": {value}} }
	}
	o := s.options()
	o.Header = header("sesame")
	broken, refused := *o, *o
	broken.Header = header("sesame\n")
	refused.Allow = nil
	for path, o := range map[string]*manifest.FetchOptions{
		"/hangup": o, "/elsewhere": o, "/loop": o, "/malformed": o, "/short": o, "/empty": o, "/refused": &refused, "/broken": &broken,
	} {
		_, err := newFetcher(t, o).Fetch(t.Context(), s.URL+path+"?key=sesame", nil)
		if err == nil || strings.Contains(fmt.Sprint(err, errors.Unwrap(err)), "sesame") {
			t.Errorf("%s: %v: %v", path, err, errors.Unwrap(err))
		}
	}
}

// TestR132Panics holds that a panic in what the embedder gives is a failed fetch:
// manifests are fetched in goroutines of the library.
func TestR132Panics(t *testing.T) {
	s := publish(t, nil)
	header, proxy, transport := *s.options(), *s.options(), *s.options()
	header.Header = func(string) http.Header { panic("sesame") }
	proxy.Proxy = func(*http.Request) (*url.URL, error) { panic("sesame") }
	transport.Transport = roundTripper(func(*http.Request) (*http.Response, error) { panic(errors.New("sesame")) })
	for name, o := range map[string]*manifest.FetchOptions{"Header": &header, "Proxy": &proxy, "Transport": &transport} {
		got, err := newFetcher(t, o).Fetch(t.Context(), s.url(), nil)
		e := wantKind(t, name, err, manifest.KindTransient, "asking it failed here")
		if got != nil || e.Err == nil || strings.Contains(fmt.Sprint(err, e.Err), "sesame") || !strings.Contains(e.Err.Error(), "panicked with a ") {
			t.Errorf("%s: %v, %v: %v", name, got, err, e.Err)
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
