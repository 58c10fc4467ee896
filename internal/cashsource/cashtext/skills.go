package cashtext

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// Skills is the content of skill() or skill(namespace=...) (RFC 4.3).
type Skills struct {
	// Namespace is the page's own subject; empty if it gives none, as at the root.
	Namespace string
	// Skills are the entries, in the order of the page, without duplicates.
	Skills []SkillEntry
	// Namespaces are those, at any depth, with skills of their own.
	Namespaces []SkillNamespace
	// More is the number of omitted lines according to the page; 0 if it gives none.
	More int
	// Next is the offset of the page with the lines that follow; 0 if the page names none.
	Next int
	// Dropped are invalid and repeated names: at most 16, each clean and cut.
	Dropped []string
}

// A SkillEntry is one skill in a list.
type SkillEntry struct {
	// Namespace is the path before the name in the entry; empty if there is none, which means the listed namespace.
	Namespace string
	// Name is a label as spelled. It may have hyphens, as names of Agent Skills do.
	Name string
	// Description is one clean line of at most 1,000 characters, or empty.
	Description string
	// Heading is the heading above the entry, if it may be the path of a namespace.
	Heading string
}

// A SkillNamespace is a namespace that has skills.
type SkillNamespace struct {
	Path  string // dotted path, from the root of the server
	Count int    // number of skills; 0 if the page gives none
}

// ParseSkills reads the page of skill() or skill(namespace=...), in JSON or in
// markdown: lists and tables; headings that name namespaces announce namespaces,
// and so does an entry of which only a number of skills is said. A text that is
// no list has no skills. It refuses pages of more than 1 MiB or 10,000 entries,
// and JSON that is not strict.
func ParseSkills(text string) (*Skills, error) {
	return readPage("a list of skills", text, parseSkills)
}

func parseSkills(text string) (*Skills, error) {
	r := skillReader{page: new(Skills), seen: make(map[string]bool)}
	if isJSON(text) {
		if err := r.json(text); err != nil {
			return nil, err
		}
	} else {
		r.markdown(text)
	}
	if n := len(r.skills) + len(r.namespaces); n > maxEntries {
		return nil, tooMany(n)
	}
	r.finish()
	return r.page, nil
}

var (
	skillsHead = regexp.MustCompile("(?i)^skills (?:in|of)(?: namespace)? [*`]*([\\w.]+)[*`]*$")
	skillCount = regexp.MustCompile(`^(\d{1,9}) skills?\.?$`)
	moreLines  = regexp.MustCompile(`(?i)\b(\d[\d,]{0,12}) more\b`)
)

type skillReader struct {
	page       *Skills
	skills     []item
	namespaces []item
	seen       map[string]bool // entries taken so far, by kind and canonical name

	heading string // heading above the entries, if it is a path
	below   bool   // the entries are namespaces
	indent  int    // indentation of the list's entries; -1 if unknown
	last    *item  // entry that the last line belongs to; nil if none
}

func (r *skillReader) json(text string) error {
	object, err := readObject(text, "skills")
	if err != nil {
		return err
	}
	r.setNamespace(strictjson.Text(object["namespace"]))
	r.page.More, r.page.Next = wholeNumber(object["more"]), wholeNumber(object["next"])
	r.skills = jsonItems(object["skills"])
	for i, v := range strictjson.Elements(object["skills"]) {
		r.skills[i].namespace = strictjson.Text(members(v)["namespace"])
	}
	r.namespaces = jsonItems(object["namespaces"])
	for i, v := range strictjson.Elements(object["namespaces"]) {
		if n := wholeNumber(members(v)["skills"]); n > 0 {
			r.namespaces[i].lines = []string{strconv.Itoa(n) + " skills"}
		}
	}
	return nil
}

func (r *skillReader) setNamespace(path string) {
	if _, ok := registry.CanonicalPath(path); ok {
		r.page.Namespace = path
	}
}

func (r *skillReader) markdown(text string) {
	lines := readLines(text)
	r.lines(lines)
	if len(r.skills)+len(r.namespaces) == 0 {
		r.lines(relaxed(lines))
	}
}

