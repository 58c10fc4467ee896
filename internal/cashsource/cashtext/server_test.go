package cashtext_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/skillmd"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

type input struct {
	ID    string   `json:"id" jsonschema:"Which | one; see help(namespace=\"tools\")." cash:"example=C-1"`
	Lines []string `json:"lines,omitempty" jsonschema:"Lines."`
	Code  string   `json:"code,omitempty" jsonschema:"Code." cash:"pattern='^[A-Z]|x$'"`
}

func run(context.Context, input) (string, error) { return "", nil }

// words are names that pages could take for something else.
var words = []string{"functions", "namespaces", "skills", "tools", "Order_Mgmt", "help", "a", "__b__", "arguments", "none", "returns", "c3", "call", "x_y"}

// sayings are descriptions that pages could take for something else.
var sayings = []string{"", "About it.", "— dashes — everywhere", ": a colon", "- a list", "# A heading", "`code` and **bold**", "12 skills.", "One.\nTwo.",
	"(x, y)", "[link](x)", "| cells |", "Supported arguments: none", "Results of more than 5 characters", "👩‍🚀 naïve", strings.Repeat("long ", 60), "available: yes", "7 more lines",
	"description: what it is", "namespace: a — not one", "help(namespace=\"a\") — not one", "📦 a box", "error: not found"}

func pick(r *rand.Rand, list []string) string { return list[r.IntN(len(list))] }

// randomTree returns a registry of random namespaces, functions and skills.
func randomTree(r *rand.Rand) *registry.Registry {
	reg := registry.New(nil)
	for i := range 1 + r.IntN(8) {
		path := make([]string, r.IntN(4))
		for j := range path {
			path[j] = pick(r, words)
		}
		ns := reg.Namespace(strings.Join(path, "."), "")
		facts := [][]registry.FuncOption{nil, {registry.ReadOnly}, {registry.Idempotent(true)}, {registry.ReadOnly, registry.Idempotent(true)},
			{registry.Destructive(false), registry.Idempotent(false), registry.OpenWorld(true)}, {registry.Destructive(true), registry.OpenWorld(false)}}
		f := registry.Func(pick(r, words), pick(r, sayings), run, facts[r.IntN(len(facts))]...)
		_ = ns.TryAdd(f) // a name may be there already
		s := registry.NewSkill(pick(r, words), pick(r, sayings), fmt.Sprintf("Text %d.", i))
		_ = ns.TryAddSkill(s)
	}
	return reg
}

