package search_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/search"
)

// office is a library of everyday tools.
func office() *library {
	return newLibrary(
		doc("calendar.create_event", "Put an appointment on a calendar."),
		doc("calendar.list_events", "Show what is planned for a day."),
		doc("files.deleteFile", "Remove a file for good."),
		doc("files.read_file", "Return the contents of a file."),
		doc("files.searchFiles", "Find files by a pattern in their names."),
		doc("github.create_issue", "Open a ticket in a repository."),
		doc("github.GetHTTPStatus", "Ask a host for its answer."),
		doc("mail.send_message", "Write to one or more recipients."),
		doc("mail.archive_thread", "Put a conversation away, so that it leaves the inbox."),
		doc("weather.forecast", "Temperature, rain and wind of the next days."),
		doc("about", "What this server is."),
	)
}

func TestSearchFinds(t *testing.T) {
	l := office()
	for _, tt := range []struct{ what, query, want string }{
		{"name", "forecast", "weather.forecast"},
		{"path", "mail.archive_thread", "mail.archive_thread"},
		{"path with a space", "github create issue", "github.create_issue"},
		{"path with slashes", "github/create_issue", "github.create_issue"},
		{"path in other case", "GitHub.createIssue", "github.create_issue"},
		{"W21 snake case", "delete_file", "files.deleteFile"},
		{"W21 camel case", "createIssue", "github.create_issue"},
		{"W21 acronym", "http status", "github.GetHTTPStatus"},
		{"W21 kebab case", "get-http-status", "github.GetHTTPStatus"},
		{"upper case", "FORECAST", "weather.forecast"},
		{"sentence", "please tell me what the temperature will be", "weather.forecast"},
		{"stem of the query", "archiving conversations", "mail.archive_thread"},
		{"stem of the text", "recipient", "mail.send_message"},
		{"synonym", "erase a file", "files.deleteFile"},
		{"synonym of a name", "dispatch message", "mail.send_message"},
		{"one typo", "forcast", "weather.forecast"},
		{"one letter more", "tempperature", "weather.forecast"},
		{"two swapped", "clalendar event", "calendar.create_event"},
		{"two typos", "tenperatur", "weather.forecast"},
		{"typo in a form", "recipeints", "mail.send_message"},
		{"diacritics", "fórêcäst", "weather.forecast"},
		{"full width", "ｆｏｒｅｃａｓｔ", "weather.forecast"},
		{"only stop words", "about", "about"},
		{"namespace", "weather", "weather.forecast"},
		{"description", "inbox", "mail.archive_thread"},
	} {
		if got := l.first(tt.query); got != tt.want {
			t.Errorf("%s: %q finds %q first, want %q", tt.what, tt.query, got, tt.want)
		}
	}
}

func TestSearchFindsNothing(t *testing.T) {
	l := office()
	for what, query := range map[string]string{
		"nothing":                       "",
		"space":                         " \t\n",
		"punctuation":                   "?!... --- ()",
		"nonsense":                      "qqqqqq zzzzzz",
		"another script":                "蒸気機関車",
		"emoji":                         "🦖",
		"beginning of a word":           "fil",
		"typo in a short word":          "fyl",
		"two typos in a word of four":   "mxsl",
		"three typos in a word of many": "fxrxcxst",
		"stop words that no name has":   "what is this to you",
		"invalid bytes":                 "\xff\xfe\xfd",
		"marks":                         "\u0301\u0302",
	} {
		if got := l.find(query, 5); got != nil {
			t.Errorf("%s: %q finds %v", what, query, got)
		}
	}
}

// A word that carries no meaning finds what is called by it all the same.
func TestSearchStopWords(t *testing.T) {
	for word := range search.StopWords() {
		l := newLibrary(doc("tools."+word+"_page", "Read a page."), doc("tools.paint", "Something else."))
		if got := l.first(word); got != "tools."+word+"_page" {
			t.Errorf("%q finds %q", word, got)
		}
	}
	l := newLibrary(doc("a.weather", "Rain."), doc("a.about", "Who we are."))
	if got := l.find("please tell me about the weather", 5); !slices.Equal(got, []string{"a.weather"}) {
		t.Errorf("words without meaning find %v", got)
	}
}

// A query of words without meaning finds what they imply.
func TestSearchOnlyStopWords(t *testing.T) {
	l := newLibrary(doc("files.list", "The files."), doc("users.get_me", "The current user."))
	if got := l.find("who am I", 5); !slices.Equal(got, []string{"users.get_me"}) {
		t.Errorf("found %v", got)
	}
}

