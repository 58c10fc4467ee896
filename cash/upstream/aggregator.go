package upstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/cash-mcp/go-sdk/cash/upstream/lastknown"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/apart"
	"github.com/cash-mcp/go-sdk/internal/mistake"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
	"github.com/cash-mcp/go-sdk/toolid"
)

// An Aggregator mounts MCP servers in a registry (RFC 5.4). Each server becomes a part of the tree, which is
// replaced as a whole when the server changes. Help, search and skill are answered from memory; only calls cross
// the wire. It is safe for concurrent use.
type Aggregator struct {
	reg  *registry.Registry
	opts Options
	asks asks // calls that wait for a person's answer

	observer *observe.Observer // nil tells nobody

	life context.Context // context of all upstreams
	cut  context.CancelFunc

	roster
	watching    bool                 // whether the stores are watched
	stops       []context.CancelFunc // end the goroutines that follow manifests and pins
	discoveries []*discovery
}

// Options configure an [Aggregator]. Nil is fine.
type Options struct {
	// Name and Version identify this client to servers. Empty is "cash" and "0.0.0".
	Name, Version string
	// Resources and Prompts are the registries for the servers' resources and prompts. Each resource or prompt
	// becomes a function at its server's label that reads or gets it ([registry.Function.Primitive]). They must be
	// different registries, and need not be empty. Nil does not ask servers for them.
	Resources, Prompts *registry.Registry
	// Pins stores the accepted definitions of tools, skills, and functions of CaSH servers. Mode says how strictly they
	// are enforced. Nil keeps them in memory.
	Pins pin.Store
	Mode pin.Mode
	// Catalogs keeps what was read of servers for all replicas of this process: a new one serves it before it has
	// connected, and one reads for all what has changed. It says nothing about pins: what it holds is compared with
	// them, and never pinned. Servers in memory are left out. Nil keeps nothing.
	Catalogs lastknown.Store
	// CatalogOwner separates catalogs in one store that are read with different identities: for example the name of a
	// tenant, if each has an aggregator of its own. Empty separates them by label, URL, Header, command and the variables
	// that it inherits. A server with an OAuthHandler or a Client is then kept for nobody, and [Status] notes that.
	CatalogOwner string
	// Fetch configures the fetching of manifests and the connections to the servers that they name. What a
	// [Discovery] trusts and allows is added to it.
	Fetch manifest.FetchOptions
	// Observe is told of every request that is sent to a server, within the context of the request that causes it,
	// if one does. What begins it may add to the metadata that is sent. Nil is nobody, and costs nothing.
	Observe observe.Hook
	// Logger gets what operators need: failed connections, quarantined tools, the standard error of child
	// processes. Never arguments or results. Nil discards.
	Logger *slog.Logger
}

// New returns an aggregator that mounts servers in reg, which may hold other namespaces too. It panics if two of
// the given registries are the same.
func New(reg *registry.Registry, opts *Options) *Aggregator {
	if reg == nil {
		mistake.Check("upstream", errors.New("New without a registry: registry.New makes one"))
	}
	a := &Aggregator{reg: reg}
	a.life, a.cut = context.WithCancel(context.Background())
	if opts != nil {
		a.opts = *opts
	}
	a.opts.Name = cmp.Or(a.opts.Name, "cash")
	a.opts.Version = cmp.Or(a.opts.Version, "0.0.0")
	if a.opts.Pins == nil {
		a.opts.Pins = pin.NewMemory()
	}
	if a.opts.Logger == nil {
		a.opts.Logger = slog.New(slog.DiscardHandler)
	}
	a.observer = observe.New(a.opts.Observe, a.opts.Logger)
	for kind, other := range map[toolid.Kind]*registry.Registry{toolid.Tool: a.opts.Resources, toolid.Resource: a.opts.Prompts, toolid.Prompt: reg} {
		if other != nil && other == a.registry(kind) {
			panic("upstream: functions, resources and prompts each need a registry of their own")
		}
	}
	a.roster = roster{ups: make(map[*upstream]struct{}), mounts: make(map[string]*upstream)}
	for _, kind := range kinds {
		if reg := a.registry(kind); reg != nil {
			a.registries = append(a.registries, reg)
		}
	}
	return a
}

// kinds are the things that a server offers, tools first.
var kinds = [...]toolid.Kind{toolid.Tool, toolid.Resource, toolid.Prompt}

// registry returns the registry for things of a kind; nil if there is none.
func (a *Aggregator) registry(kind toolid.Kind) *registry.Registry {
	switch kind {
	case toolid.Resource:
		return a.opts.Resources
	case toolid.Prompt:
		return a.opts.Prompts
	}
	return a.reg
}

// ErrClosed is returned by the methods of a closed [Aggregator].
var ErrClosed = errors.New("upstream: aggregator is closed")

// Add mounts a server and returns at once. Its namespace is there immediately, and unavailable until the server has
// answered. It returns an error if
//   - a field is wrong,
//   - the label, or one above or below it, is mounted already, or
//   - a namespace of that name exists that does not belong to a server.
func (a *Aggregator) Add(s Server) error {
	s, err := s.withDefaults()
	if err != nil {
		return err
	}
	u := newUpstream(a, s, []mount{{Label: s.Label, Namespace: s.Namespace}}, false)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.free(u.mounts, nil); err != nil {
		return err
	}
	a.start(u)
	a.watch()
	return nil
}

const (
	watchPause  = time.Minute     // before a store is watched again, after watching has failed
	watchBegins = 5 * time.Second // in which a store begins to watch
)

