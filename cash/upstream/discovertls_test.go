package upstream_test

import (
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/manifest"
)

// listen lets a publisher serve on loopback, with TLS, and returns its
// certificate.
func listen(t *testing.T, name string, namespaces ...string) (*publisher, *x509.Certificate) {
	t.Helper()
	srv := httptest.NewUnstartedServer(nil)
	p := publish(srv.Listener.Addr().String(), name, namespaces...)
	srv.Config.Handler, srv.Config.ErrorLog = p, log.New(io.Discard, "", 0)
	srv.StartTLS()
	t.Cleanup(srv.Close)
	return p, srv.Certificate()
}

// loopback is what the operator allows. There is room behind it, where nobody
// must write.
func loopback() []netip.Prefix {
	return append(make([]netip.Prefix, 0, 8), netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))
}

func trusting(cert *x509.Certificate) manifest.FetchOptions {
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	return manifest.FetchOptions{RootCAs: pool, Allow: loopback(), Trusted: make([]string, 0, 8)}
}

// Over real connections: several manifests, fetched and connected to side by
// side, and nothing left of it at the end.
func TestR128OverTLS(t *testing.T) {
	a, cert := listen(t, "Shop", "orders", "stock")
	b, _ := listen(t, "Warehouse", "orders")
	c, _ := listen(t, "C", "files")
	before := runtime.NumGoroutine()
	f := finding(t, upstream.Options{Fetch: trusting(cert)})
	list := from(a, b, c)
	list[2].Label = "mine"
	for i := range list {
		list[i].Allow = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
		list[i].Trust = []string{hostname(i)}
	}
	f.must(f.Discover(list...))
	f.wait()
	f.wantWho("shoporders", a.host)
	f.wantWho("stock", a.host)
	f.wantWho("warehouseorders", b.host)
	f.wantWho("mine.files", c.host)
	f.stop()
	for _, ns := range []string{"stock", "mine"} {
		if line := f.line(ns); !strings.Contains(line, "available: false") {
			t.Errorf("help() says of %s, when all is closed: %q", ns, line)
		}
	}
	until(t, func() bool { return runtime.NumGoroutine() <= before })
}

func TestR128FailuresOverTLS(t *testing.T) {
	other, cert := listen(t, "Other", "orders")
	for _, test := range []struct {
		name string
		edit func(*publisher, *upstream.Options, *upstream.Discovery)
		says string
	}{
		{"unknown authority", func(_ *publisher, o *upstream.Options, _ *upstream.Discovery) { o.Fetch.RootCAs = x509.NewCertPool() }, "certificate"},
		{"another name", func(_ *publisher, _ *upstream.Options, d *upstream.Discovery) {
			d.URL = strings.Replace(d.URL, "127.0.0.1", "localhost", 1)
		}, "certificate"},
		{"plain text", func(_ *publisher, _ *upstream.Options, d *upstream.Discovery) {
			srv := httptest.NewServer(http.NotFoundHandler())
			t.Cleanup(srv.Close)
			d.URL = "https://" + srv.Listener.Addr().String() + "/?key=secret"
		}, "HTTP response to HTTPS client"},
		{"not allowed", func(_ *publisher, o *upstream.Options, _ *upstream.Discovery) { o.Fetch.Allow = nil }, "not public"},
		{"redirect", func(p *publisher, _ *upstream.Options, _ *upstream.Discovery) { p.redirect = other.url() }, "redirects"},
		{"redirect to http", func(p *publisher, _ *upstream.Options, _ *upstream.Discovery) {
			p.redirect = "http://" + p.host + "/m.yaml"
		}, "redirects"},
		{"another port", func(p *publisher, _ *upstream.Options, _ *upstream.Discovery) {
			p.doc.Endpoint = "https://" + other.host + "/mcp"
		}, "another host"},
		{"no manifest", func(p *publisher, _ *upstream.Options, _ *upstream.Discovery) { p.status = http.StatusNotFound }, "404"},
		{"nobody there", func(_ *publisher, _ *upstream.Options, d *upstream.Discovery) {
			d.URL = "https://127.0.0.1:1/?key=secret"
		}, "cannot be reached"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, _ := listen(t, "Shop", "orders")
			o, d := upstream.Options{Fetch: trusting(cert)}, upstream.Discovery{URL: p.url() + "?key=secret", Label: "shop", Description: "Ours."}
			test.edit(p, &o, &d)
			f := finding(t, o)
			f.must(f.Discover(d))
			f.wait()
			f.wantOff("shop")
			if line := f.line("shop"); !strings.Contains(line, "Ours.") {
				t.Errorf("help() says %q", line)
			}
			if log := f.log.String(); !strings.Contains(log, test.says) || strings.Contains(log, "secret") {
				t.Errorf("the log says %s", log)
			}
			for _, p := range []*publisher{p, other} {
				if _, asked, _ := p.counts(); asked > 0 {
					t.Errorf("%s was connected to", p.host)
				}
			}
		})
	}
	if n, _, _ := other.counts(); n > 0 {
		t.Errorf("the other host got %d requests", n)
	}
}

// The whole circle on the real clock: found, gone, back again.
func TestR132OverTLS(t *testing.T) {
	t.Parallel()
	p, cert := listen(t, "Shop", "orders")
	p.doc.CacheTTL = manifest.NoCache
	o := trusting(cert)
	o.MinTTL = time.Millisecond
	f := finding(t, upstream.Options{Fetch: o})
	f.must(f.Discover(from(p)...))
	f.wait()
	f.wantWho("orders", p.host)
	p.edit(func() { p.status = http.StatusServiceUnavailable })
	until(t, func() bool { return strings.Contains(f.line("orders"), "available: false") })
	f.wantOff("orders")
	p.edit(func() { p.status = 0 })
	until(t, func() bool { return !strings.Contains(f.line("orders"), "available: false") })
	f.wantWho("orders", p.host)
}
