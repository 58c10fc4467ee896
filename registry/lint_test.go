package registry_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cash-mcp/go-sdk/registry"
)

func TestLint(t *testing.T) {
	type in struct {
		A string `json:"a" jsonschema:"A."`
		B string `json:"b,omitempty"`
	}
	f := func(name, description string) *registry.Function {
		return registry.Func(name, description, func(context.Context, in) (string, error) { return "", nil })
	}
	reg := registry.New(nil)
	orders := reg.Namespace("orders", "Orders.")
	orders.Add(f("create", "Create an order."), f("make", "create an ORDER"), f("long", strings.Repeat("long ", 30)), f("empty", " "), f("lines", "One.\nTwo."))
	reg.Namespace("a.b.c.d", "Deep.").Add(f("deep", "Deep."))
	reg.Namespace("admin", "For some.", registry.VisibleTo(registry.Roles("boss"))).Add(f("purge", "Purge."))
	orders.AddSkill(
		registry.NewSkill("good", "Good.", `Call `+"`call(namespace=\"orders\", function=\"Create\", kwargs={\"A\": 1})`"+`, then skill(skillname="good") and help(namespace="orders").`),
		registry.NewSkill("bad", "Bad.", `call(namespace="orders", function="ship"), call(namespace="orders", function="create", kwargs={"zzz": 1}), help(namespace="nope"), skill(namespace="orders", skillname="nope")`),
		registry.NewSkill("leaks", "Leaks.", `call(namespace="admin", function="purge", kwargs={"a": "x"}) and help(namespace="admin")`),
		registry.NewSkill("forboss", "For the boss.", `call(namespace="admin", function="purge", kwargs={"a": "x"})`, registry.VisibleTo(registry.Roles("boss"))),
	)
	found, err := registry.Lint(context.Background(), reg, &registry.Caller{ID: "b", Roles: []string{"boss"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		if f.Rule == "empty-description" && strings.Contains(f.Message, "parameter b") {
			continue
		}
		got = append(got, f.String())
	}
	want := []string{
		"function orders.empty: no description (empty-description)",
		"function orders.lines: the description has several lines; lists show the first (long-description)",
		"function orders.long: the description has 149 characters; keep it to 120 (long-description)",
		"function orders.make: says the same as function orders.create (same-description)",
		"namespace a.b.c.d: 4 levels deep; models lose their way below 3 (deep-tree)",
		"namespace a.b.c: no description (empty-description)",
		"namespace a.b: no description (empty-description)",
		"namespace a: no description (empty-description)",
		"skill orders.bad: names the function orders.ship, which does not exist (unknown-reference)",
		"skill orders.bad: names the namespace nope, which does not exist (unknown-reference)",
		"skill orders.bad: names the parameter zzz, which the function orders.create does not have (unknown-reference)",
		"skill orders.bad: names the skill orders.nope, which does not exist (unknown-reference)",
		"skill orders.leaks: names the function admin.purge, which some of its readers may not see (hidden-reference)",
		"skill orders.leaks: names the namespace admin, which some of its readers may not see (hidden-reference)",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\n\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A folder of skills whose namespace nobody registered is found: what was to hide its skills hides another
// namespace.
func TestLintPhantomNamespace(t *testing.T) {
	reg := registry.New(nil)
	orders := reg.Namespace("orders", "Orders.", registry.VisibleTo(registry.Roles("clerk")))
	orders.Add(registry.Func("list", "List.", func(context.Context, struct{}) (string, error) { return "", nil }))
	reg.Namespace("guides", "Guides of the house.")
	file := func() *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("---\ndescription: What to do.\n---\nDo it.")}
	}
	reg.AddSkills(fstest.MapFS{
		"orders/buy.md": file(), "ordres/pay.md": file(), "guides/start.md": file(), "welcome.md": file(), "orders/retial/sell/SKILL.md": file(),
	})
	findings, err := registry.Lint(t.Context(), reg)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range findings {
		if f.Rule == "phantom-namespace" {
			got = append(got, f.Subject)
		}
	}
	if want := []string{"namespace orders.retial", "namespace ordres"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}
