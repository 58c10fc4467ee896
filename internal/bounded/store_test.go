package bounded_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/internal/bounded"
)

// A model is a store as one would write it without a thought of time: a list.
type model struct {
	now     time.Time
	uses    int
	entries []*entry
	dropped []string
	fair    bounded.Amount // what the sizes of owners are parts of; nothing if eviction is not fair
	born    map[string]int // when an owner came, by name
}

type entry struct {
	key    string
	value  int
	terms  bounded.Terms
	shares []bounded.Share
	used   int
}

func (m *model) lock(now time.Time) {
	if now.After(m.now) {
		m.now = now
	}
	for _, e := range slices.Clone(m.entries) {
		if !e.terms.Expires.IsZero() && !m.now.Before(e.terms.Expires) {
			m.remove(e)
		}
	}
}

func (m *model) get(key string) *entry {
	for _, e := range m.entries {
		if e.key == key {
			return e
		}
	}
	return nil
}

func (m *model) remove(e *entry) {
	m.dropped = append(m.dropped, e.key)
	m.entries = slices.DeleteFunc(m.entries, func(o *entry) bool { return o == e })
}

// in returns what is in a share, in the order in which it gives way.
func (m *model) in(s bounded.Share) (list []*entry, used bounded.Amount) {
	for _, e := range m.entries {
		if slices.ContainsFunc(e.shares, func(o bounded.Share) bool { return o.Kind == s.Kind && o.Of == s.Of }) {
			list = append(list, e)
			used.Count += e.terms.Takes.Count
			used.Bytes += e.terms.Takes.Bytes
		}
	}
	slices.SortFunc(list, func(a, b *entry) int {
		return cmp.Or(a.terms.Promised.Compare(b.terms.Promised), cmp.Compare(a.used, b.used))
	})
	return list, used
}

// ofOwner returns what an owner has, in the order in which it gives way.
func (m *model) ofOwner(name string) ([]*entry, bounded.Amount) {
	return m.in(bounded.Share{Kind: "owner", Of: name})
}

