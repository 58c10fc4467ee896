package upstream

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/cash-mcp/go-sdk/registry"
)

// maxName bounds a function's name in bytes; the names of tools may be of any
// length.
const maxName = 64

// functionName returns the name that a tool's name makes for a function: it is
// kept where it is a label. Accents are dropped, other characters become
// underscores, several of them one, and none stands at an end.
func functionName(tool string) string {
	if _, ok := registry.Canonical(tool); ok && len(tool) <= maxName {
		return tool
	}
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(tool[:min(len(tool), 4*maxName)]) {
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
	name := b.String()
	name = name[:min(len(name), maxName)]
	if _, ok := registry.Canonical(name); !ok {
		return "tool"
	}
	return name
}

// functionNames gives each tool a name of its own: those that had one keep it,
// then those whose name is a label come first, in order of their bytes. Where
// two would be the same, the later one gets a number. It is the same whatever
// the order of tools is.
func functionNames(tools []string, had map[string]string) map[string]string {
	names := make(map[string]string, len(tools))
	taken := make(map[string]bool, len(tools))
	sorted := slices.Clone(tools)
	slices.SortFunc(sorted, func(a, b string) int {
		if la, lb := functionName(a) == a, functionName(b) == b; la != lb {
			if la {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	for _, tool := range sorted {
		if name, ok := had[tool]; ok {
			names[tool] = name
			taken[key(name)] = true
		}
	}
	next := make(map[string]int) // so that many of one name cost no search
	for _, tool := range sorted {
		if _, ok := names[tool]; ok {
			continue
		}
		base := functionName(tool)
		name := base
		n := max(next[key(base)], 2)
		for ; taken[key(name)]; n++ {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		next[key(base)] = n
		names[tool] = name
		taken[key(name)] = true
	}
	return names
}

func key(name string) string {
	k, _ := registry.Canonical(name)
	return k
}
