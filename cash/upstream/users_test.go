package upstream_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
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
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

var userCalls = flag.Int64("usercalls", 10_000/min(raceFactor, 10), "how many calls TestUsersDoNotCross makes")

// whoami calls the tool of a ledger as a user.
func whoami(srv *cash.Server, label, user string) (string, error) {
	ctx, cancel := context.WithTimeout(as(user), patience)
	defer cancel()
	res, err := srv.Call(ctx, &cash.CallRequest{Namespace: label, Function: "whoami"})
	if err != nil {
		return "", err
	}
	return res.Text(), nil
}

// TestUsersDoNotCross makes calls of two users at two servers, of which one keeps sessions and each has an authorization
// server of its own. Tokens expire and are revoked meanwhile.
func TestUsersDoNotCross(t *testing.T) {
	users := []string{"ada", "bob"}
	var servers []upstream.Server
	authorities, ledgers, stores := make(map[string]*authority), make(map[string]*ledger), make(map[string]*accounts)
	for label, version := range map[string]string{"stateful": "2025-11-25", "stateless": "2026-07-28"} {
		a := newAuthority(t, 11*time.Second) // a token is renewed ten seconds before its end
		l, s := newLedger(t, version, a, fast), newAccounts(a)
		for _, user := range users {
			s.connect(t, user, user+"@"+label)
		}
		authorities[label], ledgers[label], stores[label] = a, l, s
		servers = append(servers, upstream.Server{Label: label, Endpoint: l.reusing(t), Credentials: s.credentials, Concurrency: 32})
	}
	srv := serving(t, servers...)
	labels := []string{"stateful", "stateless"}

	calls := *userCalls
	var next, disconnected atomic.Int64
	var gone atomic.Bool // bob's accounts
	var connected, revoked sync.Once
	var work sync.WaitGroup
	for range 16 {
		work.Go(func() {
			for i := next.Add(1); i <= calls; i = next.Add(1) {
				label, user := labels[i%2], users[i/2%2]
				switch {
				case i == calls/3:
					authorities["stateful"].revoke("ada@stateful", false)
					authorities["stateless"].revoke("ada@stateless", false)
				case i >= calls/2:
					revoked.Do(func() {
						gone.Store(true)
						for _, l := range labels {
							authorities[l].revoke("bob@"+l, true)
						}
					})
				}
				got, err := whoami(srv, label, user)
				switch {
				case err == nil && got == user+"@"+label:
				case err != nil && user == "bob" && errors.Is(err, registry.Unauthorized) && gone.Load():
					if disconnected.Add(1); i >= calls*3/4 {
						connected.Do(func() {
							for _, l := range labels {
								stores[l].connect(t, "bob", "bob@"+l)
							}
						})
					}
				default:
					t.Errorf("call %d of %s at %s: %q, %v", i, user, label, got, err)
					return
				}
			}
		})
	}
	work.Wait()
	for _, label := range labels {
		for _, user := range users {
			if got, err := whoami(srv, label, user); got != user+"@"+label {
				t.Errorf("at the end %s is %q at %s: %v", user, got, label, err)
			}
		}
		a, l := authorities[label], ledgers[label]
		if len(a.faults) > 0 {
			t.Errorf("%s: %d faults: %s", label, len(a.faults), a.faults[0])
		}
		if l.calls["service"] > 0 {
			t.Errorf("%s: %d calls with the identity of the service", label, l.calls["service"])
		}
		t.Logf("%s: %d and %d calls, %d and %d renewals, sessions %v", label, l.calls["ada@"+label], l.calls["bob@"+label],
			a.count("refresh_token", "ada@"+label), a.count("refresh_token", "bob@"+label), l.opened)
		if a.count("refresh_token", "ada@"+label) == 0 {
			t.Errorf("%s: no token was renewed", label)
		}
		if label == "stateless" && len(l.opened) > 0 || label == "stateful" && (l.opened["ada@stateful"] == 0 || l.opened["service"] != 1) {
			t.Errorf("%s: sessions of %v", label, l.opened)
		}
	}
	if disconnected.Load() == 0 {
		t.Error("nobody was told to connect an account")
	}
}

