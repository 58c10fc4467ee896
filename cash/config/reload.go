package config

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/config"
	"github.com/cash-mcp/go-sdk/registry"
)

// Reload goes over to a later configuration. Clients stay connected, and no call is lost:
//
//   - Servers with an unchanged entry stay connected. The others are swapped: their calls in flight end on the former
//     connection, and what they offer stays listed until the new one has been read.
//   - Rules and limits hold from the next call on, before any new tool is there. The former rules hold as well until the
//     swaps have ended: the strictest decides. Counts, cached results and open questions stay.
//
// The servers that are new or differ are first connected on trial. Nothing changes, and the error says why, if one that
// differs cannot be read, if they cannot be accepted as at the start, if a key has changed that needs a new start, or if
// ctx ends before.
//
// If a server fails after its trial, the former one stays, and the error says so. The rest is reloaded, the former
// rules still hold besides the new ones, and the next reload tries that server again.
func (s *Server) Reload(ctx context.Context, next *File) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.file.Changes(next)
	if len(c.Fixed) > 0 {
		return fmt.Errorf("a running server cannot change %s: start it anew, or undo that", strings.Join(c.Fixed, ", "))
	}
	for _, u := range next.Upstreams {
		if slices.Contains(s.kept, u.Label) && !slices.ContainsFunc(c.Changed, labelled(u.Label)) {
			c.Changed = append(c.Changed, u)
		}
	}
	if err := s.try(ctx, next, c); err != nil {
		return err
	}
	if err := s.controls.Policy.Restrict(next.Policy); err != nil {
		return fmt.Errorf("%w: start the server anew", err)
	}
	// From here on, a server may fail after its trial. All else is a bug or a closed server: the file has been checked,
	// and the labels have been free on trial.
	ctx = context.WithoutCancel(ctx)
	var errs []error
	for _, label := range c.Removed {
		errs = append(errs, s.agg.Remove(label))
	}
	errs = append(errs, s.controls.Quota.Replace(next.RateLimits), s.controls.Cache.Replace(next.Cache))
	s.setRetry(next)
	kept, err := s.swap(ctx, next, c.Changed)
	errs = append(errs, err, mount(s.agg, c.Added, c.Manifests))
	if len(kept) == 0 {
		errs = append(errs, s.controls.Policy.Replace(next.Policy))
	}
	errs = append(errs, s.controls.Cache.Flush(ctx))
	s.file, s.kept = next, kept
	return errors.Join(errs...)
}

// labelled returns a function that reports whether a server has a label.
func labelled(label string) func(u upstream.Server) bool {
	return func(u upstream.Server) bool { return u.Label == label }
}

// swap replaces servers, all at a time. It returns the labels of those that stay, because the new one has failed.
func (s *Server) swap(ctx context.Context, next *File, servers []upstream.Server) (kept []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(next.StartTimeout, DefaultStartTimeout))
	defer cancel()
	errs := make([]error, len(servers))
	var swaps sync.WaitGroup
	for i, u := range servers {
		swaps.Go(func() { errs[i] = s.agg.Swap(ctx, u) })
	}
	swaps.Wait()
	for i, u := range servers {
		if errs[i] != nil {
			kept = append(kept, u.Label)
			errs[i] = fmt.Errorf("%s: the former server stays, as the new one has failed after its trial; reload again: %w", u.Label, errs[i])
		}
	}
	return kept, errors.Join(errs...)
}

// try connects servers beside those that run, and returns why the next configuration cannot be accepted.
func (s *Server) try(ctx context.Context, next *File, c *config.Changes) error {
	servers := slices.Concat(c.Added, c.Changed)
	for _, u := range servers { // a catalog may be in the way
		mounted := slices.ContainsFunc(s.agg.Status(), func(st upstream.Status) bool {
			return slices.ContainsFunc(st.Labels, func(l string) bool { return overlap(l, u.Label) })
		})
		if !mounted && s.tools.Exists(u.Label) {
			return fmt.Errorf("label %s: there is a namespace of that name already", u.Label)
		}
	}
	o := *next
	o.Pins = config.Pins{} // a trial pins nothing
	gone := slices.Clone(c.Removed)
	for _, u := range c.Changed {
		gone = append(gone, u.Label)
		o.Required = append(slices.Clip(o.Required), u.Label) // or the former stays
	}
	var stay, beside [3]*registry.Registry // of tools, resources and prompts
	for i, reg := range []*registry.Registry{s.tools, s.resources, s.prompts} {
		if reg == nil {
			continue
		}
		beside[i] = registry.New(nil)
		var err error
		if stay[i], err = without(reg, gone); err != nil {
			return err
		}
	}
	agg, err := aggregator(&o, s.opts.Logger.With("trial", true), beside[0], beside[1], beside[2])
	if err != nil {
		return err
	}
	defer end(agg)
	if err := mount(agg, servers, c.Manifests); err != nil {
		return err
	}
	s.wait(ctx, agg, next)
	if err := ctx.Err(); err != nil {
		return err
	}
	others := slices.DeleteFunc(s.agg.Status(), func(st upstream.Status) bool {
		return slices.ContainsFunc(st.Labels, func(l string) bool { return slices.Contains(gone, l) })
	})
	return s.accepted(&o, agg.Status(), others, slices.Concat(stay[:], beside[:])...)
}

// without returns a copy of a registry without what is at the labels.
func without(reg *registry.Registry, labels []string) (*registry.Registry, error) {
	c := registry.New(nil)
	if err := c.Replace("", reg); err != nil {
		return nil, err
	}
	for _, label := range labels {
		if err := c.Replace(label, nil); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// end closes an aggregator of a trial. It waits a moment for its processes.
func end(agg *upstream.Aggregator) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = agg.Close(ctx)
}

// overlap reports whether one label equals the other or lies below it.
func overlap(a, b string) bool {
	a, _ = registry.CanonicalPath(a)
	b, _ = registry.CanonicalPath(b)
	return strings.HasPrefix(a+".", b+".") || strings.HasPrefix(b+".", a+".")
}
