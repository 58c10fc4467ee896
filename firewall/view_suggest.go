package firewall

import (
	"fmt"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// SuggestViews returns selectors that fit the data, best first, at most four.
// Each of them shows something. It takes time linear in the data.
func SuggestViews(handle string, data []byte, mediaType string) []View {
	s := suggestions{handle: handle}
	l := look{data: data}
	if doc, ok := l.document(); ok && looksLikeJSON(data) {
		s.json(doc)
		return s.views
	}
	switch {
	case len(data) == 0:
	case binary(data):
		s.add("first bytes in base64", ranged("bytes", 0, min(1024, len(data))))
	default:
		s.text(data, mediaType)
	}
	return s.views
}

// Suggestions are views of one artifact.
type suggestions struct {
	handle string
	views  []View
}

func (s *suggestions) add(label string, sel selector) {
	s.views = append(s.views, View{Label: label, Handle: s.handle, Selector: sel.json()})
}

// ranged is a selector for what stands from start to end.
func ranged(kind string, start, end int) selector {
	return selector{kind: kind, start: start, end: end, chars: missing, context: missing}
}

// json suggests views of an array or an object.
func (s *suggestions) json(doc []byte) {
	list, ok := largestArray(doc)
	n := size(list.raw)
	if ok && n > 0 {
		rows := ranged("rows", 0, 20)
		rows.path = list.path
		s.add(fmt.Sprintf("first rows of %d", n), rows)
	}
	keys := ranged("json_keys", missing, missing)
	if doc[0] == '{' {
		s.add("keys and types of the document", keys)
	}
	if !ok || n == 0 {
		s.add("beginning", ranged("head", missing, missing))
		return
	}
	if list.path != "$" {
		keys.path = list.path
	}
	fields := fieldsOf(list.raw, sample)
	if len(fields.list) == 0 {
		return
	}
	s.add("keys and types of the rows", keys)
	for _, f := range fields.list {
		if f.kinds[strictjson.String] || f.kinds[strictjson.Number] {
			path := ranged("path", missing, missing)
			path.path = string(appendMember([]byte(list.path+"[*]"), string(inner(f.key))))
			if textCost([]byte(path.path), listPath) <= listPath {
				s.add("one column", path)
			}
			return
		}
	}
}

// text suggests views of text.
func (s *suggestions) text(data []byte, mediaType string) {
	if _, ok := newTable(data, mediaType); ok {
		s.add("first rows", ranged("rows", 0, 20))
	}
	if n := countLines(data); n > 1 {
		s.add(fmt.Sprintf("first lines of %d", n), ranged("lines", 0, 50))
	} else {
		s.add("beginning", ranged("head", missing, missing))
	}
	s.add("end", ranged("tail", missing, missing))
}
