// Package bounded keeps values for a while, within bounds: for all of them, for each
// owner, or for any other set that must not take more than its share.
//
//	kept := bounded.New[string, *Result](nil, nil)
//	all := bounded.Share{Most: bounded.Amount{Bytes: 64 << 20}}
//
//	kept.Lock() // drops what has expired
//	defer kept.Unlock()
//	takes, until := bounded.Amount{Count: 1, Bytes: size}, kept.Now().Add(10*time.Minute)
//	own := bounded.Share{Kind: "owner", Of: owner, Most: bounded.Amount{Count: 16}}
//	if kept.Put(id, result, bounded.Terms{Takes: takes, Expires: until, Promised: until}, own, all) == nil {
//		return errNoRoom
//	}
//
// # How it works
//
// One queue has all items in the order in which they expire. Each share has its sum, and
// a queue in the order in which promises end: its first item is the one that goes when
// the share is full and evicts. Of equal promises, the item whose last use is the oldest
// is the first. So a store without promises is an LRU, and one whose items are promised
// until they expire refuses what is too much. A promise may end in between.
//
// The duties of the store: expiry, by a clock that never goes back; the sums; the choice
// of what goes; forgetting the shares of owners who have nothing. An operation takes a
// time that is logarithmic in the number of items. There is one lock and no goroutine.
//
// # Limits
//
// Nothing expires by itself: an item that has expired goes at the next use of the store.
package bounded

import (
	"iter"
	"math"
	"sync"
	"time"
)

// A Store keeps values by key. Its lock is held for all methods but Lock. A user with a
// lock of its own may hold that instead, and calls Sweep where others call Lock.
type Store[K comparable, V any] struct {
	clock   func() time.Time
	dropped func(*Item[K, V])

	mu     sync.Mutex
	now    time.Time
	uses   uint64 // of items, which puts them into an order
	items  map[K]*Item[K, V]
	expiry queue[K, V]
	shares map[shareID]*queue[K, V]
}

// An Item is a value in a store. It may be read under the lock. Only the value may be
// changed.
type Item[K comparable, V any] struct {
	Key   K
	Value V
	Terms

	used   uint64
	queues []*queue[K, V] // the one by expiry, then the shares; nil when it is not in the store
}

// Terms say how much an item takes and for how long it stays.
type Terms struct {
	Takes Amount
	// Expires is when the item goes. Zero is never.
	Expires time.Time
	// Promised is until when the item does not give way to others. Zero is no promise,
	// [Never] is one without an end.
	Promised time.Time
}

// Never is later than any time that a clock shows.
var Never = time.Unix(1<<40, 0)

// lasting returns t with the time of what never expires.
func (t Terms) lasting() Terms {
	if t.Expires.IsZero() {
		t.Expires = Never
	}
	return t
}

// An Amount is a number of things and their size, in whatever units a store counts.
type Amount struct{ Count, Bytes int64 }

func (a Amount) plus(b Amount) Amount  { return Amount{sum(a.Count, b.Count), sum(a.Bytes, b.Bytes)} }
func (a Amount) minus(b Amount) Amount { return Amount{a.Count - b.Count, a.Bytes - b.Bytes} }

// sum returns a + b, or the largest number if that is larger.
func sum(a, b int64) int64 {
	if a > 0 && b > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + b
}

// within reports whether a is no more than most, of which a zero member is no limit.
func (a Amount) within(most Amount) bool {
	return (most.Count == 0 || a.Count <= most.Count) && (most.Bytes == 0 || a.Bytes <= most.Bytes)
}

// A Share is a set of items that are bounded together. Kind and Of name it, and may be
// empty.
type Share struct {
	Kind, Of string
	// Most is what the items may take. A zero member is no limit, and a negative one
	// leaves room for nothing.
	Most Amount
	// Evicts says that items whose promise has ended give way to a further one.
	// Otherwise there is no room for it.
	Evicts bool
}

type shareID struct{ kind, of string }

func (s *Share) id() shareID { return shareID{s.Kind, s.Of} }

// New returns an empty store. A nil clock is time.Now. dropped, if it is not nil, is
// called under the lock with each item that goes, for whatever reason.
func New[K comparable, V any](clock func() time.Time, dropped func(*Item[K, V])) *Store[K, V] {
	if clock == nil {
		clock = time.Now
	}
	if dropped == nil {
		dropped = func(*Item[K, V]) {}
	}
	return &Store[K, V]{
		clock: clock, dropped: dropped, items: make(map[K]*Item[K, V]), shares: make(map[shareID]*queue[K, V]),
		expiry: queue[K, V]{by: func(it *Item[K, V]) time.Time { return it.Expires }},
	}
}

// Lock takes the lock and drops what has expired.
func (s *Store[K, V]) Lock() {
	now := s.clock() // before: it may be an embedder's, and panic
	s.mu.Lock()
	s.sweep(now)
}

// Unlock gives the lock back.
func (s *Store[K, V]) Unlock() { s.mu.Unlock() }

