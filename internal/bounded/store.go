// Package bounded keeps values for a limited time and within limits: in total, per owner, and for any other set of
// items.
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
// One queue holds all items by expiry. Each share has its sum, and a queue of its items by the end of their promises.
// If a share is full and evicts, the first item of that queue goes: the one with the earliest promise, and among equal
// ones the least recently used. So a store without promises is an LRU. A store whose items are promised until they
// expire refuses items instead. Promises in between are possible. Rank makes eviction fair between shares.
//
// The store handles expiry, with a clock that never goes back; the sums; the choice of the evicted item; and the
// removal of empty shares. An operation takes time logarithmic in the number of items. There is one lock and no
// goroutine.
//
// # Limits
//
// Nothing expires by itself: an expired item is removed at the next use of the store.
package bounded

import (
	"iter"
	"math"
	"sync"
	"time"
)

// A Store keeps values by key. All methods but Lock need its lock. A user with a lock of its own may hold that instead,
// and then calls Sweep in place of Lock.
type Store[K comparable, V any] struct {
	clock   func() time.Time
	dropped func(*Item[K, V])

	mu     sync.Mutex
	now    time.Time
	uses   uint64 // counts uses of items, for their order
	items  map[K]*Item[K, V]
	expiry *queue[K, V]
	shares map[shareID]*queue[K, V]
	opened uint64 // counts shares, for their order
	rank   ranking[K, V]
}

// An Item is a value in a store. Read it under the lock. Only Value may be changed.
type Item[K comparable, V any] struct {
	Key   K
	Value V
	Terms

	used   uint64
	queues []*queue[K, V] // the one by expiry, then the shares; nil after removal
}

// Terms are the amount and the lifetime of an item.
type Terms struct {
	Takes Amount
	// Expires is when the item is removed. Zero is never.
	Expires time.Time
	// Promised is the time until which the item cannot be evicted. Zero is no promise, [Never] is forever.
	Promised time.Time
}

// Never is later than any time of a clock.
var Never = time.Unix(1<<40, 0)

// lasting returns t with a zero Expires replaced by Never.
func (t Terms) lasting() Terms {
	if t.Expires.IsZero() {
		t.Expires = Never
	}
	return t
}

// An Amount is a number of items and their size, in units of the store's user.
type Amount struct{ Count, Bytes int64 }

func (a Amount) plus(b Amount) Amount  { return Amount{sum(a.Count, b.Count), sum(a.Bytes, b.Bytes)} }
func (a Amount) minus(b Amount) Amount { return Amount{a.Count - b.Count, a.Bytes - b.Bytes} }

// sum returns a + b, or the largest int64 on overflow.
func sum(a, b int64) int64 {
	if a > 0 && b > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + b
}

// within reports whether a is at most most. A zero member of most is no limit.
func (a Amount) within(most Amount) bool {
	return (most.Count == 0 || a.Count <= most.Count) && (most.Bytes == 0 || a.Bytes <= most.Bytes)
}

// A Share is a set of items with a common limit. Kind and Of name it, and may be empty.
type Share struct {
	Kind, Of string
	// Most is the limit of the items. A zero member is no limit; a negative one allows nothing.
	Most Amount
	// Evicts means that a new item may evict items whose promise has ended. Otherwise a full share refuses it.
	Evicts bool
}

type shareID struct{ kind, of string }

func (s *Share) id() shareID { return shareID{s.Kind, s.Of} }

// New returns an empty store. A nil clock is time.Now. dropped, unless nil, is called under the lock with each removed
// item, whatever the reason.
func New[K comparable, V any](clock func() time.Time, dropped func(*Item[K, V])) *Store[K, V] {
	if clock == nil {
		clock = time.Now
	}
	if dropped == nil {
		dropped = func(*Item[K, V]) {}
	}
	return &Store[K, V]{
		clock: clock, dropped: dropped, items: make(map[K]*Item[K, V]), shares: make(map[shareID]*queue[K, V]),
		expiry: newQueue(func(it *Item[K, V]) time.Time { return it.Expires }),
	}
}

// Lock takes the lock and removes expired items.
func (s *Store[K, V]) Lock() {
	now := s.clock() // before locking: an embedder's clock may panic
	s.mu.Lock()
	s.sweep(now)
}

// Unlock releases the lock.
func (s *Store[K, V]) Unlock() { s.mu.Unlock() }

// Sweep removes expired items.
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

// Used returns the sum of the items of a share.
func (s *Store[K, V]) Used(of Share) Amount { return s.shares[of.id()].sum() }

