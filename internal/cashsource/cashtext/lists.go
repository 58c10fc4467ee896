package cashtext

import (
	"regexp"
	"strings"
)

// The first lines of our own servers' lists.
const (
	skillsTitle     = "# Skills"
	skillsIn        = "# Skills in "
	namespacesTitle = "## Namespaces with skills"
	searchTitle     = "# Functions that fit, best first"
)

// listed matches an entry whose name is a path.
var listed = regexp.MustCompile(`^- \*\*([\w.]+)\*\*`)

// lists rewrites the paths in a list of skills and in search results.
func (m Mount) lists(text string) []edit {
	first, _, _ := strings.Cut(text, "\n")
	first = strings.TrimRight(first, " \r")
	var edits []edit
	paths := first == searchTitle
	switch {
	case strings.HasPrefix(first, skillsIn):
		e, ok := m.move(text, len(skillsIn), len(first))
		if !ok || e.text == "" {
			return nil
		}
		edits = append(edits, e)
	case !paths && first != skillsTitle:
		return nil
	}
	for start := 0; start < len(text); {
		line, _, _ := strings.Cut(text[start:], "\n")
		paths = paths || strings.TrimRight(line, " \r") == namespacesTitle
		if at := listed.FindStringSubmatchIndex(line); paths && at != nil {
			if e, ok := m.move(text, start+at[2], start+at[3]); ok && e.text != "" {
				edits = append(edits, e)
			}
		}
		start += len(line) + 1
	}
	return edits
}

// heading matches the first line of a page, up to the end of the path.
var heading = regexp.MustCompile("^\\s*#[ \\t]+(?:(?i:namespace|function):?[ \\t]+)?[*`]*([\\w.]+)")

// title rewrites the path in the heading of its own page.
func (m Mount) title(text, path string) (edit, bool) {
	at := heading.FindStringSubmatchIndex(text)
	if at == nil || path == "" || !samePath(text[at[2]:at[3]], path) {
		return edit{}, false
	}
	e, ok := m.move(text, at[2], at[3])
	return e, ok && e.text != ""
}

// sectionPath matches a heading that is only a path.
var sectionPath = regexp.MustCompile("(?m)^[ \\t]{0,3}#{1,6}[ \\t]+[*`]*([\\w.]+)[*`]*[ \\t\\r]*$")

// headings rewrites the headings of known namespaces.
func (m Mount) headings(text string) []edit {
	if len(m.Known) == 0 || strings.IndexByte(text, '#') < 0 {
		return nil
	}
	var edits []edit
	for _, at := range sectionPath.FindAllStringSubmatchIndex(text, -1) {
		path := text[at[2]:at[3]]
		if !m.knows(path) || isNoEntry(path) {
			continue
		}
		if e, ok := m.move(text, at[2], at[3]); ok && e.text != "" {
			edits = append(edits, e)
		}
	}
	return edits
}