// Of texts that match alike, those with the effect that the query asks for are better.
func TestSearchEffects(t *testing.T) {
	read, write := doc("a.label", "The label of an issue."), doc("b.label", "The label of an issue.")
	read.Effect, write.Effect = search.Reads, search.Writes
	declared := newLibrary(read, write)
	named := newLibrary(doc("a.get_label", "The label of an issue."), doc("b.set_label", "The label of an issue."))
	for query, want := range map[string]string{
		"which label has the issue": "a", "how many labels has an issue": "a", "show me the label of an issue": "a",
		"creating a label of an issue": "b", "please remove the label": "b",
	} {
		for _, l := range []*library{declared, named} {
			if got := l.first(query); !strings.HasPrefix(got, want+".") {
				t.Errorf("%q finds %q", query, got)
			}
		}
	}
	for _, query := range []string{
		"label of an issue", "how do I label an issue", "which label was deleted", "find and delete a label", "who", "",
	} {
		if a, b := declared.score(query, "a.label"), declared.score(query, "b.label"); a != b {
			t.Errorf("%q: %v and %v", query, a, b)
		}
	}
}

// Synonyms go both ways, are stems, and count less than the word itself.
func TestSearchSynonyms(t *testing.T) {
	all := search.Synonyms()
	for stem, list := range all {
		for _, other := range list {
			if search.Stem(other) != other && len(search.Stem(other)) > len(other) {
				t.Errorf("the synonym %q is no stem", other)
			}
			if !slices.Contains(all[other], stem) {
				t.Errorf("%q stands for %q, but not the other way around", other, stem)
			}
		}
	}
	l := newLibrary(doc("a.delete_account", "One."), doc("a.erase_account", "Two."), doc("a.open_door", "Three."))
	if got := l.find("removing", 5); len(got) != 2 {
		t.Errorf("removing finds %v, want what deletes and erases", got)
	}
	if got := l.find("erasing", 5); !slices.Equal(got, []string{"a.erase_account", "a.delete_account"}) {
		t.Errorf("erasing finds %v, want the word itself before its synonym", got)
	}
	l = newLibrary(doc("a.one", "Delete, erase."), doc("a.two", "Delete, paint."), doc("a.three", "Wait."))
	if one, two := l.score("delete", "a.one"), l.score("delete", "a.two"); one != two {
		t.Errorf("with a synonym beside it a word counts %v, without %v", one, two)
	}
}