// TestUserErrors holds what callers without a usable account are told.
func TestUserErrors(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			a := newAuthority(t, time.Hour)
			l, s := newLedger(t, version, a, plainly), newAccounts(a)
			srv := serving(t, upstream.Server{Label: "notes", Endpoint: l.endpoint(), Credentials: s.credentials})
			s.connect(t, "ada", "ada@notes")
			s.connect(t, "eve", "ada@notes") // to be disconnected below
			a.revoke("ada@notes", true)
			s.connect(t, "ada", "ada@notes")
			for user, want := range map[string]string{
				"":    "this caller is not known. The function was not run. Tell the user to sign in to this server first.",
				"bob": "account for `notes` is not connected. The function was not run. Tell the user to connect the account at https://desk.example/connect ,",
				"eve": "account for `notes` is not connected. The function was not run. Tell the user to connect the account at https://desk.example/connect ,",
			} {
				_, err := whoami(srv, "notes", user)
				if !errors.Is(err, registry.Unauthorized) || !strings.Contains(fmt.Sprint(err), want) || strings.Contains(err.Error(), "ada") {
					t.Errorf("%q is told: %v", user, err)
				}
				var e *registry.Error
				if errors.As(err, &e) && (!e.NotRun || user != "" && (e.Details[registry.DetailReason] != registry.ReasonConnect || e.Details["url"] != s.page)) {
					t.Errorf("%q gets the details %v", user, e.Details)
				}
			}
			if got, err := whoami(srv, "notes", "ada"); got != "ada@notes" {
				t.Errorf("ada is %q: %v", got, err)
			}
			if len(l.calls) != 1 {
				t.Errorf("calls of %v", l.calls)
			}
		})
	}
}

