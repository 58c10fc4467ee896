package upstream

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"golang.org/x/oauth2"

	"github.com/cash-mcp/go-sdk/registry"
)

// accountsOf returns accounts that share a bound, each opened by open.
func accountsOf(n int, open func(context.Context) (auth.OAuthHandler, error)) []*account {
	list, stuck := make([]*account, n), new(atomic.Int32)
	for i := range list {
		list[i] = newAccount("https://a.example/mcp", time.Second, slog.New(slog.DiscardHandler), stuck, open)
	}
	return list
}

// tokens is a handler whose tokens last a minute.
type tokens struct {
	made, authorized int
	last             *oauth2.Token
	fail             error
}

// TokenSource implements [auth.OAuthHandler].
func (s *tokens) TokenSource(context.Context) (oauth2.TokenSource, error) {
	if s.fail != nil {
		return nil, s.fail
	}
	if s.last == nil || !s.last.Valid() {
		s.made++
		s.last = &oauth2.Token{AccessToken: "token" + strings.Repeat("'", s.made), Expiry: time.Now().Add(time.Minute)}
	}
	return oauth2.StaticTokenSource(s.last), nil
}

// Authorize implements [auth.OAuthHandler].
func (s *tokens) Authorize(context.Context, *http.Request, *http.Response) error {
	s.authorized++
	s.last = nil
	return nil
}

// A token is asked for once until it expires, and again after it was refused. A refusal of an older one changes nothing.
func TestAccountTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := new(tokens)
		a := accountsOf(1, func(context.Context) (auth.OAuthHandler, error) { return h, nil })[0]
		get := func(made, authorized int) *oauth2.Token {
			t.Helper()
			var calls sync.WaitGroup
			for range 20 {
				calls.Go(func() {
					if _, err := a.get(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			calls.Wait()
			last, err := a.get(t.Context())
			if err != nil || h.made != made || h.authorized != authorized {
				t.Errorf("%d tokens, %d authorized, want %d and %d: %v", h.made, h.authorized, made, authorized, err)
			}
			return last
		}
		first := get(1, 0)
		time.Sleep(49 * time.Second)
		get(1, 0)
		time.Sleep(2 * time.Second) // ten seconds before its end
		second := get(2, 0)
		refuse := func(token *oauth2.Token) {
			req, _ := http.NewRequest(http.MethodPost, a.url, http.NoBody)
			a.refuse(token, req, &http.Response{StatusCode: 401, Header: http.Header{}})
		}
		refuse(first)
		get(2, 0)
		refuse(second)
		refuse(second)
		get(3, 1)
	})
}

// An account whose handler hangs or panics harms no other, and no more than maxStuck hang at a time.
func TestAccountHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		var started atomic.Int32
		var mu sync.Mutex
		mode := ""
		list := accountsOf(maxStuck+1, func(context.Context) (auth.OAuthHandler, error) {
			mu.Lock()
			now := mode
			mu.Unlock()
			started.Add(1)
			switch now {
			case "hang":
				<-gate
			case "panic":
				panic("secret")
			}
			return new(tokens), nil
		})
		last := list[maxStuck]
		set := func(to string) {
			mu.Lock()
			defer mu.Unlock()
			mode = to
		}
		fails := func(a *account, want string) {
			t.Helper()
			var e *CallError
			if _, err := a.get(t.Context()); !errors.As(err, &e) || e.Class != NoCredential || !strings.Contains(e.Reason, want) || strings.Contains(e.Reason, "secret") {
				t.Errorf("want %q: %v", want, err)
			}
		}
		set("panic")
		fails(last, "panicked: string")
		set("hang")
		began := time.Now()
		var calls sync.WaitGroup
		for _, a := range list[:maxStuck] {
			calls.Go(func() { fails(a, "takes too long") })
		}
		calls.Wait()
		if time.Since(began) != time.Second {
			t.Errorf("after %v", time.Since(began))
		}
		time.Sleep(attemptLate)
		synctest.Wait()
		fails(last, "earlier attempts")
		if started.Load() != maxStuck+1 {
			t.Errorf("%d were started", started.Load())
		}
		close(gate)
		synctest.Wait()
		set("")
		for _, a := range list {
			if _, err := a.get(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
}

// A handler is opened anew when it has no credential any more, and kept when the authorization server is away.
func TestAccountReopens(t *testing.T) {
	refused := func(status int) error {
		return &oauth2.RetrieveError{Response: &http.Response{StatusCode: status}, Body: []byte("secret"), ErrorCode: "invalid_grant"}
	}
	for name, tt := range map[string]struct {
		fail   error
		opened int
		ok     bool
	}{
		"refused": {refused(400), 2, true},
		"away":    {refused(503), 1, false},
		"connect": {new(ConnectError), 2, true},
		"network": {errors.New("no route"), 1, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			opened, h := 0, new(tokens)
			a := accountsOf(1, func(context.Context) (auth.OAuthHandler, error) {
				if opened++; opened > 1 {
					return new(tokens), nil
				}
				return h, nil
			})[0]
			if _, err := a.get(t.Context()); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Hour)
			h.fail = tt.fail
			_, err := a.get(t.Context())
			if (err == nil) != tt.ok || opened != tt.opened || err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: opened %d times: %v", name, opened, err)
			}
		})
	}
}

