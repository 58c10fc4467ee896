package firewall

import (
	"context"
	"sync"
	"time"
)

// MemoryOptions bound a [Memory]. Nil is fine, and a number that is zero or less
// stands for its default.
//
// Bytes are those of contents, media types and labels. An artifact counts in
// full, even if another one has the same content.
type MemoryOptions struct {
	// MaxBytes bounds what is kept and reserved. Zero is 256 MiB.
	MaxBytes int64
	// MaxBytesPerOwner bounds what one owner has of it. Zero is 64 MiB.
	MaxBytesPerOwner int64
	// MaxArtifacts bounds the number of artifacts and reservations. Zero is 10,000.
	MaxArtifacts int
	// MaxPerOwner bounds how many of them one owner has. Zero is 1,000.
	MaxPerOwner int
	// MaxAge is how long an artifact is kept. Zero is half an hour.
	MaxAge time.Duration
	// Now is the clock, safe for concurrent use. Nil is time.Now.
	Now func() time.Time
}

// Memory is a [Store] in memory. Equal contents take up memory once. What has
// expired is dropped at the next use of the store.
type Memory struct {
	mu     sync.Mutex
	ledger *ledger
	blobs  map[digest]*blob
}

// A blob is a content, and the number of artifacts that have it.
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
	return &Memory{ledger: newLedger(o), blobs: make(map[digest]*blob)}
}

// Reserve implements [Store]. A reservation has room for one artifact of size
// bytes. The error is a [*FullError] if there is none.
func (m *Memory) Reserve(ctx context.Context, owner string, size int64) (Reservation, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	id := digestOf(owner)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep()
	r, err := m.ledger.reserve(id, size)
	if err != nil {
		return nil, err
	}
	return &memoryRoom{m, r}, nil
}

// Open implements [Store].
func (m *Memory) Open(ctx context.Context, owner, handle string) (*Artifact, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	id := digestOf(owner)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep()
	s := m.ledger.find(id, handle)
	if s == nil {
		return nil, ErrNotFound
	}
	return s.artifact(handle, m.blobs[s.content].data), nil
}

// sweep drops what has expired.
func (m *Memory) sweep() {
	for _, s := range m.ledger.sweep() {
		b := m.blobs[s.content]
		if b.refs--; b.refs == 0 {
			delete(m.blobs, s.content)
		}
	}
}

type memoryRoom struct {
	memory *Memory
	room   *room
}

// Keep implements [Reservation].
func (r *memoryRoom) Keep(ctx context.Context, parts []Part) ([]Ref, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m := r.memory
	refs, all := m.ledger.admit(r.room.owner, parts)
	// Copies, because a part may be a small piece of something large that would
	// stay with it. They are made of known contents too: else the time would
	// tell that somebody has the same.
	copies := make([][]byte, len(parts))
	for i, p := range parts {
		copies[i] = append([]byte{}, p.Data...)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep()
	for i, s := range all {
		b := m.blobs[s.content]
		if b == nil {
			b = &blob{data: copies[i]}
			m.blobs[s.content] = b
		}
		b.refs++
	}
	m.ledger.keep(r.room, all)
	return refs, nil
}

// Release implements [Reservation].
func (r *memoryRoom) Release() {
	r.memory.mu.Lock()
	defer r.memory.mu.Unlock()
	r.memory.ledger.release(r.room)
}
