package upstream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// vault is a ledger whose tool write wants the scope notes:write.
type vault struct {
	*ledger
	wants  string       // the challenge
	denied atomic.Int32 // calls
}

func newVault(t *testing.T, version string, a *authority) *vault {
	v := &vault{ledger: newLedger(t, version, a, plainly)}
	v.wants = fmt.Sprintf(`Bearer error="insufficient_scope", scope="notes:read notes:write", resource_metadata="%s/.well-known/oauth-protected-resource"`, v.URL)
	v.mcp.AddTool(&mcp.Tool{Name: "write", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return text("written by " + req.Extra.TokenInfo.UserID), nil
		})
	next := v.Config.Handler
	v.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(data))
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		info, err := a.verify(r.Context(), token, r)
		if err == nil && bytes.Contains(data, []byte(`"name":"write"`)) && !slices.Contains(info.Scopes, "notes:write") {
			v.denied.Add(1)
			w.Header().Set("WWW-Authenticate", v.wants)
			http.Error(w, "secret of the server", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
	return v
}

// use calls a tool of the vault as a user.
func use(srv *cash.Server, tool, user string) (string, error) {
	ctx, cancel := context.WithTimeout(as(user), patience)
	defer cancel()
	res, err := srv.Call(ctx, &cash.CallRequest{Namespace: "notes", Function: tool})
	if err != nil {
		return "", err
	}
	return res.Text(), nil
}

// wantDenied fails unless err names the scope, and nothing of the server.
func wantDenied(t *testing.T, err error, kind registry.Kind, hint string) {
	t.Helper()
	var e *registry.Error
	if !errors.As(err, &e) || e.Kind != kind || !e.NotRun || e.Details["scope"] != "notes:read notes:write" ||
		!strings.Contains(e.Error(), "wants the scope `notes:read notes:write` of the user's account there (status 403)") || !strings.Contains(e.Error(), hint) ||
		strings.Contains(e.Error(), "secret") {
		t.Errorf("want %v, %q: %v, %+v", kind, hint, err, e)
	}
}

// The SDK's handler for authorization codes steps up: it asks for the scope that the server wants, with what was granted
// before, and the call is repeated once. Other calls go on with the token that there is.
func TestStepUpByHandler(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			a := newAuthority(t, time.Hour)
			v := newVault(t, version, a)
			var asked []string
			var mu sync.Mutex
			browse := func(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
				c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
				resp, err := c.Get(args.URL + "&user=ada")
				if err != nil {
					return nil, err
				}
				_ = resp.Body.Close()
				to, err := resp.Location()
				if err != nil {
					return nil, err
				}
				mu.Lock()
				scopes := strings.Fields(resp.Request.URL.Query().Get("scope"))
				slices.Sort(scopes) // they have no order
				asked = append(asked, strings.Join(scopes, " "))
				mu.Unlock()
				return &auth.AuthorizationResult{Code: to.Query().Get("code"), State: to.Query().Get("state")}, nil
			}
			srv := serving(t, upstream.Server{Label: "notes", Endpoint: v.endpoint(), Credentials: func(context.Context, *registry.Caller) (auth.OAuthHandler, error) {
				return auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
					PreregisteredClient: &oauthex.ClientCredentials{ClientID: "desk"}, RedirectURL: "https://desk.example/callback",
					AuthorizationCodeFetcher: browse,
				})
			}})
			if got, err := use(srv, "whoami", "ada"); got != "ada" {
				t.Fatalf("%q, %v", got, err)
			}
			var both sync.WaitGroup
			for range 8 {
				both.Go(func() {
					if got, err := use(srv, "write", "ada"); got != "written by ada" {
						t.Errorf("%q, %v", got, err)
					}
				})
				both.Go(func() {
					if got, err := use(srv, "whoami", "ada"); got != "ada" {
						t.Errorf("%q, %v", got, err)
					}
				})
			}
			both.Wait()
			mu.Lock()
			defer mu.Unlock()
			if !slices.Equal(asked, []string{"", "notes:read notes:write"}) {
				t.Errorf("the user was asked for %q", asked)
			}
		})
	}
}

// stubborn is a handler that gets new tokens without more rights.
type stubborn struct {
	authority  *authority
	token      *oauth2.Token
	authorized *atomic.Int32
	fail       error
}

// TokenSource implements [auth.OAuthHandler].
func (s *stubborn) TokenSource(context.Context) (oauth2.TokenSource, error) {
	return oauth2.StaticTokenSource(s.token), nil
}

