package redact

import "strings"

// assignments returns probes for the values of keys that end with these words,
// in JSON, YAML, XML, environments, headers, queries and commands:
//
//	"db_password": "hunter2"     DB_PASSWORD=hunter2     ?password=hunter2&x=1
//	{"name": "DB_PASSWORD", "value": "hunter2"}          --password hunter2
//
// Doubt says how sure a key is by what stands before the word.
func assignments(doubt func(before string) doubt, words ...string) []probe {
	var probes []probe
	for _, w := range words {
		probes = append(probes, probe{hint: w, fold: true, find: func(text string, at int) (span, int) {
			a := assignment{text: text, start: at, word: at, end: at + len(w)}
			for a.start > 0 && at-a.start < 40 && keyCharacter(text[a.start-1]) {
				a.start--
			}
			if a.doubt = doubt(text[a.start:at]); a.doubt == innocent {
				return span{}, at
			}
			return a.value()
		}})
	}
	return probes
}

// A doubt says how sure the key of an assignment is.
type doubt int

const (
	certain  doubt = iota // whatever it has is secret, numbers too
	likely                // strings are
	unsure                // but for short words
	vague                 // but for words
	inQuotes              // as vague, and only in quotes
	innocent              // nothing is
)

// An assignment is a key in a text, and what comes after it.
type assignment struct {
	text             string
	start, word, end int    // of the key, and of its last word
	quote            string // that the key ended with
	doubt            doubt
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
func (a *assignment) value() (span, int) {
	i := run(a.text, a.end, digit)
	if i-a.end > 2 || i < len(a.text) && keyCharacter(a.text[i]) {
		return span{}, i
	}
	q := quoteEnd(a.text, i)
	a.quote = a.text[i:q]
	i = a.blanks(q)
	end := a.separator(i)
	if end == i {
		if s, next := a.element(q); next > q {
			return s, next
		}
		if i = a.pair(q); i < 0 {
			return a.flag(q)
		}
		if end = a.separator(i); end == i {
			return span{}, a.end
		}
	}
	colon := a.text[i:end] == ":" || strings.HasPrefix(a.text[i:end], "==")
	i = a.blanks(end)
	if a.quote != "" && i < len(a.text) && a.text[i] == '[' {
		i = skipSpace(a.text, i+1) // as in a JSON form of all headers
	}
	if q := quoteEnd(a.text, i); q > i {
		return a.quoted(i, q)
	}
	if a.quote != "" {
		return a.number(i)
	}
	return a.bare(i, colon)
}

// separator returns the end of what stands at text[i] between a key and its
// value, or i: a colon, an equals sign, or both, or an escape for the latter.
func (a *assignment) separator(i int) int {
	end := i
	for end < len(a.text) && end-i < 3 && strings.IndexByte(":=>", a.text[end]) >= 0 {
		end++
	}
	if end > i && a.text[i] == '>' {
		return i
	}
	return max(end, spelled(a.text, i, '='))
}

// pair returns the end of the key value that follows where the name is the value
// of a key itself, and -1 if there is none. Q is the end of the name.
func (a *assignment) pair(q int) int {
	i := a.blanks(q)
	next, _ := newline(a.text, i)
	switch {
	case a.quote == "" && next > i:
		i = a.blanks(next)
	case a.quote == "" || !strings.HasSuffix(a.text[:a.start], a.quote):
		return -1
	case i < len(a.text) && a.text[i] == ',':
		i = skipSpace(a.text, i+1)
	}
	name := quoteEnd(a.text, i)
	if !hasPrefixFold(a.text[name:], "value") {
		return -1
	}
	end := name + len("value")
	if quoteEnd(a.text, end)-end != name-i {
		return -1
	}
	return a.blanks(quoteEnd(a.text, end))
}

// element returns the text of an element of XML whose tag ends at text[i], and how
// far it has looked: not beyond i if there is none.
func (a *assignment) element(i int) (span, int) {
	start := spelled(a.text, i, '>')
	opened := strings.HasSuffix(a.text[:a.start], "<") || hasPrefixFold(a.text[a.start:], "u003c")
	if start == i || !opened {
		return span{}, i
	}
	end := start
	for end < len(a.text) && end-start < 1000 {
		n := run(a.text, end, backslash)
		if n == len(a.text) || strings.IndexByte("<>\"\n", a.text[n]) >= 0 || n > end && hasPrefixFold(a.text[n:], "u003c") {
			break
		}
		end = n + 1
	}
	tag := spelled(a.text, end, '<')
	if tag == end || spelledSlash(a.text, tag) == tag {
		return span{}, i
	}
	v := a.text[start:end]
	if placeholder(v) || a.named(v) || a.tooShort(v) {
		return span{}, end
	}
	return span{start: start, end: end}, end
}

// flag returns the argument that follows a flag of a command, in a list of
// strings or after a blank.
func (a *assignment) flag(q int) (span, int) {
	if !strings.HasPrefix(a.text[a.start:], "--") || q == len(a.text) {
		return span{}, a.end
	}
	if a.quote == "" && a.text[q] == ' ' && q+1 < len(a.text) && a.text[q+1] != '-' {
		end := bareEnd(a.text, q+1)
		if v := a.text[q+1 : end]; len(v) < 6 || !random(v) || a.code(q+1, end) {
			return span{}, end
		}
		return span{start: q + 1, end: end}, end
	}
	i := skipSpace(a.text, q)
	if a.quote == "" || i == len(a.text) || a.text[i] != ',' {
		return span{}, a.end
	}
	i = skipSpace(a.text, i+1)
	next := quoteEnd(a.text, i)
	if a.text[i:next] != a.quote || strings.HasPrefix(a.text[next:], "-") {
		return span{}, a.end
	}
	return a.quoted(i, next)
}

// quoted returns the value whose quote is text[i:end].
func (a *assignment) quoted(i, end int) (span, int) {
	if !a.opens(i, end) {
		return span{}, end
	}
	s, next := readString(a.text, end, a.text[i:end])
	v := a.text[s.start:s.end]
	if placeholder(v) || a.named(v) || a.tooShort(v) {
		return span{}, next
	}
	return s, next
}

// named reports whether a value is only the name of what it would be, as in a
// form or in a program, or a directory, as PWD is.
func (a *assignment) named(v string) bool {
	name, key, word := squeeze(v[:min(len(v), 50)]), squeeze(a.text[a.start:a.end]), squeeze(a.text[a.word:a.end])
	return strings.HasSuffix(key, name) && strings.HasSuffix(name, word) || word == "pwd" && strings.HasPrefix(v, "/")
}

// tooShort reports whether a value is too short, or too wordlike, to be redacted at
// this level of doubt.
func (a *assignment) tooShort(v string) bool {
	switch a.doubt {
	case certain:
		return false
	case likely:
		return len(v) < 4
	case unsure:
		return len(v) < 4 || len(v) < 8 && !random(v)
	}
	return len(v) < 20 && !random(v)
}

// skipSpace returns the end of the white space at text[i]. More than a hundred is
// no assignment, and must not be read for every key.
func skipSpace(text string, i int) int {
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
		return skipSpace(a.text, i)
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
	next := skipSpace(a.text, end)
	return next < len(a.text) && strings.IndexByte(",:}]+)", a.text[next]) < 0
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

// readString returns the contents of a string that begins at text[i] after quote. It
// ends at a quote of the same or an outer level, or at the end of the line.
func readString(text string, i int, quote string) (span, int) {
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
func (a *assignment) number(i int) (span, int) {
	end := run(a.text, i, digit)
	if a.doubt != certain || end-i < 3 || end < len(a.text) && strings.IndexByte(",}] \t\r\n", a.text[end]) < 0 {
		return span{}, end
	}
	return span{start: i, end: end, quote: a.quote}, end
}

// bare returns a value without quotes. After a colon it may be a word of a
// sentence, so it must look like a secret or have the line for itself.
func (a *assignment) bare(i int, colon bool) (span, int) {
	if colon {
		i = properties(a.text, i)
		if s, next := a.block(i); next > i {
			return s, next
		}
	}
	end := bareEnd(a.text, i)
	v := a.text[i:end]
	switch {
	case placeholder(v) || a.named(v) || a.code(i, end) || strings.HasPrefix(a.text[i:], markStart):
		return span{}, end
	case a.doubt == inQuotes || a.tooShort(v):
		return span{}, end
	case len(v) >= 6 && random(v):
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
			n := run(text, i, backslash)
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
