package card

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Truncate shortens text to at most maxTokens tokens of cl100k_base, by the rule of section 2.4 of the gateway surface:
//
//   - a text that fits stays as it is;
//   - else the longest beginning of whole sentences that fits;
//   - else the beginning that a binary search over the characters finds to fit into one token less, without trailing
//     white space, and an ellipsis.
//
// It returns "" if maxTokens is not positive. Equal arguments give equal results. The time is bounded by maxTokens,
// however long or hostile text is: at most some 60 µs a token, which only blanks reach. Of the rest of text it only
// counts characters, up to 4 MiB.
func Truncate(text string, maxTokens int) string {
	return TruncateBy(CL100K(), text, maxTokens)
}

// TruncateBy is [Truncate] with another token counter.
func TruncateBy(c Counter, text string, maxTokens int) string {
	if maxTokens <= 0 {
		return ""
	}
	if within(c, text, maxTokens) {
		return text
	}
	p := prefixesOf(c, text, maxTokens)
	if end := sentences(p, text, maxTokens); end > 0 {
		return text[:end]
	}
	return strings.TrimRightFunc(text[:cut(p, text, maxTokens-1)], space) + "…"
}

// sentences returns the end of the longest sequence of whole sentences that fits. A sentence ends with '.', '!' or '?'
// before white space.
func sentences(p prefixCounter, text string, most int) int {
	best := 0
	for i := 0; i < p.reach(); {
		n := strings.IndexAny(text[i:p.reach()], ".!?")
		if n < 0 {
			break
		}
		i += n + 1
		if r, _ := utf8.DecodeRuneInString(text[i:]); i < len(text) && !space(r) {
			continue
		}
		if !p.fits(i, most) {
			break
		}
		best = i
	}
	return best
}

// cut returns the end of the beginning of text that a binary search finds to have at most most tokens. A longer
// beginning can have fewer tokens than a shorter one, so the exact search determines the result.
func cut(p prefixCounter, text string, most int) int {
	lo, hi := 0, utf8.RuneCountInString(text[:min(len(text), maxText)])
	best, at, from := 0, 0, 0 // at is the offset of the character number from, which is at most lo
	for lo <= hi {
		mid := (lo + hi) / 2
		end, ok := skip(text, at, mid-from, p.reach())
		if ok && p.fits(end, most) {
			best, at, from, lo = end, end, mid, mid+1
		} else {
			hi = mid - 1
		}
	}
	return best
}

// skip returns the offset n characters after i, and whether it is within reach.
func skip(text string, i, n, reach int) (int, bool) {
	for ; n > 0 && i < reach; n-- {
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return i, n == 0 && i <= reach
}

// space reports whether r is white space in Python's str: Unicode white space, and the separators of ASCII.
func space(r rune) bool {
	return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f
}
