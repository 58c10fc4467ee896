package redact

import "strings"

// properties returns the end of the tag and the anchor before a YAML value at text[i].
func properties(text string, i int) int {
	for range 2 {
		mark := max(spelled(text, i, '!'), spelled(text, i, '&'))
		if mark == i {
			break
		}
		end := run(text, mark, func(c byte) bool { return keyCharacter(c) || c == '!' })
		if end == len(text) || text[end] != ' ' {
			break
		}
		i = run(text, end, func(c byte) bool { return c == ' ' })
	}
	return i
}

// block returns the lines of a YAML block scalar, whose | or > is at text[i], and the end of the text it has examined:
// at most i if there is none.
func (a *assignment) block(i int) (span, int) {
	end := max(spelled(a.text, i, '|'), spelled(a.text, i, '>'))
	if end == i {
		return span{}, i
	}
	end = run(a.text, end, func(c byte) bool { return c == '+' || c == '-' || digit(c) })
	end = run(a.text, end, func(c byte) bool { return c == ' ' })
	first, slashes := newline(a.text, end)
	if first == end {
		return span{}, i
	}
	column, ok := a.column()
	if !ok {
		return span{}, i
	}
	s := span{start: first, end: first}
	for at := first; ; {
		from := run(a.text, at, func(c byte) bool { return c == ' ' })
		to := lineStop(a.text, from, slashes)
		if to > from {
			if from-at <= column {
				break
			}
			if s.end == first {
				s.start = from
			}
			s.end = to
		}
		if at, _ = newline(a.text, to); at == to {
			break
		}
	}
	return s, max(s.end, end)
}

// column returns the indentation of the key, and reports whether the key begins its line.
func (a *assignment) column() (n int, ok bool) {
	from := a.start
	for from > 0 && a.start-from < 80 && strings.IndexByte(" -", a.text[from-1]) >= 0 {
		from--
	}
	return a.start - from, from == 0 || strings.IndexByte("\n\"\\", a.text[from-1]) >= 0 || escaped(a.text, from)
}

// newline returns the begin of the next line if a line end is at text[i], else i. Slashes is the number of backslashes
// that spell the line end, 0 in plain text.
func newline(text string, i int) (next, slashes int) {
	n := run(text, i, backslash)
	slash := text[i:n]
	feed, pair := slash+"n", slash+"r"+slash+"n"
	if slash == "" {
		feed, pair = "\n", "\r\n"
	}
	switch rest := text[i:]; {
	case strings.HasPrefix(rest, feed):
		return i + len(feed), len(slash)
	case strings.HasPrefix(rest, pair):
		return i + len(pair), len(slash)
	}
	return i, 0
}

// lineStop returns the end of the line at text[i]. If line ends are escaped, the closing quote of their string also
// ends the line.
func lineStop(text string, i, slashes int) int {
	for i < len(text) {
		n := run(text, i, backslash)
		switch {
		case n == len(text):
			return n
		case slashes == 0 && text[n] == '\n':
			return n
		case slashes > 0 && text[n] == '"' && level(n-i) <= level(slashes-1):
			return n - (1<<level(n-i) - 1)
		case slashes > 0 && n-i == slashes && (text[n] == 'n' || text[n] == 'r'):
			return i
		}
		i = n + 1
	}
	return i
}
