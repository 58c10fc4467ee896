package pin

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/cash-mcp/go-sdk/internal/wire"
)

// Mode says which definitions of tools, of functions of CaSH servers, and of skills are served.
type Mode int

const (
	// Off serves every definition.
	Off Mode = iota
	// FirstUse pins all definitions at the first contact with a server. Later only these are served. New tools are
	// quarantined like changed ones, because a late tool can take over the work of a trusted one.
	//
	// The first contact for the functions of a CaSH server is the first time that any of them is seen, and for skills
	// the first time that any skill is seen. If a store, written by an older version, has pins of tools alone, they
	// are pinned then; the aggregator notes that in its status and warns in the log. A function that is unavailable at
	// the first contact is quarantined as new later.
	FirstUse
	// Locked serves only pinned definitions, and pins only what an operator accepts ([Keeper.AcceptRead]).
	Locked
)

// String returns the mode as configuration files spell it.
func (m Mode) String() string {
	switch m {
	case Off:
		return "off"
	case FirstUse:
		return "first-use"
	case Locked:
		return "locked"
	}
	return fmt.Sprintf("Mode(%d)", int(m))
}

// Reason is why a tool, function or skill is in quarantine.
type Reason string

const (
	ReasonChanged   Reason = "changed"   // its definition differs from the pinned one
	ReasonNew       Reason = "new"       // no pin has that name
	ReasonDuplicate Reason = "duplicate" // the server has several of that name, so that a call could reach the wrong one
)

// A Quarantine is a tool, a function of a CaSH server, or a skill that is not served until an operator accepts its
// definition.
type Quarantine struct {
	Tool   string // [Definition.Name], as the server spells it: clean it before showing it
	Reason Reason
	// Hash is that of Definition, by which [Keeper.AcceptRead] identifies it. It is empty for duplicates.
	Hash string
	// Difference lists the changes since the pin, in clean lines ([Definition.Difference]). For a new tool that is
	// everything. For duplicates it is the difference between the first two, possibly none. After 1,000 quarantined
	// tools it only says so.
	Difference string
	// Definition is the current one. It is nil for duplicates, which cannot be accepted.
	Definition *Definition
	// Pinned is the accepted definition that a changed one differs from. Nil unless the reason is [ReasonChanged].
	Pinned *Definition
}

// maxDifferences bounds the quarantined tools with a difference: a server may have thousands.
const maxDifferences = 1000

// quarantineOf appends a quarantine with the difference between two definitions.
func quarantineOf(list []Quarantine, q Quarantine, before, now *Definition) []Quarantine {
	q.Tool, q.Difference = now.Name, fmt.Sprintf("not compared: there are %d before it", maxDifferences)
	if q.Definition != nil {
		q.Hash = q.Definition.Hash()
	}
	if len(list) < maxDifferences {
		q.Difference = before.Difference(now)
	}
	return append(list, q)
}

// review decides which current definitions are served, in their order:
//   - A non-nil pin must be saved before anything is served.
//   - A tool that disappeared stays pinned, so that it can only come back unchanged.
//   - A function with the name of a tool is a duplicate; the tool is not. The same holds for a skill with the name of
//     either.
func review(mode Mode, pinned map[string]*Definition, current []*Definition) (served []*Definition, quarantined []Quarantine, pin map[string]*Definition) {
	now := byName(current)
	var first [kinds]bool
	for k := range first {
		first[k] = mode == FirstUse && !now.seen(kind(k), pinned)
	}
	for _, d := range current {
		before, same := pinned[d.Name], now.sharing(d)
		switch {
		case len(same) > 1:
			if d == now[d.kind()][d.Name][0] {
				quarantined = quarantineOf(quarantined, Quarantine{Reason: ReasonDuplicate}, same[0], same[1])
			}
		case mode == Off:
			served = append(served, d)
		case first[d.kind()]:
			served = append(served, d)
			pin = withPin(pin, pinned, d)
		case before == nil:
			quarantined = quarantineOf(quarantined, Quarantine{Reason: ReasonNew, Definition: d}, d.blank(), d)
		default:
			if known := agreed(before, d); known != nil {
				served = append(served, known)
			} else {
				quarantined = quarantineOf(quarantined, Quarantine{Reason: ReasonChanged, Definition: d, Pinned: before}, before, d)
			}
		}
	}
	return served, quarantined, pin
}

// blank returns a definition of the name and kind of d without anything else.
func (d *Definition) blank() *Definition {
	b := &Definition{Name: d.Name, Function: d.Function}
	if d.kind() == skill {
		b.Skill = json.RawMessage("{}")
	}
	return b
}

// named are definitions by kind and name.
type named [kinds]map[string][]*Definition

func byName(list []*Definition) (n named) {
	for k := range n {
		n[k] = make(map[string][]*Definition)
	}
	for _, d := range list {
		of := n[d.kind()]
		of[d.Name] = append(of[d.Name], d)
	}
	return n
}

// sharing returns the definitions that contest the name of d: the first of each kind before its own, and all of its
// own.
func (n named) sharing(d *Definition) (list []*Definition) {
	for k := range d.kind() {
		of := n[k][d.Name]
		list = append(list, of[:min(len(of), 1)]...)
	}
	return append(list, n[d.kind()][d.Name]...)
}

// seen reports whether definitions of a kind have been pinned. For tools that is any pin: a server without any has not
// been seen. A function whose name is pinned as a tool counts as seen, since pins are never overwritten. One named
// call, help or skill is a duplicate and does not count.
func (n named) seen(k kind, pinned map[string]*Definition) bool {
	if k == tool {
		return pinned != nil
	}
	for name, d := range pinned {
		if d != nil && d.kind() == k || n[k][name] != nil && !wire.IsCore(name) {
			return true
		}
	}
	return false
}

// withPin adds d to pin, which starts as a copy of pinned.
func withPin(pin, pinned map[string]*Definition, d *Definition) map[string]*Definition {
	if pin == nil {
		if pin = maps.Clone(pinned); pin == nil {
			pin = make(map[string]*Definition)
		}
	}
	pin[d.Name] = d
	return pin
}

// agreed returns the definition that the pinned and the current one share; nil if they differ. If one of them lacks
// the function's page, only the lines in help are compared, and nothing of the page is served.
func agreed(pinned, current *Definition) *Definition {
	if !pinned.Function || !current.Function || pinned.Paged() == current.Paged() {
		if pinned.Hash() == current.Hash() {
			return current
		}
		return nil
	}
	known := pinned
	if pinned.Paged() {
		known = current
	}
	if pinned.Name != current.Name || pinned.Description != current.Description {
		return nil
	}
	return known
}

// Paged reports whether the definition of a function includes its page.
func (d *Definition) Paged() bool { return len(d.InputSchema) > 0 }
