package card

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// Line returns the line of the card, the i-th of n, without a line break (section 2.1):
//
//	[2/5] files:delete#0f3a91c7 (tool) — Deletes a file. [destructive, files] cost=0.5 side_effects safety=destructive
//
// Description and tags are omitted if empty. Markers at the end appear only if they apply, the score never. In a card
// of [New], no description or tag can imitate another part of the line, or another line.
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

// Render returns a whole response: the preamble, unless it is empty, and one line per card, in order, each with a line
// break. The preamble is cleaned like a description and truncated to [Preamble] tokens of cl100k_base. With cards of
// [New] the response has at most 80 tokens per card and 32 for the preamble (section 2.3).
//
// It returns an error if there are more than [MaxCards].
func Render(preamble string, cards []ChoiceCard) (string, error) {
	return RenderBy(CL100K(), preamble, cards)
}

// RenderBy is [Render] with another token counter, which must also have made the cards.
func RenderBy(counter Counter, preamble string, cards []ChoiceCard) (string, error) {
	if len(cards) > MaxCards {
		return "", fmt.Errorf("rendering %d cards: at most %d make a response", len(cards), MaxCards)
	}
	var b strings.Builder
	// The line break takes one token at most.
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
