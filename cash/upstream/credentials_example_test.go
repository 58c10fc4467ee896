package upstream_test

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/auth/extauth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// askWho mounts a server, and prints what its tool whoami says to a user.
func askWho(s upstream.Server, user string) {
	reg := registry.New(nil)
	agg := upstream.New(reg, nil)
	defer agg.Close(context.Background())
	if err := agg.Add(s); err != nil {
		fmt.Println(err)
	}
	_ = agg.Wait(context.Background())
	res, err := cash.NewServer(reg, nil).Call(as(user), &cash.CallRequest{Namespace: s.Label, Function: "whoami"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Text())
}

// userAccount is an account of a user in the embedder's own store.
type userAccount struct{ tokens oauth2.TokenSource }

// TokenSource returns the source, which renews the token when it expires.
func (a userAccount) TokenSource(context.Context) (oauth2.TokenSource, error) { return a.tokens, nil }

// Authorize is called when the server refuses the token.
func (a userAccount) Authorize(context.Context, *http.Request, *http.Response) error {
	return &upstream.ConnectError{URL: "https://desk.example/connect/notes"}
}

// The embedder keeps tokens that its users got at a page of its own.
func ExampleServer_credentials() {
	authority := startAuthority(time.Hour)
	defer authority.Close()
	notes := startLedger("2025-11-25", authority, plainly)
	defer notes.Close()
	store := map[string]userAccount{"ada": {oauth2.StaticTokenSource(authority.issue("ada"))}}

	server := upstream.Server{
		Label:    "notes",
		Endpoint: upstream.HTTP{URL: notes.URL, Header: http.Header{"Authorization": {"Bearer service"}}}, // reads the catalog
		Credentials: func(_ context.Context, c *registry.Caller) (auth.OAuthHandler, error) {
			account, ok := store[c.ID]
			if !ok {
				return nil, &upstream.ConnectError{URL: "https://desk.example/connect/notes"}
			}
			return account, nil
		},
	}
	askWho(server, "ada")
	askWho(server, "bob")
	// Output:
	// ada
	// The user's account for `notes` is not connected. The function was not run. Tell the user to connect the account at https://desk.example/connect/notes , and then repeat the call.
}

// Enterprise-managed authorization: the ID token of the user's login becomes a token for the server, without a question.
func ExampleServer_credentials_enterprise() {
	authority := startAuthority(time.Hour)
	defer authority.Close()
	notes := startLedger("2026-07-28", authority, plainly)
	defer notes.Close()

	askWho(upstream.Server{
		Label:    "notes",
		Endpoint: upstream.HTTP{URL: notes.URL, Header: http.Header{"Authorization": {"Bearer service"}}},
		Credentials: func(_ context.Context, c *registry.Caller) (auth.OAuthHandler, error) {
			return extauth.NewEnterpriseHandler(&extauth.EnterpriseHandlerConfig{
				IdPIssuerURL: authority.URL, IdPCredentials: &oauthex.ClientCredentials{ClientID: "desk"},
				MCPAuthServerURL: authority.URL, MCPCredentials: &oauthex.ClientCredentials{ClientID: "desk"},
				MCPResourceURI: notes.URL,
				IDTokenFetcher: func(context.Context) (*oauth2.Token, error) {
					return new(oauth2.Token).WithExtra(map[string]any{"id_token": "id-token-of-" + c.ID}), nil
				},
			})
		},
	}, "ada")
	// Output: ada
}

// exchanged is an account by token exchange (RFC 8693).
type exchanged struct {
	endpoint string
	request  oauthex.TokenExchangeRequest
	token    *oauth2.Token
}

// TokenSource returns the token of the last exchange.
func (e *exchanged) TokenSource(context.Context) (oauth2.TokenSource, error) {
	if e.token == nil {
		return nil, nil
	}
	return oauth2.StaticTokenSource(e.token), nil
}

// Authorize is called for the first token, and when one is expired or refused.
func (e *exchanged) Authorize(ctx context.Context, _ *http.Request, _ *http.Response) (err error) {
	e.token, err = oauthex.ExchangeToken(ctx, e.endpoint, &e.request, &oauthex.ClientCredentials{ClientID: "desk"}, nil)
	return err
}

// Token exchange: the token of the user's request here becomes one for the server.
func ExampleServer_credentials_exchange() {
	authority := startAuthority(time.Hour)
	defer authority.Close()
	notes := startLedger("2026-07-28", authority, plainly)
	defer notes.Close()

	askWho(upstream.Server{
		Label:    "notes",
		Endpoint: upstream.HTTP{URL: notes.URL, Header: http.Header{"Authorization": {"Bearer service"}}},
		Credentials: func(_ context.Context, c *registry.Caller) (auth.OAuthHandler, error) {
			return &exchanged{endpoint: authority.URL + "/token", request: oauthex.TokenExchangeRequest{
				RequestedTokenType: "urn:ietf:params:oauth:token-type:access_token", Audience: notes.URL, Resource: notes.URL,
				SubjectToken: "id-token-of-" + c.ID, SubjectTokenType: oauthex.TokenTypeIDToken,
			}}, nil
		},
	}, "bob")
	// Output: bob
}

// Client credentials are an identity of the service: it reads the catalog, or makes all calls, as here.
func ExampleHTTP_clientCredentials() {
	authority := startAuthority(time.Hour)
	defer authority.Close()
	notes := startLedger("2025-11-25", authority, plainly)
	defer notes.Close()

	desk, err := extauth.NewClientCredentialsHandler(&extauth.ClientCredentialsHandlerConfig{Credentials: &oauthex.ClientCredentials{
		ClientID: "desk", ClientSecretAuth: &oauthex.ClientSecretAuth{ClientSecret: "secret"},
	}})
	if err != nil {
		fmt.Println(err)
	}
	askWho(upstream.Server{Label: "notes", Endpoint: upstream.HTTP{URL: notes.URL, OAuthHandler: desk}}, "ada")
	// Output: desk
}
