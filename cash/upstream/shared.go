package upstream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/upstream/lastknown"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/toolid"
)

// What is read of a server is kept for all replicas ([Options.Catalogs]), one shelf for each kind of things. A catalog
// that was kept is replayed over a session of its own.

// shelf returns the shelf for things of a kind; nil if they are not shared. A server in memory belongs to its process.
func (u *upstream) shelf(kind toolid.Kind, news chan<- struct{}) *lastknown.Shelf {
	if u.agg.opts.Catalogs == nil || u.ownerless() {
		return nil
	}
	parts := []string{u.agg.opts.CatalogOwner, u.mounts[0].Key(), u.server, string(kind)}
	switch e := u.cfg.Endpoint.(type) {
	case HTTP, SSE:
	case Command:
		for _, name := range e.Inherit { // a server may tell accounts apart by them
			parts = append(parts, os.Getenv(name))
		}
	default:
		return nil
	}
	for _, list := range [][]string{u.cfg.Include, u.cfg.Exclude} { // what is left out of a CaSH server is not read
		parts = append(append(parts, strconv.Itoa(len(list))), list...)
	}
	sum := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return lastknown.NewShelf(u.agg.opts.Catalogs, hex.EncodeToString(sum.Sum(nil)), news, u.log)
}

// ownerless reports whether two replicas may have different identities at the server that cannot be told apart: only the
// embedder knows whom an OAuthHandler or a Client stands for. The clients of discovered servers are our own.
func (u *upstream) ownerless() bool {
	h := u.cfg.web()
	return u.agg.opts.CatalogOwner == "" && !u.discovered && (h.OAuthHandler != nil || h.Client != nil)
}

// kept tells the shelves that something was kept under a key; an empty one is all keys.
func (a *Aggregator) kept(key string) {
	for _, u := range a.each() {
		for _, b := range u.branches {
			b.shelf.Tell(key)
		}
	}
}

// recorded records the answers to requests with which a catalog is read.
func recorded(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		p := req.GetParams()
		if p != nil && reflect.ValueOf(p).IsNil() {
			p = nil
		}
		lastknown.Record(ctx, method, p, mcpclient.ExchangeOf(ctx).Result())
		return res, err
	}
}

// A reading is the [lastknown.Reader] of one kind of things.
type reading struct {
	over   *session // nil if the server is not connected
	load   func(context.Context, *session) error
	replay func(context.Context, *lastknown.Catalog) (*session, error)
}

// Read implements [lastknown.Reader].
func (r reading) Read(ctx context.Context) (*mcp.InitializeResult, error) {
	return r.over.client.InitializeResult(), r.load(ctx, r.over)
}

// Replay implements [lastknown.Reader].
func (r reading) Replay(ctx context.Context, c *lastknown.Catalog, at time.Time) error {
	s, err := r.replay(ctx, c)
	if err != nil {
		return err
	}
	defer s.close()
	s.asOf = at
	return r.load(ctx, s)
}

// complete returns an error if the session replays a catalog in which something is missing, such as one that was read by
// a replica with other pins.
func (s *session) complete() error {
	if s.lacks != nil && s.lacks.Load() {
		return &CallError{Class: Malformed, Reason: "what another process has read of it is not the whole"}
	}
	return nil
}

// Gone implements [lastknown.Reader].
func (r reading) Gone() <-chan struct{} {
	if r.over == nil {
		return nil
	}
	return r.over.ended
}

// replay returns a session that gives the answers of a catalog. Nobody observes it: nothing is sent.
func (d dialer) replay(ctx context.Context, c *lastknown.Catalog) (*session, error) {
	unseen := *d.settings
	unseen.observer, unseen.shared = nil, false
	d.settings = &unseen
	lacks := new(atomic.Bool)
	s, err := d.dialTo(ctx, replayed{c, lacks})
	if err != nil {
		return nil, err
	}
	s.lacks = lacks
	return s, nil
}

// replayed is the endpoint of a stored catalog.
type replayed struct {
	*lastknown.Catalog
	lacks *atomic.Bool
}

func (replayed) check() error { return nil }

// String returns "last known".
func (replayed) String() string { return "last known" }

func (replayed) identity() []string { return nil }

func (r replayed) transport(_ context.Context, o mcpclient.Options) mcp.Transport {
	return mcpclient.Tap(r.Transport(func() { r.lacks.Store(true) }), o)
}

// reading returns what reads the tools over s, or replays them if s is nil.
func (in *inventory) reading(s *session, anyway bool) reading {
	return reading{s, func(ctx context.Context, over *session) error { return in.load(ctx, over, anyway || over != s) }, in.replay}
}

// recall takes what other replicas have read, as long as the server is not connected. It reports whether the tools are
// known.
func (u *upstream) recall() bool {
	ctx, cancel := context.WithTimeout(u.ctx, u.cfg.ConnectTimeout)
	defer cancel()
	known := u.inventory.shelf.Recall(ctx, u.inventory.reading(nil, anyway))
	if known {
		u.lists.recall(ctx)
	}
	return known
}

// review compares what is known of a server that is not connected with changed pins.
func (u *upstream) review() {
	if u.inventory.pins.Stale(u.ctx) {
		ctx, cancel := context.WithTimeout(u.ctx, u.cfg.ConnectTimeout)
		defer cancel()
		u.inventory.shelf.Again(ctx, u.inventory.reading(nil, anyway))
	}
}
