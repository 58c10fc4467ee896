package registry_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

// A face tells a caller who asked for the wrong name what may have been meant.
func ExampleSuggest() {
	reg := registry.New(nil)
	reg.Namespace("orders", "").Add(tool("create", "Create an order."), tool("refund", "Pay back an order."))
	ctx := context.Background()

	_, err := reg.Function(ctx, "orders", "reimburse")
	fmt.Println(err, registry.Suggest(ctx, reg, err))
	_, err = reg.List(ctx, "ordres")
	fmt.Println(err, registry.Suggest(ctx, reg, err))
	// Output:
	// No function `reimburse` in namespace `orders`. [{orders refund}]
	// No namespace `ordres`. [{orders }]
}

// store is a registry with something to mistake at every level.
func store() *registry.Registry {
	reg := registry.New(nil)
	reg.Namespace("", "").Add(tool("ping", "Ping."))
	reg.Namespace("Order_Mgmt", "Orders.").Add(tool("create_order", "Create."), tool("list_orders", "List."), tool("list_items", "List."))
	reg.Namespace("Order_Mgmt.retail.eu", "Shops.").Add(tool("cancel", "Cancel."))
	reg.Namespace("billing", "Money.").Add(tool("refund", "Pay back."), tool("createInvoice", "Bill."))
	reg.Namespace("billing.archive", "Old.").Add(tool("refund", "Pay back, later."))
	reg.Namespace("guides", "Texts.").AddSkill(registry.NewSkill("close_the_month", "", "x"), registry.NewSkill("onboarding", "", "x"))
	reg.Namespace("billing", "").AddSkill(registry.NewSkill("dunning", "", "x"))
	secret := tool("purge", "Purge.", registry.VisibleTo(registry.Roles("admin")))
	reg.Namespace("billing", "").Add(secret)
	reg.Namespace("vault", "Secrets.", registry.VisibleTo(registry.Roles("admin"))).Add(tool("unlock", "Unlock."))
	reg.Namespace("vault", "").AddSkill(registry.NewSkill("rotation", "", "x"))
	return reg
}

func TestSuggest(t *testing.T) {
	reg, ctx := store(), context.Background()
	for _, tt := range []struct {
		what string
		err  error
		want []registry.Suggestion
	}{
		{"typo in a function", registry.NoFunction("Order_Mgmt", "craete_order"), []registry.Suggestion{{"Order_Mgmt", "create_order"}}},
		{"case and separators", registry.NoFunction("ordermgmt", "CreateOrders"), []registry.Suggestion{{"Order_Mgmt", "create_order"}}},
		{"other order", registry.NoFunction("Order_Mgmt", "orders_list"), []registry.Suggestion{{"Order_Mgmt", "list_orders"}}},
		{"synonym", registry.NoFunction("Order_Mgmt", "enumerate_items"), []registry.Suggestion{{"Order_Mgmt", "list_items"}}},
		{"a word less", registry.NoFunction("billing", "invoice"), []registry.Suggestion{{"billing", "createInvoice"}}},
		{"in another namespace", registry.NoFunction("Order_Mgmt", "refund"), []registry.Suggestion{{"billing", "refund"}, {"billing.archive", "refund"}}},
		{"in the root", registry.NoFunction("billing", "ping"), []registry.Suggestion{{"", "ping"}}},
		{"from the root", registry.NoFunction("", "cancel"), []registry.Suggestion{{"Order_Mgmt.retail.eu", "cancel"}}},
		{"nothing like it", registry.NoFunction("billing", "paint_wall"), nil},
		{"hidden function", registry.NoFunction("billing", "purge"), nil},
		{"nearly a hidden function", registry.NoFunction("billing", "purgee"), nil},
		{"hidden elsewhere", registry.NoFunction("billing", "unlock"), nil},
		{"typo in a namespace", registry.NoNamespace("biling"), []registry.Suggestion{{"billing", ""}}},
		{"typo within a path", registry.NoNamespace("order_mgmt.retial.eu"), []registry.Suggestion{{"Order_Mgmt.retail.eu", ""}}},
		{"typo before what is there", registry.NoNamespace("OrderMgnt.retail.eu"), []registry.Suggestion{{"Order_Mgmt.retail.eu", ""}}},
		{"typo before what is not", registry.NoNamespace("OrderMgnt.wholesale"), []registry.Suggestion{{"Order_Mgmt", ""}}},
		{"namespace by its label", registry.NoNamespace("retail"), []registry.Suggestion{{"Order_Mgmt.retail", ""}}},
		{"namespace by its label, elsewhere", registry.NoNamespace("shop.archive"), []registry.Suggestion{{"billing.archive", ""}}},
		{"namespace by a synonym", registry.NoNamespace("order_management"), nil},
		{"namespace without functions", registry.NoNamespace("guide"), nil},
		{"namespace without functions, by its label", registry.NoNamespace("shop.guides"), nil},
		{"hidden namespace", registry.NoNamespace("vault"), nil},
		{"nearly a hidden namespace", registry.NoNamespace("vaults"), nil},
		{"typo in a skill", registry.NoSkill("guides", "onbording"), []registry.Suggestion{{"guides", "onboarding"}}},
		{"skill in another order", registry.NoSkill("guides", "month_close"), []registry.Suggestion{{"guides", "close_the_month"}}},
		{"skill in another namespace", registry.NoSkill("guides", "dunning"), []registry.Suggestion{{"billing", "dunning"}}},
		{"skill without a namespace", registry.NoSkill("", "dunnin"), []registry.Suggestion{{"billing", "dunning"}}},
		{"hidden skill", registry.NoSkill("vault", "rotation"), nil},
		{"namespace of skills", registry.NoSkill("guidse", ""), []registry.Suggestion{{"guides", ""}}},
		{"namespace without skills", registry.NoSkill("Order_Mgmt", ""), nil},
		{"nothing", registry.NoFunction("", ""), nil},
		{"another error", &registry.Error{Kind: registry.InvalidArguments, Namespace: "billing", Name: "refnd"}, nil},
		{"an error of others", errors.New("billing.refnd"), nil},
		{"no error", nil, nil},
	} {
		got := registry.Suggest(ctx, reg, tt.err)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.what, got, tt.want)
		}
	}
	admin := registry.WithCaller(ctx, &registry.Caller{ID: "x", Roles: []string{"admin"}})
	for _, err := range []error{registry.NoFunction("billing", "purgee"), registry.NoNamespace("vaults"), registry.NoSkill("vault", "rotatoin")} {
		if got := registry.Suggest(admin, reg, err); len(got) != 1 {
			t.Errorf("%v: who may see it gets %v", err, got)
		}
	}
}

