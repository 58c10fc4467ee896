package discover

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/cash-mcp/go-sdk/manifest"
)

// After a failure a manifest is fetched again with pauses from firstPause to
// lastPause.
const (
	firstPause = 5 * time.Second
	lastPause  = 5 * time.Minute
)

// A Follower fetches one manifest again and again. One goroutine at a time may use
// it.
type Follower struct {
	url, host string // canonical
	opts      Options
	fetcher   *manifest.Fetcher

	last  *manifest.Fetched
	err   error
	pause time.Duration // before a fetch that failed is repeated
}

// Options configure [Follow]. Nil is fine.
type Options struct {
	// Fetch says how the manifest is fetched, and how its server is reached.
	Fetch manifest.FetchOptions
	// Header is sent to the host of the manifest, and to no other. Nil is nothing.
	Header http.Header
	// Logger gets manifests that cannot be fetched, and warnings about their
	// content. Nil discards.
	Logger *slog.Logger
}

// Follow returns a follower of the manifest at a URL, which is https. Errors do not
// show the URL, which may hold secrets.
func Follow(rawURL string, opts *Options) (*Follower, error) {
	u, err := manifest.CheckEndpoint(rawURL, rawURL)
	if err != nil {
		return nil, errors.New("its URL is not one of https, with a plain host and no user name (RFC 5.4.2)")
	}
	f := &Follower{url: u.String(), host: u.Host}
	if opts != nil {
		f.opts = *opts
	}
	o := &f.opts
	if o.Fetch.Now == nil {
		o.Fetch.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if len(o.Header) > 0 {
		o.Fetch.Header = func(host string) http.Header {
			if host == f.host {
				return o.Header
			}
			return nil
		}
	}
	if f.fetcher, err = manifest.NewFetcher(&o.Fetch); err != nil {
		return nil, err
	}
	return f, nil
}

// URL is that of the manifest, in canonical form. It may hold secrets.
func (f *Follower) URL() string { return f.url }

// Host is that of the URL, in canonical form.
func (f *Follower) Host() string { return f.host }

// Last is what was fetched last; nil if nothing was.
func (f *Follower) Last() *manifest.Fetched { return f.last }

// Err is why the last fetch failed; nil if it did not.
func (f *Follower) Err() error { return f.err }

// Fetch fetches the manifest. A failure leaves the last one as it was; where ctx has
// ended, nothing changes.
func (f *Follower) Fetch(ctx context.Context) {
	got, err := f.fetcher.Fetch(ctx, f.url, f.last)
	if ctx.Err() != nil {
		return
	}
	log := f.opts.Logger.With("host", f.host)
	if f.err = err; err != nil {
		log.Warn("no manifest", "error", err, "cause", causeOf(err))
		return
	}
	if f.last == nil || got.Manifest != f.last.Manifest {
		for _, w := range got.Manifest.Warnings() {
			log.Info("manifest", "warning", w)
		}
	}
	f.last = got
}

// causeOf is what lies behind the words of a failed fetch, nil if nothing does.
// The URL is left out, which may hold secrets.
func causeOf(err error) error {
	var failed *manifest.FetchError
	if !errors.As(err, &failed) {
		return nil
	}
	var request *url.Error
	if errors.As(failed.Err, &request) {
		return request.Err
	}
	return failed.Err
}

// Next returns how long to wait until the next fetch, without jitter: never less than
// manifest and server ask for (RFC 5.4.2). It backs off after each failure.
func (f *Follower) Next() time.Duration {
	switch {
	case f.err == nil && f.last == nil:
		return 0
	case f.err == nil:
		f.pause = 0
		return max(f.last.Next.Sub(f.opts.Fetch.Now()), time.Second)
	}
	f.pause = min(max(2*f.pause, firstPause), lastPause)
	var failed *manifest.FetchError
	if errors.As(f.err, &failed) {
		return max(f.pause, failed.RetryAfter)
	}
	return f.pause
}

// Client returns what reaches the endpoint of the manifest: at public addresses, and
// such as the operator allows. The header goes to the manifest's own host only. There
// must be a manifest ([Follower.Last]).
func (f *Follower) Client() (*http.Client, http.Header) {
	var header http.Header
	if u, err := url.Parse(f.last.Endpoint); err == nil && u.Scheme == "https" && u.Host == f.host {
		header = f.opts.Header
	}
	o := &f.opts.Fetch
	if o.Transport != nil {
		return &http.Client{Transport: shared{o.Transport}}, header
	}
	dialer := &net.Dialer{Timeout: 10 * time.Second, Resolver: o.Resolver, Control: manifest.DialControl(o.Allow...)}
	return &http.Client{Transport: &http.Transport{
		Proxy: o.Proxy, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		TLSClientConfig:     &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 1 << 20,
	}}, header
}

// shared is a transport whose idle connections are not ours to close.
type shared struct{ http.RoundTripper }
