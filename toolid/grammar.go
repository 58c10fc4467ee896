package toolid

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// A class is a set of ASCII characters.
type class [2]uint64

// classOf returns the class of the characters in s; a-z is a range.
func classOf(s string) (c class) {
	for i := 0; i < len(s); i++ {
		last := s[i]
		if i+2 < len(s) && s[i+1] == '-' {
			last = s[i+2]
		}
		for b := s[i]; b <= last; b++ {
			c[b/64] |= 1 << (b % 64)
		}
		if last != s[i] {
			i += 2
		}
	}
	return c
}

func (c *class) has(b byte) bool { return b < utf8.RuneSelf && c[b/64]&(1<<(b%64)) != 0 }

// A part is the grammar of one field of an id, or of one segment of a path.
type part struct {
	what        string
	grammar     string // as in the specification
	first, rest class  // the characters allowed first, and after that
	min, max    int    // of bytes
	lead        byte   // [part.fit] puts it before a part that must not begin so
}

var (
	namespacePart = part{"namespace", "[a-z][a-z0-9_-]{0,63}", classOf("a-z"), classOf("a-z0-9_-"), 1, 64, 'n'}
	namePart      = part{"name", "[A-Za-z_][A-Za-z0-9_.-]{0,127}", classOf("A-Za-z_"), classOf("A-Za-z0-9_.-"), 1, 128, '_'}
	versionPart   = part{"version", "[A-Za-z0-9._-]{1,32}", classOf("A-Za-z0-9._-"), classOf("A-Za-z0-9._-"), 1, 32, 0}
	hashPart      = part{"hash", "[0-9a-f]{8}", classOf("0-9a-f"), classOf("0-9a-f"), 8, 8, 0}
	rootPart      = part{"root segment", "[a-z][a-z0-9_-]{0,63}", classOf("a-z"), classOf("a-z0-9_-"), 1, 64, 0}
	segmentPart   = part{"segment", "[a-z0-9][a-z0-9_-]{0,63}", classOf("a-z0-9"), classOf("a-z0-9_-"), 1, 64, 0}
)

// check returns an error where s violates the grammar, or nil.
func (p *part) check(s string) error {
	allowed := &p.first
	for i := range min(len(s), p.max) {
		if !allowed.has(s[i]) {
			return fmt.Errorf("%s %s does not match %s at byte %d", p.what, quote(s), p.grammar, i)
		}
		allowed = &p.rest
	}
	if len(s) < p.min || len(s) > p.max {
		return fmt.Errorf("%s %s does not match %s: it has %d bytes", p.what, quote(s), p.grammar, len(s))
	}
	return nil
}

// fit returns s changed to match the grammar; see [ID.Fit].
func (p *part) fit(s string) string {
	if p.check(s) == nil {
		return s
	}
	b := make([]byte, 0, p.max+1)
	for _, r := range s {
		c := byte('_')
		if r < utf8.RuneSelf && p.rest.has(byte(r)) {
			c = byte(r)
		}
		if b = append(b, c); len(b) >= p.max {
			break
		}
	}
	if len(b) == 0 || !p.first.has(b[0]) {
		b = append([]byte{p.lead}, b...)
	}
	return string(b[:min(len(b), p.max)])
}

// quote shows the beginning of a text from outside, in printable ASCII.
func quote(s string) string {
	const most = 40
	if len(s) <= most {
		return strconv.QuoteToASCII(s)
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return strconv.QuoteToASCII(s[:end]) + "..."
}
