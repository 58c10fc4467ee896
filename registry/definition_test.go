package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// TestW36Definition holds what a definition is of: all that callers and rules
// know of a function, and nothing else.
func TestW36Definition(t *testing.T) {
	type facts struct {
		path, name string
		remote     registry.Remote
		about      string
		facts      []registry.FuncOption
	}
	define := func(change func(*facts)) string {
		t.Helper()
		a := facts{path: "a.b", name: "f", about: "F."}
		a.remote.InputSchema = json.RawMessage(`{"type":"object","properties":{"x":{"type":"string"},"y":{}},"required":["x"]}`)
		a.remote.Handler = func(context.Context, *registry.Call) (*registry.Result, error) { return nil, nil }
		change(&a)
		f, err := registry.RemoteFunc(a.name, a.about, a.remote, a.facts...)
		if err != nil {
			t.Fatal(err)
		}
		return resolve(t, a.path, f).Definition()
	}
	says := func(o registry.FuncOption) func(*facts) { return func(a *facts) { a.facts = append(a.facts, o) } }
	schema := func(text string) func(*facts) {
		return func(a *facts) { a.remote.InputSchema = json.RawMessage(text) }
	}
	first := define(func(*facts) {})
	if len(first) != 64 {
		t.Errorf("the definition is %q", first)
	}
	for name, change := range map[string]func(*facts){
		"nothing":      func(*facts) {},
		"keys, blanks": schema(` {"required":["x"], "properties":{"y":{},"x":{"type":"string"}},"type":"object"}`),
		"aliases":      says(registry.Aliases("x")),
		"timeout":      says(registry.Timeout(time.Second)),
		"who sees it":  says(registry.VisibleTo(func(context.Context, *registry.Caller) bool { return true })),
		"its own name": func(a *facts) { a.remote.Tool = "f" },
		"another handler": func(a *facts) {
			a.remote.Handler = func(context.Context, *registry.Call) (*registry.Result, error) { return nil, errors.New("") }
		},
	} {
		if got := define(change); got != first {
			t.Errorf("%s: the definition is another one", name)
		}
	}
	seen := map[string]string{first: "nothing"}
	for name, change := range map[string]func(*facts){
		"path":      func(a *facts) { a.path = "a.c" },
		"name":      func(a *facts) { a.name = "g" },
		"parameter": schema(`{"type":"object","properties":{"x":{"type":"string"},"z":{}},"required":["x"]}`),
		"prose":     schema(`{"type":"object","properties":{"x":{"type":"string","description":"X."},"y":{}},"required":["x"]}`),
		"unchecked": func(a *facts) { a.remote.Partial = "Formats." },
		"problem":   func(a *facts) { a.remote.Problem = errors.New("odd") },
		"server":    func(a *facts) { a.remote.Server = "s" },
		"tool":      func(a *facts) { a.remote.Tool = "t" },
		"id": func(a *facts) {
			a.remote.ID = toolid.Primitive{Kind: toolid.Tool, ID: toolid.ID{Namespace: "a", Name: "f", Version: "1"}}
		},
		"kind": func(a *facts) {
			a.remote.ID = toolid.Primitive{Kind: toolid.Prompt, ID: toolid.ID{Namespace: "a", Name: "f", Version: "1"}}
		},
		"description":     func(a *facts) { a.about = "G." },
		"returns":         says(registry.Returns("G.")),
		"read-only":       says(registry.ReadOnly),
		"idempotent":      says(registry.Idempotent(true)),
		"not idempotent":  says(registry.Idempotent(false)),
		"destructive":     says(registry.Destructive(true)),
		"not destructive": says(registry.Destructive(false)),
		"open world":      says(registry.OpenWorld(true)),
		"closed world":    says(registry.OpenWorld(false)),
		"output schema":   says(registry.OutputSchema(json.RawMessage(`{}`))),
		"structured":      says(registry.Structured),
		"title":           says(registry.Title("G")),
		"icon":            says(registry.Icons(mcp.Icon{Source: "https://example.com/g.png"})),
		"metadata":        says(registry.Meta(map[string]any{"g": 1})),
		"a tag":           says(registry.Tags("a b")),
		"tags":            says(registry.Tags("a", "b")),
	} {
		got := define(change)
		if other, dup := seen[got]; dup {
			t.Errorf("%s: the definition is that of %s", name, other)
		}
		seen[got] = name
	}
}

// A function that was added to another registry is another one if its place is:
// what was known of it before does not stick.
func TestW36DefinitionOfCopies(t *testing.T) {
	f := resolve(t, "a", echo("f"))
	id, definition := f.Primitive(), f.Definition()
	moved := resolve(t, "b", f)
	if moved.Primitive() == id || moved.Definition() == definition {
		t.Error("elsewhere it is the same")
	}
	if back := resolve(t, "a", moved); back.Primitive() != id || back.Definition() != definition {
		t.Errorf("in its place it is %s", back.Primitive())
	}
	loose := echo("g")
	if loose.With("Changed.").Definition() == loose.Definition() {
		t.Error("a copy with another description has the definition of the first")
	}
}
