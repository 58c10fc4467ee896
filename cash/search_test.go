package cash_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/registry"
)

// A search goes straight to the functions that fit, wherever they are.
func ExampleServer_Help_search() {
	reg := registry.New(nil)
	reg.Namespace("orders.returns", "Goods that come back.").Add(
		registry.Func("refund", "Refund an order, in full or in part.", nothing))
	reg.Namespace("crm", "Customers.").Add(registry.Func("merge", "Merge two contacts.", nothing))

	text, err := cash.NewServer(reg, nil).Help(context.Background(), &cash.HelpRequest{
		Kwargs: json.RawMessage(`{"search": "refund an order"}`),
	})
	fmt.Println(text, err)
	// Output:
	// # Functions that fit, best first
	//
	// - **orders.returns.refund** — Refund an order, in full or in part.
	//
	// Read one with `help(namespace="orders.returns", function="refund")`. <nil>
}

// searchable is a tree with functions at every level.
func searchable() *registry.Registry {
	reg := registry.New(nil)
	reg.Namespace("", "").Add(registry.Func("ping", "Check that the server answers.", nothing))
	reg.Namespace("Order_Mgmt", "Orders.").Add(
		registry.Func("create", "Create an order.\nSecond line.", createOrder))
	reg.Namespace("Order_Mgmt.retail", "Shops.").Add(
		registry.Func("cancel", "Cancel an order.", nothing))
	reg.Namespace("Order_Mgmt2", "Older orders.").Add(registry.Func("cancel", "Cancel an old order.", nothing))
	reg.Namespace("skilled", "Orders, too.").AddSkill(registry.NewSkill("cancel", "", "Cancel an order."))
	secret := registry.Func("unseal", "Unseal an order.", nothing, registry.VisibleTo(registry.Roles("admin")))
	reg.Namespace("Order_Mgmt.retail", "").Add(secret)
	reg.Namespace("vault", "Sealed orders.", registry.VisibleTo(registry.Roles("admin"))).Add(
		registry.Func("unlock", "Unlock the vault of orders.", nothing))
	return reg
}

// names returns the dotted paths of a page's entries, in order.
func names(page string) []string {
	var list []string
	for line := range strings.Lines(page) {
		if rest, ok := strings.CutPrefix(line, "- **"); ok {
			name, _, _ := strings.Cut(rest, "**")
			list = append(list, name)
		}
	}
	return list
}

