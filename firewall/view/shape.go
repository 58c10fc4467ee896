package view

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// An Outline is a short description of a JSON document.
type Outline struct {
	// Text has one line for the document, one for each top-level member, and one for the first element of the largest
	// array.
	Text string
	// Facts are one or two short statements: about the document and its largest array.
	Facts []string
	// List is the JSON path of the largest array that is reachable through objects alone, or $ if the document is an
	// array. It is empty if there is none.
	List string
}

// Bounds of an [Outline], in characters.
const (
	maxShown   = 80  // a value or a key
	maxLine    = 400 // a line
	maxExample = 600 // the first element of a list
)

// maxTop is the most members of a document that an [Outline] lists.
const maxTop = 1000

// A Survey holds the results of one pass over data. It gives an [Outline] and suggests views. It is safe for concurrent
// use, as long as nobody modifies the data.
type Survey struct {
	data      []byte
	mediaType string
	// Of JSON only:
	doc   []byte // the document; nil if the data is not JSON
	what  string // describes doc
	list  listAt // the largest array, if there is one
	items string // describes the list
	count int    // elements of the list
	keys  int    // members of the document
	top   []topMember
}

// A topMember is a member of the document, as spelled.
type topMember struct{ key, value []byte }

// NewSurvey analyses data, in time linear in it.
func NewSurvey(data []byte, mediaType string) *Survey {
	if !strictjson.Valid(document(data)) {
		return &Survey{data: data, mediaType: mediaType}
	}
	return SurveyJSON(data, mediaType)
}

// SurveyJSON is [NewSurvey] for data that is known to be valid JSON.
func SurveyJSON(data []byte, mediaType string) *Survey {
	doc := document(data)
	s := &Survey{data: data, mediaType: mediaType, doc: doc}
	s.read()
	if s.list.raw != nil {
		n, noun := elementsOf(s.list.raw)
		s.count, s.items = n, "array of "+plural(n, noun)
	}
	if doc[0] == '{' {
		s.what = objectWith(s.keys)
	} else {
		s.what = s.describe(doc)
	}
	return s
}

// read finds the largest array and the first members of the document, in one pass if the array is among them.
func (s *Survey) read() {
	if s.doc[0] != '{' {
		s.list = largestArray(s.doc)
		return
	}
	s.list.search(func(yield func(key, value []byte) bool) {
		for key, value := range strictjson.RawMembers(s.doc) {
			if s.keys++; s.keys <= maxTop+1 { // one more than is listed
				s.top = append(s.top, topMember{key, value})
			}
			if !yield(key, value) {
				return
			}
		}
	}, []byte{'$'}, listDepth)
}

// members returns the first members of the document.
func (s *Survey) members() iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		for _, m := range s.top {
			if !yield(m.key, m.value) {
				return
			}
		}
	}
}

// describe returns the description of a value, as the function describe does. It reuses the results of the survey.
func (s *Survey) describe(value []byte) string {
	if s.items != "" && len(value) == len(s.list.raw) && &value[0] == &s.list.raw[0] {
		return s.items
	}
	return describe(value)
}

// Outline describes a JSON document in at most limit clean characters. It reports false if the data is not JSON.
func (s *Survey) Outline(limit int) (Outline, bool) {
	if s.doc == nil {
		return Outline{}, false
	}
	o := Outline{Facts: []string{"JSON: " + s.what}, List: s.list.path}
	if s.items != "" && s.list.path != "$" {
		o.Facts = append(o.Facts, clean.Line(s.list.path+": "+s.items, maxLine))
	}
	example := exampleOf(s.list, min(maxExample, limit/2))
	o.Text = s.lines(limit-utf8.RuneCountInString(example)) + example
	o.Text = clean.Cut(o.Text, max(limit, 1))
	return o, true
}

// lines describes the document in about limit characters.
func (s *Survey) lines(limit int) string {
	var b strings.Builder
	b.WriteString(clean.Line(s.what+fieldsText(s.doc, s.members()), maxLine))
	for i, m := range s.top {
		name := appendMember([]byte{'$'}, string(inner(abridgedString(m.key, maxShown))))
		line := clean.Line(string(name)+": "+s.summary(m.value), maxLine)
		if i == maxTop || b.Len()+len(line) > limit {
			b.WriteString("\n…")
			break
		}
		b.WriteString("\n" + line)
	}
	return b.String()
}

// summary returns a short value itself, or the description of a longer one, on one line.
func (s *Survey) summary(value []byte) string {
	if value[0] == '{' || value[0] == '[' || len(value) > maxShown {
		return s.describe(value) + fieldsText(value, strictjson.RawMembers(value))
	}
	return string(value)
}

// exampleOf returns a line with the first element of a list, in limit characters.
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

// A listAt is an array in a document, with its path. The zero value is none.
type listAt struct {
	path string
	raw  []byte
}

// Bounds of the search for an array: the nesting of objects, and the cost of a path, because the next selector must fit
// in a page.
const (
	listDepth   = 5
	maxPathCost = 150
)

// largestArray returns the array with the most bytes that is reachable through objects alone by a path that is not too
// long. A key that is not UTF-8 has no path.
func largestArray(doc []byte) (best listAt) {
	if doc[0] == '[' {
		return listAt{"$", doc}
	}
	best.search(strictjson.RawMembers(doc), []byte{'$'}, listDepth)
	return best
}

func (best *listAt) search(members iter.Seq2[[]byte, []byte], path []byte, depth int) {
	for key, value := range members {
		if len(value) <= len(best.raw) || len(key) > maxPathCost || !utf8.Valid(key) || value[0] != '[' && value[0] != '{' {
			continue
		}
		at := appendMember(path[:len(path):len(path)], string(inner(key)))
		switch {
		case textCost(at, maxPathCost) > maxPathCost:
		case value[0] == '[':
			best.path, best.raw = string(at), value
		case depth > 1:
			best.search(strictjson.RawMembers(value), at, depth-1)
		}
	}
}
