package cash_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// toolWords are how errors of all faces could name a tool.
var toolWords = []string{
	"help(", "call(", "skill(", "its help", "`help`", "tool_browse", "tool_execute", "tool_view", "tool_hydrate", "resource_browse",
	"resource_read", "prompt_browse", "prompt_get", "list_tools", "describe_tool", "call_tool",
}

// wantHints are the words of each face for three steps, about the function fail of the namespace shop.
var wantHints = map[string]map[registry.Kind]string{
	"cash": {
		registry.UnknownFunction:  "Use `help(namespace=\"shop\")` to see available functions.",
		registry.InvalidArguments: "Use `help(namespace=\"shop\", function=\"fail\")` to see its parameters.",
		registry.UnknownSkill:     "Use `skill()` to see available skills.",
	},
	"gateway": {
		registry.UnknownFunction:  `Use tool_browse with path="/shop" to see what there is.`,
		registry.InvalidArguments: "Use tool_execute with dry_run=true to see its parameters.",
		registry.UnknownSkill:     `Use tool_browse with path="/shop" to see what there is.`,
	},
	"proxy": {
		registry.UnknownFunction:  "The ids are the names in tools/list.",
		registry.InvalidArguments: "Use tool_hydrate to see its parameters.",
	},
	"plain": {
		registry.UnknownFunction:  "The tools are in tools/list.",
		registry.InvalidArguments: "Its parameters are in tools/list.",
	},
	"disclosure": {
		registry.UnknownFunction:  "The tools are in tools/list.",
		registry.InvalidArguments: `"resource_uri":"resource:///tool_descriptions?tools=shop-fail"`,
	},
	"facade": {
		registry.UnknownFunction:  "The command help of each tool lists its commands.",
		registry.InvalidArguments: "fail takes no parameters.",
	},
	"endpoint": {
		registry.UnknownFunction:  "Use `list_tools` for the names.",
		registry.InvalidArguments: "Use `describe_tool` for its input schema.",
	},
}

// TestHintsByFace holds that no face names a tool in an error that it does not have: for errors of every kind, without
// advice and with advice in the terms of the CaSH tools, of functions here and on a mounted CaSH server.
func TestHintsByFace(t *testing.T) {
	var failing atomic.Pointer[registry.Error]
	fail := func(context.Context, struct{}) (string, error) { return "", failing.Load() }
	inner := registry.New(nil)
	inner.Namespace("shop", "A shop.").Add(registry.Func("fail", "Fail.", fail))
	reg := registry.New(nil)
	reg.Namespace("shop", "A shop.").Add(registry.Func("fail", "Fail.", fail))
	agg := upstream.New(reg, nil)
	t.Cleanup(func() { _ = agg.Close(context.Background()) })
	if err := agg.Add(upstream.Server{Label: "far", Endpoint: upstream.InMemory{Server: cash.NewServer(inner, nil)}}); err != nil {
		t.Fatal(err)
	}
	if err := agg.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	ask := make(map[string]func(path string) string) // the text of a failing call
	has := make(map[string]string)                   // the names of all tools
	for name, newFace := range faces {
		c := cashtest.Connect(t, newFace(reg, serve.Options{}))
		tools, err := c.Session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range tools.Tools {
			has[name] += " " + tool.Name + "( "
		}
		if name == "disclosure" {
			if _, err := c.Session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: disclosure.DefaultURI + "?tools=shop-fail,far-shop-fail"}); err != nil {
				t.Fatal(err)
			}
		}
		ask[name] = func(path string) string {
			tool, args := "call", fmt.Sprintf(`{"namespace":%q,"function":"fail"}`, path)
			switch name {
			case "gateway", "proxy":
				f, err := reg.Function(t.Context(), path, "fail")
				if err != nil {
					t.Fatal(err)
				}
				tool, args = "tool_execute", fmt.Sprintf(`{"tool_id":%q}`, f.ID())
			case "plain", "disclosure":
				tool, args = strings.ReplaceAll(path, ".", "-")+"-fail", `{}`
			case "facade":
				tool, args = "ShopExecute", `{"cmd":"fail"}`
				if path != "shop" {
					tool, args = "FarExecute", `{"cmd":"shop.fail"}`
				}
			}
			r := c.Tool(tool, json.RawMessage(args))
			if !r.IsError {
				t.Fatalf("%s, %s: no error: %s", name, path, r.Text)
			}
			return r.Text
		}
	}
	command := endpoint.New(reg, nil)
	has["cash"] += "its help`help`"
	has["endpoint"] = "list_tools describe_tool call_tool"
	ask["endpoint"] = func(path string) string {
		document, _ := command.Answer(t.Context(), []byte(fmt.Sprintf(`{"action":"call_tool","tool":%q}`, path+".fail")))
		return string(document)
	}
	advised := "Use `help(namespace=\"shop\")`, or skill(namespace=\"shop\"), and then `call(function=\"fail\")`."
	for _, kind := range registry.Kinds() {
		for what, e := range map[string]registry.Error{
			"plain":   {Message: "What happened."},
			"advised": {Message: "What happened.", Hint: advised, Next: registry.LookUp},
			"only":    {Hint: advised, Next: registry.ReadDefinition},
		} {
			e.Kind, e.Namespace, e.Name = kind, "shop", "fail"
			failing.Store(&e)
			for face, text := range ask {
				for _, path := range []string{"shop", "far.shop"} {
					got := text(path)
					if what != "only" && !strings.Contains(got, "What happened.") {
						t.Errorf("%s, %s, %s, %s: the message is missing: %s", kind, what, face, path, got)
					}
					for _, word := range toolWords {
						if strings.Contains(got, word) && !strings.Contains(has[face], word) {
							t.Errorf("%s, %s, %s, %s names %s: %s", kind, what, face, path, word, got)
						}
					}
					want := wantHints[face][kind]
					if quoted := strings.Trim(quotedJSON(t, want), `"`); what == "plain" && path == "shop" && !strings.Contains(got, want) && !strings.Contains(got, quoted) {
						t.Errorf("%s, %s does not say %s: %s", kind, face, want, got)
					}
				}
			}
			// The face with these tools shows the advice of another server, with its paths moved.
			if got := ask["cash"]("far.shop"); what == "advised" && got != "**Error:** What happened. "+strings.NewReplacer(`"shop"`, `"far.shop"`, "call(function", `call(namespace="far", function`).Replace(advised) {
				t.Errorf("%s, cash: %s", kind, got)
			}
		}
	}
}
