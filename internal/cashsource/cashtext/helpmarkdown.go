package cashtext

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
)

// A section is the kind of the entries below a heading.
type section int

const (
	undecided section = iota
	namespaces
	functions
	arguments
	others // neither
	numSections
)

var (
	pathTitle     = regexp.MustCompile("^(?i:namespace:\\s*)?[*`]*([\\w.]+)[*`]*$|^(?i:namespace)\\s+[*`]+([\\w.]+)[*`]+$")
	argumentsHead = regexp.MustCompile(`(?i)^[*_]*(?:[a-z]+ ){0,3}(?:arguments|kwargs)\b[^:.]{0,40}:`)
	sizeLimitWord = regexp.MustCompile(`(?i)size.?limit|threshold|\bgated?\b|withheld|(?:results?|responses?|outputs?)\b.*\bcharacters`)
	sectionWord   = regexp.MustCompile(`(?i)^(?:sub_?)?(?:namespace|function|tool|command|operation|method|argument|parameter)s?$`)
	offset        = regexp.MustCompile("(?i)\\boffset[\"'`]*\\s*[:=]\\s*(\\d{1,9})\\b")
	number        = regexp.MustCompile(`\d[\d,_']*`)
)

// sectionOf returns the section that a heading announces.
func sectionOf(heading string) section {
	h := strings.ToLower(heading)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(h, w) {
				return true
			}
		}
		return false
	}
	switch {
	case has("argument", "kwarg", "parameter"):
		return arguments
	case has("namespace"):
		return namespaces
	case has("function", "tool", "command", "operation", "method"):
		return functions
	}
	return others
}

// helpMarkdown reads a page of help in markdown.
func helpMarkdown(text string) (*Page, error) {
	lines := readLines(text)
	page, err := helpLines(lines)
	if err != nil || len(page.Namespaces)+len(page.Functions) > 0 {
		return page, err
	}
	if again, err := helpLines(relaxed(lines)); err != nil || len(again.Namespaces)+len(again.Functions) > 0 {
		return again, err
	}
	return page, nil
}

func helpLines(lines []line) (*Page, error) {
	r := helpReader{page: new(Page), lines: lines, indent: -1}
	r.title()
	for i := range r.lines {
		r.line(i)
	}
	r.endParagraph()
	return r.page, r.finish()
}

type helpReader struct {
	page      *Page
	lines     []line
	section   section
	level     int // level of the heading that opened the section
	items     [numSections][]item
	list      bool    // the last line belongs to an entry
	to        section // section of that entry
	indent    int     // indentation of the list's entries; -1 if unknown
	nested    bool    // the last line belongs to a nested list
	announced bool    // some heading opened a section
	headings  int
	rest      []string
	paragraph []string
	arguments []string
}

// title takes the first heading as the path of the namespace, if it can be one. A word such as Functions counts
// only if other headings divide the page.
func (r *helpReader) title() {
	for i, l := range r.lines {
		if l.kind == blankLine {
			continue
		}
		m := pathTitle.FindStringSubmatch(l.text)
		if l.kind != headingLine || l.level == maxLevel || m == nil {
			return
		}
		path := m[1] + m[2]
		said := !strings.HasPrefix(strings.TrimLeft(l.text, "*`"), path) // whether the heading says that it is a namespace
		if _, ok := registry.CanonicalPath(path); !ok || sectionWord.MatchString(path) && !said && !r.divided(i+1, l.level) {
			return
		}
		r.page.Namespace = path
		r.lines = r.lines[i+1:]
		return
	}
}

// divided reports whether there are sections below a given level.
func (r *helpReader) divided(from, level int) bool {
	for _, l := range r.lines[from:] {
		if s := sectionOf(l.text); l.kind == headingLine && l.level > level && (s == namespaces || s == functions) {
			return true
		}
	}
	return false
}

func (r *helpReader) line(i int) {
	l := &r.lines[i]
	switch l.kind {
	case headingLine:
		r.endParagraph()
		r.heading(l.text, l.level)
	case bulletLine:
		r.endParagraph()
		r.bullet(l)
	case rowLine:
		r.endParagraph()
		r.row(i)
	case ruleLine, blankLine:
		r.list, r.nested = false, false
		r.endParagraph()
	default:
		r.prose(l, i)
	}
}

func (r *helpReader) heading(text string, level int) {
	r.list, r.nested, r.indent = false, false, -1
	s := sectionOf(text)
	r.headings++
	switch {
	case s != others:
	case r.headings == 1:
		s = undecided // the title of the page
	case level > r.level && r.section != undecided:
		return // part of the section
	}
	r.section, r.level = s, level
	r.announced = r.announced || s == namespaces || s == functions
}

