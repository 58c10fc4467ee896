package bounded

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Places bound work at a time: in all, and for each owner. Work beyond that waits in a short queue, from which owners
// are served in turn, or is refused.
//
//	places := bounded.NewPlaces(bounded.Room{Most: 64, Each: 16, Queue: 16, Reserve: true})
//
//	place, err := places.Take(ctx, bounded.Owner{Name: caller}, time.Second)
//	if err != nil {
//		return err // a *Full, or that of ctx
//	}
//	defer place.Give()
//
// An owner has at most a quarter of the queue, and owners that are not Known have at most three quarters together, so
// that whoever can be recognised finds room.
//
// Take and Give use atomic operations only, as long as there are free places and nobody waits. A waiter costs a scan of
// the owners that wait, with each place that is given.
type Places struct {
	most, strangers, each int32 // places
	queue, mine           int   // waiters

	used    atomic.Int32 // places taken
	strange atomic.Int32 // those of owners that are not known
	waiting atomic.Int32 // at least as many as wait

	owners sync.Map     // of *share, by Owner
	kept   atomic.Int32 // their number
	sweep  atomic.Int32 // the number at which unused ones are removed

	mu        sync.Mutex
	line      []*share // that wait, the next one first
	queued    int      // all waiters
	unknown   int      // those of owners that are not known
	anonymous share    // of owners without a name
}

// Room is how many places there are.
type Room struct {
	Most, Each int  // in all, and for one owner; negative is no limit
	Queue      int  // waiters; without any, nobody waits
	Reserve    bool // owners that are not Known leave a quarter to others
}

// An Owner takes places.
type Owner struct {
	// Kind and Name tell owners apart. Those without a name share a line, and have no limit of their own.
	Kind, Name string
	// Known means that the owner cannot take another name at will.
	Known bool
}

// share is what an owner has. It stays for a while when it has nothing.
type share struct {
	owner   Owner
	most    int32
	refs    atomic.Int32 // who uses it; -1 when it is removed
	used    atomic.Int32
	waiters []chan struct{} // guarded by Places.mu; closed with a place
}

// A Full says that there was no place, and none for whoever waited.
type Full struct {
	Own  bool // the owner has all places that it may have
	Most int  // the number of places
}

// Error implements error.
func (f *Full) Error() string { return fmt.Sprintf("bounded: all %d places are taken", f.Most) }

// A Place is a place taken. The zero Place is none.
type Place struct {
	of  *Places
	own *share
}

// keptOwners is how many owners are kept before unused ones are removed.
const keptOwners = 1024

// NewPlaces returns places, all of them free.
func NewPlaces(r Room) *Places {
	p := &Places{most: limit(r.Most), each: limit(r.Each), queue: int(limit(max(r.Queue, 0)))}
	p.strangers = p.most
	if r.Reserve && p.most < math.MaxInt32 {
		p.strangers -= p.most / 4
	}
	p.mine = max(p.queue/4, 1)
	p.anonymous.most = math.MaxInt32
	p.sweep.Store(keptOwners)
	return p
}

func limit(n int) int32 {
	if n < 0 {
		return math.MaxInt32
	}
	return int32(min(n, math.MaxInt32))
}

// Take takes a place, and waits for one if need be. The error is a *[Full], or that of ctx.
func (p *Places) Take(ctx context.Context, owner Owner, wait time.Duration) (Place, error) {
	s := p.share(owner)
	if p.waiting.Load() == 0 && p.take(s) {
		return Place{p, s}, nil
	}
	if err := p.queueUp(ctx, s, wait); err != nil {
		s.refs.Add(-1)
		return Place{}, err
	}
	return Place{p, s}, nil
}

// Give gives the place back. It is called once.
func (l Place) Give() {
	if l.of == nil {
		return
	}
	l.of.giveBack(l.own)
	l.own.refs.Add(-1)
	if l.of.waiting.Load() > 0 {
		l.of.mu.Lock()
		defer l.of.mu.Unlock()
		l.of.serve()
	}
}

// Used returns how many places are taken, and how many wait for one.
func (p *Places) Used() (taken, waiting int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return int(p.used.Load()), p.queued
}

// take takes a place for s if there is a free one. What it takes in vain, it gives back before the caller looks at the
// queue under the lock: nobody misses a place through it.
func (p *Places) take(s *share) bool {
	if !raise(&p.used, p.most) {
		return false
	}
	if !s.owner.Known && !raise(&p.strange, p.strangers) {
		p.used.Add(-1)
		return false
	}
	if raise(&s.used, s.most) {
		return true
	}
	if !s.owner.Known {
		p.strange.Add(-1)
	}
	p.used.Add(-1)
	return false
}

