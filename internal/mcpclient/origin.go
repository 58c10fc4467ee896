package mcpclient

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
)

// guarded returns a copy of client that sends only to the host of endpoint.
func guarded(endpoint string, client *http.Client) *http.Client {
	c := new(http.Client)
	if client != nil {
		*c = *client
	}
	d := &originGuard{next: c.Transport}
	if d.next == nil {
		d.next = http.DefaultTransport
	}
	if u, err := url.Parse(endpoint); err == nil {
		d.home = origin(u)
	}
	c.Transport = d
	c.CheckRedirect = func(_ *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return &Error{Class: Redirect, Reason: "it redirects again and again"}
		}
		return nil
	}
	return c
}

const maxRedirects = 5

// origin returns scheme, host and port of a URL.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return strings.ToLower(u.Scheme + "://" + u.Hostname() + ":" + port)
}

// originGuard is a RoundTripper for requests to one origin.
type originGuard struct {
	next http.RoundTripper
	home string
}

// RoundTrip implements [http.RoundTripper].
func (d *originGuard) RoundTrip(req *http.Request) (*http.Response, error) {
	if origin(req.URL) != d.home {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, &Error{Class: Redirect, Reason: "it leads to another host, which is not followed"}
	}
	resp, err := d.next.RoundTrip(req)
	if err != nil || resp == nil { // net/http words a nil response
		return nil, err
	}
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther: // these turn a POST into a GET
		if req.Method != http.MethodGet && resp.Header.Get("Location") != "" {
			_ = resp.Body.Close()
			return nil, &Error{Class: Redirect, Status: resp.StatusCode, Reason: fmt.Sprintf("it redirects with status %d, which loses the request", resp.StatusCode)}
		}
	}
	return resp, nil
}

// do sends a request, and calls sent when the server may have seen it. The error is an *Error, or that of the
// context.
func do(client *http.Client, req *http.Request, sent func()) (*http.Response, error) {
	ctx := req.Context()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var began, wrote atomic.Bool
	resp, err := client.Do(req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn:      func(string) { began.Store(true) },
		WroteHeaders: func() { wrote.Store(true); sent() },
	})))
	if err == nil {
		sent()
		return resp, nil
	}
	reports := began.Load()
	err = failure(ctx, err, wrote.Load() || !reports)
	if !reports && !before(err) {
		sent()
	}
	return nil, err
}

// before reports whether an error occurs before a request is sent.
func before(err error) bool {
	e, ok := err.(*Error)
	return ok && (e.Class == Unreachable || e.Class == Certificate || e.Class == Redirect)
}

// detached returns ctx without its cancellation, and a function that cancels it.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithCancel(context.WithoutCancel(ctx))
}
