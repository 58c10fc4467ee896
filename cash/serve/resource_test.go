package serve_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// Status 401 leads to the metadata of the resource, which is served at its well-known path to everybody (RFC 9728,
// sections 3.1 and 5.1).
func TestResource(t *testing.T) {
	for resource, path := range map[string]string{
		"https://api.example/mcp":     "/.well-known/oauth-protected-resource/mcp",
		"https://api.example/a%20b/c": "/.well-known/oauth-protected-resource/a%20b/c",
		"https://api.example/":        "/.well-known/oauth-protected-resource",
		"http://localhost:8080":       "/.well-known/oauth-protected-resource",
	} {
		srv := cash.NewServer(registry.New(nil), &cash.Options{Serve: serve.Options{
			VerifyToken: func(context.Context, string, *http.Request) (*auth.TokenInfo, error) { return nil, auth.ErrInvalidToken },
			Token:       &auth.RequireBearerTokenOptions{Scopes: []string{"tools"}},
			Resource:    &oauthex.ProtectedResourceMetadata{Resource: resource, AuthorizationServers: []string{"https://login.example"}},
		}})
		w := httptest.NewRecorder()
		srv.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader("{}")))
		host := strings.Join(strings.SplitAfterN(resource, "/", 4)[:3], "")
		if want := `Bearer resource_metadata="` + strings.TrimSuffix(host, "/") + path + `", scope="tools"`; w.Code != 401 || w.Header().Get("WWW-Authenticate") != want {
			t.Errorf("%s: %d %q, want %q", resource, w.Code, w.Header().Get("WWW-Authenticate"), want)
		}
		at, h := srv.ResourceHandler()
		if at != path {
			t.Errorf("%s: the path is %s", resource, at)
		}
		w = httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, at, nil))
		if want := `{"resource":"` + resource + `","authorization_servers":["https://login.example"]}`; strings.TrimSpace(w.Body.String()) != want {
			t.Errorf("%s: the metadata is %s", resource, w.Body)
		}
	}
}

func TestResourceCheck(t *testing.T) {
	ok := oauthex.ProtectedResourceMetadata{Resource: "https://api.example/mcp", AuthorizationServers: []string{"https://login.example"}}
	for want, change := range map[string]func(*serve.Options){
		"":                                   func(*serve.Options) {},
		"is the URL of the endpoint":         func(o *serve.Options) { o.Resource.Resource = "/mcp" },
		"has no AuthorizationServers":        func(o *serve.Options) { o.Resource.AuthorizationServers = nil },
		"name different URLs: leave out the": func(o *serve.Options) { o.Token = &auth.RequireBearerTokenOptions{ResourceMetadataURL: "https://b.example"} },
	} {
		own := ok
		o := &serve.Options{Resource: &own}
		change(o)
		if err := o.Check(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}
