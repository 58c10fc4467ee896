package gate

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// blank is JSON's white space. TrimSpace of the standard library removes more.
const blank = " \t\r\n"

// minShare sets the least part of an object that a list must fill to be named: one byte in
// minShare. Two tags beside a long text do not summarise it.
const minShare = 10

// listDepth is the most levels of objects around a list: {"data": {"orders": [...]}} is common. A
// list below four levels has no name that helps a model to narrow the query.
const listDepth = 4

// countJSON summarises a JSON text. Text other than an object or an array counts in lines.
func countJSON(data []byte) Summary {
	data = bytes.Trim(data, blank)
	if len(data) == 0 || data[0] != '{' && data[0] != '[' || !strictjson.Valid(data) {
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

// noun returns the name of a list's items from its key, or "" if the key does not name them.
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

// scanner walks valid JSON once, without building values. It descends through objects only, and no
// deeper than listDepth.
type scanner struct {
	data []byte
	pos  int
	best list
}

// list is an array found in an object: its key as quoted JSON, the number of its elements, and its
// size in bytes.
type list struct {
	key         []byte
	count, size int
}

// object reads an object whose brace is at pos and returns the number of its members. It keeps the
// longest list below it in best.
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

// member reads the value of an object's member.
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

// array reads the array or object at pos and returns the number of its elements: its commas and one
// more, unless it is empty.
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

// seek moves to the next byte that is one of chars. No string may stand in between.
func (s *scanner) seek(chars string) {
	s.pos += bytes.IndexAny(s.data[s.pos:], chars)
}

func (s *scanner) space() {
	for strings.IndexByte(blank, s.data[s.pos]) >= 0 {
		s.pos++
	}
}
