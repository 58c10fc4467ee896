package registry_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

func ping(context.Context, struct{}) (string, error) { return "pong", nil }

// flatTree has functions at all depths, of which some only admins see.
func flatTree() *registry.Registry {
	reg := registry.New(nil)
	secret := registry.Func("purge", "Purge.", ping, registry.VisibleTo(registry.Roles("admin")))
	reg.Namespace("", "").Add(registry.Func("ping", "Ping.", ping), registry.Func("orders", "Like the namespace.", ping))
	reg.Namespace("orders", "").Add(registry.Func("create_Now", "Create.", ping), secret)
	reg.Namespace("orders.create", "").Add(registry.Func("Now", "Create elsewhere.", ping))
	long := strings.Repeat("long.", 20)
	reg.Namespace(long+"end", "").Add(registry.Func("one", "One.", ping), registry.Func("two", "Two.", ping))
	return reg
}

func TestFlatNames(t *testing.T) {
	reg := flatTree()
	list, err := registry.Flat(t.Context(), reg)
	if err != nil || len(list) != 6 {
		t.Fatalf("Flat = %d functions, %v", len(list), err)
	}
	for i, f := range list {
		name := f.FlatName()
		if !regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`).MatchString(name) || i > 0 && name <= list[i-1].FlatName() {
			t.Errorf("%s is called %q", f.Path(), name)
		}
		if got, err := registry.FindFlat(t.Context(), reg, name); err != nil || got.Path() != f.Path() {
			t.Errorf("FindFlat(%q) = %v, %v", name, got, err)
		}
	}
	for _, name := range []string{"", "-", "Ping", "PING", "pin", "ping-", "-ping", "orders-createnow", "orders-create_now", "orders-create-now", "orders.create_Now",
		"orders--create_Now", "Orders-create_Now", "orders-purge", "orders-nothing", "a\x00b", strings.Repeat("a", 64), strings.Repeat("-", 64), list[0].FlatName() + "x"} {
		if f, err := registry.FindFlat(t.Context(), reg, name); !errors.Is(err, registry.UnknownFunction) {
			t.Errorf("FindFlat(%q) = %v, %v", name, f, err)
		}
	}
	_, hidden := registry.FindFlat(t.Context(), reg, "orders-purge")
	_, absent := registry.FindFlat(t.Context(), reg, "orders-purgo")
	if strings.ReplaceAll(fmt.Sprint(absent), "purgo", "purge") != fmt.Sprint(hidden) {
		t.Errorf("hidden: %v; absent: %v", hidden, absent)
	}
	admin := registry.WithCaller(t.Context(), &registry.Caller{ID: "a", Roles: []string{"admin"}})
	if _, err := registry.FindFlat(admin, reg, "orders-purge"); err != nil {
		t.Error(err)
	}
}

// asked is a source that counts how often it is asked for a list.
type asked struct {
	registry.Source
	lists int
}

func (a *asked) List(ctx context.Context, path string) (*registry.Listing, error) {
	a.lists++
	return a.Source.List(ctx, path)
}

// TestFlatLongNames holds that functions whose names are cut are found wherever
// the cut is, and that names that look like theirs lead nowhere for little.
func TestFlatLongNames(t *testing.T) {
	reg := registry.New(nil)
	var long []string
	for _, path := range []string{"", "a", "a.b", strings.Repeat("b", 45), strings.Repeat("c", 46), strings.Repeat("d", 47), strings.Repeat("e", 48),
		strings.Repeat("f", 70), "g." + strings.Repeat("g", 70), strings.Repeat("h.", 23) + "h", strings.Repeat("i.", 40) + "i"} {
		f := registry.Func(strings.Repeat("x", 65), "X.", ping)
		reg.Namespace(path, "").Add(f)
		long = append(long, f.In(path).FlatName())
	}
	for i := range 300 {
		reg.Namespace(fmt.Sprintf("n%d.below", i), "").Add(registry.Func("f", "F.", ping))
	}
	for _, name := range long {
		src := &asked{Source: reg}
		if f, err := registry.FindFlat(t.Context(), src, name); err != nil || f.FlatName() != name || len(name) != 64 {
			t.Errorf("%q: %v", name, err)
		}
	}
	hash := "-0123456789abcdef"
	for _, name := range []string{strings.Repeat("x", 64), strings.Repeat("-", 64), strings.Repeat("n", 47) + hash, strings.Repeat("x", 47) + hash,
		"n7-below-" + strings.Repeat("f", 38) + hash, "a-b-" + strings.Repeat("x", 43) + hash, "a-b-" + strings.Repeat("x", 43) + strings.ToUpper(hash), "a b.c-" + strings.Repeat("x", 41) + hash} {
		src := &asked{Source: reg}
		if f, err := registry.FindFlat(t.Context(), src, name); !errors.Is(err, registry.UnknownFunction) {
			t.Errorf("%q: %v, %v", name, f, err)
		}
		if src.lists > 3 {
			t.Errorf("%q takes %d lists", name, src.lists)
		}
	}
	gone := &registry.Error{Kind: registry.Unavailable, Message: "Gone."}
	if _, err := registry.FindFlat(t.Context(), failing(func() error { return gone }), long[0]); !errors.Is(err, gone) {
		t.Errorf("unavailable: %v", err)
	}
}

// TestFlatForged holds that a function that is called as the cut name of another is
// both what is listed and what is found.
func TestFlatForged(t *testing.T) {
	reg := registry.New(nil)
	long := registry.Func("two", "Long.", ping).In(strings.Repeat("a", 47) + ".zz.zz.zz.zz.zz.zz.zz")
	path, hash, _ := strings.Cut(long.FlatName(), "-")
	reg.Namespace(long.Namespace(), "").Add(registry.Func("two", "Long.", ping))
	reg.Namespace(path, "").Add(registry.Func(hash, "Short.", ping))
	list, err := registry.Flat(t.Context(), reg)
	f, e := registry.FindFlat(t.Context(), reg, long.FlatName())
	if err != nil || e != nil || len(list) != 1 || list[0] != f || f.Description() != "Short." {
		t.Errorf("%d listed, %v, %v", len(list), err, e)
	}
}

func ExampleFindFlat() {
	reg := registry.New(nil)
	reg.Namespace("orders.retail", "Orders of shops.").Add(registry.Func("create", "Create an order.", ping))
	f, err := registry.FindFlat(context.Background(), reg, "orders-retail-create")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Path())
	// Output: orders.retail.create
}
