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
	"sync/atomic"
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
	byKwargs := func(arguments string) (string, string) {
		return "call", `{"namespace":"up","function":"number","kwargs":` + arguments + `}`
	}
	for name, face := range map[string]struct {
		handler http.Handler
		tool    func(arguments string) (name, all string)
	}{
		"cash":       {cash.NewServer(reg, nil).Handler(), byKwargs},
		"added":      {added(cash.NewServer(reg, nil)), byKwargs},
		"gateway":    {gateway.NewServer(reg, nil).Handler(), byID},
		"proxy":      {gateway.NewServer(reg, &gateway.Options{Mode: gateway.Proxy}).Handler(), byID},
		"plain":      {plain.NewServer(reg, nil).Handler(), byName},
		"disclosure": {disclosure.NewServer(reg, nil).Handler(), byName},
		"grants":     {disclosure.NewServer(reg, &disclosure.Options{Grants: new(disclosure.Grants)}).Handler(), byName},
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
				more := ""
				if name == "disclosure" || name == "grants" {
					more = described(t, s, "up-number")
				}
				var all sync.WaitGroup
				for i := range 4 {
					all.Go(func() {
						for n := range 10 {
							tool, arguments := face.tool(fmt.Sprintf(`{"n":%d%s}`, 100*i+n, more))
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

// added is a face in an MCP server of the embedder's own, behind handlers of the SDK.
func added(face *cash.Server) http.Handler {
	own := mcp.NewServer(&mcp.Implementation{Name: "own"}, nil)
	face.AddTo(own)
	get := func(*http.Request) *mcp.Server { return own }
	sessions := mcp.NewStreamableHTTPHandler(get, nil)
	single := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true})
	return serve.CarryContext(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") == generations[1] {
			single.ServeHTTP(w, r)
			return
		}
		sessions.ServeHTTP(w, r)
	}))
}

// described reads the description of a tool. It returns the member with the grant, if there is one.
func described(t *testing.T, s *mcp.ClientSession, tool string) string {
	r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: disclosure.DefaultURI + "?tools=" + tool})
	if err != nil {
		t.Fatal(err)
	}
	if m := regexp.MustCompile(`"_grant":"[^"]+"`).FindString(r.Contents[0].Text); m != "" {
		return "," + m
	}
	return ""
}

// A rule of visibility sees the request that asks, and none before it, in what every face lists and tells.
func TestRulesSeeTheRequest(t *testing.T) {
	var number atomic.Value // of the requests from now on
	numbered := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), numberKey{}, number.Load())))
		})
	}
	reg := registry.New(nil)
	up := reg.Namespace("up", "Numbers.")
	for _, n := range []string{"1", "2", "3"} {
		only := registry.VisibleTo(func(ctx context.Context, _ *registry.Caller) bool { return ctx.Value(numberKey{}) == n })
		up.Add(registry.Func("number"+n, "Tell.", func(context.Context, struct{}) (string, error) { return "", nil }, only))
		up.AddSkill(registry.NewSkill("skill"+n, "Tell.", "Text.", only))
	}
	type question func(*mcp.ClientSession) (any, error)
	tool := func(name, arguments string) question {
		return func(s *mcp.ClientSession) (any, error) {
			return s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
		}
	}
	tools := func(s *mcp.ClientSession) (any, error) { return s.ListTools(t.Context(), nil) }
	// Clients from 2026-07-28 on keep a skill for a minute, so only sessions are asked.
	skills := func(s *mcp.ClientSession) (any, error) {
		found := []any{}
		for _, n := range []string{"1", "2", "3"} {
			if r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "skill://up/skill" + n + "/SKILL.md"}); err == nil {
				found = append(found, r)
			}
		}
		return found, nil
	}
	grants := &disclosure.Options{Grants: new(disclosure.Grants)}
	for name, face := range map[string]struct {
		handler   http.Handler
		questions []question
	}{
		"cash": {cash.NewServer(reg, nil).Handler(), []question{
			tool("help", `{"namespace":"up"}`), tool("help", `{"kwargs":{"search":"number"}}`), tool("skill", `{"namespace":"up"}`),
		}},
		"added":      {added(cash.NewServer(reg, nil)), []question{tool("help", `{"namespace":"up"}`)}},
		"gateway":    {gateway.NewServer(reg, nil).Handler(), []question{tool("tool_browse", `{"path":"/up"}`)}},
		"proxy":      {gateway.NewServer(reg, &gateway.Options{Mode: gateway.Proxy}).Handler(), []question{tools}},
		"plain":      {plain.NewServer(reg, nil).Handler(), []question{tools}},
		"disclosure": {disclosure.NewServer(reg, grants).Handler(), []question{tools}},
		"facade":     {facade.NewServer(reg, nil).Handler(), []question{tools, tool("UpExecute", `{"cmd":"help"}`)}},
	} {
		ts := httptest.NewServer(numbered(face.handler))
		t.Cleanup(ts.Close)
		for _, v := range generations {
			t.Run(name+" "+v, func(t *testing.T) {
				number.Store("1")
				s := dial(t, ts.URL, v, nil)
				for _, n := range []string{"2", "3", "1", "3"} {
					number.Store(n)
					questions := face.questions
					if v == generations[0] {
						questions = append(questions[:len(questions):len(questions)], skills)
					}
					for i, ask := range questions {
						res, err := ask(s)
						if err != nil {
							t.Fatal(err)
						}
						data, _ := json.Marshal(res)
						for _, of := range []string{"1", "2", "3"} {
							told := strings.Contains(string(data), "number"+of) || strings.Contains(string(data), "skill"+of)
							if told != (of == n) {
								t.Errorf("question %d of request %s: %s", i, n, data)
							}
						}
					}
				}
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
