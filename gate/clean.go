package gate

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// nameLength is how many characters of a name from outside are kept.
const nameLength = 32

// cleanName returns a name that comes from data or from another server in a form
// that cannot end a line, open markup or read as a sentence: letters, digits,
// '_', '-' and '.', everything else as a single '_', at most nameLength
// characters. Nothing usable gives "".
func cleanName(name string) string {
	var b strings.Builder
	kept, gap := 0, false
	for _, r := range name {
		if kept >= nameLength {
			break
		}
		if !plain(r) {
			gap = kept > 0
			continue
		}
		if gap && kept < nameLength-1 {
			b.WriteByte('_')
			kept++
		}
		gap = false
		b.WriteRune(r)
		kept++
	}
	return b.String()
}

func plain(r rune) bool {
	return r == '_' || r == '-' || r == '.' || clean.Visible(r) && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// cleanLine returns the words of a caller's own text on one line, without what
// is invisible or opens markup, at most n characters of it.
func cleanLine(text string, n int) string {
	return clean.Line(strings.ReplaceAll(text, "`", " "), n)
}

// thousands writes 48000 as 48,000.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	var b strings.Builder
	for i, d := range []byte(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteByte(d)
	}
	return b.String()
}
