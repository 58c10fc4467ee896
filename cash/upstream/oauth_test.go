package upstream_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// authority is an authorization server: authorization codes with PKCE, refresh tokens that rotate, client credentials,
// token exchange, JWT bearer grants, and revocation. It knows who has logged in by the parameter user.
type authority struct {
	*httptest.Server
	life time.Duration // of access tokens

	mu      sync.Mutex
	codes   map[string]codeGrant
	access  map[string]grant
	refresh map[string]grant
	used    map[string]bool // refresh tokens
	counts  map[string]int  // of grants, by type and user
	faults  []string        // what an honest client does not do
}

type codeGrant struct{ user, challenge, scope string }

type grant struct {
	user    string
	scope   string
	expires time.Time // of access tokens
	access  string    // of refresh tokens: the access token that came with it
}

func newAuthority(t testing.TB, life time.Duration) *authority {
	a := startAuthority(life)
	t.Cleanup(a.Close)
	return a
}

func startAuthority(life time.Duration) *authority {
	a := &authority{
		life: life, codes: make(map[string]codeGrant), access: make(map[string]grant), refresh: make(map[string]grant),
		used: make(map[string]bool), counts: make(map[string]int),
	}
	mux := http.NewServeMux()
	meta := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"issuer": a.URL, "authorization_endpoint": a.URL + "/authorize", "token_endpoint": a.URL + "/token",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
		})
	}
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", meta)
	mux.HandleFunc("GET /.well-known/openid-configuration", meta)
	mux.HandleFunc("GET /authorize", a.authorize)
	mux.HandleFunc("POST /token", a.token)
	a.Server = httptest.NewServer(mux)
	return a
}

func (a *authority) authorize(w http.ResponseWriter, r *http.Request) {
	code := rand.Text()
	a.mu.Lock()
	a.codes[code] = codeGrant{r.FormValue("user"), r.FormValue("code_challenge"), r.FormValue("scope")}
	a.mu.Unlock()
	to, _ := url.Parse(r.FormValue("redirect_uri"))
	to.RawQuery = url.Values{"code": {code}, "state": {r.FormValue("state")}}.Encode()
	http.Redirect(w, r, to.String(), http.StatusFound)
}

func (a *authority) token(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	user, scope, kind := "", "", r.FormValue("grant_type")
	switch kind {
	case "authorization_code":
		c, ok := a.codes[r.FormValue("code")]
		delete(a.codes, r.FormValue("code"))
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		if ok && base64.RawURLEncoding.EncodeToString(sum[:]) == c.challenge {
			user, scope = c.user, c.scope
		}
	case "refresh_token":
		scope = a.refresh[r.FormValue("refresh_token")].scope
		user = a.renewed(r.FormValue("refresh_token"))
	case "client_credentials":
		user, _, _ = r.BasicAuth()
		if user == "" {
			user = r.FormValue("client_id")
		}
	case "urn:ietf:params:oauth:grant-type:token-exchange":
		user = strings.TrimPrefix(r.FormValue("subject_token"), "id-token-of-")
	case "urn:ietf:params:oauth:grant-type:jwt-bearer":
		if g, ok := a.access[r.FormValue("assertion")]; ok {
			user = g.user
		}
	}
	w.Header().Set("Content-Type", "application/json")
	if user == "" {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":"invalid_grant","error_description":"secret of the authority"}`))
		return
	}
	a.counts[kind+" "+user]++
	access, refresh := user+"-"+rand.Text(), user+"-again-"+rand.Text()
	a.access[access] = grant{user: user, scope: scope, expires: time.Now().Add(a.life)}
	a.refresh[refresh] = grant{user: user, scope: scope, access: access}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"access_token": access, "token_type": "Bearer", "expires_in": int(a.life / time.Second), "refresh_token": refresh,
		"issued_token_type": "urn:ietf:params:oauth:token-type:id-jag", "id_token": "id-token-of-" + user,
	})
}

// issue returns a token of a user, as if the user had been there.
func (a *authority) issue(user string) *oauth2.Token {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := &oauth2.Token{AccessToken: user + "-" + rand.Text(), Expiry: time.Now().Add(a.life)}
	a.access[t.AccessToken] = grant{user: user, expires: t.Expiry}
	return t
}

