package view

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// Bounds of the results of a search.
const (
	maxContext = 20  // lines around a match
	longLine   = 400 // bytes; of longer lines only the surroundings of a match are shown
	around     = 100 // bytes on either side of a match
)

// search shows the matches of a query: lines, or the keys and values of a JSON document without lines.
func (l *look) search() (*Page, error) {
	m, err := newMatcher(l.query, l.regexp)
	if err != nil {
		return nil, err
	}
	h := &hits{matcher: m, first: max(l.start, 0), context: max(l.context, 0), room: l.room()}
	if doc, ok := compactJSON(l.data); ok {
		err = l.searchJSON(doc, h)
		return l.found(h, "keys and values", err)
	}
	err = l.searchLines(h)
	return l.found(h, "lines", err)
}

// found returns the page with the collected matches.
func (l *look) found(h *hits, what string, err error) (*Page, error) {
	if err != nil {
		return nil, err
	}
	if h.first > 0 && h.first >= h.count && !h.exhausted() {
		return nil, selectorErrorf("start is beyond the end: there are %d matches, and the first is 0", h.count)
	}
	p := &Page{Text: h.text.String()}
	p.View = fmt.Sprintf("matches %d-%d of %d in %s", h.first, h.first+h.shown, h.count, what)
	switch {
	case h.exhausted():
		p.Note = "the search was stopped before the end, for it takes too long: look for plain text, or for a simpler expression"
	case h.count == 0:
		p.Note = "nothing matches: look for a part of it, or for another word"
	}
	if h.first+h.shown < h.count {
		p.Next = l.after(h.first + h.shown)
	}
	return p, nil
}

// searchLines finds lines.
func (l *look) searchLines(h *hits) error {
	for at, n := 0, 0; at < len(l.data) && !h.exhausted(); n++ {
		if n%1024 == 0 && l.ctx.Err() != nil {
			return l.ctx.Err()
		}
		end := lineEnd(l.data, at)
		h.line(l.data, at, end, n)
		at = end
	}
	return nil
}

// hits collects the matches of a page and counts the others.
type hits struct {
	*matcher
	first   int // the first match to show
	context int // lines
	room    int
	text    strings.Builder
	count   int // matches so far
	shown   int
	full    bool
	printed int // the line after the last shown one
	until   int // the line after the last one shown as context
}

// due reports whether to show the next match.
func (h *hits) due() bool { return !h.full && h.count >= h.first }

// line looks for matches in line n of data, which is data[at:end].
func (h *hits) line(data []byte, at, end, n int) {
	line := bytes.TrimRight(data[at:end], "\r\n")
	if len(line) > longLine {
		h.long(strconv.Itoa(n)+": ", line)
		return
	}
	if from, _ := h.find(line); from < 0 {
		if n < h.until && !h.full {
			h.full = !h.write(numbered(n, '-', line))
			h.printed = n + 1
		}
		return
	}
	if h.due() {
		h.show(h.before(data, at, n), numbered(n, ':', line))
		h.printed, h.until = n+1, n+1+h.context
	}
	h.count++
}

// before returns the context lines before line n, which begins at at.
func (h *hits) before(data []byte, at, n int) string {
	first := max(n-h.context, h.printed)
	text := ""
	for n > first {
		begin := bytes.LastIndexByte(data[:at-1], '\n') + 1
		n--
		text = numbered(n, '-', data[begin:at]) + text
		at = begin
	}
	if h.context > 0 && h.shown > 0 && n > h.printed {
		text = "--\n" + text
	}
	return text
}

// long shows the surroundings of each match in a long text, after prefix.
func (h *hits) long(prefix string, text []byte) {
	for at := 0; at < len(text); {
		from, to := h.find(text[at:])
		if from < 0 {
			return
		}
		from, to = at+from, at+to
		if h.due() {
			h.show("", prefix+snippet(text, from-around, min(to, from+around)+around)+"\n")
		}
		h.count++
		at = max(to, from+around)
	}
}

// show shows a match with the text before it, or marks the page as full. The first match of a page is always shown, cut
// if necessary.
func (h *hits) show(before, text string) {
	switch {
	case h.write(before + text):
	case h.shown > 0:
		h.full = true
		return
	default:
		h.full = true
		h.text.WriteString(text[:fit([]byte(text), len(text), h.room-1)] + "…")
	}
	h.shown++
}

// write writes text if there is room for it, and reports whether it did.
func (h *hits) write(text string) bool {
	cost := textCost([]byte(text), h.room)
	if cost > h.room {
		return false
	}
	h.room -= cost
	h.text.WriteString(text)
	return true
}

// numbered returns a line with its number, as a search shows it.
func numbered(n int, mark byte, line []byte) string {
	return strconv.Itoa(n) + string(mark) + " " + snippet(line, 0, longLine) + "\n"
}

// snippet returns text[from:to], widened to whole characters, as one clean line. An ellipsis marks omitted text.
func snippet(text []byte, from, to int) string {
	from, to = max(from, 0), min(to, len(text))
	for from > 0 && continues(text[from]) {
		from--
	}
	for to < len(text) && continues(text[to]) {
		to++
	}
	s := strings.ReplaceAll(strings.TrimRight(clean.Text(string(text[from:to])), "\n"), "\n", " ")
	if from > 0 {
		s = "…" + s
	}
	if to < len(text) {
		s += "…"
	}
	return s
}