// rotation is a handler whose token server takes its time. A refresh token works once, and the answer has the next.
type rotation struct {
	takes time.Duration

	mu       sync.Mutex
	kept     int // the refresh token that the embedder has
	works    int // the one that the token server takes
	faults   int
	sessions []context.Context // of the requests
}

// TokenSource implements [auth.OAuthHandler].
func (r *rotation) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept != r.works {
		r.faults++
	}
	r.works++
	r.sessions = append(r.sessions, ctx)
	r.mu.Unlock()
	select {
	case <-time.After(r.takes):
	case <-ctx.Done():
	}
	r.mu.Lock()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r.kept++
	return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "token", Expiry: time.Now().Add(time.Hour)}), nil
}

// Authorize implements [auth.OAuthHandler].
func (r *rotation) Authorize(context.Context, *http.Request, *http.Response) error { return nil }

func (r *rotation) open(context.Context) (auth.OAuthHandler, error) { return r, nil }

// sent fails unless so many refresh tokens were sent, each of them once, and what came for them was kept.
func (r *rotation) sent(t *testing.T, n int) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.works != n || r.kept != n || r.faults > 0 {
		t.Errorf("%d refresh tokens were sent, of %d an answer was kept, %d were sent twice", r.works, r.kept, r.faults)
	}
}

// A refresh token that was sent is not sent again: its answer is awaited and kept, whoever has given up.
func TestAccountKeepsRotation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rotation{takes: 10 * time.Second} // ten times what calls wait
		a := accountsOf(1, r.open)[0]
		short, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		if _, err := a.get(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a call that gives up: %v", err)
		}
		for range 3 {
			began := time.Now()
			if _, err := a.get(t.Context()); !errors.Is(err, errSlow) || time.Since(began) != time.Second {
				t.Errorf("a call after %v: %v", time.Since(began), err)
			}
		}
		time.Sleep(r.takes)
		if _, err := a.get(t.Context()); err != nil {
			t.Error(err)
		}
		r.sent(t, 1)
		time.Sleep(time.Hour)
		short, cancel = context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		if _, err := a.get(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a call that gives up: %v", err)
		}
		a.close()
		time.Sleep(r.takes)
		synctest.Wait()
		r.sent(t, 2)
		if _, err := a.get(t.Context()); err != nil {
			t.Errorf("the end of a session: %v", err)
		}
		time.Sleep(time.Hour)
		if _, err := a.get(t.Context()); !errors.Is(err, errRemoved) {
			t.Errorf("a call after the end: %v", err)
		}
		for i, ctx := range r.sessions {
			if ctx.Err() == nil {
				t.Errorf("what handler %d does goes on after the end", i)
			}
		}
	})
}

// What took its turn late has the whole time.
func TestAccountTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rotation{takes: 900 * time.Millisecond}
		a := accountsOf(1, r.open)[0]
		var calls sync.WaitGroup
		for _, key := range []string{"", "scope"} {
			calls.Go(func() {
				_, _ = a.once(t.Context(), key, func() (*oauth2.Token, error) { return a.renew(t.Context()) })
			})
		}
		calls.Wait()
		time.Sleep(time.Minute)
		r.sent(t, 2)
	})
}

