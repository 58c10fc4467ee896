package upstream

import (
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/wire"
)

// Selection of tools and functions by the operator ([Server].Include, Exclude).

// takes reports whether the operator wants a tool, or a function with its namespace.
func (s *settings) takes(name string) bool {
	n := s.spell(name)
	matches := func(list []string) bool { return slices.ContainsFunc(list, n.selectedBy) }
	return (len(s.cfg.Include) == 0 || matches(s.cfg.Include)) && !matches(s.cfg.Exclude)
}

// takesPath returns takes, or nil if the operator takes all.
func (s *settings) takesPath() func(string) bool {
	if len(s.cfg.Include)+len(s.cfg.Exclude) == 0 {
		return nil
	}
	return s.takes
}

// spelled is a name as the server says it, without its spelling, and as the function that it becomes here; the last two
// are plain.
type spelled struct{ name, plain, here string }

func (s *settings) spell(name string) spelled {
	return spelled{name, plain(name), plain(wire.FunctionPaths(s.mounts[0].Label, []string{name}, nil)[name])}
}

// unspelled removes what does not count in a name, or becomes an underscore or a dot here.
var unspelled = strings.NewReplacer("_", "", "-", "", "/", ".")

func plain(name string) string { return unspelled.Replace(strings.ToLower(name)) }

// selectedBy reports whether an entry of the operator names a tool: as it is, in another spelling, or as the function
// that it becomes.
func (n spelled) selectedBy(entry string) bool {
	p := plain(entry)
	return glob(entry, n.name) || glob(p, n.plain) || glob(p, n.here)
}

// glob reports whether a pattern, in which '*' is any characters, matches a text. It takes linear time for each '*'.
func glob(pattern, text string) bool {
	first, rest, more := strings.Cut(pattern, "*")
	if !more {
		return pattern == text
	}
	text, ok := strings.CutPrefix(text, first)
	for ok {
		part, after, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(text, part)
		}
		_, text, ok = strings.Cut(text, part)
		rest = after
	}
	return false
}

// selectTools returns the tools that the operator takes, and notes the entries that select none of them. Paths are those
// of all functions behind the tools of a CaSH server.
func (in *inventory) selectTools(c *catalog, defs []*pin.Definition, paths ...string) (taken []*pin.Definition) {
	if in.takesPath() == nil {
		return defs
	}
	var names []spelled
	for _, path := range paths {
		names = append(names, in.spell(path))
	}
	for _, d := range defs {
		if names = append(names, in.spell(d.Name)); in.takes(d.Name) {
			taken = append(taken, d)
		}
	}
	for _, entry := range slices.Concat(in.cfg.Include, in.cfg.Exclude) {
		if !slices.ContainsFunc(names, func(n spelled) bool { return n.selectedBy(entry) }) {
			c.unmatched = append(c.unmatched, entry)
			c.note("no tool is called %q, which is to be included or excluded", entry)
		}
	}
	return taken
}
