package search_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/search"
)

// numbered returns n different words made of a format.
func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// randomText returns about n bytes that were drawn by lot.
func randomText(n int) string {
	r := rand.New(rand.NewPCG(uint64(n), 3))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return string(b)
}

// hostileTexts are long, and of the worst kinds.
var hostileTexts = map[string]string{
	"one letter":       strings.Repeat("a", 1<<20),
	"capitals":         strings.Repeat("aB", 1<<19),
	"spaces":           strings.Repeat(" ", 1<<20),
	"letters":          strings.Repeat("a ", 1<<19),
	"different words":  numbered("word%d ", 100_000),
	"misspelt words":   numbered("forecs%d ", 100_000),
	"CJK":              strings.Repeat("天气预报漢字", 1<<16),
	"Hangul":           strings.Repeat("날씨 한국어", 1<<16),
	"combining marks":  "a" + strings.Repeat("\u0301", 1<<19),
	"marks and no end": strings.Repeat("a\u0301\u0316", 1<<18),
	"vowel signs":      "क" + strings.Repeat("\u093f", 1<<18),
	"compatibility":    strings.Repeat("\uFDFA", 1<<18), // each is 18 characters
	"squared":          strings.Repeat("㌖", 1<<18),      // and this one six
	"emoji":            strings.Repeat("👨\u200d👩🏽", 1<<16),
	"invalid bytes":    strings.Repeat("\xff\xc0", 1<<19),
	"random bytes":     randomText(1 << 20),
	"zeros":            strings.Repeat("\x00", 1<<20),
}

// A query of a megabyte is that of its first 4 KiB, in answer and in work.
func TestHugeQueries(t *testing.T) {
	docs := randomDocs(rand.New(rand.NewPCG(9, 9)), 200)
	docs = append(docs, doc("weather.forecast", "天气预报"), doc("a.a", "a"))
	l := newLibrary(docs...)
	for what, text := range hostileTexts {
		query := search.Query{Text: text, Limit: 20}
		short := search.Query{Text: strings.ToValidUTF8(text[:search.MaxQuery], " "), Limit: 20}
		hits := l.ix.Search(query)
		checkHits(t, docs, query, hits)
		if what != "random bytes" && what != "invalid bytes" && !slices.Equal(hits, l.ix.Search(short)) {
			t.Errorf("%s: the answer is not that of the first 4 KiB", what)
		}
		// Work is seen in allocations: a search that read on would have many more.
		work := testing.AllocsPerRun(3, func() { l.ix.Search(query) })
		bound := testing.AllocsPerRun(3, func() { l.ix.Search(short) })
		if work > bound+20 {
			t.Errorf("%s: %v allocations, and %v for 4 KiB", what, work, bound)
		}
	}
}

// Of a query the first 64 words count.
func TestManyWords(t *testing.T) {
	l := newLibrary(doc("a.first", "X."), doc("a.last", "Y."), doc("a.other", "Z."))
	query := "first " + numbered("q%d ", search.MaxQueryTerms-1) + "last"
	if got := l.find(query, 5); !slices.Equal(got, []string{"a.first"}) {
		t.Errorf("found %v", got)
	}
	// The same word again is not a further one.
	if got := l.find(strings.Repeat("paint ", search.MaxQueryTerms)+"last", 5); !slices.Equal(got, []string{"a.last"}) {
		t.Errorf("found %v", got)
	}
}

func TestHostileDocuments(t *testing.T) {
	large(t)
	aliases := make([]string, 10_000)
	for i := range aliases {
		aliases[i] = fmt.Sprintf("alias %d", i)
	}
	docs := []search.Document{doc("weather.forecast", "Rain."), doc("orders.create", "An order.")}
	for what, text := range hostileTexts {
		docs = append(docs,
			doc("hostile.describes_"+strings.ReplaceAll(what, " ", "_"), text),
			search.Document{Namespace: "hostile", Name: text, Description: what},
			search.Document{Namespace: text, Name: "n", ParamNames: []string{text, text}, ParamTexts: []string{text}, Aliases: []string{text, text}})
	}
	docs = append(docs, search.Document{Namespace: "named", Name: "often", Aliases: aliases})
	l := newLibrary(docs...)
	for query, want := range map[string]string{
		"weather.forecast":                  "weather.forecast",
		"orders create":                     "orders.create",
		"rain":                              "weather.forecast",
		"alias 9999":                        "named.often",
		"named.often":                       "named.often",
		"hostile.describes_different_words": "hostile.describes_different_words",
	} {
		if got := l.first(query); got != want {
			t.Errorf("%q finds %.60q", query, got)
		}
	}
	for what, text := range hostileTexts {
		query := search.Query{Text: text, Limit: 1000}
		hits := l.ix.Search(query)
		checkHits(t, docs, query, hits)
		if len(hits) == 0 && len(search.Pieces(text[:64])) > 0 {
			t.Errorf("%s: finds nothing, though a text begins so", what)
		}
	}
}

