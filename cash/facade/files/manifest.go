package files

import (
	"crypto/rand"
	"maps"
	"time"

	"github.com/cash-mcp/go-sdk/internal/bounded"
	"github.com/cash-mcp/go-sdk/registry"
)

// A manifest is the state of the files at the start of a roundtrip. It does not change.
type manifest struct {
	id, owner string
	expires   time.Time
	sums      map[string]string // SHA-256 by path; empty is absent
}

// A previewing is the changes of a preview, or of a commit with a conflict, which are kept to be committed.
type previewing struct {
	id, owner string
	manifest  string // its id
	mode      string
	changes   []change
}

// manifests holds the open roundtrips.
type manifests struct {
	max, bytes int64
	age        time.Duration
	open       *bounded.Store[string, *manifest]   // by id
	previews   *bounded.Store[string, *previewing] // by id
}

func newManifests(most int, bytes int64, age time.Duration, now func() time.Time) *manifests {
	return &manifests{int64(most), bytes, age, bounded.New[string, *manifest](now, nil), bounded.New[string, *previewing](now, nil)}
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

// renew replaces the state of some files of a manifest, of at most most files.
func (ms *manifests) renew(owner, id string, sums map[string]string, most int) (*manifest, error) {
	ms.open.Lock()
	defer ms.open.Unlock()
	it := ms.open.Get(id)
	if it == nil || it.Value.owner != owner {
		return nil, unknown("manifestId")
	}
	own := *it.Value
	own.sums = maps.Clone(own.sums)
	maps.Copy(own.sums, sums)
	if len(own.sums) > most {
		return nil, tooMany(len(own.sums), most)
	}
	it.Value = &own
	return &own, nil
}

// find returns an owner's manifest. Unknown, used, expired and foreign ids give the same error.
func (ms *manifests) find(owner, id string) (*manifest, error) {
	ms.open.Lock()
	defer ms.open.Unlock()
	if it := ms.open.Get(id); it != nil && it.Value.owner == owner {
		return it.Value, nil
	}
	return nil, unknown("manifestId")
}

func unknown(id string) error {
	return &registry.Error{
		Kind:    registry.Failed,
		Message: "There is no open roundtrip with this " + id + ": it is unknown, has expired, or has been committed.",
		Hint:    "Call `roundtrip_start` again, and use the manifestId that it returns.",
		NotRun:  true,
	}
}

// keep keeps changes for a commit, and returns their id. It is empty if they are too large. At the limit the oldest
// ones go.
func (ms *manifests) keep(m *manifest, mode string, changes []change) (id string) {
	takes := bounded.Amount{Count: 1}
	for i := range changes {
		takes.Bytes += changes[i].size()
	}
	ms.previews.Lock()
	defer ms.previews.Unlock()
	p := &previewing{rand.Text(), m.owner, m.id, mode, changes}
	kept := ms.previews.Put(p.id, p, bounded.Terms{Takes: takes, Expires: m.expires},
		bounded.Share{Kind: "owner", Of: m.owner, Most: bounded.Amount{Count: max(1, ms.max/4), Bytes: 2 * ms.bytes}, Evicts: true},
		bounded.Share{Most: bounded.Amount{Count: ms.max, Bytes: 4 * ms.bytes}, Evicts: true})
	if kept == nil {
		return ""
	}
	return p.id
}

// kept returns the changes with an id.
func (ms *manifests) kept(owner, id string) (*previewing, error) {
	ms.previews.Lock()
	defer ms.previews.Unlock()
	if it := ms.previews.Get(id); it != nil && it.Value.owner == owner {
		return it.Value, nil
	}
	return nil, unknown("previewId")
}

// remove uses up a manifest, and the changes with an id, if there are any.
func (ms *manifests) remove(m *manifest, preview string) {
	ms.open.Lock()
	if it := ms.open.Get(m.id); it != nil {
		ms.open.Remove(it)
	}
	ms.open.Unlock()
	ms.previews.Lock()
	if it := ms.previews.Get(preview); it != nil {
		ms.previews.Remove(it)
	}
	ms.previews.Unlock()
}
