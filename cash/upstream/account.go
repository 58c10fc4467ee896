package upstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"github.com/cash-mcp/go-sdk/internal/apart"
	"github.com/cash-mcp/go-sdk/internal/clean"
)

// A ConnectError says that a caller has no credential for a server yet. [Server.Credentials] and the handlers that it
// returns may return one.
type ConnectError struct {
	// URL is a page at which the caller connects an account: http or https, at most 2,000 bytes. Anybody may be led
	// there, so the page must make sure that its visitor is the caller (MCP, elicitation, safe URL handling). Empty is
	// none.
	URL string
}

// Error says that there is no account.
func (e *ConnectError) Error() string { return "no account is connected" }

// maxConnectURL bounds the URL of a ConnectError, in bytes.
const maxConnectURL = 2000

// page returns the URL; empty if it cannot be shown.
func (e *ConnectError) page() string {
	u, err := url.Parse(e.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || len(e.URL) > maxConnectURL || clean.Line(e.URL, maxConnectURL) != e.URL {
		return ""
	}
	return e.URL
}

// An account is an identity at a server: that of a caller, or that of the endpoint. It keeps the handler and its token.
// Calls that need a new token wait for one attempt, which ends neither with a call, nor with their patience, nor with
// the account: a refresh token that was sent is used up, and only the answer has the next one.
type account struct {
	open    func(context.Context) (auth.OAuthHandler, error)
	url     string        // of the server
	timeout time.Duration // of those that wait
	log     *slog.Logger
	lent    bool          // the handler is the embedder's for good: what it does outlives the account
	stuck   *atomic.Int32 // attempts that have not ended in time, of all accounts of a server
	flights singleflight.Group
	turn    chan struct{} // full while an attempt runs

	mu      sync.Mutex
	handler *handler      // nil if it is to be opened
	token   *oauth2.Token // nil if there is none
	refused *tokenRefusal // of the last token, until there is another
	running bool          // an attempt is
	closed  bool
	tried   map[string]time.Time // when a handler authorized for a scope
}

// newAccount returns an account. Stuck is shared by all of a server.
func newAccount(url string, timeout time.Duration, log *slog.Logger, stuck *atomic.Int32, open func(context.Context) (auth.OAuthHandler, error)) *account {
	return &account{open: open, url: url, timeout: timeout, log: log, stuck: stuck, turn: make(chan struct{}, 1)}
}

const (
	maxStuck    = 64          // attempts to get a token that hang
	attemptLate = time.Minute // how much longer than those that wait an attempt may take
)

// errSlow tells those that wait that there is no token yet.
var errSlow = &CallError{Class: NoCredential, Reason: "getting credentials takes too long"}

// tokenRefusal is the answer with status 401 or 403 to a request with a token.
type tokenRefusal struct {
	token  string // the access token
	status int
	req    *http.Request
	header http.Header
}

func newRefusal(t *oauth2.Token, req *http.Request, resp *http.Response) *tokenRefusal {
	like := req.Clone(context.WithoutCancel(req.Context()))
	like.Body, like.GetBody = http.NoBody, nil
	return &tokenRefusal{token: t.AccessToken, status: resp.StatusCode, req: like, header: challenge(resp.Header)}
}

// response is the refusal as a handler expects it.
func (r *tokenRefusal) response() *http.Response {
	return &http.Response{
		Status: fmt.Sprintf("%d %s", r.status, http.StatusText(r.status)), StatusCode: r.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: r.header.Clone(), Body: http.NoBody, Request: r.req,
	}
}

// get returns a token that is not known to be expired or refused. The error is a *CallError or that of ctx.
func (a *account) get(ctx context.Context) (*oauth2.Token, error) {
	if t := a.current(); t != nil {
		return t, nil
	}
	return a.once(ctx, "", func() (*oauth2.Token, error) {
		if t := a.current(); t != nil { // of an attempt that has just ended
			return t, nil
		}
		return a.renew(ctx)
	})
}

// once gets a token by f, for all that wait for the same. They wait for the timeout at most; f goes on.
func (a *account) once(ctx context.Context, key string, f func() (*oauth2.Token, error)) (*oauth2.Token, error) {
	done := a.flights.DoChan(key, func() (any, error) { return f() })
	slow := time.NewTimer(a.timeout)
	defer slow.Stop()
	select {
	case r := <-done:
		if r.Err != nil {
			return nil, r.Err
		}
		return r.Val.(*oauth2.Token), nil
	case <-slow.C:
		return nil, errSlow
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// current returns the token; nil if there must be another.
func (a *account) current() *oauth2.Token {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.token.Valid() {
		return a.token
	}
	return nil
}

// refuse drops a token that the server has refused.
func (a *account) refuse(t *oauth2.Token, req *http.Request, resp *http.Response) {
	refused := newRefusal(t, req, resp)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.token != nil && a.token.AccessToken == t.AccessToken {
		a.token, a.refused = nil, refused
	}
}

// renew gets a token from the handler.
func (a *account) renew(ctx context.Context) (*oauth2.Token, error) {
	return a.attempt(ctx, func(was, next *handler) (*handler, *oauth2.Token, error) {
		a.mu.Lock()
		refused := a.refused
		a.mu.Unlock()
		return a.obtain(ctx, was, next, refused)
	})
}

// attempt gets a token by get from the handler or a new one. One attempt runs at a time, since handlers need not be safe
// for concurrent use. It has a time of its own, which begins with its turn.
func (a *account) attempt(ctx context.Context, get func(was, next *handler) (*handler, *oauth2.Token, error)) (*oauth2.Token, error) {
	if a.stuck.Load() >= maxStuck {
		return nil, &CallError{Class: NoCredential, Reason: "earlier attempts to get credentials hang"}
	}
	if !a.take(a.timeout) {
		return nil, errSlow
	}
	defer func() { <-a.turn }()
	was, ok := a.start()
	if !ok {
		return nil, errRemoved
	}
	next := a.newHandler()
	type outcome struct {
		handler *handler
		token   *oauth2.Token
	}
	limit, stop := context.WithTimeout(context.WithoutCancel(ctx), a.timeout+attemptLate)
	defer stop()
	o, err := apart.Do(limit, 0, func() (o outcome, err error) {
		o.handler, o.token, err = get(was, next)
		return o, err
	}, func() { a.stuck.Add(-1) })
	if errors.Is(err, apart.ErrLeft) {
		a.stuck.Add(1)
	}
	var crash *apart.Crash
	if errors.As(err, &crash) {
		a.log.Error("getting credentials panicked", "panic", crash.Reason, "stack", crash.Stack)
	}
	if err != nil || o.handler == was {
		next.end()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running = false
	switch {
	case err == nil:
		a.keep(o.handler)
		a.token, a.refused = o.token, nil
	case unusable(err) || lasting(err) && !a.token.Valid(): // a valid token is of the handler, which can renew it
		a.keep(nil)
		a.refused = nil
	}
	if a.closed {
		a.keep(nil)
	}
	if err != nil {
		return nil, uncredited(err)
	}
	return o.token, nil
}

// take waits for the turn. It reports false if there is none in time.
func (a *account) take(within time.Duration) bool {
	late := time.NewTimer(within)
	defer late.Stop()
	select {
	case a.turn <- struct{}{}:
		return true
	case <-late.C:
		return false
	}
}

// start begins an attempt with the handler; nil is none. It reports false if the account is closed.
func (a *account) start() (was *handler, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running = !a.closed
	return a.handler, a.running
}

// busy reports whether an attempt runs.
func (a *account) busy() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.running
}

// keep makes h the handler; nil is none. The caller holds a.mu.
func (a *account) keep(h *handler) {
	if a.handler != nil && a.handler != h {
		a.handler.end()
	}
	a.handler = h
}

// close ends what the handler does, after an attempt that runs. The token goes on: the end of a session takes it.
func (a *account) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed = true; !a.running {
		a.keep(nil)
	}
}

// wait returns when no attempt runs, or after closeTimeout.
func (a *account) wait() {
	if a.take(closeTimeout) {
		<-a.turn
	}
}

// obtain returns a token other than the refused one, and its handler. It opens next if h is nil, or if that has no
// credential any more.
func (a *account) obtain(ctx context.Context, h, next *handler, refused *tokenRefusal) (*handler, *oauth2.Token, error) {
	if h != nil {
		if t, err := a.ask(h.with(ctx), h, refused, false); err == nil || !lasting(err) {
			return h, t, err
		}
	}
	ctx = next.with(ctx)
	var err error
	if next.OAuthHandler, err = a.open(ctx); err != nil {
		return nil, nil, err
	}
	if next.OAuthHandler == nil {
		return nil, nil, new(ConnectError)
	}
	t, err := a.ask(ctx, next, refused, true)
	return next, t, err
}

// handler is an OAuthHandler with the context that ends what it does. It may keep a context for later tokens, so that
// does not end with the attempt.
type handler struct {
	auth.OAuthHandler
	life context.Context
	end  context.CancelFunc
}

func (a *account) newHandler() *handler {
	if a.lent {
		return &handler{life: context.Background(), end: func() {}}
	}
	h := new(handler)
	h.life, h.end = context.WithCancel(context.Background())
	return h
}

// with returns a context with the values of a request's.
func (h *handler) with(ctx context.Context) context.Context { return lasts{h.life, ctx} }

// lasts is a context with the values of another.
type lasts struct {
	context.Context
	values context.Context
}

// Value implements [context.Context].
func (l lasts) Value(key any) any {
	if v := l.values.Value(key); v != nil {
		return v
	}
	return l.Context.Value(key)
}

// ask returns a token of h. The handler authorizes first if it has none, or only one that is expired or refused: nothing
// is sent to the server without a token. With opened, it also authorizes if the authorization server refuses the token,
// as the SDK's transport has it do.
func (a *account) ask(ctx context.Context, h auth.OAuthHandler, refused *tokenRefusal, opened bool) (*oauth2.Token, error) {
	t, err := tokenOf(ctx, h)
	var revoked error
	if opened && refusedGrant(err) {
		t, err, revoked = nil, nil, err
	}
	if err != nil || t != nil && (refused == nil || t.AccessToken != refused.token) && (t.Expiry.IsZero() || t.Expiry.After(time.Now())) {
		return t, err
	}
	why := refused
	if why == nil {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url, http.NoBody)
		if err != nil {
			return nil, err
		}
		why = &tokenRefusal{status: http.StatusUnauthorized, req: req, header: make(http.Header)}
	}
	if err := h.Authorize(ctx, why.req.WithContext(ctx), why.response()); err != nil {
		if connect := (*ConnectError)(nil); revoked != nil && !errors.As(err, &connect) {
			return nil, revoked
		}
		return nil, unauthorized{err}
	}
	switch t, err = tokenOf(ctx, h); {
	case err != nil:
		return nil, err
	case t == nil:
		return nil, new(ConnectError)
	case refused != nil && t.AccessToken == refused.token:
		return nil, errStillRefused
	}
	return t, nil
}

// unauthorized is the error of [auth.OAuthHandler].Authorize.
type unauthorized struct{ error }

// Unwrap returns the error.
func (u unauthorized) Unwrap() error { return u.error }

// tokenOf returns the token of h; nil if it has none yet.
func tokenOf(ctx context.Context, h auth.OAuthHandler) (*oauth2.Token, error) {
	src, err := h.TokenSource(ctx)
	if err != nil || src == nil {
		return nil, err
	}
	t, err := src.Token()
	if err == nil && (t == nil || t.AccessToken == "") {
		err = errors.New("there is no access token")
	}
	return t, err
}

// errStillRefused means that the only token is one that the server has refused.
var errStillRefused = &CallError{Class: NoCredential, Reason: "the server refuses the only token", rejected: true}

// lasting reports whether a handler that failed with err is dropped. Otherwise its next attempt may succeed, for
// instance once the authorization server is back.
func lasting(err error) bool {
	var connect *ConnectError
	var crash *apart.Crash
	var failed unauthorized
	return errors.As(err, &connect) || errors.As(err, &crash) || errors.As(err, &failed) || errors.Is(err, apart.ErrLeft) ||
		errors.Is(err, errStillRefused) || refusedGrant(err)
}

// refusedGrant reports whether err is the refusal of an authorization server: it is there, and gives no token.
func refusedGrant(err error) bool {
	var refused *oauth2.RetrieveError
	return errors.As(err, &refused) && refused.Response != nil &&
		refused.Response.StatusCode/100 == 4 && refused.Response.StatusCode != http.StatusTooManyRequests
}

// uncredited returns why there is no token. Its reason is for operators: it does not repeat what an authorization server
// said, which may hold secrets.
func uncredited(err error) *CallError {
	var own *CallError
	var connect *ConnectError
	var refused *oauth2.RetrieveError
	var crash *apart.Crash
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &connect):
		return &CallError{Class: NoCredential, Reason: connect.Error(), Err: connect, connect: connect}
	case errors.As(err, &refused):
		e := &CallError{Class: NoCredential, Reason: "the authorization server refuses"}
		if code := clean.Line(refused.ErrorCode, 60); code != "" {
			e.Reason += ": " + code
		} else if refused.Response != nil {
			e.Reason += fmt.Sprintf(" with status %d", refused.Response.StatusCode)
		}
		if lasting(err) {
			e.connect = new(ConnectError)
		}
		return e
	case errors.Is(err, apart.ErrLeft):
		return errSlow
	case errors.As(err, &crash):
		return &CallError{Class: NoCredential, Reason: "getting credentials panicked: " + crash.Reason}
	}
	return &CallError{Class: NoCredential, Reason: cmp.Or(clean.Line(err.Error(), maxReason), "getting credentials failed"), Err: err}
}

type accountKey struct{}

// as returns a context for requests with the credential of an account.
func (a *account) as(ctx context.Context) context.Context {
	return context.WithValue(ctx, accountKey{}, a)
}
