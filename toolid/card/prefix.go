package card

import "sort"

// A prefixCounter counts the tokens of prefixes of one text.
type prefixCounter interface {
	// reach returns a number of bytes; longer prefixes are over the budget.
	reach() int
	// fits reports whether text[:end] has at most the given number of tokens,
	// which is not above the budget.
	fits(end, most int) bool
}

// A prefixer is a Counter that counts many prefixes of one text at a lower cost
// than one after the other.
type prefixer interface {
	// prefixes returns the counter for prefixes of text within a budget.
	prefixes(text string, most int) prefixCounter
}

// maxText is how many bytes of a text take part in finding where to cut it.
const maxText = 4 << 20

func prefixesOf(c Counter, text string, most int) prefixCounter {
	if p, ok := c.(prefixer); ok {
		return p.prefixes(text, most)
	}
	return counted{c, text}
}

// counted counts prefixes one after the other.
type counted struct {
	c    Counter
	text string
}

func (p counted) reach() int              { return min(len(p.text), maxText) }
func (p counted) fits(end, most int) bool { return p.c.Count(p.text[:end], most) <= most }

// prefixes holds the encoding of as much of a text as a budget can pay for. The
// encoding of a prefix differs from it only towards the prefix's end.
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

// known returns how many bytes of the text are encoded. A prefix that ends
// after them is over the budget: so are the pieces before the last one of
// these, and they are its pieces too.
func (p *prefixes) known() int {
	if len(p.ends) == 0 {
		return 0
	}
	return last(p.ends[len(p.ends)-1], 0)
}

func (p *prefixes) reach() int { return len(p.text) }

// fits splits and encodes the prefix anew from the piece before the one in
// which it ends. Before that nothing changes: of the pieces that a cut shortens
// only white space, which leaves its last character to the word that follows,
// can make the piece before it longer.
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
