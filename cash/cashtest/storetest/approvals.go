package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/registry"
)

const (
	byClient   = "client"
	byOperator = "operator"
)

// Approvals are the duties of a [control.ApprovalStore]. Room is the number of tickets, RoomPerOwner that of one owner.
// The store bounds all owners with the same text before a NUL to a quarter of its Room, as the one in memory does.
func Approvals(subject Subject[control.ApprovalStore]) []Row {
	s := newSuite(subject)
	type stores = []control.ApprovalStore
	s.add("a ticket comes back once, as it was", 2, func(ctx context.Context, r stores) error {
		t := s.ticket("1", "call")
		t.Owner, t.By, t.State = "ada\x00\xff", "hook", "state \x00\xff"
		want := *t
		if err := asks(ctx, r[0], t)(); err != nil {
			return err
		}
		back, err := r[1].Take(ctx, "1", "call")
		if err != nil || back == nil || back.ID != want.ID || back.Owner != want.Owner || back.Call != want.Call || back.Waits || back.By != want.By ||
			back.State != want.State || !back.Expires.Equal(want.Expires) || back.Decision != "" || back.Request != nil {
			return broken(err, "took %+v, want %+v", back, want)
		}
		return missing(ctx, r[0], "1", "call")()
	})
	s.add("a ticket is for its call", 2, func(ctx context.Context, r stores) error {
		return steps(
			asks(ctx, r[0], s.ticket("1", "call")),
			missing(ctx, r[1], "1", "Call"), missing(ctx, r[1], "1", ""), missing(ctx, r[1], "2", "call"), missing(ctx, r[1], "", "call"),
			taken(ctx, r[1], "1", "call", ""),
		)
	})
	s.add("one of many takes a ticket", 2, func(ctx context.Context, r stores) error {
		if err := asks(ctx, r[0], s.ticket("1", "call"))(); err != nil {
			return err
		}
		won, err := crowd(8, func(i int) (bool, error) {
			t, err := r[i%2].Take(ctx, "1", "call")
			return t != nil, err
		})
		if err != nil || won != 1 {
			return broken(err, "%d of 8 took a ticket", won)
		}
		return nil
	})
	s.add("equal calls wait for one ticket", 2, func(ctx context.Context, r stores) error {
		first := s.waiting("1", "call", byClient)
		other, err := r[0].Ask(ctx, first)
		if err != nil || other == nil || other.ID != "1" {
			return broken(err, "asked for 1, got %+v", other)
		}
		for _, id := range []string{"2", "3"} {
			t, err := r[1].Ask(ctx, s.waiting(id, "call", byOperator))
			if err != nil || t == nil || t.ID != "1" || t.By != byClient {
				return broken(err, "an equal call waits for %+v, want ticket 1", t)
			}
		}
		return nil
	})
	s.add("the first decision of the approver counts", 3, func(ctx context.Context, r stores) error {
		return steps(
			asks(ctx, r[0], s.waiting("1", "call", byOperator)),
			settles(ctx, r[1], "1", byClient, control.Allow, false),
			settles(ctx, r[1], "2", byOperator, control.Allow, false),
			missing(ctx, r[2], "", "call"),
			settles(ctx, r[1], "1", byOperator, control.Deny, true),
			settles(ctx, r[0], "1", byOperator, control.Allow, false),
			taken(ctx, r[2], "", "call", control.Deny),
			missing(ctx, r[2], "", "call"),
			settles(ctx, r[0], "1", byOperator, control.Allow, false),
		)
	})
	s.add("one of many settles a ticket", 2, func(ctx context.Context, r stores) error {
		if err := asks(ctx, r[0], s.waiting("1", "call", byOperator))(); err != nil {
			return err
		}
		won, err := crowd(8, func(i int) (bool, error) {
			return r[i%2].Settle(ctx, "1", byOperator, []control.Decision{control.Allow, control.Deny}[i%2])
		})
		if err != nil || won != 1 {
			return broken(err, "%d of 8 settled a ticket", won)
		}
		return nil
	})
	s.add("a ticket that waits for the operator is not the client's to bring", 1, func(ctx context.Context, r stores) error {
		return steps(
			asks(ctx, r[0], s.waiting("1", "call", byOperator)),
			missing(ctx, r[0], "1", "call"),
			settles(ctx, r[0], "1", byOperator, control.Allow, true),
			missing(ctx, r[0], "1", "call"),
			taken(ctx, r[0], "", "call", control.Allow),
		)
	})
	s.add("a decision reaches all who wait", 3, func(ctx context.Context, r stores) error {
		first, err1 := r[0].Ask(ctx, s.waiting("1", "call", byClient))
		second, err2 := r[1].Ask(ctx, s.waiting("2", "call", byClient))
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		return steps(
			settles(ctx, r[2], "1", byClient, control.Allow, true),
			s.settled(first, control.Allow), s.settled(second, control.Allow),
			taken(ctx, r[1], "1", "call", control.Allow),
		)
	})
	s.add("the zero decision removes a ticket", 2, func(ctx context.Context, r stores) error {
		t, err := r[0].Ask(ctx, s.waiting("1", "call", byClient))
		if err != nil {
			return err
		}
		return steps(
			settles(ctx, r[1], "1", byClient, "", true),
			s.settled(t, ""),
			missing(ctx, r[0], "", "call"),
			settles(ctx, r[1], "1", byClient, "", false),
		)
	})
	s.add("an expired ticket is gone", 2, func(ctx context.Context, r stores) error {
		lasting := s.waiting("2", "other", byOperator)
		t := s.waiting("1", "call", byOperator)
		t.Expires, t.Request = s.Now().Add(100*time.Millisecond), &control.ApprovalRequest{ID: "1"}
		t, err := r[0].Ask(ctx, t)
		if err != nil {
			return err
		}
		return steps(
			asks(ctx, r[0], lasting),
			func() error { s.wait(150 * time.Millisecond); return nil },
			settles(ctx, r[1], "1", byOperator, control.Allow, false),
			pending(ctx, r[1]),
			s.settled(t, ""),
			settles(ctx, r[1], "2", byOperator, control.Allow, true),
		)
	})
	s.add("the operator's requests are listed", 2, func(ctx context.Context, r stores) error {
		asked := s.Now().Add(-time.Second).UTC()
		request := func(i int) *control.ApprovalRequest {
			return &control.ApprovalRequest{
				ID: fmt.Sprint(i), Class: control.Destructive, Reason: "reason", Text: "text \u2028 <&>", Asked: asked, Expires: s.soon(),
				Caller: &registry.Caller{ID: "ada", Roles: []string{"admin"}, Attributes: map[string]string{"team": "x"}},
			}
		}
		var want []control.ApprovalRequest
		for i := range 4 {
			t := s.waiting(fmt.Sprint(i), fmt.Sprint("call ", i), byOperator)
			t.Expires = t.Expires.Add(time.Duration(i) * time.Millisecond)
			t.Request = request(i)
			want = append(want, *t.Request)
			if err := asks(ctx, r[i%2], t)(); err != nil {
				return err
			}
		}
		return steps(
			asks(ctx, r[0], s.waiting("9", "call 9", byClient)),
			pending(ctx, r[1], want...),
			settles(ctx, r[0], "1", byOperator, control.Allow, true),
			pending(ctx, r[1], want[0], want[2], want[3]),
		)
	})
	s.add("a ticket can be put back", 2, func(ctx context.Context, r stores) error {
		err := steps(
			asks(ctx, r[0], s.waiting("1", "call", byOperator)),
			settles(ctx, r[1], "1", byOperator, control.Allow, true),
		)
		if err != nil {
			return err
		}
		t, err := r[1].Take(ctx, "", "call")
		if err != nil || t == nil {
			return broken(err, "no ticket with its decision")
		}
		return steps(asks(ctx, r[1], t), taken(ctx, r[0], "", "call", control.Allow), missing(ctx, r[0], "", "call"))
	})
	s.add("an owner's oldest tickets give way", 1, func(ctx context.Context, r stores) error {
		var first *control.Ticket
		for i := range s.RoomPerOwner + 1 {
			t := s.waiting(fmt.Sprint(i), fmt.Sprint("call ", i), byOperator)
			t.Owner, t.Expires = "ada", t.Expires.Add(time.Duration(i)*time.Millisecond)
			if i == 0 {
				first = t
			}
			if err := asks(ctx, r[0], t)(); err != nil {
				return err
			}
		}
		return steps(
			s.settled(first, ""),
			settles(ctx, r[0], "0", byOperator, control.Allow, false),
			settles(ctx, r[0], "1", byOperator, control.Allow, true),
		)
	}).unless(s.RoomPerOwner > 0, "the subject has no RoomPerOwner")
	for _, group := range []struct{ name, owner string }{
		{"the owners that one caller names share a quarter", "mount\x00%d"},
		{"the callers that cannot be told apart share a quarter", ""},
	} {
		s.add(group.name, 1, func(ctx context.Context, r stores) error {
			n := max(s.Room/4, 1) + 1
			for i := range n {
				t := s.ticket(fmt.Sprint(i), fmt.Sprint("call ", i))
				if t.Expires = t.Expires.Add(time.Duration(i) * time.Millisecond); group.owner != "" {
					t.Owner = fmt.Sprintf(group.owner, i)
				}
				if err := asks(ctx, r[0], t)(); err != nil {
					return err
				}
			}
			return steps(missing(ctx, r[0], "0", "call 0"), taken(ctx, r[0], "1", "call 1", ""))
		}).unless(s.Room > 0, noRoom)
	}
	s.add("a full store forgets nothing", 1, func(ctx context.Context, r stores) error {
		ticket := func(i int) *control.Ticket {
			t := s.ticket(fmt.Sprint(i), fmt.Sprint("call ", i))
			t.Owner = fmt.Sprint("owner ", i)
			return t
		}
		for i := range s.Room {
			if err := asks(ctx, r[0], ticket(i))(); err != nil {
				return fmt.Errorf("ticket %d of %d: %w", i, s.Room, err)
			}
		}
		if t, err := r[0].Ask(ctx, ticket(s.Room)); !errors.Is(err, control.ErrNoRoom) {
			return broken(err, "a ticket beyond the room: %+v; want ErrNoRoom", t)
		}
		for i := range s.Room {
			if err := taken(ctx, r[0], fmt.Sprint(i), fmt.Sprint("call ", i), "")(); err != nil {
				return fmt.Errorf("ticket %d of a full store: %w", i, err)
			}
		}
		return nil
	}).unless(s.Room > 0, noRoom)
	s.add("answers come within the deadline", 1, func(ctx context.Context, r stores) error {
		return prompt(ctx, func(ctx context.Context) {
			_, _ = r[0].Ask(ctx, s.waiting("1", "call", byOperator))
			_, _ = r[0].Settle(ctx, "1", byOperator, control.Allow)
			_, _ = r[0].Take(ctx, "", "call")
			_, _ = r[0].Pending(ctx)
		})
	})
	return s.rows
}

