package disk_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/firewall/disk"
)

// A model is what a store should be, as simple as can be.
type model struct {
	o     firewall.MemoryOptions
	kept  []modelPart // in the order in which they came
	rooms []*modelRoom
	came  map[string]int // when a payer came who has something, by name
	n     int
	torn  map[int]bool // the results of which a part gave way
}

type modelPart struct {
	owner, payer, handle, data string
	result                     int
	made                       time.Time
}

type modelRoom struct {
	owner, payer string
	bytes        int64
	count        int
	r            firewall.Reservation
}

// used returns what is kept and reserved, of one payer if one is given.
func (m *model) used(payer string) (bytes int64, count, items int) {
	for _, p := range m.kept {
		if payer == "" || p.payer == payer {
			bytes, count, items = bytes+int64(len(p.data)), count+1, items+1
		}
	}
	for _, r := range m.rooms {
		if payer == "" || r.payer == payer {
			bytes, count, items = bytes+r.bytes, count+r.count, items+1
		}
	}
	return bytes, count, items
}

func (m *model) expire() {
	now := m.o.Now()
	m.kept = slices.DeleteFunc(m.kept, func(p modelPart) bool { return !now.Before(p.made.Add(m.o.MaxAge)) })
}

// giveWay drops the oldest part of a payer whose promise has ended.
func (m *model) giveWay(payer string) bool {
	for i, p := range m.kept {
		if p.payer == payer && !m.o.Now().Before(p.made.Add(m.o.Promise)) {
			m.torn[p.result] = true
			m.kept = slices.Delete(m.kept, i, i+1)
			return true
		}
	}
	return false
}

// payers returns a payer and all others, the one who has most first.
func (m *model) payers(first string) (list []string) {
	part := func(payer string) float64 {
		bytes, count, _ := m.used(payer)
		return max(float64(bytes)/float64(m.o.MaxBytes), float64(count)/float64(m.o.MaxArtifacts))
	}
	for _, p := range m.kept {
		if !slices.Contains(list, p.payer) && p.payer != first {
			list = append(list, p.payer)
		}
	}
	slices.SortFunc(list, func(a, b string) int {
		return cmp.Or(cmp.Compare(part(b), part(a)), cmp.Compare(m.came[a], m.came[b]))
	})
	return append([]string{first}, list...)
}

// isGuest reports whether a payer is a guest.
func isGuest(payer string) bool { return payer != "ann's" }

// limit makes room for an artifact. It returns the limit that leaves no room, "" if none does.
func (m *model) limit(payer string, size int64) string {
	for _, share := range []struct {
		name  string
		has   func(payer string) bool
		bytes int64
		count int
		yield func() bool
	}{
		{" per owner", func(own string) bool { return own == payer }, m.o.MaxBytesPerOwner, m.o.MaxPerOwner, func() bool { return m.giveWay(payer) }},
		{" of guests", isGuest, m.o.MaxBytes * 3 / 4, m.o.MaxArtifacts * 3 / 4, m.oldestGuest},
		{"", func(string) bool { return true }, m.o.MaxBytes, m.o.MaxArtifacts, func() bool { return slices.ContainsFunc(m.payers(payer), m.giveWay) }},
	} {
		if !share.has(payer) {
			continue
		}
		for {
			what := ""
			switch bytes, count := m.usedBy(share.has); {
			case count >= share.count:
				what = "artifacts" + share.name
			case bytes+size > share.bytes:
				what = "bytes" + share.name
			}
			if what == "" {
				break
			}
			if size > share.bytes || !share.yield() {
				return what
			}
		}
	}
	return ""
}

// oldestGuest drops the oldest part of all guests whose promise has ended.
func (m *model) oldestGuest() bool {
	for _, p := range m.kept {
		if isGuest(p.payer) {
			return m.giveWay(p.payer)
		}
	}
	return false
}

func (m *model) usedBy(has func(payer string) bool) (bytes int64, count int) {
	for _, payer := range []string{"ann's", "bob's", "cat's"} {
		if has(payer) {
			b, c, _ := m.used(payer)
			bytes, count = bytes+b, count+c
		}
	}
	return bytes, count
}

// arrives is called before a payer gets something.
func (m *model) arrives(payer string) {
	m.n++
	if _, _, items := m.used(payer); items == 0 {
		m.came[payer] = m.n
	}
}

