package discover

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/label"
)

// maxChosen bounds the labels remembered for a manifest, which may suggest other ones each time.
const maxChosen = 4 * maxPlaces

// Labels choose the labels of discovered servers (R134). The zero value is ready to use. A namespace gets the first
// of these labels that is free and that no other manifest asks for:
//
//   - the manifest's suggestion;
//   - the suggestion after the publisher's name;
//   - the suggestion after the host's name;
//   - the publisher's or the host's label, with a number.
//
// A label, once chosen, stays as long as nothing else is mounted there.
type Labels struct {
	chosen map[string]map[string]string // by manifest URL and suggestion
}

// A Place is the label chosen for a namespace of a server.
type Place struct {
	Label       string // a dotted path of labels
	Namespace   string // the server's namespace, canonical
	Description string // the manifest's description, one line
}

// Choose returns the places of the manifests that have been fetched, sorted by label. taken reports whether a label
// is used by anything outside the list. Equal candidates are numbered in the order of the list.
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

// Forget drops the labels of a manifest that is no longer followed.
func (l *Labels) Forget(f *Follower) { delete(l.chosen, f.url) }

// recall gives the wishes of a manifest their earlier labels.
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

// settle gives every wish a label of its own, the plainest that is free. If several ask for the same candidate,
// none of them gets it.
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
	next := make(map[string]int) // the next number for each name, so that equal names need no search
	for _, w := range wishes {
		if w.settled {
			continue
		}
		// One label, because a number cannot help below a taken one.
		base := strings.ReplaceAll(cmp.Or(w.byPublisher(), w.byHost()), ".", "_")
		path := canonical(base)
		label, n := base, max(next[path], 2)
		for ; !give(w, label); n++ {
			label = fmt.Sprintf("%s_%d", base, n)
		}
		next[path] = n
	}
}
