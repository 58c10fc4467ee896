package view

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// head shows characters from start on.
func (l *look) head() (*Page, error) {
	total := characters(l.data)
	start, err := l.from(total, "characters")
	if err != nil {
		return nil, err
	}
	at := characterAt(l.data, start)
	end := at + fit(l.data[at:], l.most(total), l.room())
	end = cutEnd(l.data, at, end)
	p := l.shown(start, at, end, total)
	if end < len(l.data) {
		p.Next = l.after(start + characters(l.data[at:end]))
	}
	return p, nil
}

// tail shows characters before end.
func (l *look) tail() (*Page, error) {
	total := characters(l.data)
	end := len(l.data)
	if l.end == 0 {
		return nil, selectorErrorf("nothing stands before end: it is at least 1, and without it the text ends with its last character")
	}
	if l.end != missing {
		end = characterAt(l.data, l.end)
	}
	at := fitBack(l.data[:end], l.most(total), l.room())
	at = cutStart(l.data[:end], at, end)
	start := characters(l.data[:at])
	p := l.shown(start, at, end, total)
	if at > 0 {
		next := l.selector
		next.end = start
		p.Next = next.json()
	}
	return p, nil
}

// most returns the number of requested characters, of total.
func (l *look) most(total int) int {
	if l.chars == missing {
		return total
	}
	return l.chars
}

// shown returns a page of the bytes from at to end. The first of them is character start.
func (l *look) shown(start, at, end, total int) *Page {
	part := l.data[at:end]
	p := &Page{
		View: fmt.Sprintf("characters %d-%d of %d", start, start+characters(part), total),
		Text: clean.Text(string(part)),
	}
	if !utf8.Valid(part) {
		p.Note = notUTF8
	}
	return p
}

const notUTF8 = "bytes that are not UTF-8 are left out"

// lines shows lines from start to end.
func (l *look) lines() (*Page, error) {
	total := countLines(l.data)
	start, err := l.from(total, "lines")
	if err != nil {
		return nil, err
	}
	at, room := lineAt(l.data, start), l.room()-len("…\n")
	end, n := at, start
	for n < l.to(total) {
		line := l.data[end:lineEnd(l.data, end)]
		cost := textCost(line, room)
		if cost > room {
			break
		}
		room -= cost
		end += len(line)
		n++
	}
	p := &Page{Text: clean.Text(string(l.data[at:end]))}
	if !utf8.Valid(l.data[at:end]) {
		p.Note = notUTF8
	}
	if n == start && n < total {
		p.Text, p.Note = l.cutLine(n, at, room)
		n++
	}
	p.View = fmt.Sprintf("lines %d-%d of %d", start, n, total)
	if n < total {
		p.Next = l.after(n)
	}
	return p, nil
}

// cutLine shows the beginning of line n, which is too long for a page.
func (l *look) cutLine(n, at, room int) (text, note string) {
	end := at + fit(l.data[at:], len(l.data), room)
	end = cutEnd(l.data, at, end)
	note = fmt.Sprintf(`line %d is cut: {"type":"head","start":%d} goes on in it`, n, characters(l.data[:end]))
	if looksLikeJSON(l.data) {
		note += "; rows, json_keys, path and search show parts of JSON"
	}
	return clean.Text(string(l.data[at:end])) + "…\n", note
}

// bytes shows bytes from start to end in base64.
func (l *look) bytes() (*Page, error) {
	start, err := l.from(len(l.data), "bytes")
	if err != nil {
		return nil, err
	}
	end := min(l.to(len(l.data)), start+l.room()/4*3) // whole groups of base64, so that pages can be joined
	p := &Page{
		View: fmt.Sprintf("bytes %d-%d of %d, in base64", start, end, len(l.data)),
		Text: base64.StdEncoding.EncodeToString(l.data[start:end]), encoded: true,
	}
	if end < len(l.data) {
		p.Next = l.after(end)
	}
	return p, nil
}

// countLines counts lines. The last one may have no line feed.
func countLines(data []byte) int {
	n := bytes.Count(data, []byte{'\n'})
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}

// lineAt returns the index of line n, or len(data).
func lineAt(data []byte, n int) int {
	i := 0
	for ; n > 0 && i < len(data); n-- {
		i = lineEnd(data, i)
	}
	return i
}

// lineEnd returns the index after the line that begins at i.
func lineEnd(data []byte, i int) int {
	if n := bytes.IndexByte(data[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(data)
}
