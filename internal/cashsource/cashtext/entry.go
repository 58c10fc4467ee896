package cashtext

import "github.com/cash-mcp/go-sdk/internal/clean"

// An Entry is a namespace or a function in the list of a page of help, with its description. ParseHelp collects them in
// entries from the items that it has read (item.go).
type Entry struct {
	// Name is a label as the page spells it.
	Name string
	// Description is one clean line of at most 1,000 characters, or empty.
	Description string
	// Unavailable says that the entry exists but does not answer at the moment (available: false, RFC 5.4.2).
	Unavailable bool
}

// entries collects the entries of one list: the items with valid names, without duplicates.
type entries struct {
	list    []Entry
	seen    map[string]bool // canonical names in list
	dropped *[]string       // invalid and repeated names
}

// addAll adds the items of a list in the namespace at path. Names may begin with that path: orders.create in orders is
// create. If some names are marked, items without marks are prose.
func (l *entries) addAll(items []item, path string) {
	marked := false
	for _, it := range items {
		marked = marked || it.marked
	}
	for _, it := range items {
		if marked && !it.marked {
			continue
		}
		if rest, ok := cutPath(it.name, path); ok && path != "" && rest != "" {
			it.name = rest
		}
		l.add(it)
	}
}

// add adds an item if its name is a new label. Otherwise it notes the name as dropped.
func (l *entries) add(it item) {
	canonical, ok := canonicalLabel(it.name)
	if !ok || len(it.name) > maxName || l.seen[canonical] {
		drop(l.dropped, it.name)
		return
	}
	l.seen[canonical] = true
	l.list = append(l.list, it.entry())
}

// drop adds an invalid or repeated name to a page's dropped names.
func drop(dropped *[]string, name string) {
	if len(*dropped) < maxDropped {
		*dropped = append(*dropped, clean.Line(name, 64))
	}
}

// description returns a text as one clean line of at most maxDescription characters.
func description(text string) string {
	return clean.Cut(clean.Flow(text), maxDescription)
}
