package upstream

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

const (
	// maxMounts bounds the namespaces that are mounted of a manifest.
	maxMounts = 64
	// maxChosen bounds the labels that are remembered for a manifest, which may
	// suggest others each time.
	maxChosen = 4 * maxMounts
	// maxPrefix bounds the publisher's name in a label, in bytes.
	maxPrefix = 32
)

// labels chooses where discovered servers stand (R134): where the operator says;
// else where the manifest suggests; where several suggest the same, or something
// else stands there, with the publisher's name before it, or the host's; where
// that is the same, with a number. What has been chosen stays, as long as nothing
// else stands there.
type labels struct {
	chosen map[string]map[string]string // labels by manifest and suggestion
}

// wish is a place that a manifest asks for.
type wish struct {
	source      *source
	suggestion  string // canonical
	label       string // as suggested; then as chosen
	namespace   string // of the server, canonical
	description string
	settled     bool
}

// choose returns the mounts of sources whose manifests are known, in order of
// their labels. taken reports whether a label is used by something else than the
// sources.
func (l *labels) choose(sources []*source, taken func(label string, by *source) bool) map[*source][]mount {
	mounts := make(map[*source][]mount)
	var wishes []*wish
	for _, s := range sources {
		if s.Label != "" {
			mounts[s] = []mount{s.mountAtLabel(cmp.Or(s.Description, onlyDescription(s.last.Manifest)))}
			continue
		}
		list := s.wishes()
		l.recall(s, list, taken)
		wishes = append(wishes, list...)
	}
	l.settle(wishes, taken)
	for _, w := range wishes {
		mounts[w.source] = append(mounts[w.source], mount{label: w.label, namespace: w.namespace, description: w.description, orRoot: true})
	}
	for _, list := range mounts {
		slices.SortFunc(list, func(a, b mount) int { return strings.Compare(a.label, b.label) })
	}
	return mounts
}

// recall settles the wishes of a manifest that have been settled before.
func (l *labels) recall(s *source, wishes []*wish, taken func(string, *source) bool) {
	had := l.chosen[s.URL]
	forget := len(had) > maxChosen
	kept := make(map[string]string)
	for _, w := range wishes {
		if label, ok := had[w.suggestion]; ok && !taken(label, s) {
			w.label, w.settled = label, true
			kept[w.suggestion] = label
		}
		delete(had, w.suggestion)
	}
	for suggestion, label := range had {
		if !forget {
			kept[suggestion] = label
		}
	}
	if l.chosen == nil {
		l.chosen = make(map[string]map[string]string)
	}
	l.chosen[s.URL] = kept
}

// settle gives every wish a label of its own, the plainest that is free. One
// that several ask for in the same way nobody gets.
func (l *labels) settle(wishes []*wish, taken func(string, *source) bool) {
	reserved, many := newPlaces(), make(map[string]int)
	for _, chosen := range l.chosen {
		for suggestion, label := range chosen {
			reserved.add(canonicalPath(label))
			many[suggestion]++
		}
	}
	give := func(w *wish, label string) bool {
		if label == "" || reserved.overlap(canonicalPath(label)) || taken(label, w.source) {
			return false
		}
		w.label, w.settled = label, true
		reserved.add(canonicalPath(label))
		l.chosen[w.source.URL][w.suggestion] = label
		return true
	}
	for _, form := range []func(*wish) string{(*wish).plain, (*wish).byPublisher, (*wish).byHost} {
		wishes = slices.DeleteFunc(slices.Clone(wishes), func(w *wish) bool { return w.settled })
		for _, w := range wishes {
			many[canonicalPath(form(w))]++
		}
		for _, w := range wishes {
			if many[canonicalPath(form(w))] == 1 {
				give(w, form(w))
			}
		}
		clear(many)
	}
	next := make(map[string]int) // so that many of one name cost no search
	for _, w := range wishes {
		if w.settled {
			continue
		}
		// In one piece: a number would not help below what is taken.
		base := strings.ReplaceAll(cmp.Or(w.byPublisher(), w.byHost()), ".", "_")
		path := canonicalPath(base)
		label, n := base, max(next[path], 2)
		for ; !give(w, label); n++ {
			label = fmt.Sprintf("%s_%d", base, n)
		}
		next[path] = n
	}
}

func (w *wish) plain() string { return w.label }

// byPublisher is empty if the publisher's name cannot stand in a label.
func (w *wish) byPublisher() string {
	name := strings.ToLower(strings.ReplaceAll(manifest.Label(w.source.last.Manifest.Publisher), ".", ""))
	if name == "" || len(name) > maxPrefix {
		return ""
	}
	return name + w.label
}

func (w *wish) byHost() string { return hostLabel(w.source.host) + w.label }

// wishes are the namespaces of the source's manifest, each once, and without
// those that stand below another.
func (s *source) wishes() []*wish {
	all, seen := newPlaces(), make(map[string]bool)
	for _, ns := range s.last.Manifest.Namespaces {
		all.add(canonicalPath(s.suggested(ns)))
	}
	var list []*wish
	for _, ns := range s.last.Manifest.Namespaces {
		label := s.suggested(ns)
		path := canonicalPath(label)
		if seen[path] || all.below(path) {
			continue
		}
		seen[path] = true
		if len(list) == maxMounts {
			s.agg.opts.Logger.Warn("manifest has too many namespaces", "host", s.host, "most", maxMounts)
			break
		}
		list = append(list, &wish{
			source: s, suggestion: path, label: label,
			namespace:   canonicalPath(manifest.Label(ns.Suggested)),
			description: cmp.Or(s.Description, clean.Line(ns.Description, maxAbout)),
		})
	}
	return list
}

// suggested is the label that a namespace would have if there were no other.
func (s *source) suggested(ns manifest.Namespace) string {
	return cmp.Or(strings.ToLower(manifest.Label(ns.Suggested)), hostLabel(s.host))
}

// hostLabel makes a label of a host: its first part that says something.
func hostLabel(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return "server"
	}
	for _, part := range strings.Split(strings.ToLower(host), ".") {
		label := strings.ReplaceAll(manifest.Label(part), "_", "")
		if label != "" && !slices.Contains([]string{"mcp", "www", "api", "cash"}, label) {
			return label[:min(len(label), maxPrefix)]
		}
	}
	return "server"
}

func onlyDescription(m *manifest.Manifest) string {
	if len(m.Namespaces) == 1 {
		return clean.Line(m.Namespaces[0].Description, maxAbout)
	}
	return ""
}

func canonicalPath(path string) string {
	c, _ := registry.CanonicalPath(path)
	return c
}

func topOf(path string) string {
	top, _, _ := strings.Cut(path, ".")
	return top
}

// places are canonical paths, and what is above them.
type places struct{ at, above map[string]bool }

func newPlaces() places { return places{make(map[string]bool), make(map[string]bool)} }

func (p places) add(path string) {
	p.at[path] = true
	for above := parentOf(path); above != "" && !p.above[above]; above = parentOf(above) {
		p.above[above] = true
	}
}

// overlap reports whether a path is one of the places, or above or below one.
func (p places) overlap(path string) bool {
	return p.at[path] || p.above[path] || p.below(path)
}

func (p places) below(path string) bool {
	for above := parentOf(path); above != ""; above = parentOf(above) {
		if p.at[above] {
			return true
		}
	}
	return false
}

func parentOf(path string) string { return path[:max(strings.LastIndexByte(path, '.'), 0)] }
