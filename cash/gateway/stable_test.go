package gateway_test

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid/card"
)

// cardLines returns the lines of a response in cache-stable mode, and the ids on
// them.
func cardLines(t *testing.T, r *cashtest.Reply) (lines, ids []string) {
	t.Helper()
	text := r.OK().Raw.Content[0].(*mcp.TextContent).Text
	var cards []struct {
		ID    string
		Score *float64
		Kind  string
	}
	if err := json.Unmarshal([]byte(text), &cards); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	for _, c := range cards {
		if c.ID == gateway.Breakpoint && c.Kind != "internal" {
			t.Errorf("the marker is of kind %s", c.Kind)
		}
		ids = append(ids, c.ID)
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "[" && line != "]" {
			lines = append(lines, strings.TrimSuffix(line, ","))
		}
	}
	if len(lines) != len(cards) {
		t.Fatalf("%d cards in %d lines", len(cards), len(lines))
	}
	return lines, ids
}

// TestS5CacheStable holds W22: seen cards first, byte for byte as they were, then a
// marker if there is something on both sides, then the new ones; all by id.
func TestS5CacheStable(t *testing.T) {
	for _, l := range links {
		t.Run(l.String(), func(t *testing.T) {
			s := newShop()
			srv := gateway.NewServer(s, &gateway.Options{CacheStable: true})
			c := l.Connect(t, srv, named("ann"), nil)
			browse := func(args object) ([]string, []string) { return cardLines(t, c.Tool("tool_browse", args)) }

			first, ids := browse(object{"query": "cancel an order", "top_k": 2})
			if slices.Contains(ids, gateway.Breakpoint) || !slices.IsSorted(ids) || len(ids) == 0 {
				t.Errorf("S5.3: the first browse has %v", ids)
			}
			again, _ := browse(object{"query": "cancel an order", "top_k": 2})
			if !slices.Equal(first, again) {
				t.Errorf("S5.1: the same browse differs:\n%s\n%s", first, again)
			}
			// Other words have other scores, and the cards stay as they were.
			second, ids := browse(object{"path": "/orders"})
			i := slices.Index(ids, gateway.Breakpoint)
			if i != len(first) || !slices.Equal(second[:i], first) || !slices.IsSorted(ids[i+1:]) || i == len(ids)-1 {
				t.Errorf("S5.1: after %s come\n%s", first, second)
			}
			third, ids := browse(object{"path": "/orders"})
			if slices.Contains(ids, gateway.Breakpoint) || !slices.IsSorted(ids) || len(third) != len(second)-1 {
				t.Errorf("S5.3: all are seen: %v", ids)
			}
			if _, ids = browse(object{"path": "/stock"}); slices.Contains(ids, gateway.Breakpoint) {
				t.Errorf("S5.3: all are new: %v", ids)
			}
			// A tool that was executed has been seen, one that could not be hydrated not.
			ping := s.id(t, "ping")
			c.Tool("tool_execute", object{"tool_id": strings.Replace(ping, "ping", "pong", 1)})
			c.Tool("tool_execute", object{"tool_id": ping}).OK()
			if _, ids = browse(object{"query": "ping", "top_k": 1}); !slices.Equal(ids, []string{ping}) {
				t.Errorf("S5.5: %v", ids)
			}
			// Another caller begins anew.
			other := l.Connect(t, srv, named("bob"), nil)
			if _, ids := cardLines(t, other.Tool("tool_browse", object{"path": "/orders"})); slices.Contains(ids, gateway.Breakpoint) {
				t.Errorf("the scope of another caller: %v", ids)
			}
		})
	}
}

// TestS5Nobody holds that those who cannot be told from one another have no scope.
func TestS5Nobody(t *testing.T) {
	c := links[3].Connect(t, gateway.NewServer(newShop(), &gateway.Options{CacheStable: true}), nil, nil)
	for range 2 {
		cardLines(t, c.Tool("tool_browse", object{"path": "/stock"}))
		if _, ids := cardLines(t, c.Tool("tool_browse", object{"path": "/"})); slices.Contains(ids, gateway.Breakpoint) {
			t.Errorf("nobody has seen something: %v", ids)
		}
	}
}

