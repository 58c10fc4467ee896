//go:build realclients

package realclients

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

type (
	typedArgs struct {
		City string `json:"city,omitempty"`
	}
	typedReport struct {
		City     string             `json:"city" jsonschema:"Where."`
		Celsius  *float64           `json:"celsius,omitempty"`
		Sky      []string           `json:"sky"`
		Labels   map[string]string  `json:"labels"`
		Until    time.Time          `json:"until"`
		Stations []typedStation     `json:"stations,omitempty"`
		Extra    any                `json:"extra"`
		Raw      json.RawMessage    `json:"raw"`
		Bytes    []byte             `json:"bytes"`
		Nested   map[string]*[3]int `json:"nested"`
	}
	typedStation struct {
		ID   uint32 `json:"id"`
		Near *struct{ Name string }
	}
)

func typedFunc[Out any](name string, out Out, facts ...registry.FuncOption) *registry.Function {
	return registry.Func(name, "Get "+name+".", func(context.Context, typedArgs) (Out, error) { return out, nil }, facts...)
}

// typedServer is a plain server of typed, raw, upstream and catalog functions. Those in lies return what their schema
// does not say.
func typedServer(t *testing.T) *plain.Server {
	t.Helper()
	reg := registry.New(nil)
	shown := []registry.FuncOption{
		registry.Title("Report"), registry.Icons(mcp.Icon{Source: "https://example.com/i.png", MIMEType: "image/png", Sizes: []string{"48x48"}}),
		registry.Meta(map[string]any{"ui": map[string]any{"resourceUri": "ui://report"}}),
	}
	raw, err := registry.RawFunc("raw", "Get raw.", nil, func(context.Context, json.RawMessage) (*registry.Result, error) {
		return registry.TextResult(`{"n":1}`), nil
	}, registry.OutputSchema(json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)))
	if err != nil {
		t.Fatal(err)
	}
	reg.Namespace("own", "").Add(
		typedFunc("report", typedReport{City: "Oslo", Stations: []typedStation{{ID: 1<<32 - 1}}, Raw: json.RawMessage(`[1]`), Extra: 1}, shown...),
		typedFunc("empty", typedReport{}), typedFunc("text", "hello"), typedFunc("list", []typedStation{{ID: 7}}), typedFunc[[]int]("nothing", nil),
		typedFunc("number", 7.5), typedFunc("anything", any("x")), typedFunc("quiet", typedStation{}, registry.TextOnly), raw,
		registry.Func("fails", "Fail.", func(context.Context, typedArgs) (typedReport, error) { return typedReport{}, fmt.Errorf("no") }),
	)
	reg.Namespace("lies", "").Add(typedFunc("wrong", typedStation{}, registry.OutputSchema(json.RawMessage(`{"type":"object","required":["n"]}`))))

	far := mcp.NewServer(&mcp.Implementation{Name: "far", Version: "1"}, nil)
	mcp.AddTool(far, &mcp.Tool{Name: "report", Description: "Report."}, func(context.Context, *mcp.CallToolRequest, typedArgs) (*mcp.CallToolResult, typedStation, error) {
		return nil, typedStation{ID: 7}, nil
	})
	mcp.AddTool(far, &mcp.Tool{Name: "list", Description: "List."}, func(context.Context, *mcp.CallToolRequest, typedArgs) (*mcp.CallToolResult, []int, error) {
		return nil, []int{7}, nil // only the newest clients may see its schema
	})
	agg := upstream.New(reg, nil)
	t.Cleanup(func() { _ = agg.Close(context.Background()) })
	if err := agg.Add(upstream.Server{Label: "far", Endpoint: upstream.InMemory{Server: far}}); err != nil {
		t.Fatal(err)
	}
	if err := agg.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := catalog.New(nil)
	report, err := c.Load([]byte(`{"tools":[{"name":"kept.one","inputSchema":{"type":"object"},
		"outputSchema":{"type":"object","properties":{"sky":{"enum":["clear","grey"]}},"required":["sky"]},"result":{"sky":"clear"}}]}`))
	if err != nil || len(report.Findings) > 0 {
		t.Fatal(report, err)
	}
	if err := reg.Replace("recorded", c.Tools()); err != nil {
		t.Fatal(err)
	}
	return plain.NewServer(reg, nil)
}

// TestTypeScriptTyped holds that the official client, which checks structured content against the output schemas that it
// has listed, takes every result; and that it does check them.
func TestTypeScriptTyped(t *testing.T) {
	web := httptest.NewServer(typedServer(t).Handler())
	t.Cleanup(web.Close)
	ts := startTypeScript(t)
	for _, g := range dialects {
		t.Run("SDK "+g.sdk+" at "+g.version, func(t *testing.T) {
			p := ts.connect(t, g.sdk, g.version, web.URL)
			var page struct{ Tools []map[string]json.RawMessage }
			p.do(t, "listTools", nil, &page)
			if len(page.Tools) != 14 {
				t.Errorf("%d tools", len(page.Tools))
			}
			for _, tool := range page.Tools {
				var name string
				decode(t, string(tool["name"]), &name)
				data, err := p.try(t, "callTool", map[string]any{"name": name, "arguments": map[string]any{}})
				if name == "lies-wrong" {
					if err == nil || !strings.Contains(err.Error(), "structured content") {
						t.Errorf("%s: %s, %v", name, data, err)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				var res struct {
					StructuredContent json.RawMessage
					IsError           bool
				}
				decode(t, string(data), &res)
				if res.IsError != (name == "own-fails") || tool["outputSchema"] != nil && !res.IsError && res.StructuredContent == nil ||
					res.IsError && res.StructuredContent != nil {
					t.Errorf("%s: %s", name, data)
				}
				if untyped := name == "own-anything" || name == "own-quiet" || name == "far-list" && g.version < "2026"; untyped != (tool["outputSchema"] == nil) {
					t.Errorf("%s: output schema %s", name, tool["outputSchema"])
				}
				if name == "own-report" && (string(tool["title"]) != `"Report"` || !strings.Contains(string(tool["icons"]), "https://example.com/i.png") ||
					string(tool["_meta"]) != `{"ui":{"resourceUri":"ui://report"}}`) {
					t.Errorf("%s: %s %s %s", name, tool["title"], tool["icons"], tool["_meta"])
				}
			}
			p.close(t)
		})
	}
}
