package files

import (
	"crypto/rand"
	"time"

	"github.com/cash-mcp/go-sdk/internal/bounded"
	"github.com/cash-mcp/go-sdk/registry"
)

// A manifest is the state of the files at the start of a roundtrip.
type manifest struct {
	id, owner string
	expires   time.Time
	sums      map[string]string // SHA-256 by path; empty is absent
}

// manifests holds the open roundtrips.
type manifests struct {
	max  int64
	age  time.Duration
	open *bounded.Store[string, *manifest] // by id
}

func newManifests(most int, age time.Duration, now func() time.Time) *manifests {
	return &manifests{int64(most), age, bounded.New[string, *manifest](now, nil)}
}

// add opens a manifest. At the limit it ends the oldest one.
func (ms *manifests) add(owner string, sums map[string]string) *manifest {
	ms.open.Lock()
	defer ms.open.Unlock()
	m := &manifest{rand.Text(), owner, ms.open.Now().Add(ms.age), sums}
	ms.open.Put(m.id, m, bounded.Terms{Takes: bounded.Amount{Count: 1}, Expires: m.expires},
		bounded.Share{Kind: "owner", Of: owner, Most: bounded.Amount{Count: max(1, ms.max/4)}, Evicts: true},
		bounded.Share{Most: bounded.Amount{Count: ms.max}, Evicts: true})
	return m
}

// find returns an owner's manifest. Unknown, used, expired and foreign ids give the same error.
func (ms *manifests) find(owner, id string) (*manifest, error) {
	ms.open.Lock()
	defer ms.open.Unlock()
	if it := ms.open.Get(id); it != nil && it.Value.owner == owner {
		return it.Value, nil
	}
	return nil, &registry.Error{
		Kind:    registry.Failed,
		Message: "There is no open roundtrip with this manifestId: it is unknown, has expired, or has been committed.",
		Hint:    "Call `roundtrip_start` again, and use the manifestId that it returns.",
		NotRun:  true,
	}
}

// remove uses up a manifest.
func (ms *manifests) remove(m *manifest) {
	ms.open.Lock()
	defer ms.open.Unlock()
	if it := ms.open.Get(m.id); it != nil {
		ms.open.Remove(it)
	}
}
