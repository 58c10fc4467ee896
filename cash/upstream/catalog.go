package upstream

import (
	"fmt"
	"maps"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/cashsource"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
)

// catalog is what a server has, as it was read at one time. It does not change.
type catalog struct {
	kind        Kind
	server      string            // what it calls itself
	about       string            // a line on what is there; empty if it says nothing
	defs        map[string]*entry // by tool
	names       map[string]string // of functions, by tool; for the next catalog
	quarantined []pin.Quarantine
	notes       []string
	told        []string // those of the notes that are about functions
	trees       *trees
	functions   int
	cash        *cashsource.Source // of a CaSH server, unless that is withheld
}

// trees are what stands at the mounts of an upstream in one registry, by their
// keys. They do not change.
type trees map[string]*registry.Registry

// maxAbout bounds the line that a server says of itself, in characters.
const maxAbout = 200

// entry is one tool that is served.
type entry struct {
	def  *pin.Definition
	hash string
	name string // of the function
}

// maxNotes bounds the notes of a catalog, and of what is kept of each.
const maxNotes = 100

func (c *catalog) note(format string, args ...any) {
	if len(c.notes) < maxNotes {
		c.notes = append(c.notes, clean.Line(fmt.Sprintf(format, args...), maxReason))
	}
}

// showsAs reports whether c shows what old, of the same upstream, shows.
func (c *catalog) showsAs(old *catalog) bool {
	return c.kind == old.kind && c.about == old.about && maps.EqualFunc(c.defs, old.defs, func(a, b *entry) bool {
		return a.hash == b.hash && a.name == b.name
	})
}

// whole reports whether all of the server stands at a mount.
func (c *catalog) whole(m mount) bool {
	switch {
	case c.kind != CaSH:
		return true
	case c.cash != nil:
		return c.cash.Whole(m.Key())
	}
	return m.Namespace == "" // nothing behind its tools is known
}
