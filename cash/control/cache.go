package control

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/mistake"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// MetaCacheHit is the key in [registry.Result.Meta] under which a [Cache] sets true in a cached result.
const MetaCacheHit = "cash/cache_hit"

// CacheOptions configure a [Cache]. Nil caches nothing.
type CacheOptions struct {
	// ReadOnly allows caching of functions that declare themselves read-only. An upstream server's declaration is an
	// unverified hint: a function that lies is not run again while its result is cached. False caches nothing.
	ReadOnly bool
	// Allow lists the only functions to cache, by id or dotted path as in [QuotaOptions.Tools]. They must also declare
	// themselves read-only. Nil allows all; set it if hints cannot be trusted.
	Allow []string
	// TTL is how long a result is cached, from the start of its call. Zero is 5 minutes.
	TTL time.Duration
	// MaxResult bounds one result, in bytes. Zero is 1 MiB.
	MaxResult int
	// Store keeps the results. Nil is a [Results] of the cache's own.
	Store ResultStore
	// Now is the clock. Nil is time.Now.
	Now func() time.Time
}

// A Cache answers a call of a read-only function with the earlier result of an equal call (gateway surface, section
// 4.5). Equal calls have
//
//   - the same caller: the owner of the call, and ID, roles and attributes of its [registry.Caller];
//   - the same function: all of its [registry.Function.Definition];
//   - the same arguments in any order, and the same level of detail.
//
// Never cached: calls of callers that cannot be told apart; errors; results with isError; results that ask for input or
// used a person's answers; streamed results; results of functions with a gate of their own; contents with their own
// metadata. The cache is an LRU.
//
// A cached result may miss a change by the same caller for up to the TTL. Call [Cache.Flush] after each change of the
// catalog.
//
// A Cache is safe for concurrent use; a nil one caches nothing.
type Cache struct {
	opts  CacheOptions
	allow map[string]bool // by id or canonical path; nil is all

	latest latest[Cache]
}

// NewCache returns an empty cache. It panics if opts are invalid.
func NewCache(opts *CacheOptions) *Cache {
	var o CacheOptions
	if opts != nil {
		o = *opts
	}
	allow, err := o.allowed()
	mistake.Check("control", err)
	o.TTL = cmp.Or(o.TTL, 5*time.Minute)
	o.MaxResult = cmp.Or(o.MaxResult, 1<<20)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Store == nil {
		o.Store = NewResults(&ResultOptions{Now: o.Now})
	}
	return &Cache{opts: o, allow: allow}
}

// Check returns the error with which [NewCache] panics: an element of Allow that is neither an id nor a path. Nil
// options are valid.
func (o *CacheOptions) Check() error {
	if o == nil {
		return nil
	}
	_, err := o.allowed()
	return err
}

// allowed returns the functions in Allow, by id or canonical path; nil is all.
func (o *CacheOptions) allowed() (map[string]bool, error) {
	if o.Allow == nil {
		return nil, nil
	}
	allow := make(map[string]bool)
	for _, key := range o.Allow {
		key, err := parseToolKey(key)
		if err != nil {
			return nil, fmt.Errorf("cache: allow: %w", err)
		}
		allow[key] = true
	}
	return allow, nil
}

// Flush drops all results. Results of running calls are not cached either.
func (c *Cache) Flush(ctx context.Context) error {
	if c == nil {
		return nil
	}
	return c.opts.Store.Flush(ctx)
}

// Middleware returns the cache as middleware. A hit is a copy of the result, marked with [MetaCacheHit].
func (c *Cache) Middleware() registry.Middleware {
	return func(next registry.Handler) registry.Handler {
		if c == nil {
			return next
		}
		return func(ctx context.Context, call *registry.Call) (*registry.Result, error) {
			c := c.latest.or(c)
			if !c.takes(call) {
				res, err := next(ctx, call)
				return unmarked(res), err
			}
			return c.answer(ctx, call, next)
		}
	}
}

// takes reports whether a call may be answered from the cache.
func (c *Cache) takes(call *registry.Call) bool {
	f := call.Function
	switch {
	case !c.opts.ReadOnly, !f.ReadOnly(), f.Streaming(), f.Gated():
		return false
	case call.Plan != nil, call.Owner() == "":
		return false
	case call.Client != nil && (call.Client.State != "" || call.Client.Answers != nil): // a later round of a call
		return false
	}
	if c.allow == nil {
		return true
	}
	keys := toolKeys(f)
	return slices.ContainsFunc(keys[:], func(key string) bool { return c.allow[key] })
}

func (c *Cache) answer(ctx context.Context, call *registry.Call, next registry.Handler) (*registry.Result, error) {
	key := ResultKey{Owner: call.Owner(), Key: "cache\x00" + cacheKey(call)}
	expires := c.opts.Now().Add(c.opts.TTL)
	kept, edition, unreachable := c.opts.Store.Find(ctx, key)
	if unreachable == nil && kept != nil {
		call.Record.Note(func(r *observe.Request) { r.Cached = true })
		return hit(kept.Result), nil
	}
	call, asked := watched(call)
	res, err := next(ctx, call)
	if err != nil || res == nil {
		return res, err
	}
	res = unmarked(res)
	if own, size, ok := keepable(res); ok && size <= c.opts.MaxResult && !asked.Load() && unreachable == nil {
		// An error only loses the entry.
		_, _ = c.opts.Store.Keep(ctx, key, &StoredResult{
			Result: own, Size: size, Lasts: expires.Sub(c.opts.Now()), Edition: edition,
		})
	}
	return res, nil
}

// hit returns a marked copy of a cached result.
func hit(kept *registry.Result) *registry.Result {
	res := *kept
	res.Content = slices.Clone(kept.Content)
	res.Meta = map[string]any{MetaCacheHit: true}
	maps.Copy(res.Meta, kept.Meta)
	return &res
}

// unmarked returns a result without the mark of a hit, which functions may not set. res may be nil.
func unmarked(res *registry.Result) *registry.Result {
	if res == nil {
		return nil
	}
	if _, marked := res.Meta[MetaCacheHit]; !marked {
		return res
	}
	own := *res
	own.Meta = maps.Clone(res.Meta)
	delete(own.Meta, MetaCacheHit)
	return &own
}

// watched returns a copy of the call that records whether the function asked the person anything.
func watched(call *registry.Call) (*registry.Call, *atomic.Bool) {
	asked := new(atomic.Bool)
	if call.Client == nil || call.Client.Elicit == nil {
		return call, asked
	}
	own, client := *call, *call.Client
	client.Elicit = func(ctx context.Context, q *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		asked.Store(true)
		return call.Client.Elicit(ctx, q)
	}
	own.Client = &client
	return &own, asked
}

// cacheKey identifies the caller, the function, the arguments and the level of detail.
func cacheKey(call *registry.Call) string {
	h := sha256.New()
	writeBinding(h, call)
	writeParts(h, string(cmp.Or(call.Detail, registry.Full)))
	if who := call.Caller; who != nil {
		writeParts(h, who.ID)
		writeParts(h, slices.Sorted(slices.Values(who.Roles))...)
		for _, name := range slices.Sorted(maps.Keys(who.Attributes)) {
			writeParts(h, name, who.Attributes[name])
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
