package registry_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// catalog registers one function for each name with dots, and a skill for each
// that ends in a question mark.
func catalog(names ...string) *registry.Registry {
	reg := registry.New(nil)
	for _, name := range names {
		path, label := "", name
		if i := strings.LastIndexByte(name, '.'); i >= 0 {
			path, label = name[:i], name[i+1:]
		}
		ns := reg.Namespace(path, "")
		if label, skill := strings.CutSuffix(label, "?"); skill {
			ns.AddSkill(registry.NewSkill(label, "", "Do."))
		} else {
			ns.Add(echo(label))
		}
	}
	return reg
}

// show writes nodes as path=what, where what is a namespace's path with a dot
// behind it, a function's path, or a skill's with a question mark.
func show(nodes []registry.Node) string {
	var list []string
	for _, n := range nodes {
		switch {
		case n.Namespace != nil:
			list = append(list, n.Path+"="+n.Namespace.Path+".")
		case n.Function != nil:
			list = append(list, n.Path+"="+n.Function.Path())
		default:
			list = append(list, n.Path+"="+strings.TrimPrefix(n.Skill.Namespace()+"."+n.Skill.Name()+"?", "."))
		}
	}
	return strings.Join(list, " ")
}

func TestBrowse(t *testing.T) {
	long := strings.Repeat("x", 64)
	shop := catalog("orders.create_issue", "orders.Retail.list", "orders.retail?", "orders.retail", "orders.retail.x_1", "ping", "hello?")
	clash := catalog("mcp.a.f", "mcp.ping", "Ping", "mcp.ping?", "ping?", "zoo.f")
	odd := catalog("3d.f", "n3d.f", long+"a.f", long+"b.f", long+".f", "m.3d", "m."+long+"a", "m."+long+"b")
	for _, tt := range []struct {
		row, name string
		reg       *registry.Registry
		path      string
		want      string
	}{
		{"W7", "the top", shop, "/", "/mcp=. /orders=orders."},
		{"W7", "everything of the top", shop, "/*", "/mcp=. /orders=orders."},
		{"W7", "what is in the root", shop, "/mcp", "/mcp/ping=ping /mcp/hello=hello?"},
		{"W7", "a namespace", shop, "/orders", "/orders/retail=orders.Retail. /orders/createissue=orders.create_issue " +
			"/orders/retail-2=orders.retail /orders/retail-3=orders.retail?"},
		{"W7", "everything of a namespace", shop, "/orders/retail/*", "/orders/retail/list=orders.Retail.list /orders/retail/x1=orders.Retail.x_1"},
		{"W7", "a function", shop, "/orders/retail/list", "/orders/retail/list=orders.Retail.list"},
		{"W7", "a function and a star", shop, "/orders/retail/list/*", "/orders/retail/list=orders.Retail.list"},
		{"W7", "another spelling", shop, "/or_ders_/create_issue", "/orders/createissue=orders.create_issue"},
		{"W7", "a number, spelt otherwise", shop, "/orders/re_tail-3", "/orders/retail-3=orders.retail?"},
		{"W7", "a namespace called mcp", clash, "/", "/mcp=mcp. /zoo=zoo."},
		{"W7", "and what is in it", clash, "/mcp", "/mcp/a=mcp.a. /mcp/ping=mcp.ping /mcp/ping-2=Ping /mcp/ping-3=mcp.ping? /mcp/ping-4=ping?"},
		{"W7", "the root's own of the two", clash, "/mcp/ping-2", "/mcp/ping-2=Ping"},
		{"W7", "labels outside the grammar", odd, "/", "/n3d=3d. /m=m. /n3d-2=n3d. /" + long + "=" + long + ". /" +
			long[:56] + "-2=" + long + "a. /" + long[:56] + "-3=" + long + "b."},
		{"W7", "labels outside the grammar, below", odd, "/m", "/m/3d=m.3d /m/" + long + "=m." + long + "a /m/" + long[:56] + "-2=m." + long + "b"},
		{"W7", "nothing at all", registry.New(nil), "/", ""},
	} {
		nodes, err := registry.Browse(context.Background(), tt.reg, tt.path)
		if got := show(nodes); err != nil || got != tt.want {
			t.Errorf("%s: %s: browsing %s: %v, got\n%s; want\n%s", tt.row, tt.name, tt.path, err, got, tt.want)
		}
	}
}

