package upstream_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// A manifest is not fetched again before its time, and once a little after.
func TestR131Refresh(t *testing.T) {
	for _, test := range []struct {
		name     string
		ttl      time.Duration
		interval time.Duration
	}{
		{"absent", 0, time.Hour},
		{"ten minutes", 10 * time.Minute, 10 * time.Minute},
		{"a day", 24 * time.Hour, 24 * time.Hour},
		{"zero or negative", manifest.NoCache, time.Minute},
		{"a second", time.Second, time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := publish("shop.example", "Shop", "orders")
				p.doc.CacheTTL = test.ttl
				f := discover(t, newNetwork(p), from(p)...)
				defer f.stop()
				time.Sleep(10 * test.interval)
				var fetches []time.Time
				known := 0
				p.edit(func() { fetches, known = slices.Clone(p.fetches), p.known })
				for i, at := range fetches[1:] {
					if gap := at.Sub(fetches[i]); gap < test.interval || gap > test.interval+test.interval/4+time.Second {
						t.Errorf("fetch %d came after %v", i+1, gap)
					}
				}
				if n := len(fetches); n < 8 || n > 11 || known != n-1 {
					t.Errorf("%d fetches, %d of them conditional with success", n, known)
				}
				if _, _, connects := p.counts(); connects != 1 {
					t.Errorf("what has not changed was connected to %d times", connects)
				}
			})
		})
	}
}

func TestR132Recovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := publish("shop.example", "Shop", "orders")
		p.doc.CacheTTL = time.Minute
		f := discover(t, newNetwork(p), from(p)...)
		defer f.stop()
		f.wantOn("orders")
		f.wantWho("orders", "shop.example")
		for range 3 {
			p.edit(func() { p.status = http.StatusServiceUnavailable })
			time.Sleep(2 * time.Minute)
			f.wantOff("orders")
			_, asked, _ := p.counts()
			f.wantOff("orders")
			if _, again, _ := p.counts(); again != asked {
				t.Error("a call went to a server whose manifest cannot be had")
			}
			p.edit(func() { p.status = 0 })
			time.Sleep(8 * time.Minute) // the longest pause and more
			f.wantOn("orders")
			f.wantWho("orders", "shop.example")
		}
	})
}

// Until the first fetch succeeds the operator's own words stand there.
func TestR132FirstFetchFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, other := publish("shop.example", "Shop", "orders"), publish("other.example", "Other", "stock")
		p.status, other.status = http.StatusServiceUnavailable, http.StatusServiceUnavailable
		list := from(p, other)
		list[0].Label, list[0].Description = "shop", "Ours."
		f := discover(t, newNetwork(p, other), list...)
		defer f.stop()
		f.wantOff("shop")
		if line := f.line("shop"); !strings.Contains(line, "Ours.") {
			t.Errorf("help() says %q", line)
		}
		if got := f.labels(); got != "shop" {
			t.Errorf("labels %s", got)
		}
		p.edit(func() { p.status = 0 })
		other.edit(func() { other.status = 0 })
		time.Sleep(time.Minute)
		f.wantOn("shop")
		f.wantWho("shop.orders", "shop.example")
		f.wantWho("stock", "other.example")
	})
}

// What leads elsewhere, or is no manifest, is never followed; what stood there
// stays, unavailable, until the manifest is right again.
func TestR133UntrustedManifests(t *testing.T) {
	elsewhere := func(endpoint string) func(*publisher) {
		return func(p *publisher) { p.doc.Endpoint = endpoint }
	}
	for name, spoil := range map[string]func(*publisher){
		"R129 another host":        elsewhere("https://evil.example/mcp"),
		"R129 a host that goes on": elsewhere("https://shop.example.evil.example/mcp"),
		"R129 another port":        elsewhere("https://shop.example:8443/mcp"),
		"R129 user name":           func(p *publisher) { p.raw = doc("https://shop.example@evil.example/mcp") },
		"R129 http":                elsewhere("http://shop.example/mcp"),
		"R130 command":             elsewhere("stdio:curl evil.example"),
		"R130 command line":        elsewhere("npx -y evil"),
		"file":                     elsewhere("file:///etc/passwd"),
		"invalid":                  func(p *publisher) { p.raw = "cash_version: [" },
		"no namespaces":            func(p *publisher) { p.raw = strings.Split(doc("https://shop.example/mcp"), "namespaces")[0] },
		"a page":                   func(p *publisher) { p.raw = "<html>Welcome</html>" },
		"R128 redirect":            func(p *publisher) { p.redirect = "https://evil.example" + manifest.WellKnownPath },
		"R128 redirect to http":    func(p *publisher) { p.redirect = "http://shop.example" + manifest.WellKnownPath },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				good := publish("shop.example", "Shop", "orders")
				good.doc.CacheTTL = time.Minute
				evil, port := publish("evil.example", "Evil", "orders"), publish("shop.example:8443", "Shop", "orders")
				longer := publish("shop.example.evil.example", "Evil", "orders")
				f := discover(t, newNetwork(good, evil, port, longer), from(good)...)
				defer f.stop()
				f.wantWho("orders", "shop.example")

				before := *good.clone()
				good.edit(func() { spoil(good) })
				time.Sleep(2 * time.Minute)
				_, asked, _ := good.counts()
				f.wantOff("orders")
				time.Sleep(30 * time.Minute)
				f.wantOff("orders")
				for _, p := range []*publisher{evil, port, longer} {
					if n, asked, _ := p.counts(); n+asked > 0 {
						t.Errorf("%s got %d requests", p.host, n+asked)
					}
				}
				if _, again, _ := good.counts(); again != asked {
					t.Errorf("the server itself got %d requests", again-asked)
				}
				if log := f.log.String(); !strings.Contains(log, "no manifest") || !strings.Contains(log, "shop.example") {
					t.Errorf("the log says %s", log)
				}

				good.edit(func() { good.doc, good.raw, good.redirect = before.doc, "", "" })
				time.Sleep(8 * time.Minute)
				f.wantOn("orders")
				f.wantWho("orders", "shop.example")
			})
		})
	}
}