// renewed takes a refresh token. The clients here renew ten seconds before the end of an access token, not earlier, and
// once. One that was revoked before its use may come again: a client that hears of that looks for another account.
func (a *authority) renewed(token string) string {
	g, ok := a.refresh[token]
	delete(a.refresh, token)
	if a.used[token] {
		a.faults = append(a.faults, "a refresh token was used twice")
	}
	a.used[token] = ok || a.used[token]
	if access, valid := a.access[g.access]; valid && time.Until(access.expires) > 10*time.Second {
		a.faults = append(a.faults, "a token was renewed before its time")
	}
	if !ok {
		return ""
	}
	return g.user
}

// revoke ends the access tokens of a user; all also the refresh tokens.
func (a *authority) revoke(user string, all bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	of := func(_ string, g grant) bool { return g.user == user }
	maps.DeleteFunc(a.access, of)
	if all {
		maps.DeleteFunc(a.refresh, of)
	}
}

func (a *authority) count(kind, user string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.counts[kind+" "+user]
}

// verify is a token verifier.
func (a *authority) verify(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	g, ok := a.access[token]
	if !ok || time.Now().After(g.expires) {
		return nil, auth.ErrInvalidToken
	}
	return &auth.TokenInfo{UserID: g.user, Scopes: strings.Fields(g.scope), Expiration: g.expires}, nil
}

// accounts are what an embedder has: the accounts of its users at a server, and a page where they connect one.
type accounts struct {
	config oauth2.Config
	page   string

	mu     sync.Mutex
	tokens map[string]*oauth2.Token
}

func newAccounts(a *authority) *accounts {
	return &accounts{
		page: "https://desk.example/connect", tokens: make(map[string]*oauth2.Token),
		config: oauth2.Config{
			ClientID: "desk", RedirectURL: "https://desk.example/callback",
			Endpoint: oauth2.Endpoint{AuthURL: a.URL + "/authorize", TokenURL: a.URL + "/token", AuthStyle: oauth2.AuthStyleInParams},
		},
	}
}

// connect is what the page does: it leads user to the authorization server, as login there, and keeps the tokens.
func (s *accounts) connect(t testing.TB, user, login string) {
	t.Helper()
	verifier := oauth2.GenerateVerifier()
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := c.Get(s.config.AuthCodeURL("state", oauth2.S256ChallengeOption(verifier)) + "&user=" + login)
	if err != nil {
		t.Error(err)
		return
	}
	_ = resp.Body.Close()
	to, err := resp.Location()
	if err != nil {
		t.Error(err)
		return
	}
	token, err := s.config.Exchange(context.Background(), to.Query().Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		t.Error(err)
		return
	}
	s.keep(user, token)
}

func (s *accounts) keep(user string, token *oauth2.Token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[user] = token
}

// drop forgets a token, unless the user has connected an account meanwhile.
func (s *accounts) drop(user string, token *oauth2.Token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tokens[user] == token {
		delete(s.tokens, user)
	}
}

func (s *accounts) token(user string) *oauth2.Token {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tokens[user]
}

// credentials is for [upstream.Server].
func (s *accounts) credentials(_ context.Context, c *registry.Caller) (auth.OAuthHandler, error) {
	if s.token(c.ID) == nil {
		return nil, &upstream.ConnectError{URL: s.page}
	}
	return &stored{s, c.ID}, nil
}

// stored is the account of a user.
type stored struct {
	store *accounts
	user  string
}

// TokenSource implements [auth.OAuthHandler].
func (s *stored) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	return s.saving(ctx, s.store.token(s.user)), nil
}

func (s *stored) saving(ctx context.Context, was *oauth2.Token) oauth2.TokenSource {
	return sourceFunc(func() (*oauth2.Token, error) {
		if was == nil {
			return nil, &upstream.ConnectError{URL: s.store.page}
		}
		t, err := s.store.config.TokenSource(ctx, was).Token()
		if err == nil && t.AccessToken != was.AccessToken {
			s.store.keep(s.user, t)
		}
		return t, err
	})
}

// Authorize implements [auth.OAuthHandler]: it tries the refresh token once more.
func (s *stored) Authorize(ctx context.Context, _ *http.Request, resp *http.Response) error {
	_ = resp.Body.Close()
	was := s.store.token(s.user)
	if was == nil {
		return &upstream.ConnectError{URL: s.store.page}
	}
	var refused *oauth2.RetrieveError
	_, err := s.saving(ctx, &oauth2.Token{RefreshToken: was.RefreshToken}).Token()
	if errors.As(err, &refused) {
		s.store.drop(s.user, was)
		return &upstream.ConnectError{URL: s.store.page}
	}
	return err
}

type sourceFunc func() (*oauth2.Token, error)

