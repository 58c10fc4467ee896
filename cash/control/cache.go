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
)

// MetaCacheHit is the key of [registry.Result.Meta] under which a [Cache] says
// true in a result that it had kept.
const MetaCacheHit = "cash/cache_hit"

// CacheOptions configure a [Cache]. Nil caches nothing.
type CacheOptions struct {
	// ReadOnly is the operator's word that functions that declare themselves
	// read-only may be cached. For those of upstream servers the declaration is
	// a hint that nobody has verified: one that lies is not run again while its
	// result is kept. False caches nothing.
	ReadOnly bool
	// Allow are the only functions that are cached, by id or dotted path as in
	// [QuotaOptions.Tools], and if they declare that they are read-only. Nil is
	// all; set it where hints are not to be trusted.
	Allow []string
	// TTL is how long a result is kept, from when its call began. Zero is 5
	// minutes.
	TTL time.Duration
	// MaxBytes bounds all results in memory together, roughly. Zero is 64 MiB.
	MaxBytes int
	// MaxEntries bounds their number in memory. Zero is 10,000.
	MaxEntries int
	// MaxResult bounds one result, in bytes. Zero is 1 MiB.
	MaxResult int
	// Store keeps the results. Nil is the memory of this process.
	Store CacheStore
	// Now is the clock. Nil is time.Now.
	Now func() time.Time
}

// A Cache answers a call of a read-only function with the result of an earlier
// one of the same caller, function and arguments (gateway surface, section
// 4.5). The caller is the owner of the call and the ID, roles and attributes of
// its [registry.Caller]; the function is all of its [registry.Function.Definition];
// the order of arguments does not matter, the level of detail does. A caller
// that cannot be told from others is never answered from the cache.
//
// Not kept are errors and results that say that they are one, results that ask
// for input or that a person's answers went into, streamed results, those of
// functions that are behind a gate of their own, and contents with metadata of
// their own. When there is no room, the longest unused goes first.
//
// A kept result may be older than a change that the same caller has made since,
// by up to the TTL. [Cache.Flush] belongs after each change of the catalog.
//
// A Cache is safe for concurrent use; a nil one caches nothing.
type Cache struct {
	opts  CacheOptions
	allow map[string]bool // by id or canonical path; nil is all
}

// NewCache returns an empty cache. It panics if opts are in error.
func NewCache(opts *CacheOptions) *Cache {
	var o CacheOptions
	if opts != nil {
		o = *opts
	}
	allow, err := o.allowed()
	mistake.Check("control", err)
	o.TTL = cmp.Or(o.TTL, 5*time.Minute)
	o.MaxBytes = cmp.Or(o.MaxBytes, 64<<20)
	o.MaxEntries = cmp.Or(o.MaxEntries, 10_000)
	o.MaxResult = cmp.Or(o.MaxResult, 1<<20)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Store == nil {
		o.Store = newCached(o.MaxBytes, o.MaxEntries, o.Now)
	}
	return &Cache{opts: o, allow: allow}
}

// Check returns what [NewCache] panics with for options in error: what is neither an
// id nor a path in Allow. Nil options are none.
func (o *CacheOptions) Check() error {
	if o == nil {
		return nil
	}
	_, err := o.allowed()
	return err
}

// allowed are the functions of Allow, by id or canonical path; nil is all.
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

// Flush drops all results, also those of calls that have not ended.
func (c *Cache) Flush(ctx context.Context) error {
	if c == nil {
		return nil
	}
	return c.opts.Store.Flush(ctx)
}

// Middleware answers from the cache, with a copy of the result that has
// [MetaCacheHit], and keeps what may be kept.
func (c *Cache) Middleware() registry.Middleware {
	return func(next registry.Handler) registry.Handler {
		if c == nil {
			return next
		}
		return func(ctx context.Context, call *registry.Call) (*registry.Result, error) {
			if !c.takes(call) {
				res, err := next(ctx, call)
				return unmarked(res), err
			}
			return c.answer(ctx, call, next)
		}
	}
}

// takes reports whether the call may be answered from the cache.
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
	key := cacheKey(call)
	expires := c.opts.Now().Add(c.opts.TTL)
	kept, edition, unreachable := c.opts.Store.Find(ctx, key)
	if unreachable == nil && kept != nil {
		note(ctx, func(r *record) { r.cacheHit = true })
		return hit(kept), nil
	}
	call, asked := watched(call)
	res, err := next(ctx, call)
	if err != nil || res == nil {
		return res, err
	}
	res = unmarked(res)
	if own, size, ok := keepable(res); ok && size <= c.opts.MaxResult && !asked.Load() && unreachable == nil {
		_ = c.opts.Store.Keep(ctx, key, edition, Cached{own, size, expires}) // it is only a cache
	}
	return res, nil
}

// hit returns a copy of a kept result that says what it is.
func hit(kept *registry.Result) *registry.Result {
	res := *kept
	res.Content = slices.Clone(kept.Content)
	res.Meta = map[string]any{MetaCacheHit: true}
	maps.Copy(res.Meta, kept.Meta)
	return &res
}

// unmarked returns a result without the mark of a hit, which is not for a function
// to give. res may be nil.
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

// watched returns a copy of the call that notes whether the person was asked
// anything.
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

// cacheKey identifies who calls, the function, the arguments, and how much of
// the result is wanted.
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