// ticket returns a ticket that the client brings back.
func (s *suite[S]) ticket(id, call string) *control.Ticket {
	return &control.Ticket{ID: id, Call: call, Expires: s.soon(), Settled: make(chan struct{})}
}

// waiting returns a ticket that waits for a person.
func (s *suite[S]) waiting(id, call, by string) *control.Ticket {
	t := s.ticket(id, call)
	t.Owner, t.Waits, t.By = "owner of "+call, true, by
	return t
}

// asks is a step: the ticket is stored.
func asks(ctx context.Context, a control.ApprovalStore, t *control.Ticket) func() error {
	return func() error {
		got, err := a.Ask(ctx, t)
		if err != nil || got == nil || got.ID != t.ID {
			return broken(err, "Ask(%q): %+v", t.ID, got)
		}
		return nil
	}
}

// taken is a step: Take returns a ticket of the call with the decision.
func taken(ctx context.Context, a control.ApprovalStore, id, call string, want control.Decision) func() error {
	return func() error {
		t, err := a.Take(ctx, id, call)
		if err != nil || t == nil || t.Call != call || t.Decision != want {
			return broken(err, "Take(%q, %q): %+v; want one with decision %q", id, call, t, want)
		}
		return nil
	}
}

// missing is a step: Take returns nothing.
func missing(ctx context.Context, a control.ApprovalStore, id, call string) func() error {
	return func() error {
		if t, err := a.Take(ctx, id, call); t != nil || err != nil {
			return broken(err, "Take(%q, %q): %+v; want nothing", id, call, t)
		}
		return nil
	}
}