func TestSearchTypos(t *testing.T) {
	l := newLibrary(
		doc("a.subscription", "One."), doc("a.invoice", "Two."), doc("a.cats", "Three."),
		doc("a.cars", "Four."), doc("a.dog", "Five."), doc("a.größenänderung", "Six."))
	for query, want := range map[string]string{
		"subscripton":    "a.subscription", // one missing
		"subscirptoin":   "a.subscription", // two swapped, twice
		"subxscriptiion": "a.subscription",
		"sbscriptn":      "", // three
		"invoce":         "a.invoice",
		"inovice":        "a.invoice",
		"invce":          "",       // two in a word of five
		"cats":           "a.cats", // a word that is there is not taken for another
		"dogg":           "a.dog",
		"dg":             "",
		"dgo":            "", // three letters
		"grossenanderug": "a.größenänderung",
	} {
		if got := l.first(query); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	if got := l.find("cats", 5); !slices.Equal(got, []string{"a.cats"}) {
		t.Errorf("a word that is there finds %v", got)
	}
	if right, wrong := l.score("cheap invoice", "a.invoice"), l.score("cheap invoce", "a.invoice"); wrong >= right {
		t.Errorf("misspelt scores %v, spelt %v", wrong, right)
	}
}

// Of two names that a query hits, the one that it covers is better.
func TestSearchNameCoverage(t *testing.T) {
	l := newLibrary(
		doc("a.create_order_confirmation_letter", "X."), doc("b.create_order", "X."),
		doc("c.create_confirmation", "X."), doc("d.print_letter", "X."))
	if got := l.first("create an order"); got != "b.create_order" {
		t.Errorf("found %q", got)
	}
	if got := l.first("create the order confirmation letter"); got != "a.create_order_confirmation_letter" {
		t.Errorf("found %q", got)
	}
}

// A name that is the whole query is first, whatever else fits: path before
// name and alias.
func TestSearchExactNames(t *testing.T) {
	decoys := make([]search.Document, 50)
	for i := range decoys {
		decoys[i] = doc(fmt.Sprintf("ship.status_of_ship_%d", i), "Ship status status status, ship it, status of the ship.")
	}
	aliased := doc("harbour.berth", "Where it lies.")
	aliased.Aliases = []string{"ship/status", "Where Is My Boat?", "停泊"}
	docs := append(decoys, doc("fleet.ship_status", "Ship status: the status of a ship."), doc("ship.status", "X."), doc("status.ship", "X."), aliased)
	l := newLibrary(docs...)
	for query, want := range map[string]string{
		"ship.status":              "ship.status",
		"Ship/Status":              "ship.status",
		"ship status":              "ship.status",
		"ship:status":              "ship.status",
		"status.ship":              "status.ship",
		"fleet.ship_status":        "fleet.ship_status",
		"fleet shipStatus":         "fleet.ship_status",
		"where is my boat":         "harbour.berth",
		"WHERE-IS-MY-BOAT":         "harbour.berth",
		"停泊":                       "harbour.berth",
		"harbour.berth":            "harbour.berth",
		" ship.status_of_ship_7\n": "ship.status_of_ship_7",
	} {
		if got := l.first(query); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	// All that is called so comes before all that only fits.
	called := l.find("ship status", 4)
	slices.Sort(called[1:])
	if want := []string{"ship.status", "fleet.ship_status", "harbour.berth"}; !slices.Equal(called[:3], want) {
		t.Errorf("found %v, want %v first", called, want)
	}
}

// The last label of a dotted name is a name too.
func TestSearchDottedName(t *testing.T) {
	l := newLibrary(doc("orders.retail.eu.cancel", "X."), doc("orders.cancel_all", "Cancel cancel cancel."), doc("cancel.orders", "Cancel."))
	for _, query := range []string{"cancel", "retail.eu.cancel", "orders.retail.eu.cancel", "orders retail eu cancel", "orders/retail/eu/cancel"} {
		if got := l.first(query); got != "orders.retail.eu.cancel" {
			t.Errorf("%q finds %q", query, got)
		}
	}
}

// What a namespace says of itself helps all that is in it, and an alias helps
// also when it is not the whole query.
func TestSearchNamespaceText(t *testing.T) {
	docs := []search.Document{doc("crm.merge", "Join two records."), doc("crm.split", "Part a record."), doc("vcs.merge", "Join two branches.")}
	docs[1].Aliases = []string{"untangle people"}
	l := &library{docs: docs}
	for _, d := range docs {
		l.texts = append(l.texts, search.Read(d))
	}
	l.ix = search.Build(l.texts, groupsOf(docs, map[string]string{"crm": "Everything about customers.", "vcs": "Source control."}))
	if got := l.find("merge customers", 5); len(got) < 2 || got[0] != "crm.merge" {
		t.Errorf("found %v", got)
	}
	if got := l.find("customer", 5); !slices.Equal(got, []string{"crm.merge", "crm.split"}) {
		t.Errorf("found %v, want all of the namespace", got)
	}
	if got := l.first("untangle some records of people"); got != "crm.split" {
		t.Errorf("found %q by its alias", got)
	}
}

// Saying a word again counts, but never twice as much.
func TestSearchQuerySaturation(t *testing.T) {
	l := office()
	one := l.score("rain", "weather.forecast")
	for _, n := range []int{2, 3, 100} {
		got := l.score(strings.Repeat("rain ", n), "weather.forecast")
		if got <= one || got >= 2*one {
			t.Errorf("said %d times a word scores %v, once %v", n, got, one)
		}
	}
}

// What scores alike is in the order of paths, in whatever order it was added.
func TestSearchTies(t *testing.T) {
	docs := []search.Document{doc("d.beep", "Beep a horn."), doc("b.beep", "Beep a horn."), doc("c.beep", "Beep a horn."), doc("a.beep", "Beep a horn.")}
	want := []string{"a.beep", "b.beep", "c.beep", "d.beep"}
	for range 24 {
		docs = append(docs[1:], docs[0])
		if got := newLibrary(docs...).find("horn", 9); !slices.Equal(got, want) {
			t.Fatalf("found %v", got)
		}
		docs[0], docs[1] = docs[1], docs[0]
	}
	same := newLibrary(docs[0], docs[0], docs[0])
	if got := same.ix.Search(search.Query{Text: "horn", Limit: 2}); got[0].Text != 0 || got[1].Text != 1 {
		t.Errorf("of equal documents %v is found", got)
	}
}

// The same query has the same answer, also for many at once.
func TestSearchIsStable(t *testing.T) {
	l := office()
	queries := []string{"file", "creaet an event", "show me the issues", "mail", "天气", "delete.file"}
	visible := search.NewSet(len(l.docs))
	visible.AddRange(2, 9)
	ask := func(query string, v *search.Set) []search.Hit {
		return l.ix.Search(search.Query{Text: query, Limit: 10, Visible: v})
	}
	var want [][]search.Hit
	for _, q := range queries {
		want = append(want, ask(q, nil), ask(q, visible))
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 100 * len(want) {
				i %= len(want)
				v := []*search.Set{nil, visible}[i%2]
				if got := ask(queries[i/2], v); !reflect.DeepEqual(got, want[i]) {
					t.Errorf("%q: %v, and %v before", queries[i/2], got, want[i])
					return
				}
			}
		})
	}
	wg.Wait()
}

