package upstream

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/cash-mcp/go-sdk/registry"
)

// maxName bounds a function's name in bytes; the names of tools may be of any
// length.
const maxName = 64

// functionName returns the name that a tool's name makes for a function.
func functionName(tool string) string { return cmp.Or(asLabel(tool), "tool") }

// asLabel returns the label that a name makes: it is kept where it is one.
// Accents are dropped, other characters become underscores, several of them one,
// and none stands at an end. Nothing may be left.
func asLabel(name string) string {
	if _, ok := registry.Canonical(name); ok && len(name) <= maxName {
		return name
	}
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(name[:min(len(name), 4*maxName)]) {
		switch {
		case r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'):
			if gap && b.Len() > 0 {
				b.WriteByte('_')
			}
			gap = false
			b.WriteRune(r)
		case r >= 0x300 && r <= 0x36f: // an accent
		default:
			gap = true
		}
		if b.Len() >= maxName {
			break
		}
	}
	label := b.String()
	label = label[:min(len(label), maxName)]
	if _, ok := registry.Canonical(label); !ok {
		return ""
	}
	return label
}

// functionNames gives each tool a name of its own; see [distinctNames].
func functionNames(tools []string, had map[string]string) map[string]string {
	list := make([]candidate, len(tools))
	for i, tool := range tools {
		name := functionName(tool)
		list[i] = candidate{tool, name, name == tool}
	}
	return distinctNames(list, had)
}

// A candidate is what wants a name.
type candidate struct {
	key  string // what it is known by
	base string // the name that it would have alone
	kept bool   // base is as the server spells it
}

// distinctNames gives each candidate a name of its own, by its key: those that
// had one keep it, then those whose name is kept come first, in order of the
// bytes of their keys. Where two would be the same, the later one gets a number.
// It is the same whatever the order of the list is.
func distinctNames(list []candidate, had map[string]string) map[string]string {
	names := make(map[string]string, len(list))
	taken := make(map[string]bool, len(list))
	sorted := slices.Clone(list)
	slices.SortFunc(sorted, func(a, b candidate) int {
		switch {
		case a.kept && !b.kept:
			return -1
		case b.kept && !a.kept:
			return 1
		}
		return strings.Compare(a.key, b.key)
	})
	for _, c := range sorted {
		if name, ok := had[c.key]; ok {
			names[c.key] = name
			taken[key(name)] = true
		}
	}
	next := make(map[string]int) // so that many of one name cost no search
	for _, c := range sorted {
		if _, ok := names[c.key]; ok {
			continue
		}
		name, base := c.base, key(c.base)
		n := max(next[base], 2)
		for ; taken[key(name)]; n++ {
			name = fmt.Sprintf("%s_%d", c.base, n)
		}
		next[base] = n
		names[c.key] = name
		taken[key(name)] = true
	}
	return names
}

func key(name string) string {
	k, _ := registry.Canonical(name)
	return k
}
