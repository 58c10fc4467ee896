package upstream

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// roster lists the upstreams and their mounts. Its lock also guards what they publish.
type roster struct {
	registries []*registry.Registry // one for each kind, functions first

	mu      sync.Mutex
	ups     map[*upstream]struct{}
	mounts  map[string]*upstream // by canonical label
	closing bool
	retired sync.WaitGroup // upstreams that are ending
}

// free returns why the mounts cannot be used; mounts of old count as free. The caller holds r.mu.
func (r *roster) free(mounts []mount, old *upstream) error {
	if r.closing {
		return ErrClosed
	}
	for i, m := range mounts {
		key := m.Key()
		for _, other := range mounts[:i] {
			if overlap(key, other.Key()) {
				return fmt.Errorf("labels %s and %s overlap", other.Label, m.Label)
			}
		}
		for taken, u := range r.mounts {
			if u != old && overlap(key, taken) {
				return fmt.Errorf("label %s: there is an upstream at %s", m.Label, taken)
			}
		}
		for _, reg := range r.registries {
			if r.mounts[key] == nil && reg.Exists(m.Label) {
				return fmt.Errorf("label %s: there is a namespace of that name already", m.Label)
			}
		}
	}
	return nil
}

// overlap reports whether one path equals the other or lies below it.
func overlap(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || strings.HasPrefix(b, a+".")
}

// start gives u its mounts and runs it. The caller holds r.mu.
func (r *roster) start(u *upstream) {
	r.ups[u] = struct{}{}
	for _, m := range u.mounts {
		r.mounts[m.Key()] = u
	}
	u.show()
	go u.run()
	go u.settle()
}

// clear empties a place. The caller holds r.mu.
func (r *roster) clear(m mount) {
	delete(r.mounts, m.Key())
	for _, reg := range r.registries {
		_ = reg.Replace(m.Label, nil) // cannot fail for a legal label
	}
}

// retire ends u after its calls, unless it is ending already. The caller holds r.mu.
func (r *roster) retire(u *upstream) {
	if _, ok := r.ups[u]; !ok {
		return
	}
	delete(r.ups, u)
	u.traffic.retire()
	r.retired.Add(1)
	go func() {
		defer r.retired.Done()
		u.drain()
	}()
}

// replace mounts u in place of old. old may be nil, and may have had other mounts.
func (r *roster) replace(old, u *upstream) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.free(u.mounts, old); err != nil {
		return err
	}
	if _, ok := r.ups[old]; old != nil && !ok {
		return errRemoved
	}
	if old != nil {
		u.takeOver(old)
		r.retire(old)
		for _, m := range old.mounts {
			if !slices.ContainsFunc(u.mounts, func(n mount) bool { return n.Key() == m.Key() }) {
				r.clear(m)
			}
		}
	}
	r.start(u)
	return nil
}

// has reports whether an upstream is still there: neither removed nor replaced.
func (r *roster) has(u *upstream) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.ups[u]
	return ok
}

// each returns the upstreams, sorted by first label.
func (r *roster) each() []*upstream {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]*upstream, 0, len(r.ups))
	for u := range r.ups {
		list = append(list, u)
	}
	slices.SortFunc(list, func(x, y *upstream) int { return strings.Compare(x.mounts[0].Key(), y.mounts[0].Key()) })
	return list
}

func (r *roster) find(label string) (*upstream, error) {
	key := wire.CanonicalPath(label)
	r.mu.Lock()
	defer r.mu.Unlock()
	if u := r.mounts[key]; u != nil {
		return u, nil
	}
	return nil, fmt.Errorf("label %.64q: there is no such upstream", label)
}