func (p *publisher) clone() *publisher {
	p.mu.Lock()
	defer p.mu.Unlock()
	return &publisher{doc: p.doc}
}

// doc is a manifest as it is written, with an endpoint that none could be
// published with.
func doc(endpoint string) string {
	return "cash_version: \"0.1.1\"\nlast_updated: \"2026-04-24\"\npublisher: Shop\nendpoint: " + endpoint +
		"\ncache_ttl: 60\nnamespaces:\n  - suggested: orders\n    description: Orders.\n"
}

// What a manifest leads to from the beginning is not there at all, and its server
// is asked for the manifest alone.
func TestR133FirstManifestLeadsElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b, evil := publish("a.example", "A", "orders"), publish("b.example", "B", "stock"), publish("evil.example", "Evil", "orders")
		a.doc.Endpoint, b.doc.Endpoint = "https://evil.example/mcp", "https://evil.example/mcp"
		list := from(a, b)
		list[1].Label = "ours"
		f := discover(t, newNetwork(a, b, evil), list...)
		defer f.stop()
		if got := f.labels(); got != "ours" {
			t.Errorf("labels %s", got)
		}
		f.wantOff("ours")
		for i, want := range []string{"ours", ""} { // the operator sees the one without a label, too
			s := f.Status()[i]
			if got := strings.Join(s.Labels, " "); got != want || s.State != upstream.Down || s.Since.IsZero() ||
				s.Err == nil || !strings.Contains(s.Err.Error(), "its manifest leads elsewhere (the endpoint is on another host") {
				t.Errorf("status %+v", s)
			}
		}
		_, err := f.srv.Call(t.Context(), &cash.CallRequest{Namespace: "ours.orders", Function: "who"})
		if err == nil || !strings.Contains(err.Error(), "cannot be used: its manifest leads elsewhere") || strings.Contains(err.Error(), "redirects") {
			t.Errorf("a call says %v", err)
		}
		if got := f.Status()[1].Endpoint; !strings.Contains(got, "a.example") {
			t.Errorf("status of %s", got)
		}
		if n, asked, _ := evil.counts(); n+asked > 0 {
			t.Errorf("%d requests", n+asked)
		}
		if log := f.log.String(); !strings.Contains(log, "another host") || !strings.Contains(log, "evil.example") {
			t.Errorf("the log says %s", log)
		}
	})
}

// A manifest that is refused says nevertheless how long it may be kept.
func TestR131RefusedManifests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := publish("shop.example", "Shop", "orders")
		p.doc.CacheTTL, p.doc.Endpoint = time.Hour, "https://evil.example/mcp"
		f := discover(t, newNetwork(p), from(p)...)
		defer f.stop()
		time.Sleep(59 * time.Minute)
		if n, _, _ := p.counts(); n != 1 {
			t.Errorf("%d fetches within an hour", n)
		}
		time.Sleep(20 * time.Minute)
		if n, _, _ := p.counts(); n != 2 {
			t.Errorf("%d fetches after it", n)
		}
	})
}

func TestR129TrustedEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, other, third := publish("shop.example", "Shop", "orders"), publish("other.example", "Shop", "orders"), publish("third.example", "Third", "stock")
		p.doc.Endpoint, third.doc.Endpoint = "https://other.example/mcp", "https://other.example/mcp"
		list := from(p, third)
		list[0].Trust = []string{"other.example"}
		f := discover(t, newNetwork(p, other, third), list...)
		defer f.stop()
		f.wantWho("orders", "other.example")
		if got := f.labels(); got != "orders" { // what one may do the other may not
			t.Errorf("labels %s", got)
		}
	})
}

