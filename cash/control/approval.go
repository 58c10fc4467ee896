package control

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// Approvals let a person decide about calls, for the rules of a [Policy] that
// say [RequireApproval]. Whoever comes first in this list decides:
//
//  1. the embedder's own hook, [ApprovalOptions.Approve];
//  2. the person at the client, by MCP elicitation, if the client has it: a
//     client up to 2025-11-25 is asked while the call waits, a later one by the
//     result, and makes the call again with the answer;
//  3. the operator: the call is refused with an id, which [Approvals.Pending]
//     lists and [Approvals.Approve] lets through; the same call then passes once.
//
// An approval is for one call of one owner ([registry.Call.Owner]), of the
// function as it is defined, with the same arguments in any order. It holds for
// all rounds of a call in which the function itself asks the client for more.
// What is foreign, used, expired or made up is as good as none. An approval that
// waited for its call goes on waiting if the call surely did not run. A no is for
// one call as well: making it again asks again.
//
// Where the client is asked while the call waits, it waits for half of its time
// at most. The person may answer later: the next call of the same sort is what
// the answer is for. An approval cannot be kept so for callers that cannot be
// told from one another.
//
// Approvals are safe for concurrent use.
type Approvals struct{ opts ApprovalOptions }

// ApprovalOptions configure [Approvals]. Nil is fine.
type ApprovalOptions struct {
	// Approve decides in place of a person, or asks one in its own way. Allow and
	// Deny decide; RequireApproval and the zero value leave it to the others, and
	// an error refuses the call. Nil decides nothing.
	Approve func(ctx context.Context, r *ApprovalRequest) (Decision, error)
	// OperatorOnly does not ask clients: elicitation takes a client's word that
	// there is a person, and an agent may be its own. False asks them.
	OperatorOnly bool
	// MaxAge is how long a question stays open, and then an approval that waits
	// for its call. Zero is 10 minutes.
	MaxAge time.Duration
	// Max bounds how many calls wait in memory for a person, or for their next round.
	// While there are so many, further ones are refused. Zero is 1000.
	Max int
	// MaxPerOwner bounds those of one owner; one more takes the place of the
	// owner's oldest. Those who cannot be told from one another share a quarter of
	// Max, and so do those for whom one server asks that mounts this one. Zero is
	// 16.
	MaxPerOwner int
	// Store keeps what waits. Nil is the memory of this process.
	Store ApprovalStore
}

// An ApprovalRequest is a call that a person is to decide about.
type ApprovalRequest struct {
	// ID is how the operator names it. It is empty for what operators are not
	// asked.
	ID string
	// Function is the function that would run.
	Function *registry.Function
	// Class is that of the function; nobody has verified it. See [ClassOf].
	Class Class
	// Caller may be nil.
	Caller *registry.Caller
	// Reason is that of the rule; it may be empty.
	Reason string
	// Text is the question for a person to read: the function, its class, and the
	// arguments, cleaned, without secrets, and cut where they are long.
	Text string
	// Arguments are all of them, for [ApprovalOptions.Approve]. They are not kept,
	// and nil elsewhere.
	Arguments json.RawMessage
	// Asked is when, and Expires until when the question is open.
	Asked, Expires time.Time
}

// NewApprovals returns approvals of which none is given.
func NewApprovals(opts *ApprovalOptions) *Approvals {
	var o ApprovalOptions
	if opts != nil {
		o = *opts
	}
	o.MaxAge = cmp.Or(o.MaxAge, 10*time.Minute)
	o.Max = cmp.Or(o.Max, 1000)
	o.MaxPerOwner = max(cmp.Or(o.MaxPerOwner, 16), 1)
	if o.Store == nil {
		o.Store = newTickets(o.Max, o.MaxPerOwner, o.MaxAge)
	}
	return &Approvals{o}
}

// Pending returns what waits for the operator, the oldest first.
func (a *Approvals) Pending(ctx context.Context) ([]ApprovalRequest, error) {
	return a.opts.Store.Pending(ctx)
}

// Approve lets the call that has the id pass, once its caller makes it again. It
// reports whether there is such a call that waits for the operator.
func (a *Approvals) Approve(ctx context.Context, id string) (bool, error) {
	return a.opts.Store.Settle(ctx, id, byOperator, Allow)
}

// Deny is Approve for a no, of which the caller is told when it makes the call
// again.
func (a *Approvals) Deny(ctx context.Context, id string) (bool, error) {
	return a.opts.Store.Settle(ctx, id, byOperator, Deny)
}

// An asking is a call on its way to a decision.
type asking struct {
	*Approvals
	call    *registry.Call
	reason  string
	binding string           // what makes the call the same one again
	request *ApprovalRequest // once somebody is to be asked
	given   *Ticket          // the approval that had waited for the call
}

// Who approved, as [Audit] says it.
const (
	byHook     = "hook"
	byClient   = "client"
	byOperator = "operator"
)

// run runs a call once it has been approved.
func (a *Approvals) run(ctx context.Context, c *registry.Call, reason string, next registry.Handler) (*registry.Result, error) {
	s := &asking{Approvals: a, call: c, reason: reason, binding: bindingOf(c)}
	answered, err := s.answered(ctx)
	if err != nil {
		return nil, err
	}
	if answered != nil && answered.By != "" { // it has been approved in an earlier round
		return s.proceed(ctx, answered, s.call.Client.Answers, next)
	}
	by, asks, err := s.decide(ctx, answered)
	switch {
	case err != nil:
		return nil, err
	case asks != nil:
		return asks, nil
	case ctx.Err() != nil: // its caller has been told that it ended
		s.release(ctx)
		e := notAllowed(c, "The call ended before it was approved.")
		e.Kind = registry.Canceled
		return nil, e
	}
	return s.proceed(ctx, &Ticket{By: by}, nil, next)
}

