package upstream

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"unicode/utf8"
)

// Pins remember the definitions that an operator has accepted, of tools and of
// the functions of CaSH servers, for each upstream by its label in canonical
// form; for one whose label was left to its manifest, by the manifest's URL
// without the query. Implementations are safe for concurrent use; they compare
// labels byte by byte, and keep all fields of a definition as they are.
type Pins interface {
	// Load returns what is pinned for an upstream, by the name of the definition: nil
	// if nothing has been pinned yet, which is not the same as an empty map. The
	// map is the caller's.
	Load(ctx context.Context, label string) (map[string]*Definition, error)
	// Save replaces all that is pinned for an upstream, or nothing of it if there
	// is an error. Nil forgets the upstream. The map stays the caller's.
	Save(ctx context.Context, label string, definitions map[string]*Definition) error
}

// MemoryPins are [Pins] that last as long as the process.
type MemoryPins struct {
	mu   sync.Mutex
	pins map[string]map[string]*Definition
}

// NewMemoryPins returns pins for which nothing is pinned yet.
func NewMemoryPins() *MemoryPins {
	return &MemoryPins{pins: make(map[string]map[string]*Definition)}
}

// Load implements [Pins].
func (m *MemoryPins) Load(_ context.Context, label string) (map[string]*Definition, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.pins[label]), nil
}

// Save implements [Pins]. It is an error if a definition is nil or stands under
// a name that is not its own.
func (m *MemoryPins) Save(_ context.Context, label string, definitions map[string]*Definition) error {
	if err := checkPins(label, definitions); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	putPins(m.pins, label, maps.Clone(definitions))
	return nil
}

// checkPins returns why the definitions cannot be saved.
func checkPins(label string, definitions map[string]*Definition) error {
	if label == "" || !utf8.ValidString(label) {
		return fmt.Errorf("pinning for upstream %.64q: the label is empty or not UTF-8", label)
	}
	for name, d := range definitions {
		if d == nil || d.Name != name || name == "" {
			return fmt.Errorf("pinning for upstream %.64q: there is no definition of tool %.64q", label, name)
		}
	}
	return nil
}

// putPins puts the definitions of one upstream in their place.
func putPins(pins map[string]map[string]*Definition, label string, definitions map[string]*Definition) {
	if definitions == nil {
		delete(pins, label)
		return
	}
	pins[label] = definitions
}

// PinMode says which definitions of tools, and of functions of CaSH servers, are
// served.
type PinMode int

const (
	// PinOff serves whatever the server defines.
	PinOff PinMode = iota
	// PinFirstUse pins all that a server defines when it is first seen, and from
	// then on serves that alone. New tools are quarantined like changed ones: a
	// tool that comes later can take over the work of one that was trusted.
	//
	// The functions of a CaSH server are first seen when none of them is pinned
	// yet. So if there are pins of its tools alone, as versions made that did not
	// cover functions, those that it has then are pinned; a note in [Status] and a
	// warning in the log say so. What a server cannot show when it is first seen,
	// such as a namespace that is unavailable, is new when it comes.
	PinFirstUse
	// PinLocked serves what is pinned, and pins nothing but what is accepted
	// ([Aggregator.Accept], [Aggregator.AcceptQuarantined]).
	PinLocked
)

// String returns the mode as it is written in a configuration.
func (m PinMode) String() string {
	switch m {
	case PinOff:
		return "off"
	case PinFirstUse:
		return "first-use"
	case PinLocked:
		return "locked"
	}
	return fmt.Sprintf("PinMode(%d)", int(m))
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
	// Hash is that of Definition, by which [Aggregator.AcceptQuarantined] knows
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
func review(mode PinMode, pinned map[string]*Definition, current []*Definition) (served []*Definition, quarantined []Quarantine, pin map[string]*Definition) {
	tools, functions := byName(current)
	first := firstUse{mode == PinFirstUse && pinned == nil, mode == PinFirstUse && !seenFunctions(pinned, functions)}
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
		case mode == PinOff:
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
		if d != nil && d.Function || current[name] != nil && !isCore(name) {
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
	if !pinned.Function || !current.Function || pinned.paged() == current.paged() {
		if pinned.Hash() == current.Hash() {
			return current
		}
		return nil
	}
	known := pinned
	if pinned.paged() {
		known = current
	}
	if pinned.Name != current.Name || pinned.Description != current.Description {
		return nil
	}
	return known
}

// paged reports whether the definition of a function has what its page says.
func (d *Definition) paged() bool { return len(d.InputSchema) > 0 }
