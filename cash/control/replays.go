package control

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/internal/bounded"
	"github.com/cash-mcp/go-sdk/registry"
)

// A ReplayStore keeps results that a face has withheld because of their size. Asking again then does not run the
// function again (R103). [Replays] is the one in memory; replicas of a server can share another. A store is safe for
// concurrent use. It keeps a promised result until it expires, or for a grace period after its delivery.
type ReplayStore interface {
	// Keep stores a result for owner under key, replacing an older one, and reports whether it promises to keep it.
	Keep(ctx context.Context, owner, key string, r Replayed) (kept bool, err error)
	// Find returns the result of owner under key.
	Find(ctx context.Context, owner, key string) (r Replayed, found bool, err error)
	// Delivered marks the result as delivered. It is kept a little longer, for a client that lost the answer and
	// repeats.
	Delivered(ctx context.Context, owner, key string) error
}

// Nobody is the prefix of the owners of callers that cannot be told apart. The rest of such an owner is a secret of the
// caller. Anyone may invent them, so a store should bound all of them together.
const Nobody = "nobody:"

// A Replayed is a withheld result.
type Replayed struct {
	Result *registry.Result
	Length int // characters
	Size   int // in bytes, roughly
	Limit  int // characters allowed when it was withheld
}

// Replays is a [ReplayStore] in memory. If there is no room it refuses new results, and drops no promised one.
type Replays struct {
	opts ReplayOptions
	kept *bounded.Store[replayKey, Replayed]
}

// ReplayOptions bound [Replays]. Nil means all defaults. Expired results are dropped at the next use of the store.
type ReplayOptions struct {
	// MaxBytes bounds all results together. Zero is 64 MiB.
	MaxBytes int
	// MaxBytesPerOwner bounds the results of one owner, and of all [Nobody] owners together. Zero is a quarter of
	// MaxBytes.
	MaxBytesPerOwner int
	// MaxPerOwner bounds the number of results of an owner, except for Nobody owners. Zero is 16.
	MaxPerOwner int
	// MaxAge is how long a result is kept. Zero is 10 minutes.
	MaxAge time.Duration
	// Grace is how long a result is kept after its delivery. Zero is 30 seconds.
	Grace time.Duration
	// Now is the clock. Nil is time.Now.
	Now func() time.Time
}

type replayKey struct{ owner, key string }

// NewReplays returns an empty store.
func NewReplays(opts *ReplayOptions) *Replays {
	var o ReplayOptions
	if opts != nil {
		o = *opts
	}
	o.MaxBytes = cmp.Or(o.MaxBytes, 64<<20)
	o.MaxBytesPerOwner = cmp.Or(o.MaxBytesPerOwner, max(o.MaxBytes/4, 1))
	o.MaxPerOwner = cmp.Or(o.MaxPerOwner, 16)
	o.MaxAge = cmp.Or(o.MaxAge, 10*time.Minute)
	o.Grace = cmp.Or(o.Grace, 30*time.Second)
	return &Replays{opts: o, kept: bounded.New[replayKey, Replayed](o.Now, nil)}
}

// Keep implements [ReplayStore].
func (r *Replays) Keep(_ context.Context, owner, key string, res Replayed) (bool, error) {
	r.kept.Lock()
	defer r.kept.Unlock()
	until := r.kept.Now().Add(r.opts.MaxAge)
	own := bounded.Share{Kind: "owner", Of: owner, Most: bounded.Amount{Count: int64(r.opts.MaxPerOwner), Bytes: int64(r.opts.MaxBytesPerOwner)}}
	if strings.HasPrefix(owner, Nobody) {
		own.Of, own.Most.Count = Nobody, 0
	}
	all := bounded.Share{Most: bounded.Amount{Bytes: int64(r.opts.MaxBytes)}}
	takes := bounded.Amount{Count: 1, Bytes: int64(res.Size)}
	return r.kept.Put(replayKey{owner, key}, res, bounded.Terms{Takes: takes, Expires: until, Promised: until}, own, all) != nil, nil
}

// Find implements [ReplayStore].
func (r *Replays) Find(_ context.Context, owner, key string) (Replayed, bool, error) {
	r.kept.Lock()
	defer r.kept.Unlock()
	if it := r.kept.Get(replayKey{owner, key}); it != nil {
		return it.Value, true, nil
	}
	return Replayed{}, false, nil
}

// Delivered implements [ReplayStore].
func (r *Replays) Delivered(_ context.Context, owner, key string) error {
	r.kept.Lock()
	defer r.kept.Unlock()
	if it := r.kept.Get(replayKey{owner, key}); it != nil {
		if soon := r.kept.Now().Add(r.opts.Grace); soon.Before(it.Expires) {
			r.kept.Renew(it, soon, soon)
		}
	}
	return nil
}
