package search_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/search"
)

// A family of tools that match alike does not fill the first places if another tool is nearly as good.
func TestVariedNames(t *testing.T) {
	var docs []search.Document
	for _, owner := range []string{"org", "team", "repo", "group", "fleet", "branch", "region"} {
		docs = append(docs, doc("desk.put_away_in_"+owner, "Archive a letter from some old dusty heap behind wooden doors."))
	}
	docs = append(docs, doc("shelf.stow", "Archive a letter from some old dusty heap behind wooden doors."), doc("mail.send", "Write to people."))
	for i := range 200 {
		docs = append(docs, doc(fmt.Sprintf("ledger.page%d", i), "Keep the numbers of a business that sells ten things each week."))
	}
	l := newLibrary(docs...)
	if found := l.find("archive letters", 3); !slices.Contains(found, "shelf.stow") {
		t.Errorf("only one family is found: %q", found)
	}
}

// Many hits of one name stay in order, also behind those that may change places.
func TestVariedOrder(t *testing.T) {
	var docs []search.Document
	for i := range 120 {
		docs = append(docs, doc(fmt.Sprintf("%s.list_orders_%d", []string{"crm", "shop"}[i%2], i), []string{"", "Orders."}[i/7%2]))
	}
	l := newLibrary(docs...)
	all := l.ix.Search(search.Query{Text: "list orders", Limit: 120})
	if len(all) != 120 {
		t.Fatalf("%d hits", len(all))
	}
	checkHits(t, docs, search.Query{Text: "list orders", Limit: 120}, all)
	for _, limit := range []int{1, 5, 49, 50, 51, 119} {
		if few := l.ix.Search(search.Query{Text: "list orders", Limit: limit}); !slices.Equal(few, all[:limit]) {
			t.Errorf("limit %d finds others than the first of all", limit)
		}
	}
}

// All hits whose whole name is the query come before others.
func TestVariedWholeNames(t *testing.T) {
	docs := []search.Document{doc("a.createorder", "Purchase things."), doc("b.createorder", "Purchase things."),
		doc("c.create_order_now", "Create an order, to create the order.")}
	for i := range 5000 {
		docs = append(docs, doc(fmt.Sprintf("z.other%d", i), "Something else."))
	}
	if found := newLibrary(docs...).find("create order", 2); !slices.Equal(found, []string{"a.createorder", "b.createorder"}) {
		t.Errorf("first are %q", found)
	}
}

func TestRoots(t *testing.T) {
	for word, want := range map[string]string{
		"reviewer": "review", "assignee": "assign", "reaction": "react", "contributor": "contribut", "scanner": "scan",
		"creation": "creat", "discussion": "discuss", "order": "order", "action": "action", "user": "user", "seller": "sell",
		"session": "sess", "e": "e", "or": "or", "": "", "заказ": "заказ",
	} {
		if got := search.Root(search.Stem(word)); got != want {
			t.Errorf("the root of %q is %q, want %q", word, got, want)
		}
	}
}

// What a query means beside its words: other forms, pronouns, the beginning of a description.
func TestSearchUnderstands(t *testing.T) {
	l := newLibrary(
		doc("issues.add_assignees", "Put names on a ticket."),
		doc("pulls.review", "Say what is good and bad."),
		doc("teams.crew", "List the members of a team."),
		doc("teams.history", "List the past of a team."),
		doc("profile.get", "Get the current account."),
		doc("profile.find", "Get an account by number."),
		doc("a.one", "Paints walls. It also mends roofs."),
		doc("z.two", "Mends roofs. It also paints walls."),
	)
	for query, want := range map[string]string{
		"assign a ticket":    "issues.add_assignees",
		"the reviewers":      "pulls.review",
		"who is in the team": "teams.crew",
		"get my account":     "profile.get",
		"mend the roof":      "z.two",
		"paint the wall":     "a.one",
	} {
		if got := l.first(query); got != want {
			t.Errorf("%q finds %q first, want %q", query, got, want)
		}
	}
}
