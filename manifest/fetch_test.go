package manifest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/manifest"
)

func TestR128Fetch(t *testing.T) {
	s := publish(t, nil)
	now := time.Date(2026, 4, 24, 10, 0, 0, 0, time.UTC)
	o := s.options()
	o.Now = func() time.Time { return now }
	got, err := newFetcher(t, o).Fetch(t.Context(), strings.ToUpper(s.URL[:8])+s.URL[8:]+manifest.WellKnownPath+"#part", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := shop()
	want.Endpoint = s.URL + "/mcp"
	if !reflect.DeepEqual(got.Manifest, want) || got.Endpoint != want.Endpoint || got.URL != s.url() {
		t.Errorf("got %+v with %+v", got, got.Manifest)
	}
	if got.ETag == "" || !got.At.Equal(now) || !got.Next.Equal(now.Add(10*time.Minute)) {
		t.Errorf("ETag %q, at %v, next %v", got.ETag, got.At, got.Next)
	}
}

// TestR131NotBeforeTheTTL counts requests under a clock of its own.
func TestR131NotBeforeTheTTL(t *testing.T) {
	for _, tt := range []struct {
		name         string
		ttl          time.Duration
		cacheControl string
		want         time.Duration
	}{
		{"absent", 0, "", time.Hour},
		{"given", 10 * time.Minute, "", 10 * time.Minute},
		{"zero", manifest.NoCache, "", time.Minute},
		{"below the floor", time.Second, "", time.Minute},
		{"very long", manifest.MaxTTL, "", manifest.MaxTTL},
		{"raised by headers", time.Minute, "public, max-age=7200", 2 * time.Hour},
		{"raised by a quoted header", time.Minute, `MAX-AGE="7200"`, 2 * time.Hour},
		{"raised to a day at most", time.Minute, "max-age=99999999999999999999", 24 * time.Hour},
		{"never lowered", 10 * time.Minute, "max-age=1, no-cache, no-store", 10 * time.Minute},
		{"odd headers", 10 * time.Minute, "max-age=-99999, max-age=1e9, max-age, s-maxage=9000", 10 * time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := listen(t, nil)
			s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				s.requests.Add(1)
				m := shop()
				m.Endpoint, m.CacheTTL = s.URL, tt.ttl
				doc, _ := m.YAML()
				w.Header().Set("Cache-Control", tt.cacheControl)
				_, _ = w.Write(doc)
			})
			start := time.Date(2026, 4, 24, 10, 0, 0, 0, time.UTC)
			now := start
			o := s.options()
			o.Now = func() time.Time { return now }
			f := newFetcher(t, o)
			first, err := f.Fetch(t.Context(), s.url(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := first.Next.Sub(start); got != tt.want {
				t.Errorf("next after %v, want %v", got, tt.want)
			}
			now = start.Add(tt.want - 1)
			if again, err := f.Fetch(t.Context(), s.url(), first); again != first || err != nil || s.requests.Load() != 1 {
				t.Errorf("before the TTL: %v, %d requests", err, s.requests.Load())
			}
			now = start.Add(tt.want)
			if again, err := f.Fetch(t.Context(), s.url(), first); err != nil || again == first || s.requests.Load() != 2 {
				t.Errorf("after the TTL: %v, %d requests", err, s.requests.Load())
			}
		})
	}
}

// TestR131Conditional holds that a manifest which did not change is kept, with
// its TTL running anew.
func TestR131Conditional(t *testing.T) {
	publisher := "One"
	s := publish(t, func(m *manifest.Manifest) { m.Publisher = publisher })
	now := time.Date(2026, 4, 24, 10, 0, 0, 0, time.UTC)
	o := s.options()
	o.Now = func() time.Time { return now }
	f := newFetcher(t, o)
	one, err := f.Fetch(t.Context(), s.url(), nil)
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Hour)
	two, err := f.Fetch(t.Context(), s.url(), one)
	if err != nil || two.Manifest != one.Manifest || two.ETag != one.ETag || !two.At.Equal(now) || !two.Next.Equal(now.Add(10*time.Minute)) {
		t.Errorf("unchanged: %+v, %v", two, err)
	}
	now, publisher = now.Add(time.Hour), "Two"
	three, err := f.Fetch(t.Context(), s.url(), two)
	if err != nil || three.Manifest.Publisher != "Two" || three.ETag == two.ETag {
		t.Errorf("changed: %+v, %v", three, err)
	}
	// What was kept for another URL is not asked about.
	other := *three
	other.URL, other.Next = "https://other.example/", now.Add(time.Hour)
	four, err := f.Fetch(t.Context(), s.url(), &other)
	if err != nil || four.Manifest == three.Manifest || s.requests.Load() != 4 {
		t.Errorf("of another URL: %+v, %v", four, err)
	}
}

