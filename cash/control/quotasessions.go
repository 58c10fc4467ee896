package control

import (
	"container/list"
	"time"
)

// sessions are what is counted for whom, bounded by the number of counts.
type sessions struct {
	max     int
	counts  int
	byOwner map[string]*session
	lasting *list.List // of *session, the longest unused first
	passing *list.List // the same of owners that can be exchanged at will
}

// session is what one owner has used.
type session struct {
	owner  string
	used   time.Duration
	counts map[string]*count // by scope
	list   *list.List
	place  *list.Element
}

func newSessions(max int) sessions {
	return sessions{max: max, byOwner: make(map[string]*session), lasting: list.New(), passing: list.New()}
}

// count returns what has been counted for the scope, or nil. s may be nil.
func (s *session) count(scope string) *count {
	if s == nil {
		return nil
	}
	return s.counts[scope]
}

func (t *sessions) add(owner string, lasting bool, now time.Duration) *session {
	s := &session{owner: owner, used: now, counts: make(map[string]*count), list: t.passing}
	if lasting {
		s.list = t.lasting
	}
	s.place = s.list.PushBack(s)
	t.byOwner[owner] = s
	return s
}

// touch notes that s is in use. s may be nil.
func (t *sessions) touch(s *session, now time.Duration) {
	if s != nil {
		s.used = now
		s.list.MoveToBack(s.place)
	}
}

// open returns the count of a scope, for which there is room.
func (t *sessions) open(s *session, scope string) *count {
	c := s.counts[scope]
	if c == nil {
		c = new(count)
		s.counts[scope] = c
		t.counts++
	}
	return c
}

func (t *sessions) drop(s *session) {
	t.counts -= len(s.counts)
	s.list.Remove(s.place)
	delete(t.byOwner, s.owner)
}

// makeRoom reports whether there is room for what s will need, after dropping
// those last used before idle and, if that is not enough, those that may be
// dropped. A session that gets no room and has counted nothing goes itself.
func (t *sessions) makeRoom(s *session, charges []charge, idle time.Duration) bool {
	needed := 0
	for _, u := range charges {
		if s.counts[u.scope] == nil {
			needed++
		}
	}
	for t.counts+needed > t.max {
		victim := t.victim(s, idle)
		if victim == nil {
			if len(s.counts) == 0 {
				t.drop(s)
			}
			return false
		}
		t.drop(victim)
	}
	return true
}

// victim returns a session other than s that may be dropped, or nil.
func (t *sessions) victim(s *session, idle time.Duration) *session {
	for _, l := range []*list.List{t.lasting, t.passing} {
		if first := l.Front(); first != nil {
			if v := first.Value.(*session); v != s && v.used <= idle {
				return v
			}
		}
	}
	first := t.passing.Front()
	if first != nil && first.Value == s {
		first = first.Next()
	}
	if first == nil {
		return nil
	}
	return first.Value.(*session)
}