// TestUserConfiguration holds which servers can have accounts of callers.
func TestUserConfiguration(t *testing.T) {
	agg := upstream.New(registry.New(nil), nil)
	defer agg.Close(t.Context())
	own := func(context.Context, *registry.Caller) (auth.OAuthHandler, error) { return nil, nil }
	for want, s := range map[string]upstream.Server{
		"a process has one identity":    {Label: "a", Endpoint: upstream.Command{Path: "true"}, Credentials: own},
		"a connection in memory has no": {Label: "a", Endpoint: upstream.InMemory{Server: silentTools()}, Credentials: own},
		"max users is negative":         {Label: "a", Endpoint: upstream.HTTP{URL: "http://localhost:1"}, Credentials: own, MaxUsers: -1},
	} {
		if err := agg.Add(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	d := upstream.Discovery{URL: "https://a.example/.well-known/cash-mcp.yaml", Label: "a", Server: upstream.Server{Credentials: own}}
	if err := agg.Discover(d); err == nil || !strings.Contains(err.Error(), "at an address that you give") {
		t.Errorf("a manifest: %v", err)
	}
}

// TestUserConnects holds that a caller without an account is asked to open the page where to connect one, and that the
// call goes on then. Only one of the calls at a time asks.
func TestUserConnects(t *testing.T) {
	url, form := &mcp.URLElicitationCapabilities{}, &mcp.FormElicitationCapabilities{}
	for _, theirs := range versions {
		for _, ours := range versions {
			for name, caps := range map[string]*mcp.ElicitationCapabilities{"url": {URL: url}, "both": {URL: url, Form: form}, "form": {Form: form}} {
				t.Run("server "+theirs+", client "+ours+", "+name, func(t *testing.T) {
					a := newAuthority(t, time.Hour)
					l, s := newLedger(t, theirs, a, plainly), newAccounts(a)
					srv := serving(t, upstream.Server{Label: "notes", Endpoint: l.endpoint(), Credentials: s.credentials})
					var asked atomic.Int32
					d := cashtest.Dialer{Version: ours, Context: as("ada"), Client: &mcp.ClientOptions{
						Capabilities: &mcp.ClientCapabilities{Elicitation: caps},
						ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
							if asked.Add(1); req.Params.Mode != "url" || req.Params.URL != s.page || req.Params.ElicitationID == "" ||
								req.Params.Message != "Connect your account for notes to go on." {
								t.Errorf("asked %+v", req.Params)
							}
							go s.connect(t, "ada", "ada@notes") // the person takes a while
							return &mcp.ElicitResult{Action: "accept"}, nil
						},
					}}
					c := d.Connect(t, srv)
					if name == "form" {
						if r := c.Call("notes", "whoami", nil); !r.IsError || !strings.Contains(r.Text, s.page) || asked.Load() > 0 {
							t.Errorf("%v %q after %d questions", r.IsError, r.Text, asked.Load())
						}
						return
					}
					var both sync.WaitGroup
					for range 2 {
						both.Go(func() {
							if got := c.Call("notes", "whoami", nil).OK().Text; got != "ada@notes" {
								t.Errorf("the answer is %q", got)
							}
						})
					}
					both.Wait()
					if asked.Load() != 1 {
						t.Errorf("%d questions", asked.Load())
					}
				})
			}
		}
	}
}

// TestUserDeclines holds that a caller who does not want to connect an account is not asked for longer.
func TestUserDeclines(t *testing.T) {
	for _, ours := range versions {
		a := newAuthority(t, time.Hour)
		l, s := newLedger(t, ours, a, plainly), newAccounts(a)
		srv := serving(t, upstream.Server{Label: "notes", Endpoint: l.endpoint(), Credentials: s.credentials})
		d := cashtest.Dialer{Version: ours, Context: as("ada"), Client: &mcp.ClientOptions{
			Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}}},
			ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				return &mcp.ElicitResult{Action: "decline"}, nil
			},
		}}
		if r := d.Connect(t, srv).Call("notes", "whoami", nil); !r.IsError || !strings.Contains(r.Text, "does not want to connect it now") {
			t.Errorf("%s: %v %q", ours, r.IsError, r.Text)
		}
	}
}

// TestUserRequests holds what reaches a server: each call with the credential of its caller and nothing of the service,
// the catalog with the identity of the service, and never what the caller sent here.
func TestUserRequests(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			a := newAuthority(t, time.Hour)
			l, s := newLedger(t, version, a, recording), newAccounts(a)
			l.mcp.AddResource(&mcp.Resource{Name: "diary", URI: "diary://today"}, func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{
					Cacheable: mcp.Cacheable{TTLMs: 1_000_000, CacheScope: "public"},
					Contents:  []*mcp.ResourceContents{{URI: req.Params.URI, Text: "diary of " + req.Extra.TokenInfo.UserID}},
				}, nil
			})
			jar, _ := cookiejar.New(nil)
			endpoint := l.endpoint()
			endpoint.Client = &http.Client{Jar: jar, Transport: &oauth2.Transport{Source: oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "service"})}}
			resources := registry.New(nil)
			_, _, reg := aggregate(t, &upstream.Options{Resources: resources},
				upstream.Server{Label: "notes", Endpoint: endpoint, Credentials: s.credentials})
			diaries := cash.NewServer(resources, nil)
			inbound := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
				return &auth.TokenInfo{UserID: strings.TrimPrefix(token, "inbound-"), Expiration: time.Now().Add(time.Hour)}, nil
			}
			face := cash.NewServer(reg, &cash.Options{Serve: serve.Options{VerifyToken: inbound}})
			web := httptest.NewServer(face.Handler())
			t.Cleanup(web.Close)
			for _, user := range []string{"ada", "bob", "ada"} {
				s.connect(t, user, user+"@notes")
				d := cashtest.Dialer{HTTPClient: &http.Client{Transport: &oauth2.Transport{
					Source: oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "inbound-" + user})}}}
				if got := d.ConnectHTTP(t, web.URL).Call("notes", "whoami", nil).OK().Text; got != user+"@notes" {
					t.Errorf("%s is %q", user, got)
				}
				res, err := diaries.Call(as(user), &cash.CallRequest{Namespace: "notes", Function: "diary"})
				if err != nil || !strings.Contains(asJSON(res.Content), `"diary of `+user+`@notes"`) {
					t.Errorf("%s reads %s, %v", user, asJSON(res), err)
				}
			}
			own := 0
			for _, r := range l.requests() {
				bearer, of := r.header.Get("Authorization"), ""
				for _, user := range []string{"ada", "bob"} {
					if strings.HasPrefix(bearer, "Bearer "+user+"@notes-") {
						of = user
					}
				}
				all := fmt.Sprint(r.header, r.body)
				if strings.Contains(all, "inbound") || len(r.header["Authorization"]) != 1 || r.header.Get("Cookie") != "" {
					t.Errorf("%s: %s", r.method, all)
				}
				if of != "" && (strings.Contains(all, "Bearer service") || r.header.Get("X-Service-Key") != "") {
					t.Errorf("%s of %s has the identity of the service: %s", r.method, of, all)
				}
				switch r.method {
				case "tools/call", "resources/read":
					if own++; of == "" {
						t.Errorf("%s as %q", r.method, bearer)
					}
				case "tools/list", "resources/list":
					if bearer != "Bearer service" || r.header.Get("X-Service-Key") == "" {
						t.Errorf("%s as %q", r.method, bearer)
					}
				case "":
					t.Errorf("an unknown request: %s", all)
				}
			}
			if own != 6 {
				t.Errorf("%d requests of users", own)
			}
		})
	}
}

