package upstream

import (
	"net/http"

	"golang.org/x/oauth2"

	"github.com/cash-mcp/go-sdk/internal/mcpclient"
)

// identified sends each request with one identity: that of the account in its context, else own, else that of the
// endpoint. A caller's requests have nothing of the endpoint's identity.
type identified struct {
	own      *account          // nil if the endpoint has no OAuthHandler
	endpoint http.RoundTripper // adds the endpoint's headers
	callers  http.RoundTripper
}

// identified returns h with a client that sends the credential of own, unless nil, or that of the account in a request's
// context. With caller, own is the account of one, and all requests are.
func (h HTTP) identified(own *account, caller bool) HTTP {
	c := h.client()
	base := http.DefaultTransport
	if h.Client != nil {
		c.Jar = nil // it would mix up callers
		if h.Client.Transport != nil {
			base = h.Client.Transport
		}
		if t, ok := base.(*oauth2.Transport); ok { // it overwrites the credential of a caller
			if base = t.Base; base == nil {
				base = http.DefaultTransport
			}
		}
	}
	way := &identified{own: own, endpoint: c.Transport, callers: base}
	if way.endpoint == nil {
		way.endpoint = http.DefaultTransport
	}
	if caller {
		way.endpoint = base
	}
	c.Transport = way
	return HTTP{URL: h.URL, Client: c}
}

// RoundTrip implements [http.RoundTripper].
func (w *identified) RoundTrip(req *http.Request) (*http.Response, error) {
	a, next := w.own, w.endpoint
	if caller, ok := req.Context().Value(accountKey{}).(*account); ok {
		a, next = caller, w.callers
	}
	if a == nil {
		return next.RoundTrip(req)
	}
	t, err := a.get(req.Context())
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		if own, ok := err.(*CallError); ok {
			return nil, &mcpclient.Error{Class: mcpclient.Status, Status: http.StatusUnauthorized, Reason: "no credential", Err: own}
		}
		return nil, err
	}
	req = req.Clone(req.Context())
	t.SetAuthHeader(req)
	resp, err := next.RoundTrip(req)
	switch {
	case err != nil || resp == nil:
	case resp.StatusCode == http.StatusUnauthorized:
		a.refuse(t, req, resp)
	case resp.StatusCode == http.StatusForbidden && req.Method == http.MethodPost:
		if d := a.denied(t, req, resp); d != nil {
			_ = resp.Body.Close()
			return nil, d.failure()
		}
	}
	return resp, err
}
