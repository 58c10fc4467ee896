package manifest

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"time"
)

// FetchOptions configure a Fetcher. Nil is fine: hosts with public addresses
// are asked, directly, and no endpoint is trusted beyond the manifest's host.
type FetchOptions struct {
	// Trusted lists endpoints that manifests of other hosts may name: hosts, or
	// whole URLs, as CheckEndpoint takes them. Nil is none.
	Trusted []string
	// Allow lists addresses that may be dialled although they are not public.
	// Nil is none.
	Allow []netip.Prefix
	// Header returns what is sent in addition to a host, such as credentials;
	// nil is nothing. The host is in canonical form, with the port if it is not
	// 443. Nothing is ever sent to another host than the one it was returned for.
	Header func(host string) http.Header
	// RootCAs are the authorities that certificates are verified by. Nil is
	// those of the system.
	RootCAs *x509.CertPool
	// Resolver resolves names. Nil is net.DefaultResolver.
	Resolver *net.Resolver
	// Proxy returns the proxy for a request. Nil is none, whatever the
	// environment says. It is the proxy's address that Allow is held against,
	// and the proxy's duty to keep requests from inner hosts.
	Proxy func(*http.Request) (*url.URL, error)

	// Timeout bounds a fetch from the first lookup to the last byte. Zero is 10
	// seconds.
	Timeout time.Duration
	// MinTTL is the shortest time between two fetches of one manifest, whatever
	// it says. Zero is a minute.
	MinTTL time.Duration

	// Now is the clock that TTLs are measured by. Nil is time.Now.
	Now func() time.Time
	// Transport sends the requests instead of the network, for tests and for
	// networks of another kind. Then Allow, RootCAs, Resolver and Proxy mean
	// nothing, and what they protect from is the transport's duty. Nil is the
	// network.
	Transport http.RoundTripper
}

// A Fetcher fetches the manifests of hosts that nobody vouches for. It keeps
// nothing between fetches, and is safe for concurrent use.
type Fetcher struct {
	opts   FetchOptions
	trust  trust
	client *http.Client
}

// NewFetcher returns a fetcher. The error is a *FetchError of KindConfig for
// an entry of Trusted that cannot be used.
func NewFetcher(opts *FetchOptions) (*Fetcher, error) {
	f := new(Fetcher)
	if opts != nil {
		f.opts = *opts
	}
	f.opts.Timeout = cmp.Or(f.opts.Timeout, 10*time.Second)
	f.opts.MinTTL = cmp.Or(f.opts.MinTTL, time.Minute)
	if f.opts.Now == nil {
		f.opts.Now = time.Now
	}
	if f.opts.Transport == nil {
		f.opts.Transport = newTransport(&f.opts)
	}
	var err error
	if f.trust, err = parseTrusted(f.opts.Trusted); err != nil {
		return nil, err
	}
	f.client = &http.Client{Transport: f.opts.Transport, CheckRedirect: sameOrigin}
	return f, nil
}

// newTransport returns a transport without memory: no connection is kept, so
// that each fetch resolves and checks anew.
func newTransport(o *FetchOptions) *http.Transport {
	d := &net.Dialer{Timeout: o.Timeout, Resolver: o.Resolver, Control: DialControl(slices.Clone(o.Allow)...)}
	return &http.Transport{
		Proxy:                  o.Proxy,
		DialContext:            d.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.RootCAs},
		TLSHandshakeTimeout:    o.Timeout,
		ResponseHeaderTimeout:  o.Timeout,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true, // a small body may be a large document
		DisableKeepAlives:      true,
		ForceAttemptHTTP2:      true,
	}
}

// Fetched is a manifest with what is known of where it came from. Whoever
// shares one must not change it.
type Fetched struct {
	URL      string // from which it was fetched, in canonical form
	Manifest *Manifest
	// Endpoint is the manifest's endpoint in canonical form, after
	// CheckEndpoint: the only URL to connect to on its account.
	Endpoint string
	// ETag and LastModified are the validators that the server sent. Empty is
	// none.
	ETag, LastModified string
	// At is when the server last said that this is its manifest, Next the
	// earliest time at which it may be asked again.
	At, Next time.Time
}

// Fetch returns the manifest at an https URL, such as that of WellKnownPath on
// a host. Given the last manifest from there it returns that, without a
// request, until the time has come to ask again (RFC section 5.4.2), and then
// asks whether there is a newer one. A last of nil, or of another URL, counts
// as none.
//
// The error is a *FetchError. It leaves last as good as it was; whether last
// is to be used then depends on the error's kind. After an error nothing holds
// the next fetch back but RetryAfter, and the caller's patience.
func (f *Fetcher) Fetch(ctx context.Context, manifestURL string, last *Fetched) (*Fetched, error) {
	u, err := parseSource(manifestURL)
	if err != nil {
		return nil, err
	}
	if last != nil && (last.URL != u.String() || last.Manifest == nil) {
		last = nil
	}
	if last != nil && f.opts.Now().Before(last.Next) {
		return last, nil
	}
	ctx, cancel := context.WithTimeout(ctx, f.opts.Timeout)
	defer cancel()
	next, ttl, err := f.ask(ctx, u, last)
	if err != nil {
		return nil, err
	}
	endpoint, err := f.trust.check(next.Manifest.Endpoint, u)
	if err != nil {
		return nil, later(err, max(next.Manifest.CacheTTL, ttl, f.opts.MinTTL))
	}
	next.URL, next.Endpoint, next.At = u.String(), endpoint.String(), f.opts.Now()
	next.Next = next.At.Add(max(next.Manifest.TTL(), ttl, f.opts.MinTTL))
	return next, nil
}
