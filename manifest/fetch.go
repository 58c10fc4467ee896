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

// FetchOptions configure a Fetcher. Nil means: public addresses, no proxy, and endpoints on the manifest's own host
// only.
type FetchOptions struct {
	// Trusted lists endpoints on other hosts that manifests may name: hosts or whole URLs, as for CheckEndpoint.
	// Nil is none.
	Trusted []string
	// Allow lists non-public addresses that may be dialled. Nil is none.
	Allow []netip.Prefix
	// Header returns additional header fields for a host, such as credentials; nil is none. The host is in
	// canonical form, with the port if it is not 443. The fields are sent to that host only.
	Header func(host string) http.Header
	// RootCAs are the certificate authorities. Nil is those of the system.
	RootCAs *x509.CertPool
	// Resolver resolves names. Nil is net.DefaultResolver.
	Resolver *net.Resolver
	// Proxy returns the proxy for a request. Nil is no proxy; the environment is ignored. With a proxy, Allow
	// applies to the proxy's address, and the proxy must block inner hosts.
	Proxy func(*http.Request) (*url.URL, error)

	// Timeout bounds a whole fetch, from name resolution to the last byte. Zero is 10 seconds.
	Timeout time.Duration
	// MinTTL is the shortest time between two fetches of a manifest. Zero is a minute.
	MinTTL time.Duration

	// Now is the clock for TTLs. Nil is time.Now.
	Now func() time.Time
	// Transport sends the requests instead of the network, for tests and other networks. It then replaces Allow,
	// RootCAs, Resolver and Proxy, and must provide their protection. Nil is the network.
	Transport http.RoundTripper
}

// A Fetcher fetches manifests from untrusted hosts. It keeps no state between fetches, and is safe for concurrent
// use.
type Fetcher struct {
	opts   FetchOptions
	trust  trust
	client *http.Client
}

// NewFetcher returns a fetcher. The error is a *FetchError of KindConfig for an unusable entry of Trusted.
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

// newTransport returns a transport that keeps no connections, so that each fetch resolves and checks the address
// again.
func newTransport(o *FetchOptions) *http.Transport {
	d := &net.Dialer{Timeout: o.Timeout, Resolver: o.Resolver, Control: DialControl(slices.Clone(o.Allow)...)}
	return &http.Transport{
		Proxy:                  o.Proxy,
		DialContext:            d.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.RootCAs},
		TLSHandshakeTimeout:    o.Timeout,
		ResponseHeaderTimeout:  o.Timeout,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true, // a small body could hold a large document
		DisableKeepAlives:      true,
		ForceAttemptHTTP2:      true,
	}
}

// Fetched is a manifest with its origin. It must not be changed once it is shared.
type Fetched struct {
	URL      string // URL of the fetch, in canonical form
	Manifest *Manifest
	// Endpoint is the endpoint in canonical form, accepted by CheckEndpoint. It is the only URL to connect to.
	Endpoint string
	// ETag and LastModified are the server's validators. Empty is none.
	ETag, LastModified string
	// At is when the server last confirmed the manifest. Next is the earliest time of the next request.
	At, Next time.Time
}

// Fetch returns the manifest at an https URL, such as WellKnownPath on a host. last is the manifest of the previous
// fetch. Before last.Next, Fetch returns last without a request (RFC section 5.4.2). Later it sends a conditional
// request. A last of nil, or of another URL, is ignored.
//
// The error is a *FetchError. It does not affect last; the error's kind says whether last may still be used. After
// an error the caller decides when to fetch again, but not before RetryAfter.
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
