package disk_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/firewall/disk"
)

// A model is what a store should be, as simple as can be.
type model struct {
	o     firewall.MemoryOptions
	kept  []modelPart
	rooms []*modelRoom
}

type modelPart struct {
	owner, handle, data string
	expires             time.Time
}

type modelRoom struct {
	owner string
	bytes int64
	count int
	r     firewall.Reservation
}

// used returns what is kept and reserved, of one owner if one is given.
func (m *model) used(owner string) (bytes int64, count int) {
	for _, p := range m.kept {
		if owner == "" || p.owner == owner {
			bytes, count = bytes+int64(len(p.data)), count+1
		}
	}
	for _, r := range m.rooms {
		if owner == "" || r.owner == owner {
			bytes, count = bytes+r.bytes, count+r.count
		}
	}
	return bytes, count
}

func (m *model) expire() {
	now := m.o.Now()
	m.kept = slices.DeleteFunc(m.kept, func(p modelPart) bool { return !now.Before(p.expires) })
}

// limit returns the limit that leaves no room, "" if none does.
func (m *model) limit(owner string, size int64) string {
	bytes, count := m.used(owner)
	switch {
	case count >= m.o.MaxPerOwner:
		return "artifacts per owner"
	case bytes+size > m.o.MaxBytesPerOwner:
		return "bytes per owner"
	}
	switch bytes, count = m.used(""); {
	case count >= m.o.MaxArtifacts:
		return "artifacts"
	case bytes+size > m.o.MaxBytes:
		return "bytes"
	}
	return ""
}

func (m *model) reserve(t *testing.T, s firewall.Store, owner string, size int64) {
	r, err := s.Reserve(t.Context(), owner, size)
	var full *firewall.FullError
	switch want := m.limit(owner, size); {
	case want == "" && err == nil:
		m.rooms = append(m.rooms, &modelRoom{owner, size, 1, r})
	case want == "" || !errors.As(err, &full) || full.Limit != want:
		t.Fatalf("Reserve(%q, %d): %v; want the limit on %q", owner, size, err, want)
	default:
		m.checkRetry(t, owner, size, full)
	}
}

// checkRetry checks that the limit is reached until just before it is time to
// try again, and not then.
func (m *model) checkRetry(t *testing.T, owner string, size int64, full *firewall.FullError) {
	if full.RetryAfter == 0 { // even when all has expired
		later := model{o: m.o, rooms: m.rooms}
		if got := later.limit(owner, size); got == "" {
			t.Fatalf("limit on %s, for ever", full.Limit)
		}
		return
	}
	for _, d := range []time.Duration{full.RetryAfter - 1, full.RetryAfter} {
		later := model{o: m.o, kept: slices.Clone(m.kept), rooms: m.rooms}
		later.o.Now = func() time.Time { return m.o.Now().Add(d) }
		later.expire()
		scope := full.Limit == "artifacts" || full.Limit == "bytes"
		got := later.limit(owner, size)
		still := got != "" && scope == (got == "artifacts" || got == "bytes")
		if got != "" && !still {
			return // another limit hides it
		}
		if want := d < full.RetryAfter; still != want {
			t.Fatalf("limit on %s, again in %v, reached %v later: %v", full.Limit, full.RetryAfter, d, still)
		}
	}
}

func (m *model) keep(t *testing.T, room *modelRoom, data []string) {
	refs, err := room.r.Keep(t.Context(), parts(data...))
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range data {
		m.kept = append(m.kept, modelPart{room.owner, refs[i].Handle, d, m.o.Now().Add(m.o.MaxAge)})
		room.bytes -= min(room.bytes, int64(len(d)))
		room.count = 0
	}
}

func (m *model) check(t *testing.T, s firewall.Store, owner string, p modelPart) {
	if owner == p.owner && m.o.Now().Before(p.expires) {
		wantData(t, s, owner, p.handle, p.data)
	} else {
		wantNone(t, s, owner, p.handle)
	}
}

// TestW32StoresAreAsTheirModel does things at random, and reopens a Disk now and
// then.
func TestW32StoresAreAsTheirModel(t *testing.T) {
	owners := []string{"ann", "bob", "cat"}
	for seed := range uint64(6) {
		c := newClock()
		o := firewall.MemoryOptions{
			MaxBytes: 300, MaxBytesPerOwner: 150, MaxArtifacts: 12, MaxPerOwner: 6, MaxAge: time.Minute, Now: c.Now,
		}
		dir := t.TempDir()
		onDisk := openDisk(t, dir, diskOptions(o))
		for name, s := range map[string]firewall.Store{"memory": firewall.NewMemory(&o), "disk": onDisk} {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(seed, 0))
				m := &model{o: o}
				var ever []modelPart
				for range 400 {
					m.expire()
					owner := owners[rnd.IntN(len(owners))]
					switch n := rnd.IntN(10); {
					case n < 3:
						m.reserve(t, s, owner, rnd.Int64N(80))
					case n < 5 && len(m.rooms) > 0:
						var data []string
						for range rnd.IntN(4) {
							data = append(data, fmt.Sprintf("%0*d", rnd.IntN(60)+1, rnd.IntN(5)))
						}
						before := len(m.kept)
						m.keep(t, m.rooms[rnd.IntN(len(m.rooms))], data)
						ever = append(ever, m.kept[before:]...)
					case n < 7 && len(m.rooms) > 0:
						i := rnd.IntN(len(m.rooms))
						m.rooms[i].r.Release()
						m.rooms = slices.Delete(m.rooms, i, i+1)
					case n < 9 && len(ever) > 0:
						m.check(t, s, owner, ever[rnd.IntN(len(ever))])
					case n == 9:
						c.advance(time.Duration(rnd.Int64N(int64(20 * time.Second))))
					}
					if d, ok := s.(*disk.Store); ok && len(m.rooms) == 0 && rnd.IntN(4) == 0 {
						if err := d.Close(); err != nil {
							t.Fatal(err)
						}
						s = openDisk(t, dir, diskOptions(o))
					}
				}
				for _, p := range ever {
					for _, owner := range owners {
						m.check(t, s, owner, p)
					}
				}
			})
		}
	}
}
