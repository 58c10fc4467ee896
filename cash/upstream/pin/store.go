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

// ErrChanged is what [Store.Swap] returns if what is pinned is no longer at the
// revision.
var ErrChanged = errors.New("pin: the pins have been changed by somebody else")

// A Store remembers the accepted definitions of upstreams: of their tools and, for
// CaSH servers, of the functions behind them. An upstream is known by its label in
// canonical form. One whose label comes from its manifest is known by the
// manifest's URL without the query.
//
// Implementations are safe for concurrent use. They compare labels byte by byte,
// and keep all fields of a definition as they are.
type Store interface {
	// Load returns what is pinned for an upstream. The map is the caller's.
	Load(ctx context.Context, label string) (Pins, error)
	// Swap replaces all that is pinned for an upstream, if that is still at the
	// revision, and returns the next revision. Otherwise the error is ErrChanged. After an
	// error nothing is replaced. Nil definitions forget the upstream. The map stays
	// the caller's.
	Swap(ctx context.Context, label, revision string, definitions map[string]*Definition) (next string, err error)
	// Watch calls changed with the label of an upstream soon after its pins have
	// changed, whoever changed them. It returns when ctx has ended, or with an error
	// when changes cannot be noticed.
	Watch(ctx context.Context, changed func(label string)) error
}

// Pins are what is pinned for an upstream at one time.
type Pins struct {
	// Revision is another one after every change. It is empty if nothing has been
	// pinned yet.
	Revision string
	// Definitions are by name. Nil says that nothing has been pinned yet, which is not
	// the same as an empty map.
	Definitions map[string]*Definition
}

// Memory is a [Store] that lasts as long as the process.
type Memory struct {
	news bell

	mu   sync.Mutex
	pins map[string]Pins
	last int // the number of the last revision
}

// NewMemory returns a store in which nothing is pinned yet.
func NewMemory() *Memory { return &Memory{pins: make(map[string]Pins)} }

// Load implements [Store].
func (m *Memory) Load(_ context.Context, label string) (Pins, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.pins[label]
	p.Definitions = maps.Clone(p.Definitions)
	return p, nil
}

// Swap implements [Store]. It is an error if a definition is nil or stands under
// a name that is not its own.
func (m *Memory) Swap(_ context.Context, label, revision string, definitions map[string]*Definition) (next string, err error) {
	if err := check(label, definitions); err != nil {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pins[label].Revision != revision {
		return "", ErrChanged
	}
	defer m.news.ring()
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
	return revisions(m.pins)
}

func revisions(pins map[string]Pins) map[string]string {
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

// A bell wakes all who wait for the next change.
type bell struct {
	mu   sync.Mutex
	next chan struct{} // closed by the next change; nil if nobody waits
}

func (b *bell) wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}

// watch compares the revisions of all upstreams whenever the bell rings or the
// clock ticks, and tells of those that are others.
func watch(ctx context.Context, news *bell, tick <-chan time.Time, revisions func() map[string]string, changed func(label string)) error {
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
