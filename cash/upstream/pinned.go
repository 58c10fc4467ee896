package upstream

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
)

// How an upstream uses its pins. They are read and written by one at a time, who
// holds u.pinning.

// pinned returns what is pinned; nil if nothing is, or if nothing is to be.
func (u *upstream) pinned(ctx context.Context) (map[string]*Definition, error) {
	if u.agg.opts.Mode == PinOff {
		return nil, nil
	}
	pinned, err := u.agg.opts.Pins.Load(ctx, u.pins)
	if err != nil {
		return nil, u.unpinned("read", err)
	}
	return pinned, nil
}

// unpinned is the failure of the pins: nothing new of the server is served while
// it lasts. The cause may name files, and is for the log.
func (u *upstream) unpinned(what string, err error) *CallError {
	u.log.Warn("pins cannot be "+what, "error", err)
	return &CallError{Class: Busy, before: true, Err: err, Reason: "what is pinned of it cannot be " + what + "; the log says why"}
}

// reviewed returns the definitions that may be served, by what is pinned, and
// pins what is seen for the first time.
func (u *upstream) reviewed(ctx context.Context, c *catalog, defs []*Definition) ([]*Definition, error) {
	u.pinning.Lock()
	defer u.pinning.Unlock()
	pinned, err := u.pinned(ctx)
	if err != nil {
		return nil, err
	}
	served, quarantined, pin := review(u.agg.opts.Mode, pinned, defs)
	u.quarantine(c, quarantined)
	if pin != nil {
		if err := u.agg.opts.Pins.Save(ctx, u.pins, pin); err != nil {
			return nil, u.unpinned("saved", err)
		}
	}
	if pin != nil && pinned != nil {
		u.late = fmt.Sprintf("of its functions none was pinned, only tools: %d were pinned as they were found", len(pin)-len(pinned))
		u.log.Warn("functions are pinned for the first time, beside tools that were pinned before", "functions", len(pin)-len(pinned))
	}
	if u.late != "" { // whatever else there is to say
		c.notes = slices.Insert(c.notes, 0, u.late)
	}
	return served, nil
}

// maxLogged bounds the lines of the log about what is quarantined at a time.
const maxLogged = 20

// quarantine notes what is not served. The log has been told of what was not
// before.
func (u *upstream) quarantine(c *catalog, list []Quarantine) {
	c.quarantined = list
	told := make(map[string]Reason)
	if before := u.catalog.Load(); before != nil {
		for _, q := range before.quarantined {
			told[q.Tool] = q.Reason
		}
	}
	lines := 0
	for _, q := range list {
		if told[q.Tool] == q.Reason {
			continue
		}
		if lines++; lines > maxLogged {
			u.log.Warn("more is quarantined; the status says what", "definitions", len(list))
			return
		}
		u.log.Warn("tool is quarantined", "tool", clean.Line(q.Tool, 100), "reason", q.Reason)
	}
}

// withhold makes a catalog of a CaSH server whose tools may not be called:
// there is nothing in it, until they have been accepted.
func (u *upstream) withhold(c *catalog) error {
	c.note("one of the tools call, help and skill is quarantined: nothing behind them is read or served")
	c.whole = make(map[string]bool)
	for _, m := range u.mounts {
		c.whole[m.key()] = m.namespace == ""
	}
	return u.plant(c, nil)
}

// accept pins what pick chooses of the definitions that are quarantined now, and
// serves it.
func (u *upstream) accept(ctx context.Context, pick func([]Quarantine) ([]*Definition, error)) error {
	c := u.catalog.Load()
	if c == nil {
		return &registry.Error{
			Kind: registry.Failed, Message: "Nothing is known yet of the server at `" + u.mounts[0].label + "`.",
			Hint: "Accept when its status is connected.",
		}
	}
	list, err := pick(c.quarantined)
	if err != nil {
		return err
	}
	if err := u.repin(ctx, list); err != nil {
		return &registry.Error{
			Kind: registry.Failed, Message: "Nothing was accepted: " + err.Reason + ".", Hint: "Accept again when that is put right.", Err: err,
		}
	}
	if err := u.refresh(ctx); err != nil {
		return &registry.Error{
			Kind: registry.Unavailable, Message: "It is accepted, and the server could not be asked again for what it has.",
			Hint: "It is served once the server has answered. Read the status.", Err: err,
		}
	}
	return nil
}

// repin pins the definitions in place of others of their names.
func (u *upstream) repin(ctx context.Context, list []*Definition) *CallError {
	u.pinning.Lock()
	defer u.pinning.Unlock()
	pinned, err := u.agg.opts.Pins.Load(ctx, u.pins)
	if err != nil {
		return u.unpinned("read", err)
	}
	pinned = maps.Clone(pinned)
	if pinned == nil {
		pinned = make(map[string]*Definition)
	}
	for _, d := range list {
		pinned[d.Name] = d
	}
	if err := u.agg.opts.Pins.Save(ctx, u.pins, pinned); err != nil {
		return u.unpinned("saved", err)
	}
	return nil
}

// pickTool chooses the definition of a tool, or with an empty tool all that can be
// accepted.
func pickTool(tool string) func([]Quarantine) ([]*Definition, error) {
	return func(quarantined []Quarantine) (list []*Definition, err error) {
		for _, q := range quarantined {
			if (tool == "" || q.Tool == tool) && q.Definition != nil {
				list = append(list, q.Definition)
			}
		}
		if list == nil {
			err = noneQuarantined(tool)
		}
		return list, err
	}
}

// pickRead chooses the definitions that have been read, if all of them are still
// what is quarantined.
func pickRead(wanted []Quarantine) func([]Quarantine) ([]*Definition, error) {
	return func(quarantined []Quarantine) ([]*Definition, error) {
		now := make(map[string]Quarantine, len(quarantined))
		for _, q := range quarantined {
			if q.Definition != nil { // beside a duplicate of its name it is known by its hash
				now[q.Tool] = q
			}
		}
		if len(wanted) == 0 {
			return nil, noneQuarantined("")
		}
		var list []*Definition
		for _, w := range wanted {
			switch q, ok := now[w.Tool]; {
			case !ok:
				return nil, noneQuarantined(w.Tool)
			case w.Hash != q.Hash:
				return nil, &registry.Error{
					Kind: registry.Failed, Message: "The definition of " + quoted(w.Tool) + " that is quarantined is not the one with this hash. Nothing was accepted.",
					Hint: "Read its difference in the status again, and accept the hash that stands beside it.",
				}
			default:
				list = append(list, q.Definition)
			}
		}
		return list, nil
	}
}

func noneQuarantined(tool string) error {
	what := "Nothing is quarantined"
	if tool != "" {
		what = "No tool " + quoted(tool) + " is quarantined"
	}
	return &registry.Error{
		Kind: registry.Failed, Message: what + " that could be accepted. Nothing was accepted.",
		Hint: "The status says what is quarantined; of duplicates none can be accepted.",
	}
}
