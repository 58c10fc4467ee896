package schema

import (
	"strings"
	"unicode/utf16"
)

// A translator rewrites a pattern of ECMA-262 with the flag u for RE2. It is used by newPattern. The two differ in
// these:
//
//	\s \S .        ECMA has all of Unicode's spaces and line ends
//	[] [^] [\b]    nothing, anything, a backspace
//	[ in a class   a plain character, unless it begins a name such as [:alpha:]
//	\cA \u0041     and \u{41}, surrogate pairs, \p{gc=Lu}, \p{Script=Greek}
//	(?<naïve>...)  names beyond ASCII
//
// Syntax that ECMA rejects keeps its meaning in RE2: (?i), (?P<name>...), \A, \z, \pL, [:alpha:]. Octal escapes, \a and
// \Q are rejected, because browsers interpret them differently.
type translator struct {
	rest  string // not yet read
	out   strings.Builder
	flags inlineFlags   // in effect at rest
	outer []inlineFlags // of the enclosing groups
	work  int           // extra cost in RE2, in instructions
}

// inlineFlags are the flags of a (?is) that change the output.
type inlineFlags struct{ fold, dotAll bool }

// Problems, as shown in a note after the pattern.
const (
	notRE2   = "is not in RE2 syntax"
	tooLarge = "is too large"
)

// translate returns a pattern in the syntax of RE2 and the cost of parsing it, or a problem. Its time and output are
// linear: at most maxPattern places are expanded.
func translate(text string) (spelled string, work int, problem string) {
	t := translator{rest: text}
	for t.rest != "" && problem == "" {
		switch t.rest[0] {
		case '\\':
			problem = t.escape()
		case '[':
			problem = t.class()
		case '(':
			problem = t.open()
		case ')':
			t.close()
		case '.':
			problem = t.dot()
		default:
			t.copy(1)
		}
	}
	return t.out.String(), t.work, problem
}

// copy copies n bytes unchanged.
func (t *translator) copy(n int) {
	t.out.WriteString(t.rest[:n])
	t.rest = t.rest[n:]
}

// spend adds work. It returns a problem when the total is too much.
func (t *translator) spend(work int) string {
	if t.work += work; t.work > maxPattern {
		return tooLarge
	}
	return ""
}

// dot writes a dot that excludes all line ends.
func (t *translator) dot() string {
	if t.flags.dotAll {
		t.copy(1)
		return ""
	}
	t.rest = t.rest[1:]
	return t.write(&class{not: true, ranges: lineEnds})
}

// escape writes an escape outside of a class.
func (t *translator) escape() string {
	if len(t.rest) > 1 && strings.IndexByte("dDwWbBAz", t.rest[1]) >= 0 {
		t.copy(2)
		return ""
	}
	var c class
	r, single, problem := t.member(&c)
	if problem != "" {
		return problem
	}
	if single && !utf16.IsSurrogate(r) {
		writeRune(&t.out, r)
		return ""
	}
	return t.write(&c) // empty for a lone surrogate, which no text has
}

// open writes the beginning of a group, without its name, because matched groups are never used.
func (t *translator) open() string {
	outer := t.flags
	switch {
	case len(t.outer) == maxGroups:
		return tooLarge
	case strings.HasPrefix(t.rest, "(?<"):
		name, rest, ok := strings.Cut(t.rest[3:], ">")
		if !ok || name == "" || name[0] == '=' || name[0] == '!' {
			return notRE2
		}
		t.out.WriteString("(?:")
		t.rest = rest
	case strings.HasPrefix(t.rest, "(?"):
		t.copy(t.readFlags())
		if strings.HasPrefix(t.rest, ")") { // as (?i), for the rest of the enclosing group
			t.copy(1)
			return ""
		}
	default:
		t.copy(1)
	}
	t.outer = append(t.outer, outer)
	return ""
}

// readFlags parses flags after "(?", and returns the index after them.
func (t *translator) readFlags() int {
	on := true
	for i := 2; i < len(t.rest); i++ {
		switch t.rest[i] {
		case '-':
			on = false
		case 'i':
			t.flags.fold = on
		case 's':
			t.flags.dotAll = on
		case 'm', 'U':
		default:
			return i
		}
	}
	return len(t.rest)
}

// close writes the end of a group.
func (t *translator) close() {
	if last := len(t.outer) - 1; last >= 0 {
		t.flags, t.outer = t.outer[last], t.outer[:last]
	}
	t.copy(1)
}
