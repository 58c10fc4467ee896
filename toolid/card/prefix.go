package card

import "sort"

// A prefixCounter counts the tokens of prefixes of one text.
type prefixCounter interface {
	// reach returns a number of bytes. Longer prefixes exceed the budget.
	reach() int
	// fits reports whether text[:end] has at most most tokens. most is at most the budget.
	fits(end, most int) bool
}

// A prefixer is a Counter that counts many prefixes of one text faster than one by one.
type prefixer interface {
	// prefixes returns the counter for prefixes of text within a budget.
	prefixes(text string, most int) prefixCounter
}

// maxText bounds the bytes of a text in the search for a cut.
const maxText = 4 << 20

func prefixesOf(c Counter, text string, most int) prefixCounter {
	if p, ok := c.(prefixer); ok {
		return p.prefixes(text, most)
	}
	return counted{c, text}
}

// counted counts prefixes one by one.
type counted struct {
	c    Counter
	text string
}

func (p counted) reach() int              { return min(len(p.text), maxText) }
func (p counted) fits(end, most int) bool { return p.c.Count(p.text[:end], most) <= most }

// prefixes holds the encoding of a text, as far as the budget reaches. The encoding of a prefix differs from it only
// near the prefix's end.
type prefixes struct {
	v      *vocabulary
	text   string
	starts []int   // of the pieces
	tokens []int   // before each piece
	ends   [][]int // of the tokens of each piece
}

func newPrefixes(v *vocabulary, text string, most int) *prefixes {
	p := &prefixes{v: v, text: text}
	if most < len(text)/v.longest {
		p.text = text[:most*v.longest]
	}
	n, before := 0, 0
	for i := 0; i < len(p.text) && before <= most; {
		j := pieceEnd(p.text, i)
		ends := v.encode(nil, p.text, i, j)
		p.starts = append(p.starts, i)
		p.tokens = append(p.tokens, n)
		p.ends = append(p.ends, ends)
		before = n
		n += len(ends)
		i = j
	}
	p.text = p.text[:p.known()]
	return p
}

// known returns the number of bytes that are encoded. A longer prefix exceeds the budget, because it has all of these
// pieces but the last one, and they already exceed it.
func (p *prefixes) known() int {
	if len(p.ends) == 0 {
		return 0
	}
	return last(p.ends[len(p.ends)-1], 0)
}

func (p *prefixes) reach() int { return len(p.text) }

// fits re-encodes the prefix from the piece before the one in which it ends. Earlier pieces do not change: only white
// space, whose last character belongs to the next word, can extend the piece before a cut.
func (p *prefixes) fits(end, most int) bool {
	k := max(0, sort.SearchInts(p.starts, end)-2)
	n := p.tokens[k]
	text := p.text[:end]
	var room [64]int
	for i := p.starts[k]; i < end && n <= most; k++ {
		j := pieceEnd(text, i)
		ends := room[:0]
		if k < len(p.starts) && p.starts[k] == i {
			ends = append(ends, p.ends[k][:sort.SearchInts(p.ends[k], j+1)]...)
		}
		n += len(p.v.encode(ends, text, i, j))
		i = j
	}
	return n <= most
}
