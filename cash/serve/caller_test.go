package serve_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// login is an embedder's middleware: it knows who sends a request.
func login(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user := r.Header.Get("X-User"); user != "" {
			r = r.WithContext(registry.WithCaller(r.Context(), &registry.Caller{ID: user, Roles: []string{"boss"}}))
		}
		next.ServeHTTP(w, r)
	})
}

// TestTokenBeforeContext holds that a verified token decides, also where the
// context of the request has a caller.
func TestTokenBeforeContext(t *testing.T) {
	_, url := start(t, serve.Options{VerifyToken: verify}, login)
	for _, v := range generations {
		s := dial(t, url, v, http.Header{"Authorization": {"Bearer good"}, "X-User": {"mallory"}})
		if text, _ := call(t, s, "whoami"); text != "ann boss" {
			t.Errorf("%s: %s", v, text)
		}
	}
}

// TestCarryContext holds that a face in an MCP server of the embedder's own knows
// the callers of that server's HTTP requests.
func TestCarryContext(t *testing.T) {
	own := mcp.NewServer(&mcp.Implementation{Name: "own"}, nil)
	cash.NewServer(whoami(), nil).AddTo(own)
	get := func(*http.Request) *mcp.Server { return own }
	for i, v := range generations {
		h := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: i == 1})
		ts := httptest.NewServer(login(serve.CarryContext(h)))
		t.Cleanup(ts.Close)
		if text, _ := call(t, dial(t, ts.URL, v, http.Header{"X-User": {"ann"}}), "whoami"); text != "ann boss" {
			t.Errorf("%s: %s", v, text)
		}
		if text, _ := call(t, dial(t, ts.URL, v, nil), "whoami"); text != "nobody" {
			t.Errorf("%s: without a login: %s", v, text)
		}
		// Who may not be told from another is not made one by a header.
		if text, _ := call(t, dial(t, ts.URL, v, http.Header{"Authorization": {"Bearer caller"}}), "whoami"); text != "nobody" {
			t.Errorf("%s: with a header only: %s", v, text)
		}
	}
}

// TestCarryContextRestoresTheHeader holds that what carries the caller is not
// seen behind it, and that the request of those before it is not modified.
func TestCarryContextRestoresTheHeader(t *testing.T) {
	for _, own := range []string{"", "Basic YW5uOmFubg=="} {
		seen := false
		h := serve.CarryContext(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			seen = true
			info := auth.TokenInfoFromContext(r.Context())
			if got := r.Header.Get("Authorization"); got != own || info == nil || info.UserID != "ann" {
				t.Errorf("behind it: %q, %+v", got, info)
			}
		}))
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		if own != "" {
			r.Header.Set("Authorization", own)
		}
		r = r.WithContext(registry.WithCaller(r.Context(), &registry.Caller{ID: "ann"}))
		h.ServeHTTP(httptest.NewRecorder(), r)
		if got := r.Header.Get("Authorization"); got != own || !seen {
			t.Errorf("before it: %q; passed on: %t", got, seen)
		}
	}
}

// TestIdentifyThatPanics holds that a hook which fails refuses, and leaves the
// server standing.
func TestIdentifyThatPanics(t *testing.T) {
	var failing atomic.Bool
	failing.Store(true)
	_, url := start(t, serve.Options{Identify: func(context.Context, *serve.Incoming) (*registry.Caller, error) {
		if failing.Load() {
			panic("the secret")
		}
		return &registry.Caller{ID: "ann"}, nil
	}}, nil)
	for _, v := range generations {
		failing.Store(true)
		s := dial(t, url, v, nil) // on which the hook is asked too
		if text, isErr := call(t, s, "whoami"); !isErr || strings.Contains(text, "secret") {
			t.Errorf("%s: %s", v, text)
		}
		failing.Store(false)
		if text, _ := call(t, s, "whoami"); text != "ann " {
			t.Errorf("%s: afterwards: %s", v, text)
		}
	}
}

