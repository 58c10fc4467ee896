package pin

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cash-mcp/go-sdk/internal/wire"
)

// Mode says which definitions of tools, and of functions of CaSH servers, are
// served.
type Mode int

const (
	// Off serves whatever the server defines.
	Off Mode = iota
	// FirstUse pins all that a server defines when it is first seen, and from
	// then on serves that alone. New tools are quarantined like changed ones: a
	// tool that comes later can take over the work of one that was trusted.
	//
	// The functions of a CaSH server are first seen when none of them is pinned
	// yet. So if there are pins of its tools alone, as versions made that did not
	// cover functions, those that it has then are pinned; the aggregator notes it in its
	// status and warns in the log. What a server cannot show when it is first seen,
	// such as a namespace that is unavailable, is new when it comes.
	FirstUse
	// Locked serves what is pinned, and pins nothing but what is accepted
	// ([Keeper.Accept]).
	Locked
)

// String returns the mode as it is written in a configuration.
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

// Reason is why a tool or function is in quarantine.
type Reason string

const (
	ReasonChanged   Reason = "changed"   // its definition is not the pinned one
	ReasonNew       Reason = "new"       // nothing is pinned of that name
	ReasonDuplicate Reason = "duplicate" // the server has several of that name, and who calls one could get another
)

// A Quarantine is a tool, or a function of a CaSH server, that is not served
// until an operator has accepted its definition.
type Quarantine struct {
	Tool   string // [Definition.Name], as the server spells it: clean it before it is shown
	Reason Reason
	// Hash is that of Definition, by which [Keeper.Accept] knows
	// what was read. It is empty for duplicates.
	Hash string
	// Difference says in clean lines what is not as pinned, as
	// [Definition.Difference] does. Of a new tool that is everything, and of
	// duplicates how the second differs from the first, which may be in nothing.
	// Beyond 1,000 tools in quarantine it only says so.
	Difference string
	// Definition is the current one. It is nil for duplicates, none of which can
	// be accepted.
	Definition *Definition
}

// maxDifferences bounds how many tools in quarantine are described: a server may
// have thousands.
const maxDifferences = 1000

// quarantineOf appends a tool, with how the definition differs from before.
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

// review decides which of a server's current definitions may be served, in their
// order. If pin is not nil, it has to be saved before they are. A tool that is
// gone stays pinned: it comes back as it was, or not at all. A function with the
// name of a tool is a duplicate, and the tool is none.
func review(mode Mode, pinned map[string]*Definition, current []*Definition) (served []*Definition, quarantined []Quarantine, pin map[string]*Definition) {
	tools, functions := byName(current)
	first := firstUse{mode == FirstUse && pinned == nil, mode == FirstUse && !seenFunctions(pinned, functions)}
	for _, d := range current {
		before, same := pinned[d.Name], tools[d.Name]
		if d.Function {
			same = slices.Concat(same[:min(len(same), 1)], functions[d.Name])
		}
		switch {
		case len(same) > 1:
			if d == same[0] || d.Function && d == functions[d.Name][0] {
				quarantined = quarantineOf(quarantined, Quarantine{Reason: ReasonDuplicate}, same[0], same[1])
			}
		case mode == Off:
			served = append(served, d)
		case first.of(d):
			served = append(served, d)
			pin = withPin(pin, pinned, d)
		case before == nil:
			quarantined = quarantineOf(quarantined, Quarantine{Reason: ReasonNew, Definition: d}, &Definition{Name: d.Name, Function: d.Function}, d)
		default:
			if known := agreed(before, d); known != nil {
				served = append(served, known)
			} else {
				quarantined = quarantineOf(quarantined, Quarantine{Reason: ReasonChanged, Definition: d}, before, d)
			}
		}
	}
	return served, quarantined, pin
}

// byName returns the definitions by their names.
func byName(list []*Definition) (tools, functions map[string][]*Definition) {
	tools, functions = make(map[string][]*Definition, len(list)), make(map[string][]*Definition)
	for _, d := range list {
		of := tools
		if d.Function {
			of = functions
		}
		of[d.Name] = append(of[d.Name], d)
	}
	return tools, functions
}

// firstUse says of which definitions none has been seen yet. A server that has
// nothing yet has not been seen.
type firstUse struct{ tools, functions bool }

func (f firstUse) of(d *Definition) bool { return !d.Function && f.tools || d.Function && f.functions }

// seenFunctions reports whether functions of the server have been pinned. One
// whose name is pinned as another thing has been as well: nothing is pinned over.
// One with the name of call, help or skill is a duplicate, and does not count.
func seenFunctions(pinned map[string]*Definition, current map[string][]*Definition) bool {
	for name, d := range pinned {
		if d != nil && d.Function || current[name] != nil && !wire.IsCore(name) {
			return true
		}
	}
	return false
}

// withPin returns pin, which begins as a copy of what is pinned, with d.
func withPin(pin, pinned map[string]*Definition, d *Definition) map[string]*Definition {
	if pin == nil {
		if pin = maps.Clone(pinned); pin == nil {
			pin = make(map[string]*Definition)
		}
	}
	pin[d.Name] = d
	return pin
}

// agreed returns what both the pinned definition and the current one say, or nil
// if they differ. A function of which one of them has not the page is compared
// by its line in help alone, and of its page nothing is served.
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

// Paged reports whether the definition of a function has what its page says.
func (d *Definition) Paged() bool { return len(d.InputSchema) > 0 }