// TestSuggestHostile holds that no name, however long or odd, does harm.
func TestSuggestHostile(t *testing.T) {
	reg, ctx := store(), context.Background()
	deep := "a" + strings.Repeat(".a", 499)
	names := []string{
		strings.Repeat("refund", 1<<18), strings.Repeat("a", 1<<20), strings.Repeat(".", 1<<20), strings.Repeat("a.", 1<<19),
		strings.Repeat("天", 1<<18), "x" + strings.Repeat("\u0301", 1<<18), strings.Repeat("\xff", 1<<20), strings.Repeat("\uFDFA", 1<<16),
		deep, "billing." + deep, strings.Repeat("_", 100), "\x00\x1b[2J\n`\"", "../../etc", "refund\u202e", "'; drop table", "_._", ".", "..",
	}
	for _, src := range []registry.Source{reg, plain{reg}, registry.New(nil)} {
		for _, name := range names {
			for _, err := range []error{
				registry.NoNamespace(name), registry.NoFunction(name, name), registry.NoFunction("billing", name),
				registry.NoSkill(name, ""), registry.NoSkill(name, name), registry.NoSkill("guides", name),
			} {
				if got := registry.Suggest(ctx, src, err); len(got) > 3 {
					t.Errorf("%.60q: %v", name, got)
				}
			}
		}
	}
	// A path is followed no further than it leads.
	counted := &counting{Source: reg}
	registry.Suggest(ctx, counted, registry.NoNamespace("Order_Mgmt.retail."+deep))
	if counted.lists > 50 {
		t.Errorf("a path of 500 levels makes %d listings", counted.lists)
	}
}

// counting counts what is asked of a source.
type counting struct {
	registry.Source
	lists int
}

func (c *counting) List(ctx context.Context, path string) (*registry.Listing, error) {
	c.lists++
	return c.Source.List(ctx, path)
}

// TestSuggestMany holds that there are at most three, the best first, among
// thousands of names that are alike.
func TestSuggestMany(t *testing.T) {
	reg := registry.New(nil)
	for i := range 5000 {
		reg.Namespace("orders", "").Add(tool(fmt.Sprintf("create_order_%04d", i), "Create."))
		reg.Namespace(fmt.Sprintf("space%04d", i), "").Add(tool("run", "Run."))
	}
	ctx := context.Background()
	want := []registry.Suggestion{{"orders", "create_order_0000"}, {"orders", "create_order_0001"}, {"orders", "create_order_0002"}}
	if got := registry.Suggest(ctx, reg, registry.NoFunction("orders", "create_order_000")); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if got := registry.Suggest(ctx, reg, registry.NoNamespace("spcae4711")); len(got) != 3 || got[0].Namespace != "space4711" {
		t.Errorf("got %v", got)
	}
	if got := registry.Suggest(ctx, reg, registry.NoFunction("orders", "run")); len(got) != 3 || got[0].Name != "run" {
		t.Errorf("got %v", got)
	}
}
