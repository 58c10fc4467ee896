package cash

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
)

// revision returns a text that changes with everything that the caller in ctx sees through help and
// skill: namespaces and their availability, functions with their definitions, skills. Hidden
// entries do not change it. It also changes with the server's instance, because a new process may
// have other options. [Options.HelpText] is not covered.
func (s *Server) revision(ctx context.Context) (string, error) {
	changed, viewer := registry.Changed(s.source), viewerOf(ctx)
	if known, ok := s.revisions.get(changed, viewer); ok {
		return known, nil
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q", s.instance)
	err := registry.Walk(ctx, s.source, "", func(l *registry.Listing) error {
		fmt.Fprintf(sum, "\n%q %q %q %q %t", l.Namespace, l.Description, l.Note, l.Instance, l.Unavailable != nil)
		if l.Namespace == "" { // those of all namespaces
			fmt.Fprintf(sum, " %q", l.Arguments)
		}
		for _, c := range l.Namespaces { // those below are walked only if they can be listed
			fmt.Fprintf(sum, "\n%q %q %t", c.Path, c.Description, c.Unavailable)
		}
		for _, f := range l.Functions {
			_, _ = io.WriteString(sum, "\nf"+f.Name()+" "+f.Definition())
		}
		for _, sk := range l.Skills {
			_, _ = io.WriteString(sum, "\ns"+sk.Name()+" "+sk.Definition())
		}
		return ctx.Err()
	})
	if err != nil {
		return "", err
	}
	made := hex.EncodeToString(sum.Sum(nil)[:16])
	s.revisions.put(changed, viewer, made)
	return made, nil
}

// Bounds of the cache of revisions. Visibility rules may depend on things that no change of the
// source tells of.
const (
	revisionLife = 5 * time.Second
	maxRevisions = 1000
)

// revisions caches the revisions of one state of a source, by viewer. The zero value is ready.
type revisions struct {
	mu    sync.Mutex
	state <-chan struct{} // the source's Changed; each state has its own
	known map[viewer]dated
}

type dated struct {
	revision string
	made     time.Time
}

func (r *revisions) get(state <-chan struct{}, v viewer) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d, ok := r.known[v]
	ok = ok && state != nil && state == r.state && time.Since(d.made) < revisionLife
	return d.revision, ok
}

func (r *revisions) put(state <-chan struct{}, v viewer, revision string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil || state != r.state || len(r.known) >= maxRevisions {
		r.state, r.known = state, make(map[viewer]dated)
	}
	r.known[v] = dated{revision, time.Now()}
}

// viewer is a hash of all that visibility rules may know of a caller.
type viewer [sha256.Size]byte

func viewerOf(ctx context.Context) viewer {
	c := registry.CallerFrom(ctx)
	named := c != nil
	if !named {
		c = new(registry.Caller)
	}
	return sha256.Sum256(fmt.Appendf(nil, "%t %q %q %q %q", named, c.ID, c.Roles, c.Attributes, registry.Via(ctx)))
}
