package cashtext

import (
	"cmp"
	"slices"
	"strings"
)

// A Mount says that the namespace From of a server, with all that is below it,
// is known as To here (RFC 5.4). Both are dotted paths; From is usually empty,
// the server's root. Paths are compared in canonical form: case and underscores
// do not count. What is neither at or below From nor in a place beside it is left
// as it is, and so is everything if From is no path. The zero value changes
// nothing.
type Mount struct {
	From, To string
	// Known has the canonical paths of namespaces that the server is known to
	// have: a name without quotes, or in a heading of its own, is taken for one only
	// if it is among these. May be nil.
	Known map[string]bool
	// Beside are the other namespaces of the server that are known here, and as
	// what: of several that a path is at or below, the nearest counts, From among
	// them. May be nil.
	Beside []Place
}

// A Place says that the namespace From of a server is known as To.
type Place struct{ From, To string }

// Text returns a text of the server as it reads here: a skill, a list of skills,
// an error, a notice of the gate; see the package comment for what that changes.
//
// An invocation without a namespace means the root of the server, and gets To
// if that is what From is. A skill that is named without its namespace may be
// anywhere in its server: it gets To in any case, and whoever resolves names
// below To finds it.
//
// Text is for what came from the server: applied to its own result, it would
// move the paths once more.
func (m Mount) Text(text string) string {
	return apply(text, m.edits(text))
}

// Help is Text for a page of help. At its top may stand what the page is about,
// as in "# orders.create": the heading is rewritten if it is path, by which the
// server knows the namespace, or the function with its namespace. The empty path
// is that of help().
func (m Mount) Help(text, path string) string {
	edits := m.edits(text)
	if e, ok := m.title(text, path); ok {
		edits = append(edits, e)
	}
	return apply(text, edits)
}

func (m Mount) edits(text string) []edit {
	edits := m.invocations(text)
	edits = append(edits, m.objects(text)...)
	edits = append(edits, m.sentences(text)...)
	edits = append(edits, m.headings(text)...)
	return append(edits, m.lists(text)...)
}

// path returns a path of the server as it is known here.
func (m Mount) path(path string) (string, bool) {
	rest, ok := cutPath(path, m.From)
	to, depth := m.To, depthOf(m.From)
	for _, p := range m.Beside {
		if r, at := cutPath(path, p.From); at && (!ok || depthOf(p.From) > depth) {
			rest, to, depth, ok = r, p.To, depthOf(p.From), true
		}
	}
	return joinPath(to, rest), ok
}

func depthOf(path string) int {
	if path == "" {
		return 0
	}
	return 1 + strings.Count(path, ".")
}

// atRoot reports whether the root of the server is known here, under a name.
func (m Mount) atRoot() bool { return m.From == "" && m.To != "" }

// An edit puts text in place of what is between two offsets.
type edit struct {
	start, end int
	text       string
}

// move is the edit that rewrites the path at text[start:end], if it is one that
// is known here.
func (m Mount) move(text string, start, end int) (edit, bool) {
	path, ok := m.path(text[start:end])
	return edit{start, end, path}, ok
}

// apply makes the edits, of which the first wins where two overlap.
func apply(text string, edits []edit) string {
	if len(edits) == 0 {
		return text
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var b strings.Builder
	done, last := 0, -1
	for _, e := range edits {
		if e.start < done || e.start == last {
			continue
		}
		b.WriteString(text[done:e.start])
		b.WriteString(e.text)
		done, last = e.end, e.start
	}
	b.WriteString(text[done:])
	return b.String()
}
