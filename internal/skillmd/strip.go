package skillmd

import (
	"cmp"
	"slices"
	"strings"
)

// The kinds of a Removal.
const (
	KindCode    = "code"    // a fenced or indented block, or an unfenced script (R72, R73, R74, R79)
	KindCommand = "command" // a dynamic command: !`...` or a ```! block (R75)
	KindScript  = "script"  // a script element (R76)
	KindLink    = "link"    // a javascript: or data: URL; the link's text stays (R76)
	KindHTML    = "html"    // an event handler, or an element that loads foreign content (R76)
)

// Removal is one part of a text that Strip removed.
type Removal struct {
	// Line is the line of Strip's input, from 1, at which the part started.
	Line int
	// Kind is one of the Kind constants.
	Kind string
	// Language is the block's language tag in lower case, or empty.
	Language string
	// Lines is the number of lines: of a block without its fences, of any other part from its first to its last line.
	Lines int
}

// maxRounds bounds the rounds until nothing changes. Ordinary texts take one, and one more that changes nothing.
const maxRounds = 8

// withheld replaces a text that does not settle. Only malicious texts get there.
const withheld = "[text removed: it could not be made free of code]\n"

// Strip removes executable content from Markdown (R62, R70-R79; the package comment lists what stays). Every removed
// part leaves a mark: a block the line "[code block removed: bash, 3 lines]" (without a tag "[code block removed: 3
// lines]"), a span "[command removed]" or similar, a URL "#removed". All other bytes stay, but CRLF and CR become LF.
//
// Strip(Strip(x)) equals Strip(x). The removals are sorted by line. Run Strip after Expand, never before (R65).
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

// line is a line of the text with its number in Strip's input, which stays after removals before it.
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