// watch starts to watch the stores for changes by other processes. The caller holds a.mu.
func (a *Aggregator) watch() {
	if a.watching {
		return
	}
	a.watching = true
	if a.opts.Mode != pin.Off {
		a.watchStore("pins", a.opts.Pins.Watch, a.repinned)
	}
	if a.opts.Catalogs != nil {
		a.watchStore("catalogs", a.opts.Catalogs.Watch, a.kept)
	}
}

// watchStore watches one store until the aggregator is closed. After a failure, changed is also called with an empty name,
// which stands for all. The caller holds a.mu.
func (a *Aggregator) watchStore(what string, watch func(context.Context, func(string)) error, changed func(string)) {
	ctx, stop := context.WithCancel(context.Background())
	a.stops = append(a.stops, stop)
	a.retired.Go(func() {
		for again := false; ctx.Err() == nil; again = true {
			var late *time.Timer
			if again { // changes before the watch has begun are not told
				late = time.AfterFunc(watchBegins, func() { changed("") })
			}
			_, err := apart.Do(ctx, 0, func() (none struct{}, err error) { return none, watch(ctx, changed) }, nil)
			if late != nil {
				late.Stop()
			}
			if ctx.Err() != nil {
				return
			}
			a.opts.Logger.Warn("changes of "+what+" are not noticed", "error", err)
			select {
			case <-time.After(watchPause):
			case <-ctx.Done():
			}
		}
	})
}

// repinned tells an upstream that its pins may have changed; an empty label is all upstreams.
func (a *Aggregator) repinned(label string) {
	for _, u := range a.each() {
		if label == "" || u.inventory.pins.Label == label {
			signal(u.repinned)
		}
	}
}

// Update replaces the server with the same label, by new settings or by another server. The old server finishes its
// calls in flight and is then disconnected. Its functions stay listed until the new server has answered; calls in between
// are refused. [Aggregator.Swap] refuses none.
func (a *Aggregator) Update(s Server) error {
	s, err := s.withDefaults()
	if err != nil {
		return err
	}
	u := newUpstream(a, s, []mount{{Label: s.Label, Namespace: s.Namespace}}, false)
	a.mu.Lock()
	defer a.mu.Unlock()
	old := a.mounts[u.mounts[0].Key()]
	switch {
	case a.closing:
		return ErrClosed
	case old == nil:
		return fmt.Errorf("label %s: there is no such upstream", s.Label)
	case len(old.mounts) > 1 || old.discovered:
		return fmt.Errorf("label %s: the upstream was discovered by its manifest", s.Label)
	}
	u.takeOver(old)
	a.retire(old)
	a.start(u)
	return nil
}

// Remove takes a server out of the tree. It finishes its calls in flight and is then disconnected. If a manifest
// describes the server, all its labels go and the manifest is no longer followed.
func (a *Aggregator) Remove(label string) error {
	key := wire.CanonicalPath(label)
	a.mu.Lock()
	defer a.mu.Unlock()
	u := a.mounts[key]
	if u == nil {
		return fmt.Errorf("label %.64q: there is no such upstream", label)
	}
	a.retire(u)
	for _, m := range u.mounts {
		a.clear(m)
	}
	return nil
}

// Close disconnects all servers and refuses further calls. Calls in flight may finish until ctx ends; then they are
// cancelled, and the error is that of ctx. The namespaces stay, and are unavailable.
func (a *Aggregator) Close(ctx context.Context) error {
	a.mu.Lock()
	a.closing = true
	for _, stop := range a.stops {
		stop()
	}
	for u := range a.ups {
		a.retire(u)
	}
	a.mu.Unlock()
	stop := context.AfterFunc(ctx, a.cut) // also upstreams that were removed earlier and have not ended
	defer stop()
	a.retired.Wait()
	return ctx.Err()
}

// Wait returns when every manifest and every server has been tried at least once: its catalog has been read, or it
// is known to be unreachable. It returns ctx's error if ctx ends first.
func (a *Aggregator) Wait(ctx context.Context) error {
	a.mu.Lock()
	discoveries := slices.Clone(a.discoveries)
	a.mu.Unlock()
	for _, g := range discoveries {
		select {
		case <-g.settled:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for _, u := range a.each() {
		select {
		case <-u.tried:
		case <-u.ctx.Done():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Refresh reads a server's catalog again and returns when the tree shows it. Resources and prompts that cannot be
// read are no error; [Status] notes them.
func (a *Aggregator) Refresh(ctx context.Context, label string) error {
	u, err := a.find(label)
	if err != nil {
		return err
	}
	return u.refresh(ctx)
}

// Accept pins the current definition of a quarantined tool, function or skill, whatever it is by now, and serves it. An
// empty tool accepts all of the server's. To accept only definitions that somebody has read, use
// [Aggregator.AcceptQuarantined].
//
// If the tools call, help and skill of a CaSH server are quarantined, the functions behind them are read once those
// tools are accepted. In mode [pin.Locked] these functions are then quarantined.
func (a *Aggregator) Accept(ctx context.Context, label, tool string) error {
	u, err := a.find(label)
	if err != nil {
		return err
	}
	return u.accept(ctx, func(quarantined []pin.Quarantine) error {
		return u.inventory.pins.AcceptTool(ctx, quarantined, tool)
	})
}

// AcceptQuarantined pins definitions that were read in [Status]. Only their Tool and Hash count. It accepts all of
// them or none: if the quarantine now holds another definition, or one cannot be accepted, the error is a
// *[registry.Error].
func (a *Aggregator) AcceptQuarantined(ctx context.Context, label string, list ...pin.Quarantine) error {
	u, err := a.find(label)
	if err != nil {
		return err
	}
	return u.accept(ctx, func(quarantined []pin.Quarantine) error {
		return u.inventory.pins.AcceptRead(ctx, quarantined, list)
	})
}
