package view

import (
	"bytes"
	"context"
	"encoding/json"
	"unicode/utf8"
)

// DefaultLimit is the most characters of a page if [Options] set no limit.
const DefaultLimit = 8000

// minLimit is the smallest limit of a page: it leaves room for a description, a note and the next selector.
const minLimit = 1000

// Options are for [Look]. Nil and the zero value are fine.
type Options struct {
	// Limit is the most characters of a page as JSON. Zero and less is [DefaultLimit]; other values below 1,000 count
	// as 1,000.
	Limit int
	// Redact replaces the secrets in the shown part, and returns their number. Nil changes nothing.
	Redact func(text string) (string, int)
}

// A Page is the answer to a view: one bounded part of the data. It has either Text or Data, unless there is nothing to
// show.
type Page struct {
	// View describes the shown part in the units of the selector: lines 0-50 of 1200.
	View string `json:"view"`
	// Text is a part of a text, cleaned.
	Text string `json:"text,omitempty"`
	// Data is a part of a JSON document or a table, as compact JSON. Its strings are cleaned. The order of keys and the
	// spelling of numbers are those of the artifact.
	Data json.RawMessage `json:"data,omitempty"`
	// Next is the selector of the next page. It is nil at the end.
	Next json.RawMessage `json:"next,omitempty"`
	// Note says what was cut and how to see it.
	Note string `json:"note,omitempty"`

	encoded bool // the text is base64
}

// Look applies a selector to the data of an artifact (gateway surface, section
// 4.2). Opts may be nil.
//
// A selector is a JSON object with a type. All members but query and path are
// optional, and numbers count from 0, with end after the last one that is shown:
//
//	{"type":"head","start":0,"chars":2000}              characters from start on
//	{"type":"tail","chars":2000,"end":9000}             characters before end
//	{"type":"lines","start":0,"end":50}                 lines
//	{"type":"rows","start":0,"end":20,"path":"$.items","columns":["id","name"]}
//	{"type":"json_keys","keys":["a"],"path":"$.item"}   members; without keys their types
//	{"type":"path","path":"$.items[?@.n>3].name"}       nodes of a JSON path (RFC 9535)
//	{"type":"search","query":"text","context":2,"regexp":false}
//	{"type":"bytes","start":0,"end":1024}               base64
//
// Details of the selectors:
//
//   - rows: the elements of the JSON array at path, or the records of a table (CSV, TSV) with its header as columns.
//     Without path, the elements of the document, or of its largest array.
//   - json_keys of an array are those of its elements.
//   - search ignores case and finds lines, or keys and values with their paths in a JSON document without lines.
//   - json_keys, path and search count their findings; start skips that many.
//
// A client that follows Next sees everything once. An item that is too large for a page is cut, and the note says how
// to see it. Of duplicate keys both are shown; with columns or keys in the selector, the last.
//
// The error is a [*SelectorError], or that of ctx. Look takes time linear in the data, except for paths and regular
// expressions, whose work is bounded. It is safe for concurrent use as long as nobody modifies data, and keeps nothing.
func Look(ctx context.Context, data []byte, mediaType string, selector json.RawMessage, opts *Options) (*Page, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Limit <= 0 {
		o.Limit = DefaultLimit
	}
	for limit := o.Limit; ; limit /= 2 {
		page, err := lookWithin(ctx, data, mediaType, selector, max(limit, minLimit))
		if err != nil || o.Redact == nil || page.redact(o.Redact) == 0 || page.length() <= max(o.Limit, minLimit) {
			return page, err
		}
		// Marks may be longer than the secrets: retry with a smaller part.
		if limit < minLimit {
			return nil, &SelectorError{Message: "most of this part is secret; choose a smaller one"}
		}
	}
}

func lookWithin(ctx context.Context, data []byte, mediaType string, raw json.RawMessage, limit int) (*Page, error) {
	s, err := parseSelector(raw, limit/4)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l := &look{ctx: ctx, data: data, media: mediaType, limit: limit, selector: *s}
	return l.page()
}

// redact replaces the secrets in the page, and returns their number.
func (p *Page) redact(redact func(string) (string, int)) int {
	if p.encoded {
		return 0 // base64 matches secrets only by chance
	}
	text, n := redact(p.Text)
	data, m := redact(string(p.Data))
	p.Text = text
	if m > 0 {
		p.Data = []byte(data)
	}
	return n + m
}

// length returns the characters of the page as JSON.
func (p *Page) length() int {
	raw, _ := json.Marshal(p) // its data is valid JSON
	return utf8.RuneCount(raw)
}

// A look is one application of a selector.
type look struct {
	ctx   context.Context
	data  []byte
	media string
	limit int
	selector
}

// page shows what the selector asks for.
func (l *look) page() (*Page, error) {
	switch l.kind {
	case "bytes":
		return l.bytes()
	case "rows":
		return l.rows()
	case "json_keys":
		return l.jsonKeys()
	case "path":
		return l.nodes()
	}
	if kind := notText(l.data, l.media); kind != "" {
		return nil, selectorErrorf(`this artifact is %s, not text: {"type":"bytes","start":0,"end":%d} shows its bytes`,
			kind, min(len(l.data), 1024))
	}
	switch l.kind {
	case "tail":
		return l.tail()
	case "lines":
		return l.lines()
	case "search":
		return l.search()
	}
	return l.head()
}

// Bounds of the fixed parts of a page, in characters.
const (
	roomView = 120 // a description
	roomNote = 240 // a note
	roomRest = 60  // names, quotes and braces
)

// room returns the characters that are left for the shown part.
func (l *look) room() int {
	next := l.selector
	next.start = largest
	if next.end != missing {
		next.end = largest
	}
	return l.limit - roomView - roomNote - roomRest - rawCost(next.json())
}

// after returns the selector of the page after one that ends before end. Its range has the same width.
func (l *look) after(end int) json.RawMessage {
	next := l.selector
	if next.end != missing {
		next.end += end - max(next.start, 0)
	}
	next.start = end
	return next.json()
}

// from returns the start of the range, which must be within count things.
func (l *look) from(count int, things string) (int, error) {
	start := max(l.start, 0)
	if start > 0 && start >= count {
		return 0, selectorErrorf("start is beyond the end: there are %d %s, and the first is 0", count, things)
	}
	return start, nil
}

// to returns the end of the range, at most count.
func (l *look) to(count int) int {
	if l.end == missing {
		return count
	}
	return min(l.end, count)
}

// Binary reports whether data is not text: its beginning has a NUL, or more than a tenth of it is not UTF-8.
func Binary(data []byte) bool {
	data = data[:min(len(data), 8192)]
	if bytes.IndexByte(data, 0) >= 0 {
		return true
	}
	wrong := 0
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			wrong++
		}
		i += n
	}
	return wrong > 3+len(data)/10
}
