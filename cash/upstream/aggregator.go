package upstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/apart"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// An Aggregator mounts MCP servers in a registry (RFC 5.4). What a server has
// becomes a part of the tree, which is replaced as a whole when the server
// changes; what is asked of the tree is answered from memory, and calls cross
// the wire. It is safe for concurrent use.
type Aggregator struct {
	reg  *registry.Registry
	opts Options
	asks asks // calls that wait for the answer of a person

	life context.Context // of all upstreams
	cut  context.CancelFunc

	roster
	watching    bool                 // the pins
	stops       []context.CancelFunc // of what follows manifests and pins
	discoveries []*discovery
}

// Options configure an [Aggregator]. Nil is fine.
type Options struct {
	// Name and Version are what servers are told about who connects. Empty is
	// "cash" and "0.0.0".
	Name, Version string
	// Resources and Prompts are where the resources and prompts of servers are
	// planted, at the labels of their servers, as functions that read and get them
	// ([registry.Function.Primitive]). Each is a registry of its own; they do not
	// have to be empty. Nil does not ask servers for such.
	Resources, Prompts *registry.Registry
	// Pins remembers which definitions of tools, and of functions of CaSH servers,
	// are accepted, as Mode says. Nil is in memory.
	Pins pin.Store
	Mode pin.Mode
	// Fetch says how manifests are fetched, and how the servers are reached that
	// they name: what a [Discovery] trusts and allows is added to what is
	// trusted and allowed here.
	Fetch manifest.FetchOptions
	// Logger gets what operators should know: connections that fail, tools that
	// are quarantined, what children write to standard error. Never arguments
	// or results. Nil discards.
	Logger *slog.Logger
}

// New returns an aggregator that mounts servers in reg, beside what else is
// there. It panics if two of the registries that it is given are the same.
func New(reg *registry.Registry, opts *Options) *Aggregator {
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

// kinds are what servers have, tools first.
var kinds = [...]toolid.Kind{toolid.Tool, toolid.Resource, toolid.Prompt}

// registry returns where servers are shown with what they have of a kind; nil is
// nowhere.
func (a *Aggregator) registry(kind toolid.Kind) *registry.Registry {
	switch kind {
	case toolid.Resource:
		return a.opts.Resources
	case toolid.Prompt:
		return a.opts.Prompts
	}
	return a.reg
}

// ErrClosed is what a closed [Aggregator] answers.
var ErrClosed = errors.New("upstream: aggregator is closed")

// Add mounts a server and returns at once: the namespace is there, and
// unavailable until the server has answered. It is an error if a field is
// wrong, if the label or one above or below it is mounted already, or if there
// is a namespace of that name that is not of a server.
func (a *Aggregator) Add(s Server) error {
	s, err := s.withDefaults()
	if err != nil {
		return err
	}
	u := newUpstream(a, s, []mount{{Label: s.Label, Namespace: s.Namespace}})
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.free(u.mounts, nil); err != nil {
		return err
	}
	a.start(u)
	a.watch()
	return nil
}

// watchPause is how long it takes until a store of pins that could not be watched is
// watched again.
const watchPause = time.Minute

// watch begins to notice what others have pinned. The caller holds a.mu.
func (a *Aggregator) watch() {
	if a.watching || a.opts.Mode == pin.Off {
		return
	}
	a.watching = true
	ctx, stop := context.WithCancel(context.Background())
	a.stops = append(a.stops, stop)
	a.retired.Go(func() {
		for ctx.Err() == nil {
			_, err := apart.Do(ctx, 0, func() (none struct{}, err error) { return none, a.opts.Pins.Watch(ctx, a.repinned) }, nil)
			if ctx.Err() != nil {
				return
			}
			a.opts.Logger.Warn("changes of pins are not noticed", "error", err)
			select {
			case <-time.After(watchPause):
			case <-ctx.Done():
			}
		}
	})
}

// repinned tells an upstream that its pins may have changed.
func (a *Aggregator) repinned(label string) {
	for _, u := range a.each() {
		if u.inventory.pins.Label == label {
			signal(u.repinned)
		}
	}
}

// Update puts a server in the place of the one with the same label: with other
// settings, or an altogether other one. Calls in flight are finished by the old
// one, which is then disconnected; until the new one has answered, the old
// one's functions stay listed.
func (a *Aggregator) Update(s Server) error {
	s, err := s.withDefaults()
	if err != nil {
		return err
	}
	u := newUpstream(a, s, []mount{{Label: s.Label, Namespace: s.Namespace}})
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

// Remove takes a server out of the tree. Calls in flight are finished, then it
// is disconnected. One that a manifest describes goes with all its labels, and
// the manifest is not followed any more.
func (a *Aggregator) Remove(label string) error {
	key := canonicalPath(label)
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

// Close disconnects all servers and refuses further calls. Calls in flight may
// finish until ctx ends and are cancelled then; the error is that of ctx if some
// were. The namespaces stay, and are unavailable.
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
	stop := context.AfterFunc(ctx, a.cut) // also what was removed before and has not ended
	defer stop()
	a.retired.Wait()
	return ctx.Err()
}

// Wait returns when every manifest and every server has been tried at least
// once: it is connected, and has been asked for what it has, or it is known not
// to be reachable. It returns ctx's error if that ends first.
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

// Refresh asks a server again for what it has, and returns when the tree shows
// it. Resources and prompts that cannot be read are no error; [Status] notes
// them.
func (a *Aggregator) Refresh(ctx context.Context, label string) error {
	u, err := a.find(label)
	if err != nil {
		return err
	}
	return u.refresh(ctx)
}

// Accept takes the current definition of a tool that is quarantined for the
// good one, whatever it is by now, and serves the tool from now on. An empty tool
// stands for all of the server. What somebody has read is accepted by
// [Aggregator.AcceptQuarantined].
//
// Of a CaSH server whose tools call, help and skill are quarantined, what is
// behind them is read, and in mode [pin.Locked] quarantined, once they have been
// accepted.
func (a *Aggregator) Accept(ctx context.Context, label, tool string) error {
	u, err := a.find(label)
	if err != nil {
		return err
	}
	return u.accept(ctx, func(quarantined []pin.Quarantine) error {
		return u.inventory.pins.AcceptTool(ctx, quarantined, tool)
	})
}

// AcceptQuarantined takes definitions that were read in [Status] for the good
// ones: of each, Tool and Hash count. If what is quarantined now is another
// definition than one of these, or if one of them cannot be accepted, there is an
// error, which is a *[registry.Error], and none is.
func (a *Aggregator) AcceptQuarantined(ctx context.Context, label string, list ...pin.Quarantine) error {
	u, err := a.find(label)
	if err != nil {
		return err
	}
	return u.accept(ctx, func(quarantined []pin.Quarantine) error {
		return u.inventory.pins.AcceptRead(ctx, quarantined, list)
	})
}
