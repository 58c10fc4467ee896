package skillmd

import (
	"regexp"
	"strings"
)

var shebang = regexp.MustCompile(`^#![ \t]*/`)

func isShebang(text string) bool {
	return strings.HasPrefix(text, "#!") && shebang.MatchString(text)
}

// script removes the lines from s.i to end, which are code without a fence (R74).
func (s *blockScanner) script(prefix string, end int) {
	s.replace(prefix, Removal{Line: s.lines[s.i].no, Kind: KindCode, Lines: end - s.i})
	s.paragraph = false
	s.i = end
}

func (s *blockScanner) untilBlank(i int) int {
	for i++; i < len(s.lines); i++ {
		c := &cursor{text: s.lines[i].text}
		s.match(c)
		if c.blank() {
			break
		}
	}
	return i
}

// proseLine copies a line of prose, unless a here-document or a fence starts in it.
func (s *blockScanner) proseLine(c *cursor, text string) {
	if end := s.heredocEnd(text); end > s.i {
		s.script(c.prefix(), end+1)
		return
	}
	if at, f, ok := inlineFence(text); ok && (f.tagged() || s.lastRun > s.i) {
		s.inlineBlock(c.text[:len(c.text)-len(text)+at], f)
		return
	}
	s.paragraph = !breaksParagraph(text)
	s.emit()
}

// heredocEnd returns the end line of the here-document that text opens, or -1. In prose the end must exist, to
// distinguish it from a shift operator.
func (s *blockScanner) heredocEnd(text string) int {
	word, _ := heredoc(text)
	if word == "" {
		return -1
	}
	if s.words == nil {
		s.words = map[string]int{}
		for i, l := range s.lines {
			s.words[loneWord(l.text)] = i
		}
	}
	if s.words[word] <= s.i {
		return -1
	}
	// The skipped text is removed, so the total time stays linear.
	end := s.i + 1
	for loneWord(s.lines[end].text) != word {
		end++
	}
	return end
}

func loneWord(text string) string {
	return strings.Trim(text, " \t>")
}

// inlineFence finds a fence at the end of a line of prose: "Run ```bash". A run that closes an earlier one of its size
// is an ordinary code span.
func inlineFence(text string) (at int, f fence, ok bool) {
	at = strings.LastIndex(text, "```")
	if at < 0 {
		return 0, fence{}, false
	}
	for at > 0 && text[at-1] == '`' {
		at--
	}
	f, ok = openFence(text[at:])
	if !ok || strings.ContainsAny(f.info, " \t") {
		return 0, fence{}, false
	}
	before := 0
	for i := 0; i < at; {
		n := runLength(text, i)
		if text[i] == '`' && n == f.size {
			before++
		}
		i += n
	}
	return at, f, before%2 == 0
}

// inlineBlock removes the block that starts at the end of line s.i, after head. It ends at the first sufficiently long
// run of backticks, anywhere in a line; the text after it is handled as a new line.
func (s *blockScanner) inlineBlock(head string, f fence) {
	start := s.lines[s.i]
	s.out = append(s.out, line{strings.TrimRight(head, " \t"), start.no})
	mark := strings.Repeat("`", f.size)
	count := 0
	for s.i++; s.i < len(s.lines) && !s.endOfText(); s.i++ {
		code, rest, closed := strings.Cut(s.lines[s.i].text, mark)
		if !closed {
			count++
			continue
		}
		if strings.Trim(code, " \t>") != "" {
			count++
		}
		s.lines[s.i].text = strings.TrimLeft(rest, "` \t")
		if s.lines[s.i].text == "" {
			s.i++
		}
		break
	}
	s.replace("", f.removal(start.no, count))
	s.paragraph = true
}

// endOfText reports whether only the text after the last line end is left.
func (s *blockScanner) endOfText() bool {
	return s.i == len(s.lines)-1 && s.lines[s.i].text == ""
}

// breaksParagraph reports whether a line is a heading or a rule, so that an indented line after it is code.
func breaksParagraph(text string) bool {
	if level := len(text) - len(strings.TrimLeft(text, "#")); level > 0 && level <= 6 {
		return level == len(text) || text[level] == ' ' || text[level] == '\t'
	}
	bare := strings.TrimRight(text, " \t")
	return isThematicBreak(text) || strings.Trim(bare, "=") == "" || strings.Trim(bare, "-") == ""
}
