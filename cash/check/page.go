package check

import (
	"encoding/json"
	"regexp"
	"strings"
)

// An entryKind is the kind of thing that a list entry names.
type entryKind int

const (
	unknown entryKind = iota
	namespace
	function
	skill
)

// An entry is one line of a list.
type entry struct {
	name        string
	description string
	kind        entryKind
	line        string // as written
	nested      bool   // indented below another entry
}

// namesOf returns the names of entries.
func namesOf(list []entry) []string {
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.name
	}
	return names
}

// A page is the parsed form of a help page: lists, tables and the rest, in any style of markdown.
type page struct {
	text     string
	headings []string
	entries  []entry
	tables   [][]string // the heads of each table
	fences   []fence
	rest     []string // other lines
	wrapped  []string // continuation lines of entries
}

// A fence is a block of code.
type fence struct {
	tag, code string
}

var (
	headingLine = regexp.MustCompile(`^#{1,6}\s+(.+?)\s*#*$`)
	bulletLine  = regexp.MustCompile(`^(?:[-*+]|\d{1,9}[.)])\s+(.*)$`)
	entryText   = regexp.MustCompile("^([*`]*)([A-Za-z0-9_][A-Za-z0-9_.-]*)([*`]*)(.*)$")
	separator   = regexp.MustCompile(`^\s*(?:[\x{2014}\x{2013}:]|--?\s|$|\()\s*`)
	tableRule   = regexp.MustCompile(`^\|?[\s:|-]*-[\s:|-]*$`)
	fenceLine   = regexp.MustCompile("^(`{3,}|~{3,})\\s*([^\\s`]*)")
)

// parsePage parses markdown leniently. title is a path that a heading may repeat without opening a section.
func parsePage(text, title string) *page {
	p := &pageReader{page: &page{text: text}, title: title}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		next := ""
		if i+1 < len(lines) {
			next = lines[i+1]
		}
		p.line(line, next)
	}
	if p.open {
		p.fences = append(p.fences, p.fence)
	}
	return p.page
}

type pageReader struct {
	*page
	title   string
	section entryKind
	inTable bool
	inList  bool
	open    bool // inside a code block
	mark    string
	fence   fence
}

func (p *pageReader) line(line, next string) {
	text := strings.TrimSpace(line)
	if p.fenced(text) {
		return
	}
	if !strings.HasPrefix(text, "|") {
		p.inTable = false
	}
	switch {
	case text == "":
		p.inList = false
	case headingLine.MatchString(text):
		p.heading(headingLine.FindStringSubmatch(text)[1])
	case strings.HasPrefix(text, "|"):
		p.row(text, next)
	case bulletLine.MatchString(text):
		p.inList = true
		nested := line != strings.TrimLeft(line, " \t") && len(p.entries) > 0
		if e, ok := parseEntry(bulletLine.FindStringSubmatch(text)[1]); ok {
			e.kind, e.line, e.nested = p.section, text, nested
			p.entries = append(p.entries, e)
			return
		}
		p.rest = append(p.rest, text)
	case p.inList:
		p.wrapped = append(p.wrapped, text)
	default:
		p.rest = append(p.rest, text)
	}
}

// fenced consumes the lines of code blocks.
func (p *pageReader) fenced(text string) bool {
	m := fenceLine.FindStringSubmatch(text)
	switch {
	case p.open && m != nil && strings.HasPrefix(m[1], p.mark) && m[2] == "":
		p.open = false
		p.fences = append(p.fences, p.fence)
	case p.open:
		p.fence.code += text + "\n"
	case m != nil:
		p.open, p.mark, p.fence = true, m[1], fence{tag: strings.ToLower(m[2])}
	default:
		return false
	}
	return true
}

func (p *pageReader) heading(text string) {
	p.headings = append(p.headings, text)
	p.inList = false
	p.section = unknown
	if strings.Trim(text, "`* ") == p.title {
		return
	}
	switch low := strings.ToLower(text); {
	case strings.Contains(low, "namespace"):
		p.section = namespace
	case strings.Contains(low, "function"):
		p.section = function
	case strings.Contains(low, "skill"):
		p.section = skill
	}
}

func (p *pageReader) row(text, next string) {
	cells := strings.Split(strings.Trim(text, "|"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	switch {
	case tableRule.MatchString(text):
	case !p.inTable && tableRule.MatchString(strings.TrimSpace(next)):
		p.tables = append(p.tables, cells)
	default:
		line := cells[0]
		if len(cells) > 1 {
			line += ": " + strings.Join(cells[1:], ". ")
		}
		if e, ok := parseEntry(line); ok {
			e.kind, e.line = p.section, text
			p.entries = append(p.entries, e)
		}
	}
	p.inTable = true
}

// parseEntry parses "**name**: description" and similar forms. A name without markup needs a separator after it;
// otherwise the line is prose.
func parseEntry(text string) (entry, bool) {
	m := entryText.FindStringSubmatch(text)
	if m == nil {
		return entry{}, false
	}
	name, rest := strings.TrimRight(m[2], ".-"), m[4]
	if name == "" || m[1] == "" && m[3] == "" && !separator.MatchString(rest) {
		return entry{}, false
	}
	description := strings.TrimSpace(separator.ReplaceAllString(rest, ""))
	if strings.HasPrefix(strings.TrimLeft(rest, "*` "), "(") {
		description = strings.TrimSpace(rest) // keeps a signature
	}
	return entry{name: name, description: description}, true
}

// listed is a help page in JSON (RFC 4.2).
type listed struct {
	Namespaces []struct{ Name, Description string }
	Functions  []struct{ Name, Description string }
}

// parseJSON parses the entries of a JSON page.
func parseJSON(text string) ([]entry, bool) {
	var l listed
	if err := json.Unmarshal([]byte(text), &l); err != nil || l.Namespaces == nil && l.Functions == nil {
		return nil, false
	}
	var list []entry
	for _, n := range l.Namespaces {
		list = append(list, entry{name: n.Name, description: n.Description, kind: namespace, line: n.Description})
	}
	for _, f := range l.Functions {
		list = append(list, entry{name: f.Name, description: f.Description, kind: function, line: f.Description})
	}
	return list, true
}
