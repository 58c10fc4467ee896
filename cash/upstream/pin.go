package upstream

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"unicode/utf8"
)

// Pins remember the definitions of tools that an operator has accepted, for
// each upstream by its label in canonical form; for one whose label was left to
// its manifest, by the manifest's URL without the query. Implementations are safe for concurrent use; they
// compare labels byte by byte, and never change a definition.
type Pins interface {
	// Load returns what is pinned for an upstream, by the name of the tool: nil
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

// PinMode says which definitions of tools are served.
type PinMode int

const (
	// PinOff serves whatever the server defines.
	PinOff PinMode = iota
	// PinFirstUse pins all that a server defines when it is first seen, and from
	// then on serves that alone. New tools are quarantined like changed ones: a
	// tool that comes later can take over the work of one that was trusted.
	PinFirstUse
	// PinLocked serves what is pinned, and pins nothing but by
	// [Aggregator.Accept].
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

// Reason is why a tool is in quarantine.
type Reason string

const (
	ReasonChanged   Reason = "changed"   // its definition is not the pinned one
	ReasonNew       Reason = "new"       // nothing is pinned of that name
	ReasonDuplicate Reason = "duplicate" // the server has several tools of that name, and who calls one could get another
)

// A Quarantine is a tool that is not served until an operator has accepted its
// definition.
type Quarantine struct {
	Tool   string // as the server spells it: clean it before it is shown
	Reason Reason
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
	if len(list) < maxDifferences {
		q.Difference = before.Difference(now)
	}
	return append(list, q)
}

// review decides which of a server's current definitions may be served, in their
// order. If pin is not nil, it has to be saved before they are. A tool that is
// gone stays pinned: it comes back as it was, or not at all.
func review(mode PinMode, pinned map[string]*Definition, current []*Definition) (served []*Definition, quarantined []Quarantine, pin map[string]*Definition) {
	tools := make(map[string][]*Definition, len(current))
	for _, d := range current {
		tools[d.Name] = append(tools[d.Name], d)
	}
	first := mode == PinFirstUse && pinned == nil
	for _, d := range current {
		before, same := pinned[d.Name], tools[d.Name]
		switch {
		case len(same) > 1:
			if d == same[0] {
				quarantined = quarantineOf(quarantined, Quarantine{Reason: ReasonDuplicate}, d, same[1])
			}
		case mode == PinOff || first:
			served = append(served, d)
		case before == nil:
			quarantined = quarantineOf(quarantined, Quarantine{Reason: ReasonNew, Definition: d}, &Definition{Name: d.Name}, d)
		case before.Hash() != d.Hash():
			quarantined = quarantineOf(quarantined, Quarantine{Reason: ReasonChanged, Definition: d}, before, d)
		default:
			served = append(served, d)
		}
	}
	if first && len(served) > 0 { // a server that has nothing yet has not been seen
		pin = make(map[string]*Definition, len(served))
		for _, d := range served {
			pin[d.Name] = d
		}
	}
	return served, quarantined, pin
}
