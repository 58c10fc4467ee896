package upstream

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/cash-mcp/go-sdk/internal/apart"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
)

// A server that wants more rights of a token answers 403 with the scopes (RFC 6750, section 3.1; MCP authorization,
// step-up). The call is repeated once with another token, if there is one:
//
//   - one that the embedder's store has by now
//   - one for which the handler authorizes with the server's answer, as the SDK's do
//   - one that the caller connects at the page of a [ConnectError]
//
// Other calls keep the token that there is.

// denial is the refusal of a token for want of scope.
type denial struct {
	*tokenRefusal
	account *account
	scope   string // what the server wants; empty if it does not say, or cannot be shown
}

const (
	maxChallenge = 8 << 10     // bytes of the headers that are read
	maxScope     = 200         // bytes of a scope that is shown
	maxTried     = 20          // scopes that an account remembers
	stepUpPause  = time.Minute // between two authorizations for a scope
)

// challenge returns a copy of a response's header for a handler, without challenges that take long to read.
func challenge(h http.Header) http.Header {
	size := 0
	for _, v := range h.Values("WWW-Authenticate") {
		size += len(v)
	}
	h = h.Clone()
	if size > maxChallenge {
		h.Del("WWW-Authenticate")
	}
	return h
}

// denied returns the denial in an answer with status 403 to a request with t; nil if it is for another reason.
func (a *account) denied(t *oauth2.Token, req *http.Request, resp *http.Response) *denial {
	d := &denial{tokenRefusal: newRefusal(t, req, resp), account: a}
	challenges, err := oauthex.ParseWWWAuthenticate(d.header.Values("WWW-Authenticate"))
	if err != nil {
		return nil
	}
	for _, c := range challenges {
		if c.Scheme == "bearer" && c.Params["error"] == "insufficient_scope" {
			if s := strings.Join(strings.Fields(c.Params["scope"]), " "); len(s) <= maxScope && clean.Line(s, maxScope) == s && !strings.Contains(s, "`") {
				d.scope = s
			}
			return d
		}
	}
	return nil
}

// failure is the error of the request.
func (d *denial) failure() *mcpclient.Error {
	reason := "status 403 (Forbidden): the token has too little scope"
	own := &CallError{Class: BadStatus, HTTPStatus: http.StatusForbidden, Reason: reason, denied: d}
	return &mcpclient.Error{Class: mcpclient.Status, Status: http.StatusForbidden, Reason: reason, Err: own}
}

// widen gets a token other than the denied one. If the handler has none, it authorizes, unless seek is set or it has
// done so for the scope in the last minute. The error is a *CallError or that of ctx.
func (a *account) widen(ctx context.Context, d *denial, seek bool) error {
	key := "scope " + d.scope
	if seek {
		key = "seek " + d.scope
	}
	_, err := a.once(ctx, key, func() (*oauth2.Token, error) {
		if t := a.current(); t != nil && t.AccessToken != d.token {
			return t, nil
		}
		return a.attempt(ctx, func(was, next *handler) (*handler, *oauth2.Token, error) {
			return a.wider(ctx, was, next, d, seek)
		})
	})
	return err
}

// errNoScope means that there is no token with more rights.
var errNoScope = &CallError{Class: NoCredential, Reason: "no token with more rights is to be had"}

// wider returns a token other than the denied one, and its handler: was, or next if was says that the caller is to
// connect an account.
func (a *account) wider(ctx context.Context, was, next *handler, d *denial, seek bool) (h *handler, t *oauth2.Token, err error) {
	if was != nil {
		t, err = a.widerOf(was.with(ctx), was, d, seek)
		var connect *ConnectError
		if err == nil || !seek && !errors.As(err, &connect) {
			return was, t, err
		}
	}
	ctx = next.with(ctx)
	connect := err
	if next.OAuthHandler, err = a.open(ctx); err != nil {
		return nil, nil, err
	}
	if next.OAuthHandler == nil {
		return nil, nil, new(ConnectError)
	}
	if t, err = a.widerOf(ctx, next, d, seek || was != nil); err != nil && connect != nil && !seek {
		err = connect
	}
	return next, t, err
}

// widerOf returns a token of h other than the denied one.
func (a *account) widerOf(ctx context.Context, h *handler, d *denial, seek bool) (*oauth2.Token, error) {
	t, err := tokenOf(ctx, h)
	switch {
	case err != nil:
		return nil, err
	case t.Valid() && t.AccessToken != d.token:
		return t, nil
	case seek || !a.try(d.scope):
		return nil, errNoScope
	}
	if err := h.Authorize(ctx, d.req.WithContext(ctx), d.response()); err != nil {
		var connect *ConnectError
		if errors.As(err, &connect) { // each call may ask its caller
			a.forgetTry(d.scope)
		}
		return nil, err
	}
	if t, err = tokenOf(ctx, h); err == nil && (t == nil || t.AccessToken == d.token) {
		err = errNoScope
	}
	return t, err
}

// try reports whether a handler may authorize for a scope, and notes that it does.
func (a *account) try(scope string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	for s, at := range a.tried {
		if now.Sub(at) >= stepUpPause {
			delete(a.tried, s)
		}
	}
	if _, ok := a.tried[scope]; ok || len(a.tried) >= maxTried {
		return false
	}
	if a.tried == nil {
		a.tried = make(map[string]time.Time)
	}
	a.tried[scope] = now
	return true
}

func (a *account) forgetTry(scope string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.tried, scope)
}

// unusable reports whether a handler must not be used any more, because a call of it panicked or may still run.
func unusable(err error) bool {
	var crash *apart.Crash
	return errors.As(err, &crash) || errors.Is(err, apart.ErrLeft)
}

// stepUp gets a token with the scope that the server wants in e. It asks the caller to open a page if need be. Its
// error is e, with what the caller can do.
func (r *running) stepUp(e *CallError) *CallError {
	e = r.widen(r.ctx, e, false)
	if e == nil || e.connect == nil || e.connect.page() == "" || r.user == nil {
		return e
	}
	message := "The server of " + r.labelOf(r.req.call.Function) + " wants more rights of your account"
	if e.denied.scope != "" {
		message += " (" + e.denied.scope + ")"
	}
	return r.askUser(e, message+". Connect it again to go on.", func(ctx context.Context) *CallError { return r.widen(ctx, e, true) })
}

func (r *running) widen(ctx context.Context, e *CallError, seek bool) *CallError {
	err := e.denied.account.widen(ctx, e.denied, seek)
	if err == nil {
		return nil
	}
	own, ok := err.(*CallError)
	if !ok {
		return classify(ctx, err, new(mcpclient.Exchange))
	}
	c := *e
	switch {
	case own.connect != nil:
		c.connect = own.connect
	case own != errNoScope:
		r.log.Warn("a token with more scope cannot be had", "reason", own.Reason)
	}
	return &c
}