// TestOwnPages holds that what our own server lists is read as what the
// registry holds, in both formats.
func TestOwnPages(t *testing.T) {
	for seed := range uint64(300) {
		reg := randomTree(rand.New(rand.NewPCG(seed, 1)))
		srv := cash.NewServer(reg, &cash.Options{SizeLimit: 20_000})
		err := registry.Walk(t.Context(), reg, "", func(l *registry.Listing) error {
			checkHelp(t, srv, l)
			checkSkills(t, srv, reg, l)
			for _, f := range l.Functions {
				checkFunction(t, srv, f)
			}
			return nil
		})
		if err != nil || t.Failed() {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func help(t *testing.T, srv *cash.Server, namespace, function, kwargs string) string {
	t.Helper()
	text, err := srv.Help(t.Context(), &cash.HelpRequest{Namespace: namespace, Function: function, Kwargs: json.RawMessage(kwargs)})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func entry(name, description string) cashtext.Entry {
	return cashtext.Entry{Name: name, Description: clean.FirstLine(description, 200)}
}

func checkHelp(t *testing.T, srv *cash.Server, l *registry.Listing) {
	t.Helper()
	want := cashtext.Page{Namespace: l.Namespace}
	for _, c := range l.Namespaces {
		if c.HasFunctions {
			want.Namespaces = append(want.Namespaces, entry(c.Name, c.About()))
		}
	}
	for _, f := range l.Functions {
		want.Functions = append(want.Functions, entry(f.Name(), f.About()))
	}
	if !l.HasFunctions {
		return
	}
	for _, kwargs := range []string{"", `{"format":"json"}`} {
		text := help(t, srv, l.Namespace, "", kwargs)
		got, err := cashtext.ParseHelp(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if l.Namespace == "" && (got.SizeLimit != 20_000 || !strings.Contains(got.Arguments, "what you need, in words")) {
			t.Errorf("size limit %d, arguments %q of\n%s", got.SizeLimit, got.Arguments, text)
		}
		got.SizeLimit, got.Arguments = 0, ""
		if !reflect.DeepEqual(*got, want) {
			t.Errorf("got  %+v\nwant %+v\nof %s", *got, want, text)
		}
	}
}

func checkSkills(t *testing.T, srv *cash.Server, reg *registry.Registry, l *registry.Listing) {
	t.Helper()
	if l.Namespace != "" && !l.HasSkills {
		return
	}
	text, err := srv.Skill(t.Context(), &cash.SkillRequest{Namespace: l.Namespace})
	if err != nil {
		t.Fatal(err)
	}
	got, err := cashtext.ParseSkills(text)
	if err != nil || got.Namespace != l.Namespace || len(got.Skills) != len(l.Skills) || got.Dropped != nil || got.More != 0 {
		t.Fatalf("got %+v, %v of\n%s", got, err, text)
	}
	for i, s := range l.Skills {
		if want := (cashtext.SkillEntry{Name: s.Name(), Description: clean.FirstLine(s.About(), 200)}); got.Skills[i] != want {
			t.Errorf("got %+v, want %+v", got.Skills[i], want)
		}
	}
	count := 0
	for _, n := range got.Namespaces {
		count += n.Count
	}
	total := -len(l.Skills)
	err = registry.Walk(t.Context(), reg, l.Namespace, func(l *registry.Listing) error {
		total += len(l.Skills)
		return nil
	})
	if err != nil || count != total {
		t.Errorf("%d skills below %q, want %d:\n%s", count, l.Namespace, total, text)
	}
}

func checkFunction(t *testing.T, srv *cash.Server, f *registry.Function) {
	t.Helper()
	got, err := cashtext.ParseFunction(help(t, srv, f.Namespace(), f.Name(), `{"format":"json"}`))
	if err != nil || got.Namespace != f.Namespace() || got.Name != f.Name() || got.Description != strings.TrimSpace(clean.Text(f.Description())) {
		t.Fatalf("got %+v, %v", got, err)
	}
	if len(got.Parameters) != 3 || got.Parameters[0].Name != "id" || !got.Parameters[0].Required || got.Returns != "Text." || got.Open || got.ID != f.ID().String() ||
		!reflect.DeepEqual(got.Hints, wire.HintsOf(f)) {
		t.Errorf("got %+v", got)
	}
	if strings.ContainsAny(f.Description(), "#|\n") {
		return // a description may look like anything in markdown
	}
	page := help(t, srv, f.Namespace(), f.Name(), "")
	got.ID, got.Hints = "", wire.Hints{} // only JSON has them
	if md, err := cashtext.ParseFunction(page); err != nil || !reflect.DeepEqual(md, got) {
		t.Errorf("got %+v, %v\nwant %+v\nof %s", md, err, got, page)
	}
}

// TestOwnDescriptions holds that what is said of a thing is not taken for what it
// is, where that is said apart.
func TestOwnDescriptions(t *testing.T) {
	const about = "Sets whether it is (available: false)"
	reg := registry.New(nil)
	ns := reg.Namespace("a", about)
	ns.Add(registry.Func("f", about, run))
	ns.AddSkill(registry.NewSkill("s", about, "Text."))
	srv := cash.NewServer(reg, nil)
	want := entry("a", about)
	if got, err := cashtext.ParseHelp(help(t, srv, "", "", `{"format":"json"}`)); err != nil || len(got.Namespaces) != 1 || got.Namespaces[0] != want {
		t.Errorf("R132 got %+v, %v", got, err)
	}
	want.Name = "f"
	if got, err := cashtext.ParseHelp(help(t, srv, "a", "", `{"format":"json"}`)); err != nil || len(got.Functions) != 1 || got.Functions[0] != want {
		t.Errorf("R122 got %+v, %v", got, err)
	}
	text, err := srv.Skill(t.Context(), &cash.SkillRequest{Namespace: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := cashtext.ParseSkills(text); err != nil || len(got.Skills) != 1 || got.Skills[0].Description != about {
		t.Errorf("R123 got %+v, %v", got, err)
	}
}

// TestOwnPagesMoved holds R137 for every page of our own server: what an
// invocation names is there below the label.
func TestOwnPagesMoved(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 2))
		reg := randomTree(r)
		srv := cash.NewServer(reg, nil)
		m := cashtext.Mount{To: "shop.eu"}
		err := registry.Walk(t.Context(), reg, "", func(l *registry.Listing) error {
			for _, text := range pages(t, srv, l) {
				moved, ok := m.JSON(text)
				if !ok {
					moved = m.Help(text, l.Namespace)
				}
				checkMoved(t, moved)
			}
			return nil
		})
		if err != nil || t.Failed() {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// pages returns what the server says of a namespace, errors included.
func pages(t *testing.T, srv *cash.Server, l *registry.Listing) []string {
	var list []string
	add := func(text string, err error) {
		if err != nil {
			text = err.Error()
		}
		list = append(list, text)
	}
	for _, kwargs := range []string{"", `{"format":"json"}`, `{"search":"x"}`, `{"search":"about","format":"json"}`, `{"examples":true}`, `{"examples":true,"format":"json"}`} {
		raw := json.RawMessage(kwargs)
		add(srv.Help(t.Context(), &cash.HelpRequest{Namespace: l.Namespace, Kwargs: raw}))
		for _, f := range l.Functions {
			add(srv.Help(t.Context(), &cash.HelpRequest{Namespace: l.Namespace, Function: f.Name(), Kwargs: raw}))
		}
		add(srv.Help(t.Context(), &cash.HelpRequest{Namespace: l.Namespace, Function: "tool", Kwargs: raw}))
		add(srv.Help(t.Context(), &cash.HelpRequest{Namespace: l.Namespace + "x", Kwargs: raw}))
	}
	add(srv.Skill(t.Context(), &cash.SkillRequest{Namespace: l.Namespace}))
	add(srv.Skill(t.Context(), &cash.SkillRequest{Namespace: l.Namespace, Name: "skill"}))
	return list
}

// checkMoved reports invocations that name something beside the label.
func checkMoved(t *testing.T, text string) {
	t.Helper()
	for _, ref := range skillmd.References(text) {
		if !ref.Dynamic && ref.Namespace != "shop.eu" && !strings.HasPrefix(ref.Namespace, "shop.eu.") {
			t.Errorf("R137 %+v in\n%s", ref, text)
		}
	}
	for _, left := range []string{"in the root namespace", "without a namespace`", "# Skills in a", "namespace `a"} {
		if strings.Contains(text, left) {
			t.Errorf("R137 %q in\n%s", left, text)
		}
	}
}