// answered returns the ticket that the client brings back, if it is one for this
// call. It is used up by that.
func (s *asking) answered(ctx context.Context) (*Ticket, error) {
	c := s.call.Client
	if c == nil || c.State == "" {
		return nil, nil
	}
	t, err := s.take(ctx, c.State, s.binding)
	if err != nil || t == nil || t.Waits { // what waits is for no client to bring
		return nil, err
	}
	return t, nil
}

// take takes a ticket out of the store, nil if it is not there.
func (s *asking) take(ctx context.Context, id, call string) (*Ticket, error) {
	t, err := s.opts.Store.Take(ctx, id, call)
	if err != nil {
		return nil, s.refused(err)
	}
	return t, nil
}

// decide returns who approved, or else the result that asks the client, or an
// error.
func (s *asking) decide(ctx context.Context, answered *Ticket) (by string, asks *registry.Result, err error) {
	if answered != nil {
		return byClient, nil, s.verdict(approves(s.call.Client.Answers[approvalKey]))
	}
	if s.call.Owner() != "" {
		t, err := s.take(ctx, "", s.binding)
		if err != nil {
			return "", nil, err
		}
		if t != nil {
			s.given = t
			return t.By, nil, s.verdict(t.Decision)
		}
	}
	s.request = newRequest(s.call, s.reason, s.opts.MaxAge)
	if d, err := s.hook(ctx); err != nil || d == Allow {
		return byHook, nil, err
	}
	switch c := s.call.Client; {
	case c == nil || s.opts.OperatorOnly:
	case c.Elicit != nil:
		if d, err := s.elicit(ctx); err != nil || d == Allow {
			return byClient, nil, err
		}
	case c.TakesInputRequests:
		asks, err := s.inputRequest(ctx)
		return "", asks, err
	}
	return "", nil, s.operator(ctx)
}

// verdict is the error of what is not a yes.
func (s *asking) verdict(d Decision) error {
	if d == Allow {
		return nil
	}
	e := notAllowed(s.call, "The person who was asked did not approve this call of `"+s.call.Function.Name()+"`. It was not run.")
	e.Hint = "Do not make it again unless the user wants that; it would be asked again."
	e.Details = map[string]any{"approval": "declined"}
	return e
}

func (s *asking) hook(ctx context.Context) (Decision, error) {
	if s.opts.Approve == nil {
		return "", nil
	}
	r := *s.request
	r.Arguments = s.call.Arguments
	d, err := s.opts.Approve(ctx, &r)
	switch {
	case err != nil:
		e := notAllowed(s.call, "This call of `"+s.call.Function.Name()+"` needs an approval, and asking for it failed. It was not run.")
		e.Hint, e.Err = "Try again later, or go on without it.", err
		e.Details = map[string]any{"approval": "failed"}
		return "", e
	case d == Deny:
		return "", s.verdict(Deny)
	}
	return d, nil
}

// proceed runs the function, in a round of its own: it gets the state and the
// answers that are meant for it, and none of ours.
func (s *asking) proceed(ctx context.Context, t *Ticket, answers mcp.InputResponseMap, next registry.Handler) (*registry.Result, error) {
	note(ctx, func(r *record) { r.approval = t.By })
	c := *s.call
	if c.Client != nil {
		client := *c.Client
		client.State, client.Answers = t.State, answers
		c.Client = &client
	}
	res, err := next(ctx, &c)
	if err != nil && registry.AsError(err).NotRun {
		s.release(ctx)
	}
	if err != nil || res == nil || res.InputRequests == nil {
		return res, err
	}
	round := s.ticket()
	round.By, round.State = t.By, res.RequestState
	if _, err := s.ask(ctx, round); err != nil {
		err.NotRun = false
		return nil, err
	}
	held := *res
	held.RequestState = round.ID
	return &held, nil
}

// release lets the approval that had waited wait on: the call has not run.
func (s *asking) release(ctx context.Context) {
	if s.given != nil {
		ctx, done := afterwards(ctx)
		defer done()
		_, _ = s.opts.Store.Ask(ctx, s.given) // without it, the person is asked again
	}
}

// ticket returns a new one for the call.
func (s *asking) ticket() *Ticket {
	return &Ticket{
		ID: rand.Text(), Owner: s.call.Owner(), Call: s.binding,
		Expires: time.Now().Add(s.opts.MaxAge), Settled: make(chan struct{}),
	}
}

// ask keeps a ticket, and returns it or the one that waits already.
func (s *asking) ask(ctx context.Context, t *Ticket) (*Ticket, *registry.Error) {
	t, err := s.opts.Store.Ask(ctx, t)
	if err != nil {
		return nil, s.refused(err)
	}
	return t, nil
}

// refused is the error of a call that a store stands in the way of.
func (s *asking) refused(err error) *registry.Error {
	if !errors.Is(err, ErrNoRoom) {
		return notRun(s.call, "What waits for a person cannot be reached now.", "Try again in a moment.", err)
	}
	e := notRun(s.call, "Too many calls wait for a person.", "Try again in a few minutes.", nil)
	e.Kind = registry.RateLimited
	return e
}

func bindingOf(c *registry.Call) string {
	h := sha256.New()
	writeBinding(h, c)
	return hex.EncodeToString(h.Sum(nil))
}
