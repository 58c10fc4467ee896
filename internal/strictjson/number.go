package strictjson

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
	for isDigit(s.peek()) {
		s.pos++
	}
	return nil
}