func (p *Places) giveBack(s *share) {
	s.used.Add(-1)
	if !s.owner.Known {
		p.strange.Add(-1)
	}
	p.used.Add(-1)
}

// raise adds one to n unless it is at its limit.
func raise(n *atomic.Int32, limit int32) bool {
	for {
		is := n.Load()
		if is >= limit {
			return false
		}
		if n.CompareAndSwap(is, is+1) {
			return true
		}
	}
}

// queueUp waits for a place of s.
func (p *Places) queueUp(ctx context.Context, s *share, wait time.Duration) error {
	ready, err := p.enqueue(s, wait > 0)
	if err != nil || ready == nil {
		return err
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(s.waiters, ready)
	if i < 0 {
		return nil // the place came at the same time
	}
	s.waiters = slices.Delete(s.waiters, i, i+1)
	p.left(s)
	if err == nil {
		err = p.full(s)
	}
	return err
}

// enqueue adds a waiter. It returns nil if there is a place after all.
func (p *Places) enqueue(s *share, mayWait bool) (ready chan struct{}, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting.Add(1) // from here on, whoever gives a place comes for the lock
	p.serve()
	if len(s.waiters) == 0 && p.take(s) {
		p.waiting.Add(-1)
		return nil, nil
	}
	full := p.queued >= p.queue || !s.owner.Known && p.unknown >= p.queue-p.queue/4 || s != &p.anonymous && len(s.waiters) >= p.mine
	if full || !mayWait {
		p.waiting.Add(-1)
		return nil, p.full(s)
	}
	ready = make(chan struct{})
	if s.waiters = append(s.waiters, ready); len(s.waiters) == 1 {
		p.line = append(p.line, s)
	}
	p.queued++
	if !s.owner.Known {
		p.unknown++
	}
	return ready, nil
}

// left counts a waiter out. One that was the last of its owner takes it out of the line.
func (p *Places) left(s *share) {
	if len(s.waiters) == 0 {
		s.waiters = nil
		i := slices.Index(p.line, s)
		p.line = slices.Delete(p.line, i, i+1)
	}
	p.queued--
	if !s.owner.Known {
		p.unknown--
	}
	p.waiting.Add(-1)
}

// serve gives free places to those who wait, one to each owner in turn.
func (p *Places) serve() {
	for i := 0; i < len(p.line) && p.used.Load() < p.most; {
		s := p.line[i]
		if !p.take(s) {
			i++ // it waits for its own share
			continue
		}
		close(s.waiters[0])
		s.waiters = slices.Delete(s.waiters, 0, 1)
		if p.left(s); len(s.waiters) > 0 {
			p.line = append(slices.Delete(p.line, i, i+1), s)
		}
	}
}

// full returns the error for an owner without a place.
func (p *Places) full(s *share) error {
	if s.used.Load() >= s.most {
		return &Full{Own: true, Most: int(s.most)}
	}
	return &Full{Most: int(p.most)}
}

// share returns the share of an owner, in use.
func (p *Places) share(owner Owner) *share {
	if owner.Name == "" {
		p.anonymous.refs.Add(1)
		return &p.anonymous
	}
	for {
		if v, ok := p.owners.Load(owner); ok {
			if s, _ := v.(*share); s.enter() {
				return s
			}
			continue // it is being removed
		}
		s := &share{owner: owner, most: p.each}
		s.refs.Store(1)
		if _, there := p.owners.LoadOrStore(owner, s); !there {
			if p.kept.Add(1) >= p.sweep.Load() {
				p.removeUnused()
			}
			return s
		}
	}
}

func (s *share) enter() bool {
	for {
		n := s.refs.Load()
		if n < 0 {
			return false
		}
		if s.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// removeUnused removes the shares that nobody uses. The next time is when there are twice as many.
func (p *Places) removeUnused() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept.Load() < p.sweep.Load() {
		return // somebody else did it
	}
	for owner, v := range p.owners.Range {
		if s, _ := v.(*share); s.refs.CompareAndSwap(0, -1) {
			p.owners.Delete(owner)
			p.kept.Add(-1)
		}
	}
	p.sweep.Store(max(keptOwners, 2*p.kept.Load()))
}
