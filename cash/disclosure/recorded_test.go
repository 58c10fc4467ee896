package disclosure_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

var update = flag.Bool("update", false, "write testdata/minimal.golden")

// recordings are the tools of published servers, by label, as their tools/list has them.
var recordings = map[string]string{
	"filesystem":          "../../internal/bench/tokens/catalogs/files.json",
	"everything":          "../../internal/bench/tokens/catalogs/everything.json",
	"memory":              "../../internal/bench/tokens/catalogs/memory.json",
	"sequential_thinking": "testdata/recorded/sequential-thinking.json",
	"github":              "testdata/recorded/github.json",
	"context7":            "testdata/recorded/context7.json",
}

// recorded mounts servers with the tools of the recordings.
func recorded(t *testing.T) *registry.Registry {
	t.Helper()
	reg := registry.New(nil)
	agg := upstream.New(reg, nil)
	t.Cleanup(func() { _ = agg.Close(context.Background()) })
	for label, file := range recordings {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var r struct {
			Tools []struct {
				Name, Description string
				InputSchema       json.RawMessage
			}
		}
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		srv := mcp.NewServer(&mcp.Implementation{Name: label}, nil)
		for _, tool := range r.Tools {
			srv.AddTool(&mcp.Tool{Name: tool.Name, Description: tool.Description, InputSchema: tool.InputSchema},
				func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					return &mcp.CallToolResult{}, nil
				})
		}
		if err := agg.Add(upstream.Server{Label: label, Endpoint: upstream.InMemory{Server: srv}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := agg.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return reg
}

// TestP1Recorded holds the minimal descriptions of published servers. They were read by people, who chose tools by them;
// read them again before -update.
func TestP1Recorded(t *testing.T) {
	const golden = "testdata/minimal.golden"
	reg := recorded(t)
	var b strings.Builder
	for _, tool := range connect(t, disclosure.NewServer(reg, nil), nil).Tools() {
		fmt.Fprintf(&b, "%s: %s\n", tool.Name, tool.Description)
	}
	for f := range reg.All() {
		holdsMinimal(t, f, disclosure.Minimal(f))
	}
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the descriptions have changed; read them, then -update:\n%s", b.String())
	}
}
