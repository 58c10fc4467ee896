package card_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/toolid/card"
)

// tokens counts with tiktoken-go itself.
func tokens(text string) int { return len(reference().EncodeOrdinary(text)) }

// TestW12Budget builds cards of random hostile facts and counts, with
// tiktoken-go, their lines at several places and whole responses.
func TestW12Budget(t *testing.T) {
	large(t)
	r := rand.New(rand.NewPCG(5, 6))
	words := []string{
		"Creates", "the", "issue.", "Done!", "\n", "  ", "🔥", "文字列", "supercalifragilistic", "[1/2]", "<|endoftext|>", "\x1b[31m",
		"---", "....", "\u202e", "12345678", "{\"a\":1}", "ไทย", "é", "]", "(tool)", "\u200d", "…", ".\n", "x.",
	}
	text := func(n int) string {
		var b strings.Builder
		for range r.IntN(n) {
			b.WriteString(words[r.IntN(len(words))])
			if r.IntN(2) == 0 {
				b.WriteByte(' ')
			}
		}
		return b.String()
	}
	var cards []card.ChoiceCard
	refused := 0
	for i := range 1500 {
		f := card.Facts{
			ID:          fmt.Sprintf("ns%d:%s@%d", r.IntN(9), strings.Repeat("some_Name.", r.IntN(9)), i),
			Description: text(120), SideEffects: r.IntN(2) == 0, Destructive: r.IntN(3) == 0, CostHint: r.ExpFloat64() - 0.5,
		}
		for range r.IntN(7) {
			f.Tags = append(f.Tags, text(4))
		}
		c, err := card.New(f)
		if err != nil {
			if !strings.Contains(err.Error(), f.ID[:20]) && len(f.ID) > 20 {
				t.Errorf("the error does not name %s: %v", f.ID, err)
			}
			refused++
			continue
		}
		cards = append(cards, c)
		bare := c
		bare.Description = ""
		limit := max(card.Target, min(card.HardCap, tokens(bare.Line(1, 1))+14))
		for _, line := range []string{c.Line(1, 1), c.Line(7, 10), c.Line(card.MaxCards, card.MaxCards)} {
			if n := tokens(line); n > limit {
				t.Errorf("%d tokens, want at most %d: %s", n, limit, line)
			}
			if strings.Count(line, "\n") > 0 || !utf8.ValidString(line) {
				t.Errorf("not a line: %q", line)
			}
		}
	}
	if refused > len(cards)/2 {
		t.Errorf("%d refused, %d cards", refused, len(cards))
	}
	for len(cards) > 0 {
		n := min(len(cards), 1+r.IntN(card.MaxCards))
		response, err := card.Render(text(200), cards[:n])
		if got := tokens(response); err != nil || got > card.HardCap*n+card.Preamble {
			t.Errorf("%d cards have %d tokens, %v", n, got, err)
		}
		if got := strings.Count(response, "\n"); got != n && got != n+1 {
			t.Errorf("%d cards have %d lines", n, got)
		}
		cards = cards[n:]
	}
}

func TestW12Target(t *testing.T) {
	c := build(t, card.Facts{Description: strings.Repeat("word ", 500)})
	if n := tokens(c.Line(1, 1) + "\n"); n < card.Target-2 || n > card.Target {
		t.Errorf("%d tokens: %s", n, c.Line(1, 1))
	}
	// A long id leaves a description a few words, up to the hard cap.
	c = build(t, card.Facts{ID: "a:" + strings.Repeat("xy_", 15) + "@1", Description: strings.Repeat("word ", 500)})
	if n := tokens(c.Line(1, 1) + "\n"); n > card.HardCap || strings.Count(c.Description, "word") < 5 {
		t.Errorf("%d tokens: %s", n, c.Line(1, 1))
	}
}

func TestW12Preamble(t *testing.T) {
	got, err := card.Render(strings.Repeat("Some words,\n ", 100), nil)
	if n := tokens(got); err != nil || n > card.Preamble || strings.Count(got, "\n") != 1 {
		t.Errorf("%d tokens, %v: %q", n, err, got)
	}
	if got, err := card.Render("", nil); got != "" || err != nil {
		t.Errorf("nothing is rendered as %q, %v", got, err)
	}
	if _, err := card.Render("", make([]card.ChoiceCard, card.MaxCards+1)); err == nil {
		t.Error("1,000 cards are rendered")
	}
}

