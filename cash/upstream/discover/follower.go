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

// After a failure, fetches back off from firstPause to lastPause.
const (
	firstPause = 5 * time.Second
	lastPause  = 5 * time.Minute
)

// A Follower fetches one manifest whenever it expires. It is not safe for concurrent use.
type Follower struct {
	url, host string // canonical
	opts      Options
	fetcher   *manifest.Fetcher

	last  *manifest.Fetched
	err   error
	pause time.Duration // the backoff after a failed fetch
}

// Options configure [Follow]. Nil is fine.
type Options struct {
	// Fetch configures the fetching of the manifest, and the client for its server.
	Fetch manifest.FetchOptions
	// Header is sent to the host of the manifest only. Nil is none.
	Header http.Header
	// Logger gets failed fetches and warnings about manifests. Nil discards.
	Logger *slog.Logger
}

// Follow returns a follower of the manifest at an https URL. Errors do not show the URL, which may hold secrets.
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

// URL returns the manifest's URL in canonical form. It may hold secrets.
func (f *Follower) URL() string { return f.url }

// Host returns the host of the URL in canonical form.
func (f *Follower) Host() string { return f.host }

// Last returns the last manifest that was fetched; nil if there is none.
func (f *Follower) Last() *manifest.Fetched { return f.last }

// Err returns why the last fetch failed; nil if it succeeded.
func (f *Follower) Err() error { return f.err }

// Fetch fetches the manifest. After a failure the last manifest stays. If ctx has ended, nothing changes.
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

// causeOf returns the cause of a failed fetch without the URL, which may hold secrets; nil if there is none.
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

// Next returns how long to wait before the next fetch, without jitter. It is never shorter than manifest and server
// ask for (RFC 5.4.2), and backs off after failures.
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

// Client returns a client for the manifest's endpoint, and its header. The client dials public addresses, and those
// that the operator allows. The header is only for the manifest's own host. There must be a manifest
// ([Follower.Last]).
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

// shared is a transport whose idle connections belong to others.
type shared struct{ http.RoundTripper }