// TestR131Validators holds what of a server's validators is sent back.
func TestR131Validators(t *testing.T) {
	const date = "Fri, 24 Apr 2026 10:00:00 GMT"
	for _, tt := range []struct {
		name, etag, modified         string
		wantETag, wantModified       string
		answerETag, wantETagAfter304 string
	}{
		{"both", `"a"`, date, `"a"`, date, "", `"a"`},
		{"date", "", date, "", date, "", ""},
		{"renewed", `"a"`, "", `"a"`, "", `W/"b"`, `W/"b"`},
		{"huge", strings.Repeat("x", 2000), date, "", date, "", ""},
		{"unsendable", "\"\x80\"", date, "", date, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var seen http.Header
			s := listen(t, nil)
			s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				seen = r.Header
				if r.Header.Get("If-None-Match") != "" || r.Header.Get("If-Modified-Since") != "" {
					if tt.answerETag != "" {
						w.Header().Set("ETag", tt.answerETag)
					}
					w.WriteHeader(http.StatusNotModified)
					return
				}
				w.Header().Set("ETag", tt.etag)
				w.Header().Set("Last-Modified", tt.modified)
				_, _ = fmt.Fprint(w, minimal("https://mcp.shop.example/mcp", s.URL))
			})
			now := time.Now()
			o := s.options()
			o.Now = func() time.Time { return now }
			f := newFetcher(t, o)
			one, err := f.Fetch(t.Context(), s.url(), nil)
			if err != nil {
				t.Fatal(err)
			}
			now = now.Add(2 * time.Hour)
			two, err := f.Fetch(t.Context(), s.url(), one)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := seen.Get("If-None-Match"), seen.Get("If-Modified-Since"); a != tt.wantETag || b != tt.wantModified {
				t.Errorf("sent %q and %q", a, b)
			}
			if two.Manifest != one.Manifest || two.ETag != tt.wantETagAfter304 {
				t.Errorf("kept %+v", two)
			}
		})
	}
}

func TestR131UnaskedNotModified(t *testing.T) {
	s := listen(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNotModified) })
	o := s.options()
	o.Header = func(string) http.Header { return http.Header{"if-none-match": {"*"}} }
	_, err := newFetcher(t, o).Fetch(t.Context(), s.url(), nil)
	wantKind(t, "304", err, manifest.KindTransient, "it answered 304 Not Modified")
}

// TestR132Recovers holds that what was kept outlives a failure.
func TestR132Recovers(t *testing.T) {
	var down atomic.Bool
	s := listen(t, nil)
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			w.Header().Set("Retry-After", "120")
			http.Error(w, "secret", http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprint(w, minimal("https://mcp.shop.example/mcp", s.URL))
	})
	now := time.Now()
	o := s.options()
	o.Now = func() time.Time { return now }
	f := newFetcher(t, o)
	last, err := f.Fetch(t.Context(), s.url(), nil)
	if err != nil {
		t.Fatal(err)
	}
	down.Store(true)
	now = last.Next
	got, err := f.Fetch(t.Context(), s.url(), last)
	e := wantKind(t, "503", err, manifest.KindTransient, "it answered 503 Service Unavailable")
	if got != nil || e.RetryAfter != 2*time.Minute || strings.Contains(err.Error(), "secret") {
		t.Errorf("%+v, %+v", got, e)
	}
	down.Store(false)
	if got, err := f.Fetch(t.Context(), s.url(), last); err != nil || got.Manifest == nil {
		t.Errorf("after recovery: %+v, %v", got, err)
	}
}

