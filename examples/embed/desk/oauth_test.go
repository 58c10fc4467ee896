package desk

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// A client without a token is led to the authorization server, gets a token for this service there and is let in.
func TestOAuth(t *testing.T) {
	for _, version := range protocolVersions {
		t.Run(version, func(t *testing.T) {
			issuer := &authorizationServer{challenges: map[string]string{}}
			web := httptest.NewServer(issuer)
			t.Cleanup(web.Close)
			s := newStand(t, newMemory(), "-issuer", web.URL)
			issuer.url, issuer.stand = web.URL, s
			handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
				PreregisteredClient:      &oauthex.ClientCredentials{ClientID: "assistant"},
				RedirectURL:              "http://127.0.0.1/done",
				AuthorizationCodeFetcher: browse,
				Client:                   s.client,
			})
			if err != nil {
				t.Fatal(err)
			}
			transport := &mcp.StreamableClientTransport{Endpoint: publicURL + "/mcp", HTTPClient: s.client, OAuthHandler: handler}
			client := mcp.NewClient(&mcp.Implementation{Name: "assistant"}, nil)
			c, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if text, err := closeTicket(t.Context(), c, "T-1"); err != nil || !strings.Contains(text, `"closed_by":"carla"`) {
				t.Errorf("%s, %v", text, err)
			}
			if want := publicURL + "/mcp"; issuer.resource != want {
				t.Errorf("the token was asked for %q, want %q", issuer.resource, want)
			}
		})
	}
}

// browse is a user's browser: it follows the URL to the page that has the code.
func browse(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, args.URL, http.NoBody)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultTransport.RoundTrip(r) // without following the redirect
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	to, err := res.Location()
	if err != nil {
		return nil, err
	}
	return &auth.AuthorizationResult{Code: to.Query().Get("code"), State: to.Query().Get("state")}, nil
}

// authorizationServer is one with authorization codes and PKCE, at which everybody is carla.
type authorizationServer struct {
	url        string
	stand      *stand
	challenges map[string]string // by code
	resource   string            // that the last token was asked for
}

func (a *authorizationServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/.well-known/oauth-authorization-server":
		answerJSON(w, oauthex.AuthServerMeta{
			Issuer: a.url, AuthorizationEndpoint: a.url + "/authorize", TokenEndpoint: a.url + "/token",
			ResponseTypesSupported: []string{"code"}, CodeChallengeMethodsSupported: []string{"S256"},
			TokenEndpointAuthMethodsSupported: []string{"none"},
		})
	case "/authorize":
		a.challenges["code"] = r.FormValue("code_challenge")
		to := r.FormValue("redirect_uri") + "?" + url.Values{"code": {"code"}, "state": {r.FormValue("state")}}.Encode()
		http.Redirect(w, r, to, http.StatusFound)
	case "/token":
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		if a.challenges[r.FormValue("code")] != base64.RawURLEncoding.EncodeToString(sum[:]) {
			http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
			return
		}
		delete(a.challenges, r.FormValue("code"))
		a.resource = r.FormValue("resource")
		answerJSON(w, map[string]any{"access_token": a.stand.token("carla"), "token_type": "Bearer", "expires_in": 3600})
	default:
		http.NotFound(w, r)
	}
}

func answerJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}
