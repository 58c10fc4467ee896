package registry_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// TestFuncOptions holds that every fact can be read back.
func TestFuncOptions(t *testing.T) {
	f := tool("f", "F.")
	if f.Hints() != (registry.Hints{}) || f.ReadOnly() || f.Structured() || f.Title() != "" || f.Icons() != nil || f.Meta() != nil {
		t.Error("facts that nobody gave")
	}
	f = tool("f", "F.", registry.Destructive(false), registry.Idempotent(true), registry.OpenWorld(false), registry.Structured,
		registry.Timeout(time.Hour), registry.Aliases("a"), registry.Tags("b"), registry.Returns("An F."),
		registry.OutputSchema(&jsonschema.Schema{Type: "string"}))
	hints := f.Hints()
	if hints.ReadOnly || *hints.Destructive || !*hints.Idempotent || *hints.OpenWorld || f.Destructive() || !f.Idempotent() {
		t.Errorf("hints %+v", hints)
	}
	if f.Name() != "f" || f.Description() != "F." || !f.Structured() || f.Timeout() != time.Hour || f.Aliases()[0] != "a" || f.Tags()[0] != "b" || f.Returns() != "An F." ||
		string(f.OutputSchema()) != `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}` {
		t.Errorf("%+v", f)
	}
	if !tool("f", "", registry.ReadOnly, registry.Idempotent(true), registry.Destructive(false)).ReadOnly() {
		t.Error("it is not read-only")
	}
}

// TestFuncOptionMistakes holds that what is given twice, or against another, panics
// with the function and its place; that of what comes from elsewhere is an error.
func TestFuncOptionMistakes(t *testing.T) {
	everyone := registry.VisibleTo(func(context.Context, *registry.Caller) bool { return true })
	for name, tt := range map[string]struct {
		facts []registry.FuncOption
		want  string
	}{
		"twice":        {[]registry.FuncOption{registry.ReadOnly, registry.ReadOnly}, "ReadOnly is given twice"},
		"two values":   {[]registry.FuncOption{registry.Timeout(1), registry.Timeout(2)}, "Timeout is given twice"},
		"two lists":    {[]registry.FuncOption{registry.Tags("a"), registry.Tags("b")}, "Tags is given twice"},
		"two rules":    {[]registry.FuncOption{everyone, everyone}, "VisibleTo is given twice"},
		"no rule":      {[]registry.FuncOption{registry.VisibleTo(nil)}, "VisibleTo: the visibility is nil"},
		"nil":          {[]registry.FuncOption{nil}, "an option is nil"},
		"destroys":     {[]registry.FuncOption{registry.Destructive(true), registry.ReadOnly}, "Destructive(true) contradicts ReadOnly"},
		"not again":    {[]registry.FuncOption{registry.ReadOnly, registry.Idempotent(false)}, "Idempotent(false) contradicts ReadOnly"},
		"not a schema": {[]registry.FuncOption{registry.OutputSchema("string")}, "OutputSchema: a schema is"},
		"twice in it":  {[]registry.FuncOption{registry.OutputSchema(json.RawMessage(`{"type":"object","a":1,"a":2}`))}, "OutputSchema: "},
		"no title":     {[]registry.FuncOption{registry.Title("")}, "Title: the title is empty"},
		"two lines":    {[]registry.FuncOption{registry.Title("a\nb")}, "Title: the title is not one line"},
		"long title":   {[]registry.FuncOption{registry.Title(strings.Repeat("a", registry.MaxTitle+1))}, "Title: the title is not one line"},
		"an icon":      {[]registry.FuncOption{registry.Icons(mcp.Icon{Source: "javascript:secret()"})}, "Icons: icon 1: the source is neither"},
		"many icons":   {[]registry.FuncOption{registry.Icons(make([]mcp.Icon, registry.MaxIcons+1)...)}, "Icons: there are 9 icons"},
		"no metadata":  {[]registry.FuncOption{registry.Meta("a")}, "Meta: metadata is a json.RawMessage or a map"},
		"a list":       {[]registry.FuncOption{registry.Meta(json.RawMessage(`[]`))}, "Meta: the metadata is of type array"},
		"no JSON":      {[]registry.FuncOption{registry.Meta(map[string]any{"a": func() {}})}, "Meta: the metadata has no JSON form"},
		"ours":         {[]registry.FuncOption{registry.Meta(map[string]any{"cash/code": 1})}, "Meta: metadata with keys that begin with cash/"},
		"large":        {[]registry.FuncOption{registry.Meta(map[string]any{"a": strings.Repeat("a", registry.MaxMeta)})}, "Meta: the metadata has 16392 bytes"},
		"bad schema":   {[]registry.FuncOption{registry.OutputSchema(json.RawMessage("{"))}, "OutputSchema: "},
	} {
		for maker, make := range map[string]func(){
			"Func":       func() { tool("f", "", tt.facts...) },
			"StreamFunc": func() { registry.StreamFunc("f", "", reporting, tt.facts...) },
			"RawFunc":    func() { _, _ = registry.RawFunc("f", "", nil, echoRaw, tt.facts...) },
			"With":       func() { tool("f", "").With("", tt.facts...) },
		} {
			text := mustPanic(t, make)
			if !strings.Contains(text, `function "f"`) || !strings.Contains(text, "_test.go:") || !strings.Contains(text, tt.want) {
				t.Errorf("%s, %s: %s", name, maker, text)
			}
		}
		handler := func(context.Context, *registry.Call) (*registry.Result, error) { return nil, nil }
		if _, err := registry.RemoteFunc("f", "", registry.Remote{Handler: handler}, tt.facts...); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s, RemoteFunc: %v", name, err)
		}
	}
	text := mustPanic(t, func() { _, _ = registry.RawFunc("f", "", nil, nil) })
	if !strings.Contains(text, "handler is nil") {
		t.Errorf("RawFunc without a handler: %s", text)
	}
}