// Authorize implements [auth.OAuthHandler].
func (s *stubborn) Authorize(_ context.Context, _ *http.Request, resp *http.Response) error {
	s.authorized.Add(1)
	if resp.StatusCode != http.StatusForbidden {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	if s.fail == nil {
		s.token = s.authority.issue("ada")
	}
	return s.fail
}

// A handler that gets no more rights is asked once, however often the call is repeated, and each call is sent twice at
// most. The error names the scope. Other calls are not disturbed.
func TestStepUpInVain(t *testing.T) {
	for _, version := range versions {
		for name, fail := range map[string]error{"the same rights": nil, "refused": errors.New("a secret"), "away": context.DeadlineExceeded} {
			t.Run(version+" "+name, func(t *testing.T) {
				a := newAuthority(t, time.Hour)
				v := newVault(t, version, a)
				var authorized atomic.Int32
				h := &stubborn{authority: a, token: a.issue("ada"), authorized: &authorized, fail: fail}
				srv := serving(t, upstream.Server{Label: "notes", Endpoint: v.endpoint(), Credentials: func(context.Context, *registry.Caller) (auth.OAuthHandler, error) {
					return h, nil
				}})
				for range 5 {
					_, err := use(srv, "write", "ada")
					wantDenied(t, err, registry.Denied, "tell the user that the account needs the scope `notes:read notes:write`")
					if got, err := use(srv, "whoami", "ada"); got != "ada" {
						t.Errorf("%q, %v", got, err)
					}
				}
				if authorized.Load() != 1 || v.denied.Load() > 6 {
					t.Errorf("authorized %d times, denied %d times", authorized.Load(), v.denied.Load())
				}
			})
		}
	}
}

// asking is the account of a user in a store. What it lacks, the user grants at a page.
type asking struct{ *stored }

// Authorize implements [auth.OAuthHandler].
func (w asking) Authorize(context.Context, *http.Request, *http.Response) error {
	return &upstream.ConnectError{URL: w.store.page}
}

// A user is asked to connect the account again, by an elicitation where the client can, else by the error. The call goes
// on with the token that the page has stored; until then, other calls go on with the one that there is.
func TestStepUpAtPage(t *testing.T) {
	for _, theirs := range versions {
		for _, ours := range versions {
			t.Run("server "+theirs+", client "+ours, func(t *testing.T) {
				a := newAuthority(t, time.Hour)
				v, s := newVault(t, theirs, a), newAccounts(a)
				s.connect(t, "ada", "ada@notes")
				s.connect(t, "bob", "bob@notes")
				srv := serving(t, upstream.Server{Label: "notes", Endpoint: v.endpoint(), Credentials: func(_ context.Context, c *registry.Caller) (auth.OAuthHandler, error) {
					return asking{&stored{s, c.ID}}, nil
				}})
				grant := func(user string) {
					page := &accounts{config: s.config, tokens: make(map[string]*oauth2.Token)}
					page.config.Scopes = []string{"notes:read", "notes:write"}
					page.connect(t, user, user+"@notes")
					s.keep(user, page.token(user))
				}
				var asked atomic.Int32
				d := cashtest.Dialer{Version: ours, Context: as("ada"), Client: &mcp.ClientOptions{
					Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}}},
					ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						if asked.Add(1) == 1 {
							return &mcp.ElicitResult{Action: "decline"}, nil
						}
						if req.Params.URL != s.page || req.Params.Message != "The server of notes wants more rights of your account (notes:read notes:write). Connect it again to go on." {
							t.Errorf("asked %+v", req.Params)
						}
						go grant("ada") // the person takes a while
						return &mcp.ElicitResult{Action: "accept"}, nil
					},
				}}
				c := d.Connect(t, srv)
				if r := c.Call("notes", "write", nil); !r.IsError || !strings.Contains(r.Text, "does not want to give it now") {
					t.Errorf("declined: %s", r.Text)
				}
				if got := c.Call("notes", "whoami", nil).OK().Text; got != "ada@notes" {
					t.Errorf("another call: %s", got)
				}
				if got := c.Call("notes", "write", nil).OK().Text; got != "written by ada@notes" || asked.Load() != 2 {
					t.Errorf("after %d questions: %s", asked.Load(), got)
				}
				_, err := use(srv, "write", "bob") // a client that cannot be asked
				wantDenied(t, err, registry.Unauthorized, "connect the account again with the scope `notes:read notes:write` at https://desk.example/connect ,")
				if got, err := use(srv, "whoami", "bob"); got != "bob@notes" {
					t.Errorf("another call: %q, %v", got, err)
				}
				grant("bob")
				if got, err := use(srv, "write", "bob"); got != "written by bob@notes" {
					t.Errorf("%q, %v", got, err)
				}
			})
		}
	}
}

// A challenge that is hostile, or of another kind, is not shown, and nothing is authorized for it.
func TestStepUpChallenges(t *testing.T) {
	for challenge, want := range map[string]string{
		`Bearer error="insufficient_scope"`:                                           "wants more rights of",
		`Bearer error="insufficient_scope", scope="` + strings.Repeat("a", 300) + `"`: "wants more rights of",
		`Bearer error="insufficient_scope", scope="a` + "`" + ` b"`:                   "wants more rights of",
		`bearer Error="insufficient_scope", Scope="a  b"`:                             "wants the scope `a b` of",
		`Bearer error="invalid_token", scope="a"`:                                     "does not allow this",
		`Basic realm="insufficient_scope"`:                                            "does not allow this",
		`=,"`:                                                                         "does not allow this",
		strings.Repeat(",", 100_000):                                                  "does not allow this",
		``:                                                                            "does not allow this",
	} {
		a := newAuthority(t, time.Hour)
		v := newVault(t, "2026-07-28", a)
		v.wants = challenge
		var authorized atomic.Int32
		h := &stubborn{authority: a, token: a.issue("ada"), authorized: &authorized, fail: errors.New("no")}
		srv := serving(t, upstream.Server{Label: "notes", Endpoint: v.endpoint(), Credentials: func(context.Context, *registry.Caller) (auth.OAuthHandler, error) {
			return h, nil
		}})
		_, err := use(srv, "write", "ada")
		if !errors.Is(err, registry.Denied) || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%.60q: %v", challenge, err)
		}
		if stepped := authorized.Load() == 1; stepped != strings.HasPrefix(want, "wants") {
			t.Errorf("%.60q: authorized %d times", challenge, authorized.Load())
		}
	}
}
