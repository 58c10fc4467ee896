package cashtext

import "github.com/cash-mcp/go-sdk/internal/clean"

// An Entry is a name in a list, with its description.
type Entry struct {
	// Name is a label as the page spells it.
	Name string
	// Description is one clean line of at most 1,000 characters, or empty.
	Description string
	// Unavailable says that the entry exists but does not answer at the moment (available: false, RFC 5.4.2).
	Unavailable bool
}

// entries are the named items of a list, without duplicates, and the dropped names.
type entries struct {
	list    []Entry
	seen    map[string]bool
	dropped *[]string
}

// addAll adds the items of a list in the namespace at path. Names may begin with that path. If some names are set
// off, items with plain names are prose.
func (l *entries) addAll(items []item, path string) {
	marked := false
	for _, e := range items {
		marked = marked || e.marked
	}
	for _, e := range items {
		if marked && !e.marked {
			continue
		}
		if rest, ok := cutPath(e.name, path); ok && path != "" && rest != "" {
			e.name = rest
		}
		l.add(e)
	}
}

// add adds an item whose name is a label.
func (l *entries) add(e item) {
	c, ok := canonicalLabel(e.name)
	if !ok || len(e.name) > maxName || l.seen[c] {
		drop(l.dropped, e.name)
		return
	}
	if l.seen == nil {
		l.seen = make(map[string]bool)
	}
	l.seen[c] = true
	l.list = append(l.list, e.entry())
}

// drop notes an invalid or repeated name.
func drop(dropped *[]string, name string) {
	if len(*dropped) < maxDropped {
		*dropped = append(*dropped, clean.Line(name, 64))
	}
}

// description returns text as one clean line.
func description(text string) string {
	return clean.Cut(clean.Flow(text), maxDescription)
}