// inTime waits for what must happen soon.
func inTime(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in time: %s", what)
		}
	}
}

// TestUserSessions holds that the sessions of users are bounded and end when they are not used, and those of all when
// the server is removed.
func TestUserSessions(t *testing.T) {
	a := newAuthority(t, time.Hour)
	l, s := newLedger(t, "2025-11-25", a, plainly), newAccounts(a)
	hold := make(chan struct{})
	l.mcp.AddTool(&mcp.Tool{Name: "hold", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			<-hold
			return text("held"), nil
		})
	server := upstream.Server{Label: "notes", Endpoint: l.endpoint(), Credentials: s.credentials, MaxUsers: 2, Idle: time.Hour}
	srv, agg, _ := aggregate(t, nil, server)
	present := func(n int) func() bool {
		return func() bool {
			l.mu.Lock()
			defer l.mu.Unlock()
			return l.present == n
		}
	}
	for i := range 5 {
		user := fmt.Sprint("user", i)
		s.connect(t, user, user)
		for range 3 {
			if got, err := whoami(srv, "notes", user); got != user {
				t.Fatalf("%s is %q: %v", user, got, err)
			}
		}
		inTime(t, "earlier sessions end", present(min(i+1, 2)+1))
	}
	var held sync.WaitGroup
	for _, user := range []string{"user3", "user4"} {
		held.Go(func() {
			if res, err := srv.Call(as(user), &cash.CallRequest{Namespace: "notes", Function: "hold"}); err != nil || res.Text() != "held" {
				t.Errorf("%v", err)
			}
		})
	}
	inTime(t, "two calls run", func() bool { return agg.Status()[0].InFlight == 2 })
	if _, err := whoami(srv, "notes", "user0"); !errors.Is(err, registry.RateLimited) || !strings.Contains(err.Error(), "too many users") {
		t.Errorf("a third user is told: %v", err)
	}
	close(hold)
	held.Wait()
	server.Idle = 50 * time.Millisecond
	if err := agg.Update(server); err != nil {
		t.Fatal(err)
	}
	if err := agg.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	inTime(t, "all sessions end but the one of the new server", func() bool { return present(1)() || present(0)() }) // it ends when it is not used
	if got, err := whoami(srv, "notes", "user0"); got != "user0" {
		t.Errorf("user0 is %q: %v", got, err)
	}
	inTime(t, "the sessions end that are not used", present(0))
}

