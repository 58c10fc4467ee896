package strictjson

import (
	"bytes"
	"strconv"
)

// number scans a number by the grammar of RFC 8259, section 6.
func (s *scanner) number() *Error {
	if s.data[s.pos] == '-' {
		s.pos++
	}
	if s.peek() == '0' {
		s.pos++
		if isDigit(s.peek()) {
			return fail(s.pos, "number with a leading zero")
		}
	} else if err := s.digits(); err != nil {
		return err
	}
	if s.peek() == '.' {
		s.pos++
		if err := s.digits(); err != nil {
			return err
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		return s.digits()
	}
	return nil
}

// digits scans at least one digit.
func (s *scanner) digits() *Error {
	if !isDigit(s.peek()) {
		return s.expected("a digit")
	}
	i := s.pos
	for i < len(s.data) && isDigit(s.data[i]) {
		i++
	}
	s.pos = i
	return nil
}

// HasHugeNumber reports whether a number in data is beyond float64, such as 1e400, and so beyond
// what most programs read.
func HasHugeNumber(data []byte) bool {
	const plain = 300 // bytes that are no more than a float64 holds, without an exponent
	for i := 0; i < len(data); {
		switch c := data[i]; {
		case c == '"':
			i = Skip(data, i)
		case c == '-' || isDigit(c):
			end := Skip(data, i)
			if number := data[i:end]; len(number) > plain || bytes.ContainsAny(number, "eE") {
				if _, err := strconv.ParseFloat(string(number), 64); err != nil {
					return true
				}
			}
			i = end
		default:
			i++
		}
	}
	return false
}
