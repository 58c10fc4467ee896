package control

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/cash-mcp/go-sdk/internal/bounded"
	"github.com/cash-mcp/go-sdk/registry"
)

// A ResultStore keeps results of calls: for a [Cache], and for a face that has withheld one because of its size, so
// that the function does not run again (R103). [Results] is the one in memory; replicas of a server can share another.
//
// Duties of an implementer:
//
//   - It is safe for concurrent use.
//   - It returns results whole and unchanged, only under their key, and never after they have expired.
//   - A promised result stays until it expires. If there is no room for another one, it is not kept.
//   - It may drop any other result.
//   - It bounds its contents: in total, and promised ones of each owner, and of all without an owner together.
//   - It answers within the deadline of ctx.
//
// An error of Find or Keep means that nothing is found or kept. Results must not be modified.
type ResultStore interface {
	// Find returns the result under key, nil if there is none, and the current edition.
	Find(ctx context.Context, key ResultKey) (r *StoredResult, edition string, err error)
	// Keep stores a result in place of an older one, and reports whether it did. The older one is gone in any case.
	Keep(ctx context.Context, key ResultKey, r *StoredResult) (kept bool, err error)
	// Expire lets a result, and its promise, end after a time at the latest.
	Expire(ctx context.Context, key ResultKey, after time.Duration) error
	// Flush drops all results that are not promised, and starts a new edition.
	Flush(ctx context.Context) error
}

// A ResultKey identifies a result.
type ResultKey struct {
	// Owner is the owner of the result, as in [registry.Call.Owner]. Empty is a caller who cannot be told from others:
	// Key is then a secret of the caller, of whom there may be any number.
	Owner string
	Key   string // any bytes
}

// A StoredResult is a result in a [ResultStore].
type StoredResult struct {
	Result *registry.Result
	Size   int // in bytes, roughly
	// Limit is the most characters that the caller had allowed when the result was withheld. Zero if it was not.
	Limit int
	// Lasts is the time until it expires. Find need not set it.
	Lasts time.Duration
	// Promised means that it must not be dropped before.
	Promised bool
	// Edition, unless empty, must be the current one: a result from before a Flush is not kept.
	Edition string
}

// Results is a [ResultStore] in memory. What is not promised is an LRU.
type Results struct {
	opts    ResultOptions
	kept    *bounded.Store[ResultKey, *StoredResult]
	flushes int
}

// ResultOptions bound [Results]. Nil means all defaults. Expired results are dropped at the next use of the store.
type ResultOptions struct {
	// MaxBytes bounds all results together. Zero is 64 MiB.
	MaxBytes int
	// MaxEntries bounds the number of results. Zero is 10,000.
	MaxEntries int
	// MaxBytesPerOwner bounds the promised results of one owner, and of all without an owner together. Zero is a
	// quarter of MaxBytes.
	MaxBytesPerOwner int
	// MaxPerOwner bounds the number of promised results of an owner. Zero is 16.
	MaxPerOwner int
	// Now is the clock. Nil is time.Now.
	Now func() time.Time
}

// NewResults returns an empty store.
func NewResults(opts *ResultOptions) *Results {
	var o ResultOptions
	if opts != nil {
		o = *opts
	}
	o.MaxBytes = cmp.Or(o.MaxBytes, 64<<20)
	o.MaxEntries = cmp.Or(o.MaxEntries, 10_000)
	o.MaxBytesPerOwner = cmp.Or(o.MaxBytesPerOwner, max(o.MaxBytes/4, 1))
	o.MaxPerOwner = cmp.Or(o.MaxPerOwner, 16)
	return &Results{opts: o, kept: bounded.New[ResultKey, *StoredResult](o.Now, nil)}
}

func (r *Results) edition() string { return strconv.Itoa(r.flushes) }

// Find implements [ResultStore].
func (r *Results) Find(_ context.Context, key ResultKey) (*StoredResult, string, error) {
	r.kept.Lock()
	defer r.kept.Unlock()
	it := r.kept.Get(key)
	if it == nil {
		return nil, r.edition(), nil
	}
	r.kept.Renew(it, it.Expires, it.Promised) // it has been used
	return it.Value, r.edition(), nil
}

// Keep implements [ResultStore].
func (r *Results) Keep(_ context.Context, key ResultKey, s *StoredResult) (bool, error) {
	r.kept.Lock()
	defer r.kept.Unlock()
	if s.Edition != "" && s.Edition != r.edition() {
		return false, nil
	}
	terms := bounded.Terms{Takes: bounded.Amount{Count: 1, Bytes: int64(s.Size)}, Expires: r.kept.Now().Add(s.Lasts)}
	var shares []bounded.Share
	if s.Promised {
		terms.Promised = terms.Expires
		own := bounded.Amount{Count: int64(r.opts.MaxPerOwner), Bytes: int64(r.opts.MaxBytesPerOwner)}
		if key.Owner == "" {
			own.Count = 0
		}
		shares = append(shares, bounded.Share{Kind: "owner", Of: key.Owner, Most: own})
	}
	all := bounded.Amount{Count: int64(r.opts.MaxEntries), Bytes: int64(r.opts.MaxBytes)}
	return r.kept.Put(key, s, terms, append(shares, bounded.Share{Most: all, Evicts: true})...) != nil, nil
}

// Expire implements [ResultStore].
func (r *Results) Expire(_ context.Context, key ResultKey, after time.Duration) error {
	r.kept.Lock()
	defer r.kept.Unlock()
	if it := r.kept.Get(key); it != nil {
		if soon := r.kept.Now().Add(after); soon.Before(it.Expires) {
			promised := it.Promised
			if soon.Before(promised) {
				promised = soon
			}
			r.kept.Renew(it, soon, promised)
		}
	}
	return nil
}

// Flush implements [ResultStore].
func (r *Results) Flush(context.Context) error {
	r.kept.Lock()
	defer r.kept.Unlock()
	r.flushes++
	var dropped []*bounded.Item[ResultKey, *StoredResult]
	for it := range r.kept.All() {
		if !it.Value.Promised {
			dropped = append(dropped, it)
		}
	}
	for _, it := range dropped {
		r.kept.Remove(it)
	}
	return nil
}
