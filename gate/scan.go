package gate

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// blank is JSON's white space; TrimSpace of the standard library has more.
const blank = " \t\r\n"

// minShare is the part of an object, one in so many bytes, that a list must
// take up to be named: two tags next to a long text do not sum it up.
const minShare = 10

// listDepth bounds how many objects deep a list is looked for: {"data":
// {"orders": [...]}} is common, more than four levels name nothing a model
// could narrow by.
const listDepth = 4

// countJSON summarises a JSON text; what is not an object or an array, or not
// JSON at all, counts in lines.
func countJSON(data []byte) Summary {
	data = bytes.Trim(data, blank)
	if len(data) == 0 || data[0] != '{' && data[0] != '[' || !json.Valid(data) {
		return Summary{Kind: Lines, Count: countLines(string(data))}
	}
	s := scanner{data: data}
	if data[0] == '[' {
		return Summary{Kind: Items, Count: s.array()}
	}
	keys := s.object(1)
	if s.best.count == 0 || s.best.size < len(data)/minShare {
		return Summary{Kind: Keys, Count: keys}
	}
	return Summary{Kind: Items, Count: s.best.count, Noun: noun(s.best.key)}
}

// noun returns the name that a key gives to the items of its list, "" for keys
// that say nothing about them.
func noun(key []byte) string {
	var name string
	if json.Unmarshal(key, &name) != nil {
		return ""
	}
	name = cleanName(name)
	if slices.Contains([]string{"data", "result", "value", "list", "content"}, name) {
		return ""
	}
	return name
}

// scanner walks JSON that is known to be valid, once, without building values.
// It descends through objects only, and no deeper than listDepth.
type scanner struct {
	data []byte
	pos  int
	best list
}

// list is an array found in an object: the key that holds it, as quoted JSON,
// the number of its elements, and the room it takes.
type list struct {
	key         []byte
	count, size int
}

// object reads an object whose brace is at pos and returns how many members it
// has; the longest list below it is kept in best.
func (s *scanner) object(depth int) int {
	s.pos++ // the brace
	for members := 0; ; members++ {
		s.seek(`"}`)
		if s.data[s.pos] == '}' {
			s.pos++
			return members
		}
		key := s.str()
		s.seek(":")
		s.pos++
		s.member(key, depth)
	}
}

func (s *scanner) member(key []byte, depth int) {
	s.space()
	start := s.pos
	switch c := s.data[s.pos]; {
	case c == '[':
		count := s.array()
		if size := s.pos - start; count > 0 && size > s.best.size {
			s.best = list{key, count, size}
		}
	case c == '{' && depth < listDepth:
		s.object(depth + 1)
	case c == '{':
		s.array() // skips an object as well
	case c == '"':
		s.str()
	default:
		s.seek(",}")
	}
}

// array reads the array or object at pos and returns how many elements it has:
// its commas and one more, unless there is nothing inside.
func (s *scanner) array() int {
	commas, depth, empty := 0, 0, true
	for {
		switch c := s.data[s.pos]; c {
		case '"':
			empty = false
			s.str()
			continue
		case '[', '{':
			empty = empty && depth == 0
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 1 {
				commas++
			}
		case ' ', '\t', '\r', '\n':
		default:
			empty = false
		}
		s.pos++
		switch {
		case depth > 0:
		case empty:
			return 0
		default:
			return commas + 1
		}
	}
}

// str reads the string at pos and returns it with its quotes.
func (s *scanner) str() []byte {
	start := s.pos
	for s.pos++; s.data[s.pos] != '"'; s.pos++ {
		if s.data[s.pos] == '\\' {
			s.pos++
		}
	}
	s.pos++
	return s.data[start:s.pos]
}

// seek moves to the next byte that is one of chars. It is used only where no
// string can stand in between.
func (s *scanner) seek(chars string) {
	s.pos += bytes.IndexAny(s.data[s.pos:], chars)
}

func (s *scanner) space() {
	for strings.IndexByte(blank, s.data[s.pos]) >= 0 {
		s.pos++
	}
}
