package upstream

import (
	"sync/atomic"

	"github.com/cash-mcp/go-sdk/cash/upstream/lastknown"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// A branch publishes an upstream's things of one kind (tools, resources or prompts) in that kind's registry.
type branch struct {
	*inventory
	kind      toolid.Kind
	reg       *registry.Registry
	shelf     *lastknown.Shelf           // nil if its things are not shared
	listed    atomic.Pointer[primitives] // of resources or prompts; nil until the list has been read
	published published                  // guarded by the roster's lock
}

// published is the state of a branch that the registry shows now.
type published struct {
	trees     *trees
	reason    string // why it is unavailable
	inherited bool   // it was shown by the upstream that this one replaces
}

// show publishes the trees of the branch and the state of the upstream, at the mounts that it still owns. The
// caller holds the aggregator's lock.
func (b *branch) show(state State, err *CallError, own func(key string) bool) {
	t, state, err := b.known(state, err)
	next := published{trees: t}
	if e := b.unavailable(b.mounts[0].Label, state, err, t != nil); e != nil {
		next.reason = e.Error()
	}
	if next == b.published || t == nil && b.published.inherited && state == Connecting {
		return
	}
	shown := false
	for _, m := range b.mounts {
		if !own(m.Key()) { // removed, replaced, or not swapped in yet
			continue
		}
		shown = true
		if err := b.reg.Replace(m.Label, b.tree(t, m, b.unavailable(m.Label, state, err, t != nil))); err != nil {
			b.log.Error("cannot be shown", "label", m.Label, "error", err)
		}
	}
	if shown {
		b.published = next
	}
}

// known returns the trees of a branch, nil if none are known, and their state. If nothing is known of a connected
// server, the list is being read or could not be read. A lazy server is not read until its first call.
func (b *branch) known(state State, err *CallError) (*trees, State, *CallError) {
	if b.kind == toolid.Tool {
		if c := b.latest.Load(); c != nil {
			return c.trees, state, err
		}
		return nil, state, err
	}
	p := b.listed.Load()
	switch {
	case p != nil && p.trees != nil:
		return p.trees, state, err
	case state == Idle:
		return nothing, state, err
	case state != Connected && state != Failing:
	case p == nil:
		return nil, Connecting, nil
	default:
		return nil, Down, p.err
	}
	return nil, state, err
}

// nothing is the trees of a branch that is known to be empty.
var nothing = new(trees)

// tree returns the registry to publish at a mount; nil is none.
func (b *branch) tree(t *trees, m mount, unavailable *registry.Error) *registry.Registry {
	if t == nil {
		none := registry.New(&registry.Options{VisibleTo: b.cfg.VisibleTo})
		none.Namespace("", b.describe(m, "")).Unavailable(unavailable)
		return none
	}
	tree := (*t)[m.Key()]
	if tree != nil {
		tree.Namespace("", "").Unavailable(unavailable)
	}
	return tree
}
