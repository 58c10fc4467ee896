package control

import (
	"context"
	"time"

	"github.com/cash-mcp/go-sdk/internal/bounded"
)

// A Ticket is a call that comes back: with the decision of a person, or to have it, or
// for its next round. It may be read by anyone. Only its store changes it.
type Ticket struct {
	// ID is unguessable. It is the state that the client brings back, or what the
	// operator calls it.
	ID string
	// Owner is [registry.Call.Owner]: empty is nobody that could be told from another.
	Owner string
	// Call identifies what the call must be: the same owner, function and arguments.
	Call string
	// Waits says that a person is to decide. Otherwise the client brings the ID back.
	Waits bool
	// By is who approved, or will have: "hook", "client", "operator". It is empty where
	// the client brings back the answer itself.
	By string
	// State is that of the function, for its next round.
	State string
	// Request is what the operator is asked, nil if somebody else is. Its Function does
	// not leave the process.
	Request *ApprovalRequest
	Expires time.Time

	// Settled is closed with the decision, or when there will be none: the ticket has
	// expired, or has been taken out. Decision is read after that; zero is none.
	Settled  chan struct{}
	Decision Decision
}

// An ApprovalStore keeps tickets for [Approvals]. The one in memory serves one process;
// replicas of a server share another, so that a call may be asked about on one of them
// and decided about on the next.
//
// Duties of an implementer: it is safe for concurrent use; each method is one step,
// whoever else calls it; nothing comes out twice, or after it has expired; it bounds what
// it keeps in all, for each owner, and for all owners together that begin with the same
// text before a NUL, because one caller may name any number of those; it closes Settled
// of the tickets that Ask has returned; it answers within the deadline of ctx. Any error
// refuses the call.
type ApprovalStore interface {
	// Ask keeps a ticket. If it waits, and another one of the same Call waits already,
	// that one is returned in its place. One with a decision was taken out before, and is
	// put back whatever its owner has. The error is [ErrNoRoom] if there are too many.
	Ask(ctx context.Context, t *Ticket) (*Ticket, error)
	// Settle notes the first decision about a ticket that waits for by, and reports
	// whether it is one. The zero decision takes the ticket out.
	Settle(ctx context.Context, id, by string, d Decision) (settled bool, err error)
	// Take takes a ticket of the call out and returns it, nil if there is none. With an
	// id, that is the one that a client brings back, or that its person has decided
	// about. Without, it is the one that waited and has a decision.
	Take(ctx context.Context, id, call string) (*Ticket, error)
	// Pending returns what waits for the operator, the oldest first.
	Pending(ctx context.Context) ([]ApprovalRequest, error)
}

// tickets is the [ApprovalStore] in memory. A ticket gives way to further ones of its
// owner from the beginning, the oldest first.
type tickets struct {
	most, mostPerOwner int64
	age                time.Duration

	out     *bounded.Store[string, *Ticket] // by ID
	waiting map[string]*Ticket              // by call
}

func newTickets(most, mostPerOwner int, age time.Duration) *tickets {
	s := &tickets{most: int64(most), mostPerOwner: int64(mostPerOwner), age: age, waiting: make(map[string]*Ticket)}
	s.out = bounded.New(nil, s.end)
	return s
}

// end makes a ticket void. Whoever waits for its decision need not.
func (s *tickets) end(it *bounded.Item[string, *Ticket]) {
	t := it.Value
	if s.waiting[t.Call] == t {
		delete(s.waiting, t.Call)
	}
	if t.Decision == "" {
		close(t.Settled)
	}
}

// Ask implements [ApprovalStore]. One too many of an owner takes the place of the owner's
// oldest. Those for whom one caller says that it calls may have a quarter of the room
// together, and so may those who cannot be told from others.
func (s *tickets) Ask(_ context.Context, t *Ticket) (*Ticket, error) {
	s.out.Lock()
	defer s.out.Unlock()
	if other := s.waiting[t.Call]; t.Waits && other != nil {
		return other, nil
	}
	terms := bounded.Terms{Takes: bounded.Amount{Count: 1}, Expires: t.Expires, Promised: t.Expires.Add(-s.age)}
	if s.out.Put(t.ID, t, terms, s.shares(t)...) == nil {
		return nil, ErrNoRoom
	}
	if t.Waits {
		s.waiting[t.Call] = t
	}
	return t, nil
}

// shares are those of the ticket's owner, if it has one, of those with whom it shares, if
// there are any, and of all.
func (s *tickets) shares(t *Ticket) (list []bounded.Share) {
	own, together := bounded.Amount{Count: s.mostPerOwner}, bounded.Amount{Count: max(s.most/4, 1)}
	if t.Decision != "" {
		own, together = bounded.Amount{}, bounded.Amount{}
	}
	if t.Owner != "" {
		list = append(list, bounded.Share{Kind: "owner", Of: t.Owner, Most: own, Evicts: true})
	}
	if by := recognised(t.Owner); t.Owner == "" || t.Owner != by {
		list = append(list, bounded.Share{Kind: "together", Of: by, Most: together, Evicts: true})
	}
	return append(list, bounded.Share{Most: bounded.Amount{Count: s.most}})
}

// Settle implements [ApprovalStore].
func (s *tickets) Settle(_ context.Context, id, by string, d Decision) (bool, error) {
	s.out.Lock()
	defer s.out.Unlock()
	switch it := s.out.Get(id); {
	case it == nil || !it.Value.Waits || it.Value.By != by:
		return false, nil
	case d == "":
		s.out.Remove(it)
	case it.Value.Decision != "":
		return false, nil
	default:
		it.Value.Decision = d
		close(it.Value.Settled)
	}
	return true, nil
}

// Take implements [ApprovalStore].
func (s *tickets) Take(_ context.Context, id, call string) (*Ticket, error) {
	s.out.Lock()
	defer s.out.Unlock()
	if t := s.waiting[call]; t != nil && t.Decision != "" && id == "" {
		s.out.Remove(s.out.Get(t.ID))
		return t, nil
	}
	it := s.out.Get(id)
	if it == nil || it.Value.Call != call {
		return nil, nil
	}
	if t := it.Value; !t.Waits || t.Decision != "" && t.By == byClient {
		s.out.Remove(it)
		return it.Value, nil
	}
	return nil, nil
}

// Pending implements [ApprovalStore].
func (s *tickets) Pending(context.Context) (list []ApprovalRequest, err error) {
	s.out.Lock()
	defer s.out.Unlock()
	for it := range s.out.All() {
		if t := it.Value; t.Request != nil && t.Decision == "" {
			list = append(list, *t.Request)
		}
	}
	return list, nil
}