func TestBrowseErrors(t *testing.T) {
	reg := catalog("orders.create", "orders.retail.list", "ping")
	reg.Namespace("secret", "", registry.VisibleTo(registry.Roles("admin"))).Add(echo("f"))
	hidden := echo("hidden", registry.VisibleTo(registry.Roles("admin")))
	reg.Namespace("orders", "").Add(hidden)
	for _, tt := range []struct {
		path, text string
		kind       registry.Kind
	}{
		{"", "Invalid path ``: no '/' at the beginning. Browse `/` to see what is there.", registry.InvalidPath},
		{"/orders//x", "Invalid path `/orders//x`: at level 2: empty segment. Browse `/` to see what is there.", registry.InvalidPath},
		{"/3d", "Invalid path `/3d`: at level 1: root segment \"3d\" does not match [a-z][a-z0-9_-]{0,63} at byte 0. Browse `/` to see what is there.", registry.InvalidPath},
		{"/absent", "Nothing at path `/absent`. Browse `/` to see what is there.", registry.UnknownPath},
		{"/secret", "Nothing at path `/secret`. Browse `/` to see what is there.", registry.UnknownPath},
		{"/secret/f", "Nothing at path `/secret/f`. Browse `/` to see what is there.", registry.UnknownPath},
		{"/orders/absent", "Nothing at path `/orders/absent`. Browse `/orders` to see what is there.", registry.UnknownPath},
		{"/orders/hidden", "Nothing at path `/orders/hidden`. Browse `/orders` to see what is there.", registry.UnknownPath},
		{"/orders/create/x", "Nothing at path `/orders/create/x`. Browse `/orders/create` to see what is there.", registry.UnknownPath},
		{"/or_ders/retail/x/y", "Nothing at path `/or_ders/retail/x/y`. Browse `/orders/retail` to see what is there.", registry.UnknownPath},
		{"/orders/create-2", "Nothing at path `/orders/create-2`. Did you mean `/orders/create`? Browse `/orders` to see what is there.", registry.UnknownPath},
		{"/ping", "Nothing at path `/ping`. Browse `/` to see what is there.", registry.UnknownPath},
	} {
		nodes, err := registry.Browse(context.Background(), reg, tt.path)
		wantKind(t, err, tt.kind)
		if nodes != nil || err == nil || err.Error() != tt.text {
			t.Errorf("W23: browsing %s: %v, %v; want %s", tt.path, nodes, err, tt.text)
		}
	}
	_, err := registry.Browse(context.Background(), reg, "/"+strings.Repeat("\x1b[2J`", 100_000))
	if err == nil || len(err.Error()) > 1000 || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("W23: error of %d bytes: %.200q", len(fmt.Sprint(err)), err)
	}
}

// closed is a source that answers for its root only.
type closed struct {
	registry.Source
	err error
}

func (c closed) List(ctx context.Context, path string) (*registry.Listing, error) {
	if path != "" {
		return nil, c.err
	}
	return c.Source.List(ctx, path)
}

// TestBrowseVanished holds that what vanishes between two listings was never
// there, and that other failures stay what they are.
func TestBrowseVanished(t *testing.T) {
	src := closed{catalog("orders.create"), registry.NoNamespace("orders")}
	_, err := registry.Browse(context.Background(), src, "/orders")
	_, absent := registry.Browse(context.Background(), registry.New(nil), "/orders")
	wantKind(t, err, registry.UnknownPath)
	if err == nil || absent == nil || err.Error() != absent.Error() {
		t.Errorf("W23: %v; want %v", err, absent)
	}
	src.err = &registry.Error{Kind: registry.Unavailable, Message: "Away."}
	for _, path := range []string{"/orders", "/orders/create"} {
		_, err = registry.Browse(context.Background(), src, path)
		wantKind(t, err, registry.Unavailable)
	}
}

