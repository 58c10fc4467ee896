package search_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/search"
)

// vocabulary is what random documents and queries are made of: everyday words,
// many that are a typo apart, other scripts, words without meaning.
var vocabulary = strings.Fields(`create delete list get update search order orders invoice customer account report
	file folder message issue weather train brain drain grain trains rains band bend bind bond bund sand send
	review reviewer assign assignee react reaction who my user member authenticated current
	the of to please GetHTTPStatus GitHub github orderId v2 naïve naive straße 天气 天气预报 气象 预报 データ サーバー
	날씨 한국어 погода чай หมายเลข मौसम طقس 🚀 👍🏽`)

func randomWords(r *rand.Rand, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = vocabulary[r.IntN(len(vocabulary))]
	}
	return list
}

// randomDocs returns n documents with different paths, ordered by namespace.
func randomDocs(r *rand.Rand, n int) []search.Document {
	docs := make([]search.Document, n)
	for i := range docs {
		docs[i] = search.Document{
			Namespace:   []string{"", "crm", "Order_Mgmt", "orders"}[r.IntN(4)],
			Name:        strings.Join(append(randomWords(r, 1+r.IntN(3)), fmt.Sprint(i)), []string{"_", ".", ""}[r.IntN(3)]),
			Description: strings.Join(randomWords(r, r.IntN(9)), []string{" ", ". "}[r.IntN(2)]),
			ParamNames:  randomWords(r, r.IntN(3)),
			ParamTexts:  randomWords(r, r.IntN(5)),
			Aliases:     randomWords(r, r.IntN(6)/5),
		}
	}
	slices.SortStableFunc(docs, func(a, b search.Document) int { return strings.Compare(a.Namespace, b.Namespace) })
	return docs
}

// randomQuery returns some words, of which any may be misspelt.
func randomQuery(r *rand.Rand) string {
	list := randomWords(r, 1+r.IntN(4))
	for i, w := range list {
		if c := []rune(w); r.IntN(3) == 0 {
			at := r.IntN(len(c))
			c[at] = []rune("aeiountx气の")[r.IntN(10)]
			list[i] = string(c)
		}
	}
	return strings.Join(list, []string{" ", "_", "."}[r.IntN(3)])
}

var groupTexts = map[string]string{"crm": "Everything about a customer, weather or not.", "orders": "Orders and invoices; rain."}

// TestHiddenHasNoInfluence is the property behind hidden being the same as
// absent (R54): a caller who sees some of the texts finds what an index of those
// alone has, in the same order and with the same scores.
func TestHiddenHasNoInfluence(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		docs := randomDocs(r, 1+r.IntN(80))
		texts := make([]*search.Text, len(docs))
		for i, d := range docs {
			texts[i] = search.Read(d)
		}
		all := search.Build(texts, groupsOf(docs, groupTexts))
		for range 3 {
			visible := search.NewSet(len(docs))
			var shown []*search.Text
			var shownDocs []search.Document
			var at []int
			share := r.IntN(5) // from none to all
			for i := range docs {
				if r.IntN(4) < share {
					visible.Add(i)
					shown, shownDocs, at = append(shown, texts[i]), append(shownDocs, docs[i]), append(at, i)
				}
			}
			only := search.Build(shown, groupsOf(shownDocs, groupTexts))
			for range 30 {
				query, limit := randomQuery(r), 1+r.IntN(30)
				want := only.Search(search.Query{Text: query, Limit: limit})
				for i := range want {
					want[i].Text = at[want[i].Text]
				}
				if got := all.Search(search.Query{Text: query, Limit: limit, Visible: visible}); !slices.Equal(got, want) {
					t.Fatalf("seed %d, %q among %d of %d:\n got %v\nwant %v", seed, query, visible.Len(), len(docs), got, want)
				}
			}
		}
	}
}

// Many sets of texts in turn do not get into each other's way, and what one
// has remembered holds for the set and not for who made it.
func TestManyCallers(t *testing.T) {
	docs := randomDocs(rand.New(rand.NewPCG(5, 5)), 60)
	l := newLibrary(docs...)
	sets := make([]*search.Set, 20)
	var want [][]search.Hit
	for i := range sets {
		sets[i] = search.NewSet(len(docs))
		sets[i].AddRange(i, 60-i)
		want = append(want, l.ix.Search(search.Query{Text: "list orders and tains", Limit: 60, Visible: sets[i]}))
		for _, h := range want[i] {
			if !sets[i].Has(h.Text) {
				t.Fatalf("a hidden text is found: %v", h)
			}
		}
	}
	for n := range 200 {
		i := n * 7 % len(sets)
		same := search.NewSet(len(docs))
		same.AddRange(i, 60-i)
		if got := l.ix.Search(search.Query{Text: "list orders and tains", Limit: 60, Visible: same}); !slices.Equal(got, want[i]) {
			t.Fatalf("set %d: %v, and %v before", i, got, want[i])
		}
	}
}

// TestFoundByPath is W7 for random documents: each is first for its own path.
func TestFoundByPath(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		l := newLibrary(randomDocs(r, 1+r.IntN(120))...)
		for _, d := range l.docs {
			if got := l.first(path(d)); got != path(d) {
				t.Fatalf("W7: seed %d: %q finds %q", seed, path(d), got)
			}
		}
	}
}

// checkHits holds what is true of the answer to any query.
func checkHits(t *testing.T, docs []search.Document, q search.Query, hits []search.Hit) {
	t.Helper()
	if len(hits) > max(q.Limit, 0) {
		t.Fatalf("%.80q: %d hits, limit %d", q.Text, len(hits), q.Limit)
	}
	seen := make(map[int]bool)
	for i, h := range hits {
		switch {
		case h.Text < 0 || h.Text >= len(docs) || seen[h.Text] || !q.Visible.Has(h.Text):
			t.Fatalf("%.80q: hit %v is none, or was there before", q.Text, h)
		case !(h.Score > 0):
			t.Fatalf("%.80q: hit %v has no score", q.Text, h)
		case i > 0 && h.Score > hits[i-1].Score,
			i > 0 && h.Score == hits[i-1].Score && path(docs[h.Text]) < path(docs[hits[i-1].Text]):
			t.Fatalf("%.80q: hits %v and %v are out of order", q.Text, hits[i-1], h)
		}
		seen[h.Text] = true
	}
}

func FuzzSearch(f *testing.F) {
	for _, s := range []string{"", "create order", "GitHub", "天气预报", "rain_7", "crm.list", "\xff", "trian 🚀", "please", "\u0301", "\uFDFA"} {
		f.Add(s, 5, uint64(3))
	}
	docs := randomDocs(rand.New(rand.NewPCG(1, 1)), 60)
	l := newLibrary(docs...)
	f.Fuzz(func(t *testing.T, text string, limit int, visible uint64) {
		q := search.Query{Text: text, Limit: limit}
		if visible != 0 {
			q.Visible = search.NewSet(len(docs))
			for i := range docs {
				if visible>>i&1 == 1 {
					q.Visible.Add(i)
				}
			}
		}
		hits := l.ix.Search(q)
		checkHits(t, docs, q, hits)
		if q.Limit > 1 {
			q.Limit /= 2
			if fewer := l.ix.Search(q); !slices.Equal(fewer, hits[:min(q.Limit, len(hits))]) {
				t.Fatalf("%q: limit %d finds %v, the first of %v", text, q.Limit, fewer, hits)
			}
		}
	})
}
