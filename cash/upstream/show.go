package upstream

import (
	"github.com/cash-mcp/go-sdk/registry"
)

// publish shows in the tree what the upstream has and how it is.
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
	c := u.catalog.Load()
	next := published{catalog: c}
	if e := u.unavailable(u.mounts[0].label, state, err, c); e != nil {
		next.reason = e.Error()
	}
	if retiring && state != Closed || next == u.published || c == nil && u.published.inherited && state == Connecting {
		return
	}
	for _, m := range u.mounts {
		if u.agg.mounts[m.key()] != u { // removed, or replaced
			continue
		}
		if err := u.agg.reg.Replace(m.label, u.tree(c, m, u.unavailable(m.label, state, err, c))); err != nil {
			u.log.Error("cannot be shown", "label", m.label, "error", err)
		}
	}
	u.published = next
}

// tree returns what stands at a mount.
func (u *upstream) tree(c *catalog, m mount, unavailable *registry.Error) *registry.Registry {
	if c == nil {
		t := registry.New(&registry.Options{VisibleTo: u.cfg.VisibleTo})
		t.Namespace("", u.describe(m, "")).Unavailable(unavailable)
		return t
	}
	t := c.trees[m.key()]
	t.Namespace("", "").Unavailable(unavailable)
	return t
}