// foreign is a source whose labels keep no rule.
type foreign struct {
	registry.Source
	root registry.Listing
}

func (f foreign) List(ctx context.Context, path string) (*registry.Listing, error) {
	switch {
	case path == "":
		return &f.root, nil
	case strings.HasPrefix(path, "foreign"):
		return &registry.Listing{Namespace: path, Functions: []*registry.Function{echo(path)}, HasFunctions: true}, nil
	}
	return nil, registry.NoNamespace(path)
}

// TestBrowseForeign holds that any source can be browsed: a segment is legal
// and its own whatever the label, and numbering is linear in what is listed.
func TestBrowseForeign(t *testing.T) {
	var src foreign
	labels := []string{"", "-", "é", "a b", "A B", "a-b", "a b-2", "_", "1", "\xff", "mcp", "M_cp", "MCP!", strings.Repeat("日", 500), strings.Repeat("-", 64)}
	for i := range 10_000 {
		labels = append(labels, strings.Repeat("y", 58)+fmt.Sprintf("%06d", i/2), fmt.Sprintf("x-%d", i), "x")
	}
	for i, label := range labels {
		src.root.Namespaces = append(src.root.Namespaces, registry.Child{Name: label, Path: fmt.Sprintf("foreign%d", i)})
	}
	nodes, err := registry.Browse(context.Background(), src, "/")
	if err != nil || len(nodes) != len(labels) {
		t.Fatalf("W7: %d nodes for %d labels: %v", len(nodes), len(labels), err)
	}
	paths := make(map[string]bool)
	for i, n := range nodes {
		if _, err := toolid.ParsePath(n.Path); err != nil || paths[n.Path] {
			t.Fatalf("W7: label %.80q has path %s: %v", labels[i], n.Path, err)
		}
		paths[n.Path] = true
	}
	for i, n := range nodes[:20] {
		below, err := registry.Browse(context.Background(), src, n.Path)
		if err != nil || len(below) != 1 || below[0].Function.Name() != fmt.Sprintf("foreign%d", i) {
			t.Errorf("W7: label %.80q at %s: %s, %v", labels[i], n.Path, show(below), err)
		}
	}
}

// tree browses everything below path, holds on the way that each node is what
// its own path shows, and returns the functions and skills.
func tree(t *testing.T, ctx context.Context, src registry.Source, path string) (leaves []registry.Node) {
	t.Helper()
	nodes, err := registry.Browse(ctx, src, path)
	if err != nil {
		t.Fatalf("W7: browsing %s: %v", path, err)
	}
	for _, n := range nodes {
		if !legalPath.MatchString(n.Path) || !strings.HasPrefix(n.Path, strings.TrimSuffix(path, "/")+"/") {
			t.Fatalf("W7: %s below %s", n.Path, path)
		}
		if n.Namespace != nil {
			leaves = append(leaves, tree(t, ctx, src, n.Path)...)
			continue
		}
		leaves = append(leaves, n)
	}
	return leaves
}

var legalPath = regexp.MustCompile(`\A(/[a-z][a-z0-9-]{0,63})(/[a-z0-9][a-z0-9-]{0,63})*\z`)