// Token implements [oauth2.TokenSource].
func (f sourceFunc) Token() (*oauth2.Token, error) { return f() }

// ledger is a server that records its requests. Its tool whoami says whose token a call has; a session belongs to the
// user that began it.
type ledger struct {
	*httptest.Server
	authority *authority
	mcp       *mcp.Server

	mu      sync.Mutex
	seen    []seenRequest
	calls   map[string]int // of the tool, by user
	opened  map[string]int // sessions, by user
	closed  map[string]int
	present int
	most    int
}

type seenRequest struct {
	method string // of JSON-RPC, or HTTP
	header http.Header
	body   string
}

// recorded is what a ledger keeps of its requests.
type recorded int

const (
	plainly   recorded = iota
	recording          // keeps all requests
	fast               // as plainly, and answers without streams
)

// newLedger returns a server of a protocol version with an authorization server. The token "service" is that of the
// service itself.
func newLedger(t testing.TB, version string, a *authority, record recorded) *ledger {
	l := startLedger(version, a, record)
	t.Cleanup(l.Close)
	return l
}

func startLedger(version string, a *authority, record recorded) *ledger {
	l := &ledger{authority: a, calls: make(map[string]int), opened: make(map[string]int), closed: make(map[string]int)}
	l.mcp = mcp.NewServer(&mcp.Implementation{Name: "ledger", Version: "1"}, &mcp.ServerOptions{SupportedProtocolVersions: []string{version}})
	l.mcp.AddTool(&mcp.Tool{Name: "whoami", InputSchema: json.RawMessage(`{"type":"object"}`), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			user := req.Extra.TokenInfo.UserID
			l.mu.Lock()
			l.calls[user]++
			l.mu.Unlock()
			return text(user), nil
		})
	h := http.Handler(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return l.mcp },
		&mcp.StreamableHTTPOptions{Stateless: version > "2025-11-25", PropagateRequestCancellation: true, JSONResponse: record == fast}))
	h = l.sessions(h)
	h = auth.RequireBearerToken(func(ctx context.Context, token string, r *http.Request) (*auth.TokenInfo, error) {
		if token == "service" {
			return &auth.TokenInfo{UserID: "service", Expiration: time.Now().Add(time.Hour)}, nil
		}
		return a.verify(ctx, token, r)
	}, &auth.RequireBearerTokenOptions{})(h)
	if record == recording {
		h = l.recording(h)
	}
	l.Server = httptest.NewUnstartedServer(nil)
	mux := http.NewServeMux()
	mux.Handle("/", h)
	mux.Handle("/.well-known/oauth-protected-resource", auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{
		Resource: "http://" + l.Listener.Addr().String(), AuthorizationServers: []string{a.URL},
	}))
	l.Config.Handler = mux
	l.Start()
	return l
}

// sessions counts them.
func (l *ledger) sessions(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r)
		user := auth.TokenInfoFromContext(r.Context()).UserID
		l.mu.Lock()
		defer l.mu.Unlock()
		switch {
		case r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == "" && w.Header().Get("Mcp-Session-Id") != "":
			l.opened[user]++
			l.present++
			l.most = max(l.most, l.present)
		case r.Method == http.MethodDelete:
			l.closed[user]++
			l.present--
		}
	})
}

func (l *ledger) recording(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := seenRequest{method: r.Method, header: r.Header.Clone()}
		if r.Method == http.MethodPost {
			data, _ := io.ReadAll(r.Body)
			var m struct{ Method string }
			_ = json.Unmarshal(data, &m)
			s.method, s.body = m.Method, string(data)
			r.Body = io.NopCloser(bytes.NewReader(data))
		}
		l.mu.Lock()
		l.seen = append(l.seen, s)
		l.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

// requests returns the requests until now.
func (l *ledger) requests() []seenRequest {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.seen)
}

// endpoint is that of the service.
func (l *ledger) endpoint() upstream.HTTP {
	return upstream.HTTP{URL: l.URL, Header: http.Header{"Authorization": {"Bearer service"}, "X-Service-Key": {"key of the service"}}}
}

// reusing is the endpoint with as many idle connections as there are calls at a time.
func (l *ledger) reusing(t testing.TB) upstream.HTTP {
	e, way := l.endpoint(), &http.Transport{MaxIdleConnsPerHost: 64}
	e.Client = &http.Client{Transport: way}
	t.Cleanup(way.CloseIdleConnections)
	return e
}

func as(user string) context.Context {
	return registry.WithCaller(context.Background(), &registry.Caller{ID: user})
}
