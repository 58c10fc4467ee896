package registry_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

// A function is found by what it does, in the words of who looks for it.
func ExampleRegistry_Search() {
	reg := registry.New(nil)
	refund := registry.Func("refund", "Pay back an order, in full or in part.", nothingTo, registry.Aliases("money back"))
	reg.Namespace("orders", "Buying.").Add(refund, registry.Func("create", "Create an order.", nothingTo))
	reg.Namespace("weather", "").Add(registry.Func("forecast", "Rain and wind of the next days.", nothingTo))

	for _, query := range []string{"give me my money back", "wil it rain tomorow", "Orders/Create", "xyzzy"} {
		fmt.Printf("%s:", query)
		for _, m := range reg.Search(context.Background(), query, 1) {
			fmt.Printf(" %s.%s", m.Namespace, m.Name)
		}
		fmt.Println()
	}
	// Output:
	// give me my money back: orders.refund
	// wil it rain tomorow: weather.forecast
	// Orders/Create: orders.create
	// xyzzy:
}

func nothingTo(context.Context, struct{}) (string, error) { return "", nil }

// tool is a function with a description.
func tool(name, description string, facts ...registry.FuncOption) *registry.Function {
	return registry.Func(name, description, nothingTo, facts...)
}

// dotted returns the path of a match.
func dotted(m registry.Match) string { return strings.TrimPrefix(m.Namespace+"."+m.Name, ".") }

// found returns the paths of what a search finds.
func found(ctx context.Context, src registry.Source, query string, limit int) []string {
	var paths []string
	for _, m := range registry.Search(ctx, src, "", query, limit) {
		paths = append(paths, dotted(m))
	}
	return paths
}

// plain is a source without an index of its own.
type plain struct{ registry.Source }

// uniform returns a registry of n functions in so many namespaces, whose words
// are nearly all the same: the worst case for telling them apart.
func uniform(n, namespaces int) *registry.Registry {
	reg := registry.New(nil)
	labels := []string{"orders", "order", "Order_Items", "items.orders", "orders.items.retail", "retail_items.order"}
	for i := range n {
		path := labels[i%min(namespaces, len(labels))]
		if k := i % namespaces; k >= len(labels) {
			path = fmt.Sprintf("%s_%d", path, k)
		}
		name := fmt.Sprintf("%s_%d", []string{"get", "list_order", "update", "items", "listItem"}[i/namespaces%5], i/namespaces)
		reg.Namespace(path, "").Add(tool(name, "Get, list and update the items of orders."))
	}
	return reg
}

// TestW7EveryFunctionIsFoundByItsPath holds it at every size of a catalog.
func TestW7EveryFunctionIsFoundByItsPath(t *testing.T) {
	ctx := context.Background()
	for _, size := range []struct{ functions, namespaces int }{
		{1, 1}, {20, 1}, {21, 1}, {20, 6}, {21, 21}, {400, 1}, {400, 6}, {400, 400}, {10_000, 1}, {10_000, 500}, {10_000, 10_000},
	} {
		if size.functions > 400 && testing.Short() {
			continue
		}
		reg := uniform(size.functions, size.namespaces)
		var all []*registry.Function
		if err := registry.Walk(ctx, reg, "", func(l *registry.Listing) error { all = append(all, l.Functions...); return nil }); err != nil || len(all) != size.functions {
			t.Fatalf("%v: walked over %d functions, %v", size, len(all), err)
		}
		for i := 0; i < len(all); i += 1 + len(all)/60 { // every query finds nearly all of them
			f := all[i]
			for _, query := range []string{
				f.Path(), f.Namespace() + " " + f.Name(), f.Namespace() + "/" + f.Name(),
				strings.ReplaceAll(f.Path(), ".", "/"), strings.ReplaceAll(f.Path(), ".", " "),
				strings.ToUpper(f.Path()), strings.ReplaceAll(f.Path(), "_", ""), " " + f.Path() + "\n",
			} {
				if got := found(ctx, reg, query, 1); !slices.Equal(got, []string{f.Path()}) {
					t.Fatalf("%v: %q finds %v, want %s", size, query, got, f.Path())
				}
			}
		}
	}
}

