package cashtest

import (
	"testing"
	"unicode/utf8"
)

// A Budget is the most that a server may cost a model, in characters, or in
// whatever Unit counts. A zero field is not checked.
type Budget struct {
	Tools        int // the tools of tools/list, as JSON
	Instructions int // what the server says when a client connects
	Index        int // help()
	Namespace    int // help(namespace), each
	Function     int // help(namespace, function), each
	Skills       int // skill()
	// Unit measures a text. For the tokens of a model, call the Count method of a
	// counter of toolid/card, such as card.Encoding("o200k_base"), with
	// math.MaxInt. Nil counts characters.
	Unit func(text string) int
}

// Check reports everything that costs more than b allows. It reads all pages
// of help, at most 500 of lists and as many of functions; more fail.
func (b Budget) Check(t testing.TB, c *Client) {
	t.Helper()
	b.check(t, c.with(t))
}

func (b Budget) check(t reporter, c *Client) {
	t.Helper()
	b.within(t, "tools/list", toJSON(c.Tools()), b.Tools)
	b.within(t, "instructions", c.Session.InitializeResult().Instructions, b.Instructions)
	if b.Skills > 0 {
		b.within(t, "skill()", c.Skill("", "").Text, b.Skills)
	}
	if b.Index == 0 && b.Namespace == 0 && b.Function == 0 {
		return
	}
	help := c.Help("", "").Text
	b.within(t, "help()", help, b.Index)
	if b.Namespace == 0 && b.Function == 0 {
		return
	}
	pages, err := growTree(c, mentions(help, "format") && mentions(help, "json"))
	if err != nil {
		t.Fatalf("reading help: %v", err)
	}
	b.pages(t, c, pages)
}

func (b Budget) pages(t reporter, c *Client, pages *tree) {
	t.Helper()
	if pages.cut || b.Function > 0 && len(pages.leaves) > maxPages {
		t.Errorf("help has more than the %d pages that a budget is checked for", maxPages)
	}
	for _, p := range pages.places[1:] {
		b.within(t, "help("+p.path+")", p.page.text, b.Namespace)
	}
	if b.Function == 0 {
		return
	}
	for _, l := range pages.leaves[:min(len(pages.leaves), maxPages)] {
		b.within(t, "help of "+l.path(), c.Help(l.namespace, l.name).Text, b.Function)
	}
}

func (b Budget) within(t reporter, what, text string, most int) {
	t.Helper()
	unit, name := b.Unit, "units"
	if unit == nil {
		unit, name = utf8.RuneCountInString, "characters"
	}
	if n := unit(text); most > 0 && n > most {
		t.Errorf("%s costs %d %s, more than the budget of %d", what, n, name, most)
	}
}

// MaxChars reports an error if text has more than most characters. what names
// it in the message.
func MaxChars(t testing.TB, what, text string, most int) {
	t.Helper()
	MaxTokens(t, what, text, most, nil)
}

// MaxTokens is [MaxChars] in what count counts, such as the tokens of a model.
// A nil count counts characters.
func MaxTokens(t testing.TB, what, text string, most int, count func(string) int) {
	t.Helper()
	name := "tokens"
	if count == nil {
		count, name = utf8.RuneCountInString, "characters"
	}
	if n := count(text); n > most {
		t.Errorf("%s has %d %s, more than %d", what, n, name, most)
	}
}
