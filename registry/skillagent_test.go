package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cash-mcp/go-sdk/registry"
)

func agentOf(t *testing.T, s *registry.Skill) *registry.AgentSkill {
	t.Helper()
	reg := registry.New(nil)
	reg.Namespace("ns", "A namespace.").AddSkill(s)
	kept, err := reg.Skill(t.Context(), "ns", s.Name())
	if err != nil {
		t.Fatal(err)
	}
	return kept.Agent()
}

// The name keeps the rules of Agent Skills, and leads to the same skill.
func TestAgentNames(t *testing.T) {
	for name, want := range map[string]string{
		"create-order": "create-order", "create_order": "create-order", "createOrder": "createorder", "_X__y_": "x-y", "a--b": "a-b", "7": "7",
		strings.Repeat("x", 65): "",
	} {
		reg := registry.New(nil)
		reg.Namespace("", "").AddSkill(registry.NewSkill(name, "About it.", "Text."))
		s, err := reg.Skill(t.Context(), "", name)
		if err != nil {
			t.Fatal(err)
		}
		a := s.Agent()
		if want == "" {
			if a != nil {
				t.Errorf("%s is called %s", name, a.Name)
			}
			continue
		}
		again, err := reg.Skill(t.Context(), "", a.Name)
		if a.Name != want || err != nil || again != s {
			t.Errorf("%s is called %s: %v", name, a.Name, err)
		}
	}
}

// Front matter is written for a skill that has none.
func TestAgentFrontMatterIsWritten(t *testing.T) {
	a := agentOf(t, registry.NewSkill("create_order", "Says \"how\": so.", "Text.\n\n```sh\nrm\n```\n"))
	want := "---\nname: \"create-order\"\ndescription: \"Says \\\"how\\\": so.\"\n---\n\nText.\n\n[code block removed: sh, 1 line]\n"
	if a.Files[0].Text != want || a.Dynamic || len(a.Files) != 1 {
		t.Errorf("SKILL.md is %q, want %q", a.Files[0].Text, want)
	}
	if string(a.FrontMatter) != `{"name":"create-order","description":"Says \"how\": so."}` {
		t.Errorf("the front matter is %s", a.FrontMatter)
	}
	if a := agentOf(t, registry.NewSkill("greet", "Greet.", "Greet {{name}}.")); !a.Dynamic || a.Files[0].Text != "" {
		t.Errorf("a skill with inputs is %+v", a)
	}
}

// Other fields of front matter survive when name or description must be written anew.
func TestAgentFrontMatterIsCompleted(t *testing.T) {
	reg := registry.New(nil)
	reg.AddSkills(fstest.MapFS{"ns/one/SKILL.md": {Data: []byte("---\nname: Other\nlicense: MIT\non: [1, 2]\n1.5: x\n---\nText.\n")}})
	s, err := reg.Skill(t.Context(), "ns", "one")
	if err != nil {
		t.Fatal(err)
	}
	if got := string(s.Agent().FrontMatter); got != `{"name":"one","description":"How to one.","license":"MIT","on":[1,2],"1.5":"x"}` {
		t.Errorf("the front matter is %s", got)
	}
	if text := s.Agent().Files[0].Text; !strings.Contains(text, "\nlicense: \"MIT\"\n\"on\": [1,2]\n\"1.5\": \"x\"\n---\n") {
		t.Errorf("SKILL.md is %q", text)
	}
}

