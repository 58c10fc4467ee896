package check

import "strings"

// A slot is a place in a message for a payload: a value, or the name of a member.
type slot struct {
	start, end int
	path       string // such as params.arguments.order_id
	key        bool   // the member's name, not its value
	text       bool   // holds a string
}

// slotsOf returns the slots inside a JSON object.
func slotsOf(doc string) []slot {
	s := &slotScanner{doc: doc}
	s.value("")
	return s.slots[:len(s.slots)-1]
}

// A slotScanner scans well-formed JSON.
type slotScanner struct {
	doc   string
	at    int
	slots []slot
}

// value scans a value. Its own slot comes after those inside it.
func (s *slotScanner) value(path string) {
	s.space()
	start := s.at
	switch s.doc[s.at] {
	case '{':
		s.members(path)
	case '[':
		s.elements(path)
	case '"':
		s.text()
	default:
		s.at += len(s.doc[s.at:]) - len(strings.TrimLeft(s.doc[s.at:], "+-.0123456789abcdefghijklmnopqrstuvwxyzE"))
	}
	s.slots = append(s.slots, slot{start: start, end: s.at, path: path, text: s.doc[start] == '"'})
}

func (s *slotScanner) members(path string) {
	for s.at++; s.more('}'); {
		start := s.at
		s.text()
		name := strings.TrimPrefix(path+"."+s.doc[start+1:s.at-1], ".")
		s.slots = append(s.slots, slot{start: start, end: s.at, path: name, key: true, text: true})
		s.space()
		s.at++ // the colon
		s.value(name)
	}
}

func (s *slotScanner) elements(path string) {
	for s.at++; s.more(']'); {
		s.value(path + "[]")
	}
}

// more skips a separator, and reports whether the container continues.
func (s *slotScanner) more(closing byte) bool {
	s.space()
	switch s.doc[s.at] {
	case closing:
		s.at++
		return false
	case ',':
		s.at++
		s.space()
	}
	return true
}

func (s *slotScanner) text() {
	for s.at++; s.doc[s.at] != '"'; s.at++ {
		if s.doc[s.at] == '\\' {
			s.at++
		}
	}
	s.at++
}

func (s *slotScanner) space() {
	for strings.IndexByte(" \t\r\n", s.doc[s.at]) >= 0 {
		s.at++
	}
}
