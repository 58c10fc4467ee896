package upstream

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/cash/upstream/discover"
	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/internal/pace"
	"github.com/cash-mcp/go-sdk/internal/wire"
)

// Discovery of servers by their manifests (RFC 5.4.2). Package discover fetches manifests and chooses labels; this
// file mounts the servers.

// fetchers is how many manifests are fetched in parallel at first.
const fetchers = 64

// Discover mounts the servers that manifests describe, and returns at once.
//   - A label that the operator chose is mounted at once, and unavailable until its manifest has been read.
//   - The other labels are chosen once every manifest has been fetched or has failed. They do not depend on the
//     order of arrival, and stay.
//   - A manifest is fetched again when it expires. While that fails, its server is unavailable.
//
// The error is one of configuration; then nothing is mounted.
func (a *Aggregator) Discover(list ...Discovery) error {
	g := &discovery{agg: a, settled: make(chan struct{})}
	seen := make(map[string]bool)
	for i, d := range list {
		s, err := a.newSource(d)
		switch {
		case err != nil:
			return fmt.Errorf("manifest %d of %d: %w", i+1, len(list), err)
		case seen[s.Discovery.URL]:
			return fmt.Errorf("manifest %d of %d: the one of %s is listed twice", i+1, len(list), s.Host())
		}
		seen[s.Discovery.URL] = true
		g.sources = append(g.sources, s)
	}
	shown, err := g.start()
	for _, u := range shown {
		u.publish()
	}
	return err
}

// discovery follows the list of manifests of one [Aggregator.Discover].
type discovery struct {
	agg     *Aggregator
	sources []*source
	settled chan struct{} // closed when labels were first chosen

	mu     sync.Mutex // settle runs one at a time
	labels discover.Labels
}

// start begins to follow the manifests. It returns the placeholders at the operator's own labels.
func (g *discovery) start() (shown []*upstream, err error) {
	a := g.agg
	a.mu.Lock()
	defer a.mu.Unlock()
	var mounts []mount
	for _, s := range g.sources {
		if s.Label != "" {
			mounts = append(mounts, s.mountAtLabel(s.Description))
		}
	}
	if err := a.free(mounts, nil); err != nil {
		return nil, err
	}
	for _, s := range g.sources {
		if s.Label != "" {
			s.up = s.placeholder()
			a.start(s.up)
			shown = append(shown, s.up)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	a.stops, a.discoveries = append(a.stops, cancel), append(a.discoveries, g)
	a.watch()
	a.retired.Go(func() { g.run(ctx) })
	return shown, nil
}

func (g *discovery) run(ctx context.Context) {
	g.begin(ctx)
	close(g.settled)
	if ctx.Err() != nil {
		return
	}
	var all sync.WaitGroup
	for _, s := range g.sources {
		all.Go(func() { g.follow(ctx, s) }) // ends with ctx
	}
	all.Wait()
}

// begin fetches every manifest once. A server with an operator's label does not wait for the others.
func (g *discovery) begin(ctx context.Context) {
	slots := make(chan struct{}, fetchers)
	var all sync.WaitGroup
	var suggested []*source
	for _, s := range g.sources {
		if s.Label == "" {
			suggested = append(suggested, s)
		}
		slots <- struct{}{}
		all.Go(func() { // ends with the fetch, which has a deadline
			defer func() { <-slots }()
			s.Fetch(ctx)
			if s.Label != "" {
				g.settle(ctx, s)
			}
		})
	}
	all.Wait()
	g.settle(ctx, suggested...)
}

// follow fetches a manifest whenever it expires, until ctx ends.
func (g *discovery) follow(ctx context.Context, s *source) {
	for !s.removed {
		timer := time.NewTimer(pace.Jitter(s.Next()))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		s.Fetch(ctx)
		g.settle(ctx, s)
		if ctx.Err() != nil {
			return
		}
	}
}

// settle mounts the servers that the manifests of the sources describe. It withholds servers that are not credible
// or not reachable, and leaves alone those that the operator has removed.
func (g *discovery) settle(ctx context.Context, sources ...*source) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if ctx.Err() != nil { // the fetches were cancelled
		return
	}
	var known []*source
	var suggested []*discover.Follower
	for _, s := range sources {
		s.removed = s.up != nil && !g.agg.has(s.up)
		switch {
		case s.removed:
			g.labels.Forget(s.Follower)
		case s.Err() != nil:
			s.hold()
		default:
			s.failed = nil
			known = append(known, s)
			if s.Label == "" {
				suggested = append(suggested, s.Follower)
			}
		}
	}
	places := g.labels.Choose(suggested, g.taken())
	for _, s := range known {
		if err := s.mount(s.mountsAt(places[s.Follower])); err != nil {
			g.agg.opts.Logger.Error("cannot be mounted", "host", s.Host(), "error", err)
		}
	}
}

// taken returns a function that reports whether a label is in use by something other than the source, or lies
// within a namespace of the embedder: a stranger's suggestion must not lead there. Labels given to this group's own
// sources do not count.
func (g *discovery) taken() func(label string, by *discover.Follower) bool {
	group := make(map[*upstream]bool)
	ups := make(map[*discover.Follower]*upstream)
	for _, s := range g.sources {
		group[s.up], ups[s.Follower] = s.Label == "", s.up
	}
	ours, others := label.NewPaths(), label.NewPaths()
	mounted := make(map[string]*upstream)
	g.agg.mu.Lock()
	defer g.agg.mu.Unlock()
	for path, u := range g.agg.mounts {
		if group[u] {
			ours.Add(path)
			mounted[path] = u
		} else {
			others.Add(path)
		}
	}
	return func(suggested string, by *discover.Follower) bool {
		path := wire.CanonicalPath(suggested)
		switch top, _, _ := strings.Cut(path, "."); {
		case others.Overlap(path):
			return true
		case mounted[path] != nil:
			return mounted[path] != ups[by]
		case g.agg.reg.Exists(path):
			return true
		default:
			return top != path && g.agg.reg.Exists(top) && !ours.Above(top)
		}
	}
}
