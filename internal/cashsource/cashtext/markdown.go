package cashtext

import (
	"regexp"
	"strings"
)

// lineKind is the kind of a line of markdown.
type lineKind int

const (
	proseLine lineKind = iota
	blankLine
	headingLine
	bulletLine
	ruleLine // the line below a table's head
	rowLine
	codeLine // in a code block, fences included
)

// A line is one line of a markdown page.
type line struct {
	kind  lineKind
	level int    // of a heading; for a bullet, its indentation in columns
	text  string // without the marks of a heading or bullet; otherwise trimmed
	raw   string
}

var (
	headingMark = regexp.MustCompile(`^(#{1,6})[ \t]+(.*?)[ \t]*#*$`)
	bulletMark  = regexp.MustCompile(`^(?:[-*+•]|\d{1,9}[.)])[ \t]+(.*)$`)
	tableRule   = regexp.MustCompile(`^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$`)
	boldLine    = regexp.MustCompile(`^(\*\*|__)([^*_]+)(\*\*|__):?$`)
)

// readLines reads markdown leniently. Lists may be indented. Headings may be underlined, bold, or end with a colon
// before a list.
func readLines(text string) []line {
	text = strings.TrimPrefix(text, "\ufeff")
	if !strings.Contains(text, "\n") {
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	raw := strings.Split(text, "\n")
	lines := make([]line, 0, len(raw))
	fence := ""
	for _, r := range raw {
		r = strings.TrimRight(r, " \t\r")
		l := readLine(r)
		switch mark := fenceMark(l.text); {
		case fence != "":
			l.kind = codeLine
			if strings.HasPrefix(mark, fence) && strings.Trim(l.text, fence[:1]) == "" {
				fence = ""
			}
		case mark != "" && l.kind == proseLine:
			fence, l.kind = mark, codeLine
		case l.kind == proseLine && len(lines) > 0 && isUnderline(l.text) && lines[len(lines)-1].kind == proseLine:
			last := &lines[len(lines)-1]
			last.kind, last.level = headingLine, 2
			if l.text[0] == '=' {
				last.level = 1
			}
			continue
		}
		lines = append(lines, l)
	}
	markTables(lines)
	return lines
}

// markTables finds table rows that do not begin with a bar.
func markTables(lines []line) {
	table := false
	for i := range lines {
		l := &lines[i]
		isRow := l.kind == proseLine && strings.Contains(l.text, "|")
		switch {
		case !isRow:
			table = table && l.kind == rowLine
		case table:
			l.kind = rowLine
		case i > 0 && lines[i-1].kind == proseLine && strings.Contains(lines[i-1].text, "|") && tableRule.MatchString(l.text):
			table, l.kind, lines[i-1].kind = true, ruleLine, rowLine
		}
	}
}

func readLine(raw string) line {
	text := strings.TrimLeft(raw, " \t")
	l := line{text: text, raw: raw, level: len(raw) - len(text)}
	if text == "" {
		l.kind = blankLine
	} else if m := headingMark.FindStringSubmatch(text); m != nil {
		l.kind, l.level, l.text = headingLine, len(m[1]), m[2]
	} else if m := boldLine.FindStringSubmatch(text); m != nil {
		l.kind, l.level, l.text = headingLine, maxLevel, strings.TrimSuffix(m[2], ":")
	} else if m := bulletMark.FindStringSubmatch(text); m != nil {
		l.kind, l.text = bulletLine, m[1]
	} else if text[0] == '|' && tableRule.MatchString(text) {
		l.kind = ruleLine
	} else if text[0] == '|' {
		l.kind = rowLine
	}
	return l
}

// maxLevel is the level of lines used as headings: below all real headings.
const maxLevel = 7

func isUnderline(text string) bool {
	return len(text) > 1 && (strings.Trim(text, "=") == "" || strings.Trim(text, "-") == "")
}

// fenceMark returns the backticks or tildes that open a code block.
func fenceMark(text string) string {
	if text == "" || text[0] != '`' && text[0] != '~' {
		return ""
	}
	n := len(text) - len(strings.TrimLeft(text, text[:1]))
	if n < 3 || text[0] == '`' && strings.IndexByte(text[n:], '`') >= 0 {
		return ""
	}
	return text[:n]
}

// cells returns the cells of a table row. \| is a bar within a cell.
func cells(row string) []string {
	row = strings.TrimPrefix(row, "|")
	var list []string
	start := 0
	for i := 0; i < len(row); i++ {
		if row[i] == '|' && (i == 0 || row[i-1] != '\\') {
			list = append(list, cell(row[start:i]))
			start = i + 1
		}
	}
	if rest := cell(row[start:]); rest != "" {
		list = append(list, rest)
	}
	return list
}

func cell(text string) string {
	return strings.ReplaceAll(strings.TrimSpace(text), `\|`, "|")
}
