package schema

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A class is a character class, such as [^a-z\d].
type class struct {
	not        bool
	ranges     []rune     // first and last of each range
	sets       []string   // \d, \w and [:alpha:], as RE2 has them
	properties []property // \p{...}
	space      bool       // has \s, whose ranges are in ranges
	notSpace   bool       // has \S
}

// spaces are WhiteSpace and LineTerminator of ECMA-262, as ranges.
var spaces = []rune{'\t', '\r', ' ', ' ', 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f,
	0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff}

// lineEnds are LineTerminator alone.
var lineEnds = []rune{'\n', '\n', '\r', '\r', 0x2028, 0x2029}

// class rewrites a character class.
func (t *translator) class() string {
	var c class
	t.rest, c.not = strings.CutPrefix(t.rest[1:], "^")
	for !strings.HasPrefix(t.rest, "]") {
		if problem := t.span(&c); problem != "" {
			return problem
		}
	}
	t.rest = t.rest[1:]
	return t.write(&c)
}

// span parses a character, range or set of a class. After a set, a hyphen is a character.
func (t *translator) span(c *class) string {
	low, single, problem := t.member(c)
	if problem != "" {
		return problem
	}
	high, pair := low, single
	hyphen := strings.HasPrefix(t.rest, "-") && !strings.HasPrefix(t.rest, "-]")
	if hyphen {
		t.rest = t.rest[1:]
		if high, pair, problem = t.member(c); problem != "" {
			return problem
		}
	}
	if single && pair {
		if low > high {
			return notRE2
		}
		c.add(low, high)
		return ""
	}
	if hyphen {
		c.add('-', '-')
	}
	if single {
		c.add(low, low)
	}
	if pair {
		c.add(high, high)
	}
	return ""
}

// add adds a range whose ends are not surrogates: no text has one, and RE2 may take it for U+FFFD.
func (c *class) add(low, high rune) {
	if utf16.IsSurrogate(low) {
		low = 0xe000
	}
	if utf16.IsSurrogate(high) {
		high = 0xd7ff
	}
	if low <= high {
		c.ranges = append(c.ranges, low, high)
	}
}

// member parses one character, or adds a set to c.
func (t *translator) member(c *class) (r rune, single bool, problem string) {
	if t.rest == "" {
		return 0, false, notRE2
	}
	if t.rest[0] == '\\' {
		t.rest = t.rest[1:]
		return t.escapedMember(c)
	}
	if n := posixName(t.rest); n > 0 {
		c.set(t.rest[:n])
		t.rest = t.rest[n:]
		return 0, false, ""
	}
	r, size := utf8.DecodeRuneInString(t.rest)
	t.rest = t.rest[size:]
	return r, true, ""
}

// escapedMember is member after a backslash.
func (t *translator) escapedMember(c *class) (r rune, single bool, problem string) {
	if r, size := unescape(t.rest); size > 0 {
		t.rest = t.rest[size:]
		return r, true, ""
	}
	if t.rest == "" {
		return 0, false, notRE2
	}
	letter := t.rest[0]
	t.rest = t.rest[1:]
	switch letter {
	case 'b':
		return '\b', true, ""
	case 'd', 'D', 'w', 'W':
		c.set(`\` + string(letter))
	case 's':
		if !c.space {
			c.ranges = append(c.ranges, spaces...)
		}
		c.space = true
	case 'S':
		c.notSpace = true
	case 'p', 'P':
		return 0, false, t.property(c, letter == 'P')
	default:
		return 0, false, notRE2
	}
	return 0, false, ""
}

// set adds a set, without duplicates.
func (c *class) set(text string) {
	if !slices.Contains(c.sets, text) {
		c.sets = append(c.sets, text)
	}
}

// posixNames are the POSIX classes of RE2.
var posixNames = []string{"alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
	"upper", "word", "xdigit"}

// posixName returns the length of a name such as [:alpha:] or [:^alpha:] at the
// start of text, or 0.
func posixName(text string) int {
	name, ok := strings.CutPrefix(text, "[:")
	if !ok {
		return 0
	}
	name = strings.TrimPrefix(name, "^")
	for _, known := range posixNames {
		if rest, ok := strings.CutPrefix(name, known); ok && strings.HasPrefix(rest, ":]") {
			return len(text) - len(rest) + 2
		}
	}
	return 0
}

// write writes a class.
func (t *translator) write(c *class) string {
	if problem := t.spend(1); problem != "" {
		return problem
	}
	if c.notSpace {
		// The class lacks only spaces: listing those is much shorter.
		missing, ok := c.missingSpaces()
		if !ok {
			return notRE2
		}
		c = &class{not: !c.not, ranges: missing}
	}
	if len(c.ranges)+len(c.sets)+len(c.properties) == 0 {
		c = &class{not: !c.not, ranges: []rune{0, unicode.MaxRune}}
	}
	if t.flags.fold {
		if problem := t.spend(foldWork(c.ranges)); problem != "" {
			return problem
		}
	}
	t.out.WriteString("[")
	if c.not {
		t.out.WriteString("^")
	}
	for i := 0; i < len(c.ranges); i += 2 {
		writeRune(&t.out, c.ranges[i])
		if c.ranges[i] < c.ranges[i+1] {
			t.out.WriteString("-")
			writeRune(&t.out, c.ranges[i+1])
		}
	}
	for _, set := range c.sets {
		t.out.WriteString(set)
	}
	for _, p := range c.properties {
		t.out.WriteString(p.text)
	}
	t.out.WriteString("]")
	return ""
}

// missingSpaces returns the spaces that the class with \S does not match. It does not support POSIX names.
func (c *class) missingSpaces() (ranges []rune, ok bool) {
	for _, set := range c.sets {
		switch set {
		case `\D`, `\W`:
			return nil, true
		case `\d`, `\w`:
		default:
			return nil, false
		}
	}
	for i := 0; i < len(spaces); i += 2 {
		for r := spaces[i]; r <= spaces[i+1]; r++ {
			if !c.has(r) {
				ranges = append(ranges, r, r)
			}
		}
	}
	return ranges, true
}

// has reports whether ranges or properties match a character.
func (c *class) has(r rune) bool {
	for i := 0; i < len(c.ranges); i += 2 {
		if c.ranges[i] <= r && r <= c.ranges[i+1] {
			return true
		}
	}
	return slices.ContainsFunc(c.properties, func(p property) bool { return unicode.Is(p.table, r) != p.not })
}

// foldWork returns the cost of ranges in RE2 under the flag i: it examines every character that may have another case.
func foldWork(ranges []rune) (work int) {
	const first, last = 'A', 0x1e943
	for i := 0; i < len(ranges); i += 2 {
		if low, high := max(ranges[i], first), min(ranges[i+1], last); low > first || high < last {
			work += max(int(high-low), 0) / 64
		}
	}
	return work
}

// writeRune writes a character in an unambiguous form.
func writeRune(out *strings.Builder, r rune) {
	out.WriteString(`\x{` + strconv.FormatInt(int64(r), 16) + `}`)
}