// Headers go to the host of the manifest, and to no other.
func TestDiscoveryHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own, trusting, other := publish("own.example", "Own", "orders"), publish("trusting.example", "T", "stock"), publish("other.example", "O", "stock")
		trusting.doc.Endpoint = "https://other.example/mcp"
		list := from(own, trusting)
		for i := range list {
			list[i].Header = http.Header{"Authorization": {"Bearer secret"}}
		}
		list[1].Trust = []string{"other.example"}
		f := discover(t, newNetwork(own, trusting, other), list...)
		defer f.stop()
		f.wantWho("orders", "own.example")
		f.wantWho("stock", "other.example")
		for _, p := range []*publisher{own, trusting} {
			if len(p.tokens) != 1 || !p.tokens["Bearer secret"] {
				t.Errorf("%s got the tokens %v", p.host, p.tokens)
			}
		}
		if other.tokens["Bearer secret"] {
			t.Error("the header went to another host")
		}
		if log := f.log.String(); strings.Contains(log, "secret") {
			t.Errorf("the log says %s", log)
		}
	})
}

// A server that moves within its host is followed. Calls in flight are finished
// where they are, also when the manifest fails in the meantime.
func TestMovedServer(t *testing.T) {
	for _, fails := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			p := publish("shop.example", "Shop", "orders")
			p.doc.CacheTTL = time.Minute
			entered, release := make(chan struct{}), make(chan struct{})
			reg := registry.New(nil)
			who := registry.Func("who", "Slow.", func(ctx context.Context, _ struct{}) (string, error) {
				close(entered)
				select {
				case <-release:
					return "the old one", nil
				case <-ctx.Done():
					return "", ctx.Err()
				}
			}, registry.Timeout(time.Hour))
			reg.Namespace("orders", "Orders.").Add(who)
			old, moved := cash.NewServer(reg, &cash.Options{Name: "old"}).Handler(), p.mcp
			p.mcp = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/mcp" {
					old.ServeHTTP(w, r)
				} else {
					moved.ServeHTTP(w, r)
				}
			})
			list := from(p)
			list[0].Server.Timeout = time.Hour
			f := discover(t, newNetwork(p), list...)
			defer f.stop()
			done := make(chan error)
			go func() {
				got, err := f.who("orders")
				if err == nil && got != "the old one" {
					err = errors.New(got)
				}
				done <- err
			}()
			<-entered
			if fails {
				p.edit(func() { p.status = 503 })
				time.Sleep(2 * time.Minute)
				f.wantOff("orders")
				p.edit(func() { p.status = 0 })
			}
			p.edit(func() { p.doc.Endpoint = "https://shop.example/new" })
			time.Sleep(10 * time.Minute)
			f.wantWho("orders", "shop.example")
			close(release)
			if err := <-done; err != nil {
				t.Errorf("the call that was in flight: %v", err)
			}
			if got := f.labels(); got != "orders" {
				t.Errorf("labels %s", got)
			}
		})
	}
}

// Namespaces of a manifest that is good again while calls of before are still in
// flight are served by a new connection.
func TestHeldAndReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := publish("shop.example", "Shop", "orders")
		p.doc.CacheTTL = time.Minute
		f := discover(t, newNetwork(p), from(p)...)
		defer f.stop()
		for i := range 20 { // at all times of a fetch
			p.edit(func() { p.status = 503 })
			time.Sleep(time.Minute + time.Duration(i)*time.Second)
			p.edit(func() { p.status = 0 })
			time.Sleep(8 * time.Minute)
			f.wantWho("orders", "shop.example")
		}
	})
}

// never is longer than anybody waits.
const never = 1000 * time.Hour

// Help waits for no manifest, and one that hangs keeps no other from being found.
func TestR139ManyManifests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all []*publisher
		for i := range 200 {
			p := publish(hostname(i), "Shop", "orders")
			if i%4 == 0 {
				p.delay = never
			}
			all = append(all, p)
		}
		list := from(all...)
		list[0].Label, list[1].Label = "never", "mine"
		n := newNetwork(all...)
		f := finding(t, upstream.Options{Fetch: manifest.FetchOptions{Transport: n}})
		defer f.stop()
		began := time.Now()
		f.must(f.Discover(list...))
		f.wantOff("never")
		if line := f.line("mine"); line == "" {
			t.Error("help() does not show the operator's label")
		}
		if d := time.Since(began); d != 0 {
			t.Errorf("it took %v", d)
		}
		time.Sleep(time.Second)
		f.wantWho("mine.orders", hostname(1)) // waits for no other
		f.wait()
		if d := time.Since(began); d > 15*time.Second {
			t.Errorf("labels are there after %v", d)
		}
		if got := len(f.Status()); got != 200 { // 49 of them are not mounted
			t.Errorf("%d servers", got)
		}
		f.wantWho("shop002orders", hostname(2))
		f.wantOff("never")
	})
}