// TestUserMessages holds that what a server with sessions sends during a call, which names no call, reaches its user
// while calls of other users run.
func TestUserMessages(t *testing.T) {
	a := newAuthority(t, time.Hour)
	l, s := newLedger(t, "2025-11-25", a, plainly), newAccounts(a)
	var both sync.WaitGroup
	both.Add(2)
	l.mcp.AddTool(&mcp.Tool{Name: "greet", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			both.Done()
			both.Wait()
			user := req.Extra.TokenInfo.UserID
			//lint:ignore SA1019 what servers of this version do
			_ = req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: "log for " + user})
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: 1, Message: "progress for " + user})
			a, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "a question for " + user, RequestedSchema: askSchema})
			if err != nil || a.Action != "accept" {
				return text("nobody"), err
			}
			return text(user + " is " + a.Content["name"].(string)), nil
		})
	_, _, reg := aggregate(t, nil, upstream.Server{Label: "notes", Endpoint: l.endpoint(), Credentials: s.credentials})
	face := cash.NewServer(reg, &cash.Options{Serve: serve.Options{Logging: true}})
	var calls sync.WaitGroup
	var told []func() bool
	for _, user := range []string{"ada", "bob"} {
		s.connect(t, user, user)
		var mu sync.Mutex
		var got []string
		note := func(s string) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, s)
		}
		d := cashtest.Dialer{Version: "2025-11-25", Context: as(user), Client: &mcp.ClientOptions{
			ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				note(req.Params.Message)
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": user}}, nil
			},
			//lint:ignore SA1019 what clients of this version do
			LoggingMessageHandler:       func(_ context.Context, r *mcp.LoggingMessageRequest) { note(fmt.Sprint(r.Params.Data)) },
			ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { note(r.Params.Message) },
		}}
		c := d.Connect(t, face)
		//lint:ignore SA1019 how clients of this version ask for logs
		if err := c.Session.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "debug"}); err != nil {
			t.Fatal(err)
		}
		calls.Go(func() {
			p := &mcp.CallToolParams{Name: "call", Arguments: map[string]any{"namespace": "notes", "function": "greet"}}
			p.SetProgressToken("mine")
			res, err := c.Session.CallTool(t.Context(), p)
			if err != nil || !strings.Contains(asJSON(res), user+" is "+user) {
				t.Errorf("%s gets %s, %v", user, asJSON(res), err)
			}
		})
		told = append(told, func() bool {
			mu.Lock()
			defer mu.Unlock()
			slices.Sort(got)
			return slices.Equal(got, []string{"a question for " + user, "log for " + user, "progress for " + user})
		})
	}
	calls.Wait()
	for _, told := range told {
		inTime(t, "both get what is meant for them", told) // notifications may come after the answer
	}
}

// TestUserBreaker holds that a user whom a server refuses does not close it for others.
func TestUserBreaker(t *testing.T) {
	for _, version := range versions {
		a := newAuthority(t, time.Hour)
		l, s := newLedger(t, version, a, plainly), newAccounts(a)
		s.connect(t, "ada", "ada")
		stubborn := s.token("ada")
		a.revoke("ada", true)
		srv, agg, _ := aggregate(t, nil, upstream.Server{Label: "notes", Endpoint: l.endpoint(),
			Credentials: func(ctx context.Context, c *registry.Caller) (auth.OAuthHandler, error) {
				if c.ID == "ada" {
					return oneToken{stubborn}, nil
				}
				return s.credentials(ctx, c)
			}})
		s.connect(t, "bob", "bob")
		for range 20 {
			if _, err := whoami(srv, "notes", "ada"); !errors.Is(err, registry.Unauthorized) || !strings.Contains(err.Error(), "refuses the user's account") {
				t.Errorf("%s: ada is told %v", version, err)
			}
		}
		if got, err := whoami(srv, "notes", "bob"); got != "bob" || agg.Status()[0].State != upstream.Connected {
			t.Errorf("%s: bob is %q: %v; the server is %v", version, got, err, agg.Status()[0].State)
		}
	}
}

