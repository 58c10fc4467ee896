package disclosure_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// lines is a log.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *lines) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.b.String(), text)
}

// clock is one that a test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// stateless connects clients without a session, who are who their header says.
func stateless(t *testing.T, srv *disclosure.Server) func(caller string) *client {
	web := httptest.NewServer(srv.Handler())
	t.Cleanup(web.Close)
	return func(caller string) *client {
		d := &cashtest.Dialer{Version: "2026-07-28", HTTPClient: &http.Client{Transport: asCaller(caller)}}
		return &client{Client: d.ConnectHTTP(t, web.URL), t: t, grants: map[string]string{}}
	}
}

type asCaller string

func (id asCaller) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Caller", string(id))
	return http.DefaultTransport.RoundTrip(r)
}

func TestPX2Grants(t *testing.T) {
	now := newClock()
	key := bytes.Repeat([]byte("k"), 32)
	options := func(keys ...[]byte) *disclosure.Options {
		return &disclosure.Options{Grants: &disclosure.Grants{Keys: keys, TTL: 10 * time.Minute}, Serve: byHeaderOptions, Now: now.Now}
	}
	dial := stateless(t, disclosure.NewServer(shop(), options(key)))
	ada := dial("ada")
	e := ada.fetch("tools=ping")["ping"]
	grant := e.Usage["_grant"]
	if len(grant) == 0 || len(grant) > 30 || !strings.Contains(e.Usage["_grant_use"], "_grant") {
		t.Fatalf("usage: %+v", e.Usage)
	}
	ada.call("ping", "{}").OK()
	refused := func(c *client, tool, grant string) {
		t.Helper()
		r := c.Tool(tool, map[string]any{"_grant": grant})
		if !r.IsError || r.Text != required(tool) {
			t.Errorf("%q of %s: %s", grant, tool, r.Text)
		}
	}
	refused(dial("bob"), "ping", grant)
	refused(dial(""), "ping", grant)
	refused(ada, "orders-drop", grant)
	for i := range grant { // every bit counts, and every spelling
		for _, c := range "Az-9_=" {
			if forged := grant[:i] + string(c) + grant[i+1:]; forged != grant {
				refused(ada, "ping", forged)
			}
		}
	}
	raw, err := base64.RawURLEncoding.DecodeString(grant)
	if err != nil {
		t.Fatal(err)
	}
	later := slices.Clone(raw)
	later[0]++
	for _, forged := range []string{"", " ", grant + "A", grant[:26], grant + "=", base64.RawURLEncoding.EncodeToString(later),
		base64.RawURLEncoding.EncodeToString(make([]byte, 20)), strings.Repeat("A", 1<<16), "\x00"} {
		refused(ada, "ping", forged)
	}
	for _, args := range []string{`{"_grant":1}`, `{"_grant":null}`, `{"_grant":["` + grant + `"]}`, `{"a":{"_grant":"` + grant + `"}}`,
		`{"_Grant":"` + grant + `"}`} {
		wantCode(t, ada.Tool("ping", json.RawMessage(args)), "TOOL_DESCRIPTION_REQUIRED")
	}

	replica := stateless(t, disclosure.NewServer(shop(), options(key)))("ada")
	replica.Tool("ping", map[string]any{"_grant": grant}).OK()
	refused(stateless(t, disclosure.NewServer(shop(), options()))("ada"), "ping", grant)

	now.add(10*time.Minute - time.Second)
	ada.call("ping", "{}").OK()
	now.add(time.Second)
	refused(ada, "ping", grant)
	ada.fetch("tools=ping") // which gives another
	ada.call("ping", "{}").OK()
	if ada.grants["ping"] == grant {
		t.Error("the grant is the same")
	}
}

// TestPX2Replicas: replicas whose clocks are apart, and whose key is changed.
func TestPX2Replicas(t *testing.T) {
	replica := func(fill byte, ahead time.Duration) *client {
		at := newClock()
		at.add(ahead)
		return stateless(t, disclosure.NewServer(shop(), &disclosure.Options{
			Grants: &disclosure.Grants{Keys: [][]byte{bytes.Repeat([]byte{fill}, 32)}, TTL: time.Minute}, Serve: byHeaderOptions, Now: at.Now,
		}))("ada")
	}
	grant := replica('k', 0).fetch("tools=ping")["ping"].Usage["_grant"]
	for _, ahead := range []time.Duration{-time.Hour, -time.Second, 59 * time.Second} {
		replica('k', ahead).Tool("ping", map[string]any{"_grant": grant}).OK()
	}
	for _, c := range []*client{replica('k', time.Minute), replica('n', 0)} {
		wantCode(t, c.Tool("ping", map[string]any{"_grant": grant}), "TOOL_DESCRIPTION_REQUIRED")
		c.fetch("tools=ping")
		c.call("ping", "{}").OK()
	}
}

