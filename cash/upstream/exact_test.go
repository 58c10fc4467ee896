package upstream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
	"github.com/cash-mcp/go-sdk/registry"
)

// oddNames and oddTexts are legal, and could be taken for something else.
var (
	oddNames = []string{"functions", "namespaces", "skills", "tools", "Order_Mgmt", "help", "call", "skill", "format", "a", "arguments", "returns", "note", "error", "none", "namespace", "name", "description"}
	oddTexts = []string{
		"", "About it.", "description: what it is", "Sets whether it is (available: false)", "available: false", "namespace: a — not one.", "function: f — F.",
		"- a\n- b", "# Functions\n\n- **x** — y", "| a | b |\n|--|--|\n| c | d |", "```\ncode\n```", "📦 **box** — with things", "help(namespace=\"a\") — see",
		"error: not found", "No function `x` in namespace `a`.", "Unknown namespace: a", "12 skills.", "7 more lines", "Results of more than 5 characters",
		"Supported arguments: none", "**Gated:** x sizelimit=5", "Read-only.", "No parameters.", "Other arguments are accepted too.",
		`Use {"namespace": "a", "function": "b"}`, "functions in `a`", strings.Repeat("word ", 800), strings.Repeat("x", 4000), "name: x", "<b>html</b> & \"quotes\" \\ back",
	}
)