// oneToken has one token for ever.
type oneToken struct{ token *oauth2.Token }

// TokenSource implements [auth.OAuthHandler].
func (f oneToken) TokenSource(context.Context) (oauth2.TokenSource, error) {
	return oauth2.StaticTokenSource(f.token), nil
}

// Authorize implements [auth.OAuthHandler].
func (f oneToken) Authorize(context.Context, *http.Request, *http.Response) error { return nil }

// blocked gets its token when it is let to.
type blocked struct {
	oneToken
	asked *atomic.Int32
	gate  <-chan struct{}
}

// TokenSource implements [auth.OAuthHandler].
func (b blocked) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	b.asked.Add(1)
	<-b.gate
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return b.oneToken.TokenSource(ctx)
}

// TestUserTokensCoalesce holds that one attempt serves all calls that wait for a token, and that the call that began it
// may leave.
func TestUserTokensCoalesce(t *testing.T) {
	a := newAuthority(t, time.Hour)
	l, s := newLedger(t, "2026-07-28", a, plainly), newAccounts(a)
	s.connect(t, "ada", "ada")
	gate, asked := make(chan struct{}), new(atomic.Int32)
	srv, agg, _ := aggregate(t, nil, upstream.Server{Label: "notes", Endpoint: l.endpoint(),
		Credentials: func(context.Context, *registry.Caller) (auth.OAuthHandler, error) {
			return blocked{oneToken{s.token("ada")}, asked, gate}, nil
		}})
	first, leave := context.WithCancel(as("ada"))
	var calls sync.WaitGroup
	calls.Go(func() {
		if _, err := srv.Call(first, &cash.CallRequest{Namespace: "notes", Function: "whoami"}); !errors.Is(err, registry.Canceled) {
			t.Errorf("the first call: %v", err)
		}
	})
	inTime(t, "the token is asked for", func() bool { return asked.Load() == 1 })
	for range 30 {
		calls.Go(func() {
			if got, err := whoami(srv, "notes", "ada"); got != "ada" {
				t.Errorf("ada is %q: %v", got, err)
			}
		})
	}
	inTime(t, "all calls wait", func() bool { return agg.Status()[0].InFlight == 31 })
	leave()
	close(gate)
	calls.Wait()
	if asked.Load() != 1 {
		t.Errorf("the token was asked for %d times", asked.Load())
	}
}

