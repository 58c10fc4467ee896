package strictjson

import "fmt"

// MaxDepth is the deepest nesting of arrays and objects that Check accepts.
const MaxDepth = 64

// depthCeiling bounds the argument of CheckDepth, because the scanner uses one stack frame per level. encoding/json has
// the same bound.
const depthCeiling = 10_000

// Check reports whether data is exactly one JSON document by RFC 8259, with optional white space around it. It also
// rejects
//
//   - duplicate keys in one object, compared after unescaping
//   - invalid UTF-8, and escapes of lone surrogates
//   - nesting deeper than MaxDepth
//   - empty input, and data after the document
//
// The error is nil or an *Error. Check is safe for concurrent use and keeps no reference to data.
func Check(data []byte) error {
	return CheckDepth(data, MaxDepth)
}

// CheckDepth is Check with another bound on nesting. 0 and less only accepts scalars; more than 10,000 counts as
// 10,000.
func CheckDepth(data []byte, maxDepth int) error {
	s := scanner{data: data, levels: min(max(maxDepth, 0), depthCeiling)}
	if err := s.document(); err != nil {
		return err // a nil *Error is not a nil error
	}
	return nil
}

// CheckExcept is CheckDepth for an object with one member whose value the caller checks later. member is its name
// without escapes. Its value only has to follow the grammar, as in Scan, and may be nested up to 10,000 deep. The rest
// may have at most maxValues values, counted as in Scan.
func CheckExcept(data []byte, maxDepth, maxValues int, member string) error {
	s := scanner{data: data, levels: min(max(maxDepth, 0), depthCeiling), except: member, most: maxValues, left: maxValues}
	if err := s.document(); err != nil {
		return err
	}
	return nil
}

// Scan checks the grammar only: data is one JSON document, nested at most maxDepth deep, with at most maxValues values,
// which are the document and all members and elements in it. Unlike Check it accepts duplicate keys, invalid UTF-8 and
// escapes of lone surrogates. It bounds the work of the next reader, and never allocates. The error is nil or an
// *Error.
func Scan(data []byte, maxDepth, maxValues int) error {
	s := scanner{data: data, levels: min(max(maxDepth, 0), depthCeiling), loose: true, most: maxValues, left: maxValues}
	if err := s.document(); err != nil {
		return err
	}
	return nil
}

// Valid reports the same as json.Valid, in a third of the time. It allocates nothing for what is valid.
func Valid(data []byte) bool {
	s := scanner{data: data, levels: depthCeiling, loose: true}
	return s.document() == nil
}

// A scanner is the state of one Check or Scan.
type scanner struct {
	data   []byte
	pos    int
	levels int             // bound on nesting
	except string          // member that is checked by grammar only; empty is none
	loose  bool            // check the grammar only
	most   int             // bound on values; zero is none
	left   int             // values left until the bound
	keys   [stackKeys]span // keys of the open small objects, innermost last
	open   int             // number of keys in use
	text   string          // data as a string, made when a set first needs keys
}

// document scans the whole input.
func (s *scanner) document() *Error {
	s.space()
	if s.pos == len(s.data) {
		return fail(s.pos, "empty input")
	}
	if err := s.value(0); err != nil {
		return err
	}
	s.space()
	if s.pos < len(s.data) {
		return fail(s.pos, "data after the JSON document")
	}
	return nil
}

// value scans one value that begins at pos, inside depth open containers.
func (s *scanner) value(depth int) *Error {
	if s.pos == len(s.data) {
		return s.cut()
	}
	if s.left--; s.left < 0 && s.most > 0 {
		return over(s.pos, fmt.Sprintf("more than %d values", s.most))
	}
	switch c := s.data[s.pos]; {
	case c == '"':
		_, err := s.str()
		return err
	case c == '{' || c == '[':
		if depth == s.levels {
			return over(s.pos, tooDeep(s.levels))
		}
		if c == '{' {
			return s.object(depth + 1)
		}
		return s.array(depth + 1)
	case c == '-' || isDigit(c):
		return s.number()
	case c == 't':
		return s.literal("true")
	case c == 'f':
		return s.literal("false")
	case c == 'n':
		return s.literal("null")
	}
	return fail(s.pos, "expected a JSON value")
}

// array scans an array whose bracket is at pos.
func (s *scanner) array(depth int) *Error {
	s.pos++
	s.space()
	if s.peek() == ']' {
		s.pos++
		return nil
	}
	for {
		if err := s.value(depth); err != nil {
			return err
		}
		s.space()
		switch s.peek() {
		case ',':
			s.pos++
			s.space()
		case ']':
			s.pos++
			return nil
		default:
			return s.expected("',' or ']' after an array element")
		}
	}
}

// literal scans one of the three words.
func (s *scanner) literal(word string) *Error {
	for i := range len(word) {
		if s.pos+i == len(s.data) {
			s.pos += i
			return s.cut()
		}
		if s.data[s.pos+i] != word[i] {
			return fail(s.pos, "expected a JSON value")
		}
	}
	s.pos += len(word)
	return nil
}

// space skips white space.
func (s *scanner) space() {
	for s.pos < len(s.data) && isSpace(s.data[s.pos]) {
		s.pos++
	}
}

// peek returns the byte at pos, or 0 at the end.
func (s *scanner) peek() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

// expected returns the error of a missing token at pos.
func (s *scanner) expected(what string) *Error {
	if s.pos == len(s.data) {
		return s.cut()
	}
	return fail(s.pos, "expected "+what)
}

// cut returns the error of input that ends too early.
func (s *scanner) cut() *Error {
	return fail(s.pos, "unexpected end of input")
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r'
}

func isDigit(c byte) bool {
	return '0' <= c && c <= '9'
}
