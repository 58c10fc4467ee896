package firewall

import (
	"context"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/firewall/internal/ledger"
)

// MemoryOptions bound a [Memory]. Nil means all defaults, and so does a number of zero or less.
//
// Bytes are those of contents, media types and labels. An artifact counts in full, even if another one has the same
// content.
type MemoryOptions struct {
	// MaxBytes bounds the bytes kept and reserved. Zero is 256 MiB.
	MaxBytes int64
	// MaxBytesPerOwner bounds the bytes of one [Owner.Payer]. Zero is 64 MiB.
	MaxBytesPerOwner int64
	// MaxArtifacts bounds the number of artifacts and reservations. Zero is 10,000.
	MaxArtifacts int
	// MaxPerOwner bounds the artifacts and reservations of one payer. Zero is 1,000.
	MaxPerOwner int
	// MaxAge is how long an artifact is kept at most. Zero is half an hour.
	MaxAge time.Duration
	// Promise is how long an artifact is kept at least. Then it may give way to others. Zero is 5 minutes, more than
	// MaxAge is MaxAge.
	Promise time.Duration
	// Now is the clock, safe for concurrent use. Nil is time.Now.
	Now func() time.Time
}

// Memory is a [Store] in memory. Equal contents take up memory once. Expired artifacts are dropped at the next use of
// the store.
//
// If a payer's share is full, its oldest artifact whose promise has ended gives way. If the store is full, the same
// holds. A payer without such an artifact then takes the room of the payer who has the most of the store.
type Memory struct {
	mu     sync.Mutex
	ledger *ledger.Ledger
	blobs  map[ledger.Digest]*blob
}

// A blob is a content with a reference count.
type blob struct {
	data []byte
	refs int
}

// NewMemory returns an empty store.
func NewMemory(opts *MemoryOptions) *Memory {
	var o MemoryOptions
	if opts != nil {
		o = *opts
	}
	return &Memory{ledger: ledger.New(ledger.Limits(o)), blobs: make(map[ledger.Digest]*blob)}
}

// Reserve implements [Store]. A reservation has room for one artifact of size bytes. The error is a [*FullError] if
// there is no room.
func (m *Memory) Reserve(ctx context.Context, owner Owner, size int64) (Reservation, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	id := ledger.OwnerOf(owner.ID, owner.Payer, owner.Guest)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep()
	defer m.sweep()
	r, full := m.ledger.Reserve(id, size)
	if full != nil {
		return nil, (*FullError)(full)
	}
	return &memoryRoom{m, r}, nil
}

// Open implements [Store].
func (m *Memory) Open(ctx context.Context, id, handle string) (*Artifact, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	owner := ledger.DigestOf(id)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep()
	e := m.ledger.Find(owner, handle)
	if e == nil {
		return nil, ErrNotFound
	}
	return &Artifact{Ref: Ref(e.RefAs(handle)), Data: m.blobs[e.Content].data, Created: e.Created, Expires: e.Expires}, nil
}

// Usage returns how much the store holds.
func (m *Memory) Usage() Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep()
	var u Usage
	u.Artifacts, u.Bytes = m.ledger.Used()
	return u
}

// sweep drops expired and evicted artifacts.
func (m *Memory) sweep() {
	for _, e := range m.ledger.Sweep() {
		b := m.blobs[e.Content]
		if b.refs--; b.refs == 0 {
			delete(m.blobs, e.Content)
		}
	}
}

type memoryRoom struct {
	memory *Memory
	room   *ledger.Room
}

// Keep implements [Reservation].
func (r *memoryRoom) Keep(ctx context.Context, parts []Part) ([]Ref, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m := r.memory
	refs, entries, copies := make([]Ref, len(parts)), make([]*ledger.Entry, len(parts)), make([][]byte, len(parts))
	now := m.ledger.Now()
	for i, p := range parts {
		ref, e := m.ledger.Admit(r.room.Owner, now, p.Data, p.MediaType, p.Label)
		refs[i], entries[i] = Ref(ref), e
		// Copy the data: a part may be a slice of something much larger. Known contents are copied too, so that the
		// time does not reveal them.
		copies[i] = append([]byte{}, p.Data...)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, e := range entries {
		b := m.blobs[e.Content]
		if b == nil {
			b = &blob{data: copies[i]}
			m.blobs[e.Content] = b
		}
		b.refs++
	}
	m.ledger.Keep(r.room, entries)
	m.sweep()
	return refs, nil
}

// Release implements [Reservation].
func (r *memoryRoom) Release() {
	r.memory.mu.Lock()
	defer r.memory.mu.Unlock()
	r.memory.ledger.Release(r.room)
}
