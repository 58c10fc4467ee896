package card

import "math"

// A vocabulary encodes text as tiktoken does (byte pair encoding). It splits the text into pieces. In each piece it
// merges the two neighbours that form the token of the lowest rank, leftmost first, until no two form one.
//
// Done naively this is quadratic in the length of a piece, which the author of the text controls. Here a long piece is
// encoded one stretch at a time, which is linear. It is exact for any ranks: merges within a part happen in the same
// order as if the part stood alone, as long as nothing merges across its ends. Hence
//
//   - a run of tokens of an encoding is the encoding of its own text, and
//   - two encodings may be concatenated if the two tokens at the seam stay two, and those two, when encoded together.
type vocabulary struct {
	ranks   map[string]int
	longest int // bytes of the longest token
}

// stretch is the number of bytes of a piece that are encoded at a time.
const stretch = 64

func newVocabulary(ranks map[string]int) *vocabulary {
	v := &vocabulary{ranks: ranks}
	for token := range ranks {
		v.longest = max(v.longest, len(token))
	}
	return v
}

// encode extends ends, the token ends of some beginning of the piece text[from:to], to the token ends of the whole
// piece.
func (v *vocabulary) encode(ends []int, text string, from, to int) []int {
	if _, ok := v.token(text, from, to); ok {
		return append(ends[:0], to)
	}
	for done := last(ends, from); done < to; done = last(ends, from) {
		ends = v.extend(ends, text, from, min(done+stretch, to))
	}
	return ends
}

// extend is encode for a piece with a short rest. It re-encodes the last tokens together with the rest. Usually one or
// two tokens change; if not, doubling their number at each attempt bounds the cost.
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

// apart reports whether text[a:b] and text[b:c] stay two tokens when encoded together.
func (v *vocabulary) apart(text string, a, b, c int) bool {
	var room [8]int
	ends := v.merge(room[:0], text, a, c)
	return len(ends) == 2 && ends[0] == b
}

// last returns the end of the last token, or the start of the piece if there is none.
func last(ends []int, from int) int {
	if len(ends) == 0 {
		return from
	}
	return ends[len(ends)-1]
}

// merge appends the token ends of text[from:to], which is not empty, in quadratic time.
func (v *vocabulary) merge(ends []int, text string, from, to int) []int {
	type part struct{ start, rank int } // the rank of the token that the part and the next one form
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
		// All pairs that form the same token merge in one pass, unless a merge makes a token of a lower rank possible.
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

// token returns the rank of text[from:to], and whether it is a token.
func (v *vocabulary) token(text string, from, to int) (rank int, ok bool) {
	if to-from > v.longest {
		return 0, false
	}
	rank, ok = v.ranks[text[from:to]]
	return rank, ok
}