func TestSearch(t *testing.T) {
	srv := cash.NewServer(searchable(), nil)
	const (
		everywhere = "No function fits. Search in other words, or use `help()` to see what there is."
		retail     = "No function in `Order_Mgmt.retail` fits. Search without a namespace, or use `help(namespace=\"Order_Mgmt.retail\")` to see what is there."
	)
	for _, tt := range []struct{ name, namespace, kwargs, want string }{
		{"root function", "", `{"search":"ping"}`,
			"# Functions that fit, best first\n\n- **ping** — Check that the server answers.\n\nRead one with `help(function=\"ping\")`."},
		{"one line of several", "", `{"search":"create"}`,
			"# Functions that fit, best first\n\n- **Order_Mgmt.create** — Create an order.\n\nRead one with `help(namespace=\"Order_Mgmt\", function=\"create\")`."},
		{"below a namespace only", "ordermgmt", `{"search":"cancel"}`,
			"# Functions that fit, best first\n\n- **Order_Mgmt.retail.cancel** — Cancel an order.\n\nRead one with `help(namespace=\"Order_Mgmt.retail\", function=\"cancel\")`."},
		{"spelt otherwise", "", `{"SEARCH":"  Ping  "}`,
			"# Functions that fit, best first\n\n- **ping** — Check that the server answers.\n\nRead one with `help(function=\"ping\")`."},
		{"JSON", "", `{"search":"create","format":"json"}`,
			`{"functions":[{"namespace":"Order_Mgmt","name":"create","description":"Create an order."}]}`},
		{"JSON, root function", "", `{"search":"ping","format":"json"}`,
			`{"functions":[{"name":"ping","description":"Check that the server answers."}]}`},
		{"nothing", "", `{"search":"zzqxj"}`, everywhere},
		{"no words", "", `{"search":"?!"}`, everywhere},
		{"nothing in a namespace", "order_mgmt.RETAIL", `{"search":"ping"}`, retail},
		{"nothing, JSON", "", `{"search":"zzqxj","format":"json"}`, `{"functions":[],"next":"` + everywhere + `"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := help(t, srv, tt.namespace, "", tt.kwargs); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestSearchIgnored holds when a search is as if it had not been given.
func TestSearchIgnored(t *testing.T) {
	srv := cash.NewServer(searchable(), nil)
	for _, tt := range []struct{ namespace, function, search string }{
		{"", "", `""`}, {"", "", `" \t\n"`}, {"", "", `7`}, {"", "", `true`}, {"", "", `null`}, {"", "", `{"a":"order"}`},
		{"", "", `["order"]`}, {"Order_Mgmt", "", `0`}, {"Order_Mgmt", "create", `"cancel"`}, {"", "ping", `"cancel"`},
	} {
		want := help(t, srv, tt.namespace, tt.function, "")
		if got := help(t, srv, tt.namespace, tt.function, `{"search":`+tt.search+`}`); got != want {
			t.Errorf("R46: help(%s, %s) with search=%s is\n%s", tt.namespace, tt.function, tt.search, got)
		}
	}
}

// TestSearchLayer holds that a search shows names and a line each: neither
// parameters nor skills.
func TestSearchLayer(t *testing.T) {
	srv := cash.NewServer(searchable(), nil)
	for _, search := range []string{"customer_id", "line items with product_id", "create", "cancel an order", "skilled"} {
		for _, format := range []string{"markdown", "json"} {
			page := help(t, srv, "", "", fmt.Sprintf(`{"search":%q,"format":%q,"params":"full","examples":true}`, search, format))
			for _, none := range []string{"customer_id", "|", "kwargs", "Second", "skill"} {
				if strings.Contains(page, none) {
					t.Errorf("R41, R47: a search for %q shows %q:\n%s", search, none, page)
				}
			}
		}
	}
}

// TestSearchHidden holds R53 and R54: what a caller may not see is not found,
// and a namespace that they may not see is as one that does not exist.
func TestSearchHidden(t *testing.T) {
	srv := cash.NewServer(searchable(), nil)
	admin := registry.WithCaller(context.Background(), &registry.Caller{ID: "ann", Roles: []string{"admin"}})
	for _, search := range []string{"unseal", "unlock the vault", "vault.unlock", "order"} {
		req := &cash.HelpRequest{Kwargs: json.RawMessage(fmt.Sprintf(`{"search":%q}`, search))}
		if page := help(t, srv, "", "", string(req.Kwargs)); strings.Contains(page, "unseal") || strings.Contains(page, "vault") {
			t.Errorf("R53: a search for %q shows\n%s", search, page)
		}
		if page, err := srv.Help(admin, req); err != nil || !strings.Contains(page, "unseal") && !strings.Contains(page, "vault") {
			t.Errorf("R53: a search for %q by one who may see it: %v\n%s", search, err, page)
		}
	}
	for _, namespace := range []string{"vault", "nowhere", "skilled", "a-b"} {
		_, want := srv.Help(context.Background(), &cash.HelpRequest{Namespace: namespace})
		_, got := srv.Help(context.Background(), &cash.HelpRequest{Namespace: namespace, Kwargs: json.RawMessage(`{"search":"order"}`)})
		if want == nil || got == nil || got.Error() != want.Error() {
			t.Errorf("R54: a search below %q fails with %v, want %v", namespace, got, want)
		}
	}
}

// TestSearchBounds holds that a page has at most twenty functions, and that
// what fits elsewhere takes no place of those in a namespace.
func TestSearchBounds(t *testing.T) {
	reg := registry.New(nil)
	for i := range 100 {
		reg.Namespace("parcels", "").Add(registry.Func(fmt.Sprintf("weigh%d", i), "Weigh a parcel.", nothing))
		reg.Namespace("walls", "").Add(registry.Func(fmt.Sprintf("paint%d", i), "Paint a wall.", nothing))
	}
	reg.Namespace("scales", "").Add(registry.Func("check", "Weigh a parcel of known weight, to see whether a scale is right.", nothing))
	srv := cash.NewServer(reg, nil)
	if got := names(help(t, srv, "", "", `{"search":"weigh a parcel"}`)); len(got) != 10 || slices.Contains(got, "scales.check") {
		t.Errorf("found %q, want 10 with parcels", got)
	}
	if got := names(help(t, srv, "scales", "", `{"search":"weigh a parcel"}`)); len(got) != 1 || got[0] != "scales.check" {
		t.Errorf("below scales there are %q", got)
	}
	long := `{"search":"` + strings.Repeat("weigh a parcel ", 50_000) + `"}`
	if n := len(names(help(t, srv, "", "", long))); n != 10 {
		t.Errorf("%d functions fit a very long search, want 10", n)
	}
}

// unsearched hides that a source can search.
type unsearched struct{ registry.Source }

// stale finds what is not there.
type stale struct{ *registry.Registry }

func (s stale) Search(ctx context.Context, query string, limit int) []registry.Match {
	gone := []registry.Match{{Namespace: "gone", Name: "f", Score: 9}, {Namespace: "Order_Mgmt", Name: "a-b", Score: 8}}
	return append(gone, s.Registry.Search(ctx, query, limit)...)
}

// TestSearchSources holds that any source can be searched, and that what has
// gone since is left out.
func TestSearchSources(t *testing.T) {
	const kwargs = `{"search":"cancel an order"}`
	want := help(t, cash.NewServer(searchable(), nil), "", "", kwargs)
	for name, src := range map[string]registry.Source{
		"without an index": unsearched{searchable()},
		"stale":            stale{searchable()},
	} {
		if got := help(t, cash.NewServer(src, nil), "", "", kwargs); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}