// WithFiles has limits, and refuses what it cannot serve as text.
func TestWithFilesLimits(t *testing.T) {
	skill := func(files map[string]string) error {
		fsys := fstest.MapFS{"ns/one/SKILL.md": {Data: []byte("Text.\n")}}
		for name, data := range files {
			fsys["ns/one/"+name] = &fstest.MapFile{Data: []byte(data)}
		}
		return registry.New(nil).TryAddSkills(fsys, registry.WithFiles)
	}
	many, large := make(map[string]string), make(map[string]string)
	for i := range 512 {
		many[fmt.Sprintf("f%d.md", i)] = "x"
	}
	for i := range 17 {
		large[fmt.Sprintf("f%d.csv", i)] = strings.Repeat("x", 1<<20)
	}
	for name, test := range map[string]struct {
		files map[string]string
		want  string
	}{
		"few":         {map[string]string{"a.md": "x", "b.json": "{}", "c.exe": "\xff", "scripts/d.md": "\xff", ".e/f.md": "\xff", "LICENSE": "x"}, ""},
		"too many":    {many, "at most 512 files"},
		"too large":   {large, "at most 512 files"},
		"one large":   {map[string]string{"a.md": strings.Repeat("x", 1<<20+1)}, "larger than"},
		"no text":     {map[string]string{"a.md": "\xff"}, "not a text in UTF-8"},
		"zero bytes":  {map[string]string{"a.txt": "a\x00"}, "not a text in UTF-8"},
		"a script":    {map[string]string{"a.yaml": "\n#!/bin/sh\n"}, "or a script"},
		"a bad name":  {map[string]string{"a\u200b.md": "x"}, "invisible"},
		"nested deep": {map[string]string{strings.Repeat("d/", 17) + "a.md": "x"}, "more than 16 levels"},
	} {
		if err := skill(test.files); (test.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := registry.New(nil).TryAddSkills(fstest.MapFS{"a.md": {Data: []byte("x")}}, registry.WithFiles, registry.WithFiles); err == nil {
		t.Error("WithFiles twice is accepted")
	}
	if _, err := registry.RemoteSkill("x", "", func(context.Context, json.RawMessage) (string, error) { return "", nil }, registry.WithFiles); err == nil {
		t.Error("WithFiles of a remote skill is accepted")
	}
	defer func() {
		if recover() == nil {
			t.Error("WithFiles of NewSkill is accepted")
		}
	}()
	registry.NewSkill("x", "X.", "Text.", registry.WithFiles)
}

// The options of AddSkills hold for all of its skills.
func TestAddSkillsVisibility(t *testing.T) {
	reg := registry.New(nil)
	reg.AddSkills(fstest.MapFS{"ns/one.md": {Data: []byte("x")}, "ns/two/SKILL.md": {Data: []byte("x")}}, registry.VisibleTo(func(_ context.Context, c *registry.Caller) bool { return !c.Anonymous() }))
	if l, err := reg.List(t.Context(), ""); err != nil || l.HasSkills {
		t.Errorf("%+v %v", l, err)
	}
	if l, err := reg.List(registry.WithCaller(t.Context(), &registry.Caller{ID: "x"}), "ns"); err != nil || len(l.Skills) != 2 {
		t.Errorf("%+v %v", l, err)
	}
}

// A skill says which functions it was written for, and lint and the tool skill say which have changed.
func TestRecordedDefinitions(t *testing.T) {
	make := func(about string) *registry.Registry {
		reg := registry.New(nil)
		reg.Namespace("orders", "Orders.").Add(
			registry.Func("create", about, func(context.Context, struct{}) (string, error) { return "", nil }),
			registry.Func("get", "Get an order.", func(context.Context, struct{}) (string, error) { return "", nil }))
		return reg
	}
	before := make("Create an order.")
	var recorded []string
	for _, name := range []string{"create", "get"} {
		f, err := before.Function(t.Context(), "orders", name)
		if err != nil {
			t.Fatal(err)
		}
		recorded = append(recorded, f.Path()+"="+f.Definition()[:16])
	}
	skill := fmt.Sprintf("---\nname: buy\ndescription: Buy.\nmetadata:\n  %s: %s orders.gone=%016d nonsense\n---\nUse call(namespace=\"orders\", function=\"create\"). Run scripts/buy.py or [this](tools/x.sh) in ${CLAUDE_SKILL_DIR}.\n",
		registry.RecordKey, strings.Join(recorded, " "), 7)
	for _, test := range []struct {
		about   string
		changed []string
	}{{"Create an order.", nil}, {"Create another order.", []string{"orders.create"}}} {
		reg := make(test.about)
		reg.AddSkills(fstest.MapFS{"orders/buy/SKILL.md": {Data: []byte(skill)}})
		s, err := reg.Skill(t.Context(), "orders", "buy")
		if err != nil {
			t.Fatal(err)
		}
		var changed []string
		for _, f := range s.Changed(t.Context(), reg) {
			changed = append(changed, f.Path())
		}
		if !slices.Equal(changed, test.changed) {
			t.Errorf("changed are %q, want %q", changed, test.changed)
		}
		found, err := registry.Lint(t.Context(), reg)
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, f := range found {
			fmt.Fprintln(&all, f)
		}
		for _, want := range []string{
			"records the function orders.gone, which does not exist (unknown-reference)", `records "nonsense"`,
			"mentions scripts/buy.py:", "mentions tools/x.sh:", "mentions the folder of the skill:",
		} {
			if !strings.Contains(all.String(), want) {
				t.Errorf("lint does not find %q:\n%s", want, &all)
			}
		}
		if strings.Contains(all.String(), "another definition of the function orders.create than") != (test.changed != nil) {
			t.Errorf("lint finds:\n%s", &all)
		}
	}
}

// A RemoteSkill takes the front matter of its server, and the hyphens of the name in it.
func TestFrontMatterOfRemoteSkill(t *testing.T) {
	text := func(context.Context, json.RawMessage) (string, error) { return "Text.", nil }
	fields := json.RawMessage(`{"description":"How to: all of it.","license":"MIT","metadata":{"cash-definitions":"a.b=000000000000"},"name":"say-hello"}`)
	for name, want := range map[string]string{"sayhello": "say-hello", "say_hello": "say-hello", "say-hello": "say-hello", "other": "other"} {
		s, err := registry.RemoteSkill(name, "How to.", text, registry.FrontMatter(fields))
		if err != nil {
			t.Fatal(err)
		}
		if s, err = s.In("orders"); err != nil {
			t.Fatal(err)
		}
		a := s.Agent()
		if a.Name != want || !a.Dynamic || !strings.Contains(string(a.FrontMatter), `"license":"MIT"`) {
			t.Errorf("%s is %+v %s", name, a, a.FrontMatter)
		}
		if about := map[bool]string{true: "How to.", false: "How to: all of it."}[name == "other"]; a.Description != about {
			t.Errorf("%s has the description %q", name, a.Description)
		}
		if s.Name() != strings.ReplaceAll(s.Given(), "-", "") || len(s.Changed(t.Context(), registry.New(nil))) > 0 {
			t.Errorf("%s is called %s, given %s", name, s.Name(), s.Given())
		}
	}
	if _, err := registry.RemoteSkill("a", "A.", text, registry.FrontMatter(fields), registry.FrontMatter(fields)); err == nil {
		t.Error("FrontMatter twice is accepted")
	}
	if _, err := registry.ForeignSkill([]byte("---\nname: a\ndescription: A.\n---\nText.\n"), nil, registry.FrontMatter(fields)); err == nil {
		t.Error("FrontMatter of a foreign skill is accepted")
	}
}

// A foreign skill that is moved keeps its front matter; its texts are rewritten, and nothing else is.
func TestMovedSkill(t *testing.T) {
	data := []byte("---\nname: say-hello\ndescription: Call orders.\n---\n\nCall orders.\r\n")
	files := []registry.SkillFile{{Path: "a.md", Text: "Of orders.\n"}, {Path: "a.csv", Text: "orders\n"}}
	s, err := registry.ForeignSkill(data, files)
	if err != nil {
		t.Fatal(err)
	}
	same := func(text string) string { return text }
	moved := func(text string) string { return strings.ReplaceAll(text, "orders", "eu.orders") }
	for _, tt := range []struct {
		name string
		f    func(string) string
		want []string
	}{
		{"say_hello", same, []string{string(data), "orders\n", "Of orders.\n"}},
		{"other", moved, []string{"---\nname: say-hello\ndescription: Call orders.\n---\n\nCall eu.orders.\n", "orders\n", "Of eu.orders.\n"}},
	} {
		m, err := s.Moved(tt.name, "Line.", tt.f).In("eu.orders")
		if err != nil {
			t.Fatal(err)
		}
		a := m.Agent()
		var got []string
		for _, f := range a.Files {
			got = append(got, f.Text)
		}
		if !slices.Equal(got, tt.want) || a.Name != "say-hello" || m.Description() != "Line." {
			t.Errorf("%s: %q %+v", tt.name, got, a)
		}
	}
	if s.Description() != "Call orders." {
		t.Errorf("the skill that was moved has changed: %+v", s)
	}
}
