package schema

import (
	"strings"
	"unicode"

	chars "github.com/cash-mcp/go-sdk/internal/clean"
)

// clean makes a name or value of a schema fit for a message: one line of at most limit characters. Each invisible
// character becomes '?', because a name without it would be another name.
func clean(text string, limit int) string {
	if isClean(text, limit) {
		return text
	}
	var b strings.Builder
	n, gap := 0, false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			gap = true
			continue
		case !chars.Visible(r):
			r = '?'
		}
		if gap && n > 0 {
			b.WriteByte(' ')
			n++
		}
		gap = false
		if n >= limit {
			b.WriteString("...")
			break
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}

// isClean reports the usual case: short printable ASCII.
func isClean(text string, limit int) bool {
	if len(text) > limit {
		return false
	}
	for i := range len(text) {
		if c := text[i]; c <= ' ' && (c != ' ' || i == 0 || i == len(text)-1 || text[i-1] == ' ') || c >= 0x7f {
			return false
		}
	}
	return true
}

// list joins at most maxListed texts, and counts the others.
func list(texts []string, separator string) string {
	if len(texts) <= maxListed {
		return strings.Join(texts, separator)
	}
	return strings.Join(texts[:maxListed], separator) + separator + "and " + plural(len(texts)-maxListed, "more", "more")
}

// listAnd joins texts as in a sentence: a, b and c.
func listAnd(texts []string) string {
	return joined(texts, " and ")
}

// joined joins texts with commas, and the last one with word.
func joined(texts []string, word string) string {
	if n := len(texts) - maxListed; n > 0 {
		return strings.Join(texts[:maxListed], ", ") + " and " + plural(n, "more", "more")
	}
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + word + texts[last]
}
