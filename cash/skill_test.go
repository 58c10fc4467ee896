package cash_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/registry"
)

func skillServer() *cash.Server {
	reg := registry.New(nil)
	add := func(path, name string, visible ...registry.SkillOption) {
		reg.Namespace(path, "").AddSkill(registry.NewSkill(name, "About "+name+".\nMore.", "Text of "+path+"/"+name+".", visible...))
	}
	add("", "start")
	add("shop", "order")
	add("shop", "only")
	add("warehouse.east", "order")
	add("admin", "order", registry.VisibleTo(registry.Roles("boss")))
	add("admin", "purge", registry.VisibleTo(registry.Roles("boss")))
	reg.Namespace("tools", "Tools.").Add(registry.Func("f", "F.", createOrder))
	return cash.NewServer(reg, nil)
}

func TestSkills(t *testing.T) {
	srv := skillServer()
	for _, tt := range []struct {
		row, namespace, name, want string
		kind                       registry.Kind // of an error
	}{
		{"R60", "", "", "- **start** — About start.\n\n## Namespaces with skills\n\n- **shop** — 2 skills.\n- **warehouse.east** — 1 skill.\n", ""},
		{"R60", "shop", "", "- **only** — About only.\n- **order** — About order.\n", ""},
		{"R60", "warehouse", "", "- **warehouse.east** — 1 skill.\n", ""},
		{"R61", "", "Start", "Text of /start.", ""},
		{"R64", "SHOP", "or_der", "Text of shop/order.", ""},
		{"X12", "", "only", "Text of shop/only.", ""},
		{"X12", "", "order", "2 skills have the name `order`. Use `skill(namespace=\"shop\", skillname=\"order\")` or `skill(namespace=\"warehouse.east\", skillname=\"order\")`.", registry.UnknownSkill},
		{"R63", "", "nope", "No skill `nope` in the root namespace. Use `skill()` to see available skills.", registry.UnknownSkill},
		{"R63", "shop", "nope", "No skill `nope` in namespace `shop`. Use `skill(namespace=\"shop\")` to see available skills.", registry.UnknownSkill},
		{"R54", "admin", "purge", "No skill `purge` in namespace `admin`. Use `skill()` to see available skills.", registry.UnknownSkill},
		{"R54", "absent", "purge", "No skill `purge` in namespace `absent`. Use `skill()` to see available skills.", registry.UnknownSkill},
		{"R54", "", "purge", "No skill `purge` in the root namespace. Use `skill()` to see available skills.", registry.UnknownSkill},
		{"R54", "admin", "", "No namespace `admin` with skills. Use `skill()` to see available skills.", registry.UnknownSkill},
		{"R60", "tools", "", "# Skills in tools\n\nNone. Use `skill()` to see where there are skills, or `help(namespace=\"tools\")` to see the functions here.", ""},
		{"R54", "absent", "", "No namespace `absent` with skills. Use `skill()` to see available skills.", registry.UnknownSkill},
		{"R30", "a..b", "", "Invalid namespace", registry.InvalidName},
		{"R30", "a..b", "x", "Invalid namespace", registry.InvalidName},
	} {
		got, err := srv.Skill(context.Background(), &cash.SkillRequest{Namespace: tt.namespace, Name: tt.name})
		if tt.kind != "" {
			if !errors.Is(err, tt.kind) || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("%s: skill(%s, %s): %v", tt.row, tt.namespace, tt.name, err)
			}
			continue
		}
		if err != nil || !strings.Contains(got, tt.want) {
			t.Errorf("%s: skill(%s, %s) = %q, %v", tt.row, tt.namespace, tt.name, got, err)
		}
	}
}

func TestSkillListIsBounded(t *testing.T) { // X2
	reg := registry.New(nil)
	for i := range 150 {
		reg.Namespace("", "").AddSkill(registry.NewSkill(fmt.Sprintf("s%03d", i), "", "x"))
	}
	text, err := cash.NewServer(reg, nil).Skill(context.Background(), &cash.SkillRequest{})
	if err != nil || strings.Count(text, "- **") != 100 || !strings.Contains(text, "Entries 1 to 100 of 150 (150 skills here, 0 namespaces with skills), by name. Go on with `skill(kwargs={\"offset\": 100})`.") {
		t.Errorf("%d entries, %v", strings.Count(text, "- **"), err)
	}
}

func TestSkillIsNotGated(t *testing.T) { // R101
	reg := registry.New(nil)
	long := strings.Repeat("Do it. ", 5000)
	reg.Namespace("", "").AddSkill(registry.NewSkill("long", "", long))
	text, err := cash.NewServer(reg, nil).Skill(context.Background(), &cash.SkillRequest{Name: "long", Kwargs: json.RawMessage("null")})
	if err != nil || strings.TrimSpace(text) != strings.TrimSpace(long) {
		t.Errorf("%d characters, %v", len(text), err)
	}
}

// A skill says first which functions have changed since it was written, as far as its reader sees them.
func TestSkillOfChangedFunctions(t *testing.T) {
	make := func(about string) *registry.Registry {
		reg := registry.New(nil)
		reg.Namespace("orders", "Orders.").Add(
			registry.Func("create", about, func(context.Context, struct{}) (string, error) { return "", nil }),
			registry.Func("drop", about, func(context.Context, struct{}) (string, error) { return "", nil },
				registry.VisibleTo(func(_ context.Context, c *registry.Caller) bool { return !c.Anonymous() })))
		return reg
	}
	known := registry.WithCaller(t.Context(), &registry.Caller{ID: "x"})
	var recorded []string
	for _, name := range []string{"create", "drop"} {
		f, err := make("Before.").Function(known, "orders", name)
		if err != nil {
			t.Fatal(err)
		}
		recorded = append(recorded, f.Path()+"="+f.Definition()[:12])
	}
	file := "---\nname: buy\ndescription: Buy.\nmetadata:\n  " + registry.RecordKey + ": " + strings.Join(recorded, " ") + "\n---\nText.\n"
	const note = "> These functions have changed since the text below was written. Read them first: `help(namespace=\"orders\", function=\"create\")`"
	for _, test := range []struct {
		ctx         context.Context
		about, want string
	}{
		{known, "Before.", "Text.\n"},
		{t.Context(), "After.", note + ".\n\nText.\n"},
		{known, "After.", note + ", `help(namespace=\"orders\", function=\"drop\")`.\n\nText.\n"},
	} {
		reg := make(test.about)
		reg.AddSkills(fstest.MapFS{"orders/buy/SKILL.md": {Data: []byte(file)}})
		text, err := cash.NewServer(reg, nil).Skill(test.ctx, &cash.SkillRequest{Namespace: "orders", Name: "buy"})
		if err != nil || text != test.want {
			t.Errorf("%s: %q, %v", test.about, text, err)
		}
	}
}