// TestW7RootFunctions are found by their name, though others have it too.
func TestW7RootFunctions(t *testing.T) {
	reg := registry.New(nil)
	for _, path := range []string{"a", "b", "ping.x", ""} {
		reg.Namespace(path, "Ping.").Add(tool("ping", "Ping, ping and ping."), tool("other", "Ping."))
	}
	for _, query := range []string{"ping", "PING", "other"} {
		if got := found(context.Background(), reg, query, 1); len(got) != 1 || got[0] != strings.ToLower(query) {
			t.Errorf("%q finds %v", query, got)
		}
	}
}

// TestSearchOfPlainSource holds that it does not matter who has the index.
func TestSearchOfPlainSource(t *testing.T) {
	reg := uniform(300, 17)
	reg.Namespace("orders", "Everything that customers buy.")
	reg.Namespace("", "").Add(tool("about", "What this is."))
	reg.Namespace("weather.eu", "Rain.").Add(tool("forecast", "Wind."))
	hidden := tool("forecast_raw", "Rain and wind, raw.", registry.VisibleTo(registry.Roles("admin")))
	reg.Namespace("weather.eu", "").Add(hidden)
	for _, ctx := range []context.Context{
		context.Background(), registry.WithCaller(context.Background(), &registry.Caller{ID: "x", Roles: []string{"admin"}}),
	} {
		for _, query := range []string{"", "orders", "list items", "about", "what customers buy", "rain", "forcast", "weather eu forecast", "update", "zzz"} {
			for _, limit := range []int{-1, 0, 1, 7, 1000} {
				want, got := reg.Search(ctx, query, limit), registry.Search(ctx, plain{reg}, "", query, limit)
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%q, at most %d:\n got %v\nwant %v", query, limit, got, want)
				}
			}
		}
	}
}

