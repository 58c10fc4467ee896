package label

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// A Set gives out labels, no two of which are the same to a registry. The zero
// value has given out none.
type Set struct {
	taken map[string]bool // canonical
	next  map[string]int  // number to try next, by canonical label: many of one name cost no search
}

// Take returns the label, with a number behind it if it is taken: get_user,
// get_user_2, get_user_3.
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

// A Want is something that wants a label.
type Want struct {
	Key   string // tells it from the others; decides who comes first
	Label string // that it would have alone
	Exact bool   // the foreign name is Label, to the byte
	Had   string // its label so far, which it keeps; empty if it has none
}

// TakeAll returns the labels of a list, in the order of the list. It gives them out
// in this order: labels of before, exact ones, others; each by key. So a label does
// not depend on the order of the list, and nothing that joins the list later takes
// one away.
func (s *Set) TakeAll(list []Want) []string {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := list[i], list[j]
		return cmp.Or(a.rank()-b.rank(), strings.Compare(a.Key, b.Key))
	})
	labels := make([]string, len(list))
	for _, i := range order {
		labels[i] = s.Take(cmp.Or(list[i].Had, list[i].Label))
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