// TestPX2Matrix holds who may use a grant: nobody in a session, which has a memory of its own; outside of sessions the
// caller it was made for, and a holder without an identity if it was made for one.
func TestPX2Matrix(t *testing.T) {
	srv := disclosure.NewServer(shop(), &disclosure.Options{Grants: new(disclosure.Grants), Serve: byHeaderOptions, FetchesPerMinute: -1})
	web := httptest.NewServer(srv.Handler())
	t.Cleanup(web.Close)
	dial := func(l cashtest.Link, caller string) *client {
		if !l.HTTP {
			return over(t, l, srv, &registry.Caller{ID: caller})
		}
		d := &cashtest.Dialer{Version: l.Version, HTTPClient: &http.Client{Transport: asCaller(caller)}}
		return &client{Client: d.ConnectHTTP(t, web.URL), t: t, grants: map[string]string{}}
	}
	callers := []string{"", "ada", "bob"}
	for _, maker := range callers {
		grant := dial(links[3], maker).fetch("tools=ping")["ping"].Usage["_grant"]
		for _, l := range links {
			for _, holder := range callers {
				c := dial(l, holder)
				r := c.Tool("ping", map[string]any{"_grant": grant})
				if ok := l == links[3] && holder == maker; ok == r.IsError || r.IsError && r.Text != required("ping") {
					t.Errorf("%s: a grant for %q is used by %q: %s", l, maker, holder, r.Text)
				}
				if l == links[3] {
					continue
				}
				if c.fetch("tools=orders-get"); len(c.grants) > 0 {
					t.Errorf("%s: a session got a grant", l)
				}
				wantCode(t, c.Tool("ping", map[string]any{"_grant": grant}), "TOOL_DESCRIPTION_REQUIRED")
				c.call("orders-get", `{"customer_id":"C-1"}`).OK()
			}
		}
	}
}

// TestPX2Different: two fetches give two grants, at the same time and to the same caller.
func TestPX2Different(t *testing.T) {
	now := newClock()
	dial := stateless(t, disclosure.NewServer(shop(), &disclosure.Options{Grants: new(disclosure.Grants), Serve: byHeaderOptions, Now: now.Now, FetchesPerMinute: -1}))
	for _, caller := range []string{"", "ada"} {
		a, b := dial(caller), dial(caller)
		seen := make(map[string]bool)
		for range 50 {
			for _, c := range []*client{a, b} {
				seen[c.fetch("tools=ping")["ping"].Usage["_grant"]] = true
				c.call("ping", "{}").OK()
			}
		}
		if len(seen) != 100 {
			t.Errorf("%q: %d grants of 100 fetches", caller, len(seen))
		}
	}
}

// TestPX2Sessions: where there is a session, nothing has to be passed, and what is
// passed does not reach the function.
func TestPX2Sessions(t *testing.T) {
	for _, l := range links[:3] {
		c := over(t, l, disclosure.NewServer(shop(), &disclosure.Options{Grants: new(disclosure.Grants)}), nil)
		if e := c.fetch("tools=ping")["ping"]; e.Usage["_grant"] != "" || len(c.grants) > 0 {
			t.Errorf("%s: %+v", l, e.Usage)
		}
		c.call("ping", "{}").OK()
		c.call("ping", `{"_grant":"x"}`).OK()
	}
	c := connect(t, disclosure.NewServer(shop(), nil), nil)
	c.fetch("tools=ping")
	wantCode(t, c.call("ping", `{"_grant":"x"}`), "INVALID_ARGUMENTS") // without grants it is nothing special
}

func TestPX2GrantParameter(t *testing.T) {
	reg := shop()
	reg.Namespace("", "").Add(registry.Func("odd", "Take a grant.", func(_ context.Context, in struct {
		Grant string `json:"_grant"`
	}) (string, error) {
		return in.Grant, nil
	}), registry.Func("fine", "Take another.", func(_ context.Context, in struct {
		Grant string `json:"grant"`
	}) (string, error) {
		return in.Grant, nil
	}))
	log := new(lines)
	c := connect(t, disclosure.NewServer(reg, &disclosure.Options{Grants: new(disclosure.Grants), Serve: serve.Options{Logger: log.logger()}}), nil)
	got := toolNames(c.Tools())
	if slices.Contains(got, "odd") || !slices.Contains(got, "fine") || log.count("_grant") != 1 {
		t.Errorf("tools %v, logged %d times", got, log.count("_grant"))
	}
	c.fetch("tools=fine")
	if got := c.call("fine", `{"grant":"x"}`).OK().Text; got != "x" {
		t.Errorf("got %q", got)
	}
	without := connect(t, disclosure.NewServer(reg, nil), nil)
	without.fetch("tools=odd")
	if got := without.call("odd", `{"_grant":"x"}`).OK().Text; got != "x" {
		t.Errorf("got %q", got)
	}
}

