//go:build realclients

package realclients

import (
	"context"
	"errors"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/upstream"
)

// goWays are how the aggregator reaches the server of mcpgo, and the newest
// protocol that the server speaks there.
var goWays = []struct{ transport, version string }{
	{"stdio", "2026-07-28"},
	{"http", "2026-07-28"},
	{"sessions", "2025-11-25"},
	{"sse", "2025-11-25"},
}

// reachGo starts the server of mcpgo.
func reachGo(t *testing.T, transport string) upstream.Endpoint {
	t.Helper()
	if transport == "stdio" {
		return upstream.Command{Path: goServer, Args: []string{transport}}
	}
	url := started(t, exec.CommandContext(t.Context(), goServer, transport), regexp.MustCompile(`listening on (\S+)\s`))
	if transport == "sse" {
		return upstream.SSE{URL: url}
	}
	return upstream.HTTP{URL: url}
}

// A server that shares no code with the SDK, in both generations of the
// protocol, has all its tools in the tree, and they answer there as they answer
// themselves (W37, W39).
func TestW39AnotherSDK(t *testing.T) {
	for _, way := range goWays {
		t.Run(way.transport, func(t *testing.T) {
			m := mount(t, upstream.Server{Label: "go", Endpoint: reachGo(t, way.transport)})
			direct := connect(t, &mcp.CommandTransport{Command: exec.Command(goServer, "stdio")}, way.version)
			checkFunctions(t, direct.list(t), m)
			for _, version := range generations {
				t.Run(version, func(t *testing.T) {
					c := m.connect(t, version)
					testGoCalls(t, direct, c)
					testGoAsks(t, c)
				})
			}
			testGoCancelled(t, m.connect(t, ""))
			testGoGrows(t, m.connect(t, ""), m)
		})
	}
}

// goSteps call the tools of mcpgo that do nothing but answer.
var goSteps = []step{
	{"echo-text", `{"text":"hello"}`, "hello", false},
	{"dot", `{}`, "a dot", false},
	{"row", `{}`, "9007199254740993", false},
	{"chain", `{"first":{"value":7,"next":{"value":8}}}`, `"next":{"value":8}`, false},
	{"no", `{}`, "it said no", true},
}

func testGoCalls(t *testing.T, direct, c *client) {
	for _, s := range goSteps {
		want := direct.call(t, toolCall(s.tool, s.args))
		got := c.function(t, "go", functionOf(s.tool), s.args)
		if all := string(want.Structured) + want.text(); want.IsError != s.fails || !strings.Contains(all, s.want) {
			t.Errorf("%s of the server itself: %s", s.tool, all)
		}
		if got.IsError != want.IsError || !reflect.DeepEqual(got.Content, want.Content) || string(got.Structured) != string(want.Structured) {
			t.Errorf("%s: %+v, of the server itself %+v", s.tool, got, want)
		}
	}
	if r := c.function(t, "go", "broken", `{}`); !r.IsError || !strings.Contains(r.text(), "`go`") || !strings.Contains(r.text(), "something broke") {
		t.Errorf("an error of the protocol: %q, error %t", r.text(), r.IsError)
	}
	if r := c.function(t, "go", "chain", `{"first":{"next":{"value":"x"}}}`); !r.IsError || !strings.Contains(r.text(), "first.next.value") {
		t.Errorf("arguments that break the schema: %q, error %t", r.text(), r.IsError)
	}
}

// testGoAsks lets the server put a question to the person at the client.
func testGoAsks(t *testing.T, c *client) {
	c.answer = &mcp.ElicitResult{Action: "accept", Content: map[string]any{"word": "tea"}}
	if r := c.function(t, "go", "ask", `{}`); r.IsError || r.text() != "accept tea a state" {
		t.Errorf("the answer to a question: %q, error %t", r.text(), r.IsError)
	}
}

// testGoCancelled gives up a call that reports progress, of which the server
// hears.
func testGoCancelled(t *testing.T, c *client) {
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	params := functionCall("go", "wait", `{}`)
	params.SetProgressToken("mine")
	go func() {
		_, err := c.CallTool(ctx, params)
		left <- err
	}()
	eventually(t, "the call reports progress", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.progress) >= 5
	})
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the call that was cancelled: %v", err)
	}
	c.mu.Lock()
	if !slices.IsSorted(c.progress) {
		t.Errorf("progress %v, want it to grow", c.progress)
	}
	c.mu.Unlock()
	eventually(t, "the server has heard of it", func() bool {
		return c.function(t, "go", "given_up", `{}`).text() == "1"
	})
}

// testGoGrows lets the server have one more tool, of which it tells.
func testGoGrows(t *testing.T, c *client, m *mounted) {
	before := m.agg.Status()[0].Functions
	if r := c.function(t, "go", "grow", `{}`); r.IsError {
		t.Fatal(r.text())
	}
	eventually(t, "the new tool is in the tree", func() bool { return m.agg.Status()[0].Functions == before+1 })
	if r := c.function(t, "go", "grown", `{"text":"new"}`); r.IsError || r.text() != "new" {
		t.Errorf("the new tool: %q, error %t", r.text(), r.IsError)
	}
}
