package gate

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// nameLength is the most characters kept of a foreign name.
const nameLength = 32

// cleanName returns a foreign name, from data or another server, in a safe form. Letters, digits,
// '_', '-' and '.' stay. Every run of other characters becomes one '_'. It cannot end a line, open
// markup or read as a sentence, and has at most nameLength characters. A name without usable
// characters gives "".
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

// plain reports whether a character may stay in a foreign name.
func plain(r rune) bool {
	return r == '_' || r == '-' || r == '.' || clean.Visible(r) && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// cleanLine returns a caller's own text on one line of at most n characters, without invisible
// characters and markup.
func cleanLine(text string, n int) string {
	return clean.Line(strings.ReplaceAll(text, "`", " "), n)
}

// thousands returns 48000 as 48,000.
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
