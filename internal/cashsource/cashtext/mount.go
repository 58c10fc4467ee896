package cashtext

import (
	"cmp"
	"slices"
	"strings"
)

// A Mount maps the namespace From of a server, and all below it, to the path To in this tree (RFC 5.4). Both are
// dotted paths. From is usually empty: the server's root. Paths are compared in canonical form: case and
// underscores do not count. Paths outside From and Beside stay as they are; so does everything if From is not a
// path. The zero value changes nothing.
type Mount struct {
	From, To string
	// Known are the canonical paths of the server's known namespaces. A name without quotes, or in a heading of its
	// own, counts as a namespace only if it is known. May be nil.
	Known map[string]bool
	// Functions are the canonical dotted paths of the server's known functions. Those of Known and of Functions are
	// rewritten in prose. May be nil.
	Functions map[string]bool
	// Beside are further mounts of the same server. Of several that contain a path, From included, the deepest
	// counts. May be nil.
	Beside []Place

	quiet bool // the text is no prose
}

// A Place maps the namespace From of a server to To.
type Place struct{ From, To string }

// Text rewrites a text of the server: a skill, a list of skills, an error or a gate's notice. The package comment
// lists the changes.
//
// An invocation without a namespace means the server's root. It gets To if From is the root. A skill without a
// namespace may be anywhere in its server. It always gets To, and is looked up below To.
//
// Text is not idempotent: applied twice, it moves the paths twice.
func (m Mount) Text(text string) string {
	return apply(text, m.edits(text))
}

// Help is Text for a page of help. It also rewrites the page's own heading, as in "# orders.create", if that is
// path: the server's path of the namespace, or of the function. The empty path is that of help().
func (m Mount) Help(text, path string) string {
	edits := m.edits(text)
	if e, ok := m.title(text, path); ok {
		edits = append(edits, e)
	}
	return apply(text, edits)
}

func (m Mount) edits(text string) []edit {
	edits, invocations := m.invocations(text)
	edits = append(edits, m.objects(text)...)
	edits = append(edits, m.sentences(text)...)
	edits = append(edits, m.headings(text)...)
	edits = append(edits, m.lists(text)...)
	return append(edits, m.prose(text, invocations)...)
}

// path returns a path of the server as it is in this tree.
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

// atRoot reports whether the server's root is mounted under a name.
func (m Mount) atRoot() bool { return m.From == "" && m.To != "" }

// An edit replaces the text between two offsets.
type edit struct {
	start, end int
	text       string
}

// move returns the edit for the path at text[start:end], if it is mounted here.
func (m Mount) move(text string, start, end int) (edit, bool) {
	path, ok := m.path(text[start:end])
	return edit{start, end, path}, ok
}

// apply makes the edits. If two overlap, the first wins.
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