func (r *skillReader) lines(lines []line) {
	r.heading, r.below, r.indent, r.last = "", false, -1, nil
	for i, l := range lines {
		switch l.kind {
		case headingLine:
			r.title(l)
		case bulletLine:
			r.bullet(l)
		case rowLine:
			r.row(cells(l.text), i+1 < len(lines) && lines[i+1].kind == ruleLine)
		case proseLine:
			if r.last != nil {
				r.last.add(l.text)
			} else if m := moreLines.FindStringSubmatch(l.text); m != nil {
				r.page.More = wholeNumber([]byte(strings.ReplaceAll(m[1], ",", "")))
			}
			r.page.Next = max(r.page.Next, nextOffset(l.text))
		default:
			r.last = nil
		}
	}
}

func (r *skillReader) title(l line) {
	r.below, r.indent, r.last = strings.Contains(strings.ToLower(l.text), "namespaces"), -1, nil
	r.heading = headingPath(l)
	if m := skillsHead.FindStringSubmatch(l.text); m != nil {
		r.below = false
		r.setNamespace(m[1])
	}
}

func (r *skillReader) bullet(l line) {
	r.last = nil
	if r.indent >= 0 && l.level > r.indent+1 {
		return // of a nested list
	}
	r.indent = l.level
	if e, ok := parseItem(l.text); ok && e.section != functions {
		r.last = r.add(e, r.below || e.section == namespaces)
	}
}

// row reads a table row. The table's head may name the kind of entries.
func (r *skillReader) row(cells []string, head bool) {
	switch {
	case len(cells) == 0:
	case head:
		r.below = r.below || strings.Contains(strings.ToLower(cells[0]), "namespace")
	default:
		e := item{name: strings.Trim(cells[0], "*`"), marked: true}
		e.add(strings.Join(cells[1:], " "))
		r.add(e, r.below)
	}
}

// headingPath returns the path in a heading below the first level, if it can be one.
func headingPath(l line) string {
	m := pathTitle.FindStringSubmatch(l.text)
	if m == nil || l.level == 1 || isNoEntry(l.text) {
		return ""
	}
	path := m[1] + m[2]
	if _, ok := registry.CanonicalPath(path); !ok {
		return ""
	}
	return path
}

// add adds an entry and returns it.
func (r *skillReader) add(e item, below bool) *item {
	list := &r.skills
	if below || strings.Contains(e.name, ".") && skillCount.MatchString(strings.Join(e.lines, " ")) {
		list = &r.namespaces
	}
	e.underHeading = r.heading
	*list = append(*list, e)
	return &(*list)[len(*list)-1]
}

func (r *skillReader) finish() {
	marked := slices.ContainsFunc(r.skills, func(e item) bool { return e.marked })
	for _, e := range r.skills {
		if !marked || e.marked {
			r.skill(e)
		}
	}
	for _, e := range r.namespaces {
		r.namespace(e)
	}
}

// skill adds an entry with the name of a skill, possibly after its path.
func (r *skillReader) skill(e item) {
	namespace, name := e.namespace, e.name
	if i := strings.LastIndexByte(name, '.'); i > 0 && namespace == "" {
		namespace, name = name[:i], name[i+1:]
	}
	path, okPath := registry.CanonicalPath(namespace)
	label, ok := canonicalLabel(strings.ReplaceAll(name, "-", ""))
	if !ok || !okPath || len(name) > maxName || r.again("skill "+cmp.Or(path, e.underHeading)+"."+label) {
		drop(&r.page.Dropped, e.name)
		return
	}
	r.page.Skills = append(r.page.Skills, SkillEntry{namespace, name, description(e.text()), e.underHeading})
}

func (r *skillReader) namespace(e item) {
	path, ok := registry.CanonicalPath(e.name)
	if !ok || path == "" || r.again("namespace "+path) {
		drop(&r.page.Dropped, e.name)
		return
	}
	n := SkillNamespace{Path: e.name}
	if m := number.FindString(strings.Join(e.lines, " ")); m != "" {
		n.Count = wholeNumber([]byte(m))
	}
	r.page.Namespaces = append(r.page.Namespaces, n)
}

// again reports whether a name was taken before, and marks it as taken.
func (r *skillReader) again(key string) bool {
	seen := r.seen[key]
	r.seen[key] = true
	return seen
}