// Hits that are worth next to nothing beside the best are left out.
func TestSearchFloor(t *testing.T) {
	docs := []search.Document{doc("z.rare_name", "Rare words in a row.")}
	for i := range 300 {
		docs = append(docs, doc(fmt.Sprintf("z.tool_%d", i), "Some common words that fill the place of others, and again at length: "+strings.Repeat("filler ", 40)))
	}
	l := newLibrary(docs...)
	if got := l.find("rare name row words", 400); !slices.Equal(got, []string{"z.rare_name"}) {
		t.Errorf("%d are found, want one", len(got))
	}
	if got := l.find("words", 400); len(got) != 301 {
		t.Errorf("%d are found, want all", len(got))
	}
}

// TestSearchFirstOfMany holds that the best few of many texts are the first of all: what is left out on the way cannot
// be among them.
func TestSearchFirstOfMany(t *testing.T) {
	const n = 2000
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 3))
		docs := randomDocs(r, n)
		for i := range docs {
			docs[i].Effect, docs[i].Deprecated = search.Effect(r.IntN(3)), r.IntN(5) == 0
		}
		l := newLibrary(docs...)
		most := search.NewSet(n)
		most.AddRange(0, n-int(seed))
		for range 100 {
			q := search.Query{Text: randomQuery(r), Limit: n, Visible: most}
			all := l.ix.Search(q)
			for _, q.Limit = range []int{1, 10, 60, 500} {
				if got := l.ix.Search(q); !slices.Equal(got, all[:min(q.Limit, len(all))]) {
					t.Fatalf("seed %d, the first %d for %q:\n got %v\nwant %v", seed, q.Limit, q.Text, got, all[:min(q.Limit, len(all))])
				}
			}
		}
	}
}

// A smaller limit finds the first of what a larger one does.
func TestSearchLimits(t *testing.T) {
	docs := make([]search.Document, 1000)
	for i := range docs {
		docs[i] = doc(fmt.Sprintf("n%d.item_%d", i%7, i), "An item"+strings.Repeat(" item", i%11)+".")
	}
	l := newLibrary(docs...)
	for _, limit := range []int{math.MinInt, -1, 0} {
		if got := l.find("item", limit); got != nil {
			t.Errorf("limit %d: %d are found", limit, len(got))
		}
	}
	all := l.find("item", math.MaxInt)
	if len(all) != len(docs) {
		t.Fatalf("%d are found of %d", len(all), len(docs))
	}
	for _, limit := range []int{1, 2, 49, 50, 51, 99, 100, 101, 255, 256, 257, 700, 999, 1000, 1001, math.MaxInt - 1} {
		if got := l.find("item", limit); !slices.Equal(got, all[:min(limit, len(all))]) {
			t.Errorf("limit %d: not the first of all", limit)
		}
	}
}

// A single character of a script that is read in pairs finds those with it.
func TestSearchSingleCharacter(t *testing.T) {
	l := newLibrary(doc("a.find", "搜索文件"), doc("a.rain", "天气预报"))
	for query, want := range map[string]string{"搜": "a.find", "件": "a.find", "报": "a.rain", "报 搜索": "a.find"} {
		if got := l.first(query); got != want {
			t.Errorf("%q finds %q first, want %q", query, got, want)
		}
	}
	if got := l.find("犬", 5); got != nil {
		t.Errorf("a character that no text has finds %v", got)
	}
}

// Marks that are often left out, and what cannot be seen, make no difference.
func TestSearchOptionalMarks(t *testing.T) {
	l := newLibrary(doc("a.one", "delete مرحبا שלום Ménage"), doc("a.two", "nothing of that"))
	for _, query := range []string{"de\u00adlete", "del\u2060ete", "مَرْحَبًا", "مرحبــا", "שָׁלוֹם", "menage", "Me\u0301nage", "ＭＥＮＡＧＥ"} {
		if got := l.find(query, 5); !slices.Equal(got, []string{"a.one"}) {
			t.Errorf("%q finds %v", query, got)
		}
	}
}

// In a word of four letters one other letter makes another word.
func TestSearchTyposInShortWords(t *testing.T) {
	l := newLibrary(doc("a.mail", "One."), doc("a.flüge", "Two."))
	for query, want := range map[string]string{"mial": "a.mail", "Flug": "a.flüge", "maul": "", "mall": "", "flog": ""} {
		if got := l.first(query); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}

// A whole name does not push out what is found by words.
func TestSearchFloorBesideName(t *testing.T) {
	l := newLibrary(doc("a.order_list", "One."), doc("b.list_of_all_orders", "Two."), doc("b.order", "Three."), doc("b.cats", "Four."))
	if got := l.find("order list", 5); len(got) != 3 || got[0] != "a.order_list" {
		t.Errorf("found %v", got)
	}
}
