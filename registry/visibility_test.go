package registry_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

// node is a random tree, from which registries are built: with everything in
// it, or with what one caller sees only.
type node struct {
	label     string
	roles     []string // empty is everyone
	children  []*node
	functions []item
	skills    []item
}

type item struct {
	name  string
	roles []string
}

var allRoles = []string{"a", "b", "c"}

func randomRoles(r *rand.Rand) []string {
	var roles []string
	for _, role := range allRoles {
		if r.IntN(4) == 0 {
			roles = append(roles, role)
		}
	}
	return roles
}

func randomTree(r *rand.Rand, label string, depth int) *node {
	n := &node{label: label, roles: randomRoles(r)}
	for i := range r.IntN(3) {
		n.functions = append(n.functions, item{fmt.Sprintf("f%d", i), randomRoles(r)})
	}
	for i := range r.IntN(2) {
		n.skills = append(n.skills, item{fmt.Sprintf("s%d", i), randomRoles(r)})
	}
	if depth > 0 {
		for i := range r.IntN(4) {
			n.children = append(n.children, randomTree(r, fmt.Sprintf("n%d", i), depth-1))
		}
	}
	return n
}

func visibleTo(roles []string) registry.EntryOption {
	return registry.VisibleTo(func(_ context.Context, c *registry.Caller) bool { return sees(c, roles) })
}

func sees(c *registry.Caller, roles []string) bool {
	return len(roles) == 0 || registry.Roles(roles...)(context.Background(), c)
}

// fill registers n, for everyone to see by its rules, or (with a caller) only
// what the caller sees, without rules.
func fill(reg *registry.Registry, n *node, path string, only *registry.Caller, filtered bool) {
	if filtered && !sees(only, n.roles) {
		return
	}
	if path != "" {
		path += "."
	}
	path += n.label
	ns := reg.Namespace(path, "")
	if !filtered {
		reg.Namespace(path, "", visibleTo(n.roles))
	}
	for _, it := range n.functions {
		if filtered && !sees(only, it.roles) {
			continue
		}
		if filtered {
			ns.Add(echo(it.name))
		} else {
			ns.Add(echo(it.name, visibleTo(it.roles)))
		}
	}
	for _, it := range n.skills {
		if filtered && !sees(only, it.roles) {
			continue
		}
		text := "Text of " + it.name + "."
		if filtered {
			ns.AddSkill(registry.NewSkill(it.name, "", text))
		} else {
			ns.AddSkill(registry.NewSkill(it.name, "", text, visibleTo(it.roles)))
		}
	}
	for _, c := range n.children {
		fill(reg, c, path, only, filtered)
	}
}

// observe lists everything that a caller can find out by listing, calling and
// reading, also about names that do not exist for it.
func observe(ctx context.Context, src registry.Source) []string {
	var seen []string
	var visit func(path string, depth int)
	visit = func(path string, depth int) {
		l, err := src.List(ctx, path)
		if err != nil {
			seen = append(seen, fmt.Sprintf("list %s: %v", path, err))
		} else {
			seen = append(seen, fmt.Sprintf("list %s: %v %t %t", path, l.Namespaces, l.HasFunctions, l.HasSkills))
			for _, f := range l.Functions {
				seen = append(seen, "function "+f.Path())
			}
			for _, s := range l.Skills {
				seen = append(seen, "skill "+s.Name())
			}
		}
		for _, name := range []string{"f0", "f1", "nope"} {
			f, err := src.Function(ctx, path, name)
			seen = append(seen, fmt.Sprintf("%s %s: %t %v", path, name, f != nil, err))
		}
		for _, name := range []string{"s0", "nope"} {
			s, err := src.Skill(ctx, path, name)
			seen = append(seen, fmt.Sprintf("%s %s: %t %v", path, name, s != nil, err))
		}
		if depth == 0 {
			return
		}
		for i := range 3 {
			visit(strings.TrimPrefix(fmt.Sprintf("%s.n%d", path, i), "."), depth-1)
		}
	}
	visit("", 4)
	return seen
}

// TestHiddenIsAbsent is the property behind R53 and R54: for any tree and any
// caller, a registry behaves as one in which what the caller may not see was
// never registered.
func TestHiddenIsAbsent(t *testing.T) {
	callers := []*registry.Caller{nil, {ID: "x"}, {ID: "a", Roles: []string{"a"}}, {ID: "b", Roles: []string{"b"}},
		{ID: "ab", Roles: []string{"a", "b"}}, {ID: "abc", Roles: allRoles}}
	for seed := range uint64(60) {
		tree := randomTree(rand.New(rand.NewPCG(seed, 1)), "n0", 3)
		tree.roles = nil
		full := registry.New(nil)
		fill(full, tree, "", nil, false)
		for _, c := range callers {
			ctx := registry.WithCaller(context.Background(), c)
			only := registry.New(nil)
			fill(only, tree, "", c, true)
			got, want := observe(ctx, full), observe(ctx, only)
			if !reflect.DeepEqual(got, want) {
				for i := range min(len(got), len(want)) {
					if got[i] != want[i] {
						t.Fatalf("seed %d, caller %+v:\n got %s\nwant %s", seed, c, got[i], want[i])
					}
				}
				t.Fatalf("seed %d, caller %+v: %d observations, want %d", seed, c, len(got), len(want))
			}
		}
	}
}

