package card

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// Line returns the card as a model reads it, the i-th of n, without a line
// break (section 2.1):
//
//	[2/5] files:delete#0f3a91c7 (tool) — Deletes a file. [destructive, files] cost=0.5 side_effects safety=destructive
//
// The description and the tags are left out if there are none. The markers at
// the end appear only where they say something, the score never. Of a card that
// [New] made no description and no tag can be mistaken for another part of the
// line, or for another line.
func (c ChoiceCard) Line(i, n int) string {
	b := make([]byte, 0, 128+len(c.ID)+len(c.Description))
	b = append(b, '[')
	b = strconv.AppendInt(b, int64(i), 10)
	b = append(b, '/')
	b = strconv.AppendInt(b, int64(n), 10)
	b = append(b, "] "...)
	b = append(b, c.ID...)
	b = append(b, " ("...)
	b = append(b, c.Kind...)
	b = append(b, ')')
	if c.Description != "" {
		b = append(b, " — "...)
		b = append(b, c.Description...)
	}
	if len(c.Tags) > 0 {
		b = append(b, " ["...)
		b = append(b, strings.Join(c.Tags, ", ")...)
		b = append(b, ']')
	}
	if finite(c.CostHint) > 0 {
		b = append(b, " cost="...)
		b = strconv.AppendFloat(b, c.CostHint, 'g', 4, 64)
	}
	if c.SideEffects {
		b = append(b, " side_effects"...)
	}
	if c.Safety != "" {
		b = append(b, " safety="...)
		b = append(b, c.Safety...)
	}
	return string(b)
}

// Render returns a whole response: the preamble, unless it is empty, and the
// lines of the cards in their order, each with a line break. The preamble is
// cleaned like a description and truncated to [Preamble] tokens of cl100k_base. With
// cards that [New] made the response has at most 80 tokens for each of them and
// 32 for the preamble (section 2.3).
//
// It returns an error if there are more than [MaxCards].
func Render(preamble string, cards []ChoiceCard) (string, error) {
	return RenderBy(CL100K(), preamble, cards)
}

// RenderBy is [Render] with another way to count tokens, by which the cards were
// made too.
func RenderBy(counter Counter, preamble string, cards []ChoiceCard) (string, error) {
	if len(cards) > MaxCards {
		return "", fmt.Errorf("rendering %d cards: at most %d make a response", len(cards), MaxCards)
	}
	var b strings.Builder
	// The line break takes a token at most.
	if p := TruncateBy(counter, disarm(clean.Line(preamble, maxDescription)), Preamble-1); p != "" {
		b.WriteString(p)
		b.WriteByte('\n')
	}
	for i, c := range cards {
		b.WriteString(c.Line(i+1, len(cards)))
		b.WriteByte('\n')
	}
	return b.String(), nil
}
