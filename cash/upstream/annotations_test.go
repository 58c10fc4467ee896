package upstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	file "github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/plain"

	"github.com/cash-mcp/go-sdk/registry"
)

// effects are what is declared of one function: each not said (0), no (1) or yes (2).
type effects struct{ readOnly, destructive, idempotent, open int }

// everyEffects returns all 81 declarations.
func everyEffects() (list []effects) {
	for i := range 81 {
		list = append(list, effects{i / 27, i / 9 % 3, i / 3 % 3, i % 3})
	}
	return list
}

func (s effects) name() string {
	return fmt.Sprintf("f%d%d%d%d", s.readOnly, s.destructive, s.idempotent, s.open)
}

func hint(n int) *bool {
	if n == 0 {
		return nil
	}
	yes := n == 2
	return &yes
}

// contradicts reports whether the facts cannot be registered together.
func (s effects) contradicts() bool {
	return s.readOnly == 2 && (s.destructive == 2 || s.idempotent == 1)
}

// json returns the annotations with exactly what is said; "" for nothing.
func (s effects) json() string {
	var members []string
	for i, v := range []int{s.readOnly, s.idempotent, s.destructive, s.open} {
		if v > 0 {
			members = append(members, fmt.Sprintf("%q:%t", []string{"readOnlyHint", "idempotentHint", "destructiveHint", "openWorldHint"}[i], v == 2))
		}
	}
	if members == nil {
		return ""
	}
	return "{" + strings.Join(members, ",") + "}"
}

// resolved is what holds of s: destructive outweighs read-only (gateway surface, section 2.1), and read-only outweighs
// that a call is not idempotent. Read-only has two values.
func (s effects) resolved() effects {
	switch {
	case s.readOnly == 2 && s.destructive == 2, s.readOnly == 1:
		s.readOnly = 0
	case s.readOnly == 2 && s.idempotent == 1:
		s.idempotent = 0
	}
	return s
}

func (s effects) facts() (facts []registry.FuncOption) {
	if s.readOnly == 2 {
		facts = append(facts, registry.ReadOnly)
	}
	if v := hint(s.destructive); v != nil {
		facts = append(facts, registry.Destructive(*v))
	}
	if v := hint(s.idempotent); v != nil {
		facts = append(facts, registry.Idempotent(*v))
	}
	if v := hint(s.open); v != nil {
		facts = append(facts, registry.OpenWorld(*v))
	}
	return facts
}

// toolsSaying returns definitions of a tool for each declaration, with names that begin with prefix.
func toolsSaying(list []effects, prefix string) string {
	var tools []string
	for _, s := range list {
		annotations := ""
		if a := s.json(); a != "" {
			annotations = `,"annotations":` + a
		}
		tools = append(tools, fmt.Sprintf(`{"name":%q,"description":"Do.","inputSchema":{"type":"object"}%s}`, prefix+s.name(), annotations))
	}
	return `{"tools":[` + strings.Join(tools, ",") + `]}`
}

// pagesSaying is a CaSH server by other hands, which tells annotations on its JSON pages.
func pagesSaying(list []effects) *mcp.Server {
	page := make(map[string]string)
	var entries []string
	for _, s := range list {
		annotations := ""
		if a := s.json(); a != "" {
			annotations = `,"annotations":` + a
		}
		page[s.name()] = `{"namespace":"n","name":"` + s.name() + `","description":"Do.","parameters":[]` + annotations + `}`
		entries = append(entries, `{"name":"`+s.name()+`","description":"Do."}`)
	}
	return hands{help: func(_ context.Context, _ *mcp.CallToolRequest, a args) *mcp.CallToolResult {
		switch {
		case str(a["function"]) != "":
			return text(page[str(a["function"])])
		case str(a["namespace"]) != "":
			return text(`{"namespace":"n","functions":[` + strings.Join(entries, ",") + `]}`)
		}
		return text(`{"namespaces":[{"name":"n","description":"N."}]}`)
	}}.server()
}

// mountedAt returns a registry with a server's namespace n mounted at n.
func mountedAt(t *testing.T, srv cashtest.Runner) *registry.Registry {
	t.Helper()
	s := memory("n", srv)
	s.Namespace = "n"
	_, _, reg := aggregate(t, nil, s)
	return reg
}

func imported(t *testing.T, document []byte) *registry.Registry {
	t.Helper()
	c := file.New(nil)
	if _, err := c.Load(document); err != nil {
		t.Fatal(err)
	}
	return c.Tools()
}

