package skillmd

import "strings"

// maxNesting bounds the nesting of lists and maps in an invocation.
const maxNesting = 32

// kind is the type of a value of an invocation, as detailed as the load-time check needs.
type kind int

const (
	otherValue kind = iota // a number, a literal word, a variable, a list, a placeholder
	stringValue
	mapValue
)

type literal struct {
	kind       kind
	text       string   // of a string, without quotes and escapes
	keys       []string // of a map, in order
	start, end int      // its place, including quotes
	quote      int      // bytes of each quote of a string
}

type argument struct {
	name  string // empty if positional
	start int
	value literal
}

// invocation is call(...), help(...) or skill(...).
type invocation struct {
	tool string
	args []argument
}

// invocationParser parses the small language of invocations in the specification: keyword arguments with = or :,
// strings in single or double quotes, numbers, lists, maps, names, "..." and placeholders. It has no operators and no
// nested calls, so that no accepted text is a disguised statement of a shell or a programming language (R70).
type invocationParser struct {
	s     string
	i     int
	prose bool // lines may start with the ">" of a quote
	typed bool // typographic and escaped quotes are allowed
}

// onlyInvocations reports whether text is one or more invocations, on one or more lines each, with only blank lines and
// comments between them (R70).
func onlyInvocations(text string) bool {
	p := &invocationParser{s: text}
	count := 0
	for p.space(); p.i < len(p.s); p.space() {
		tool := p.word()
		if !isTool(tool) || !p.take('(') {
			return false
		}
		if _, ok := p.arguments(); !ok || !p.endOfStatement() {
			return false
		}
		count++
	}
	return count > 0
}

func isTool(word string) bool {
	return word == "call" || word == "help" || word == "skill"
}

// endOfStatement skips blanks and a comment, and reports whether a line end follows.
func (p *invocationParser) endOfStatement() bool {
	for p.i < len(p.s) && (p.s[p.i] == ' ' || p.s[p.i] == '\t') {
		p.i++
	}
	return p.i == len(p.s) || p.s[p.i] == '\n' || p.comment()
}

// space skips blanks, line ends, comments, and in prose the ">" of quoted lines.
func (p *invocationParser) space() {
	lineStart := false
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case c == '\n':
			lineStart = p.prose
		case c == ' ' || c == '\t' || c == '>' && lineStart:
		case p.comment():
			continue
		default:
			return
		}
		p.i++
	}
}

// comment skips from # or // to the end of the line, exclusive.
func (p *invocationParser) comment() bool {
	rest := p.s[p.i:]
	if !strings.HasPrefix(rest, "#") && !strings.HasPrefix(rest, "//") {
		return false
	}
	if n := strings.IndexByte(rest, '\n'); n >= 0 {
		p.i += n
	} else {
		p.i = len(p.s)
	}
	return true
}

func (p *invocationParser) take(c byte) bool {
	if p.i < len(p.s) && p.s[p.i] == c {
		p.i++
		return true
	}
	return false
}

func (p *invocationParser) prefix(s string) bool {
	if strings.HasPrefix(p.s[p.i:], s) {
		p.i += len(s)
		return true
	}
	return false
}

// word parses a name. Dots are allowed inside, because prose writes item.product_id.
func (p *invocationParser) word() string {
	start := p.i
	for p.i < len(p.s) && (isWord(p.s[p.i]) || p.i > start && p.s[p.i] == '.') {
		p.i++
	}
	return p.s[start:p.i]
}

// arguments parses up to and including the closing parenthesis. On failure it returns the arguments so far.
func (p *invocationParser) arguments() ([]argument, bool) { return p.argumentsUntil(')') }

func (p *invocationParser) argumentsUntil(closing byte) ([]argument, bool) {
	var args []argument
	for {
		p.space()
		if p.take(closing) {
			return args, true
		}
		arg, ok := p.argument()
		if arg.name != "" || ok {
			args = append(args, arg)
		}
		if !ok || !p.separator(closing) {
			return args, false
		}
	}
}

// separator parses a comma, or stops before the closing bracket.
func (p *invocationParser) separator(closing byte) bool {
	p.space()
	return p.take(',') || p.i < len(p.s) && p.s[p.i] == closing
}

