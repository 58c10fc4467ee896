package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

type numberKey struct{}

type firstKey struct{}

// numbering is an embedder's middleware: each request has the number that its call sends as the
// argument n, and only a session's first one, or a discovery, has a second value.
func numbering(t *testing.T, next http.Handler) http.Handler {
	argument := regexp.MustCompile(`"n\\?":(\d+)`)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		ctx := r.Context()
		if m := argument.FindSubmatch(body); m != nil {
			n, _ := strconv.Atoi(string(m[1]))
			ctx = context.WithValue(ctx, numberKey{}, n)
		}
		if strings.Contains(string(body), `"initialize"`) || strings.Contains(string(body), `"server/discover"`) {
			ctx = context.WithValue(context.WithValue(ctx, firstKey{}, true), numberKey{}, -1)
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// numbered is a registry with a function that compares its argument with the request's number.
func numbered() *registry.Registry {
	reg := registry.New(nil)
	reg.Namespace("up", "Numbers.").Add(registry.Func("number", "Tell the number.", func(ctx context.Context, in struct {
		N int `json:"n"`
	}) (string, error) {
		if n := ctx.Value(numberKey{}); n != in.N || ctx.Value(firstKey{}) != nil || auth.TokenInfoFromContext(ctx) != nil {
			return fmt.Sprint("not mine: ", n, ctx.Value(firstKey{}), auth.TokenInfoFromContext(ctx)), nil
		}
		return "mine", nil
	}))
	return reg
}

// A function finds the values of the request that its call came with, and none of other requests, on
// every face and in both generations.
func TestValuesOfTheRequest(t *testing.T) {
	reg := numbered()
	f, err := reg.Function(t.Context(), "up", "number")
	if err != nil {
		t.Fatal(err)
	}
	byID := func(arguments string) (string, string) {
		return "tool_execute", `{"tool_id":"` + f.ID().String() + `","args":` + arguments + `}`
	}
	byName := func(arguments string) (string, string) { return "up-number", arguments }
	byCommand := func(arguments string) (string, string) {
		var in struct{ N int }
		_ = json.Unmarshal([]byte(arguments), &in)
		return "UpExecute", fmt.Sprintf(`{"cmd":"number","params":{"n":%d}}`, in.N)
	}
	for name, face := range map[string]struct {
		handler http.Handler
		tool    func(arguments string) (name, all string)
	}{
		"cash": {cash.NewServer(reg, nil).Handler(), func(arguments string) (string, string) {
			return "call", `{"namespace":"up","function":"number","kwargs":` + arguments + `}`
		}},
		"gateway":    {gateway.NewServer(reg, nil).Handler(), byID},
		"proxy":      {gateway.NewServer(reg, &gateway.Options{Mode: gateway.Proxy}).Handler(), byID},
		"plain":      {plain.NewServer(reg, nil).Handler(), byName},
		"disclosure": {disclosure.NewServer(reg, nil).Handler(), byName},
		"facade":     {facade.NewServer(reg, nil).Handler(), byCommand},
	} {
		ts := httptest.NewServer(numbering(t, face.handler))
		t.Cleanup(ts.Close)
		versions := generations
		if name == "disclosure" { // which has sessions only
			versions = versions[:1]
		}
		for _, v := range versions {
			t.Run(name+" "+v, func(t *testing.T) {
				s := dial(t, ts.URL, v, nil)
				if name == "disclosure" {
					if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: disclosure.DefaultURI + "?tools=up-number"}); err != nil {
						t.Fatal(err)
					}
				}
				var all sync.WaitGroup
				for i := range 4 {
					all.Go(func() {
						for n := range 10 {
							tool, arguments := face.tool(fmt.Sprintf(`{"n":%d}`, 100*i+n))
							r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
							if err != nil {
								t.Error(err)
								return
							}
							if data, _ := json.Marshal(r.Content); !strings.Contains(string(data), "mine") || strings.Contains(string(data), "not mine") {
								t.Errorf("call %d: %s", 100*i+n, data)
							}
						}
					})
				}
				all.Wait()
			})
		}
	}
}

// A hook gets what the request brought, and a middleware of the SDK behind a face's own the token as it came.
func TestIncoming(t *testing.T) {
	type brought struct {
		user, address, session string
		number                 any
	}
	seen := make(chan brought, 100)
	opts := serve.Options{VerifyToken: verify, Address: func(r *http.Request) string { return r.Header.Get("X-Address") }}
	opts.Identify = func(ctx context.Context, in *serve.Incoming) (*registry.Caller, error) {
		if in.Token.Extra != nil || in.Token.Expiration.IsZero() || in.Header.Get("Authorization") != "Bearer good" {
			t.Errorf("%+v with %v", in.Token, in.Header)
		}
		seen <- brought{in.Token.UserID, in.Address, in.Session, ctx.Value(numberKey{})}
		return nil, nil
	}
	_, url := start(t, opts, func(h http.Handler) http.Handler { return numbering(t, h) })
	for _, v := range generations {
		header := http.Header{"Authorization": {"Bearer good"}, "X-Address": {"here"}}
		s := dial(t, url, v, header)
		header["X-Address"] = []string{"there"}
		for len(seen) > 0 {
			<-seen
		}
		if text, _ := call(t, s, "whoami"); text != "nobody" {
			t.Errorf("%s: %s", v, text)
		}
		if got := <-seen; got != (brought{"ann", "there", s.ID(), nil}) {
			t.Errorf("%s: %+v", v, got)
		}
	}
}
