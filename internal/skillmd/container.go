package skillmd

import "strings"

// container is a block quote or a list item.
type container struct {
	quote bool
	width int // of an item: columns from its parent's content to its own
}

// maxContainers bounds the nesting of containers. Deeper marks are text, but fences after them are still found.
const maxContainers = 32

// cursor moves through the containers at the start of a line. It counts columns as Markdown does: a tab extends to the
// next multiple of four, and a container may take a part of it.
type cursor struct {
	text    string
	pos     int // the next byte
	col     int // the column of pos, without pending
	pending int // columns left of a partly taken tab; pos is after it
}

// indent returns the number of blank columns at the cursor.
func (c *cursor) indent() int {
	col := c.col + c.pending
	for i := c.pos; i < len(c.text); i++ {
		switch c.text[i] {
		case ' ':
			col++
		case '\t':
			col += 4 - col%4
		default:
			return col - c.col
		}
	}
	return col - c.col
}

// skip moves past n blank columns.
func (c *cursor) skip(n int) {
	for n > 0 {
		if c.pending == 0 {
			c.pending = 1
			if c.text[c.pos] == '\t' {
				c.pending = 4 - c.col%4
			}
			c.pos++
		}
		step := min(n, c.pending)
		c.pending -= step
		c.col += step
		n -= step
	}
}

// take moves past n bytes that are not blank.
func (c *cursor) take(n int) {
	c.pos += n
	c.col += n
}

// blank reports whether the rest of the line is blank.
func (c *cursor) blank() bool {
	return c.trimmed() == ""
}

// rest returns the rest of the line, including blanks.
func (c *cursor) rest() string {
	return strings.Repeat(" ", c.pending) + c.text[c.pos:]
}

// trimmed returns the rest of the line without leading blanks.
func (c *cursor) trimmed() string {
	return strings.TrimLeft(c.text[c.pos:], " \t")
}

// prefix returns the text before the cursor. A partly taken tab becomes blanks.
func (c *cursor) prefix() string {
	if c.pending == 0 {
		return c.text[:c.pos]
	}
	head, col := c.text[:c.pos-1], 0
	for i := range len(head) {
		col++
		if head[i] == '\t' {
			col += (4 - col%4) % 4
		}
	}
	return head + strings.Repeat(" ", c.col-col)
}

// quoteMark moves past ">" and one blank, and reports whether they were there.
func (c *cursor) quoteMark() bool {
	in := c.indent()
	if in > 3 || !strings.HasPrefix(c.trimmed(), ">") {
		return false
	}
	c.skip(in)
	c.take(1)
	if c.indent() > 0 {
		c.skip(1)
	}
	return true
}

// itemMark moves past a list mark with its blanks, and returns the item's width. Inside a paragraph only marks that may
// interrupt one count.
func (c *cursor) itemMark(paragraph bool) (width int, ok bool) {
	in, text := c.indent(), c.trimmed()
	n := markLength(text)
	if in > 3 || n == 0 || isThematicBreak(text) {
		return 0, false
	}
	empty := strings.Trim(text[n:], " \t") == ""
	if paragraph && (empty || isDigit(text[0]) && strings.TrimLeft(text[:n-1], "0") != "1") {
		return 0, false
	}
	c.skip(in)
	c.take(n)
	gap := c.indent()
	if empty || gap > 4 {
		gap = min(gap, 1)
		width = in + n + 1
	} else {
		width = in + n + gap
	}
	c.skip(gap)
	return width, true
}

// markLength returns the length of the list mark that text starts with, or 0.
func markLength(text string) int {
	n := 0
	for n < len(text) && n < 9 && isDigit(text[n]) {
		n++
	}
	if n == len(text) {
		return 0
	}
	marks := "-+*"
	if n > 0 {
		marks = ".)"
	}
	if strings.IndexByte(marks, text[n]) < 0 {
		return 0
	}
	n++
	if n < len(text) && text[n] != ' ' && text[n] != '\t' {
		return 0
	}
	return n
}

// isThematicBreak reports whether text is three or more of the same of -, _ and *, with blanks between.
func isThematicBreak(text string) bool {
	if text == "" || strings.IndexByte("-_*", text[0]) < 0 {
		return false
	}
	count := 0
	for i := range len(text) {
		switch text[i] {
		case text[0]:
			count++
		case ' ', '\t':
		default:
			return false
		}
	}
	return count >= 3
}
