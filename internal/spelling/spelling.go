// Package spelling measures how far apart two spellings are, for suggestions of the intended word:
//
//	spelling.Distance("craete", "create", 2) // 1: two neighbours swapped
//
// # Limits
//
// Texts of more than [MaxLength] characters are close only to themselves.
package spelling

// MaxLength bounds the texts that are compared, in characters.
const MaxLength = 128

// Distance returns the number of insertions, deletions, replacements and swaps of neighbouring characters that turn a
// into b, or most+1 if it exceeds most. It does not allocate.
func Distance(a, b string, most int) int {
	if a == b {
		return 0
	}
	var bufA, bufB [MaxLength]rune
	ra, okA := runes(a, &bufA)
	rb, okB := runes(b, &bufB)
	if !okA || !okB || len(ra)-len(rb) > most || len(rb)-len(ra) > most {
		return most + 1
	}
	// Cell j of row i is the number of edits from the first i characters of a to the first j of b. It depends on the
	// two previous rows.
	var rows [3][MaxLength + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(rb) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(ra); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(rb); j++ {
			replace := last[j-1]
			if ra[i-1] != rb[j-1] {
				replace++
			}
			row[j] = min(last[j]+1, row[j-1]+1, replace)
			if i > 1 && j > 1 && ra[i-1] == rb[j-2] && ra[i-2] == rb[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > most { // the least only grows; a swap across rows costs no less
			return most + 1
		}
		before, last, row = last, row, before
	}
	return min(last[len(rb)], most+1)
}

func runes(s string, buf *[MaxLength]rune) ([]rune, bool) {
	n := 0
	for _, r := range s {
		if n == MaxLength {
			return nil, false
		}
		buf[n] = r
		n++
	}
	return buf[:n], true
}