func TestVisibilityThatPanicsRefuses(t *testing.T) {
	reg := registry.New(nil)
	f := echo("f", registry.VisibleTo(func(context.Context, *registry.Caller) bool { panic("no") }))
	reg.Namespace("n", "").Add(f)
	_, err := reg.Function(context.Background(), "n", "f")
	wantKind(t, err, registry.UnknownNamespace)
}

// A rule that panics hides its own function, and no other from a search.
func TestSearchAmongRulesThatPanic(t *testing.T) {
	reg := registry.New(nil)
	for i := range 9 {
		reg.Namespace("n", "").Add(echo(fmt.Sprint("f", i), registry.VisibleTo(func(context.Context, *registry.Caller) bool {
			if i%4 == 0 {
				panic("no")
			}
			return i != 6
		})))
	}
	var got []string
	for _, m := range reg.Search(t.Context(), "n", 10) {
		got = append(got, m.Name)
	}
	if slices.Sort(got); !slices.Equal(got, []string{"f1", "f2", "f3", "f5", "f7"}) {
		t.Errorf("found %q", got)
	}
}

func TestRegistryVisibility(t *testing.T) {
	reg := registry.New(&registry.Options{VisibleTo: registry.Authenticated})
	reg.Namespace("", "").Add(echo("f"))
	ctx := context.Background()
	l, err := reg.List(ctx, "")
	if err != nil || l.HasFunctions || len(l.Functions) > 0 {
		t.Errorf("an anonymous caller sees %+v, %v", l, err)
	}
	_, err = reg.Function(ctx, "", "f")
	wantKind(t, err, registry.UnknownFunction)
	if _, err := reg.Function(registry.WithCaller(ctx, &registry.Caller{ID: "u"}), "", "f"); err != nil {
		t.Error(err)
	}
}

// TestVisibilityLater holds that a rule set on a namespace that has been read
// holds for everything below it, at once, and that it can be taken back.
func TestVisibilityLater(t *testing.T) {
	reg := registry.New(nil)
	admin := reg.Namespace("admin", "")
	reg.Namespace("admin.users.old", "").Add(echo("purge"))
	reg.Namespace("admin.users", "").AddSkill(registry.NewSkill("how", "", "x"))
	reg.Namespace("", "").Add(echo("f"))
	ctx := context.Background()
	sees := func() (n int) {
		if _, err := reg.Function(ctx, "admin.users.old", "purge"); err == nil {
			n++
		}
		if _, err := reg.Skill(ctx, "admin.users", "how"); err == nil {
			n++
		}
		for _, path := range []string{"admin", "admin.users", "admin.users.old"} {
			if _, err := reg.List(ctx, path); err == nil {
				n++
			}
		}
		if l, err := reg.List(ctx, ""); err == nil && len(l.Namespaces) > 0 {
			n++
		}
		return n
	}
	if n := sees(); n != 6 {
		t.Fatalf("before the rule %d of 6 are seen", n)
	}
	admin.Restrict(registry.Roles("boss"))
	if n := sees(); n != 0 {
		t.Errorf("with the rule %d of 6 are seen", n)
	}
	admin.Restrict(nil)
	if n := sees(); n != 6 {
		t.Errorf("after the rule %d of 6 are seen", n)
	}
}

// TestHiddenSpelling holds R54 for names that are asked for in another
// spelling: an answer in the registered one would betray that there is one.
func TestHiddenSpelling(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("Ad_Min", "", registry.VisibleTo(registry.Roles("boss"))).Add(echo("Pur_Ge"))
	reg.Namespace("Ad_Min", "").AddSkill(registry.NewSkill("How_To", "", "x"))
	reg.Namespace("Mixed", "").Add(echo("open"))
	hidden := echo("Se_Cret", registry.VisibleTo(registry.Roles("boss")))
	reg.Namespace("Mixed", "").Add(hidden)
	reg.Namespace("Skilled", "").AddSkill(registry.NewSkill("s", "", "x", registry.VisibleTo(registry.Roles("boss"))))
	ctx := context.Background()
	ask := map[string]func(path, name string) error{
		"list":     func(path, _ string) error { _, err := reg.List(ctx, path); return err },
		"function": func(path, name string) error { _, err := reg.Function(ctx, path, name); return err },
		"skill":    func(path, name string) error { _, err := reg.Skill(ctx, path, name); return err },
	}
	for what, f := range ask {
		for _, name := range []struct{ there, absent, function, other string }{
			{"ADMIN", "ABSEN", "PURGE", "PURGE"}, {"ADMIN", "ABSEN", "HOWTO", "HOWTO"}, {"SKILLED", "ABSENTS", "S", "S"}, {"Mixed", "Mixed", "SECRET", "ABSENT"},
		} {
			if what == "list" && name.there == name.absent {
				continue
			}
			err := f(name.there, name.function)
			if err == nil {
				t.Errorf("%s %s.%s: hidden, and answered", what, name.there, name.function)
				continue
			}
			want := f(name.absent, name.other).Error()
			want = strings.NewReplacer(name.absent, name.there, name.other, name.function).Replace(want)
			if err.Error() != want || registry.AsError(err).Kind != registry.AsError(f(name.absent, name.other)).Kind {
				t.Errorf("%s %s.%s:\n got %s\nwant %s", what, name.there, name.function, err, want)
			}
		}
	}
}
