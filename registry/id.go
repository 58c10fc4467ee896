package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/toolid"
)

// rootNamespace is the namespace of root functions in ids and in paths to browse.
const rootNamespace = "mcp"

// ID returns the function's id (gateway surface, section 1). An example: the create of
// orders.retail is orders:retail.create#ac226db3.
//
//   - The namespace is the first label of the path, canonical, or mcp for the root.
//   - The name is the rest of the path as registered.
//   - The hash covers the canonical path and the names of the parameters.
//
// A part that is illegal in an id is adapted ([toolid.ID.Fit]). The id changes only if one of these
// names changes. The id given in a [Remote] stays as it is, unless another function has it too
// ([Function.Contested]).
func (f *Function) ID() toolid.ID { return f.Primitive().ID }

// Primitive returns the function's id with its kind: a tool, or a resource or prompt that a call
// reads or gets (section 9).
func (f *Function) Primitive() toolid.Primitive {
	known := f.cachedIdentity()
	known.idOnce.Do(func() { known.id = f.computeID() })
	return known.id
}

// Definition returns a SHA-256 in hexadecimal digits of everything that callers and rules know
// about the function: its place, its texts, its input schema or the problem with it, its effects,
// and its server. Plans, approvals and kept results are bound to this hash.
func (f *Function) Definition() string {
	known := f.cachedIdentity()
	known.definitionOnce.Do(func() { known.definition = f.computeDefinition() })
	return known.definition
}

// identity holds the id and the definition of a function. Each is computed on first use, because an
// index of ids needs no definitions.
type identity struct {
	idOnce         sync.Once
	id             toolid.Primitive
	definitionOnce sync.Once
	definition     string
}

func (f *Function) cachedIdentity() *identity {
	if f.idCache == nil { // it is in no namespace
		return new(identity)
	}
	return f.idCache
}

// computeID computes the id.
func (f *Function) computeID() toolid.Primitive {
	if id := f.claimed(); id.ID != (toolid.ID{}) {
		return id
	}
	return f.placeID()
}

// placeID computes the id that follows from the function's place.
func (f *Function) placeID() toolid.Primitive {
	id, path := newID(f.namespace, f.name)
	id.Hash, _ = toolid.Hash(path, f.InputSchema()) // an odd schema has a hash too
	return toolid.Primitive{Kind: toolid.Tool, ID: id}
}

// computeDefinition computes the hash of the definition.
func (f *Function) computeDefinition() string {
	sum := sha256.New()
	for _, part := range []string{
		f.Primitive().String(), canonicalOr(f.Path(), CanonicalPath), f.Tool(), f.server, f.description, f.Returns(),
		string(strictjson.Canonical(f.InputSchema())),
		fmt.Sprint(f.readOnly, f.idempotent, f.destructive, f.openWorld, f.structured, f.untrimmed, f.streaming),
		fmt.Sprintf("%q %v %v", f.tags, f.problem, f.costHint), f.partial, string(f.OutputSchema()),
		f.title, string(strictjson.MustMarshal(f.icons)), string(f.meta),
	} {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// ID returns the skill's id, like that of a function in the same place. Its hash covers the
// canonical path alone: skill::orders:refund#63f08f9e.
func (s *Skill) ID() toolid.Primitive {
	id, path := newID(s.namespace, s.name)
	p, _ := toolid.FromSkill(id.Namespace, id.Name, path) // a fitted id gives no error
	return p
}

// newID returns an id without its hash, and the canonical path.
func newID(namespace, name string) (toolid.ID, string) {
	first, rest, _ := strings.Cut(namespace, ".")
	id := toolid.ID{Namespace: canonicalOr(first, Canonical), Name: join(rest, name)}
	if namespace == "" {
		id.Namespace = rootNamespace
	}
	return id.Fit(), join(canonicalOr(namespace, CanonicalPath), canonicalOr(name, Canonical))
}

// canonicalOr returns the canonical form of a name, or the name itself if it has none. Only names
// of other sources have none.
func canonicalOr(name string, canonical func(string) (string, bool)) string {
	if c, ok := canonical(name); ok {
		return c
	}
	return name
}
