package skillmd

import (
	"cmp"
	"slices"
	"strings"
)

// What a Removal removed.
const (
	KindCode    = "code"    // a fenced or indented block, or an unfenced script (R72, R73, R74, R79)
	KindCommand = "command" // a dynamic command: !`...` or a ```! block (R75)
	KindScript  = "script"  // a script element (R76)
	KindLink    = "link"    // a javascript: or data: URL; the link's text stays (R76)
	KindHTML    = "html"    // an event handler, or an element that loads foreign content (R76)
)

// Removal is one thing that Strip took out.
type Removal struct {
	// Line is the line of Strip's input, counted from 1, at which it started.
	Line int
	// Kind is one of the Kind constants.
	Kind string
	// Language is the block's language tag in lower case, or empty.
	Language string
	// Lines is the number of lines of content: for a block without its fences, for anything else from its first to its last line.
	Lines int
}

// maxRounds bounds the fixpoint. What people write takes one round and one more to see that nothing changes.
const maxRounds = 8

// withheld replaces a text that does not settle; only texts built for that purpose get there.
const withheld = "[text removed: it could not be made free of code]\n"

// Strip removes executable content from markdown (R62, R70-R79; see the package comment for what stays).
// Whatever is taken out leaves a mark: a block the line "[code block removed: bash, 3 lines]" (without a tag
// "[code block removed: 3 lines]"), a span "[command removed]" and the like, a URL "#removed". Everything else stays byte for
// byte, but for CRLF and CR, which become LF.
//
// Strip(Strip(x)) equals Strip(x). The removals are in the order of their lines. Run it after Expand, never before (R65).
func Strip(body string) (text string, removed []Removal) {
	lines := numberLines(unixLines(body))
	for range maxRounds {
		next := stripBlocks(lines, &removed)
		next = stripSpans(next, &removed)
		if slices.EqualFunc(lines, next, sameText) {
			slices.SortStableFunc(removed, func(a, b Removal) int { return cmp.Compare(a.Line, b.Line) })
			return joinLines(lines), removed
		}
		lines = next
	}
	return withheld, []Removal{{Line: 1, Kind: KindCode, Lines: 1 + strings.Count(body, "\n")}}
}

// line is a line of the text with its number in Strip's input, which survives removals before it.
type line struct {
	text string
	no   int
}

func sameText(a, b line) bool {
	return a.text == b.text
}

func numberLines(text string) []line {
	parts := strings.Split(text, "\n")
	lines := make([]line, len(parts))
	for i, part := range parts {
		lines[i] = line{part, i + 1}
	}
	return lines
}

func joinLines(lines []line) string {
	var out strings.Builder
	for i, l := range lines {
		if i > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(l.text)
	}
	return out.String()
}
