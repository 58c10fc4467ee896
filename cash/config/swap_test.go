package config_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/config"
)

// newDoor is a proxy before a shop. At is asked before each request with the number of times that the tools have been
// listed, this one included: once on trial, once in a swap. If it answers a status, that is the answer.
func newDoor(t testing.TB, to *shop, at func(lists int64, listing bool) (status int)) string {
	t.Helper()
	target, err := url.Parse(to.url)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval = -1
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	var lists atomic.Int64
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		listing := bytes.Contains(body, []byte(`"tools/list"`))
		n := lists.Load()
		if listing {
			n = lists.Add(1)
		}
		if status := at(n, listing); status != 0 {
			w.WriteHeader(status)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	return web.URL
}

// A reload accepts what a start accepts, and refuses what a start refuses.
func TestReloadAcceptsAsStart(t *testing.T) {
	a, other := newShop(t, "a", "get", "drop"), newShop(t, "b", "get")
	pages := mcp.NewServer(&mcp.Implementation{Name: "r", Version: "1"}, nil)
	pages.AddResource(&mcp.Resource{URI: "test://page", Name: "page"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return new(mcp.ReadResourceResult), nil
	})
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return pages }, nil))
	t.Cleanup(web.Close)

	const deny = "policy: {rules: [{decision: deny, tools: [a.drop]}]}\n"
	const gateway = "face: gateway\n"
	first := upstreams(a)
	page := "  - {label: r, endpoint: '" + web.URL + "'}\n"
	for _, tt := range []struct{ name, before, after, want string }{
		{"another label", deny + first, deny + strings.Replace(first, "label: a", "label: store", 1), `no function matches the tool "a.drop"`},
		{"another endpoint", deny + first, deny + upstreams(other), `no function matches the tool "a.drop"`},
		{"another selection", deny + first, deny + strings.Replace(first, "}", ", include_tools: [get]}", 1), `no function matches the tool "a.drop"`},
		{"another label in both", deny + first, strings.NewReplacer("a.drop", "store.drop", "label: a", "label: store").Replace(deny + first), ""},
		{"key of a quota", first, "rate_limits: {tools: {a.drop: {max_calls_per_minute: 1}}}\n" + upstreams(other), "there is no such function"},
		{"resource that is new", gateway + first, gateway + "policy: {rules: [{decision: deny, kinds: [resource], namespaces: [r]}]}\n" + first + page, ""},
		{"resource that is gone", gateway + first + page, gateway + "policy: {rules: [{decision: deny, kinds: [resource], namespaces: [r]}]}\n" + first, `no function matches the namespace "r"`},
	} {
		for way, err := range map[string]error{
			"reload": start(t, tt.before, nil).Reload(t.Context(), load(t, tt.after)),
			"start":  started(t, tt.after),
		} {
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("%s, %s: got %v, want %q", tt.name, way, err, tt.want)
			}
		}
	}
}

// started starts and ends a server.
func started(t *testing.T, doc string) error {
	s, err := config.Start(t.Context(), load(t, doc), nil)
	if err == nil {
		err = s.Close(t.Context())
	}
	return err
}

