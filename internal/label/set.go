package label

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// A Set hands out labels that a registry can distinguish. The zero value is an empty set.
type Set struct {
	taken map[string]bool // canonical
	next  map[string]int  // the number to try next, by canonical label, to avoid a search
}

// Take returns label, with a number if it is taken: get_user, get_user_2, get_user_3.
func (s *Set) Take(label string) string {
	if s.taken == nil {
		s.taken, s.next = make(map[string]bool), make(map[string]int)
	}
	base := Fold(label)
	out, n := label, max(s.next[base], 2)
	for ; s.taken[Fold(out)]; n++ {
		out = label + "_" + strconv.Itoa(n)
	}
	s.next[base] = n
	s.taken[Fold(out)] = true
	return out
}

// A Want is a request for a label.
type Want struct {
	Key   string // distinguishes requests; decides who comes first
	Label string // the label without others
	Exact bool   // the foreign name equals Label
	Had   string // the label it had and keeps; empty if none
}

// TakeAll returns the labels of a list, in the order of the list. It assigns them in this order: previous labels, exact
// ones, others; each group by key. A label that is taken gets six digits of a hash of the key: get_user_1a2b3c. So a
// label does not depend on the order of the list, and only on those other entries that want the same one. No later
// entry takes a label away, except from an entry that is not spelled like that, if the later one is.
func (s *Set) TakeAll(list []Want) []string {
	list = slices.Clone(list)
	order := make([]int, len(list))
	exact := make(map[string]bool)
	for i, w := range list {
		if order[i] = i; w.Exact {
			exact[w.Label] = true
		}
	}
	for i := range list {
		if w := &list[i]; !w.Exact && exact[w.Had] {
			w.Had = ""
		}
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := list[i], list[j]
		return cmp.Or(a.rank()-b.rank(), strings.Compare(a.Key, b.Key))
	})
	labels := make([]string, len(list))
	for _, i := range order {
		w := list[i]
		if w.Had == "" && s.taken[Fold(w.Label)] {
			sum := sha256.Sum256([]byte(w.Key))
			w.Label += "_" + hex.EncodeToString(sum[:3])
		}
		labels[i] = s.Take(cmp.Or(w.Had, w.Label))
	}
	return labels
}

func (w Want) rank() int {
	switch {
	case w.Had != "":
		return 0
	case w.Exact:
		return 1
	}
	return 2
}
