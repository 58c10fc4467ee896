package view

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A SelectorError says why a selector shows nothing. Its text is for the model: one clean line that names the next
// step. It quotes nothing from the artifact or the selector, except names of members.
type SelectorError struct {
	Message string
}

// Error returns the message.
func (e *SelectorError) Error() string { return e.Message }

func selectorErrorf(format string, args ...any) *SelectorError {
	return &SelectorError{fmt.Sprintf(format, args...)}
}

// largest is the largest number of a selector. All JSON readers agree on integers up to it.
const largest = 1<<53 - 1

// missing is the value of an absent number.
const missing = -1

// A selector is a parsed selector. Absent numbers are missing.
type selector struct {
	kind    string
	start   int
	end     int
	chars   int
	context int
	path    string
	query   string
	regexp  bool
	columns []string
	keys    []string
}

// selectorTypes lists the types in the order of messages, with the members of each.
var selectorTypes = []struct {
	kind    string
	members []string
}{
	{"head", []string{"start", "chars"}},
	{"tail", []string{"end", "chars"}},
	{"lines", []string{"start", "end"}},
	{"rows", []string{"start", "end", "path", "columns"}},
	{"json_keys", []string{"keys", "path", "start"}},
	{"path", []string{"path", "start", "end"}},
	{"search", []string{"query", "regexp", "context", "start"}},
	{"bytes", []string{"start", "end"}},
}

// parseSelector parses a selector of at most most characters.
func parseSelector(raw json.RawMessage, most int) (*selector, error) {
	if len(raw) > most {
		return nil, tooLong(most)
	}
	if err := strictjson.CheckDepth(raw, 2); err != nil || strictjson.KindOf(raw) != strictjson.Object {
		return nil, selectorErrorf(`a selector is a JSON object, such as {"type":"lines","start":0,"end":50}; the types are %s`, kinds())
	}
	s := &selector{start: missing, end: missing, chars: missing, context: missing}
	s.kind = strictjson.Text(strictjson.Member(raw, "type"))
	allowed, ok := membersOf(s.kind)
	if !ok {
		return nil, selectorErrorf("the type of a selector is one of %s", kinds())
	}
	for name, value := range strictjson.Members(raw) {
		if name == "type" {
			continue
		}
		if !slices.Contains(allowed, name) {
			return nil, selectorErrorf("%s has no member %q: it has %s", s.kind, clean.Line(name, 32), strings.Join(allowed, ", "))
		}
		if err := s.set(name, value); err != nil {
			return nil, err
		}
	}
	if rawCost(s.json()) > most { // a page must have room for the next selector
		return nil, tooLong(most)
	}
	return s, s.check()
}

func tooLong(most int) error {
	return selectorErrorf("the selector is too long: as JSON it may have %d characters", most)
}

// kinds returns the list of types as a text.
func kinds() string {
	var names []string
	for _, t := range selectorTypes {
		names = append(names, t.kind)
	}
	return strings.Join(names, ", ")
}

func membersOf(kind string) (members []string, ok bool) {
	for _, t := range selectorTypes {
		if t.kind == kind {
			return t.members, true
		}
	}
	return nil, false
}

// A member is one member of a selector and the address of its value: exactly one pointer is not nil.
type member struct {
	name   string
	number *int
	least  int // of the number
	text   *string
	list   *[]string
	flag   *bool
}

// members lists the members in the order of their JSON form.
func (s *selector) members() []member {
	return []member{
		{name: "start", number: &s.start}, {name: "end", number: &s.end}, {name: "chars", number: &s.chars, least: 1}, {name: "context", number: &s.context},
		{name: "path", text: &s.path}, {name: "query", text: &s.query}, {name: "regexp", flag: &s.regexp},
		{name: "columns", list: &s.columns}, {name: "keys", list: &s.keys},
	}
}

// set parses one member.
func (s *selector) set(name string, value []byte) (err error) {
	all := s.members()
	switch m := all[slices.IndexFunc(all, func(m member) bool { return m.name == name })]; {
	case m.number != nil:
		*m.number, err = number(name, value, m.least)
	case m.text != nil:
		if !strictjson.Take(m.text, value) {
			return selectorErrorf("%s must be a string", name)
		}
	case m.list != nil:
		*m.list, err = texts(name, value)
	case !strictjson.Take(m.flag, value):
		return selectorErrorf("%s is true or false", name)
	}
	return err
}

// check validates the members against each other.
func (s *selector) check() error {
	switch {
	case s.end != missing && s.kind != "tail" && s.end <= max(s.start, 0):
		return selectorErrorf("end must be greater than start: the range goes from start to the one before end")
	case s.kind == "search" && s.query == "":
		return selectorErrorf("search needs a query, the text to look for")
	case s.kind == "path" && s.path == "":
		return selectorErrorf(`path needs a path, such as "$.items[*].name"`)
	case s.context > maxContext:
		return selectorErrorf("context is at most %d lines", maxContext)
	}
	return nil
}

// number parses an integer of at least least. A spelling such as 10.0 counts.
func number(name string, value []byte, least int) (int, error) {
	var n int
	if !strictjson.Take(&n, value) || n < least || n > largest {
		return 0, selectorErrorf("%s must be a whole number, at least %d", name, least)
	}
	return n, nil
}

// texts parses an array of strings that is not empty.
func texts(name string, value []byte) ([]string, error) {
	var list []string
	for _, e := range strictjson.Elements(value) {
		if strictjson.KindOf(e) != strictjson.String {
			return nil, selectorErrorf("%s must be a list of strings", name)
		}
		list = append(list, strictjson.Text(e))
	}
	if list == nil {
		return nil, selectorErrorf("%s must be a list of strings, and not empty", name)
	}
	return list, nil
}

// json returns the JSON form of s.
func (s *selector) json() json.RawMessage {
	b := append([]byte(`{"type":`), appendQuoted(nil, s.kind)...)
	for _, m := range s.members() {
		switch name := append(appendQuoted([]byte{','}, m.name), ':'); {
		case m.number != nil && *m.number != missing:
			b = strconv.AppendInt(append(b, name...), int64(*m.number), 10)
		case m.text != nil && *m.text != "":
			b = appendQuoted(append(b, name...), *m.text)
		case m.flag != nil && *m.flag:
			b = append(append(b, name...), "true"...)
		case m.list != nil && *m.list != nil:
			b = appendList(append(b, name...), *m.list)
		}
	}
	return append(b, '}')
}

func appendList(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuoted(b, s)
	}
	return append(b, ']')
}
