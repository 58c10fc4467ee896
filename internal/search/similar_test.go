package search_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/search"
)

func TestSimilar(t *testing.T) {
	names := []string{"create_order", "list_orders", "refund", "deleteUser", "get_http_status", "ship", "größe", "x1", "x2"}
	for _, tt := range []struct{ what, name, want string }{
		{"missing letter", "create_ordr", "create_order"},
		{"swapped letters", "craete_order", "create_order"},
		{"two typos", "cretae_ordre", "create_order"},
		{"case and separators", "CreateOrder", "create_order"},
		{"plural", "create_orders", "create_order"},
		{"other order", "orders_list", "list_orders"},
		{"synonym", "remove_user", "deleteUser"},
		{"synonyms in another order", "customers_user_delete", "deleteUser"},
		{"a word more", "http_status", "get_http_status"},
		{"a word less", "refund_order_now", "refund"},
		{"short", "shp", "ship"},
		{"diacritics", "grosse", "größe"},
		{"nothing", "", ""},
		{"punctuation", "--__", ""},
		{"unlike", "paint_wall", ""},
		{"too short to guess", "x3", ""},
		{"hostile", "\x00\xff`\"\n", ""},
	} {
		got := search.Similar(tt.name, names, 3)
		if tt.want == "" && got != nil || tt.want != "" && (len(got) == 0 || got[0] != tt.want) {
			t.Errorf("%s: %q is taken for %v, want %q", tt.what, tt.name, got, tt.want)
		}
	}
}

// Those within a typo or two come first and leave out the others; without any,
// the same words in another order or in other words.
func TestSimilarOrder(t *testing.T) {
	names := []string{"order_list", "lists_order", "list_order", "enumerate_orders", "list", "zebra"}
	for name, want := range map[string][]string{
		"list_orders":      {"list_order", "lists_order"},
		"orders_items":     nil,
		"items_order":      nil,
		"orders_enumerate": {"enumerate_orders", "list_order", "lists_order", "order_list", "list"},
	} {
		for range 20 {
			rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
			if got := search.Similar(name, names, math.MaxInt); !slices.Equal(got, want) {
				t.Fatalf("%q: got %v, want %v", name, got, want)
			}
			for n := range want {
				if got := search.Similar(name, names, n); !slices.Equal(got, want[:n]) {
					t.Errorf("%q, limit %d: got %v", name, n, got)
				}
			}
		}
	}
	if got := search.Similar("list", names, -1); got != nil {
		t.Errorf("limit -1: got %v", got)
	}
}

// Long names and many of them are compared by their beginning.
func TestSimilarHostile(t *testing.T) {
	many := make([]string, 10_000)
	for i := range many {
		many[i] = fmt.Sprintf("tool_number_%d", i)
	}
	for what, text := range hostileTexts {
		if got := search.Similar(text, many, 3); len(got) > 0 {
			t.Errorf("%s: taken for %v", what, got)
		}
		if got := search.Similar("tool_nubmer_7", []string{text, "tool_number_7", text + "x"}, 3); !slices.Equal(got, []string{"tool_number_7"}) {
			t.Errorf("%s among the candidates: %.80q", what, got)
		}
		work := testing.AllocsPerRun(1, func() { search.Similar(text, []string{text}, 1) })
		if work > 2000 {
			t.Errorf("%s: %v allocations", what, work)
		}
	}
}

func FuzzSimilar(f *testing.F) {
	for _, s := range [][2]string{{"craete_order", "create_order"}, {"天气", "天気"}, {"", "\xff"}, {"GitHub", "git_hub"}, {"a a a", "a"}, {"ß", "ss"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, name, other string) {
		candidates := []string{other, "create_order", "list orders", "天气预报"}
		got := search.Similar(name, candidates, 3)
		if len(got) > 3 {
			t.Fatalf("%q: %d names", name, len(got))
		}
		for _, g := range got {
			if !slices.Contains(candidates, g) {
				t.Fatalf("%q is taken for %q, which is none of %q", name, g, candidates)
			}
		}
		slices.Reverse(candidates)
		if again := search.Similar(name, candidates, 3); !slices.Equal(again, got) {
			t.Fatalf("%q: %q, and %q in another order", name, got, again)
		}
		// Separators have no meaning.
		if len(name) < 100 && len(search.Pieces(name)) > 0 && search.Similar(name+"_", []string{name}, 1) == nil {
			t.Fatalf("%q is not taken for %q", name+"_", name)
		}
	})
}