// Nothing is left when the aggregator is closed, whatever it is about: the
// bubble ends only with its last goroutine.
func TestClosedWhileDiscovering(t *testing.T) {
	for _, after := range []time.Duration{0, time.Millisecond, 5 * time.Second, 11 * time.Second, 70 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			p, slow, hung := publish("shop.example", "Shop", "orders"), publish("slow.example", "Slow", "stock"), publish("hung.example", "Hung", "x")
			slow.delay, hung.delay = 5*time.Second, never
			list := from(p, slow, hung)
			list[0].Label = "mine"
			f := finding(t, upstream.Options{Fetch: manifest.FetchOptions{Transport: newNetwork(p, slow, hung)}})
			f.must(f.Discover(list...))
			time.Sleep(after)
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			began := time.Now()
			f.must(f.Close(ctx))
			if d := time.Since(began); d > 5*time.Second {
				t.Errorf("it took %v", d)
			}
			if err := f.Discover(from(p)...); !errors.Is(err, upstream.ErrClosed) {
				t.Errorf("Discover of a closed aggregator: %v", err)
			}
			synctest.Wait() // for what was on its way
			fetches, asked, _ := p.counts()
			time.Sleep(24 * time.Hour)
			if n, m, _ := p.counts(); n != fetches || m != asked {
				t.Error("there are requests after the end")
			}
			if strings.Contains(f.log.String(), "level=ERROR") {
				t.Errorf("the log says %s", f.log)
			}
		})
	}
}

// A server that the operator removes stays away, and whatever comes to stand at
// its label is left alone.
func TestRemovedDiscovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := publish("shop.example", "Shop", "orders", "stock")
		p.doc.CacheTTL = time.Minute
		f := discover(t, newNetwork(p), from(p)...)
		defer f.stop()
		f.wantWho("stock", "shop.example")
		if err := f.Update(upstream.Server{Label: "stock", Endpoint: upstream.InMemory{Server: silentTools()}}); err == nil {
			t.Error("a discovered server is updated by hand")
		}
		f.must(f.Remove("stock"))
		f.must(f.Add(memory("orders", silentTools())))
		f.wait()
		p.suggest("orders", "more")
		time.Sleep(time.Hour)
		if got := f.labels(); got != "orders" {
			t.Errorf("labels %s", got)
		}
		if _, err := f.srv.Call(t.Context(), &cash.CallRequest{Namespace: "orders", Function: "run"}); err != nil {
			t.Error(err)
		}
		if n, _, _ := p.counts(); n > 2 {
			t.Errorf("the manifest was fetched %d times", n)
		}
	})
}

func TestR128Configuration(t *testing.T) {
	good := upstream.Discovery{URL: "https://shop.example/.well-known/cash-mcp.yaml"}
	with := func(edit func(*upstream.Discovery)) upstream.Discovery {
		d := good
		edit(&d)
		return d
	}
	for name, list := range map[string][]upstream.Discovery{
		"http":         {{URL: "http://shop.example/m.yaml"}},
		"empty":        {{}},
		"no host":      {{URL: "https:///m.yaml"}},
		"a path":       {{URL: "/etc/cash-mcp.yaml"}},
		"a password":   {{URL: "https://user:hunter2@shop.example/m.yaml"}},
		"a bad host":   {{URL: "https://sh%20op.example/m.yaml"}},
		"twice":        {good, {URL: "https://SHOP.example.:443/.well-known/cash-mcp.yaml"}},
		"no label":     {with(func(d *upstream.Discovery) { d.Label = "shop-orders" })},
		"label taken":  {good, {URL: "https://b.example/m", Label: "own"}},
		"labels":       {{URL: "https://a.example/m", Label: "A_b"}, {URL: "https://b.example/m", Label: "ab"}},
		"below":        {{URL: "https://a.example/m", Label: "a"}, {URL: "https://b.example/m", Label: "a.b"}},
		"bad trust":    {with(func(d *upstream.Discovery) { d.Trust = []string{"a b"} })},
		"bad settings": {with(func(d *upstream.Discovery) { d.Server.Timeout = -1 })},
	} {
		t.Run(name, func(t *testing.T) {
			f := finding(t, upstream.Options{Fetch: manifest.FetchOptions{Transport: newNetwork()}})
			f.reg.Namespace("own", "The embedder's.").Add(registry.Func("f", "F.", func(context.Context, struct{}) (string, error) { return "", nil }))
			err := f.Discover(list...)
			if err == nil || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("error %v", err)
			}
			if got := f.labels(); got != "" {
				t.Errorf("mounted: %s", got)
			}
		})
	}
}