// Of a document 32 KiB and 1,000 words count, and its name comes before its
// description.
func TestDocumentLimits(t *testing.T) {
	for what, text := range map[string]string{
		"bytes": strings.Repeat("filler ", search.MaxText/7) + "zebra",
		"words": numbered("w%d ", search.MaxWords) + "zebra",
	} {
		l := newLibrary(doc("a.report", text), doc("a.paint", "X."))
		if got := l.find("zebra", 5); got != nil {
			t.Errorf("%s: %v is found by a word beyond the limit", what, got)
		}
		if got := l.first("report"); got != "a.report" {
			t.Errorf("%s: %q is found by its name", what, got)
		}
	}
	one := strings.Repeat("x", 1<<16)
	l := newLibrary(doc("a.long", one), doc("a.paint", "X."))
	if got := l.first(one); got != "a.long" {
		t.Errorf("a word of 64 KiB finds %q", got)
	}
}

func TestEmptyIndexes(t *testing.T) {
	empty := search.Read(search.Document{})
	one := search.Read(doc("a.one", "One."))
	for what, ix := range map[string]*search.Index{
		"no texts":             search.Build(nil, nil),
		"empty group":          search.Build(nil, []search.Group{{Text: one}}),
		"empty text":           search.Build([]*search.Text{empty}, nil),
		"empty text and group": search.Build([]*search.Text{empty}, []search.Group{{Text: empty, End: 1}}),
		"empty texts":          search.Build([]*search.Text{empty, empty, empty}, []search.Group{{Text: empty, First: 1, End: 2}}),
	} {
		for _, query := range []string{"", " ", "one", "a.one", "天", "onee"} {
			if hits := ix.Search(search.Query{Text: query, Limit: 5}); hits != nil {
				t.Errorf("%s: %q finds %v", what, query, hits)
			}
		}
	}
}

func TestIndexOfOne(t *testing.T) {
	one := search.Read(doc("orders.create", "Make an order of things."))
	for what, groups := range map[string][]search.Group{
		"no groups":    nil,
		"a group":      {{Text: search.Read(doc("orders", "Buying.")), End: 1}},
		"empty groups": {{Text: search.Read(doc("x", "Buying."))}, {Text: search.Read(doc("orders", "Buying.")), End: 1}, {Text: one, First: 1, End: 1}},
	} {
		ix := search.Build([]*search.Text{one}, groups)
		for _, query := range []string{"create", "orders.create", "ordres", "thing", "make", "add"} {
			hits := ix.Search(search.Query{Text: query, Limit: 5})
			if len(hits) != 1 || hits[0].Text != 0 {
				t.Errorf("%s: %q finds %v", what, query, hits)
			}
		}
		none := search.NewSet(1)
		if hits := ix.Search(search.Query{Text: "orders.create", Limit: 5, Visible: none}); hits != nil {
			t.Errorf("%s: who sees nothing finds %v", what, hits)
		}
		if hits := ix.Search(search.Query{Text: "nothing", Limit: 5}); hits != nil {
			t.Errorf("%s: nothing finds %v", what, hits)
		}
	}
}

// Texts that are in no group are found beside those that are.
func TestSomeGroups(t *testing.T) {
	texts := []*search.Text{
		search.Read(doc("a.create_order", "X.")), search.Read(doc("b.create_invoice", "X.")),
		search.Read(doc("c.create_user", "X.")), search.Read(doc("d.create_team", "X.")),
	}
	ix := search.Build(texts, []search.Group{
		{Text: search.Read(doc("b", "Money.")), First: 1, End: 2}, {Text: search.Read(doc("c", "People.")), First: 2, End: 3}})
	for query, want := range map[string]int{"order": 0, "money": 1, "people": 2, "team": 3} {
		if hits := ix.Search(search.Query{Text: query, Limit: 5}); len(hits) != 1 || hits[0].Text != want {
			t.Errorf("%q finds %v, want text %d", query, hits, want)
		}
	}
	if hits := ix.Search(search.Query{Text: "create", Limit: 5}); len(hits) != 4 {
		t.Errorf("create finds %v, want all", hits)
	}
}

// Nearness in meaning adds to words, and finds by itself what is very near.
func TestNear(t *testing.T) {
	l := newLibrary(doc("a.refund", "Pay back."), doc("a.cancel", "Call off."), doc("a.paint", "Colour."))
	ask := func(text string, near ...float32) []search.Hit {
		return l.ix.Search(search.Query{Text: text, Limit: 5, Near: near})
	}
	if hits := ask("reimbursement zzzz", 0.9, 0.1, -1); len(hits) != 1 || hits[0].Text != 0 {
		t.Errorf("by meaning %v is found", hits)
	}
	if hits := ask("colour", 0.9, 0.2, 0); len(hits) != 2 || hits[0].Text != 2 || hits[1].Text != 0 {
		t.Errorf("a word and meaning find %v", hits)
	}
	if hits := ask("refund", 0, 1, 1); hits[0].Text != 0 {
		t.Errorf("a name finds %v first", hits[0])
	}
	plain := l.ix.Search(search.Query{Text: "pay", Limit: 5})
	if hits := ask("pay", 0, 0, 0); len(hits) != len(plain) || hits[0].Text != plain[0].Text {
		t.Errorf("with meaning that says nothing %v is found, without %v", hits, plain)
	}
	hidden := search.NewSet(3)
	hidden.Add(1)
	if hits := l.ix.Search(search.Query{Text: "refund", Limit: 5, Near: []float32{1, 0, 1}, Visible: hidden}); hits != nil {
		t.Errorf("what is hidden is found by meaning: %v", hits)
	}
}
