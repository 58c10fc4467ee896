package pin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"
)

// ErrChanged is returned by [Store.Swap] if the pins are no longer at the given revision.
var ErrChanged = errors.New("pin: the pins have been changed by somebody else")

// A Store keeps the accepted definitions of upstreams: of tools, skills and, for CaSH servers, functions. The key of an
// upstream is its label in canonical form. If a manifest chose the label, the key is the manifest's URL without the
// query.
//
// Implementations are safe for concurrent use. They compare labels byte by byte, and keep all fields of a
// definition unchanged.
type Store interface {
	// Load returns the pins of an upstream. The caller owns the map.
	Load(ctx context.Context, label string) (Pins, error)
	// Swap replaces all pins of an upstream if they are still at the revision, and returns the next revision;
	// otherwise the error is ErrChanged. After an error nothing has changed. Nil definitions delete the upstream.
	// The caller keeps the map.
	Swap(ctx context.Context, label, revision string, definitions map[string]*Definition) (next string, err error)
	// Watch calls changed with the label of an upstream soon after its pins change, whoever changed them. It
	// returns when ctx ends, or with an error if it cannot watch.
	Watch(ctx context.Context, changed func(label string)) error
}

// Pins are the pins of an upstream at one time.
type Pins struct {
	// Revision differs after every change. It is empty before the first pin.
	Revision string
	// Definitions are keyed by name. Nil means that nothing was ever pinned; an empty map is different.
	Definitions map[string]*Definition
}

// Memory is a [Store] in the memory of the process.
type Memory struct {
	news notifier

	mu   sync.Mutex
	pins map[string]Pins
	last int // number of the last revision
}

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{pins: make(map[string]Pins)} }

// Load implements [Store].
func (m *Memory) Load(_ context.Context, label string) (Pins, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.pins[label]
	p.Definitions = maps.Clone(p.Definitions)
	return p, nil
}

// Swap implements [Store]. It is an error if a definition is nil or has another name than its key.
func (m *Memory) Swap(_ context.Context, label, revision string, definitions map[string]*Definition) (next string, err error) {
	if err := check(label, definitions); err != nil {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pins[label].Revision != revision {
		return "", ErrChanged
	}
	defer m.news.notify()
	if definitions == nil {
		delete(m.pins, label)
		return "", nil
	}
	m.last++
	p := Pins{strconv.Itoa(m.last), maps.Clone(definitions)}
	m.pins[label] = p
	return p.Revision, nil
}

// Watch implements [Store].
func (m *Memory) Watch(ctx context.Context, changed func(label string)) error {
	return watch(ctx, &m.news, nil, m.revisions, changed)
}

func (m *Memory) revisions() map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return revisionsOf(m.pins)
}

func revisionsOf(pins map[string]Pins) map[string]string {
	all := make(map[string]string, len(pins))
	for label, p := range pins {
		all[label] = p.Revision
	}
	return all
}

// check returns why the definitions cannot be pinned.
func check(label string, definitions map[string]*Definition) error {
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

// A notifier wakes all waiters at the next change.
type notifier struct {
	mu   sync.Mutex
	next chan struct{} // closed at the next change; nil if nobody waits
}

func (b *notifier) wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

func (b *notifier) notify() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}

// watch calls changed for every upstream whose revision is a new one. It compares them on each signal of the
// notifier and each tick.
func watch(ctx context.Context, news *notifier, tick <-chan time.Time, revisions func() map[string]string, changed func(label string)) error {
	for seen := revisions(); ; {
		rung := news.wait()
		now := revisions()
		for label, revision := range now {
			if seen[label] != revision {
				changed(label)
			}
			delete(seen, label)
		}
		for label := range seen {
			changed(label)
		}
		seen = now
		select {
		case <-rung:
		case <-tick:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
