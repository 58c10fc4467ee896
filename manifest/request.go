package manifest

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// maxRedirects bounds the redirects of one fetch.
	maxRedirects = 5
	// maxValidator bounds the validators, in bytes.
	maxValidator = 1024
	// maxPause bounds the waiting times that a server's headers may demand, for the next fetch or after a failure.
	maxPause = 24 * time.Hour
)

// ask sends a request. It returns the manifest, and its freshness according to the cache headers.
func (f *Fetcher) ask(ctx context.Context, u *url.URL, last *Fetched) (next *Fetched, ttl time.Duration, err error) {
	defer recoverPanic(u.Host, &err)
	req := f.request(ctx, u, last)
	resp, err := f.client.Do(req)
	if err != nil {
		return nil, 0, failure(u.Host, err)
	}
	defer resp.Body.Close()
	next = &Fetched{ETag: validator(resp, "ETag"), LastModified: validator(resp, "Last-Modified")}
	switch {
	case resp.StatusCode == http.StatusNotModified && conditional(req):
		next.Manifest = last.Manifest
		if next.ETag == "" && next.LastModified == "" { // the old validators stay valid
			next.ETag, next.LastModified = last.ETag, last.LastModified
		}
	case resp.StatusCode == http.StatusOK:
		next.Manifest, err = read(ctx, u.Host, resp)
	default:
		err = status(u.Host, resp, f.opts.Now())
	}
	return next, maxAge(resp.Header), err
}

// request returns the request for a manifest. It is conditional if last has validators.
func (f *Fetcher) request(ctx context.Context, u *url.URL, last *Fetched) *http.Request {
	r := (&http.Request{Method: http.MethodGet, URL: u, Host: u.Host, Header: make(http.Header)}).WithContext(ctx)
	if f.opts.Header != nil {
		for key, values := range f.opts.Header(u.Host) {
			r.Header[http.CanonicalHeaderKey(key)] = append([]string(nil), values...)
		}
	}
	r.Header.Set("Accept", MediaTypeYAML+", "+MediaTypeJSON+";q=0.9, */*;q=0.1")
	r.Header.Set("Accept-Encoding", "identity")
	for _, key := range conditions {
		r.Header.Del(key)
	}
	if last != nil && last.ETag != "" {
		r.Header.Set("If-None-Match", last.ETag)
	}
	if last != nil && last.LastModified != "" {
		r.Header.Set("If-Modified-Since", last.LastModified)
	}
	return r
}

// conditions are the headers that allow a response 304.
var conditions = []string{"If-None-Match", "If-Modified-Since"}

func conditional(r *http.Request) bool {
	return r.Header.Get(conditions[0]) != "" || r.Header.Get(conditions[1]) != ""
}

// sameOrigin allows redirects on the same host only.
func sameOrigin(r *http.Request, via []*http.Request) error {
	host := via[0].URL.Host
	if len(via) > maxRedirects {
		return &FetchError{Kind: KindTransient, Host: host, Reason: "it redirects too often"}
	}
	u, err := canonicalURL(r.URL.String())
	if err != nil || u.Scheme != "https" || u.Host != host {
		return &FetchError{Kind: KindUnsafe, Host: host, Reason: "it redirects to another host, port or scheme"}
	}
	r.URL = u
	return nil
}

// read returns the manifest in a response.
func read(ctx context.Context, host string, resp *http.Response) (*Manifest, error) {
	invalid := func(reason string, err error) (*Manifest, error) {
		return nil, &FetchError{Kind: KindInvalid, Host: host, Reason: reason, Err: err}
	}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // any type but HTML is accepted
	encoding := resp.Header.Get("Content-Encoding")
	switch {
	case media == "text/html" || media == "application/xhtml+xml":
		return invalid("it answered with a web page instead of a manifest", nil)
	case encoding != "" && !strings.EqualFold(encoding, "identity"):
		return invalid("its answer is compressed, which nobody asked for", nil)
	case resp.ContentLength > MaxSize:
		return invalid("its answer is larger than 1 MiB", nil)
	}
	data, err := io.ReadAll(io.LimitReader(contextReader{ctx, resp.Body}, MaxSize+1))
	switch {
	case len(data) > MaxSize:
		return invalid("its answer is larger than 1 MiB", nil)
	case err != nil:
		return nil, failure(host, err)
	case strings.HasPrefix(strings.TrimSpace(string(data[:min(len(data), 64)])), "<"):
		return invalid("it answered with a page of markup instead of a manifest", nil)
	}
	m, err := Parse(data)
	if err != nil {
		return invalid("its document is no valid manifest"+where(err), err)
	}
	return m, nil
}

// where returns the position of an error of Parse. Its reason may quote the document, and is for logs only.
func where(err error) string {
	var e *Error
	if !errors.As(err, &e) || e.place() == "" {
		return ""
	}
	return ": see " + strings.TrimSuffix(e.place(), ": ")
}

// A contextReader returns the context's error once the context has ended. The reader itself may not notice, or may
// report an orderly end, since the server closes an aborted response.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if done := r.ctx.Err(); done != nil {
		return n, done
	}
	return n, err
}

// status returns the error for a response without a manifest.
func status(host string, resp *http.Response, now time.Time) error {
	words := strings.TrimSpace(strconv.Itoa(resp.StatusCode) + " " + http.StatusText(resp.StatusCode))
	return &FetchError{
		Kind: KindTransient, Host: host, Reason: "it answered " + words,
		RetryAfter: retryAfter(resp.Header.Get("Retry-After"), now),
		Err:        errors.New(words),
	}
}

// retryAfter parses a header with seconds or a date.
func retryAfter(text string, now time.Time) time.Duration {
	if d, ok := seconds(text); ok {
		return d
	}
	t, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return min(max(t.Sub(now), 0), maxPause)
}

// maxAge returns the freshness of a response.
func maxAge(h http.Header) time.Duration {
	longest := time.Duration(0)
	for _, line := range h.Values("Cache-Control") {
		for directive := range strings.SplitSeq(line, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
			if d, ok := seconds(strings.Trim(value, `"`)); ok && strings.EqualFold(name, "max-age") {
				longest = max(longest, d)
			}
		}
	}
	return longest
}

// seconds parses a number of seconds, and bounds it.
func seconds(text string) (time.Duration, bool) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return maxPause, true // out of range
	}
	return min(time.Duration(n)*time.Second, maxPause), true
}

// validator returns a header for later requests. It drops values that are too long or cannot be sent, since these
// would fail all further fetches.
func validator(resp *http.Response, key string) string {
	v := resp.Header.Get(key)
	unprintable := func(r rune) bool { return r < ' ' || r > '~' }
	if len(v) > maxValidator || strings.ContainsFunc(v, unprintable) {
		return ""
	}
	return v
}