func settles(ctx context.Context, a control.ApprovalStore, id, by string, d control.Decision, want bool) func() error {
	return func() error {
		if did, err := a.Settle(ctx, id, by, d); did != want || err != nil {
			return broken(err, "Settle(%q, %q, %q): %v, want %v", id, by, d, did, want)
		}
		return nil
	}
}

// settled is a step: those who wait for the ticket learn the decision soon. A store may notice what has expired at its
// next use.
func (s *suite[S]) settled(t *control.Ticket, want control.Decision) func() error {
	return func() error {
		select {
		case <-t.Settled:
		case <-time.After(2 * time.Second):
			return fmt.Errorf("ticket %q: Settled is open", t.ID)
		}
		if t.Decision != want {
			return fmt.Errorf("ticket %q has the decision %q, want %q", t.ID, t.Decision, want)
		}
		return nil
	}
}

func pending(ctx context.Context, a control.ApprovalStore, want ...control.ApprovalRequest) func() error {
	return func() error {
		list, err := a.Pending(ctx)
		if err != nil || !slices.EqualFunc(list, want, equalRequests) {
			return broken(err, "pending are %+v, want %+v", list, want)
		}
		return nil
	}
}

func equalRequests(a, b control.ApprovalRequest) bool {
	return a.ID == b.ID && a.Class == b.Class && a.Reason == b.Reason && a.Text == b.Text && a.Asked.Equal(b.Asked) &&
		a.Expires.Equal(b.Expires) && reflect.DeepEqual(a.Caller, b.Caller)
}
