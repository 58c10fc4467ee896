package pin

import (
	"context"
	"errors"
	"maps"
	"sync"

	"github.com/cash-mcp/go-sdk/internal/apart"
	"github.com/cash-mcp/go-sdk/registry"
)

// A Keeper decides which definitions of one upstream are served, by the pins in a store, and pins accepted ones. It
// is safe for concurrent use.
type Keeper struct {
	Store Store
	Mode  Mode
	Label string // key of the upstream in the store

	mu       sync.Mutex // serialises reads and writes of pins
	revision string     // of the pins last read or written
}

// Off reports whether all definitions are served.
func (k *Keeper) Off() bool { return k.Mode == Off }

// An Outcome is the result of a review: what is served, and what is quarantined.
type Outcome struct {
	Served      []*Definition
	Quarantined []Quarantine
	// Pinned are the pins from before. Nil is none.
	Pinned map[string]*Definition
	// Late counts the functions and skills that were pinned only now, although tools were pinned earlier ([FirstUse]).
	Late int
}

// A StoreError says that pins cannot be read or saved. Until then, nothing new of the server may be served.
type StoreError struct {
	Step string // read or saved
	Err  error  // for the log: it may name files
}

// Error returns the step and the cause.
func (e *StoreError) Error() string { return "pins cannot be " + e.Step + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *StoreError) Unwrap() error { return e.Err }

// Pinned returns the pins; nil if there are none, or in mode [Off].
func (k *Keeper) Pinned(ctx context.Context) (map[string]*Definition, error) {
	if k.Off() {
		return nil, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	p, err := k.load(ctx)
	return p.Definitions, err
}

// load reads the pins. The caller holds k.mu.
func (k *Keeper) load(ctx context.Context) (Pins, error) {
	p, err := apart.Do(ctx, 0, func() (Pins, error) { return k.Store.Load(ctx, k.Label) }, nil)
	if err != nil {
		return Pins{}, &StoreError{"read", err}
	}
	k.revision = p.Revision
	return p, nil
}

// Preview is Review without saving pins.
func (k *Keeper) Preview(ctx context.Context, current []*Definition) (Outcome, error) {
	pinned, err := k.Pinned(ctx)
	if err != nil {
		return Outcome{}, err
	}
	served, quarantined, _ := review(k.Mode, pinned, current)
	return Outcome{Served: served, Quarantined: quarantined, Pinned: pinned}, nil
}

// Review decides which of the server's current definitions are served, and pins those that are new as the mode
// allows. Errors are *[StoreError].
func (k *Keeper) Review(ctx context.Context, current []*Definition) (o Outcome, err error) {
	err = k.change(ctx, func(pinned map[string]*Definition) map[string]*Definition {
		var pin map[string]*Definition
		o = Outcome{Pinned: pinned}
		o.Served, o.Quarantined, pin = review(k.Mode, pinned, current)
		if pin != nil && pinned != nil {
			o.Late = len(pin) - len(pinned)
		}
		return pin
	})
	return o, err
}

// maxSwaps bounds the retries when others change the store at the same time.
const maxSwaps = 10

// change replaces the pins by the result of f; nil leaves them.
func (k *Keeper) change(ctx context.Context, f func(pinned map[string]*Definition) map[string]*Definition) error {
	if k.Off() {
		f(nil)
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for n := 1; ; n++ {
		p, err := k.load(ctx)
		if err != nil {
			return err
		}
		pins := f(p.Definitions)
		if pins == nil {
			return nil
		}
		next, err := apart.Do(ctx, 0, func() (string, error) { return k.Store.Swap(ctx, k.Label, p.Revision, pins) }, nil)
		switch {
		case err == nil:
			k.revision = next
			return nil
		case !errors.Is(err, ErrChanged) || n == maxSwaps:
			return &StoreError{"saved", err}
		}
	}
}

// Stale reports whether somebody else has changed the pins since they were last read here.
func (k *Keeper) Stale(ctx context.Context) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	before := k.revision
	p, err := k.load(ctx)
	return err == nil && p.Revision != before
}

// AcceptTool pins the quarantined definition of a tool. An empty tool pins all that can be accepted. Errors are
// *[StoreError], or *[registry.Error] if there is nothing to accept.
func (k *Keeper) AcceptTool(ctx context.Context, quarantined []Quarantine, tool string) error {
	var list []*Definition
	for _, q := range quarantined {
		if (tool == "" || q.Tool == tool) && q.Definition != nil {
			list = append(list, q.Definition)
		}
	}
	if list == nil {
		return noneQuarantined(tool)
	}
	return k.pin(ctx, list)
}

// AcceptRead pins definitions that an operator has read, if all of them are still in quarantine. Only their Tool
// and Hash count. Errors are those of AcceptTool.
func (k *Keeper) AcceptRead(ctx context.Context, quarantined, read []Quarantine) error {
	now := make(map[string]Quarantine, len(quarantined))
	for _, q := range quarantined {
		if q.Definition != nil { // duplicates have none and are skipped
			now[q.Tool] = q
		}
	}
	if len(read) == 0 {
		return noneQuarantined("")
	}
	var list []*Definition
	for _, w := range read {
		switch q, ok := now[w.Tool]; {
		case !ok:
			return noneQuarantined(w.Tool)
		case w.Hash != q.Hash:
			return &registry.Error{
				Kind: registry.Failed, Message: "The definition of " + quoted(w.Tool) + " that is quarantined is not the one with this hash. Nothing was accepted.",
				Hint: "Read its difference in the status again, and accept the hash that stands beside it.",
			}
		default:
			list = append(list, q.Definition)
		}
	}
	return k.pin(ctx, list)
}

// pin pins the definitions, replacing others of the same names.
func (k *Keeper) pin(ctx context.Context, list []*Definition) error {
	return k.change(ctx, func(pinned map[string]*Definition) map[string]*Definition {
		pins := maps.Clone(pinned)
		if pins == nil {
			pins = make(map[string]*Definition)
		}
		for _, d := range list {
			pins[d.Name] = d
		}
		return pins
	})
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
