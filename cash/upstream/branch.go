package upstream

import (
	"sync/atomic"

	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// A branch is where an upstream stands with what it has of one kind.
type branch struct {
	*inventory
	kind      toolid.Kind
	reg       *registry.Registry
	listed    atomic.Pointer[primitives] // nil until it has been asked for; not of tools
	published published                  // guarded by the aggregator's lock
}

// published is what a branch shows.
type published struct {
	trees     *trees
	reason    string // why it is unavailable
	inherited bool   // it is what a predecessor has shown
}

// show shows what is known of the branch, and how the upstream is, at the mounts that
// are still its own. The caller holds the aggregator's lock.
func (b *branch) show(state State, err *CallError, own func(key string) bool) {
	t, state, err := b.known(state, err)
	next := published{trees: t}
	if e := b.unavailable(b.mounts[0].Label, state, err, t != nil); e != nil {
		next.reason = e.Error()
	}
	if next == b.published || t == nil && b.published.inherited && state == Connecting {
		return
	}
	for _, m := range b.mounts {
		if !own(m.Key()) { // removed, or replaced
			continue
		}
		if err := b.reg.Replace(m.Label, b.tree(t, m, b.unavailable(m.Label, state, err, t != nil))); err != nil {
			b.log.Error("cannot be shown", "label", m.Label, "error", err)
		}
	}
	b.published = next
}

// known returns what is known of a branch, nil for nothing, and how it is: what
// is not known of a server that is connected is being asked for, or could not be
// read. Nobody asks a server that waits for its first call.
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

// nothing is what is known to have no trees.
var nothing = new(trees)

// tree returns what stands at a mount; nil is nothing.
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
