package redact

import "strings"

// properties returns the end of the tag and the anchor that stand before a value
// of YAML at text[i].
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

// block returns the lines of a block of YAML, whose | or > stands at text[i], and
// how far it has looked: not beyond i if there is none.
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

// column returns how far the key is indented, and reports whether it is the first
// thing in its line.
func (a *assignment) column() (n int, ok bool) {
	from := a.start
	for from > 0 && a.start-from < 80 && strings.IndexByte(" -", a.text[from-1]) >= 0 {
		from--
	}
	return a.start - from, from == 0 || strings.IndexByte("\n\"\\", a.text[from-1]) >= 0 || escaped(a.text, from)
}

// newline returns where the line after the one that ends at text[i] begins, or i
// if none ends there, and how many backslashes stand for the end: none in plain
// text.
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

// lineStop returns the end of the line at text[i]. Where ends of lines have
// backslashes, it is at the quote of their string, at the latest.
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
