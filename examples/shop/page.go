package main

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// lines yields the lines of text without the empty ones. It breaks a line after at most width
// characters, if possible after a blank or a comma.
func lines(text string, width int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.SplitSeq(text, "\n") {
			for line = strings.TrimSpace(line); line != ""; {
				end := breakAt(line, width)
				if !yield(strings.TrimSpace(line[:end])) {
					return
				}
				line = strings.TrimSpace(line[end:])
			}
		}
	}
}

// breakAt returns the place to break a line: its length if it fits.
func breakAt(line string, width int) int {
	end := 0
	for range width {
		_, size := utf8.DecodeRuneInString(line[end:])
		if end += size; end == len(line) {
			return end
		}
	}
	if i := strings.LastIndexAny(line[:end], " ,"); i > end/2 {
		return i + 1
	}
	return end
}
