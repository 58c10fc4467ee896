package files

import (
	"crypto/rand"
	"slices"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
)

// A manifest is what a roundtrip has begun with.
type manifest struct {
	id, owner string
	expires   time.Time
	sums      map[string]string // by path; empty is absent
}

// manifests are the open ones, the oldest first.
type manifests struct {
	max int
	age time.Duration
	now func() time.Time

	mu   sync.Mutex
	open []*manifest
}

func newManifests(most int, age time.Duration, now func() time.Time) *manifests {
	if now == nil {
		now = time.Now
	}
	return &manifests{max: most, age: age, now: now}
}

// add opens a manifest, and ends the oldest if there are too many.
func (ms *manifests) add(owner string, sums map[string]string) *manifest {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	ms.sweep()
	own := func(m *manifest) bool { return m.owner == owner }
	mine := 0
	for _, m := range ms.open {
		if own(m) {
			mine++
		}
	}
	switch {
	case mine >= max(1, ms.max/4):
		i := slices.IndexFunc(ms.open, own)
		ms.open = slices.Delete(ms.open, i, i+1)
	case len(ms.open) >= ms.max:
		ms.open = slices.Delete(ms.open, 0, 1)
	}
	m := &manifest{rand.Text(), owner, ms.now().Add(ms.age), sums}
	ms.open = append(ms.open, m)
	return m
}

// find returns an owner's manifest. The error is the same whether it is unknown,
// used up, expired or another owner's.
func (ms *manifests) find(owner, id string) (*manifest, error) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	ms.sweep()
	for _, m := range ms.open {
		if m.id == id && m.owner == owner {
			return m, nil
		}
	}
	return nil, &registry.Error{
		Kind:    registry.Failed,
		Message: "There is no open roundtrip with this manifestId: it is unknown, has expired, or has been committed.",
		Hint:    "Call `roundtrip_start` again, and use the manifestId that it returns.",
		NotRun:  true,
	}
}

// remove uses a manifest up.
func (ms *manifests) remove(m *manifest) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	ms.open = slices.DeleteFunc(ms.open, func(o *manifest) bool { return o == m })
}

func (ms *manifests) sweep() {
	now := ms.now()
	ms.open = slices.DeleteFunc(ms.open, func(m *manifest) bool { return !now.Before(m.expires) })
}