// TestUserFromLoginToServer holds that the SDK's client finds its way from status 401 to a token for this server
// (RFC 9728), and that its user's calls then have another token at the server behind.
func TestUserFromLoginToServer(t *testing.T) {
	here, there := newAuthority(t, time.Hour), newAuthority(t, time.Hour)
	for _, version := range versions {
		l, s := newLedger(t, version, there, recording), newAccounts(there)
		s.connect(t, "ada", "ada@notes")
		_, _, reg := aggregate(t, nil, upstream.Server{Label: "notes", Endpoint: l.endpoint(), Credentials: s.credentials})
		web := httptest.NewUnstartedServer(nil)
		url := "http://" + web.Listener.Addr().String() + "/mcp"
		face := cash.NewServer(reg, &cash.Options{Serve: serve.Options{
			VerifyToken: here.verify,
			Resource:    &oauthex.ProtectedResourceMetadata{Resource: url, AuthorizationServers: []string{here.URL}},
		}})
		mux := http.NewServeMux()
		mux.Handle("/mcp", face.Handler())
		mux.Handle(face.ResourceHandler())
		web.Config.Handler = mux
		web.Start()
		t.Cleanup(web.Close)

		login, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
			PreregisteredClient: &oauthex.ClientCredentials{ClientID: "app"}, RedirectURL: "http://localhost/callback",
			AuthorizationCodeFetcher: func(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
				c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
				resp, err := c.Get(args.URL + "&user=ada")
				if err != nil {
					return nil, err
				}
				defer resp.Body.Close()
				to, err := resp.Location()
				if err != nil {
					return nil, err
				}
				return &auth.AuthorizationResult{Code: to.Query().Get("code"), State: to.Query().Get("state")}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		client := new(cashtest.Dialer).Dial(t, &mcp.StreamableClientTransport{Endpoint: url, OAuthHandler: login})
		if got := client.Call("notes", "whoami", nil).OK().Text; got != "ada@notes" {
			t.Errorf("%s: ada is %q", version, got)
		}
		source, err := login.TokenSource(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		token, err := source.Token()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range l.requests() {
			if strings.Contains(fmt.Sprint(r.header, r.body), token.AccessToken) {
				t.Errorf("%s: the token for this server reached the one behind", version)
			}
		}
	}
	if n := here.count("authorization_code", "ada"); n != len(versions) {
		t.Errorf("%d logins", n)
	}
}

// TestUserAtCaSHServer holds that a call behind a CaSH server and its dry run are made with the account of the caller,
// while pages of help are read with the identity of the service.
func TestUserAtCaSHServer(t *testing.T) {
	for mode, name := range map[serve.HTTPMode]string{serve.SessionsOnly: "sessions", serve.NoSessions: "no sessions"} {
		t.Run(name, func(t *testing.T) {
			a := newAuthority(t, time.Hour)
			s := newAccounts(a)
			s.connect(t, "ada", "ada@shop")
			inner := registry.New(nil)
			inner.Namespace("orders", "Orders.").Add(registry.Func("create", "Create an order.", func(ctx context.Context, _ createOrder) (string, error) {
				return registry.CallerFrom(ctx).ID, nil
			}))
			face := cash.NewServer(inner, &cash.Options{Serve: serve.Options{
				HTTP: mode, Controls: &control.Controls{Policy: control.NewPolicy(&control.PolicyOptions{
					Rules: []control.Rule{{Tools: []string{"**"}, Roles: []string{"user"}, Decision: control.Allow}}})},
				VerifyToken: func(ctx context.Context, token string, r *http.Request) (*auth.TokenInfo, error) {
					if token == "service" {
						return &auth.TokenInfo{UserID: token, Expiration: time.Now().Add(time.Hour)}, nil
					}
					info, err := a.verify(ctx, token, r)
					if err == nil {
						info.Scopes = []string{"user"}
					}
					return info, err
				},
			}})
			web := httptest.NewServer(face.Handler())
			t.Cleanup(web.Close)
			_, _, reg := aggregate(t, nil, upstream.Server{
				Label: "shop", Credentials: s.credentials,
				Endpoint: upstream.HTTP{URL: web.URL, Header: http.Header{"Authorization": {"Bearer service"}}},
			})
			srv := cash.NewServer(reg, nil)
			if page, err := srv.Help(as("bob"), &cash.HelpRequest{Namespace: "shop.orders", Function: "create"}); err != nil || !strings.Contains(page, "customer_id") {
				t.Errorf("the page is %q, %v", page, err)
			}
			res, err := srv.Call(as("ada"), &cash.CallRequest{Namespace: "shop.orders", Function: "create", Kwargs: json.RawMessage(goodOrder)})
			if err != nil || res.Text() != "ada@shop" {
				t.Errorf("ada is %v, %v", res, err)
			}
			g := gateway.NewServer(reg, nil)
			r, err := dryRun(t, g, as("ada"), reg, "shop.orders", goodOrder)
			if status, _ := r.check("shop", "policy"); err != nil || status != "pass" {
				t.Errorf("the policy of the server says %+v of ada's dry run, %v", r, err)
			}
			if r, err := dryRun(t, g, as("bob"), reg, "shop.orders", goodOrder); !errors.Is(err, registry.Unauthorized) {
				t.Errorf("bob's dry run is %+v, %v", r, err)
			}
		})
	}
}
