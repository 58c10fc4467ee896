package openapi_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"golang.org/x/oauth2"

	"github.com/cash-mcp/go-sdk/cash/openapi"
	"github.com/cash-mcp/go-sdk/registry"
)

// A wallet is the handler of one caller, who may have a token.
type wallet string

// TokenSource implements [auth.OAuthHandler].
func (w wallet) TokenSource(context.Context) (oauth2.TokenSource, error) {
	if w == "" {
		return nil, nil
	}
	return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: string(w)}), nil
}

// Authorize implements [auth.OAuthHandler].
func (w wallet) Authorize(context.Context, *http.Request, *http.Response) error {
	return errors.New("nobody to ask")
}

// Each caller has an account of their own at the service.
func ExampleLogin() {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "You are "+r.Header.Get("Authorization")+".")
	}))
	defer service.Close()
	account := func(c *registry.Caller) auth.OAuthHandler {
		return map[string]wallet{"ada": "token-of-ada", "bob": "token-of-bob"}[c.ID]
	}
	const page = "https://shop.example/connect"

	login := func(r *http.Request, c *registry.Caller) error {
		if c.Anonymous() {
			return errors.New("nobody is logged in")
		}
		source, err := account(c).TokenSource(r.Context())
		if err != nil {
			return err
		}
		if source == nil {
			return &registry.Error{
				Kind: registry.Unauthorized, Message: "No account is connected.", Hint: "Connect one at " + page + ".",
				NotRun: true,
			}
		}
		token, err := source.Token()
		if err != nil {
			return err
		}
		token.SetAuthHeader(r)
		return nil
	}

	reg := registry.New(nil)
	doc := document(`{"/me":{"get":{"operationId":"me","tags":["accounts"]}}}`)
	if _, err := openapi.Mount(reg, "", doc, openapi.Client(service.URL, nil), openapi.Login(login)); err != nil {
		fmt.Println(err)
		return
	}
	for _, id := range []string{"ada", "bob", "eve"} {
		ctx := registry.WithCaller(context.Background(), &registry.Caller{ID: id})
		res, err := call(ctx, reg, "accounts", "me", `{}`)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(res.Text())
	}
	// Output:
	// You are Bearer token-of-ada.
	// You are Bearer token-of-bob.
	// No account is connected. Connect one at https://shop.example/connect.
}

// The README has the lines of the example.
func TestReadme(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(page), "```go\n")
	code, _, found := strings.Cut(code, "```\n")
	if code = "\t" + strings.ReplaceAll(strings.TrimSpace(code), "\n", "\n\t"); !found || !strings.Contains(string(example), code) {
		t.Errorf("no example has these lines:\n%s", code)
	}
}