// The account of a user that gets a token is not forgotten: another would send the same refresh token.
func TestUserKeepsRotation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rotation{takes: 10 * time.Second}
		us := newUsers(t.Context(), &settings{log: slog.New(slog.DiscardHandler), cfg: Server{
			Endpoint: HTTP{URL: "https://a.example/mcp"}, MaxUsers: 1, Idle: 3 * time.Second, ConnectTimeout: time.Second,
			Credentials: func(ctx context.Context, _ *registry.Caller) (auth.OAuthHandler, error) { return r.open(ctx) },
		}})
		call := func(id string) error {
			u, e := us.enter(&registry.Caller{ID: id})
			if e != nil {
				return e
			}
			defer us.leave(u)
			_, err := u.get(t.Context())
			return err
		}
		if err := call("ada"); !errors.Is(err, errSlow) {
			t.Errorf("ada: %v", err)
		}
		var busy *CallError
		if err := call("bob"); !errors.As(err, &busy) || busy.Class != Busy {
			t.Errorf("bob, while ada's account gets a token: %v", err)
		}
		time.Sleep(5 * time.Second) // longer than an account is kept that is not used
		if err := call("ada"); !errors.Is(err, errSlow) {
			t.Errorf("ada: %v", err)
		}
		time.Sleep(r.takes)
		synctest.Wait()
		r.sent(t, 1)
		if len(us.byKey) != 0 {
			t.Error("an account that is not used is kept")
		}
		if err := call("bob"); !errors.Is(err, errSlow) {
			t.Errorf("bob: %v", err)
		}
		began := time.Now()
		us.close()
		if time.Since(began) != closeTimeout {
			t.Errorf("the end waits for %v", time.Since(began))
		}
		time.Sleep(r.takes)
		synctest.Wait()
		r.sent(t, 2)
	})
}

// browsing is a handler like the SDK's for authorization codes: its source of tokens has the context of the last
// authorization, and is there for as long as the handler.
type browsing struct {
	authorized int
	refuse     error // of the authorization server, to refresh tokens
	fail       error // of the authorization
	source     oauth2.TokenSource
}

// TokenSource implements [auth.OAuthHandler].
func (b *browsing) TokenSource(context.Context) (oauth2.TokenSource, error) { return b.source, nil }

// Authorize implements [auth.OAuthHandler].
func (b *browsing) Authorize(ctx context.Context, _ *http.Request, _ *http.Response) error {
	if b.authorized++; b.fail != nil {
		return b.fail
	}
	b.refuse = nil
	b.source = oauth2.ReuseTokenSource(nil, refreshing(func() (*oauth2.Token, error) {
		if err := cmp.Or(ctx.Err(), b.refuse); err != nil {
			return nil, err
		}
		return &oauth2.Token{AccessToken: "token", Expiry: time.Now().Add(time.Minute)}, nil
	}))
	return nil
}

type refreshing func() (*oauth2.Token, error)

// Token implements [oauth2.TokenSource].
func (f refreshing) Token() (*oauth2.Token, error) { return f() }

// The handler of an endpoint authorizes anew when its refresh token was revoked, and what it has goes on after a failure.
func TestAccountOfEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := new(browsing)
		u := &upstream{settings: &settings{log: slog.New(slog.DiscardHandler), cfg: Server{
			Endpoint: HTTP{URL: "https://a.example/mcp", OAuthHandler: h}, ConnectTimeout: time.Second,
		}}}
		a := u.ownAccount()
		get := func(what string, authorized int, ok bool) {
			t.Helper()
			if _, err := a.get(t.Context()); (err == nil) != ok || h.authorized != authorized {
				t.Errorf("%s: %v after %d authorizations", what, err, h.authorized)
			}
			time.Sleep(time.Hour)
		}
		get("at first", 1, true)
		get("a refresh", 1, true)
		h.refuse = &oauth2.RetrieveError{Response: &http.Response{StatusCode: 400}, ErrorCode: "invalid_grant"}
		get("a refresh token that was revoked", 2, true)
		h.refuse, h.fail = &oauth2.RetrieveError{Response: &http.Response{StatusCode: 400}, ErrorCode: "invalid_grant"}, errors.New("nobody is there")
		get("nobody logs in", 3, false)
		h.refuse = nil
		get("the authorization server takes it again", 3, true)
	})
}

// A caller whose refresh token was revoked is led to the page of the handler.
func TestAccountRevoked(t *testing.T) {
	const page = "https://desk.example/connect"
	refused := &oauth2.RetrieveError{Response: &http.Response{StatusCode: 400}, ErrorCode: "invalid_grant"}
	for name, fail := range map[string]error{page: &ConnectError{URL: page}, "": errors.New("not now")} {
		a := accountsOf(1, func(context.Context) (auth.OAuthHandler, error) {
			return &browsing{fail: fail, source: refreshing(func() (*oauth2.Token, error) { return nil, refused })}, nil
		})[0]
		var e *CallError
		if _, err := a.get(t.Context()); !errors.As(err, &e) || e.connect == nil || e.connect.page() != name {
			t.Errorf("want the page %q: %+v", name, err)
		}
	}
}
