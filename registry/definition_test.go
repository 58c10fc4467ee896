package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// TestW36Definition holds what a definition is of: all that callers and rules
// know of a function, and nothing else.
func TestW36Definition(t *testing.T) {
	type facts struct {
		path, name string
		remote     registry.Remote
		change     func(*registry.Function)
	}
	define := func(change func(*facts)) string {
		t.Helper()
		a := facts{path: "a.b", name: "f", change: func(*registry.Function) {}}
		a.remote.InputSchema = json.RawMessage(`{"type":"object","properties":{"x":{"type":"string"},"y":{}},"required":["x"]}`)
		a.remote.Handler = func(context.Context, *registry.Call) (*registry.Result, error) { return nil, nil }
		change(&a)
		f, err := registry.RemoteFunc(a.name, "F.", a.remote)
		if err != nil {
			t.Fatal(err)
		}
		a.change(f)
		return resolve(t, a.path, f).Definition()
	}
	function := func(change func(*registry.Function)) func(*facts) { return func(a *facts) { a.change = change } }
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
		"aliases":      function(func(f *registry.Function) { f.Aliases = []string{"x"} }),
		"timeout":      function(func(f *registry.Function) { f.Timeout = time.Second }),
		"who sees it": function(func(f *registry.Function) {
			f.VisibleTo = func(context.Context, *registry.Caller) bool { return true }
		}),
		"its own name": func(a *facts) { a.remote.Tool = "f" },
		"unchecked":    func(a *facts) { a.remote.Unchecked = true },
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
		"problem":   func(a *facts) { a.remote.Problem = errors.New("odd") },
		"server":    func(a *facts) { a.remote.Server = "s" },
		"tool":      func(a *facts) { a.remote.Tool = "t" },
		"id": func(a *facts) {
			a.remote.ID = toolid.Primitive{Kind: toolid.Tool, ID: toolid.ID{Namespace: "a", Name: "f", Version: "1"}}
		},
		"kind": func(a *facts) {
			a.remote.ID = toolid.Primitive{Kind: toolid.Prompt, ID: toolid.ID{Namespace: "a", Name: "f", Version: "1"}}
		},
		"description": function(func(f *registry.Function) { f.Description = "G." }),
		"returns":     function(func(f *registry.Function) { f.Returns = "G." }),
		"read-only":   function(func(f *registry.Function) { f.ReadOnly = true }),
		"idempotent":  function(func(f *registry.Function) { f.Idempotent = true }),
		"destructive": function(func(f *registry.Function) { f.Destructive = true }),
		"structured":  function(func(f *registry.Function) { f.Structured = true }),
		"a tag":       function(func(f *registry.Function) { f.Tags = []string{"a b"} }),
		"tags":        function(func(f *registry.Function) { f.Tags = []string{"a", "b"} }),
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
	before := loose.Definition()
	loose.Description += " Changed."
	if loose.Definition() == before {
		t.Error("what is in no namespace is known for good")
	}
}