// Get returns the item with a key, nil if there is none.
func (s *Store[K, V]) Get(key K) *Item[K, V] { return s.items[key] }

// All yields the items by expiry, and for equal times by last use. The loop must not change the store.
func (s *Store[K, V]) All() iter.Seq[*Item[K, V]] { return s.expiry.items }

// Put stores a value. An item with the same key is always removed. Put returns nil if a share has no room. Shares
// before that one may have evicted items by then.
func (s *Store[K, V]) Put(key K, value V, t Terms, shares ...Share) *Item[K, V] {
	if old := s.items[key]; old != nil {
		s.Remove(old)
	}
	if !s.makeRoom(nil, t.Takes, shares) {
		return nil
	}
	it := &Item[K, V]{Key: key, Value: value, queues: make([]*queue[K, V], 1, 1+len(shares))}
	it.queues[0] = s.expiry
	for i := range shares {
		it.queues = append(it.queues, s.open(shares[i].id()))
	}
	s.items[key] = it
	s.enter(it, t)
	return it
}

// enter adds an item to its queues.
func (s *Store[K, V]) enter(it *Item[K, V], t Terms) {
	s.uses++
	it.used, it.Terms = s.uses, t.lasting()
	for _, q := range it.queues {
		s.move(q, it.Takes, func() { q.insert(it) })
	}
}

// leave removes an item from a queue.
func (s *Store[K, V]) leave(q *queue[K, V], it *Item[K, V]) {
	s.move(q, Amount{}.minus(it.Takes), func() { q.remove(it) })
}

// Renew records a use of an item, and sets its new expiry and promise, later or sooner than before.
func (s *Store[K, V]) Renew(it *Item[K, V], expires, promised time.Time) {
	for _, q := range it.queues {
		s.leave(q, it)
	}
	s.enter(it, Terms{it.Takes, expires, promised})
}

// Resize changes the amount of an item, and reports false if a share has no room for it. shares must be those of its
// Put.
func (s *Store[K, V]) Resize(it *Item[K, V], takes Amount, shares ...Share) bool {
	if !s.makeRoom(it, takes, shares) {
		return false
	}
	for _, q := range it.queues {
		s.move(q, takes.minus(it.Takes), func() {})
	}
	it.Takes = takes
	return true
}

// Remove removes an item and reports whether it was in the store.
func (s *Store[K, V]) Remove(it *Item[K, V]) bool {
	if it.queues == nil {
		return false
	}
	for _, q := range it.queues {
		if s.leave(q, it); q.root == nil {
			delete(s.shares, q.id)
		}
	}
	delete(s.items, it.Key)
	it.queues = nil
	s.dropped(it)
	return true
}

// Clear removes all items.
func (s *Store[K, V]) Clear() {
	for _, it := range s.items {
		s.Remove(it)
	}
}

// open returns the queue of a share, and creates it if it does not exist.
func (s *Store[K, V]) open(id shareID) *queue[K, V] {
	q := s.shares[id]
	if q == nil {
		q = newQueue(func(it *Item[K, V]) time.Time { return it.Promised })
		s.opened++
		q.id, q.born = id, s.opened
		s.shares[id] = q
	}
	return q
}

// makeRoom evicts items until there is room for an item of amount takes, and reports whether there is. it is nil for a
// new item; an existing one is not evicted itself.
func (s *Store[K, V]) makeRoom(it *Item[K, V], takes Amount, shares []Share) bool {
	more := takes
	if it != nil {
		more = takes.minus(it.Takes)
	}
	for i := range shares {
		of := &shares[i]
		for q := s.shares[of.id()]; !q.sum().plus(more).within(of.Most); {
			if !of.Evicts || !takes.within(of.Most) {
				return false
			}
			victim := s.victim(it, shares, i)
			if victim == nil {
				return false
			}
			s.Remove(victim)
		}
	}
	return true
}

// A Shortage says why a share has no room.
type Shortage struct {
	Bytes bool // bytes are missing, not a count
	// Wait is the time until enough promises end. Zero is never.
	Wait time.Duration
}

// Shortage returns why a share has no room, nil if it has room.
func (s *Store[K, V]) Shortage(of Share, takes Amount) *Shortage {
	q := s.shares[of.id()]
	left := q.sum()
	need := left.plus(takes)
	if need.within(of.Most) {
		return nil
	}
	short := &Shortage{Bytes: need.within(Amount{Count: of.Most.Count})}
	for it := range q.items {
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