// While servers are swapped, both the former and the new rules hold.
func TestReloadRulesDuringSwaps(t *testing.T) {
	a, b := newShop(t, "a", "get", "drop"), newShop(t, "b", "get_b")
	held, free := make(chan struct{}), make(chan struct{})
	hold := func(lists int64, listing bool) int {
		if listing && lists == 2 {
			held <- struct{}{}
			<-free
		}
		return 0
	}
	slowA, slowB := newDoor(t, a, hold), newDoor(t, b, hold)
	const deny = "policy: {rules: [{decision: deny, tools: [a.drop]}]}\n"
	only := func(doc, list string) string {
		return "start_timeout: 1m\n" + strings.Replace(doc, "label: a,", "label: a, "+list+": [drop],", 1)
	}
	for _, tt := range []struct {
		name, before, after string
		added               bool // drop is new
	}{
		{"a tool with its rule", only(upstreams(a, b), "exclude_tools"), "start_timeout: 1m\n" + deny + strings.Replace(upstreams(a, b), b.url, slowB, 1), true},
		{"a rule that goes with its tool", "start_timeout: 1m\n" + deny + upstreams(a, b), only(strings.Replace(upstreams(a, b), a.url, slowA, 1), "exclude_tools"), false},
	} {
		s := start(t, tt.before, nil)
		c := cashtest.Connect(t, s)
		ended := make(chan error, 1)
		next := load(t, tt.after)
		go func() { ended <- s.Reload(t.Context(), next) }()
		<-held
		for tt.added {
			changed := s.Registry().Changed()
			if _, err := s.Registry().Function(t.Context(), "a", "drop"); err == nil {
				break
			}
			<-changed
		}
		if r := c.Call("a", "drop", nil); !r.IsError || a.calls.Load() > 0 {
			t.Errorf("%s: drop ran: %s", tt.name, r.Text)
		}
		free <- struct{}{}
		if err := <-ended; err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if r := c.Call("a", "drop", nil); !r.IsError || a.calls.Load() > 0 {
			t.Errorf("%s: drop ran after the reload: %s", tt.name, r.Text)
		}
	}
}

// A server that fails after its trial is not swapped in. The error says so, the former server and the former rules stay,
// and the next reload tries again.
func TestReloadServerFailsAfterTrial(t *testing.T) {
	a, later := newShop(t, "a", "get", "drop"), newShop(t, "later", "get", "drop")
	var healed atomic.Bool
	door := newDoor(t, later, func(lists int64, listing bool) int {
		if !healed.Load() && (lists > 1 || lists == 1 && !listing) {
			return http.StatusInternalServerError
		}
		return 0
	})
	const deny = "policy: {rules: [{decision: deny, tools: [a.drop]}]}\n"
	first := "start_timeout: 5s\n" + deny + upstreams(a)
	s := start(t, first, nil)
	c := cashtest.Connect(t, s)
	steady := since(s, "a")
	get := func(want string) {
		t.Helper()
		if r := c.Call("a", "get", nil); r.IsError || !strings.Contains(r.Text, "get of "+want+":") {
			t.Errorf("get: %s, want %s", r.Text, want)
		}
	}
	next := strings.NewReplacer(deny, "", a.url, door, "}", ", exclude_tools: [drop]}").Replace(first)
	if err := s.Reload(t.Context(), load(t, next)); err == nil || !strings.Contains(err.Error(), "a: the former server stays") {
		t.Errorf("got %v", err)
	}
	if since(s, "a") != steady {
		t.Error("the former server was connected again")
	}
	get("a")
	calls := a.calls.Load()
	if r := c.Call("a", "drop", nil); !r.IsError || a.calls.Load() != calls {
		t.Errorf("drop ran: %s", r.Text)
	}
	healed.Store(true)
	if err := s.Reload(t.Context(), load(t, next)); err != nil {
		t.Error(err)
	}
	get("later")
	if err := s.Reload(t.Context(), load(t, strings.Replace(next, ", exclude_tools: [drop]", "", 1))); err != nil {
		t.Error(err)
	}
	if r := c.Call("a", "drop", nil); r.IsError {
		t.Errorf("the former rules hold after a whole reload: %s", r.Text)
	}
}

// A reload whose context ends after the trial is completed.
func TestReloadOutlivesItsContext(t *testing.T) {
	a, later := newShop(t, "a", "get"), newShop(t, "later", "get")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	door := newDoor(t, later, func(lists int64, listing bool) int {
		if listing && lists == 2 {
			cancel()
		}
		return 0
	})
	s := start(t, upstreams(a), nil)
	if err := s.Reload(ctx, load(t, strings.Replace(upstreams(a), a.url, door, 1))); err != nil {
		t.Fatal(err)
	}
	if ctx.Err() == nil {
		t.Error("the context has not ended: the new server was not listed twice")
	}
	if r := cashtest.Connect(t, s).Call("a", "get", nil); !strings.Contains(r.Text, "get of later:") {
		t.Error(r.Text)
	}
}
