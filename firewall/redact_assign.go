package firewall

import (
	"slices"
	"strings"
)

// assignments returns probes for the values of keys that end with these words,
// in JSON, YAML, environments, headers and queries:
//
//	"db_password": "hunter2"     DB_PASSWORD=hunter2     ?password=hunter2&x=1
//
// A key in front of which accept says no is none.
func assignments(accept func(before string) bool, doubt doubt, words ...string) []probe {
	var probes []probe
	for _, w := range words {
		probes = append(probes, probe{hint: w, fold: true, find: func(text string, at int) (span, int) {
			a := assignment{text: text, start: at, end: at + len(w)}
			for a.start > 0 && at-a.start < 40 && keyCharacter(text[a.start-1]) {
				a.start--
			}
			if !accept(squeeze(text[a.start:at])) {
				return span{}, at
			}
			return a.value(doubt)
		}})
	}
	return probes
}

// A doubt says how sure the key of an assignment is.
type doubt int

const (
	certain doubt = iota // whatever it has is secret, numbers too
	likely               // strings are
	unsure               // but for short words
)

// An assignment is a key in a text, and what comes after it.
type assignment struct {
	text       string
	start, end int    // of the key
	quote      string // that the key ended with
}

func keyCharacter(c byte) bool { return word(c) || c == '-' || c == '.' }

// squeeze returns the letters and digits of a key in lower case.
func squeeze(key string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(key))
}

// value returns the secret, and how far it has looked.
func (a *assignment) value(d doubt) (span, int) {
	i := run(a.text, a.end, digit)
	if i-a.end > 2 || i < len(a.text) && keyCharacter(a.text[i]) {
		return span{}, i
	}
	q := quoteEnd(a.text, i)
	a.quote = a.text[i:q]
	i = a.blanks(q)
	sep := i
	for i < len(a.text) && i-sep < 3 && strings.IndexByte(":=>", a.text[i]) >= 0 {
		i++
	}
	if i == sep || a.text[sep] == '>' {
		return span{}, a.end
	}
	colon := a.text[sep] == ':' && i-sep == 1
	i = a.blanks(i)
	if q := quoteEnd(a.text, i); q > i {
		if !a.opens(i, q) {
			return span{}, q
		}
		s, next := quoted(a.text, q, a.text[i:q])
		if v := a.text[s.start:s.end]; placeholder(v) || d == unsure && len(v) < 8 && !random(v) {
			return span{}, next
		}
		return s, next
	}
	if a.quote != "" {
		return a.number(i, d)
	}
	return a.bare(i, d, colon)
}

// blanks returns the end of the white space at text[i]. More than a hundred is
// no assignment, and must not be read for every key.
func blanks(text string, i int) int {
	from := i
	for i < len(text) && i-from < 100 && strings.IndexByte(" \t\r\n", text[i]) >= 0 {
		i++
	}
	return i
}

// blanks returns the end of the white space at text[i], which has line ends only
// after a key in quotes.
func (a *assignment) blanks(i int) int {
	if a.quote != "" {
		return blanks(a.text, i)
	}
	return min(run(a.text, i, func(c byte) bool { return c == ' ' || c == '\t' }), i+100)
}

// opens reports whether the quote at text[i:end] begins a value. In JSON, the
// string of which the key is a part may also end here: then there is a quote of
// the key at a deeper level, or none, and what follows a string.
func (a *assignment) opens(i, end int) bool {
	if a.quote != "" {
		return level(end-i-1) >= level(len(a.quote)-1)
	}
	next := blanks(a.text, end)
	return next < len(a.text) && strings.IndexByte(",:}]", a.text[next]) < 0
}

// quoteEnd returns the end of the quote at text[i], with the backslashes before
// it, or i if there is none.
func quoteEnd(text string, i int) int {
	n := i
	for n < len(text) && n-i < 64 && text[n] == '\\' {
		n++
	}
	if n == len(text) || text[n] != '"' && text[n] != '\'' {
		return i
	}
	if n-i != 1<<level(n-i)-1 {
		return i // some of the backslashes belong to something else
	}
	return n + 1
}

