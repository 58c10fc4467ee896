package files

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A hunk is a part of a unified diff: lines of a text and what takes their place, with their ends.
type hunk struct {
	line     int // first line in the text, from 0; for no lines, the number of lines before
	old, new []string
}

var hunkHead = regexp.MustCompile(`^@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@`)

// parseDiff returns the hunks of a unified diff of one file. Lines before the first hunk are not looked at.
func parseDiff(diff string) (hunks []hunk, err error) {
	lines := diffLines(diff)
	for len(lines) > 0 {
		line := lines[0]
		lines = lines[1:]
		head := hunkHead.FindStringSubmatch(line)
		switch {
		case head != nil:
			h, n, err := parseHunk(head, lines)
			if err != nil {
				return nil, fmt.Errorf("hunk %d of the diff %w", len(hunks)+1, err)
			}
			hunks, lines = append(hunks, h), lines[n:]
		case strings.HasPrefix(line, "@@"):
			return nil, fmt.Errorf("the head of hunk %d of the diff is not of the form @@ -1,3 +1,4 @@", len(hunks)+1)
		case len(hunks) > 0 && strings.TrimSpace(line) != "":
			return nil, fmt.Errorf("hunk %d of the diff has more lines than its head says, or the diff is of several files", len(hunks))
		}
	}
	if len(hunks) == 0 {
		return nil, errors.New("the diff has no hunk")
	}
	return hunks, nil
}

// diffLines returns the lines of a diff with their ends. One before "\ No newline at end of file" has no end.
func diffLines(diff string) (lines []string) {
	for line := range strings.Lines(diff) {
		switch last := len(lines) - 1; {
		case last >= 0 && strings.HasPrefix(line, `\`):
			lines[last] = strings.TrimSuffix(lines[last], "\n")
		case strings.HasSuffix(line, "\n"):
			lines = append(lines, line)
		default:
			lines = append(lines, line+"\n")
		}
	}
	return lines
}

// parseHunk reads the lines of a hunk, and returns their number.
func parseHunk(head, lines []string) (h hunk, n int, err error) {
	h.line, _ = strconv.Atoi(head[1])
	olds, news := count(head[2]), count(head[3])
	if olds > 0 {
		h.line-- // without lines, it names the line before
	}
	if h.line < 0 {
		return h, 0, errors.New("begins at line 0")
	}
	for ; n < len(lines) && (len(h.old) < olds || len(h.new) < news); n++ {
		kind, text := lines[n][:1], lines[n][1:]
		if strings.TrimRight(lines[n], "\r\n") == "" { // an empty line, whose blank was lost
			kind, text = " ", lines[n]
		}
		if !strings.Contains(" +-", kind) {
			break
		}
		if kind != "+" {
			h.old = append(h.old, text)
		}
		if kind != "-" {
			h.new = append(h.new, text)
		}
	}
	if len(h.old) != olds || len(h.new) != news {
		return h, 0, fmt.Errorf("has %d old and %d new lines, other than its head says", len(h.old), len(h.new))
	}
	return h, n, nil
}

// count returns a number of lines in the head of a hunk.
func count(text string) int {
	if text == "" {
		return 1
	}
	n, _ := strconv.Atoi(text)
	return n
}

// maxCompared bounds the lines that are compared to find the places of hunks.
const maxCompared = 20_000_000

// applyDiff returns a text after a unified diff. Each hunk must match exactly, at its line or, if lines have moved, at
// the only place behind the hunks before it. At most most bytes come out.
func applyDiff(text, diff string, most int) (string, error) {
	hunks, err := parseDiff(diff)
	if err != nil {
		return "", err
	}
	lines := slices.Collect(strings.Lines(text))
	var out []string
	done, drift, compared, size := 0, 0, 0, 0
	for i, h := range hunks {
		at, err := h.find(lines, done, h.line+drift, &compared)
		if err != nil {
			return "", fmt.Errorf("hunk %d of the diff %w", i+1, err)
		}
		out = append(append(out, lines[done:at]...), h.new...)
		done, drift = at+len(h.old), at-h.line
	}
	out = append(out, lines[done:]...)
	for i, line := range out {
		if size += len(line); i < len(out)-1 && !strings.HasSuffix(line, "\n") {
			return "", errors.New("the diff has a line without an end that is not the last one")
		}
	}
	if size > most {
		return "", errTooLong
	}
	return strings.Join(out, ""), nil
}

// find returns the line from which on a hunk matches.
func (h *hunk) find(lines []string, from, wanted int, compared *int) (int, error) {
	matches := func(at int) bool {
		if at < from || at+len(h.old) > len(lines) {
			return false
		}
		for i, line := range h.old {
			if *compared++; lines[at+i] != line || *compared > maxCompared {
				return false
			}
		}
		return true
	}
	if matches(wanted) {
		return wanted, nil
	}
	if len(h.old) == 0 {
		return 0, errors.New("begins behind the end of the file, or before the hunk above it")
	}
	found := -1
	for at := from; at+len(h.old) <= len(lines); at++ {
		if !matches(at) {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("is not at its line, and matches at lines %d and %d", found+1, at+1)
		}
		found = at
	}
	switch {
	case *compared > maxCompared:
		return 0, errors.New("takes too long to find")
	case found < 0:
		return 0, errors.New("does not match the file: its context and removed lines are not there one after the other")
	}
	return found, nil
}
