package upstream

import (
	"sync/atomic"

	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// A branch is where an upstream stands with what it has of one kind.
type branch struct {
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

// branch returns that of a kind; nil if there is none.
func (u *upstream) branch(kind toolid.Kind) *branch {
	for _, b := range u.branches {
		if b.kind == kind {
			return b
		}
	}
	return nil
}

// publish shows in the trees what the upstream has and how it is.
func (u *upstream) publish() {
	u.agg.mu.Lock()
	defer u.agg.mu.Unlock()
	u.show()
}

// show is publish for a caller that holds the aggregator's lock.
func (u *upstream) show() {
	u.mu.Lock()
	state, err, retiring := u.state, u.err, u.retiring
	u.mu.Unlock()
	if retiring && state != Closed {
		return
	}
	for _, b := range u.branches {
		u.showBranch(b, state, err)
	}
}

func (u *upstream) showBranch(b *branch, state State, err *CallError) {
	t, state, err := u.known(b, state, err)
	next := published{trees: t}
	if e := u.unavailable(u.mounts[0].label, state, err, t != nil); e != nil {
		next.reason = e.Error()
	}
	if next == b.published || t == nil && b.published.inherited && state == Connecting {
		return
	}
	for _, m := range u.mounts {
		if u.agg.mounts[m.key()] != u { // removed, or replaced
			continue
		}
		if err := b.reg.Replace(m.label, u.tree(t, m, u.unavailable(m.label, state, err, t != nil))); err != nil {
			u.log.Error("cannot be shown", "label", m.label, "error", err)
		}
	}
	b.published = next
}

// known returns what is known of a branch, nil for nothing, and how it is: what
// is not known of a server that is connected is being asked for, or could not be
// read. Nobody asks a server that waits for its first call.
func (u *upstream) known(b *branch, state State, err *CallError) (*trees, State, *CallError) {
	if b.kind == toolid.Tool {
		if c := u.catalog.Load(); c != nil {
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
func (u *upstream) tree(t *trees, m mount, unavailable *registry.Error) *registry.Registry {
	if t == nil {
		none := registry.New(&registry.Options{VisibleTo: u.cfg.VisibleTo})
		none.Namespace("", u.describe(m, "")).Unavailable(unavailable)
		return none
	}
	tree := (*t)[m.key()]
	if tree != nil {
		tree.Namespace("", "").Unavailable(unavailable)
	}
	return tree
}
