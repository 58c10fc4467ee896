package skillmd

import "strings"

// blockScanner removes whole blocks in one pass over the lines. It is used by Strip. It follows quotes and lists as
// CommonMark does, so that indented text of a list item does not count as code. It recognises more fences than
// CommonMark.
type blockScanner struct {
	lines   []line
	i       int // the next line to read
	out     []line
	removed *[]Removal

	stack     []container
	paragraph bool // the last line belongs to a paragraph, which an indented line would continue
	emptyItem bool // the last line was a list mark without text

	lastRun int            // the last line with ```
	words   map[string]int // the last line that holds only this word; built on first use
}

func stripBlocks(lines []line, removed *[]Removal) []line {
	s := &blockScanner{lines: append([]line(nil), lines...), removed: removed, lastRun: -1}
	for i, l := range lines {
		if strings.Contains(l.text, "```") {
			s.lastRun = i
		}
	}
	for s.i < len(s.lines) {
		s.next()
	}
	return s.out
}

// next handles the block or line at s.i.
func (s *blockScanner) next() {
	c := &cursor{text: s.lines[s.i].text}
	n := s.match(c)
	if c.blank() {
		s.blankLine(n)
		return
	}
	opened := s.open(c, n)
	text, in := c.trimmed(), c.indent()
	s.emptyItem = text == "" && !s.stack[len(s.stack)-1].quote
	f, fenced := s.fenceAt(c)
	lazy := s.paragraph && !opened
	if n < len(s.stack) && !opened && (fenced || !lazy || breaksParagraph(text)) {
		s.stack = s.stack[:n]
	}
	switch {
	case fenced:
		s.fencedBlock(c, f)
	case in >= 4 && !lazy:
		s.indentedBlock(c)
	case isShebang(text):
		s.script(c.prefix(), s.untilBlank(s.i))
	default:
		s.proseLine(c, text)
	}
}

// blankLine ends paragraphs, quotes that do not continue, and empty list items.
func (s *blockScanner) blankLine(matched int) {
	if matched < len(s.stack) && s.stack[matched].quote {
		s.stack = s.stack[:matched]
	} else if s.emptyItem {
		s.stack = s.stack[:len(s.stack)-1]
	}
	s.emptyItem, s.paragraph = false, false
	s.emit()
}

// emit copies the line at s.i to the output.
func (s *blockScanner) emit() {
	s.out = append(s.out, s.lines[s.i])
	s.i++
}

// match moves c through the open containers and returns how many of them continue on this line.
func (s *blockScanner) match(c *cursor) int {
	for i, k := range s.stack {
		switch {
		case k.quote:
			if !c.quoteMark() {
				return i
			}
		case c.indent() >= k.width:
			c.skip(k.width)
		case !c.blank():
			return i
		}
	}
	return len(s.stack)
}

// open moves c through the containers that start on this line. They replace those that ended. It reports whether there
// are any.
func (s *blockScanner) open(c *cursor, matched int) bool {
	stack, paragraph := s.stack[:matched], s.paragraph && matched == len(s.stack)
	for len(stack) < maxContainers {
		if c.quoteMark() {
			stack = append(stack, container{quote: true})
		} else if width, ok := c.itemMark(paragraph); ok {
			stack = append(stack, container{width: width})
		} else {
			break
		}
		paragraph = false
	}
	if len(stack) == matched {
		return false
	}
	s.stack = stack
	s.paragraph = false
	return true
}

// fenceAt looks for a fence at any indent and after marks that open no container here, because such a fence still looks
// like one to a reader. If there is one, c moves past the marks.
func (s *blockScanner) fenceAt(c *cursor) (fence, bool) {
	for probe := *c; ; {
		in, text := probe.indent(), probe.trimmed()
		if f, ok := openFence(text); ok {
			f.indent = probe.col + in - c.col
			f.loose = f.indent > 3 || probe.pos != c.pos
			*c = probe
			return f, true
		}
		n := markLength(text)
		if strings.HasPrefix(text, ">") {
			n = 1
		}
		if n == 0 {
			return fence{}, false
		}
		probe.skip(in)
		probe.take(n)
		probe.skip(min(probe.indent(), 1))
	}
}

