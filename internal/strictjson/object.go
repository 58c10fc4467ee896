package strictjson

import (
	"bytes"
	"fmt"
)

// smallObject is the number of keys up to which they are compared one by one. Beyond it a set is used.
const smallObject = 16

// stackKeys is the number of keys that all open small objects share. The keys are an array, not a slice, so that a
// scanner stays off the heap.
const stackKeys = 4 * smallObject

// A span is the location of a key in the document, without its quotes.
type span struct{ start, end int }

// object scans an object whose brace is at pos.
func (s *scanner) object(depth int) *Error {
	s.pos++
	s.space()
	if s.peek() == '}' {
		s.pos++
		return nil
	}
	names := names{first: s.open}
	for {
		if err := s.member(&names, depth); err != nil {
			return err
		}
		s.space()
		switch s.peek() {
		case ',':
			s.pos++
			s.space()
		case '}':
			s.pos++
			s.open = names.first
			return nil
		default:
			return s.expected("',' or '}' after an object member")
		}
	}
}

// member scans a key, its colon and its value.
func (s *scanner) member(names *names, depth int) *Error {
	if s.peek() != '"' {
		return s.expected("a key in double quotes")
	}
	start := s.pos
	escaped, err := s.str()
	if err != nil {
		return err
	}
	if !s.loose {
		if err := s.note(names, start, s.pos, escaped); err != nil {
			return err
		}
	}
	exempt := depth == 1 && s.except != "" && s.named(s.except, start, escaped)
	s.space()
	if s.peek() != ':' {
		return s.expected("':' after an object key")
	}
	s.pos++
	s.space()
	if !exempt {
		return s.value(depth)
	}
	levels, most, left := s.levels, s.most, s.left
	s.loose, s.levels, s.most = true, depthCeiling, 0
	err = s.value(depth)
	s.loose, s.levels, s.most, s.left = false, levels, most, left
	return err
}

// named reports whether the key that was just scanned, from start on, equals name.
func (s *scanner) named(name string, start int, escaped bool) bool {
	key := s.data[start+1 : s.pos-1]
	if escaped {
		key = unescape(nil, key)
	}
	return string(key) == name
}

// names are the keys of one open object: a part of the scanner's array while they are few and unescaped, then a set.
type names struct {
	first int // index in scanner.keys of this object's first key
	set   map[string]struct{}
}

// note records the quoted key data[start:end], and rejects a duplicate.
func (s *scanner) note(names *names, start, end int, escaped bool) *Error {
	key := span{start + 1, end - 1}
	if names.set == nil {
		if !escaped && s.open-names.first < smallObject && s.open < stackKeys {
			return s.noteSmall(names, key)
		}
		s.grow(names)
	}
	name := s.name(key, escaped)
	if _, found := names.set[name]; found {
		return duplicate(start, name)
	}
	names.set[name] = struct{}{}
	return nil
}

// noteSmall is note for an unescaped key of a small object.
func (s *scanner) noteSmall(names *names, key span) *Error {
	name := s.data[key.start:key.end]
	for _, k := range s.keys[names.first:s.open] {
		if k.end-k.start == len(name) && bytes.Equal(s.data[k.start:k.end], name) {
			return duplicate(key.start-1, string(name))
		}
	}
	s.keys[s.open] = key
	s.open++
	return nil
}

// grow moves the keys of an object from the array to a set.
func (s *scanner) grow(names *names) {
	own := s.keys[names.first:s.open]
	names.set = make(map[string]struct{}, 2*len(own))
	for _, k := range own {
		names.set[s.name(k, false)] = struct{}{}
	}
	s.open = names.first
}

// name returns a key for a set. Unescaped keys are substrings of one copy of the document, so that a million keys are
// not a million allocations.
func (s *scanner) name(key span, escaped bool) string {
	if escaped {
		return string(unescape(nil, s.data[key.start:key.end]))
	}
	if s.text == "" {
		s.text = string(s.data)
	}
	return s.text[key.start:key.end]
}

func duplicate(offset int, key string) *Error {
	return fail(offset, "duplicate key "+quote(key))
}

func tooDeep(levels int) string {
	return fmt.Sprintf("arrays and objects nested deeper than %d", levels)
}
