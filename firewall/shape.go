package firewall

import (
	"strings"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// An Outline says what a JSON document is, without being it.
type Outline struct {
	// Text has a line for the document, one for each member of its top level, and
	// one for the first element of its largest array.
	Text string
	// Facts are one or two short statements: what the document is, and its
	// largest array.
	Facts []string
	// List is the JSON path of the largest array that is reached through objects
	// alone, $ if the document is one. It is empty if there is none.
	List string
}

// Bounds of an [Outline], in characters.
const (
	maxShown   = 80  // a value or a key
	maxLine    = 400 // a line
	maxExample = 600 // the first element of a list
)

// Shape describes a JSON document in at most limit characters of text, all of
// them clean. It reports false if data is not JSON. It takes time linear in the
// data.
func Shape(data []byte, limit int) (Outline, bool) {
	l := look{data: data}
	doc, ok := l.document()
	if !ok {
		return Outline{}, false
	}
	list, ok := largestArray(doc)
	o := Outline{Facts: []string{"JSON: " + describe(doc)}}
	if ok {
		o.List = list.path
	}
	if ok && list.path != "$" {
		o.Facts = append(o.Facts, clean.Line(list.path+": "+describe(list.raw), maxLine))
	}
	example := exampleOf(list, min(maxExample, limit/2))
	o.Text = outline(doc, limit-utf8.RuneCountInString(example)) + example
	o.Text = clean.Cut(o.Text, max(limit, 1))
	return o, true
}

// outline describes a document in lines of limit characters in all, more or less.
func outline(doc []byte, limit int) string {
	var b strings.Builder
	b.WriteString(clean.Line(describe(doc)+fieldsText(doc), maxLine))
	for key, value := range strictjson.RawMembers(doc) {
		name := appendMember([]byte{'$'}, string(inner(abridgedString(key, maxShown))))
		line := clean.Line(string(name)+": "+summary(value), maxLine)
		if b.Len()+len(line) > limit {
			b.WriteString("\n…")
			break
		}
		b.WriteString("\n" + line)
	}
	return b.String()
}

// summary is a value on one line: itself if it is short, else what it is.
func summary(value []byte) string {
	if value[0] == '{' || value[0] == '[' || len(value) > maxShown {
		return describe(value) + fieldsText(value)
	}
	return string(value)
}

// exampleOf is a line with the first element of a list, in limit characters.
func exampleOf(list listAt, limit int) string {
	for _, first := range strictjson.Elements(list.raw) {
		room := limit - len(list.path) - len("\n[0]: ")
		if room < maxShown/2 {
			return ""
		}
		short, ok := appendClean(nil, first, room)
		if !ok {
			short = abridge(first, room)
		}
		return "\n" + list.path + "[0]: " + string(short)
	}
	return ""
}

// A listAt is an array in a document.
type listAt struct {
	path string
	raw  []byte
}

// Bounds of the search for an array: objects in one another, and the cost of a
// path, which a page must have room for in the next selector.
const (
	listDepth = 5
	listPath  = 150
)

// largestArray returns the array that takes the most bytes of those that are
// reached through objects alone, by a path that is not too long.
func largestArray(doc []byte) (best listAt, ok bool) {
	if doc[0] == '[' {
		return listAt{"$", doc}, true
	}
	best.search(doc, []byte{'$'}, listDepth)
	return best, best.raw != nil
}

func (best *listAt) search(object, path []byte, depth int) {
	for key, value := range strictjson.RawMembers(object) {
		if len(value) <= len(best.raw) || len(key) > listPath || value[0] != '[' && value[0] != '{' {
			continue
		}
		at := appendMember(path[:len(path):len(path)], string(inner(key)))
		switch {
		case textCost(at, listPath) > listPath:
		case value[0] == '[':
			best.path, best.raw = string(at), value
		case depth > 1:
			best.search(value, at, depth-1)
		}
	}
}