// yields returns what gives way in the share of all: of the owner itself, else of the
// one who has most and has something without a promise.
func (m *model) yields(e *entry, owner string) *entry {
	var names []string
	for _, e := range m.entries {
		if name := e.shares[0].Of; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	part := func(name string) float64 {
		_, used := m.ofOwner(name)
		return max(float64(used.Count)/float64(m.fair.Count), float64(used.Bytes)/float64(m.fair.Bytes))
	}
	slices.SortFunc(names, func(a, b string) int {
		if a == owner || b == owner {
			return map[bool]int{true: -1, false: 1}[a == owner]
		}
		return cmp.Or(cmp.Compare(part(b), part(a)), cmp.Compare(m.born[a], m.born[b]))
	})
	for _, name := range names {
		list, _ := m.ofOwner(name)
		list = slices.DeleteFunc(list, func(o *entry) bool { return o == e })
		if len(list) > 0 && !list[0].terms.Promised.After(m.now) {
			return list[0]
		}
	}
	return nil
}

func fits(used, more, most bounded.Amount) bool {
	return (most.Count == 0 || used.Count+more.Count <= most.Count) && (most.Bytes == 0 || used.Bytes+more.Bytes <= most.Bytes)
}

func (m *model) room(e *entry, takes bounded.Amount, shares []bounded.Share) bool {
	more := takes
	if e != nil {
		more = bounded.Amount{Count: takes.Count - e.terms.Takes.Count, Bytes: takes.Bytes - e.terms.Takes.Bytes}
	}
	for _, s := range shares {
		for {
			list, used := m.in(s)
			if fits(used, more, s.Most) {
				break
			}
			list = slices.DeleteFunc(list, func(o *entry) bool { return o == e })
			if !s.Evicts || !fits(bounded.Amount{}, takes, s.Most) || len(list) == 0 || list[0].terms.Promised.After(m.now) {
				return false
			}
			if s.Kind == "" && m.fair.Count > 0 {
				m.remove(m.yields(e, shares[0].Of))
				continue
			}
			m.remove(list[0])
		}
	}
	return true
}

func (m *model) put(key string, value int, t bounded.Terms, shares []bounded.Share) bool {
	if old := m.get(key); old != nil {
		m.remove(old)
	}
	if !m.room(nil, t.Takes, shares) {
		return false
	}
	m.uses++
	if list, _ := m.ofOwner(shares[0].Of); len(list) == 0 {
		m.born[shares[0].Of] = m.uses
	}
	m.entries = append(m.entries, &entry{key, value, t, shares, m.uses})
	return true
}

// shortage is the wait for room in a share.
func (m *model) shortage(s bounded.Share, takes bounded.Amount) (short bool, wait time.Duration) {
	list, used := m.in(s)
	if fits(used, takes, s.Most) {
		return false, 0
	}
	for _, e := range list {
		used.Count -= e.terms.Takes.Count
		used.Bytes -= e.terms.Takes.Bytes
		if e.terms.Promised.Equal(bounded.Never) {
			break
		}
		if fits(used, takes, s.Most) {
			return true, e.terms.Promised.Sub(m.now)
		}
	}
	return true, 0
}

// order is that of All.
func (m *model) order() (keys []string) {
	until := func(e *entry) time.Time {
		if e.terms.Expires.IsZero() {
			return bounded.Never
		}
		return e.terms.Expires
	}
	list := slices.Clone(m.entries)
	slices.SortFunc(list, func(a, b *entry) int { return cmp.Or(until(a).Compare(until(b)), cmp.Compare(a.used, b.used)) })
	for _, e := range list {
		keys = append(keys, e.key)
	}
	return keys
}

// A driver does the same to a store and to its model.
type driver struct {
	*rand.Rand
	t       *testing.T
	clock   time.Time
	store   *bounded.Store[string, int]
	model   model
	dropped []string
	all     bounded.Share
	own     bounded.Share // of whom is filled in
}

func newDriver(t *testing.T, seed uint64) *driver {
	d := &driver{Rand: rand.New(rand.NewPCG(seed, 1)), t: t, clock: time.Unix(1_800_000_000, 0)}
	d.store = bounded.New(func() time.Time { return d.clock }, func(it *bounded.Item[string, int]) { d.dropped = append(d.dropped, it.Key) })
	limit := func(n int) bounded.Amount { // of some none, and of a few nothing
		return bounded.Amount{Count: int64(max(d.IntN(n), -1)), Bytes: int64(max(d.IntN(20*n)-n, -1))}
	}
	d.all = bounded.Share{Most: limit(40), Evicts: d.IntN(2) == 0}
	d.own = bounded.Share{Kind: "owner", Most: limit(12), Evicts: d.IntN(2) == 0}
	d.model.born = make(map[string]int)
	if d.IntN(2) == 0 {
		d.model.fair = bounded.Amount{Count: 40, Bytes: 400}
		d.store.Rank("owner", d.model.fair)
	}
	return d
}

func (d *driver) shares(key string) []bounded.Share {
	own, group := d.own, d.own
	own.Of, group.Of, group.Kind = key[:2], key[:1], "group"
	group.Most.Count *= 2
	return []bounded.Share{own, group, d.all}
}

// time is a moment in the next minute, or none, or any.
func (d *driver) time() time.Time {
	switch d.IntN(5) {
	case 0:
		return time.Time{}
	case 1:
		return bounded.Never
	}
	return d.clock.Add(time.Duration(d.IntN(60)) * time.Second)
}

func (d *driver) terms() bounded.Terms {
	t := bounded.Terms{Takes: bounded.Amount{Count: int64(d.IntN(3)), Bytes: int64(d.IntN(30))}, Expires: d.time()}
	switch d.IntN(3) {
	case 0:
		t.Promised = t.Expires
	case 1:
		t.Promised = d.time()
	}
	return t
}

func (d *driver) step(i int) {
	d.store.Lock()
	defer d.store.Unlock()
	d.model.lock(d.clock)
	key := fmt.Sprint(d.IntN(2), d.IntN(3), "-", d.IntN(8))
	it, e := d.store.Get(key), d.model.get(key)
	if (it == nil) != (e == nil) || it != nil && (it.Value != e.value || it.Takes != e.terms.Takes || !it.Promised.Equal(e.terms.Promised)) {
		d.t.Fatalf("step %d: %s is %+v, in the model %+v", i, key, it, e)
	}
	switch op := d.IntN(20); {
	case op < 10 || it == nil:
		t, shares := d.terms(), d.shares(key)
		short, wait := d.model.shortage(shares[0], t.Takes)
		if got := d.store.Shortage(shares[0], t.Takes); (got != nil) != short || got != nil && got.Wait != wait {
			d.t.Fatalf("step %d: the shortage is %+v, want %t, %v", i, got, short, wait)
		}
		if got, want := d.store.Put(key, i, t, shares...) != nil, d.model.put(key, i, t, shares); got != want {
			d.t.Fatalf("step %d: Put(%s, %+v, %+v) = %t, want %t", i, key, t, shares, got, want)
		}
	case op < 14:
		t := d.terms()
		d.store.Renew(it, t.Expires, t.Promised)
		d.model.uses++
		e.used, t.Takes = d.model.uses, e.terms.Takes
		e.terms = t
	case op < 17:
		takes := d.terms().Takes
		want := d.model.room(e, takes, e.shares)
		if got := d.store.Resize(it, takes, e.shares...); got != want {
			d.t.Fatalf("step %d: Resize = %t, want %t", i, got, want)
		}
		if want {
			e.terms.Takes = takes
		}
	case op < 19 || i%50 != 0:
		d.model.remove(e)
		if !d.store.Remove(it) || d.store.Remove(it) {
			d.t.Fatalf("step %d: an item is removed twice, or not at all", i)
		}
	default:
		d.store.Clear()
		for _, e := range slices.Clone(d.model.entries) {
			d.model.remove(e)
		}
	}
	d.compare(i)
}

func (d *driver) compare(i int) {
	var keys []string
	for it := range d.store.All() {
		keys = append(keys, it.Key)
	}
	if want := d.model.order(); !slices.Equal(keys, want) || d.store.Len() != len(want) {
		d.t.Fatalf("step %d: there are %v, want %v", i, keys, want)
	}
	shares := make(map[string]bool)
	for _, e := range d.model.entries {
		for _, s := range e.shares {
			shares[s.Kind+" "+s.Of] = true
		}
	}
	if d.store.Shares() != len(shares) {
		d.t.Fatalf("step %d: %d shares are remembered, want %d", i, d.store.Shares(), len(shares))
	}
	slices.Sort(d.dropped) // what expires at one time, and what is cleared, has no order
	slices.Sort(d.model.dropped)
	if !slices.Equal(d.dropped, d.model.dropped) {
		d.t.Fatalf("step %d: dropped were %v, want %v", i, d.dropped, d.model.dropped)
	}
	d.dropped, d.model.dropped = nil, nil
}

// TestStoreIsItsModel holds that a store does what a plain list would, whatever is done
// to it, and whatever its clock shows.
func TestStoreIsItsModel(t *testing.T) {
	for seed := range uint64(60) {
		d := newDriver(t, seed)
		for i := range 1500 {
			d.clock = d.clock.Add(time.Duration(d.IntN(4)) * time.Second)
			if d.IntN(100) == 0 {
				d.clock = d.clock.Add(time.Duration(d.IntN(7)-3) * time.Minute)
			}
			d.step(i)
		}
	}
}

func one(until time.Time) bounded.Terms {
	return bounded.Terms{Takes: bounded.Amount{Count: 1}, Expires: until, Promised: until}
}

// TestSizesDoNotOverflow holds that no size is so large that it seems to be small.
func TestSizesDoNotOverflow(t *testing.T) {
	s := bounded.New[int, int](nil, nil)
	all := bounded.Share{Most: bounded.Amount{Bytes: 100}}
	s.Lock()
	defer s.Unlock()
	s.Put(1, 1, bounded.Terms{Takes: bounded.Amount{Bytes: 60}}, all)
	huge := bounded.Amount{Bytes: math.MaxInt64}
	if short := s.Shortage(all, huge); short == nil || !short.Bytes || short.Wait != 0 {
		t.Errorf("the shortage is %+v", short)
	}
	if s.Put(2, 2, bounded.Terms{Takes: huge}, all) != nil {
		t.Error("there is room for everything")
	}
}

// TestLockSurvivesAClockThatPanics holds that an embedder's clock cannot leave the store
// locked.
func TestLockSurvivesAClockThatPanics(t *testing.T) {
	panics := true
	s := bounded.New[int, int](func() time.Time {
		if panics {
			panic("no clock")
		}
		return time.Now()
	}, nil)
	func() {
		defer func() { _ = recover() }()
		s.Lock()
	}()
	panics = false
	s.Lock()
	defer s.Unlock()
	if s.Now().IsZero() {
		t.Error("there is no time")
	}
}

// TestStoreOfManyAtOnce is for the race detector, and holds that no share takes more
// than it may.
func TestStoreOfManyAtOnce(t *testing.T) {
	s := bounded.New[int, int](nil, nil)
	all := bounded.Share{Most: bounded.Amount{Count: 50}}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			own := bounded.Share{Kind: "owner", Of: fmt.Sprint(i), Most: bounded.Amount{Count: 10}, Evicts: true}
			for n := range 500 {
				s.Lock()
				if it := s.Put(1000*i+n, n, bounded.Terms{Takes: bounded.Amount{Count: 1}}, own, all); it != nil && n%3 == 0 {
					s.Renew(it, s.Now().Add(time.Duration(n)*time.Microsecond), time.Time{})
				}
				if s.Len() > 50 {
					t.Errorf("%d items", s.Len())
				}
				s.Unlock()
			}
		})
	}
	wg.Wait()
}

