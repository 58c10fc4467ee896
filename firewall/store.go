package firewall

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Store keeps artifacts. [Memory] and package disk are implementations; replicas of a server may share another.
//
// Duties of an implementer:
//
//   - It is safe for concurrent use.
//   - It bounds number, bytes and age of the artifacts, per payer, of all guests, and in total.
//   - A stored artifact stays, whole, until its promise ends: some minutes. It may stay longer.
//   - Only artifacts whose promise has ended give way to others: those of the same payer first.
//   - No owner can read an artifact of another owner.
//   - Neither time nor error of Open tells an artifact of another owner from one that never existed.
type Store interface {
	// Reserve makes room for a result. Size is in bytes. The error is [ErrFull] if there is no room now.
	Reserve(ctx context.Context, owner Owner, size int64) (Reservation, error)
	// Open returns the artifact under handle that belongs to the [Owner.ID]. The error is [ErrNotFound] if it does not
	// exist, has expired, has given way, or belongs to another owner.
	Open(ctx context.Context, id, handle string) (*Artifact, error)
}

// An Owner is the owner of an artifact. Firewall and stores compare its keys and know no more about them.
type Owner struct {
	// ID is the key to the artifact. Owners with the same ID can read each other's artifacts, if they know the handle.
	ID string
	// Payer is the key of the share of room that the artifact takes. Several IDs may have one payer, and one ID several:
	// callers who cannot be identified have the same ID, but may be told apart by their address. Empty is ID.
	Payer string
	// Guest says that the payer can be replaced by a new one at will, such as a session of an anonymous caller. All
	// guests together have at most three quarters of the room.
	Guest bool
}

// Usage is how much a [Store] holds, artifacts and reservations together. It has a JSON form.
type Usage struct {
	Artifacts int64 `json:"artifacts"`
	Bytes     int64 `json:"bytes"`
}

// A Reservation is room in a [Store]. Only one goroutine may use it.
type Reservation interface {
	// Keep stores the parts of a result: all of them, or none if there is an error. It returns their references in
	// order. The parts may take more room than was reserved, even at the cost of later reservations, because the call
	// has already happened. The error is [ErrFull] if there is no room after all, for example on a full disk.
	Keep(ctx context.Context, parts []Part) ([]Ref, error)
	// Release gives back unused room. It may be called more than once.
	Release()
}

// A Part is something to keep, byte for byte. Its data must not be modified afterwards.
type Part struct {
	Data      []byte
	MediaType string
	Label     string // a clean line; may be empty
}

// An Artifact is a stored part. It must not be modified.
type Artifact struct {
	Ref
	Data    []byte
	Created time.Time
	Expires time.Time
}

// Errors of a [Store]. An implementation may wrap them.
var (
	// ErrFull says that there is no room.
	ErrFull = errors.New("no room to keep a result")
	// ErrNotFound says that there is no such artifact for this owner.
	ErrNotFound = errors.New("no such artifact")
)

// A FullError says which limit of a store leaves no room, and for how long. It wraps [ErrFull].
type FullError struct {
	// Limit is "bytes" or "artifacts", with " per owner" or " of guests" if it is theirs, or "disk" if the disk of a
	// store is full.
	Limit string
	// RetryAfter is the time until enough promises end. Zero means unknown: running calls hold the room, or the
	// request exceeds the limit.
	RetryAfter time.Duration
}

func (e *FullError) Error() string {
	text := fmt.Sprintf("%v: the limit on %s is reached", ErrFull, e.Limit)
	if e.Limit == "disk" {
		text = ErrFull.Error() + ": the disk is full"
	}
	if e.RetryAfter > 0 {
		text += fmt.Sprintf("; there is room again in %v", e.RetryAfter.Truncate(time.Second)+time.Second)
	}
	return text
}

// Unwrap returns [ErrFull].
func (e *FullError) Unwrap() error { return ErrFull }
