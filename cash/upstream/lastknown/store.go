package lastknown

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"
)

// A Store keeps catalogs for the replicas of an aggregator, and leases the reading of a server to one of them. A key is
// the hash of a server, of the identity with which it is read, and of a kind of things: whoever has another key sees
// nothing of it.
//
// Duties of an implementer:
//
//   - It is safe for concurrent use. It compares keys byte by byte, and keeps data unchanged.
//   - It bounds its contents: it forgets what was kept first.
//   - It answers within the deadline of ctx.
//
// After an error, a replica reads the server itself.
type Store interface {
	// Find returns what was last kept, and the time; the time alone if nothing was. Data is nil if have is its revision.
	Find(ctx context.Context, key, have string) (Kept, error)
	// Keep replaces what was kept, unless the reading of that began later. A time after now is another clock's, such as
	// that of a server before a failover: it counts as now in k, and what was kept with it is replaced. Keep ends the
	// lease of the key, and does nothing else if k has no revision.
	Keep(ctx context.Context, key string, k Kept) error
	// Claim leases the reading of a key, and reports false while another lease lasts.
	Claim(ctx context.Context, key string, lasts time.Duration) (bool, error)
	// Watch calls changed with a key soon after something was kept under it, whoever did. It returns when ctx ends, or
	// with an error if it cannot watch.
	Watch(ctx context.Context, changed func(key string)) error
}

// Kept is a catalog in a [Store].
type Kept struct {
	Revision string    // equal for equal catalogs; empty if there is none
	Began    time.Time // a time of the store's clock at which the reading of the catalog had not begun
	Now      time.Time // the time of that clock in the answer of Find; not kept
	Data     []byte    // as [Catalog.Encode] made it; not to be changed
}

// Memory is a [Store] in the memory of the process, for several aggregators in it.
type Memory struct {
	max int
	now func() time.Time

	mu      sync.Mutex
	kept    map[string]*memorized
	size    int
	leases  map[string]time.Time
	changed chan struct{} // closed and replaced at each change
}

type memorized struct {
	Kept
	last time.Time // when it was kept
}

// NewMemory returns an empty store for as many bytes of catalogs. Zero bytes are 256 MiB; a nil clock is time.Now.
func NewMemory(maxBytes int, now func() time.Time) *Memory {
	if now == nil {
		now = time.Now
	}
	return &Memory{max: cmp.Or(max(maxBytes, 0), 256<<20), now: now, kept: make(map[string]*memorized), leases: make(map[string]time.Time), changed: make(chan struct{})}
}

// Find implements [Store].
func (m *Memory) Find(_ context.Context, key, have string) (Kept, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	it := m.kept[key]
	if it == nil {
		return Kept{Now: m.now()}, nil
	}
	k := it.Kept
	k.Now = m.now()
	if k.Revision == have {
		k.Data = nil
	}
	return k, nil
}

// Keep implements [Store]. It is an error if the catalog is larger than the store.
func (m *Memory) Keep(_ context.Context, key string, k Kept) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.leases, key)
	now := m.now()
	if k.Began.After(now) {
		k.Began = now
	}
	switch it := m.kept[key]; {
	case k.Revision == "" || it != nil && it.Began.After(k.Began) && !it.Began.After(now):
		return nil
	case len(k.Data) > m.max:
		return errors.New("lastknown: the catalog is larger than the store")
	case it != nil:
		m.drop(key)
	}
	for m.size+len(k.Data) > m.max {
		m.drop(m.oldest())
	}
	m.kept[key] = &memorized{k, now}
	m.size += len(k.Data)
	close(m.changed)
	m.changed = make(chan struct{})
	return nil
}

// drop forgets a catalog. The caller holds m.mu.
func (m *Memory) drop(key string) {
	m.size -= len(m.kept[key].Data)
	delete(m.kept, key)
}

// oldest returns the key that was kept first. The caller holds m.mu.
func (m *Memory) oldest() (key string) {
	var first time.Time
	for k, it := range m.kept {
		if key == "" || it.last.Before(first) {
			key, first = k, it.last
		}
	}
	return key
}

// Claim implements [Store].
func (m *Memory) Claim(_ context.Context, key string, lasts time.Duration) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	if now.Before(m.leases[key]) {
		return false, nil
	}
	for other, until := range m.leases {
		if !now.Before(until) {
			delete(m.leases, other)
		}
	}
	m.leases[key] = now.Add(lasts)
	return true, nil
}

// Watch implements [Store].
func (m *Memory) Watch(ctx context.Context, changed func(key string)) error {
	seen, next := m.times() // when each was kept
	for {
		select {
		case <-next:
		case <-ctx.Done():
			return ctx.Err()
		}
		var now map[string]time.Time
		now, next = m.times()
		for key, at := range now {
			if !seen[key].Equal(at) {
				changed(key)
			}
		}
		seen = now
	}
}

// times returns when each catalog was kept, and what is closed at the next change.
func (m *Memory) times() (all map[string]time.Time, next <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all = make(map[string]time.Time, len(m.kept))
	for key, it := range m.kept {
		all[key] = it.last
	}
	return all, m.changed
}