// TestCancellationReachesTheHandler holds R84 in both generations.
func TestCancellationReachesTheHandler(t *testing.T) {
	for _, v := range generations {
		t.Run("R84 "+v, func(t *testing.T) {
			begun, ended := make(chan struct{}), make(chan struct{})
			reg := registry.New(nil)
			reg.Namespace("", "").Add(registry.Func("wait", "Wait.", func(ctx context.Context, _ struct{}) (string, error) {
				close(begun)
				<-ctx.Done()
				close(ended)
				return "", ctx.Err()
			}))
			ts := httptest.NewServer(cash.NewServer(reg, nil).Handler())
			t.Cleanup(ts.Close)
			s := dial(t, ts.URL, v, nil)
			ctx, cancel := context.WithCancel(context.Background())
			go s.CallTool(ctx, &mcp.CallToolParams{Name: "call", Arguments: map[string]any{"function": "wait"}})
			<-begun
			cancel()
			within(t, "the handler", func() error { <-ended; return nil })
		})
	}
}

// TestReplayOverHTTP holds R103 for clients that cannot be told from one
// another: without sessions by the value of the notice, with them by session.
func TestReplayOverHTTP(t *testing.T) {
	for _, v := range generations {
		t.Run("R103 "+v, func(t *testing.T) {
			var ran atomic.Int32
			reg := registry.New(nil)
			reg.Namespace("", "").Add(registry.Func("write", "Write.", func(context.Context, struct{}) (string, error) {
				return strings.Repeat("x", 50_000) + fmt.Sprint(ran.Add(1)), nil
			}))
			ts := httptest.NewServer(cash.NewServer(reg, nil).Handler())
			t.Cleanup(ts.Close)
			s, other := dial(t, ts.URL, v, nil), dial(t, ts.URL, v, nil)
			text, isErr := call(t, s, "write")
			if !isErr || !strings.HasPrefix(text, "**Gated:**") {
				t.Fatal(text)
			}
			again := map[string]any{"function": "write", "sizelimit": 60_000}
			token := regexp.MustCompile(`replay="([^"]+)"`).FindStringSubmatch(text)
			if (token != nil) != (v == generations[1]) {
				t.Fatalf("a replay value: %v", token)
			}
			if token != nil {
				again["kwargs"] = map[string]any{"replay": token[1]}
			}
			get := func(s *mcp.ClientSession, args map[string]any) string {
				t.Helper()
				res, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: "call", Arguments: args})
				if err != nil {
					t.Fatal(err)
				}
				return res.Content[0].(*mcp.TextContent).Text
			}
			if got := get(other, map[string]any{"function": "write", "sizelimit": 60_000}); !strings.HasSuffix(got, "x2") {
				t.Errorf("another client got %.20q... after %d runs", got, ran.Load())
			}
			if got := get(s, again); !strings.HasSuffix(got, "x1") || ran.Load() != 2 {
				t.Errorf("the repeat got %.20q... after %d runs", got, ran.Load())
			}
		})
	}
}

// TestSharedCaches holds that what is said to one caller is not kept for others.
func TestSharedCaches(t *testing.T) {
	_, url := start(t, serve.Options{}, nil)
	for _, method := range []string{"tools/list", "server/discover"} {
		res, err := http.DefaultClient.Do(stateless(t, url, method, "", ""))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || !strings.Contains(string(body), `"cacheScope":"private"`) || strings.Contains(string(body), `"public"`) {
			t.Errorf("%s: %s, %v", method, body, err)
		}
	}
}

// TestStreamOfAnotherOrigin holds that a page elsewhere cannot open the stream
// of a session, which the standard library's protection lets GET requests do.
func TestStreamOfAnotherOrigin(t *testing.T) {
	_, url := start(t, serve.Options{}, nil)
	for name, value := range map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			r, _ := http.NewRequest(method, url, nil)
			r.Header.Set("Accept", "text/event-stream")
			r.Header.Set(name, value)
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if res.StatusCode != http.StatusForbidden {
				t.Errorf("%s with %s: %s", method, name, res.Status)
			}
		}
	}
}
