package cash_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestArgumentsBesideKwargsCost holds that help takes time in proportion to what
// it is sent: with twice as many arguments it allocates about twice as much.
func TestArgumentsBesideKwargsCost(t *testing.T) {
	s := connect(t, context.Background(), cash.NewServer(registryOf(1), nil))
	keys := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"K_ey%d":0`, i)
		}
		return b.String()[1:]
	}
	for name, args := range map[string]func(n int) string{
		"many in kwargs": func(n int) string { return `{"Be_Side":1,"kwargs":{` + keys(n) + `}}` },
		"many beside":    func(n int) string { return `{` + keys(n) + `,"kwargs":{"In_Side":1}}` },
	} {
		t.Run(name, func(t *testing.T) {
			cost := func(n int) float64 {
				sent := args(n)
				return testing.AllocsPerRun(1, func() { tool(t, s, "help", sent) })
			}
			if few, many := cost(5_000), cost(10_000); many > 3*few {
				t.Errorf("%.0f allocations for 5,000 arguments, %.0f for 10,000", few, many)
			}
		})
	}
	if res := tool(t, s, "help", `{"z":1,"kwargs":{`+keys(20_000)+`}}`); res.IsError || !strings.Contains(textOf(t, res), "ns0") {
		t.Errorf("20,000 arguments: %+v", res)
	}
}

// TestHelpTextThatFails holds that a hook that panics, ends its goroutine or
// hangs costs one answer.
func TestHelpTextThatFails(t *testing.T) {
	for name, tt := range map[string]struct {
		hook func()
		code registry.Kind
	}{
		"panics":             {func() { panic("the secret") }, registry.Internal},
		"ends its goroutine": {runtime.Goexit, registry.Internal},
		"hangs":              {nil, registry.TimedOut},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				defer close(release)
				var mended atomic.Bool
				srv := cash.NewServer(registryOf(1), &cash.Options{HelpText: func(_ context.Context, _ *cash.HelpRequest, text string) string {
					switch {
					case mended.Load():
					case tt.hook == nil:
						<-release
					default:
						tt.hook()
					}
					return text
				}})
				ctx, cancel := context.WithCancel(context.Background())
				near, far := mcp.NewInMemoryTransports()
				ended := make(chan struct{})
				go func() { defer close(ended); srv.Run(ctx, far) }()
				s, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(ctx, near, nil)
				if err != nil {
					t.Fatal(err)
				}
				res := tool(t, s, "help", `{}`)
				if !res.IsError || res.Meta[registry.MetaCode] != string(tt.code) || strings.Contains(textOf(t, res), "secret") {
					t.Errorf("got %+v", res)
				}
				mended.Store(true)
				if res := tool(t, s, "help", `{}`); res.IsError {
					t.Errorf("afterwards: %+v", res)
				}
				s.Close()
				cancel()
				<-ended
			})
		})
	}
}

// TestErrorCodes holds R82: every error result has its machine code, where it
// costs a model nothing.
func TestErrorCodes(t *testing.T) {
	deny := registry.Func("deny", "", func(context.Context, none) (string, error) {
		return "", &registry.Error{Kind: registry.Denied, Message: "No."}
	})
	long := registry.Func("long", "", func(context.Context, none) (string, error) { return strings.Repeat("x", 20_000), nil })
	s := connect(t, context.Background(), serverOf(deny, long, registry.Func("fine", "", nothing)))
	for _, tt := range []struct {
		tool, args string
		want       any
	}{
		{"call", `{"function":"nope"}`, "UNKNOWN_FUNCTION"},
		{"call", `{"namespace":"nope","function":"f"}`, "UNKNOWN_NAMESPACE"},
		{"call", `{"function":"a b"}`, "INVALID_NAME"},
		{"call", `{}`, "INVALID_ARGUMENTS"},
		{"call", `{"function":"deny"}`, "DENIED"},
		{"call", `{"function":"long"}`, cash.CodeGated},
		{"call", `{"function":"fine"}`, nil},
		{"help", `{"function":"nope"}`, "UNKNOWN_FUNCTION"},
		{"skill", `{"skillname":"nope"}`, "UNKNOWN_SKILL"},
	} {
		res := tool(t, s, tt.tool, tt.args)
		if got := res.Meta[registry.MetaCode]; got != tt.want || res.IsError != (tt.want != nil) {
			t.Errorf("R82: %s%s: %v, want %v", tt.tool, tt.args, got, tt.want)
		}
		if code, ok := tt.want.(string); ok && code != cash.CodeGated && strings.Contains(textOf(t, res), code) {
			t.Errorf("R82: a model pays for the code: %s", textOf(t, res))
		}
	}
}

// TestCandidatesAreBounded holds that a name which many skills have lists five.
func TestCandidatesAreBounded(t *testing.T) {
	reg := registry.New(nil)
	for i := range 9 {
		reg.Namespace(fmt.Sprintf("n%d", i), "").AddSkill(registry.NewSkill("how", "", "x"))
	}
	_, err := cash.NewServer(reg, nil).Skill(context.Background(), &cash.SkillRequest{Name: "how"})
	if err == nil || !strings.HasPrefix(err.Error(), "9 skills have the name `how`.") || strings.Count(err.Error(), "skill(") != 5 {
		t.Errorf("got %v", err)
	}
}

// TestStructuredContent holds that clients whose protocol knows only objects
// as structured content get nothing else.
func TestStructuredContent(t *testing.T) {
	list := registry.Func("list", "", func(context.Context, none) ([]int, error) { return []int{1}, nil }, registry.Structured)
	object := registry.Func("object", "", func(context.Context, none) (map[string]int, error) { return map[string]int{"a": 1}, nil }, registry.Structured)
	srv := serverOf(list, object)
	for _, tt := range []struct{ version, function, want string }{
		{"2025-11-25", "list", "null"},
		{"2025-11-25", "object", `{"a":1}`},
		{"2026-07-28", "list", "[1]"},
		{"2026-07-28", "object", `{"a":1}`},
	} {
		s := connectVersion(t, srv, tt.version)
		res := tool(t, s, "call", `{"function":"`+tt.function+`"}`)
		if got, err := json.Marshal(res.StructuredContent); err != nil || string(got) != tt.want || res.IsError || len(textOf(t, res)) < 3 {
			t.Errorf("%s: %s: %s, want %s, %v", tt.version, tt.function, got, tt.want, err)
		}
	}
}

// connectVersion returns a client, in memory, of a version of the protocol.
func connectVersion(t *testing.T, srv *cash.Server, version string) *mcp.ClientSession {
	t.Helper()
	near, far := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); srv.Run(ctx, far) }()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(ctx, near, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(); cancel(); <-ended })
	if got := s.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("negotiated %s, want %s", got, version)
	}
	return s
}
