package card

import "math"

// A vocabulary encodes text as tiktoken does: it splits the text into pieces
// and, in each, merges the two neighbours that form the token of the lowest
// rank, the leftmost of equals, until no two form one.
//
// Written down like that it takes time quadratic in the length of a piece,
// which whoever writes the text chooses. Here a long piece is encoded a stretch
// at a time, which is linear. It is exact for any ranks, because what merges
// within a part of a piece does so in the order in which it would if the part
// stood alone, as long as nothing merges across its ends. Hence
//
//   - a run of tokens of an encoding is the encoding of its own text, and
//   - encodings may stand side by side when the two tokens that meet stay two,
//     and those two, when they are encoded together.
type vocabulary struct {
	ranks   map[string]int
	longest int // bytes of the longest token
}

// stretch is how many bytes of a piece are encoded at a time.
const stretch = 64

func newVocabulary(ranks map[string]int) *vocabulary {
	v := &vocabulary{ranks: ranks}
	for token := range ranks {
		v.longest = max(v.longest, len(token))
	}
	return v
}

// encode completes ends, the ends of the tokens of some beginning of the piece
// text[from:to], to those of the whole piece.
func (v *vocabulary) encode(ends []int, text string, from, to int) []int {
	if _, ok := v.token(text, from, to); ok {
		return append(ends[:0], to)
	}
	for done := last(ends, from); done < to; done = last(ends, from) {
		ends = v.extend(ends, text, from, min(done+stretch, to))
	}
	return ends
}

// extend is encode for a piece that ends soon. It encodes the last tokens again
// together with what is new: few, because what follows a token seldom changes
// more than one or two before it. Taking twice as many at each attempt bounds
// the cost when it does.
func (v *vocabulary) extend(ends []int, text string, from, to int) []int {
	known := len(ends)
	for back := 1; ; back *= 2 {
		keep := max(0, known-back)
		meet := last(ends[:keep], from)
		ends = v.merge(ends[:keep], text, meet, to)
		if keep == 0 || v.apart(text, last(ends[:keep-1], from), meet, ends[keep]) {
			return ends
		}
	}
}

// apart reports whether text[a:b] and text[b:c] stay the two tokens that they
// are when they are encoded together.
func (v *vocabulary) apart(text string, a, b, c int) bool {
	var room [8]int
	ends := v.merge(room[:0], text, a, c)
	return len(ends) == 2 && ends[0] == b
}

// last returns the end of the last token, and where there is none the start of
// the piece.
func last(ends []int, from int) int {
	if len(ends) == 0 {
		return from
	}
	return ends[len(ends)-1]
}

// merge appends the ends of the tokens of text[from:to], which is not empty, in
// quadratic time.
func (v *vocabulary) merge(ends []int, text string, from, to int) []int {
	type part struct{ start, rank int } // the rank is that of the token that the part and the next one form
	var room [3 * stretch]part
	parts := room[:0]
	for i := from; i <= to; i++ {
		parts = append(parts, part{i, math.MaxInt})
	}
	rank := func(i int) int {
		if i+2 < len(parts) {
			if r, ok := v.token(text, parts[i].start, parts[i+2].start); ok {
				return r
			}
		}
		return math.MaxInt
	}
	for i := range parts {
		parts[i].rank = rank(i)
	}
	for {
		lowest := math.MaxInt
		for _, p := range parts {
			lowest = min(lowest, p.rank)
		}
		if lowest == math.MaxInt {
			break
		}
		// All that form the same token merge in one pass, unless one of them
		// makes a token of a lower rank possible.
		for at, next := 0, math.MaxInt; at < len(parts) && next > lowest; at++ {
			if parts[at].rank != lowest {
				continue
			}
			parts = append(parts[:at+1], parts[at+2:]...)
			parts[at].rank = rank(at)
			next = parts[at].rank
			if at > 0 {
				parts[at-1].rank = rank(at - 1)
				next = min(next, parts[at-1].rank)
			}
		}
	}
	for _, p := range parts[1:] {
		ends = append(ends, p.start)
	}
	return ends
}

// token returns the rank of text[from:to], if it is a token.
func (v *vocabulary) token(text string, from, to int) (rank int, ok bool) {
	if to-from > v.longest {
		return 0, false
	}
	rank, ok = v.ranks[text[from:to]]
	return rank, ok
}