func TestW14HardCap(t *testing.T) {
	for name, f := range map[string]card.Facts{
		"id":   {ID: "a:" + strings.Repeat("q7Z.", 50) + "@1", Description: "Short."},
		"tags": {ID: "a:tags@1", Tags: []string{strings.Repeat("字鬱", 11) + "1", strings.Repeat("鬱字", 11), strings.Repeat("龘", 24)}},
	} {
		_, err := card.New(f)
		if err == nil || !strings.Contains(err.Error(), f.ID[:8]) || !strings.Contains(err.Error(), "80 tokens") || len(err.Error()) > 250 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestW14RefusedAlone has one card that cannot be: the others are there.
func TestW14RefusedAlone(t *testing.T) {
	var b card.Builder
	for range 2 {
		cards, refused := b.Refresh([]card.Facts{{ID: "a:one@1"}, {ID: "a:\n"}, {ID: "a:three@1"}})
		if len(cards) != 2 || cards[0].ID != "a:one@1" || cards[1].ID != "a:three@1" {
			t.Errorf("cards: %v", cards)
		}
		if len(refused) != 1 || refused[0].Index != 1 || refused[0].ID != "a:\n" || refused[0].Err == nil {
			t.Errorf("refused: %v", refused)
		}
	}
}

// TestW14OneCardForAnID lists an id three times: the first that has a card keeps
// it, and again after a refresh.
func TestW14OneCardForAnID(t *testing.T) {
	var b card.Builder
	list := []card.Facts{{ID: "a:b@1", Kind: "weapon"}, {ID: "a:b@1", Description: "One."}, {ID: "a:c@1"}, {ID: "a:b@1", Description: "Two."}, {ID: "a:c@1"}}
	for range 2 {
		cards, refused := b.Refresh(list)
		if len(cards) != 2 || cards[0].Description != "One." || cards[1].ID != "a:c@1" {
			t.Errorf("cards: %v", cards)
		}
		if len(refused) != 3 || refused[0].Index != 0 || refused[1].Index != 3 || refused[2].Index != 4 {
			t.Fatalf("refused: %v", refused)
		}
		for i, first := range map[int]string{1: "item 1 ", 2: "item 2 "} {
			if err := refused[i].Err.Error(); !strings.Contains(err, refused[i].ID) || !strings.Contains(err, first) {
				t.Errorf("refused: %s", err)
			}
		}
	}
}

// meter counts how often it is asked.
type meter struct{ asked *int }

func (m meter) Count(text string, most int) int {
	*m.asked++
	return card.CL100K().Count(text, most)
}

func TestW13RefreshCountsWhatChanged(t *testing.T) {
	asked := 0
	b := card.Builder{Counter: meter{&asked}}
	catalog := make([]card.Facts, 50)
	for i := range catalog {
		catalog[i] = card.Facts{ID: fmt.Sprintf("a:tool%d@1", i), Description: "Does it.", Tags: []string{"x", "y"}}
	}
	refresh := func(want int) {
		t.Helper()
		asked = 0
		cards, refused := b.Refresh(catalog)
		if len(cards) != len(catalog) || len(refused) != 0 || asked != want {
			t.Errorf("%d cards, %v refused, %d counted; want %d", len(cards), refused, asked, want)
		}
	}
	refresh(50)
	refresh(0)
	for i, change := range []func(*card.Facts){
		func(f *card.Facts) { f.Description += "!" },
		func(f *card.Facts) { f.Name = "n" },
		func(f *card.Facts) { f.Tags = []string{"xy"} },
		func(f *card.Facts) { f.CostHint = 1 },
		func(f *card.Facts) { f.ReadOnly = true },
		func(f *card.Facts) { f.Destructive = true },
		func(f *card.Facts) { f.SideEffects = true },
		func(f *card.Facts) { f.HasSchema = true },
		func(f *card.Facts) { f.Kind = card.Agent },
		func(f *card.Facts) { f.Namespace = "b" },
	} {
		change(&catalog[i])
		refresh(1)
	}
	whole := catalog
	catalog = catalog[:10]
	refresh(0)
	catalog = whole
	refresh(40) // what was gone is not remembered
}