func TestTakeGrant(t *testing.T) {
	for _, tt := range []struct {
		args   string
		repair bool
		rest   string
		grant  string
	}{
		{`{"_grant":"g"}`, false, `{}`, "g"},
		{` { "a" : 12345678901234567890.10 , "_grant":"g","b":{"_grant":"x"} } `, false, `{"a":12345678901234567890.10,"b":{"_grant":"x"}}`, "g"},
		{`{"_gr\u0061nt":"g","\u0061":1}`, false, `{"\u0061":1}`, "g"},
		{`{"a":1}`, true, `{"a":1}`, ""},
		{`{"_grant":"g","_grant":"h"}`, true, `{"_grant":"g","_grant":"h"}`, ""},
		{`{"_grant":"g"`, true, `{"_grant":"g"`, ""},
		{``, true, ``, ""},
		{`null`, true, `null`, ""},
		{`["_grant"]`, true, `["_grant"]`, ""},
		{`"{\"_grant\":\"g\",\"a\":\"<\"}"`, true, `"{\"a\":\"<\"}"`, "g"},
		{`"{\"_grant\":\"g\"}"`, false, `"{\"_grant\":\"g\"}"`, ""},
		{`"\"{\\\"_grant\\\":1}\""`, true, `"\"{\\\"_grant\\\":1}\""`, ""},
	} {
		rest, grant := disclosure.TakeGrant(json.RawMessage(tt.args), tt.repair)
		if string(rest) != tt.rest || grant != tt.grant {
			t.Errorf("%s: %s, %q", tt.args, rest, grant)
		}
	}
}

func TestP23FetchLimit(t *testing.T) {
	now := newClock()
	for _, l := range links {
		opts := &disclosure.Options{FetchesPerMinute: 3, Now: now.Now, Serve: byHeaderOptions}
		if l == links[3] {
			opts.Grants = new(disclosure.Grants)
		}
		srv := disclosure.NewServer(shop(), opts)
		dial := func(caller string) *client { return over(t, l, srv, &registry.Caller{ID: caller}) }
		if l.HTTP {
			web := httptest.NewServer(srv.Handler())
			t.Cleanup(web.Close)
			dial = func(caller string) *client {
				d := &cashtest.Dialer{Version: l.Version, HTTPClient: &http.Client{Transport: asCaller(caller)}}
				return &client{Client: d.ConnectHTTP(t, web.URL), t: t, grants: map[string]string{}}
			}
		}
		ada, bob := dial("ada"), dial("bob")
		for range 3 {
			ada.fetch("tools=ping")
		}
		f := failureIn(t, ada.read(uri+"?tools=orders-drop"))
		if f.Code != "RATE_LIMITED" || f.Details["retry_after"] != 20.0 || !strings.Contains(f.Message, "20 s") {
			t.Errorf("%s: %+v", l, f)
		}
		wantCode(t, ada.call("orders-drop", "{}"), "TOOL_DESCRIPTION_REQUIRED")
		ada.call("ping", "{}").OK() // calls go on
		bob.fetch("tools=orders-drop")
		bob.call("orders-drop", "{}").OK()
		now.add(20 * time.Second)
		ada.fetch("tools=orders-drop")
		ada.call("orders-drop", "{}").OK()
	}
}

// TestP23Anonymous: those who cannot be told apart share an allowance, and what is
// kept of the others is bounded.
func TestP23Anonymous(t *testing.T) {
	now := newClock()
	srv := disclosure.NewServer(shop(), &disclosure.Options{FetchesPerMinute: 2, Now: now.Now, Serve: byHeaderOptions, Grants: new(disclosure.Grants)})
	dial := stateless(t, srv)
	a, b := dial(""), dial("")
	a.fetch("tools=ping")
	b.fetch("tools=ping")
	if f := failureIn(t, a.read(uri+"?tools=ping")); f.Code != "RATE_LIMITED" {
		t.Errorf("%+v", f)
	}
	if srv.Callers() != 0 {
		t.Errorf("%d callers", srv.Callers())
	}
	dial("ada").fetch("tools=ping")
	if srv.Callers() != 1 {
		t.Errorf("%d callers", srv.Callers())
	}
	unlimited := connect(t, disclosure.NewServer(shop(), &disclosure.Options{FetchesPerMinute: -1}), nil)
	for range 200 {
		unlimited.fetch("tools=ping")
	}
}