// Sweep drops what has expired.
func (s *Store[K, V]) Sweep() { s.sweep(s.clock()) }

func (s *Store[K, V]) sweep(now time.Time) {
	if now.After(s.now) {
		s.now = now
	}
	for it := s.expiry.first(nil); it != nil && !s.now.Before(it.Expires); it = s.expiry.first(nil) {
		s.Remove(it)
	}
}

// Now returns the time of the last Lock or Sweep.
func (s *Store[K, V]) Now() time.Time { return s.now }

// Len returns the number of items.
func (s *Store[K, V]) Len() int { return len(s.items) }

// Get returns the item under a key, nil if there is none.
func (s *Store[K, V]) Get(key K) *Item[K, V] { return s.items[key] }

// All yields the items in the order in which they expire, and those of one time in the
// order of their last use. The loop must not change the store.
func (s *Store[K, V]) All() iter.Seq[*Item[K, V]] { return s.expiry.all }

// Put keeps a value, in place of one under the same key, which goes in any case. It
// returns nil if one of the shares has no room. Those named before it may have evicted
// items by then.
func (s *Store[K, V]) Put(key K, value V, t Terms, shares ...Share) *Item[K, V] {
	if old := s.items[key]; old != nil {
		s.Remove(old)
	}
	if !s.makeRoom(nil, t.Takes, shares) {
		return nil
	}
	it := &Item[K, V]{Key: key, Value: value, queues: make([]*queue[K, V], 1, 1+len(shares))}
	it.queues[0] = &s.expiry
	for i := range shares {
		it.queues = append(it.queues, s.open(shares[i].id()))
	}
	s.items[key] = it
	s.enter(it, t)
	return it
}

// enter puts an item into its queues.
func (s *Store[K, V]) enter(it *Item[K, V], t Terms) {
	s.uses++
	it.used, it.Terms = s.uses, t.lasting()
	for _, q := range it.queues {
		q.insert(it)
	}
}

// Renew notes a use of an item, and until when it stays and is promised from now on:
// later than before, or sooner.
func (s *Store[K, V]) Renew(it *Item[K, V], expires, promised time.Time) {
	for _, q := range it.queues {
		q.remove(it)
	}
	s.enter(it, Terms{it.Takes, expires, promised})
}

// Resize changes how much an item takes, and reports false if one of the shares has no
// room for that. They are those that the item was put with.
func (s *Store[K, V]) Resize(it *Item[K, V], takes Amount, shares ...Share) bool {
	if !s.makeRoom(it, takes, shares) {
		return false
	}
	for _, q := range it.queues {
		q.used = q.used.minus(it.Takes).plus(takes)
	}
	it.Takes = takes
	return true
}

// Remove takes an item out and reports whether it was in.
func (s *Store[K, V]) Remove(it *Item[K, V]) bool {
	if it.queues == nil {
		return false
	}
	for _, q := range it.queues {
		if q.remove(it); q.root == nil {
			delete(s.shares, q.id)
		}
	}
	delete(s.items, it.Key)
	it.queues = nil
	s.dropped(it)
	return true
}

// Clear takes all items out.
func (s *Store[K, V]) Clear() {
	for _, it := range s.items {
		s.Remove(it)
	}
}

// open returns the queue of a share, which begins with its first item.
func (s *Store[K, V]) open(id shareID) *queue[K, V] {
	q := s.shares[id]
	if q == nil {
		q = &queue[K, V]{id: id, by: func(it *Item[K, V]) time.Time { return it.Promised }}
		s.shares[id] = q
	}
	return q
}

// makeRoom evicts until there is room for an item that is to take so much, and reports
// whether there is. it is nil for a further one, and is not evicted itself.
func (s *Store[K, V]) makeRoom(it *Item[K, V], takes Amount, shares []Share) bool {
	more := takes
	if it != nil {
		more = takes.minus(it.Takes)
	}
	for i := range shares {
		of := &shares[i]
		for q := s.shares[of.id()]; !q.sum().plus(more).within(of.Most); {
			victim := q.first(it)
			if !of.Evicts || !takes.within(of.Most) || victim == nil || victim.Promised.After(s.now) {
				return false
			}
			s.Remove(victim)
		}
	}
	return true
}

// A Shortage says why a share has no room.
type Shortage struct {
	Bytes bool // it is bytes that are missing, not a number
	// Wait is the time until enough promises have ended. Zero is never.
	Wait time.Duration
}

// Shortage returns why a share has no room, nil if it has.
func (s *Store[K, V]) Shortage(of Share, takes Amount) *Shortage {
	q := s.shares[of.id()]
	left := q.sum()
	need := left.plus(takes)
	if need.within(of.Most) {
		return nil
	}
	short := &Shortage{Bytes: need.within(Amount{Count: of.Most.Count})}
	for it := range q.all {
		if left = left.minus(it.Takes); it.Promised.Equal(Never) {
			break
		}
		if left.plus(takes).within(of.Most) {
			short.Wait = it.Promised.Sub(s.now)
			break
		}
	}
	return short
}
