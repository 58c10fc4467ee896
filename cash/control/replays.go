package control

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
)

// A ReplayStore keeps results that a face has withheld because of their size,
// so that asking for them again does not run the function again (R103).
// [Replays] is the one in memory; replicas of a server may share another. A
// store is safe for concurrent use, and keeps what it has promised to keep
// until that has expired or, after its delivery, for a while.
type ReplayStore interface {
	// Keep stores a result for owner under key, in place of one that is there,
	// and reports whether it promises to keep it.
	Keep(ctx context.Context, owner, key string, r Replayed) (kept bool, err error)
	// Find returns the result that is kept for owner under key.
	Find(ctx context.Context, owner, key string) (r Replayed, found bool, err error)
	// Delivered says that the result has been delivered. It is kept for a little
	// longer, for a client that repeats because the answer was lost.
	Delivered(ctx context.Context, owner, key string) error
}

// Nobody is the prefix of owners that anyone may invent: those of callers that
// cannot be told from one another, to which the rest of the owner is a secret.
// A store should bound what it keeps for all of them together.
const Nobody = "nobody:"

// A Replayed is a result that was withheld.
type Replayed struct {
	Result *registry.Result
	Length int // characters
	Size   int // bytes that it takes to keep, roughly
	Limit  int // characters that were allowed when it was withheld
}

// Replays is a [ReplayStore] in memory. When there is no room it keeps no
// further result, rather than to drop one that it has promised.
type Replays struct {
	opts ReplayOptions

	mu      sync.Mutex
	bytes   int
	entries map[replayKey]*replay
	owners  map[string]*share
	order   []*replay // in order of age
}

// ReplayOptions bound [Replays]. Nil is fine. What has expired is dropped at the
// next use of the store.
type ReplayOptions struct {
	// MaxBytes bounds all results together. Zero is 64 MiB.
	MaxBytes int
	// MaxBytesPerOwner bounds the results of one owner, and those of [Nobody]
	// together. Zero is a quarter of MaxBytes.
	MaxBytesPerOwner int
	// MaxPerOwner bounds their number, except for Nobody's. Zero is 16.
	MaxPerOwner int
	// MaxAge is how long a result is kept. Zero is 10 minutes.
	MaxAge time.Duration
	// Grace is how long it is kept after its delivery. Zero is 30 seconds.
	Grace time.Duration
	// Now is the clock. Nil is time.Now.
	Now func() time.Time
}

type replayKey struct{ owner, key string }

type replay struct {
	Replayed
	id      replayKey
	expires time.Time
	gone    bool
}

// share is what an owner has of the store.
type share struct{ results, bytes int }

// NewReplays returns an empty store.
func NewReplays(opts *ReplayOptions) *Replays {
	var o ReplayOptions
	if opts != nil {
		o = *opts
	}
	o.MaxBytes = cmp.Or(o.MaxBytes, 64<<20)
	o.MaxBytesPerOwner = cmp.Or(o.MaxBytesPerOwner, o.MaxBytes/4)
	o.MaxPerOwner = cmp.Or(o.MaxPerOwner, 16)
	o.MaxAge = cmp.Or(o.MaxAge, 10*time.Minute)
	o.Grace = cmp.Or(o.Grace, 30*time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Replays{opts: o, entries: make(map[replayKey]*replay), owners: make(map[string]*share)}
}

// Keep implements [ReplayStore].
func (r *Replays) Keep(_ context.Context, owner, key string, res Replayed) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expire()
	id := replayKey{owner, key}
	if old := r.entries[id]; old != nil {
		r.remove(old)
	}
	s := r.owners[group(owner)]
	if s == nil {
		s = new(share)
	}
	if r.bytes+res.Size > r.opts.MaxBytes || s.bytes+res.Size > r.opts.MaxBytesPerOwner ||
		group(owner) != Nobody && s.results >= r.opts.MaxPerOwner {
		return false, nil
	}
	e := &replay{Replayed: res, id: id, expires: r.opts.Now().Add(r.opts.MaxAge)}
	r.entries[id] = e
	r.order = append(r.order, e)
	r.owners[group(owner)] = s
	s.results++
	s.bytes += res.Size
	r.bytes += res.Size
	return true, nil
}

// Find implements [ReplayStore].
func (r *Replays) Find(_ context.Context, owner, key string) (Replayed, bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expire()
	if e := r.entries[replayKey{owner, key}]; e != nil {
		return e.Replayed, true, nil
	}
	return Replayed{}, false, nil
}

// Delivered implements [ReplayStore].
func (r *Replays) Delivered(_ context.Context, owner, key string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.entries[replayKey{owner, key}]; e != nil {
		if soon := r.opts.Now().Add(r.opts.Grace); soon.Before(e.expires) {
			e.expires = soon
		}
	}
	return nil
}

// group returns whose share of the store an owner uses.
func group(owner string) string {
	if strings.HasPrefix(owner, Nobody) {
		return Nobody
	}
	return owner
}

// expire drops what has expired. A delivery brings expiries forward, so all
// results are looked at; their number is bounded by bytes.
func (r *Replays) expire() {
	now := r.opts.Now()
	left := r.order[:0]
	for _, e := range r.order {
		switch {
		case e.gone:
		case !now.Before(e.expires):
			r.remove(e)
		default:
			left = append(left, e)
		}
	}
	clear(r.order[len(left):])
	r.order = left
}

func (r *Replays) remove(e *replay) {
	e.gone = true
	delete(r.entries, e.id)
	r.bytes -= e.Size
	s := r.owners[group(e.id.owner)]
	s.bytes -= e.Size
	if s.results--; s.results == 0 {
		delete(r.owners, group(e.id.owner))
	}
}
