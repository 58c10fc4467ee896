package view

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A Suggestion is a selector that works for some data. The firewall's notice shows them as next steps, such as
// {"rows":[0,20],"path":"$.orders"} with the label "first rows of 500".
type Suggestion struct {
	Label    string
	Selector json.RawMessage
}

// Suggest returns at most four selectors for the data, best first. Each of them shows something. It takes time linear
// in the data.
func (s *Survey) Suggest() []Suggestion {
	var list suggestions
	switch {
	case s.doc != nil && looksLikeJSON(s.doc):
		list.json(s)
	case len(s.data) == 0:
	case notText(s.data, s.mediaType) != "":
		list.add("first bytes in base64", ranged("bytes", 0, min(1024, len(s.data))))
	default:
		list.text(s.data, s.mediaType)
	}
	return list
}

type suggestions []Suggestion

func (s *suggestions) add(label string, sel selector) {
	*s = append(*s, Suggestion{Label: label, Selector: sel.json()})
}

// plain returns a selector of a kind, without numbers.
func plain(kind string) selector { return ranged(kind, missing, missing) }

// ranged returns a selector for the range from start to end.
func ranged(kind string, start, end int) selector {
	return selector{kind: kind, start: start, end: end, chars: missing, context: missing}
}

// json suggests views of an array or an object. A survey has the largest array of the document, and where it is.
func (s *suggestions) json(survey *Survey) {
	list := survey.list
	if survey.count > 0 {
		rows := ranged("rows", 0, 20)
		rows.path = list.path
		s.add(fmt.Sprintf("first rows of %d", survey.count), rows)
	}
	keys := plain("json_keys")
	if survey.doc[0] == '{' {
		s.add("keys and types of the document", keys)
	}
	if survey.count == 0 {
		s.add("beginning", plain("head"))
		return
	}
	if list.path != "$" {
		keys.path = list.path
	}
	fields := fieldsOf(list.raw, sampled)
	if len(fields.list) == 0 {
		return
	}
	s.add("keys and types of the rows", keys)
	for _, f := range fields.list {
		if utf8.Valid(f.key) && (f.kinds[strictjson.String] || f.kinds[strictjson.Number]) {
			path := plain("path")
			path.path = string(appendMember([]byte(list.path+"[*]"), string(inner(f.key))))
			if textCost([]byte(path.path), maxPathCost) <= maxPathCost {
				s.add("one column", path)
			}
			return
		}
	}
}

// text suggests views of text.
func (s *suggestions) text(data []byte, mediaType string) {
	if _, ok := newTable(data, mediaType); ok && (looksLikeTable(data, ',') || !strings.HasPrefix(mediaType, "text/plain")) {
		s.add("first rows", ranged("rows", 0, 20))
	}
	if n := countLines(data); n > 1 {
		s.add(fmt.Sprintf("first lines of %d", n), ranged("lines", 0, 50))
	} else {
		s.add("beginning", plain("head"))
	}
	s.add("end", plain("tail"))
}
