package upstream

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"time"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/cashsource"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/skillext"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

// catalog is a snapshot of what a server offers. It is immutable.
type catalog struct {
	kind        Kind
	server      string             // the name that the server gives itself
	asOf        time.Time          // when it was read, if another replica did
	about       string             // one line of description; empty if the server gives none
	identity    *manifest.Manifest // of a CaSH server; nil if it gives none
	defs        map[string]*entry  // by tool name
	names       map[string]string  // function names by tool name, kept stable for the next catalog
	quarantined []pin.Quarantine
	notes       []string
	unnoted     int                  // notes beyond maxNotes
	told        []string             // the notes about functions
	untold      int                  // those of them beyond maxNotes
	unmatched   []string             // the operator's entries that select no tool
	skills      []*skillext.Imported // read by the skills extension
	trees       *trees
	functions   int
	cash        *cashsource.Source // of a CaSH server; nil while its tools are quarantined
	listed      [sha256.Size]byte  // hash of the list of tools
	revision    string             // of a CaSH server, before it was read; empty if it has none or was read in part
}

// sameAs reports whether the server said beforehand that c will be the same as old.
func (c *catalog) sameAs(old *catalog) bool {
	return old != nil && old.cash != nil && c.revision != "" && c.revision == old.revision && c.listed == old.listed
}

// trees are the registries published at an upstream's mounts, by mount key. They are immutable.
type trees map[string]*registry.Registry

// maxAbout bounds a server's one-line description, in characters.
const maxAbout = 200

// entry is one served tool.
type entry struct {
	def  *pin.Definition
	hash string
	name string // path of the function below the mount
}

// display returns what the tool shows to users and programs.
func (e *entry) display() wire.Display {
	title := cmp.Or(e.def.Title, strictjson.Text(strictjson.Member(e.def.Annotations, "title")))
	return wire.Display{Title: title, Icons: e.def.Icons, OutputSchema: e.def.OutputSchema, Meta: e.def.Meta}
}

// maxNotes bounds the number of notes of a catalog. Further ones are counted.
const maxNotes = 100

func (c *catalog) note(format string, args ...any) {
	if len(c.notes) < maxNotes {
		c.notes = append(c.notes, clean.Line(fmt.Sprintf(format, args...), maxReason))
		return
	}
	c.unnoted++
}

// showsAs reports whether c and old, of the same upstream, publish the same.
func (c *catalog) showsAs(old *catalog) bool {
	return c.kind == old.kind && c.about == old.about && c.sameSkills(old) && maps.EqualFunc(c.defs, old.defs, func(a, b *entry) bool {
		return a.hash == b.hash && a.name == b.name
	})
}

// whole reports whether the mount holds the whole server, not one of its namespaces.
func (c *catalog) whole(m mount) bool {
	switch {
	case c.kind != CaSH:
		return true
	case c.cash != nil:
		return c.cash.Whole(m.Key())
	}
	return m.Namespace == "" // nothing is known of the functions behind its tools
}
