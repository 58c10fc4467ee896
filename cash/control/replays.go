package control

import (
	"cmp"
	"crypto/rand"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
)

// Replays keeps results that a face has withheld because of their size, so
// that asking for them again does not run the function again (R103). A result
// is found by its owner and its key, or, for callers that cannot be told from
// one another, by an unguessable token. It is safe for concurrent use.
type Replays struct {
	opts ReplayOptions

	mu      sync.Mutex
	bytes   int
	entries map[replayKey]*replay
	owners  map[any]int // entries by owner
	oldest  *replay     // a list in order of age, for expiry
	newest  *replay
}

// ReplayOptions bound [Replays]. Nil is fine.
type ReplayOptions struct {
	// MaxBytes bounds all results together. Zero is 64 MiB.
	MaxBytes int
	// MaxResult bounds one result. Zero is a quarter of MaxBytes.
	MaxResult int
	// MaxPerOwner bounds the number of results of one owner. Zero is 16.
	MaxPerOwner int
	// MaxAge is how long a result is kept. Zero is 10 minutes.
	MaxAge time.Duration
	// Now is the clock. Nil is time.Now.
	Now func() time.Time
}

// A Replayed is a result that was kept, and the limit that it was over.
type Replayed struct {
	Result *registry.Result
	Length int // characters
	Limit  int // characters that were allowed when it was withheld
}

type replayKey struct {
	owner any
	key   string
}

type replay struct {
	Replayed
	id           replayKey
	size         int
	expires      time.Time
	older, newer *replay
}

// tokenOwner owns the results that are found by token, whoever brings it.
type tokenOwner struct{}

// NewReplays returns an empty store.
func NewReplays(opts *ReplayOptions) *Replays {
	var o ReplayOptions
	if opts != nil {
		o = *opts
	}
	o.MaxBytes = cmp.Or(o.MaxBytes, 64<<20)
	o.MaxResult = cmp.Or(o.MaxResult, o.MaxBytes/4)
	o.MaxPerOwner = cmp.Or(o.MaxPerOwner, 16)
	o.MaxAge = cmp.Or(o.MaxAge, 10*time.Minute)
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Replays{opts: o, entries: make(map[replayKey]*replay), owners: make(map[any]int)}
}

// MaxAge returns how long results are kept.
func (r *Replays) MaxAge() time.Duration { return r.opts.MaxAge }

// Keep stores a result of size bytes for owner, a comparable value, under key,
// and reports whether there was room. A nil owner is nobody: then the token
// that Keep returns is the only way to the result. A result under the same key
// is replaced.
func (r *Replays) Keep(owner any, key string, res Replayed, size int) (token string, kept bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expire()
	if owner == nil {
		token = rand.Text()
		owner, key = tokenOwner{}, token+"\x00"+key
	}
	id := replayKey{owner, key}
	if old := r.entries[id]; old != nil {
		r.remove(old)
	}
	_, shared := owner.(tokenOwner)
	if size > r.opts.MaxResult || r.bytes+size > r.opts.MaxBytes ||
		!shared && r.owners[owner] >= r.opts.MaxPerOwner {
		return "", false
	}
	r.insert(&replay{Replayed: res, id: id, size: size, expires: r.opts.Now().Add(r.opts.MaxAge)})
	return token, true
}

// Find returns the result that is kept for owner under key, or by token if
// that is not empty, and does not remove it.
func (r *Replays) Find(owner any, key, token string) (Replayed, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expire()
	if e := r.entries[r.id(owner, key, token)]; e != nil {
		return e.Replayed, true
	}
	return Replayed{}, false
}

// Drop forgets the result that Find would find, once it has been delivered.
func (r *Replays) Drop(owner any, key, token string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.entries[r.id(owner, key, token)]; e != nil {
		r.remove(e)
	}
}

func (r *Replays) id(owner any, key, token string) replayKey {
	if token != "" {
		return replayKey{tokenOwner{}, token + "\x00" + key}
	}
	return replayKey{owner, key}
}

func (r *Replays) expire() {
	now := r.opts.Now()
	for r.oldest != nil && !now.Before(r.oldest.expires) {
		r.remove(r.oldest)
	}
}

func (r *Replays) insert(e *replay) {
	r.entries[e.id] = e
	r.owners[e.id.owner]++
	r.bytes += e.size
	e.older = r.newest
	if r.newest != nil {
		r.newest.newer = e
	} else {
		r.oldest = e
	}
	r.newest = e
}

func (r *Replays) remove(e *replay) {
	delete(r.entries, e.id)
	r.bytes -= e.size
	if r.owners[e.id.owner]--; r.owners[e.id.owner] == 0 {
		delete(r.owners, e.id.owner)
	}
	if e.older != nil {
		e.older.newer = e.newer
	} else {
		r.oldest = e.newer
	}
	if e.newer != nil {
		e.newer.older = e.older
	} else {
		r.newest = e.older
	}
}