func TestSearchOfSourceThatFails(t *testing.T) {
	if got := registry.Search(context.Background(), plain{down{}}, "", "x", 5); got != nil {
		t.Errorf("found %v", got)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got := registry.Search(ctx, plain{uniform(5, 2)}, "", "items", 5); got != nil {
		t.Errorf("found %v after the context's end", got)
	}
}

type down struct{ registry.Source }

func (down) List(context.Context, string) (*registry.Listing, error) {
	return nil, errors.New("down")
}

func TestSearchLimit(t *testing.T) {
	reg := uniform(50, 5)
	ctx := context.Background()
	all := found(ctx, reg, "items", math.MaxInt)
	if len(all) != 50 {
		t.Fatalf("%d of 50 are found", len(all))
	}
	for _, limit := range []int{math.MinInt, -1, 0, 1, 49, 50, 51} {
		if got := found(ctx, reg, "items", limit); !slices.Equal(got, all[:min(max(limit, 0), 50)]) {
			t.Errorf("limit %d: %v", limit, got)
		}
	}
	matches := reg.Search(ctx, "items of orders", 50)
	for i, m := range matches {
		if !(m.Score > 0) || i > 0 && m.Score > matches[i-1].Score {
			t.Errorf("match %d has the score %v after %v", i, m.Score, matches[max(i-1, 0)].Score)
		}
	}
	for what, empty := range map[string]registry.Source{
		"empty registry": registry.New(nil), "namespaces only": withNamespace(), "hidden": registry.New(&registry.Options{VisibleTo: registry.Authenticated}),
	} {
		if got := found(ctx, empty, "items", 5); got != nil {
			t.Errorf("%s: found %v", what, got)
		}
	}
}

func withNamespace() *registry.Registry {
	reg := registry.New(nil)
	reg.Namespace("items", "Items.").AddSkill(registry.NewSkill("items", "", "Items."))
	return reg
}

// TestSearchAliases holds that aliases find, are copied with the function, and
// are no names to call it by.
func TestSearchAliases(t *testing.T) {
	reg := registry.New(nil)
	ctx := context.Background()
	aliases := []string{"dedupe people", "merge.duplicates", "名寄せ", ""}
	f := tool("merge", "Join two contacts.", registry.Aliases(aliases...))
	reg.Namespace("crm", "").Add(f, tool("dedupe_people_list", "Dedupe people: a list."))
	aliases[0] = "changed"
	for _, query := range []string{"dedupe people", "Dedupe_People", "merge duplicates", "名寄せ", "people who were deduped twice", "名寄せする"} {
		if got := found(ctx, reg, query, 2); !slices.Contains(got, "crm.merge") {
			t.Errorf("%q finds %v", query, got)
		}
	}
	if got := found(ctx, reg, "dedupe people", 1); !slices.Equal(got, []string{"crm.merge"}) {
		t.Errorf("an alias finds %v first", got)
	}
	if got := found(ctx, reg, "changed", 1); got != nil {
		t.Errorf("an alias that was changed after Add finds %v", got)
	}
	_, err := reg.Function(ctx, "crm", "dedupe_people")
	wantKind(t, err, registry.UnknownFunction)
}

// TestSearchParameters holds that parameters and their values find too.
func TestSearchParameters(t *testing.T) {
	type address struct {
		Postcode string `json:"postcode" jsonschema:"Where letters go."`
	}
	type in struct {
		Carrier string    `json:"carrier" cash:"enum=pigeon|airship"`
		Weight  float64   `json:"gross_weight" jsonschema:"In kilogrammes."`
		To      []address `json:"to"`
	}
	reg := registry.New(nil)
	ship := registry.Func("send", "Send.", func(context.Context, in) (string, error) { return "", nil })
	reg.Namespace("a", "").Add(ship, tool("other", "Something else."))
	for _, query := range []string{"carrier", "airship", "gross weight", "kilogramme", "postcode", "letters"} {
		if got := found(context.Background(), reg, query, 5); !slices.Equal(got, []string{"a.send"}) {
			t.Errorf("%q finds %v", query, got)
		}
	}
}

// TestSearchEffects holds that a question finds what only reads before what changes something, also after a function
// was replaced by one with another effect.
func TestSearchEffects(t *testing.T) {
	reg := registry.New(nil)
	declare := func(first, second registry.FuncOption) {
		tree := registry.New(nil)
		tree.Namespace("", "").Add(tool("labels_one", "Labels of an issue.", first), tool("labels_two", "Labels of an issue.", second))
		if err := reg.Replace("a", tree); err != nil {
			t.Fatal(err)
		}
	}
	declare(registry.ReadOnly, registry.Destructive(true))
	if got := found(t.Context(), reg, "which labels has the issue", 1); !slices.Equal(got, []string{"a.labels_one"}) {
		t.Errorf("found %v", got)
	}
	declare(registry.Idempotent(true), registry.ReadOnly)
	if got := found(t.Context(), reg, "which labels has the issue", 1); !slices.Equal(got, []string{"a.labels_two"}) {
		t.Errorf("after the change found %v", got)
	}
}

// TestSearchReadsOnlyWhatChanged holds that adding a function reads no other
// one again.
func TestSearchReadsOnlyWhatChanged(t *testing.T) {
	reg := uniform(200, 9)
	before := registry.SearchTexts(reg)
	reg.Namespace("orders", "").Add(tool("added", "Added later."))
	reg.Namespace("new.place", "Described.").Add(tool("added", "Added later."))
	reg.Namespace("order", "", registry.VisibleTo(registry.Authenticated))
	after := registry.SearchTexts(reg)
	if len(after) != len(before)+2 || after["orders.added"] == nil || after["new.place.added"] == nil {
		t.Errorf("%d texts, and %d before", len(after), len(before))
	}
	for path, text := range before {
		if after[path] != text {
			t.Errorf("%s was read again", path)
		}
	}
	// The same holds for who walks over the registry.
	registry.Search(context.Background(), plain{reg}, "", "items", 5)
	if !maps.Equal(registry.SearchTexts(reg), after) {
		t.Error("a walk reads functions again")
	}
}

// TestSearchWhileAdding searches while others add: what was added before the
// search is found by it.
func TestSearchWhileAdding(t *testing.T) {
	reg := registry.New(nil)
	ctx := context.Background()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 40 {
				name := fmt.Sprintf("tool_%d_%d", g, i)
				reg.Namespace(fmt.Sprintf("n%d", i%3), "").Add(tool(name, "Some tool."))
				want := []string{fmt.Sprintf("n%d.%s", i%3, name)}
				if got := found(ctx, reg, want[0], 1); !slices.Equal(got, want) {
					t.Errorf("%s finds %v", want[0], got)
					return
				}
			}
		})
	}
	wg.Go(func() {
		for range 100 {
			if got := found(ctx, reg, "tool", 5); len(got) > 5 {
				t.Errorf("found %v", got)
			}
		}
	})
	wg.Wait()
	if got := found(ctx, reg, "tool", 1000); len(got) != 160 {
		t.Errorf("%d of 160 are found", len(got))
	}
}
