package cashsource_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/cashsource"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// read reads a server whose pages are those of ask, mounted at label.
func read(t *testing.T, label string, ask func(tool string, args map[string]any) (text string, meta map[string]json.RawMessage)) *cashsource.Source {
	t.Helper()
	var defs []*pin.Definition
	for _, name := range []string{"call", "help", "skill"} {
		defs = append(defs, &pin.Definition{Name: name, InputSchema: json.RawMessage(`{"type":"object","properties":{"namespace":{},"function":{},"skillname":{},"kwargs":{}}}`)})
	}
	src, err := cashsource.Read(t.Context(), func(_ context.Context, tool string, args map[string]any) (*wire.Answer, error) {
		text, meta := ask(tool, args)
		return &wire.Answer{CallToolResult: &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, Extra: meta}, nil
	}, defs, cashsource.Options{
		Host: host{}, Self: "me", Mounts: []cashsource.Mount{{Label: label}}, Pins: &pin.Keeper{Mode: pin.Off}, ReadTimeout: time.Minute,
		Vouched: func(string) bool { return false }, Note: func(string, ...any) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// TestDeclarationsOfNothing holds that a server cannot fill the memory with definitions of functions that it does not
// list.
func TestDeclarationsOfNothing(t *testing.T) {
	var many strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&many, `,"f%d":"d"`, i)
	}
	meta := map[string]json.RawMessage{registry.MetaDefinitions: json.RawMessage(`{"get":"` + strings.Repeat("0", 32) + `"` + many.String() + `}`)}
	src := read(t, "liar", func(tool string, args map[string]any) (string, map[string]json.RawMessage) {
		switch {
		case tool == "skill":
			return "# Skills\n\nNone.", nil
		case args["function"] != nil:
			return `{"name":"get","description":"Get.","parameters":[]}`, nil
		case args["namespace"] != nil:
			return `{"namespaces":[],"functions":[{"name":"get","description":"Get."}]}`, meta
		}
		var names []string
		for i := range 20 {
			names = append(names, fmt.Sprintf(`{"name":"n%d","description":"N."}`, i))
		}
		return `{"namespaces":[` + strings.Join(names, ",") + `],"functions":[]}`, meta
	})
	if n := cashsource.Declared(src); n != 20 {
		t.Errorf("%d definitions are in memory for 20 functions", n)
	}
}

// TestNoteIsShort holds that the text about further arguments of help, which another server writes, has a bound.
func TestNoteIsShort(t *testing.T) {
	names := "`" + strings.Repeat("x", 64) + "`"
	src := read(t, "liar", func(tool string, args map[string]any) (string, map[string]json.RawMessage) {
		switch {
		case tool == "skill":
			return "# Skills\n\nNone.", nil
		case args["function"] != nil:
			return `{"name":"get","description":"Get.","parameters":[]}`, nil
		case args["namespace"] != nil:
			return "# shop\n\n## Functions\n\n- **get** — Get.\n", nil
		}
		return "# Available Namespaces\n\n- **shop** — A shop.\n\nSupported arguments: `format`. In `shop` also: " + strings.Repeat(names+", ", 5000) + names + ".\n", nil
	})
	trees, err := src.Plant(func(cashsource.Mount) []*registry.Function { return nil })
	if err != nil {
		t.Fatal(err)
	}
	l, err := trees["liar"].List(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(l.Note); n == 0 || n > 1000 {
		t.Errorf("the note has %d bytes", n)
	}
	for _, a := range l.Arguments {
		if n := len(strings.Join(a.Names, "")); n > 4000 {
			t.Errorf("the names have %d bytes", n)
		}
	}
}

// host answers dry runs.
type host struct{ cashsource.Host }

func (host) Page(context.Context, string, string, map[string]any, mcp.Meta) (*wire.Answer, error) {
	text := `{"dry_run":true,"checks":[{"name":"rate_limit","status":"fail","message":"Too many calls\u202e.","retry_after":7}]}`
	return &wire.Answer{CallToolResult: &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}}, nil
}

// TestFailedCheckSaysWhy holds that a check that fails on a mounted server says why, and when to try again.
func TestFailedCheckSaysWhy(t *testing.T) {
	src := read(t, "inner", func(tool string, args map[string]any) (string, map[string]json.RawMessage) {
		switch {
		case tool == "skill":
			return "# Skills\n\nNone.", nil
		case args["function"] != nil:
			return `{"name":"get","description":"Get.","parameters":[]}`, nil
		}
		return `{"namespaces":[],"functions":[{"name":"get","description":"Get."}]}`, map[string]json.RawMessage{registry.MetaDryRun: json.RawMessage("true")}
	})
	trees, err := src.Plant(func(cashsource.Mount) []*registry.Function { return nil })
	if err != nil {
		t.Fatal(err)
	}
	p := registry.NewPipeline(trees["inner"], nil)
	r, err := p.Call(t.Context(), &registry.Request{Function: "get", DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	if text := r.Text(); !strings.Contains(text, `"message":"Too many calls."`) || !strings.Contains(text, `"retry_after":7`) {
		t.Error(text)
	}
}

// A panic over one page costs that page: its namespace, or the parameters of its function.
func TestPanicOverPage(t *testing.T) {
	for name, at := range map[string]string{"namespace": "bad", "function": "odd"} {
		t.Run(name, func(t *testing.T) {
			src := read(t, "s", func(tool string, args map[string]any) (string, map[string]json.RawMessage) {
				switch {
				case tool == "skill":
					return "# Skills\n\nNone.", nil
				case args["namespace"] == at && args["function"] == nil, args["function"] == at:
					panic("the secret")
				case args["function"] != nil:
					return `{"name":"get","description":"Get.","parameters":[],"schema":{"type":"object","additionalProperties":false}}`, nil
				case args["namespace"] != nil:
					return `{"namespaces":[],"functions":[{"name":"get","description":"Get."},{"name":"odd","description":"Odd."}]}`, nil
				}
				return `{"namespaces":[{"name":"good","description":"G."},{"name":"bad","description":"B."}],"functions":[]}`, nil
			})
			planted, err := src.Plant(func(cashsource.Mount) []*registry.Function { return nil })
			if err != nil {
				t.Fatal(err)
			}
			reg := registry.New(nil)
			for label, tree := range planted {
				if err := reg.Replace(label, tree); err != nil {
					t.Fatal(err)
				}
			}
			for _, fn := range []string{"get", "odd"} {
				f, err := reg.Function(t.Context(), "s.good", fn)
				if err != nil {
					t.Fatal(err)
				}
				if f, err = f.Complete(t.Context()); err != nil || (f.Partial() != "") != (fn == at) {
					t.Errorf("of %s is not known: %q, %v", fn, f.Partial(), err)
				}
			}
		})
	}
}