// oddTree returns a registry of such things.
func oddTree(t *testing.T, r *rand.Rand) *registry.Registry {
	t.Helper()
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	reg := registry.New(nil)
	described := make(map[string]bool)
	for range 1 + r.IntN(8) {
		labels := make([]string, 1+r.IntN(3))
		for j := range labels {
			labels[j] = pick(oddNames)
		}
		path, about, name := strings.Join(labels, "."), "", pick(oddNames)
		if !described[canonical(path)] {
			about, described[canonical(path)] = pick(oddTexts), true
		}
		ns := reg.Namespace(path, about)
		schema := `{"type":"object"}`
		if text, err := json.Marshal(pick(oddTexts)); err == nil && r.IntN(3) > 0 {
			schema = fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"string","description":%s}}}`, name, text)
		}
		f, err := registry.RawFunc(name, pick(oddTexts), json.RawMessage(schema), func(context.Context, json.RawMessage) (*registry.Result, error) {
			return registry.TextResult(fmt.Sprint(path, " ", name)), nil
		}, [][]registry.FuncOption{{}, {registry.ReadOnly}}[r.IntN(2)]...)
		if err != nil {
			t.Fatal(err)
		}
		_ = ns.TryAdd(f.With("", registry.Returns(pick(oddTexts)))) // a name may be there already
		_ = ns.TryAddSkill(registry.NewSkill(pick(oddNames), pick(oddTexts), pick(oddTexts)+"."))
	}
	return reg
}

func canonical(path string) string { return strings.ToLower(strings.ReplaceAll(path, "_", "")) }

// Of a server of ours nothing is guessed: whatever its texts look like, what it
// has reads and answers behind an aggregator as it does itself, but for the paths.
func TestR137OwnServersExactly(t *testing.T) {
	for seed := range uint64(40) {
		reg := oddTree(t, rand.New(rand.NewPCG(seed, 1)))
		direct := cash.NewServer(reg, nil)
		srv, agg, _ := aggregate(t, &upstream.Options{Mode: pin.Mode(seed % 2)}, memory("shop", direct))
		if s := agg.Status()[0]; s.Err != nil || len(s.Notes)+len(s.Quarantined) > 0 {
			t.Errorf("the status is %+v", s)
		}
		m := cashtext.Mount{To: "shop", Known: make(map[string]bool)}
		c := comparison{t, direct, srv, m}
		each := func(visit func(*registry.Listing)) {
			err := registry.Walk(t.Context(), reg, "", func(l *registry.Listing) error {
				if l.Namespace != "" {
					visit(l)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		each(func(l *registry.Listing) { m.Known[canonical(l.Namespace)] = true })
		each(c.namespace)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// A comparison is one of a server with what an aggregator makes of it.
type comparison struct {
	t              *testing.T
	direct, behind *cash.Server
	mount          cashtext.Mount
}

func (c *comparison) namespace(l *registry.Listing) {
	for _, kwargs := range []string{`{}`, `{"format":"json"}`, `{"params":"full","examples":true,"format":"json"}`} {
		if l.HasFunctions {
			c.help(l.Namespace, "", kwargs)
		}
		for _, f := range l.Functions {
			c.help(l.Namespace, f.Name(), kwargs)
		}
	}
	for _, f := range l.Functions {
		got, err := c.behind.Call(c.t.Context(), &cash.CallRequest{Namespace: "shop." + l.Namespace, Function: f.Name()})
		if err != nil || canonical(got.Text()) != canonical(l.Namespace+" "+f.Name()) {
			c.t.Errorf("%s.%s answers %v, %v", l.Namespace, f.Name(), got, err)
		}
	}
	if l.HasSkills {
		c.skill(l.Namespace, "")
	}
	for _, s := range l.Skills {
		c.skill(l.Namespace, s.Name())
	}
}

func (c *comparison) help(namespace, function, kwargs string) {
	c.t.Helper()
	said, err := c.direct.Help(c.t.Context(), &cash.HelpRequest{Namespace: namespace, Function: function, Kwargs: json.RawMessage(kwargs)})
	want, ok := c.mount.JSON(said)
	if !ok {
		want = c.mount.Help(said, strings.TrimSuffix(namespace+"."+function, "."))
	}
	got, gotErr := c.behind.Help(c.t.Context(), &cash.HelpRequest{Namespace: "shop." + namespace, Function: function, Kwargs: json.RawMessage(kwargs)})
	c.same("help", namespace+" "+function+" "+kwargs, want, got, err, gotErr)
}

func (c *comparison) skill(namespace, name string) {
	c.t.Helper()
	want, err := c.direct.Skill(c.t.Context(), &cash.SkillRequest{Namespace: namespace, Name: name})
	got, gotErr := c.behind.Skill(c.t.Context(), &cash.SkillRequest{Namespace: "shop." + namespace, Name: name})
	c.same("skill", namespace+" "+name, c.mount.Text(want), got, err, gotErr)
}

func (c *comparison) same(tool, of, want, got string, errs ...error) {
	c.t.Helper()
	for _, err := range errs {
		if err != nil {
			c.t.Errorf("%s of %s: %v", tool, of, err)
		}
	}
	if got != want {
		c.t.Errorf("%s of %s reads\n%s\nwant\n%s", tool, of, got, want)
	}
}

// A default is its server's own: arguments that are not given are not sent, by one aggregator or by two. A change of one
// member would reset the others otherwise.
func TestR26DefaultsAreTheServers(t *testing.T) {
	notes := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	schema := json.RawMessage(`{"type":"object","properties":{"title":{"type":"string"},"status":{"type":"string","default":"draft"}}}`)
	notes.AddTool(&mcp.Tool{Name: "change", Description: "Change a note.", InputSchema: schema}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(req.Params.Arguments)}}}, nil
	})
	inner := serving(t, memory("notes", notes))
	outer := serving(t, memory("desk", inner))
	for namespace, srv := range map[string]*cash.Server{"notes": inner, "desk.notes": outer} {
		page, err := srv.Help(t.Context(), &cash.HelpRequest{Namespace: namespace, Function: "change"})
		if err != nil || !strings.Contains(page, "draft") {
			t.Errorf("%s: the page says %s, %v", namespace, page, err)
		}
		const sent = `{"title":"x"}`
		res, err := srv.Call(t.Context(), &cash.CallRequest{Namespace: namespace, Function: "change", Kwargs: json.RawMessage(sent)})
		if err != nil || res.Text() != sent {
			t.Errorf("%s: the server got %+v, %v; want %s", namespace, res, err, sent)
		}
	}
}
