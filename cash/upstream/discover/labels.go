package discover

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/label"
)

// maxChosen bounds the labels that are remembered for a manifest, which may suggest
// others each time.
const maxChosen = 4 * maxPlaces

// Labels choose where the servers of manifests stand (R134). The zero value has chosen
// none. A namespace gets the first of these labels that no other asks for, and at
// which nothing else stands:
//
//   - the one that the manifest suggests;
//   - with the publisher's name before it;
//   - with the host's;
//   - with a number.
//
// What has been chosen stays, as long as nothing else stands there.
type Labels struct {
	chosen map[string]map[string]string // labels by manifest and suggestion
}

// A Place is where a namespace of a server stands.
type Place struct {
	Label       string // a path of labels
	Namespace   string // of the server, canonical
	Description string // that the manifest has of it, in a line
}

// Choose returns the places of those whose manifests are known, in order of their
// labels. taken reports whether a label is used by something else than the others of
// the list. Of two that are alike, the first in the list gets the lower number.
func (l *Labels) Choose(list []*Follower, taken func(label string, by *Follower) bool) map[*Follower][]Place {
	var all []*wish
	for _, f := range list {
		wishes := f.wishes()
		l.recall(f, wishes, taken)
		all = append(all, wishes...)
	}
	l.settle(all, taken)
	places := make(map[*Follower][]Place)
	for _, w := range all {
		places[w.follower] = append(places[w.follower], Place{w.label, w.namespace, w.description})
	}
	for _, list := range places {
		slices.SortFunc(list, func(a, b Place) int { return strings.Compare(a.Label, b.Label) })
	}
	return places
}

// Forget forgets what was chosen for a manifest that is not followed any more.
func (l *Labels) Forget(f *Follower) { delete(l.chosen, f.url) }

// recall settles the wishes of a manifest that have been settled before.
func (l *Labels) recall(f *Follower, wishes []*wish, taken func(string, *Follower) bool) {
	had := l.chosen[f.url]
	forget := len(had) > maxChosen
	kept := make(map[string]string)
	for _, w := range wishes {
		if label, ok := had[w.suggestion]; ok && !taken(label, f) {
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
	l.chosen[f.url] = kept
}

// settle gives every wish a label of its own, the plainest that is free. One
// that several ask for in the same way nobody gets.
func (l *Labels) settle(wishes []*wish, taken func(string, *Follower) bool) {
	reserved, many := label.NewPaths(), make(map[string]int)
	for _, chosen := range l.chosen {
		for suggestion, label := range chosen {
			reserved.Add(canonical(label))
			many[suggestion]++
		}
	}
	give := func(w *wish, label string) bool {
		if label == "" || reserved.Overlap(canonical(label)) || taken(label, w.follower) {
			return false
		}
		w.label, w.settled = label, true
		reserved.Add(canonical(label))
		l.chosen[w.follower.url][w.suggestion] = label
		return true
	}
	for _, form := range []func(*wish) string{(*wish).plain, (*wish).byPublisher, (*wish).byHost} {
		wishes = slices.DeleteFunc(slices.Clone(wishes), func(w *wish) bool { return w.settled })
		for _, w := range wishes {
			many[canonical(form(w))]++
		}
		for _, w := range wishes {
			if many[canonical(form(w))] == 1 {
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
		path := canonical(base)
		label, n := base, max(next[path], 2)
		for ; !give(w, label); n++ {
			label = fmt.Sprintf("%s_%d", base, n)
		}
		next[path] = n
	}
}
