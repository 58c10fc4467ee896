package control

import (
	"context"
	"strconv"
	"time"

	"github.com/cash-mcp/go-sdk/internal/bounded"
	"github.com/cash-mcp/go-sdk/registry"
)

// A CacheStore keeps results for a [Cache]. The default lives in memory and serves one process; replicas of a server
// can share another.
//
// Duties of an implementer:
//
//   - It is safe for concurrent use.
//   - It returns results whole and unchanged, and never after they expired.
//   - It bounds its contents, and may drop any result.
//   - It answers quickly. An error counts as a miss.
//
// Results must not be modified.
type CacheStore interface {
	// Find returns the result under key, or nil, and the current edition of the cache.
	Find(ctx context.Context, key string) (r *registry.Result, edition string, err error)
	// Keep stores a result, unless Flush was called after the Find that returned the edition.
	Keep(ctx context.Context, key, edition string, c Cached) error
	// Flush drops all results and starts a new edition.
	Flush(ctx context.Context) error
}

// Cached is a result for a [CacheStore].
type Cached struct {
	Result  *registry.Result
	Size    int // in bytes, roughly
	Expires time.Time
}

// cached is the [CacheStore] in memory, an LRU.
type cached struct {
	kept    *bounded.Store[string, *registry.Result]
	all     bounded.Share
	flushes int
}

func newCached(maxBytes, maxEntries int, now func() time.Time) *cached {
	most := bounded.Amount{Count: int64(maxEntries), Bytes: int64(maxBytes)}
	return &cached{kept: bounded.New[string, *registry.Result](now, nil), all: bounded.Share{Most: most, Evicts: true}}
}

func (c *cached) edition() string { return strconv.Itoa(c.flushes) }

// Find implements [CacheStore].
func (c *cached) Find(_ context.Context, key string) (*registry.Result, string, error) {
	c.kept.Lock()
	defer c.kept.Unlock()
	it := c.kept.Get(key)
	if it == nil {
		return nil, c.edition(), nil
	}
	c.kept.Renew(it, it.Expires, time.Time{})
	return it.Value, "", nil
}

// Keep implements [CacheStore].
func (c *cached) Keep(_ context.Context, key, edition string, r Cached) error {
	c.kept.Lock()
	defer c.kept.Unlock()
	if edition == c.edition() {
		c.kept.Put(key, r.Result, bounded.Terms{Takes: bounded.Amount{Count: 1, Bytes: int64(r.Size)}, Expires: r.Expires}, c.all)
	}
	return nil
}

// Flush implements [CacheStore].
func (c *cached) Flush(context.Context) error {
	c.kept.Lock()
	defer c.kept.Unlock()
	c.flushes++
	c.kept.Clear()
	return nil
}
