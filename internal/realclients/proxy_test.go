//go:build realclients

package realclients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/upstream"
)

// All tools of all three servers in one list, without their schemas, which MCP
// Inspector gets one by one.
func TestW30ProxyInspector(t *testing.T) {
	servers := []server{everything(), files(t), memory(t)}
	var entries []string
	want := []string{"tool_execute", "tool_hydrate"}
	var sum tool
	for _, s := range servers {
		entries = append(entries, s.entry())
		for _, tool := range s.direct(t).list(t) {
			want = append(want, s.label+"_"+tool.Name)
			if tool.Name == "get-sum" {
				sum = tool
			}
		}
	}
	slices.Sort(want)
	config := writeConfig(t, entries...)
	hash := regexp.MustCompile(`_[0-9a-f]{8}$`)
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			in := inspector{[]string{aggregator, "-config", config, "-face", "proxy", "-stdio"}, era}
			ids := make(map[string]string) // by what they begin with
			var got []string
			for _, tool := range in.run(t, 0, "--method", "tools/list").Result.Tools {
				name := hash.ReplaceAllString(tool.Name, "")
				ids[name], got = tool.Name, append(got, name)
				if schema := string(tool.InputSchema); name != tool.Name && schema != `{"type":"object"}` {
					t.Errorf("the schema of %s is %s", tool.Name, schema)
				}
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("tools:\n%q\nwant\n%q", got, want)
			}
			hydrate(t, in.ask, ids["everything_get-sum"], sum)
			if got := in.ask(t, true, ids["everything_get-sum"], `{"a":1,"b":2}`); !strings.Contains(got, "tool_execute") {
				t.Errorf("a direct call: %s", got)
			}
			if got := in.ask(t, true, "tool_execute", execution(ids["memory_open_nodes"], `{"names":"Ada"}`, "")); !strings.Contains(got, "ARGS_INVALID") {
				t.Errorf("wrong arguments: %s", got)
			}
		})
	}
}

// hydrate looks a definition up, and makes the call that it describes. The
// result is as its server gives it.
func hydrate(t *testing.T, ask asker, name string, want tool) {
	t.Helper()
	var h struct {
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	decode(t, ask(t, false, "tool_hydrate", fmt.Sprintf(`{"tool_id":%q}`, name)), &h)
	var got, schema bytes.Buffer
	if json.Compact(&got, h.InputSchema) != nil || json.Compact(&schema, want.InputSchema) != nil || got.String() != schema.String() {
		t.Errorf("%s has the schema %s, want %s", name, &got, &schema)
	}
	if h.Description != want.Description {
		t.Errorf("%s has the description %q, want %q", name, h.Description, want.Description)
	}
	if got := ask(t, false, "tool_execute", execution(name, `{"a":2,"b":40}`, "")); got != "The sum of 2 and 40 is 42." {
		t.Errorf("executing %s: %s", name, got)
	}
}

// Names have letters, digits, '_' and '-' only, and do wherever an id is asked for.
func TestProxyWireNames(t *testing.T) {
	m := mount(t, upstream.Server{Label: "everything", Endpoint: everything().endpoint()})
	url := serveInProcess(t, gateway.NewServer(m.reg, &gateway.Options{
		Mode: gateway.Proxy,
	}))
	tools := everything().direct(t).list(t)
	sum := tools[slices.IndexFunc(tools, func(t tool) bool { return t.Name == "get-sum" })]
	safe := regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			in := inspector{[]string{url}, era}
			names := in.run(t, 0, "--method", "tools/list").names()
			for _, name := range names {
				if !safe.MatchString(name) {
					t.Errorf("name %q", name)
				}
			}
			i := slices.IndexFunc(names, func(name string) bool { return strings.Contains(name, "get-sum") })
			if len(names) != 2+len(tools) || i < 0 {
				t.Fatalf("tools: %q", names)
			}
			hydrate(t, in.ask, names[i], sum)
			if got := in.ask(t, true, names[i], `{"a":1,"b":2}`); !strings.Contains(got, "tool_execute") {
				t.Errorf("a direct call: %s", got)
			}
		})
	}
}

// A list of several pages is whole, for clients of either generation.
func TestProxyPages(t *testing.T) {
	var tools []map[string]any
	for i := range 2100 {
		tools = append(tools, map[string]any{"name": fmt.Sprintf("ns%d.tool_%d", i%7, i), "inputSchema": map[string]any{"type": "object"}})
	}
	data, err := json.Marshal(tools)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "catalog.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			in := inspector{[]string{shop, "-face", "proxy", "-catalog", file, "-stdio"}, era}
			names := in.run(t, 0, "--method", "tools/list").names()
			if n := len(slices.Compact(names)); n != 2+len(tools) {
				t.Errorf("%d tools, want %d", n, 2+len(tools))
			}
		})
	}
}
