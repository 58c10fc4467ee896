package redis

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/registry"
)

// A ticketRecord is a ticket as it is stored. Texts that need not be UTF-8 are bytes.
type ticketRecord struct {
	ID, Owner, Call, State []byte
	By                     string
	Waits                  bool
	Expires                time.Time
	Request                *requestRecord
}

type requestRecord struct {
	ID             string
	Class          control.Class
	Anonymous      bool
	CallerID       []byte
	Roles          []string
	Attributes     map[string]string
	Reason, Text   string
	Asked, Expires time.Time
}

func encodeTicket(t *control.Ticket) ([]byte, error) {
	record := ticketRecord{[]byte(t.ID), []byte(t.Owner), []byte(t.Call), []byte(t.State), t.By, t.Waits, t.Expires, nil}
	if r := t.Request; r != nil {
		record.Request = &requestRecord{ID: r.ID, Class: r.Class, Anonymous: r.Caller == nil, Reason: r.Reason, Text: r.Text, Asked: r.Asked, Expires: r.Expires}
		if who := r.Caller; who != nil {
			record.Request.CallerID, record.Request.Roles, record.Request.Attributes = []byte(who.ID), who.Roles, who.Attributes
		}
	}
	return json.Marshal(record)
}

func decodeTicket(data []byte) (*control.Ticket, error) {
	var record ticketRecord
	if err := json.Unmarshal(data, &record); err != nil {
		return nil, fmt.Errorf("redis: reading a stored ticket: %w", err)
	}
	t := &control.Ticket{
		ID: string(record.ID), Owner: string(record.Owner), Call: string(record.Call), State: string(record.State),
		By: record.By, Waits: record.Waits, Expires: record.Expires, Settled: make(chan struct{}),
	}
	if r := record.Request; r != nil {
		t.Request = &control.ApprovalRequest{ID: r.ID, Class: r.Class, Reason: r.Reason, Text: r.Text, Asked: r.Asked, Expires: r.Expires}
		if !r.Anonymous {
			t.Request.Caller = &registry.Caller{ID: string(r.CallerID), Roles: r.Roles, Attributes: r.Attributes}
		}
	}
	return t, nil
}

// tickets are the tickets without a decision that Ask has returned in this process, by name. They leave when they are
// settled, or when they are gone from the server.
type tickets struct {
	client *Client
	end    func()
	busy   atomic.Bool
	polls  sync.WaitGroup
	ctx    context.Context
	cancel context.CancelFunc

	mu   sync.Mutex
	open map[string][]watched
}

// A watched ticket is confirmed once the server has it.
type watched struct {
	*control.Ticket
	confirmed bool
}

func newTickets(c *Client) *tickets {
	s := &tickets{client: c, open: make(map[string][]watched)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.end = c.news.listen(s.heard)
	return s
}

// close ends all watches. Their tickets have no decision.
func (s *tickets) close() {
	s.end()
	s.cancel()
	s.polls.Wait()
	for _, name := range s.names(true) {
		s.settle(name, "")
	}
}

func (s *tickets) watch(name string, t *control.Ticket, confirmed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[name] = append(s.open[name], watched{t, confirmed})
}

// confirm says that the server has the ticket.
func (s *tickets) confirm(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.open[name] {
		s.open[name][i].confirmed = true
	}
}

// forget ends the watch of a ticket that was not stored.
func (s *tickets) forget(name string, t *control.Ticket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rest []watched
	for _, other := range s.open[name] {
		if other.Ticket != t {
			rest = append(rest, other)
		}
	}
	if s.open[name] = rest; rest == nil {
		delete(s.open, name)
	}
}

// settle gives a decision to the watched tickets of the name, and returns one of them.
func (s *tickets) settle(name string, d control.Decision) (known *control.Ticket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.open[name] {
		t.Decision, known = d, t.Ticket
		close(t.Settled)
	}
	delete(s.open, name)
	return known
}

func (s *tickets) known(name string) *control.Ticket {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.open[name] {
		return t.Ticket
	}
	return nil
}

// names returns the tickets that the server had; all if unconfirmed.
func (s *tickets) names(unconfirmed bool) (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, of := range s.open {
		if unconfirmed || of[0].confirmed {
			list = append(list, name)
		}
	}
	return list
}

// heard takes a message about tickets. Without a topic, it asks the server for all of them, once at a time.
func (s *tickets) heard(topic, text string) {
	switch topic {
	case "ticket":
		name, decision, _ := strings.Cut(text, " ")
		s.settle(name, control.Decision(decision))
	case "":
		if names := s.names(false); names != nil && s.ctx.Err() == nil && s.busy.CompareAndSwap(false, true) {
			s.polls.Go(func() {
				defer s.busy.Store(false)
				s.check(s.ctx, names)
			})
		}
	}
}

// check asks the server for decisions. If it does not answer, the next tick asks again.
func (s *tickets) check(ctx context.Context, names []string) {
	const page = 200
	for len(names) > 0 {
		some := names[:min(page, len(names))]
		names = names[len(some):]
		reply, err := s.client.run(ctx, stateOfTickets, s.client.ticketKeys(), append([]string{s.client.channel()}, some...)...)
		if err != nil {
			return
		}
		states, err := reply.AsStrSlice()
		if err != nil || len(states) != len(some) {
			return
		}
		for i, state := range states {
			switch state {
			case "open":
			case "gone":
				s.settle(some[i], "")
			default:
				s.settle(some[i], control.Decision(state))
			}
		}
	}
}