func (p *invocationParser) argument() (argument, bool) {
	start := p.i
	value, ok := p.value(0)
	if !ok || value.kind == mapValue || value.text == "" {
		return argument{start: start, value: value}, ok
	}
	if !p.assign() {
		return argument{start: start, value: value}, true
	}
	name := value.text
	value, ok = p.value(0)
	return argument{name: name, start: start, value: value}, ok
}

// assign parses = or :, but not ==.
func (p *invocationParser) assign() bool {
	p.space()
	if strings.HasPrefix(p.s[p.i:], "==") {
		return false
	}
	if !p.take('=') && !p.take(':') {
		return false
	}
	p.space()
	return true
}

func (p *invocationParser) value(depth int) (literal, bool) {
	start := p.i
	v, ok := p.anyValue(depth)
	v.start, v.end = start, p.i
	return v, ok
}

func (p *invocationParser) anyValue(depth int) (literal, bool) {
	if depth > maxNesting || p.i >= len(p.s) {
		return literal{}, false
	}
	switch c := p.s[p.i]; {
	case c == '"' || c == '\'':
		return p.quoted(c)
	case p.typed && typedQuote(p.s[p.i:]) != "":
		return p.typedString()
	case strings.HasPrefix(p.s[p.i:], "{{"):
		return p.template()
	case c == '{':
		return p.mapping(depth)
	case c == '[':
		return p.list(depth)
	case c == '<':
		return p.angle()
	case p.ellipsis():
		return literal{}, true
	case isWord(c) || c == '-' || c == '+':
		return p.bare()
	}
	return literal{}, false
}

// quoted parses a string on one line. A line end inside could hide a fence from line-by-line readers.
func (p *invocationParser) quoted(quote byte) (literal, bool) {
	p.i++
	var text strings.Builder
	for p.i < len(p.s) {
		c := p.s[p.i]
		p.i++
		switch c {
		case quote:
			return literal{kind: stringValue, text: text.String(), quote: 1}, true
		case '\n':
			return literal{}, false
		case '\\':
			if p.i == len(p.s) || p.s[p.i] == '\n' {
				return literal{}, false
			}
			c = p.s[p.i]
			p.i++
		}
		text.WriteByte(c)
	}
	return literal{}, false
}

func (p *invocationParser) template() (literal, bool) {
	ph, ok := readPlaceholder(p.s, p.i)
	if ok {
		p.i = ph.end
	}
	return literal{}, ok
}

// angle parses a stand-in such as <order id>.
func (p *invocationParser) angle() (literal, bool) {
	for n := 1; n < 64 && p.i+n < len(p.s); n++ {
		switch c := p.s[p.i+n]; {
		case c == '>':
			p.i += n + 1
			return literal{}, n > 1
		case !isWord(c) && c != ' ' && c != '-' && c != '.':
			return literal{}, false
		}
	}
	return literal{}, false
}

func (p *invocationParser) ellipsis() bool {
	return p.prefix("...") || p.prefix("\u2026")
}

// bare parses a name, a literal word or a number. It keeps the text, which may turn out to be the name of an argument.
func (p *invocationParser) bare() (literal, bool) {
	start := p.i
	if !p.take('-') {
		p.take('+')
	}
	word := p.word()
	if word == "" || p.i < len(p.s) && p.s[p.i] == '(' {
		return literal{}, false
	}
	return literal{text: p.s[start:p.i]}, true
}

func (p *invocationParser) list(depth int) (literal, bool) {
	p.i++
	for {
		p.space()
		if p.take(']') {
			return literal{}, true
		}
		if _, ok := p.value(depth + 1); !ok || !p.separator(']') {
			return literal{}, false
		}
	}
}

func (p *invocationParser) mapping(depth int) (literal, bool) {
	p.i++
	m := literal{kind: mapValue}
	for {
		p.space()
		if p.take('}') {
			return m, true
		}
		if !p.ellipsis() && !p.entry(&m, depth) {
			return m, false
		}
		if !p.separator('}') {
			return m, false
		}
	}
}

func (p *invocationParser) entry(m *literal, depth int) bool {
	key, ok := p.value(depth + 1)
	if !ok || key.kind == mapValue || !p.assign() {
		return false
	}
	if key.text != "" {
		m.keys = append(m.keys, key.text)
	}
	_, ok = p.value(depth + 1)
	return ok
}