// randomNames makes n different names of functions, some of them in the root, in
// a namespace mcp, deep, or next to a namespace that is called like them.
func randomNames(r *rand.Rand, n int) []string {
	labels := []string{"mcp", "a", "B_b", "3d", "summary", "Create_Issue", strings.Repeat("l", 70)}
	seen := make(map[string]bool)
	var names []string
	for len(names) < n {
		var parts []string
		for range r.IntN(4) {
			parts = append(parts, labels[r.IntN(len(labels))])
		}
		label := labels[r.IntN(len(labels))]
		if r.IntN(10) > 0 {
			label = fmt.Sprintf("f_%d", r.IntN(2*n))
		}
		name := strings.Join(append(parts, label), ".")
		if canonical, _ := registry.CanonicalPath(name); !seen[canonical] {
			seen[canonical] = true
			names = append(names, name)
		}
	}
	return names
}

// TestEverythingIsReachable is W7: at every size, browsing from / shows each
// function once, under paths that lead to it, with one node under / for each
// namespace of the ids.
func TestEverythingIsReachable(t *testing.T) {
	ctx := context.Background()
	for _, n := range []int{1, 20, 21, 400, 10_000} {
		r := rand.New(rand.NewPCG(5, uint64(n)))
		names := randomNames(r, n)
		reg := catalog(names...)
		var shown []string
		namespaces := make(map[string]bool)
		for i, leaf := range tree(t, ctx, reg, "/") {
			shown = append(shown, leaf.Function.Path())
			if leaf.Function.Namespace() != "" {
				canonical, _ := registry.CanonicalPath(leaf.Function.Namespace())
				first, _, _ := strings.Cut(canonical, ".")
				namespaces[first] = true
			} else {
				namespaces["mcp"] = true
			}
			if i%(1+n/400) != 0 { // a page costs as much as it is long
				continue
			}
			for _, path := range []string{leaf.Path, leaf.Path + "/*"} {
				if again, err := registry.Browse(ctx, reg, path); err != nil || len(again) != 1 || again[0].Path != leaf.Path || again[0].Function != leaf.Function {
					t.Fatalf("W7: %s shows %s, %v; want %s", path, show(again), err, leaf.Function.Path())
				}
			}
		}
		slices.Sort(shown)
		if want := slices.Sorted(slices.Values(names)); !slices.Equal(shown, want) {
			t.Errorf("W7: %d of %d functions are shown", len(shown), n)
		}
		top, err := registry.Browse(ctx, reg, "/")
		if err != nil || len(top) != len(namespaces) {
			t.Errorf("W7: %d nodes under / for %d namespaces: %v", len(top), len(namespaces), err)
		}
	}
}

// TestBrowseHiddenIsAbsent is R54 for browsing: for any tree and caller, paths,
// numbers and errors are those of a registry in which what the caller may not see
// was never registered.
func TestBrowseHiddenIsAbsent(t *testing.T) {
	callers := []*registry.Caller{nil, {ID: "a", Roles: []string{"a"}}, {ID: "bc", Roles: []string{"b", "c"}}, {ID: "abc", Roles: allRoles}}
	for seed := range uint64(200) {
		root := randomTree(rand.New(rand.NewPCG(6, seed)), "", 3)
		root.roles = nil
		crowd(root)
		full := registry.New(nil)
		fill(full, root, "", nil, false)
		for _, c := range callers {
			ctx := registry.WithCaller(context.Background(), c)
			own := registry.New(nil)
			fill(own, root, "", c, true)
			leaves := tree(t, ctx, full, "/")
			if got, want := show(leaves), show(tree(t, ctx, own, "/")); got != want {
				t.Fatalf("R54: seed %d, caller %v sees\n%s; want\n%s", seed, c, got, want)
			}
			for _, path := range []string{"/n0", "/n0/n1", "/n0/n1/f0", "/n1/n2/s0", "/mcp/f0", "/n2/n2-2", "/n2/n2-3/*"} {
				nodes, err := registry.Browse(ctx, full, path)
				wantNodes, want := registry.Browse(ctx, own, path)
				if fmt.Sprint(err) != fmt.Sprint(want) || show(nodes) != show(wantNodes) {
					t.Fatalf("R54: seed %d, caller %v at %s: %s, %v; want %s, %v", seed, c, path, show(nodes), err, show(wantNodes), want)
				}
			}
		}
	}
}

