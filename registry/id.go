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

// rootNamespace stands for the root in ids and in paths to browse, where
// everything has a namespace.
const rootNamespace = "mcp"

// ID returns the function's id (gateway surface, section 1): its namespace is
// the first label of the path, canonical, or mcp in the root; its name is the
// rest as registered; its hash covers the canonical path and the names of the
// parameters. The create of orders.retail is orders:retail.create#ac226db3.
// What an id cannot hold is made to fit ([toolid.ID.Fit]). Only another name
// makes another id. What a [Remote] was given as its id stays so.
func (f *Function) ID() toolid.ID { return f.Primitive().ID }

// Primitive returns the function's id together with what it is the id of: a tool,
// or a resource or prompt that a call reads or gets (section 9).
func (f *Function) Primitive() toolid.Primitive {
	known := f.identity()
	known.idOnce.Do(func() { known.id = f.identify() })
	return known.id
}

// Definition returns the SHA-256, in hexadecimal digits, of all that callers and
// rules know of the function: its place, what it says of itself, its input
// schema or why that is not used, its effects, and the server that it is on.
// Whatever is bound to a function (a plan, an approval, a result that is kept) is
// bound to that.
func (f *Function) Definition() string {
	known := f.identity()
	known.definitionOnce.Do(func() { known.definition = f.define() })
	return known.definition
}

// identity is what a function is known by. Each part is computed once, when it is
// asked for: an index of ids needs no definitions.
type identity struct {
	idOnce         sync.Once
	id             toolid.Primitive
	definitionOnce sync.Once
	definition     string
}

func (f *Function) identity() *identity {
	if f.known == nil { // it is in no namespace, and may still be changed
		return new(identity)
	}
	return f.known
}

func (f *Function) identify() toolid.Primitive {
	if f.given.ID != (toolid.ID{}) {
		return f.given
	}
	id, path := identify(f.namespace, f.name)
	id.Hash, _ = toolid.Hash(path, f.InputSchema()) // an odd schema has a hash too
	return toolid.Primitive{Kind: toolid.Tool, ID: id}
}

func (f *Function) define() string {
	sum := sha256.New()
	for _, part := range []string{
		f.Primitive().String(), canonicalOr(f.Path(), CanonicalPath), f.Tool(), f.server, f.description, f.Returns(),
		string(strictjson.Canonical(f.InputSchema())),
		fmt.Sprint(f.readOnly, f.idempotent, f.destructive, f.openWorld, f.structured, f.streaming),
		fmt.Sprintf("%q %v", f.tags, f.problem), string(f.output),
	} {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// ID returns the skill's id, like that of a function in the same place, with a
// hash that covers the canonical path alone: skill::orders:refund#63f08f9e.
func (s *Skill) ID() toolid.Primitive {
	id, path := identify(s.namespace, s.name)
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
