package registry

import (
	"strings"

	"github.com/cash-mcp/go-sdk/toolid"
)

// rootNamespace stands for the root in ids and in paths to browse, where
// everything has a namespace.
const rootNamespace = "mcp"

// ID returns the function's id (gateway surface, section 1): its namespace is
// the first label of the path, canonical, or mcp in the root; its name is the
// rest as registered; its hash covers the canonical path and the names of the
// parameters. The create of orders.retail is orders:retail.create#ac226db3.
// What an id cannot hold is made to fit ([toolid.ID.Fit]). Only another name
// makes another id. It is computed on every call, in a few microseconds.
func (f *Function) ID() toolid.ID {
	id, path := identify(f.namespace, f.Name)
	id.Hash, _ = toolid.Hash(path, f.InputSchema()) // an odd schema has a hash too
	return id
}

// ID returns the skill's id, like that of a function in the same place, with a
// hash that covers the canonical path alone: skill::orders:refund#63f08f9e.
func (s *Skill) ID() toolid.Primitive {
	id, path := identify(s.namespace, s.Name)
	p, _ := toolid.FromSkill(id.Namespace, id.Name, path) // what fits is no error
	return p
}

// identify returns an id without its hash, and the canonical path.
func identify(namespace, name string) (toolid.ID, string) {
	first, rest, _ := strings.Cut(namespace, ".")
	id := toolid.ID{Namespace: canonicalOr(first, Canonical), Name: join(rest, name)}
	if namespace == "" {
		id.Namespace = rootNamespace
	}
	return id.Fit(), join(canonicalOr(namespace, CanonicalPath), canonicalOr(name, Canonical))
}

// canonicalOr returns the canonical form, or the name itself if it has none,
// which only names from other sources do not.
func canonicalOr(name string, canonical func(string) (string, bool)) string {
	if c, ok := canonical(name); ok {
		return c
	}
	return name
}