// crowd adds functions and skills that are called like the namespaces beside them.
func crowd(n *node) {
	for i, c := range n.children {
		n.functions = append(n.functions, item{c.label, allRoles[i%3 : i%3+1]})
		n.skills = append(n.skills, item{c.label, allRoles[(i+1)%3 : (i+1)%3+1]})
		crowd(c)
	}
}

// FuzzBrowse holds that whatever is asked for, the answer is something below the
// path or one of the errors for paths.
func FuzzBrowse(f *testing.F) {
	reg := catalog("orders.create_issue", "orders.Retail.list", "orders.retail", "ping", "hello?")
	for _, path := range []string{"/", "/orders", "/orders/create_issue", "/mcp/*", "/orders/retail-2/x", "//", "/*/a", "/3"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		nodes, err := registry.Browse(context.Background(), reg, path)
		if err != nil {
			if !errors.Is(err, registry.InvalidPath) && !errors.Is(err, registry.UnknownPath) || len(err.Error()) > 1000 {
				t.Fatalf("browsing %q: %v", path, err)
			}
			return
		}
		for _, n := range nodes {
			if !legalPath.MatchString(n.Path) {
				t.Fatalf("browsing %q shows %q", path, n.Path)
			}
		}
	})
}

func ExampleBrowse() {
	reg := registry.New(nil)
	reg.Namespace("", "").Add(echo("ping"))
	reg.Namespace("orders", "").Add(echo("create"))
	reg.Namespace("orders.retail", "").Add(echo("list_open"))
	for _, path := range []string{"/", "/orders", "/orders/retail/list_open"} {
		nodes, err := registry.Browse(context.Background(), reg, path)
		if err != nil {
			panic(err)
		}
		var paths []string
		for _, n := range nodes {
			paths = append(paths, n.Path)
		}
		fmt.Println(paths)
	}
	// Output:
	// [/mcp /orders]
	// [/orders/retail /orders/create]
	// [/orders/retail/listopen]
}

func BenchmarkBrowse(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		reg := registry.New(nil)
		for i := range n {
			reg.Namespace("orders", "").Add(echo(fmt.Sprintf("f_%d", i)))
		}
		b.Run(fmt.Sprintf("children=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := registry.Browse(context.Background(), reg, "/orders/f_7"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestBrowseSuggests holds that a path which leads nowhere is answered with
// those that it may stand for, of what the caller sees.
func TestBrowseSuggests(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("orders", "").Add(tool("create_order", ""), tool("list", ""))
	reg.Namespace("orderz", "", registry.VisibleTo(registry.Roles("admin"))).Add(tool("create", ""))
	for path, want := range map[string]string{
		"/order":               "Nothing at path `/order`. Did you mean `/orders`? Browse `/` to see what is there.",
		"/orders/craete_order": "Nothing at path `/orders/craete_order`. Did you mean `/orders/createorder`? Browse `/orders` to see what is there.",
		"/zebra":               "Nothing at path `/zebra`. Browse `/` to see what is there.",
	} {
		_, err := registry.Browse(context.Background(), reg, path)
		if err == nil || err.Error() != want || !errors.Is(err, registry.UnknownPath) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	admin := registry.WithCaller(context.Background(), &registry.Caller{ID: "a", Roles: []string{"admin"}})
	if _, err := registry.Browse(admin, reg, "/order"); err == nil || !strings.Contains(err.Error(), "`/orders` or `/orderz`") {
		t.Errorf("for an admin: %v", err)
	}
}

func BenchmarkUnknownName(b *testing.B) {
	reg := uniform(10_000, 1)
	for _, name := range []string{"list_ordr_77", "refund_customer_money", "x"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, err := reg.Function(context.Background(), "orders", name)
				registry.Suggest(context.Background(), reg, err)
			}
		})
	}
}
