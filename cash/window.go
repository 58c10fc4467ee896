package cash

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/registry"
)

// A window is the part of a long list that a request asks for, by the keyword arguments offset and limit. Its zero
// value is the whole list, or as much of it as a page holds.
type window struct {
	offset int // entries to skip
	limit  int // the most entries; 0 is no limit
	asked  bool
}

// read reads one keyword argument, and reports whether it is one of a window. Nonsense is ignored (R46).
func (w *window) read(name string, value []byte) bool {
	if name != "offset" && name != "limit" {
		return false
	}
	n, err := parseSizeLimit(value)
	switch {
	case err != nil || n == nil:
	case name == "offset":
		w.offset, w.asked = *n, true
	case *n > 0:
		w.limit, w.asked = *n, true
	}
	return true
}

// most returns the most entries of the window.
func (w window) most() int {
	if w.limit == 0 {
		return math.MaxInt
	}
	return w.limit
}

// next returns the keyword arguments for the window from offset on.
func (w window) next(offset int) string {
	if w.limit == 0 {
		return fmt.Sprintf(`kwargs={"offset": %d}`, offset)
	}
	return fmt.Sprintf(`kwargs={"offset": %d, "limit": %d}`, offset, w.limit)
}

// minPage is the least budget of a page in characters, whatever the gate's limit is.
const minPage = 1000

// budget returns the most characters of a page of help in Markdown and of a list of skills: the gate's limit.
func (s *Server) budget() int { return max(s.opts.SizeLimit, minPage) }

// roomToGoOn is what a page reserves for the lines that it ends with when it does not show everything, besides paths.
const roomToGoOn = 250

// beginning returns the page of another server, cut to the budget at the end of a line. more says how to see the rest.
// JSON is not cut.
func (s *Server) beginning(text, more string) string {
	size := utf8.RuneCountInString(text)
	if size <= s.budget() || strings.HasPrefix(text, "{") {
		return text
	}
	end := fmt.Sprintf("\n\nThis is the beginning of a page of %d characters. %s", size, more)
	short := cutRunes(text, s.budget()-utf8.RuneCountInString(end)-len("\n```"))
	if i := strings.LastIndexByte(short, '\n'); i > len(short)/2 {
		short = short[:i]
	}
	short = strings.TrimRight(short, " \t\n")
	if (strings.Count(short, "\n```")+strings.Count(short[:min(len(short), 3)], "```"))%2 == 1 { // an open block of code
		short += "\n```"
	}
	return short + end
}

// cutRunes returns the first characters of text.
func cutRunes(text string, most int) string {
	for i := range text {
		if most--; most < 0 {
			return text[:i]
		}
	}
	return text
}

// A listPage is a page of help under construction that lists entries within a budget.
type listPage struct {
	b      strings.Builder
	room   int // characters left for entries
	goOn   int // of these, what is needed to say how to go on
	listed int // entries so far
}

// newListPage returns a page that ends with end, about a namespace at path.
func (s *Server) newListPage(path, end string) *listPage {
	return &listPage{room: s.budget() - utf8.RuneCountInString(end), goOn: roomToGoOn + 2*len(path)}
}

// write adds text, which counts.
func (p *listPage) write(text string) {
	p.b.WriteString(text)
	p.room -= utf8.RuneCountInString(text)
}

// reserve keeps room to say how to go on, if the lists are not all entries or do not fit.
func (p *listPage) reserve(all int, lists ...[]entry) {
	entries := slices.Concat(lists...)
	if len(entries) < all || p.fitting(entries) < all {
		p.room -= p.goOn
	}
}

// section adds a list under its heading, as far as its lines fit. Namespaces lose their descriptions first. It returns
// the number of entries, which is at least one if the page has none yet.
func (p *listPage) section(heading string, list []entry, namespaces bool) int {
	if len(list) == 0 {
		return 0
	}
	n := p.fitting(list)
	if namespaces && n < len(list) {
		list = bare(list)
		n = p.fitting(list)
	}
	if n == 0 && p.listed > 0 {
		return 0
	}
	p.b.WriteString(heading)
	for _, e := range list[:max(n, 1)] {
		p.write(e.line())
	}
	p.listed += max(n, 1)
	return max(n, 1)
}

// fitting returns how many lines of a list fit.
func (p *listPage) fitting(list []entry) int {
	room := p.room
	for i, e := range list {
		if room -= e.width(); room < 0 {
			return i
		}
	}
	return len(list)
}

// shown says which of all entries a page lists. It is empty if it lists all.
func (p *listPage) shown(w window, all int, what string) string {
	switch {
	case p.listed == all:
		return ""
	case p.listed == 0 && all > 0:
		return fmt.Sprintf("No entries from offset %d on: there are %d (%s), and the first has offset 0.", w.offset, all, what)
	}
	return fmt.Sprintf("Entries %d to %d of %d (%s), by name.", w.offset+1, w.offset+p.listed, all, what)
}

// bare returns the entries without their descriptions.
func bare(list []entry) []entry {
	names := make([]entry, len(list))
	for i, e := range list {
		names[i] = entry{Name: e.Name, Available: e.Available}
	}
	return names
}

// searchCall writes an invocation of help that searches a namespace.
func searchCall(namespace string) string {
	return withArgument(helpCall(namespace, ""), `kwargs={"search": "..."}`)
}

// counted returns a number of things: "1 skill", "2 skills".
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// withArgument adds an argument to an invocation.
func withArgument(call, argument string) string {
	call = strings.TrimSuffix(call, ")")
	if !strings.HasSuffix(call, "(") {
		call += ", "
	}
	return call + argument + ")"
}

// allOf says how to see the whole page of a function.
func allOf(f *registry.Function, o helpOptions) string {
	kwargs := `kwargs={"format": "json"}`
	if o.full {
		kwargs = `kwargs={"format": "json", "params": "full"}`
	}
	return "All of it: `" + withArgument(helpCall(f.Namespace(), f.Name()), kwargs) + "`."
}