func (m *model) reserve(t *testing.T, s firewall.Store, owner firewall.Owner, size int64) {
	r, err := s.Reserve(t.Context(), owner, size)
	var full *firewall.FullError
	switch want := m.limit(owner.Payer, size); {
	case want == "" && err == nil:
		m.arrives(owner.Payer)
		m.rooms = append(m.rooms, &modelRoom{owner.ID, owner.Payer, size, 1, r})
	case want == "" || !errors.As(err, &full) || full.Limit != want:
		t.Fatalf("Reserve(%+v, %d): %v; want the limit on %q", owner, size, err, want)
	default:
		m.checkRetry(t, owner.Payer, size, full)
	}
}

// checkRetry checks that the limit is reached until just before it is time to
// try again, and not then.
func (m *model) checkRetry(t *testing.T, payer string, size int64, full *firewall.FullError) {
	if full.RetryAfter == 0 { // even when all has expired
		later := model{o: m.o, rooms: m.rooms}
		if got := later.limit(payer, size); got == "" {
			t.Fatalf("limit on %s, for ever", full.Limit)
		}
		return
	}
	for _, d := range []time.Duration{full.RetryAfter - 1, full.RetryAfter} {
		later := model{o: m.o, kept: slices.Clone(m.kept), rooms: m.rooms, came: m.came, torn: make(map[int]bool)}
		later.o.Now = func() time.Time { return m.o.Now().Add(d) }
		later.expire()
		scope := func(limit string) string { _, of, _ := strings.Cut(limit, " "); return of }
		got := later.limit(payer, size)
		still := got != "" && scope(full.Limit) == scope(got)
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
	m.n++
	result := m.n
	for i, d := range data {
		room.bytes -= min(room.bytes, int64(len(d)))
		room.count = 0
		m.enter(modelPart{room.owner, room.payer, refs[i].Handle, d, result, m.o.Now()})
	}
}

func (m *model) enter(p modelPart) {
	m.limit(p.payer, int64(len(p.data))) // if there is no room, it is kept nevertheless
	m.arrives(p.payer)
	m.kept = append(m.kept, p)
}

// reopen is for a store on disk: what is left of a result of which a part gave way does
// not survive.
func (m *model) reopen() {
	list := slices.DeleteFunc(m.kept, func(p modelPart) bool { return m.torn[p.result] })
	m.kept = nil
	for _, p := range list {
		m.enter(p)
	}
}

func (m *model) check(t *testing.T, s firewall.Store, owner string, p modelPart) {
	kept := slices.ContainsFunc(m.kept, func(k modelPart) bool { return k.handle == p.handle })
	if owner == p.owner && kept {
		wantData(t, s, owner, p.handle, p.data)
	} else {
		wantNone(t, s, owner, p.handle)
	}
}

// TestW32StoresAreAsTheirModel does things at random, and reopens a Disk now and
// then.
func TestW32StoresAreAsTheirModel(t *testing.T) {
	owners := []string{"ann", "bob", "cat"}
	for seed := range uint64(12) {
		c := newClock()
		o := firewall.MemoryOptions{
			MaxBytes: 300, MaxBytesPerOwner: 150, MaxArtifacts: 12, MaxPerOwner: 6, MaxAge: time.Minute, Now: c.Now,
			Promise: []time.Duration{time.Minute, 20 * time.Second, 1}[seed%3],
		}
		dir := t.TempDir()
		onDisk := openDisk(t, dir, diskOptions(o))
		for name, s := range map[string]firewall.Store{"memory": firewall.NewMemory(&o), "disk": onDisk} {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(seed, 0))
				m := &model{o: o, came: make(map[string]int), torn: make(map[int]bool)}
				var ever []modelPart
				for range 400 {
					c.advance(1) // so that one comes after the other, also when it is read again
					m.expire()
					owner := owners[rnd.IntN(len(owners))]
					switch n := rnd.IntN(10); {
					case n < 3:
						payer := owners[rnd.IntN(len(owners))] + "'s"
						m.reserve(t, s, firewall.Owner{ID: owner, Payer: payer, Guest: isGuest(payer)}, rnd.Int64N(80))
					case n < 5 && len(m.rooms) > 0:
						var data []string
						for range rnd.IntN(4) {
							data = append(data, fmt.Sprintf("%0*d", rnd.IntN(60)+1, rnd.IntN(5)))
						}
						m.keep(t, m.rooms[rnd.IntN(len(m.rooms))], data)
						ever = append(ever, m.kept[len(m.kept)-len(data):]...)
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
						m.reopen()
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
