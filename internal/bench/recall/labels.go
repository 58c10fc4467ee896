package main

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/cash-mcp/go-sdk/registry"
)

// maxLabel bounds a label, in bytes, so that a path of two of them is legal.
const maxLabel = 500

// labels makes labels for the names of one namespace. No two labels have the same canonical form.
type labels struct {
	taken map[string]bool // canonical forms
	next  map[string]int  // the next number to append, by canonical form
}

func newLabels() *labels {
	return &labels{make(map[string]bool), make(map[string]int)}
}

// add returns a label for a new name. Illegal characters become underscores. A label that exists already gets a number.
func (l *labels) add(name string) string {
	base := toLabel(name)
	canonical, ok := registry.Canonical(base)
	if !ok {
		base, canonical = "x", "x" // the name has neither an ASCII letter nor a digit
	}
	label, key := base, canonical
	for l.taken[key] {
		l.next[canonical] = max(2, l.next[canonical]+1)
		number := strconv.Itoa(l.next[canonical])
		label, key = base+"_"+number, canonical+number
	}
	l.taken[key] = true
	return label
}

func toLabel(name string) string {
	label := strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, name)
	return label[:min(len(label), maxLabel)]
}

// lostWords returns name if its label lacks some of its letters or digits, else "".
func lostWords(name string) string {
	lost := func(r rune) bool { return r > unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	if len(name) > maxLabel || strings.ContainsFunc(name, lost) {
		return name
	}
	return ""
}