// TestS52Scores holds that the order does not lose the scores.
func TestS52Scores(t *testing.T) {
	srv := gateway.NewServer(newShop(), &gateway.Options{CacheStable: true})
	plain := gateway.NewServer(newShop(), nil)
	want, err := plain.Browse(t.Context(), &gateway.BrowseRequest{Query: "orders"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := srv.Browse(as("ann"), &gateway.BrowseRequest{Query: "orders"})
	if err != nil {
		t.Fatal(err)
	}
	card.Sort(got)
	if !slices.EqualFunc(got, want, func(a, b card.ChoiceCard) bool { return a.ID == b.ID && a.Score == b.Score && a.Score > 0 }) {
		t.Errorf("scores %v, want %v", got, want)
	}
}

// TestS5Changed holds that a frozen card is not shown when what it says is no longer
// true, or when it is hidden from then on; and that a refresh forgets.
func TestS5Changed(t *testing.T) {
	seen := true
	build := func(about string) *registry.Registry {
		reg := registry.New(nil)
		f := registry.Func("one", about, nothing, registry.VisibleTo(func(context.Context, *registry.Caller) bool { return seen }))
		reg.Namespace("n", "").Add(f, registry.Func("two", "Stays.", nothing))
		return reg
	}
	reg := build("Reads.")
	srv := gateway.NewServer(reg, &gateway.Options{CacheStable: true})
	c := inMemory(t, srv, named("ann"))
	browse := func() ([]string, []string) { return cardLines(t, c.Tool("tool_browse", object{"path": "/n"})) }
	browse()
	if err := reg.Replace("", build("Erases everything.")); err != nil {
		t.Fatal(err)
	}
	lines, ids := browse()
	if !strings.Contains(strings.Join(lines, " "), "Erases everything.") || ids[1] != gateway.Breakpoint {
		t.Errorf("a card that is no longer true: %s", lines)
	}
	seen = false
	if _, ids := browse(); len(ids) != 1 {
		t.Errorf("a hidden card is shown: %v", ids)
	}
	if _, err := srv.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	seen = true
	if _, ids := browse(); slices.Contains(ids, gateway.Breakpoint) || len(ids) != 2 {
		t.Errorf("after a refresh: %v", ids)
	}
}

// TestS5More holds that further pages are said to be there, after the cards.
func TestS5More(t *testing.T) {
	c := inMemory(t, gateway.NewServer(tree(60, flat), &gateway.Options{CacheStable: true}), named("ann"))
	r := c.Tool("tool_browse", object{"path": "/store"})
	if cardLines(t, r); len(r.Raw.Content) != 2 || !strings.Contains(r.Text, "offset=50") {
		t.Errorf("the reply has %d blocks and ends with %s", len(r.Raw.Content), r.Text[len(r.Text)-60:])
	}
}

// TestS5Bounded holds that what is remembered for many callers is bounded: those
// who browsed first begin anew.
func TestS5Bounded(t *testing.T) {
	srv := gateway.NewServer(tree(1000, flat), &gateway.Options{CacheStable: true})
	known := func(who string) bool { // as the marker shows, which stands before new cards only
		cards, err := srv.Browse(as(who), &gateway.BrowseRequest{Path: "/store", TopK: 2, Offset: 0})
		if err != nil {
			t.Fatal(err)
		}
		more, err := srv.Browse(as(who), &gateway.BrowseRequest{Path: "/store", TopK: 3, Offset: 0})
		if err != nil {
			t.Fatal(err)
		}
		return len(cards) == 2 && !slices.ContainsFunc(more, func(c card.ChoiceCard) bool { return c.ID == gateway.Breakpoint })
	}
	for i := range 120 {
		for offset := 0; offset < 1000; offset += gateway.MaxTopK {
			if _, err := srv.Browse(as(strconv.Itoa(i)), &gateway.BrowseRequest{Path: "/store", TopK: gateway.MaxTopK, Offset: offset}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if known("0") {
		t.Error("the cards of all callers are kept")
	}
	if !known("119") {
		t.Error("the cards of the last caller are not kept")
	}
}