// TestDeprecated holds that a deprecated function is marked, listed last, and found after others that fit nearly as well.
func TestDeprecated(t *testing.T) {
	reg := registry.New(nil)
	old := tool("a", "Read the meter.", registry.Deprecated)
	reg.Namespace("x", "").Add(old, tool("b", "Read the meter."), tool("c", "", registry.Deprecated), tool("d", "deprecated: use b", registry.Deprecated))
	reg.Namespace("p", "").Add(tool("get", "Weigh a parcel.", registry.Deprecated))
	reg.Namespace("q", "").Add(tool("get", "Weigh the boxes, and each parcel in them."))
	l, err := reg.List(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range l.Functions {
		got = append(got, f.Name()+" "+f.Description())
	}
	want := []string{"b Read the meter.", "a Deprecated. Read the meter.", "c Deprecated. C; takes no parameters.", "d deprecated: use b"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if g := old.With("New words."); g.Description() != "Deprecated. New words." {
		t.Errorf("%q", g.Description())
	}
	found := reg.Search(t.Context(), "weigh parcel", 5)
	if len(found) != 2 || found[0].Namespace != "q" || found[0].Score <= found[1].Score {
		t.Errorf("%v", found)
	}
}

// TestOptionsOfOthers is the same for namespaces and skills.
func TestOptionsOfOthers(t *testing.T) {
	staff := registry.VisibleTo(registry.Roles("staff"))
	reg := registry.New(nil)
	reg.Namespace("a", "", staff)
	for name, make := range map[string]func(){
		"namespace":  func() { reg.Namespace("a", "", staff) },
		"at once":    func() { reg.Namespace("b", "", staff, staff) },
		"skill":      func() { registry.NewSkill("s", "", "x", staff, staff) },
		"no rule":    func() { reg.Namespace("c", "", registry.VisibleTo(nil)) },
		"empty text": func() { registry.NewSkill("s", "", " ") },
		"nil":        func() { reg.Namespace("d", "", nil) },
		"nil skill":  func() { registry.NewSkill("s", "", "x", nil) },
	} {
		if text := mustPanic(t, make); !strings.Contains(text, "option_test.go:") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestWith holds that a copy says what it is told to, that a rule of its own comes
// on top of that of the first, and that the first stays what it was.
func TestWith(t *testing.T) {
	staff, fire := registry.VisibleTo(registry.Roles("staff")), registry.VisibleTo(registry.Roles("fire"))
	f := tool("f", "F.", staff, registry.Timeout(time.Second), registry.Tags("a"))
	g := f.With("G.", fire, registry.Timeout(time.Hour), registry.ReadOnly)
	if g.Description() != "G." || g.Timeout() != time.Hour || !g.ReadOnly() || g.Tags()[0] != "a" {
		t.Errorf("%+v", g)
	}
	if f.Description() != "F." || f.Timeout() != time.Second || f.ReadOnly() {
		t.Errorf("%+v", f)
	}
	reg := registry.New(nil)
	reg.Namespace("", "").Add(g)
	for _, tt := range []struct {
		roles []string
		want  bool
	}{{[]string{"staff"}, false}, {[]string{"fire"}, false}, {[]string{"staff", "fire"}, true}} {
		ctx := registry.WithCaller(t.Context(), &registry.Caller{ID: "x", Roles: tt.roles})
		if _, err := reg.Function(ctx, "", "f"); (err == nil) != tt.want {
			t.Errorf("%v: %v", tt.roles, err)
		}
	}
}

// TestSchemaTypes holds that a *jsonschema.Schema stands for its JSON.
func TestSchemaTypes(t *testing.T) {
	in := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"x": {Type: "integer"}}, Required: []string{"x"}}
	f, err := registry.RawFunc("f", "", in, echoRaw)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := pipelineOf(f, nil)
	if _, err := run(p, "f", `{"x":"a"}`); err == nil {
		t.Error("arguments are not held to the schema")
	}
	if _, err := run(p, "f", `{"x":1}`); err != nil {
		t.Error(err)
	}
}

func echoRaw(_ context.Context, args json.RawMessage) (*registry.Result, error) {
	return registry.TextResult(string(args)), nil
}

func reporting(context.Context, struct{}, func(registry.Progress) error) (string, error) {
	return "", nil
}
