package control

import (
	"context"
	"time"

	"github.com/cash-mcp/go-sdk/internal/bounded"
)

// A Ticket is a call that comes back: with a person's decision, to get one, or for its next round. Anyone may read it.
// Only its store changes it.
type Ticket struct {
	// ID is unguessable. The client brings it back as its state, or the operator names it.
	ID string
	// Owner is [registry.Call.Owner]. It is empty if the caller cannot be told from others.
	Owner string
	// Call identifies equal calls: the same owner, function and arguments.
	Call string
	// Waits means that a person has to decide. Otherwise the client brings the ID back.
	Waits bool
	// By is the approver: "hook", "client", "operator". It is empty if the client brings back the answer itself.
	By string
	// State is the function's state for its next round.
	State string
	// Request is the question to the operator, nil if somebody else is asked. Its Function does not leave the process.
	Request *ApprovalRequest
	Expires time.Time

	// Settled is closed when there is a decision, or when there will be none because the ticket has expired or was
	// removed. Read Decision after that; its zero value is no decision.
	Settled  chan struct{}
	Decision Decision
}

// An ApprovalStore keeps tickets for [Approvals]. The default lives in memory and serves one process. Replicas of a
// server can share another, so that one replica asks and another gets the decision.
//
// Duties of an implementer:
//
//   - It is safe for concurrent use, and each method is atomic.
//   - It returns nothing twice, and nothing that has expired.
//   - It bounds the tickets in total, per owner, and for all owners together that have the same text before a NUL,
//     because one caller may invent any number of those.
//   - It closes Settled of the tickets that Ask has returned.
//   - It answers within the deadline of ctx.
//
// Any error refuses the call.
type ApprovalStore interface {
	// Ask stores a ticket. If the ticket waits and another one of the same Call waits already, Ask returns the other. A
	// ticket with a decision was taken before; it is put back regardless of the owner's limit. The error is [ErrNoRoom]
	// if there are too many.
	Ask(ctx context.Context, t *Ticket) (*Ticket, error)
	// Settle records the first decision of by about a waiting ticket, and reports whether it did. The zero decision
	// removes the ticket.
	Settle(ctx context.Context, id, by string, d Decision) (settled bool, err error)
	// Take removes a ticket of the call and returns it, nil if there is none. With an id, it is the ticket that a
	// client brings back or that its person has decided. Without, it is the ticket of the call that has a decision.
	Take(ctx context.Context, id, call string) (*Ticket, error)
	// Pending returns the requests that wait for the operator, oldest first.
	Pending(ctx context.Context) ([]ApprovalRequest, error)
}

// tickets is the [ApprovalStore] in memory. A new ticket may always replace the oldest ones of its owner.
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

// end voids a ticket and wakes everybody who waits for its decision.
func (s *tickets) end(it *bounded.Item[string, *Ticket]) {
	t := it.Value
	if s.waiting[t.Call] == t {
		delete(s.waiting, t.Call)
	}
	if t.Decision == "" {
		close(t.Settled)
	}
}

// Ask implements [ApprovalStore]. At the limit of an owner, a new ticket replaces the owner's oldest. All owners that
// one caller names share a quarter of the room, and so do all callers that cannot be told apart.
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

// shares returns the shares that a ticket counts in: of its owner if it has one, of the group that its owner belongs to
// if any, and of all.
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
