package skillmd

import (
	"strings"

	"github.com/cash-mcp/go-sdk/internal/label"
)

// spanScanner removes executable parts inside lines in one pass over the text: command spans, script elements,
// dangerous URLs and event handlers. It is used by Strip. It treats prose, code spans and kept blocks alike, because
// renderers differ.
type spanScanner struct {
	s     string
	lower string // s with ASCII letters in lower case
	nos   []int  // the line number in Strip's input, by line of s
	tags  tagState

	row     int // the line of s at done
	done    int // bytes of s written or dropped
	ticks   int // backticks since the beginning of the line
	out     strings.Builder
	outNos  []int
	removed *[]Removal

	newline, backtick, angle, equals, double, single, scriptEnd finder
}

func stripSpans(lines []line, removed *[]Removal) []line {
	z := &spanScanner{s: joinLines(lines), removed: removed}
	z.lower = label.Lower(z.s)
	for _, l := range lines {
		z.nos = append(z.nos, l.no)
	}
	z.outNos = append(z.outNos, z.nos[0])
	z.newline = finder{s: z.s, pattern: "\n"}
	z.backtick = finder{s: z.s, pattern: "`"}
	z.angle = finder{s: z.s, pattern: ">"}
	z.equals = finder{s: z.s, pattern: "="}
	z.double = finder{s: z.s, pattern: `"`}
	z.single = finder{s: z.s, pattern: "'"}
	z.scriptEnd = finder{s: z.lower, pattern: "</script"}
	for i := 0; i < len(z.s); {
		i = z.next(i)
	}
	z.copyTo(len(z.s))
	parts := strings.Split(z.out.String(), "\n")
	result := make([]line, len(parts))
	for i, part := range parts {
		result[i] = line{part, z.outNos[i]}
	}
	return result
}

// next handles the byte at i and returns the index to continue at.
func (z *spanScanner) next(i int) int {
	switch c := z.s[i]; c {
	case '!':
		if strings.HasPrefix(z.s[i+1:], "`") {
			return z.command(i)
		}
	case '<':
		if end, ok := z.element(i); ok {
			return end
		}
	case '(', ':':
		if i > 0 && z.s[i-1] == ']' {
			if end, ok := z.destination(i + 1); ok {
				return end
			}
		}
	case '=':
		if z.tags != 0 {
			if end, ok := z.attributeURL(i + 1); ok {
				return end
			}
		}
	case 'o', 'O':
		if end, ok := z.handler(i); ok {
			return end
		}
	case '`':
		z.ticks++
	case '\n':
		z.ticks = 0
	}
	z.tags = z.tags.next(z.s[i])
	return i + 1
}

// copyTo copies the text from done to i.
func (z *spanScanner) copyTo(i int) {
	part := z.s[z.done:i]
	z.out.WriteString(part)
	for range strings.Count(part, "\n") {
		z.row++
		z.outNos = append(z.outNos, z.nos[z.row])
	}
	z.done = i
}

// drop replaces s[from:to] by mark, records a removal of the kind, and returns to.
func (z *spanScanner) drop(from, to int, mark, kind string) int {
	z.copyTo(from)
	z.out.WriteString(mark)
	lines := strings.Count(z.s[from:to], "\n")
	first, last := z.nos[z.row], z.nos[z.row+lines]
	*z.removed = append(*z.removed, Removal{Line: first, Kind: kind, Lines: last - first + 1})
	if lines > 0 {
		z.ticks = 0
	}
	z.row += lines
	z.done = to
	return to
}

// maxCommand bounds a command span, in bytes.
const maxCommand = 4096

// command removes !`...`, which some clients run while they load a skill (R75). If it has no end in its paragraph, a
// blank after the exclamation mark disables it.
func (z *spanScanner) command(i int) int {
	size := runLength(z.s, i+1)
	start := i + 1 + size
	window := z.s[start:min(len(z.s), start+maxCommand)]
	if n := strings.Index(window, "\n\n"); n >= 0 {
		window = window[:n]
	}
	for at := 0; ; {
		n := strings.IndexByte(window[at:], '`')
		if n < 0 {
			return z.drop(i, i+1, "! ", KindCommand)
		}
		at += n
		// Measure in the whole text: the window may cut a run.
		run := runLength(z.s, start+at)
		if run == size {
			return z.drop(i, start+at+run, "[command removed]", KindCommand)
		}
		if at += run; at >= len(window) {
			return z.drop(i, i+1, "! ", KindCommand)
		}
	}
}

// finder searches a pattern repeatedly. It caches the last match, so that searches from growing positions take linear
// time in total.
type finder struct {
	s, pattern string
	at         int
	known      bool
}

// from returns the first position of the pattern at or after i, or len(s). i must grow, or be covered by the last
// match.
func (f *finder) from(i int) int {
	if f.known && i <= f.at {
		return f.at
	}
	f.known = true
	f.at = len(f.s)
	if n := strings.Index(f.s[min(i, len(f.s)):], f.pattern); n >= 0 {
		f.at = i + n
	}
	return f.at
}
