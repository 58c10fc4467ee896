package firewall

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Store keeps artifacts. [Memory] is one, package disk has another, and replicas
// of a server may share a third.
//
// Duties of an implementer: it is safe for concurrent use; it bounds the number,
// the bytes and the age of what it keeps, for each owner and in all; what it has
// taken it keeps until that has expired, whole; what one owner has put in no
// other gets out; and neither the time nor the error of an Open tells an artifact
// of somebody else from one that never was.
type Store interface {
	// Reserve makes room for what a call may leave behind, before it is made.
	// Size is in bytes. The error is [ErrFull] if there is none, now.
	Reserve(ctx context.Context, owner string, size int64) (Reservation, error)
	// Open returns what owner has under handle. The error is [ErrNotFound] if
	// that is nothing, has expired, or belongs to somebody else.
	Open(ctx context.Context, owner, handle string) (*Artifact, error)
}

// A Reservation is room in a [Store]. It is for one goroutine.
type Reservation interface {
	// Keep stores the parts of a result: all of them, or none if there is an
	// error. What has happened must not be lost for want of room, so they may
	// take more than was reserved, if need be at the cost of later reservations.
	// The references are in the order of the parts.
	Keep(ctx context.Context, parts []Part) ([]Ref, error)
	// Release gives back what was reserved and is not used. It may be called
	// more than once.
	Release()
}

// A Part is something to keep, byte for byte. Its data must not be modified
// afterwards.
type Part struct {
	Data      []byte
	MediaType string
	Label     string // a clean line; may be empty
}

// An Artifact is a part that was kept. It must not be modified.
type Artifact struct {
	Ref
	Data    []byte
	Created time.Time
	Expires time.Time
}

// Errors of a [Store]. Those of a store may wrap them.
var (
	// ErrFull says that there is no room.
	ErrFull = errors.New("no room to keep a result")
	// ErrNotFound says that there is no such artifact for this owner.
	ErrNotFound = errors.New("no such artifact")
)

// A FullError says which limit of a store leaves no room, and for how long. It
// wraps [ErrFull].
type FullError struct {
	// Limit is "bytes", "artifacts", "bytes per owner" or "artifacts per owner",
	// or "disk" if the disk of a store is full.
	Limit string
	// RetryAfter is the time after which enough artifacts have expired. Zero says
	// that this is not known: what is in the way are calls that are running, or
	// the limit is smaller than what was asked for.
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