// TestR133EndpointMoves holds that a manifest which names another host brings
// no error that passes for a failure, no manifest, and no traffic there.
func TestR133EndpointMoves(t *testing.T) {
	elsewhere := publish(t, nil)
	endpoint := ""
	s := publish(t, func(m *manifest.Manifest) {
		if endpoint != "" {
			m.Endpoint = endpoint
		}
	})
	o := s.options()
	now := time.Now()
	o.Now = func() time.Time { return now }
	f := newFetcher(t, o)
	last, err := f.Fetch(t.Context(), s.url(), nil)
	if err != nil {
		t.Fatal(err)
	}
	now = last.Next
	for _, endpoint = range []string{elsewhere.URL, "http://evil.example/", "stdio:evil"} {
		got, err := f.Fetch(t.Context(), s.url(), last)
		wantKind(t, endpoint, err, manifest.KindUnsafe, "the endpoint")
		if got != nil || strings.Contains(err.Error(), "evil") || elsewhere.requests.Load() != 0 {
			t.Errorf("%s: %+v, %v", endpoint, got, err)
		}
		if cause := errors.Unwrap(err); cause == nil || !strings.Contains(cause.Error(), endpoint) {
			t.Errorf("%s: the cause is %v", endpoint, cause)
		}
	}
	// It may if the operator says so.
	endpoint = elsewhere.URL
	o.Trusted = []string{elsewhere.Listener.Addr().String()}
	got, err := newFetcher(t, o).Fetch(t.Context(), s.url(), last)
	if err != nil || got.Endpoint != elsewhere.URL+"/" {
		t.Errorf("trusted: %+v, %v", got, err)
	}
}

// TestR131RefusedNotBeforeTheTTL holds that a manifest whose endpoint is refused
// counts like others for the time until it is fetched again.
func TestR131RefusedNotBeforeTheTTL(t *testing.T) {
	for ttl, want := range map[time.Duration]time.Duration{
		0: time.Minute, manifest.NoCache: time.Minute, time.Second: time.Minute, time.Hour: time.Hour, 30 * 24 * time.Hour: 30 * 24 * time.Hour,
	} {
		s := listen(t, func(w http.ResponseWriter, _ *http.Request) {
			m := shop()
			m.CacheTTL = ttl
			doc, _ := m.YAML()
			_, _ = w.Write(doc)
		})
		_, err := newFetcher(t, s.options()).Fetch(t.Context(), s.url(), nil)
		if e := wantKind(t, "moved", err, manifest.KindUnsafe, "another host"); e.RetryAfter != want {
			t.Errorf("cache_ttl %v: wait %v, want %v", ttl, e.RetryAfter, want)
		}
	}
}

// TestR128Headers holds what is sent, and to whom.
func TestR128Headers(t *testing.T) {
	var seen []*http.Request
	elsewhere := publish(t, nil)
	s := listen(t, nil)
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r)
		switch r.URL.Path {
		case manifest.WellKnownPath:
			http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
			http.Redirect(w, r, "/moved", http.StatusFound)
		case "/moved":
			http.Redirect(w, r, elsewhere.url(), http.StatusFound)
		}
	})
	o := s.options()
	var asked []string
	o.Header = func(host string) http.Header {
		asked = append(asked, host)
		return http.Header{"authorization": {"Bearer secret"}, "Accept-Encoding": {"gzip"}}
	}
	_, err := newFetcher(t, o).Fetch(t.Context(), s.url(), nil)
	wantKind(t, "redirect", err, manifest.KindUnsafe, "another host")
	if len(asked) != 1 || asked[0] != s.Listener.Addr().String() || elsewhere.requests.Load() != 0 {
		t.Errorf("headers were made for %q; %d requests elsewhere", asked, elsewhere.requests.Load())
	}
	if len(seen) != 2 {
		t.Fatalf("%d requests", len(seen))
	}
	for _, r := range seen {
		if r.Method != "GET" || r.Header.Get("Authorization") != "Bearer secret" || r.Header.Get("Accept-Encoding") != "identity" ||
			r.Header.Get("Cookie") != "" || !strings.HasPrefix(r.Header.Get("Accept"), "application/yaml, application/json;q=0.9") {
			t.Errorf("sent %s %v", r.Method, r.Header)
		}
	}
}

func TestR132Cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := listen(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err := newFetcher(t, s.options()).Fetch(ctx, s.url(), nil)
	wantKind(t, "cancelled", err, manifest.KindTransient, "the fetch was cancelled")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestKind(t *testing.T) {
	for kind, want := range map[manifest.Kind]string{
		0: "unknown", manifest.KindConfig: "config", manifest.KindTransient: "transient",
		manifest.KindInvalid: "invalid", manifest.KindUnsafe: "unsafe", 9: "unknown",
	} {
		if kind.String() != want {
			t.Errorf("%d is %s", int(kind), kind)
		}
	}
}