// fencedBlock handles the block whose fence is on line s.i at c.
func (s *blockScanner) fencedBlock(c *cursor, f fence) {
	start := s.i
	b := s.readFenced(f)
	s.paragraph = false
	s.i = b.end
	if b.closed {
		s.i++
	}
	if !b.keep(f) {
		s.replace(c.prefix(), f.removal(s.lines[start].no, b.end-start-1))
		return
	}
	s.out = append(s.out, s.lines[start])
	s.out = append(s.out, stripNested(s.lines[start+1:b.end], 1, s.removed)...)
	s.out = append(s.out, s.lines[b.end:s.i]...)
}

// fencedContent is the content after an opening fence.
type fencedContent struct {
	end    int  // the closing line, or the line after the last
	closed bool // end is a closing line
	sloppy bool // a line left the list item of the block
	lines  []string
}

// keep reports whether a block stays. If CommonMark would see other bounds, its tag does not count.
func (b *fencedContent) keep(f fence) bool {
	if (b.sloppy || f.loose) && !keepBlock(fence{}, b.lines) {
		return false
	}
	return keepBlock(f, b.lines)
}

// readFenced reads the block opened at s.i up to its closing line, the end of its quote, or the end of the text (R79).
// Lines outside of its list item do not end the block: writers forget to indent, and the rest of a command is not
// prose.
func (s *blockScanner) readFenced(f fence) *fencedContent {
	limit := 3
	if f.loose {
		limit += f.indent
	}
	b := &fencedContent{}
	for b.end = s.i + 1; b.end < len(s.lines); b.end++ {
		c := &cursor{text: s.lines[b.end].text}
		n := s.match(c)
		if hasQuote(s.stack[n:]) {
			return b
		}
		b.sloppy = b.sloppy || n < len(s.stack)
		in := c.indent()
		if b.closed = in <= limit && f.closes(c.trimmed()); b.closed {
			return b
		}
		c.skip(min(in, f.indent))
		b.lines = append(b.lines, c.rest())
	}
	// The final line end of the text is not a line of the block.
	if n := len(b.lines); n > 0 && s.lines[b.end-1].text == "" {
		b.end, b.lines = b.end-1, b.lines[:n-1]
	}
	return b
}

func hasQuote(stack []container) bool {
	for _, k := range stack {
		if k.quote {
			return true
		}
	}
	return false
}

// replace writes the notice of a removed block.
func (s *blockScanner) replace(prefix string, r Removal) {
	s.out = append(s.out, line{prefix + notice(r.Language, r.Lines), r.Line})
	*s.removed = append(*s.removed, r)
}

// indentedBlock handles the indented block that starts at s.i with its content at c.
func (s *blockScanner) indentedBlock(c *cursor) {
	start, prefix := s.i, c.prefix()
	c.skip(4)
	content := []string{c.rest()}
	end := start + 1 // after the last line that is not blank
	var gap []string
	for i := end; i < len(s.lines); i++ {
		c := &cursor{text: s.lines[i].text}
		n := s.match(c)
		if c.blank() && (n == len(s.stack) || !s.stack[n].quote) {
			gap = append(gap, "")
			continue
		}
		if _, fenced := openFence(c.trimmed()); n < len(s.stack) || c.indent() < 4 || fenced {
			break
		}
		c.skip(4)
		content = append(append(content, gap...), c.rest())
		gap, end = nil, i+1
	}
	s.i = end
	if keepIndented(content) {
		s.out = append(s.out, s.lines[start:end]...)
		return
	}
	s.replace(prefix, Removal{Line: s.lines[start].no, Kind: KindCode, Lines: len(content)})
}
