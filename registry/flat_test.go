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
	secret := registry.Func("purge", "Purge.", ping)
	secret.VisibleTo = registry.Roles("admin")
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