func ExampleStore() {
	seen := bounded.New[string, string](nil, nil)
	all := bounded.Share{Most: bounded.Amount{Count: 2}, Evicts: true}
	takes := bounded.Terms{Takes: bounded.Amount{Count: 1}}

	seen.Lock()
	defer seen.Unlock()
	seen.Put("a", "the first", takes, all)
	seen.Put("b", "the second", takes, all)
	seen.Renew(seen.Get("a"), time.Time{}, time.Time{}) // a use
	seen.Put("c", "the third", takes, all)
	for it := range seen.All() {
		fmt.Println(it.Key, it.Value)
	}
	// Output:
	// a the first
	// c the third
}

// BenchmarkStore is a claim, a use and the expiry of a promise among n others.
func BenchmarkStore(b *testing.B) {
	for _, n := range []int{100, 10_000, 1_000_000} {
		b.Run(fmt.Sprintf("items=%d", n), func(b *testing.B) {
			now := time.Unix(0, 0)
			s := bounded.New[int, int](func() time.Time { return now }, nil)
			put := func(i int) *bounded.Item[int, int] {
				now = now.Add(time.Second)
				s.Lock()
				defer s.Unlock()
				own := bounded.Share{Kind: "owner", Of: owners[i%len(owners)]}
				return s.Put(i, i, one(now.Add(time.Duration(n)*time.Second)), own, bounded.Share{})
			}
			for i := range n {
				put(i)
			}
			b.ReportAllocs()
			b.ResetTimer()
			for i := n; b.Loop(); i++ {
				it := put(i)
				s.Lock()
				s.Renew(it, it.Expires, it.Promised)
				s.Unlock()
			}
			if s.Len() > n {
				b.Fatalf("%d items", s.Len())
			}
		})
	}
}

var owners = []string{"ada", "bob", "eve", "joe", "kim", "lea", "max"}
