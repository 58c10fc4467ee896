package registry_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

// edition is a tree all of whose functions answer with its number.
func edition(n int, names ...string) *registry.Registry {
	type answer struct {
		Edition int `json:"edition"`
	}
	reg := registry.New(nil)
	reg.Namespace("", fmt.Sprintf("Edition %d.", n))
	for _, name := range names {
		path, label := "", name
		if i := strings.LastIndexByte(name, '.'); i >= 0 {
			path, label = name[:i], name[i+1:]
		}
		reg.Namespace(path, "").Add(registry.Func(label, fmt.Sprintf("Do %s in edition %d.", label, n),
			func(context.Context, struct{}) (answer, error) { return answer{n}, nil }))
	}
	reg.Namespace("", "").AddSkill(registry.NewSkill("how-to", "", fmt.Sprintf("Edition %d.", n)))
	return reg
}

// paths returns the full names of all functions that are seen.
func paths(t *testing.T, src registry.Source) []string {
	t.Helper()
	var list []string
	err := registry.Walk(context.Background(), src, "", func(l *registry.Listing) error {
		for _, f := range l.Functions {
			list = append(list, f.Path())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestReplace(t *testing.T) {
	ctx := context.Background()
	reg := registry.New(nil)
	own := reg.Namespace("own", "Ours.")
	own.Add(echo("ping"))
	replace := func(path string, tree *registry.Registry) {
		t.Helper()
		if err := reg.Replace(path, tree); err != nil {
			t.Fatal(err)
		}
	}
	replace("Shop", edition(1, "orders.create", "orders.list", "info"))
	if got, want := paths(t, reg), []string{"own.ping", "Shop.info", "Shop.orders.create", "Shop.orders.list"}; !slices.Equal(got, want) {
		t.Fatalf("there are %v, want %v", got, want)
	}
	l, err := reg.List(ctx, "shop")
	if err != nil || l.Description != "Edition 1." || !l.HasSkills {
		t.Errorf("the namespace is %+v, %v", l, err)
	}
	if sk, err := reg.Skill(ctx, "shop", "howto"); err != nil || sk.Namespace() != "Shop" || textOf(t, sk) != "Edition 1." {
		t.Errorf("the skill is %+v, %v", sk, err)
	}
	if got := found(ctx, reg, "orders in edition", 1); len(got) != 1 || !strings.HasPrefix(got[0], "Shop.orders.") {
		t.Errorf("found %v", got)
	}
	inFlight, err := reg.Function(ctx, "shop.orders", "list")
	if err != nil {
		t.Fatal(err)
	}
	stale := reg.Namespace("shop.orders", "")

	replace("shop", edition(2, "orders.create", "customers.find"))
	if got, want := paths(t, reg), []string{"own.ping", "shop.customers.find", "shop.orders.create"}; !slices.Equal(got, want) {
		t.Errorf("there are %v, want %v", got, want)
	}
	if inFlight.Description() != "Do list in edition 1." {
		t.Errorf("a call in flight is at %q", inFlight.Description())
	}
	if err := stale.TryAdd(echo("late")); err == nil || !strings.Contains(err.Error(), "was replaced") {
		t.Errorf("adding to what was replaced: %v", err)
	}
	if err := stale.TryAddSkill(registry.NewSkill("late", "", "x")); err == nil {
		t.Error("a skill was added to what was replaced")
	}
	reg.Namespace("shop.orders", "").Add(echo("extra")) // what is there now takes more

	replace("a.b.c", edition(3, "f"))
	replace("shop", nil)
	replace("nowhere", nil)
	if got, want := paths(t, reg), []string{"a.b.c.f", "own.ping"}; !slices.Equal(got, want) {
		t.Errorf("there are %v, want %v", got, want)
	}
	wantKind(t, func() error { _, err := reg.List(ctx, "shop"); return err }(), registry.UnknownNamespace)
	own.Add(echo("pong")) // others are not affected
}

func TestReplaceErrors(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("kept", "").Add(echo("f"))
	long := strings.Repeat("a", 1000)
	deep := edition(1, strings.Repeat("b", 500)+".f")
	restricted := registry.New(&registry.Options{VisibleTo: registry.Authenticated})
	for _, tt := range []struct {
		path string
		tree *registry.Registry
	}{{"", reg}, {"", restricted}, {"a-b", edition(1, "f")}, {"kept", reg}, {long, deep}} {
		if err := reg.Replace(tt.path, tt.tree); err == nil {
			t.Errorf("%.20q is replaced", tt.path)
		}
	}
	if got := paths(t, reg); !slices.Equal(got, []string{"kept.f"}) {
		t.Errorf("there are %v", got)
	}
}

// TestReplaceRoot holds that everything goes and comes at once, but for who may
// see it.
func TestReplaceRoot(t *testing.T) {
	staff := registry.WithCaller(context.Background(), &registry.Caller{ID: "x", Roles: []string{"staff"}})
	reg := registry.New(&registry.Options{VisibleTo: registry.Roles("staff")})
	root, own := reg.Namespace("", "Old."), reg.Namespace("own.sub", "")
	own.Add(echo("ping"))
	if err := reg.Replace("mounted", edition(1, "f")); err != nil {
		t.Fatal(err)
	}
	tree := edition(2, "g", "a.b.h")
	for range 2 {
		if err := reg.Replace("", tree); err != nil {
			t.Fatal(err)
		}
		var got []string
		for f := range reg.All() {
			got = append(got, f.Path())
		}
		if want := []string{"g", "a.b.h"}; !slices.Equal(got, want) {
			t.Errorf("there are %v, want %v", got, want)
		}
	}
	if l, err := reg.List(staff, ""); err != nil || l.Description != "Edition 2." || len(l.Functions) != 1 {
		t.Errorf("staff sees %+v, %v", l, err)
	}
	if l, err := reg.List(context.Background(), ""); err != nil || l.HasFunctions {
		t.Errorf("everybody sees %+v, %v", l, err)
	}
	for _, ns := range []*registry.Namespace{root, own} {
		if err := ns.TryAdd(echo("late")); err == nil {
			t.Errorf("%q was replaced and takes more", ns.Path())
		}
	}
	if reg.Exists("own") || reg.Exists("mounted") || !reg.Exists("a.b") || !reg.Exists("") {
		t.Error("what was replaced is still there, or what came is not")
	}
	reg.Namespace("", "").Add(echo("more"))
	if _, err := reg.Function(staff, "", "more"); err != nil {
		t.Error(err)
	}
	if err := reg.Replace("", nil); err != nil {
		t.Fatal(err)
	}
	if l, err := reg.List(staff, ""); err != nil || l.HasFunctions || l.Description != "" {
		t.Errorf("of nothing there is %+v, %v", l, err)
	}
}

// TestReplaceKeepsTheSame holds that a function that comes again stays what it is,
// and that one that was made anew, or says something else, is another one.
func TestReplaceKeepsTheSame(t *testing.T) {
	f := echo("f")
	reg := registry.New(nil)
	put := func(g *registry.Function) *registry.Function {
		t.Helper()
		tree := registry.New(nil)
		tree.Namespace("", "").Add(g)
		if err := reg.Replace("up", tree); err != nil {
			t.Fatal(err)
		}
		got, err := reg.Function(context.Background(), "up", "f")
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	first := put(f)
	if put(f) != first || put(f.In("elsewhere")) != first || put(first) != first {
		t.Error("the same function is another one")
	}
	everyone := registry.VisibleTo(func(context.Context, *registry.Caller) bool { return true })
	for name, g := range map[string]*registry.Function{
		"constructor": echo("f"), "description": f.With("Changed."), "fact": f.With("", registry.ReadOnly), "rule": f.With("", everyone),
	} {
		if put(g) == first {
			t.Errorf("another %s is not seen", name)
		}
		first = put(f)
	}
}

func textOf(t *testing.T, s *registry.Skill) string {
	t.Helper()
	text, err := s.Render(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestReplaceVisible holds that a tree keeps who sees what.
func TestReplaceVisible(t *testing.T) {
	tree := registry.New(&registry.Options{VisibleTo: registry.Roles("staff")})
	hidden := echo("hidden", registry.VisibleTo(registry.Roles("admin")))
	tree.Namespace("", "").Add(echo("shown"), hidden)
	reg := registry.New(nil)
	if err := reg.Replace("up", tree); err != nil {
		t.Fatal(err)
	}
	for role, want := range map[string][]string{"none": nil, "staff": {"up.shown"}, "admin": nil} {
		ctx := registry.WithCaller(context.Background(), &registry.Caller{ID: "x", Roles: []string{role}})
		if got := found(ctx, reg, "shown hidden", 5); !slices.Equal(got, want) {
			t.Errorf("%s finds %v, want %v", role, got, want)
		}
	}
}

// TestReplaceReadsOnlyWhatChanged holds that a refresh costs searches only what
// is new.
func TestReplaceReadsOnlyWhatChanged(t *testing.T) {
	tree := func(description string) *registry.Registry {
		reg := registry.New(nil)
		reg.Namespace("x", "").Add(tool("same", "The same."), tool("changed", description))
		return reg
	}
	reg := registry.New(nil)
	if err := reg.Replace("up", tree("Old.")); err != nil {
		t.Fatal(err)
	}
	before := registry.SearchTexts(reg)
	if err := reg.Replace("up", tree("New.")); err != nil {
		t.Fatal(err)
	}
	after := registry.SearchTexts(reg)
	if before["up.x.same"] != after["up.x.same"] || before["up.x.changed"] == after["up.x.changed"] {
		t.Error("what stayed was read again, or what changed was not")
	}
}

// TestReplaceSwaps holds that readers see one edition at a time, while editions
// change as fast as they can.
func TestReplaceSwaps(t *testing.T) {
	ctx := context.Background()
	reg := registry.New(nil)
	editions := []*registry.Registry{edition(1, "a.f", "b.g"), edition(2, "a.f", "c.h")}
	if err := reg.Replace("up", editions[0]); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				l, err := reg.List(ctx, "up")
				if err != nil {
					t.Errorf("in the middle of a change: %v", err)
					return
				}
				var names []string
				for _, c := range l.Namespaces {
					names = append(names, c.Name)
				}
				if got := l.Description + strings.Join(names, ","); got != "Edition 1.a,b" && got != "Edition 2.a,c" {
					t.Errorf("a mixture is seen: %s", got)
					return
				}
				if f, err := reg.Function(ctx, "up.a", "f"); err != nil || !strings.HasPrefix(f.Description(), "Do f in edition ") {
					t.Errorf("in the middle of a change: %+v, %v", f, err)
					return
				}
			}
		})
	}
	for i := range 2000 {
		if err := reg.Replace("up", editions[i%2]); err != nil {
			t.Fatal(err)
		}
	}
	close(done)
	readers.Wait()
}

// The parents of what was put in go with it, unless somebody else wants them.
func TestReplaceTakesParentsAway(t *testing.T) {
	reg := registry.New(nil)
	kept := reg.Namespace("kept", "")
	tree := func() *registry.Registry {
		tree := registry.New(nil)
		tree.Namespace("", "Mounted.").Add(registry.Func("f", "F.", func(context.Context, struct{}) (string, error) { return "", nil }))
		return tree
	}
	for _, path := range []string{"a.b.c", "a.d", "kept.x.y", "wanted.z"} {
		if err := reg.Replace(path, tree()); err != nil {
			t.Fatal(err)
		}
	}
	wanted := reg.Namespace("wanted", "")
	for _, step := range []struct {
		remove string
		exist  []string
		gone   []string
	}{
		{"a.b.c", []string{"a", "a.d"}, []string{"a.b", "a.b.c"}},
		{"a.d", nil, []string{"a"}},
		{"kept.x.y", []string{"kept"}, []string{"kept.x"}},
		{"wanted.z", []string{"wanted"}, nil},
		{"nowhere.at.all", nil, []string{"nowhere"}},
	} {
		if err := reg.Replace(step.remove, nil); err != nil {
			t.Fatal(err)
		}
		for _, path := range step.exist {
			if !reg.Exists(path) {
				t.Errorf("without %s there is no %s", step.remove, path)
			}
		}
		for _, path := range step.gone {
			if reg.Exists(path) {
				t.Errorf("without %s there is still %s", step.remove, path)
			}
		}
	}
	for _, ns := range []*registry.Namespace{kept, wanted} {
		if err := ns.TryAdd(registry.Func("f", "F.", func(context.Context, struct{}) (string, error) { return "", nil })); err != nil {
			t.Error(err)
		}
	}
}