func exported(t *testing.T, src registry.Source) []byte {
	t.Helper()
	document, err := file.Export(t.Context(), src, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// TestZ3Annotations holds that each face tells of the effects of a function what is declared of it, whatever its origin.
func TestZ3Annotations(t *testing.T) {
	all := everyEffects()
	var proper []effects
	reg := registry.New(nil)
	n := reg.Namespace("n", "N.")
	for _, s := range all {
		if !s.contradicts() {
			proper = append(proper, s)
			n.Add(registry.Func(s.name(), "Do.", func(context.Context, struct{}) (string, error) { return "", nil }, s.facts()...))
		}
	}
	plainServer := handmade(func(method string, _ json.RawMessage) (string, error) {
		if method == "tools/list" {
			return toolsSaying(all, ""), nil
		}
		return "", nil
	})
	_, _, upstreamPlain := aggregate(t, nil, memory("n", plainServer))
	once := mountedAt(t, cash.NewServer(reg, nil))
	twice := mountedAt(t, cash.NewServer(once, nil))
	document := exported(t, twice)
	again := imported(t, document)
	if second := exported(t, again); string(second) != string(document) {
		t.Errorf("exported again:\n%s\nfirst:\n%s", second, document)
	}
	for origin, o := range map[string]struct {
		reg  *registry.Registry
		list []effects
	}{
		"own":                         {reg, proper},
		"plain upstream":              {upstreamPlain, all},
		"CaSH upstream":               {once, proper},
		"CaSH behind CaSH":            {twice, proper},
		"CaSH by other hands":         {mountedAt(t, pagesSaying(all)), all},
		"plain behind CaSH":           {mountedAt(t, cash.NewServer(upstreamPlain, nil)), all},
		"catalog":                     {imported(t, []byte(toolsSaying(all, "n."))), all},
		"exported and imported":       {again, proper},
		"plain exported and imported": {imported(t, exported(t, upstreamPlain)), all},
	} {
		t.Run(origin, func(t *testing.T) {
			told := tellers(t, o.reg, o.list)
			for _, s := range o.list {
				for face, tells := range told {
					want := wanted[face](s.resolved())
					if got := tells(s.name()); got != want {
						t.Errorf("%s, %s tells %s, want %s", s.name(), face, got, want)
					}
				}
			}
		})
	}
}

// wanted is what each face is to tell of a function.
var wanted = map[string]func(effects) string{
	"plain":      effects.annotations,
	"disclosure": effects.annotations,
	"facade": func(s effects) string {
		a := &mcp.ToolAnnotations{ReadOnlyHint: s.readOnly == 2, IdempotentHint: s.readOnly == 2 || s.idempotent == 2, DestructiveHint: hint(s.destructive), OpenWorldHint: hint(s.open)}
		if a.ReadOnlyHint {
			a.DestructiveHint = new(bool)
		}
		return asJSON(a)
	},
	"help": effects.json,
	"dry run": func(s effects) string {
		m := map[string]bool{"verified": false}
		_ = json.Unmarshal([]byte(s.json()), &m)
		return asJSON(m)
	},
	"card": func(s effects) string {
		switch {
		case s.destructive == 2:
			return " [destructive] side_effects safety=destructive"
		case s.readOnly == 2:
			return " [read-only] safety=read_only"
		}
		return " side_effects"
	},
	"class": func(s effects) string {
		switch {
		case s.destructive == 2:
			return "destructive"
		case s.readOnly == 2:
			return "read_only"
		}
		return "writes"
	},
	"endpoint": func(s effects) string {
		text := "A call may change something."
		switch {
		case s.readOnly == 2:
			return "Read-only: a call changes nothing."
		case s.destructive == 2:
			text = "Destructive: a call may delete or overwrite."
		}
		if s.idempotent == 2 {
			text += " The same call twice has the effect of once."
		}
		return text
	},
}

// annotations are those of the SDK, whose idempotentHint has two values.
func (s effects) annotations() string {
	if s.json() == "" {
		return "null"
	}
	return asJSON(&mcp.ToolAnnotations{ReadOnlyHint: s.readOnly == 2, IdempotentHint: s.idempotent == 2, DestructiveHint: hint(s.destructive), OpenWorldHint: hint(s.open)})
}

// tellers returns what a client of each face reads of the effects of a function of the namespace n.
func tellers(t *testing.T, reg *registry.Registry, list []effects) map[string]func(name string) string {
	t.Helper()
	function := func(name string) *registry.Function {
		f, err := reg.Function(t.Context(), "n", name)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	domains := registry.New(nil) // one domain for each function
	for _, s := range list {
		domains.Namespace(s.name(), "").Add(function(s.name()))
	}
	listed := func(srv cashtest.Runner, toolOf func(name string) string) func(string) string {
		byName := make(map[string]string)
		for _, tool := range cashtest.Connect(t, srv).Tools() {
			byName[tool.Name] = asJSON(tool.Annotations)
		}
		return func(name string) string { return byName[toolOf(name)] }
	}
	flat := func(name string) string { return "n-" + name }
	help := cashtest.Connect(t, cash.NewServer(reg, nil))
	browser := cashtest.Connect(t, gateway.NewServer(reg, nil))
	command := endpoint.New(reg, nil)
	return map[string]func(string) string{
		"plain":      listed(plain.NewServer(reg, nil), flat),
		"disclosure": listed(disclosure.NewServer(reg, nil), flat),
		"facade":     listed(facade.NewServer(domains, nil), func(name string) string { return "F" + name[1:] + "Execute" }),
		"help": func(name string) string {
			var page struct{ Annotations json.RawMessage }
			if err := json.Unmarshal([]byte(help.Tool("help", args{"namespace": "n", "function": name, "kwargs": args{"format": "json"}}).OK().Text), &page); err != nil {
				t.Fatal(err)
			}
			return string(page.Annotations)
		},
		"dry run": func(name string) string {
			r := browser.Tool("tool_execute", args{"tool_id": function(name).Primitive().String(), "dry_run": true}).OK()
			var report struct{ Annotations map[string]bool }
			if err := json.Unmarshal([]byte(r.Text), &report); err != nil {
				t.Fatal(err)
			}
			return asJSON(report.Annotations)
		},
		"card": func(name string) string {
			r := browser.Tool("tool_browse", args{"path": "/n/" + name}).OK()
			line, _, _ := strings.Cut(r.Text, "\n")
			_, marks, _ := strings.Cut(line, "Do.")
			return marks
		},
		"class": func(name string) string { return string(control.ClassOf(function(name))) },
		"endpoint": func(name string) string {
			document, _ := command.Answer(t.Context(), []byte(`{"action":"describe_tool","tool":"n.`+name+`"}`))
			var answer struct{ Tool struct{ Safety string } }
			if err := json.Unmarshal(document, &answer); err != nil {
				t.Fatal(err)
			}
			return answer.Tool.Safety
		},
	}
}

// TestW38OperatorsWord holds that a server behind an aggregator knows what the aggregator's operator says of effects, in
// place of what the mounted server says.
func TestW38OperatorsWord(t *testing.T) {
	reg := registry.New(nil)
	n := reg.Namespace("n", "N.")
	for name, facts := range map[string][]registry.FuncOption{
		"look": {registry.ReadOnly, registry.OpenWorld(false)}, "drop": {registry.Destructive(true)}, "set": {registry.Idempotent(false), registry.OpenWorld(true)},
	} {
		n.Add(registry.Func(name, "Do.", func(context.Context, struct{}) (string, error) { return "", nil }, facts...))
	}
	for _, ignored := range []bool{false, true} {
		s := memory("n", cash.NewServer(reg, nil))
		s.Namespace, s.IgnoreHints, s.ReadOnly = "n", ignored, []string{"n.drop", "n.set"}
		_, _, middle := aggregate(t, nil, s)
		outer := mountedAt(t, cash.NewServer(middle, nil))
		want := map[string]string{"look": "{true,false}", "drop": "{true,-}", "set": "{true,true}"}
		if ignored {
			want = map[string]string{"look": "{-,-}", "drop": "{true,-}", "set": "{true,-}"}
		}
		for at, reg := range map[string]*registry.Registry{"the aggregator": middle, "behind it": outer} {
			for name, want := range want {
				f, err := reg.Function(t.Context(), "n", name)
				if err != nil {
					t.Fatal(err)
				}
				h := f.Hints()
				got := "{-,"
				if h.ReadOnly {
					got = "{true,"
				}
				if h.OpenWorld == nil {
					got += "-}"
				} else {
					got += fmt.Sprint(*h.OpenWorld) + "}"
				}
				if got != want || h.Destructive != nil || h.Idempotent != nil {
					t.Errorf("hints ignored: %t, %s: %s is read-only, of an open world: %s, want %s; %+v", ignored, at, name, got, want, h)
				}
			}
		}
	}
}

// TestZ3Tags holds that no tag sets the safety class of a card, however it is spelled.
func TestZ3Tags(t *testing.T) {
	tags := []string{"read=only", "READ_ONLY", "destr\u200buctive", "Destructive", "money"}
	tool := `{"tools":[{"name":"NAME","description":"Do.","inputSchema":{"type":"object"},"_meta":{"tags":` + asJSON(tags) + `}}]}`
	_, _, reg := aggregate(t, nil, memory("n", handmade(func(method string, _ json.RawMessage) (string, error) {
		if method == "tools/list" {
			return strings.Replace(tool, "NAME", "pay", 1), nil
		}
		return "", nil
	})))
	own := registry.New(nil)
	own.Namespace("n", "").Add(registry.Func("pay", "Do.", func(context.Context, struct{}) (string, error) { return "", nil }, registry.Tags(tags...)))
	for origin, reg := range map[string]*registry.Registry{"own": own, "plain upstream": reg, "catalog": imported(t, []byte(strings.Replace(tool, "NAME", "n.pay", 1)))} {
		c := cashtest.Connect(t, gateway.NewServer(reg, nil))
		if r := c.Tool("tool_browse", args{"path": "/n/pay"}).OK(); !strings.Contains(r.Text, " Do. [money] side_effects\n") {
			t.Errorf("%s: %s", origin, r.Text)
		}
		for tag, want := range map[string]bool{"read-only": false, "destructive": false, "money": true} {
			if r := c.Tool("tool_browse", args{"path": "/n/*?tag=" + tag}); strings.Contains(r.Text, "n:pay#") != want {
				t.Errorf("%s: the tag %s gives %s", origin, tag, r.Text)
			}
		}
	}
}
