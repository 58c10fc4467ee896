package upstream

import (
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