func (r *helpReader) bullet(l *line) {
	if r.nested = r.indent >= 0 && l.level > r.indent+1; r.nested {
		return
	}
	r.indent = l.level
	if r.section == arguments {
		r.argument(l.raw)
		return
	}
	e, ok := parseItem(l.text)
	if r.list = ok; ok {
		r.keep(e)
	} else {
		r.rest = append(r.rest, l.raw)
	}
}

// row reads a table row. The table's head may name the kind of entries.
func (r *helpReader) row(i int) {
	c := cells(r.lines[i].text)
	if len(c) == 0 {
		return
	}
	if i+1 < len(r.lines) && r.lines[i+1].kind == ruleLine {
		if s := sectionOf(c[0]); s == namespaces || s == functions {
			r.section, r.level, r.announced = s, maxLevel, true
		}
		return
	}
	if r.section == arguments {
		r.argument(r.lines[i].raw)
		return
	}
	e, ok := parseItem(c[0])
	if !ok {
		e = item{name: c[0]}
	}
	e.marked = true
	e.add(strings.Join(c[1:], " "))
	r.keep(e)
}

// keep adds an entry to its own section, unless a heading decides otherwise.
func (r *helpReader) keep(e item) {
	switch r.to = r.section; {
	case e.section == undecided || e.section == r.section:
	case r.section == undecided:
		r.to = e.section
	default:
		r.to = others
	}
	r.items[r.to] = append(r.items[r.to], e)
}

func (r *helpReader) prose(l *line, i int) {
	list := r.items[r.to]
	switch {
	case l.kind == codeLine:
		r.list = false
		r.paragraph = append(r.paragraph, l.raw)
	case argumentsHead.MatchString(l.text) || len(r.paragraph) == 0 && !r.list && r.section == arguments:
		r.list = false
		r.argument(l.raw)
	case r.page.SizeLimit == 0 && r.sizeLimit(l.text):
		r.list = false
	case r.nested:
	case r.list && len(list) > 0:
		list[len(list)-1].add(l.text)
	case strings.HasSuffix(l.text, ":") && len(l.text) <= 80 && r.announces(i):
		r.heading(l.text, maxLevel)
	default:
		r.indent = -1
		r.paragraph = append(r.paragraph, l.raw)
	}
}

// announces reports whether a line that ends with a colon introduces a list of namespaces or functions.
func (r *helpReader) announces(i int) bool {
	if s := sectionOf(r.lines[i].text); s != namespaces && s != functions {
		return false
	}
	for _, l := range r.lines[i+1:] {
		if l.kind != blankLine {
			return l.kind == bulletLine || l.kind == rowLine
		}
	}
	return false
}

func (r *helpReader) argument(text string) {
	r.arguments = append(r.arguments, text)
}

// sizeLimit reads the gate's threshold from a line.
func (r *helpReader) sizeLimit(text string) bool {
	if !sizeLimitWord.MatchString(text) {
		return false
	}
	digits := strings.NewReplacer(",", "", "_", "", "'", "").Replace(number.FindString(text))
	n, err := strconv.ParseInt(digits, 10, 32)
	if err == nil {
		r.page.SizeLimit = int(n)
	}
	return err == nil && n > 0
}

// nextOffset reads the offset of the next page from prose, as in kwargs={"offset": 100}; 0 if there is none.
func nextOffset(text string) int {
	all := offset.FindAllStringSubmatch(text, -1)
	if all == nil {
		return 0
	}
	return wholeNumber([]byte(all[len(all)-1][1]))
}

func (r *helpReader) endParagraph() {
	if len(r.paragraph) > 0 {
		r.rest = append(r.rest, strings.Join(r.paragraph, "\n"))
		r.paragraph = nil
	}
}

// finish adds the items to the page.
func (r *helpReader) finish() error {
	r.page.Rest = strings.TrimSpace(clean.Text(strings.Join(r.rest, "\n\n")))
	r.page.Next = nextOffset(r.page.Rest)
	r.page.Arguments = strings.TrimSpace(clean.Text(strings.Join(r.arguments, "\n")))
	if !r.announced {
		for _, e := range r.items[undecided] {
			to := namespaces
			if e.parens || r.page.Namespace != "" {
				to = functions
			}
			r.page.Guessed = r.page.Guessed || !e.parens
			r.items[to] = append(r.items[to], e)
		}
	}
	return r.page.take(r.items[namespaces], r.items[functions])
}
