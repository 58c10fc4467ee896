package redact

import "strings"

// assignments returns probes for the values of keys that end with these words,
// in JSON, YAML, XML, environments, headers, queries and commands:
//
//	"db_password": "hunter2"     DB_PASSWORD=hunter2     ?password=hunter2&x=1
//	{"name": "DB_PASSWORD", "value": "hunter2"}          --password hunter2
//
// The function doubt rates a key by the text before the word.
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

// A doubt is the level of doubt that a key names a secret.
type doubt int

const (
	certain  doubt = iota // any value is secret, numbers too
	likely                // strings are secret
	unsure                // strings are secret, short words are not
	vague                 // strings are secret, words are not
	inQuotes              // as vague, and only in quotes
	innocent              // nothing is secret
)

// An assignment is a key in a text and the text after it.
type assignment struct {
	text             string
	start, word, end int    // of the key; word is its last word
	quote            string // the closing quote of the key
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

// value returns the secret, and the end of the text it has examined.
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

// separator returns the end of the separator of key and value at text[i], or i: a colon, an equals sign, both, or an
// escape for the latter.
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

// pair handles {"name": KEY, "value": VALUE}: it returns the end of the key "value", or -1 if there is none. Q is the
// end of the name.
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

// element returns the text of an XML element whose tag ends at text[i], and the end of the text it has examined: at
// most i if there is none.
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

// flag returns the argument after a command-line flag, in a list of strings or after a blank.
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

// named reports whether a value only repeats its key, as in a form or a program, or is a directory, as in PWD.
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

// skipSpace returns the end of the white space at text[i], at most a hundred bytes. More is no assignment, and reading
// it for every key would be quadratic.
func skipSpace(text string, i int) int {
	from := i
	for i < len(text) && i-from < 100 && strings.IndexByte(" \t\r\n", text[i]) >= 0 {
		i++
	}
	return i
}

// blanks returns the end of the white space at text[i]. It crosses line ends only after a quoted key.
func (a *assignment) blanks(i int) int {
	if a.quote != "" {
		return skipSpace(a.text, i)
	}
	return min(run(a.text, i, func(c byte) bool { return c == ' ' || c == '\t' }), i+100)
}

// opens reports whether the quote at text[i:end] opens a value. It may instead close the JSON string around the key:
// then the key has a quote of a deeper level, or none, and a string follows.
func (a *assignment) opens(i, end int) bool {
	if a.quote != "" {
		return level(end-i-1) >= level(len(a.quote)-1)
	}
	next := skipSpace(a.text, end)
	return next < len(a.text) && strings.IndexByte(",:}]+)", a.text[next]) < 0
}

// quoteEnd returns the end of the quote at text[i], including backslashes before it, or i if there is none.
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

// readString returns the contents of a string that begins at text[i] after quote. It ends at a quote of the same or an
// outer level, or at the end of the line.
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

// number returns the numeric value of a quoted key. Its mark gets the same quotes, because JSON allows only strings and
// literals there.
func (a *assignment) number(i int) (span, int) {
	end := run(a.text, i, digit)
	if a.doubt != certain || end-i < 3 || end < len(a.text) && strings.IndexByte(",}] \t\r\n", a.text[end]) < 0 {
		return span{}, end
	}
	return span{start: i, end: end, quote: a.quote}, end
}

// bare returns an unquoted value. After a colon it may be a word of a sentence, so it must look like a secret or be
// alone in its line.
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

// bareEnd returns the end of an unquoted value that begins at text[i]. Escapes of allowed characters belong to it.
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

// line reports whether the key begins its line and the value, which ends at end, ends it.
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