// quoted returns the contents of a string that begins at text[i] after quote. It
// ends at a quote of the same or an outer level, or at the end of the line.
func quoted(text string, i int, quote string) (span, int) {
	s := span{start: i}
	single, depth := quote[len(quote)-1] == '\'', level(len(quote)-1)
	slashes := 0
	for ; i < len(text) && text[i] != '\n'; i++ {
		switch c := text[i]; {
		case c == '\\':
			slashes++
			continue
		case c == '"' && (single || level(slashes) <= depth), c == '\'' && single && slashes%2 == 0:
			s.end = i
			if c == '"' {
				s.end -= 1<<level(slashes) - 1
			}
			return s, i
		}
		slashes = 0
	}
	s.end = i - slashes
	return s, i
}

// number returns the number that a key in quotes has. The mark in its place gets
// the same quotes, because only strings and literals may stand there in JSON.
func (a *assignment) number(i int, d doubt) (span, int) {
	end := run(a.text, i, digit)
	if d != certain || end-i < 3 || end < len(a.text) && strings.IndexByte(",}] \t\r\n", a.text[end]) < 0 {
		return span{}, end
	}
	return span{start: i, end: end, quote: a.quote}, end
}

// bare returns a value without quotes. After a colon it may be a word of a
// sentence, so it must look like a secret or have the line for itself.
func (a *assignment) bare(i int, d doubt, colon bool) (span, int) {
	end := bareEnd(a.text, i)
	v := a.text[i:end]
	switch {
	case placeholder(v) || call(v) || strings.HasPrefix(a.text[i:], markStart):
		return span{}, end
	case len(v) >= 6 && random(v):
	case d == unsure && len(v) < 8:
		return span{}, end
	case colon && !a.line(end):
		return span{}, end
	}
	return span{start: i, end: end}, end
}

// bareEnd returns the end of a value that begins at text[i]. Escapes that stand
// for a character of it belong to it.
func bareEnd(text string, i int) int {
	for i < len(text) {
		c := text[i]
		switch {
		case c <= ' ' || strings.IndexByte("\"'`&;,<>)]}", c) >= 0:
			return i
		case c == '\\':
			n := run(text, i, func(c byte) bool { return c == '\\' })
			if n == len(text) || strings.IndexByte(`nrt"'`, text[n]) >= 0 || strings.HasPrefix(text[n:], "u0026") {
				return i
			}
			i = n - 1 + escapeLength(text, n-1)
		default:
			i++
		}
	}
	return i
}

// line reports whether the key is the first thing in its line, and the value,
// which ends at end, the last.
func (a *assignment) line(end int) bool {
	from := a.start
	for from > 0 && a.start-from < 80 && strings.IndexByte(" \t-", a.text[from-1]) >= 0 {
		from--
	}
	first := from == 0 || a.text[from-1] == '\n' || a.text[from-1] == '\\' || escaped(a.text, from)
	end += len(a.text[end:min(len(a.text), end+80)]) - len(strings.TrimLeft(a.text[end:min(len(a.text), end+80)], " \t"))
	last := end == len(a.text) || strings.IndexByte("\r\n\\\"#", a.text[end]) >= 0
	return first && last
}

// call reports whether a value is a call in a program.
func call(v string) bool {
	i := run(v, 0, keyCharacter)
	return i > 0 && i < len(v) && v[i] == '('
}

// placeholders are words that stand where a secret would, or for its type.
var placeholders = []string{
	"", "null", "nil", "none", "true", "false", "undefined", "string", "str", "integer", "int", "number", "boolean", "bool",
	"object", "required", "optional", "hidden", "masked", "redacted", "empty", "missing", "unset", "yes", "no", "n/a", "text",
}

// placeholder reports whether a value is none: empty, a mark, a variable, stars.
func placeholder(v string) bool {
	if len(v) <= len("undefined") && slices.Contains(placeholders, strings.ToLower(v)) {
		return true
	}
	if strings.Trim(v, "*") == "" || strings.Trim(v, "xX") == "" || strings.Trim(v, ".") == "" || strings.HasPrefix(v, markStart) {
		return true
	}
	for _, pair := range [][2]string{{"<", ">"}, {"${", "}"}, {"{{", "}}"}, {"%(", ")s"}} {
		if len(v) < 100 && strings.HasPrefix(v, pair[0]) && strings.HasSuffix(v, pair[1]) {
			return true
		}
	}
	return strings.HasPrefix(v, "${") || strings.HasPrefix(v, "{{") || variable(v)
}

// variable reports whether v is $NAME.
func variable(v string) bool {
	return len(v) > 1 && v[0] == '$' && run(v, 1, func(c byte) bool { return 'A' <= c && c <= 'Z' || c == '_' }) == len(v)
}
