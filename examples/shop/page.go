package main

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// lines yields the lines of text that are not empty, broken after at most
// width characters, after a blank or a comma where there is one.
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

// breakAt returns where to break a line: its length if it fits.
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
