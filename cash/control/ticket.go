package control

import (
	"context"
	"slices"
	"sync"
	"time"
)

// A ticket is a call that comes back: with the decision of a person, or to have
// it, or for its next round.
type ticket struct {
	use     use
	handle  string // unguessable
	owner   string // empty is nobody that could be told from another
	binding digest // what the call must be
	expires time.Time
	by      string           // who approved, or will have
	state   string           // that of the function, for its next round
	request *ApprovalRequest // for operators

	decision Decision      // zero is none yet
	settled  chan struct{} // closed with the decision, or when there will be none
	gone     bool
	cancel   context.CancelFunc // ends the question to the client; nil is none
}

// use is what a ticket is for.
type use uint8

const (
	nextRound  use = iota // the client brings it back as state, with answers for the function
	answer                // the client brings it back as state, with its person's answer
	elicited              // the client's person is being asked, or has answered too late
	atOperator            // the operator decides
)

// shares reports whether the owner is one of any number that one caller may name,
// or is nobody that could be told from others.
func (t *ticket) shares() bool { return t.owner == "" || t.owner != recognised(t.owner) }

// tickets are those that are out. There are few, and they come and go at the
// pace of people: they are looked through one by one.
type tickets struct {
	most, mostPerOwner int

	mu       sync.Mutex
	byHandle map[string]*ticket
	waiting  map[digest]*ticket // elicited and atOperator, of those who have an owner
	order    []*ticket          // the oldest first, which expire first
}

func newTickets(most, mostPerOwner int) tickets {
	return tickets{most: most, mostPerOwner: mostPerOwner, byHandle: make(map[string]*ticket), waiting: make(map[digest]*ticket)}
}

// put keeps a ticket, if there is room. One too many of an owner takes the place
// of the owner's oldest. Those for whom one caller says that it calls may have a
// quarter of the room together, and so may those who cannot be told from others.
func (s *tickets) put(t *ticket) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	return s.putLocked(t)
}

func (s *tickets) putLocked(t *ticket) bool {
	var own, together []*ticket
	for _, other := range s.order {
		if other.owner == t.owner {
			own = append(own, other)
		}
		if t.shares() && other.shares() && recognised(other.owner) == recognised(t.owner) {
			together = append(together, other)
		}
	}
	switch {
	case t.owner != "" && len(own) >= s.mostPerOwner:
		s.remove(own[0])
	case len(together) >= max(s.most/4, 1):
		s.remove(together[0])
	case len(s.order) >= s.most:
		return false
	}
	s.order = append(s.order, t)
	s.byHandle[t.handle] = t
	if t.owner != "" && (t.use == elicited || t.use == atOperator) {
		s.waiting[t.binding] = t
	}
	return true
}

// wait returns the ticket of this call that waits for a decision, or keeps t as
// that; nil if there is no room.
func (s *tickets) wait(t *ticket) *ticket {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	if other := s.waiting[t.binding]; other != nil {
		return other
	}
	if !s.putLocked(t) {
		return nil
	}
	return t
}

// redeem returns the ticket that a client brings back as state, and takes it out.
// One that is for another call stays where it is.
func (s *tickets) redeem(handle string, b digest) *ticket {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	t := s.byHandle[handle]
	if t == nil || t.binding != b || t.use != nextRound && t.use != answer {
		return nil
	}
	s.remove(t)
	return t
}

// takeDecided returns the ticket of a call about which a person has decided, and
// takes it out.
func (s *tickets) takeDecided(b digest) *ticket {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	t := s.waiting[b]
	if t == nil || t.decision == "" {
		return nil
	}
	s.remove(t)
	return t
}

// putBack undoes takeDecided, unless there is something newer.
func (s *tickets) putBack(t *ticket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	if s.waiting[t.binding] != nil || len(s.order) >= s.most {
		return
	}
	at := slices.IndexFunc(s.order, func(other *ticket) bool { return other.expires.After(t.expires) })
	if at < 0 {
		at = len(s.order)
	}
	t.gone = false
	s.order = slices.Insert(s.order, at, t)
	s.byHandle[t.handle], s.waiting[t.binding] = t, t
}

// take takes a ticket out and reports whether it was in.
func (s *tickets) take(t *ticket) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := !t.gone
	s.remove(t)
	return in
}

// decide notes a decision, of which the zero value is that there will be none.
func (s *tickets) decide(t *ticket, d Decision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.decideLocked(t, d)
}

func (s *tickets) decideLocked(t *ticket, d Decision) {
	if t.gone || t.decision != "" {
		return
	}
	if d == "" {
		s.remove(t)
		return
	}
	t.decision = d
	close(t.settled)
}

// settle is the operator's decision.
func (s *tickets) settle(id string, d Decision) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	t := s.byHandle[id]
	if t == nil || t.use != atOperator || t.decision != "" {
		return false
	}
	s.decideLocked(t, d)
	return true
}

func (s *tickets) pending() []ApprovalRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	var list []ApprovalRequest
	for _, t := range s.order {
		if t.use == atOperator && t.decision == "" {
			list = append(list, *t.request)
		}
	}
	return list
}

// expire takes out what is too old.
func (s *tickets) expire() {
	now, n := time.Now(), 0
	for n < len(s.order) && !now.Before(s.order[n].expires) {
		s.end(s.order[n])
		n++
	}
	s.order = slices.Delete(s.order, 0, n)
}

// remove takes a ticket out.
func (s *tickets) remove(t *ticket) {
	if !t.gone {
		s.end(t)
		s.order = slices.DeleteFunc(s.order, func(other *ticket) bool { return other == t })
	}
}

// end makes a ticket void. Whoever waits for its decision need not.
func (s *tickets) end(t *ticket) {
	t.gone = true
	delete(s.byHandle, t.handle)
	if s.waiting[t.binding] == t {
		delete(s.waiting, t.binding)
	}
	if t.decision == "" {
		close(t.settled)
	}
	if t.cancel != nil {
		t.cancel()
	}
}
