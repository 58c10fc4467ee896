package control

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
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
type Approvals struct {
	opts    ApprovalOptions
	tickets tickets
}

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
	// Max bounds how many calls wait for a person, or for their next round. While
	// there are so many, further ones are refused. Zero is 1000.
	Max int
	// MaxPerOwner bounds those of one owner; one more takes the place of the
	// owner's oldest. Those who cannot be told from one another share a quarter of
	// Max, and so do those for whom one server asks that mounts this one. Zero is
	// 16.
	MaxPerOwner int
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
	return &Approvals{opts: o, tickets: newTickets(o.Max, o.MaxPerOwner)}
}

// Pending returns what waits for the operator, the oldest first.
func (a *Approvals) Pending() []ApprovalRequest { return a.tickets.pending() }

// Approve lets the call that has the id pass, once its caller makes it again. It
// reports whether there is such a call that waits for the operator.
func (a *Approvals) Approve(id string) bool { return a.tickets.settle(id, Allow) }

// Deny is Approve for a no, of which the caller is told when it makes the call
// again.
func (a *Approvals) Deny(id string) bool { return a.tickets.settle(id, Deny) }

// An asking is a call on its way to a decision.
type asking struct {
	*Approvals
	call    *registry.Call
	reason  string
	binding digest
	request *ApprovalRequest // once somebody is to be asked
	given   *ticket          // the approval that had waited for the call
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
	answered := s.answered()
	if answered != nil && answered.use == nextRound {
		return s.proceed(ctx, answered, s.call.Client.Answers, next)
	}
	by, asks, err := s.decide(ctx, answered)
	switch {
	case err != nil:
		return nil, err
	case asks != nil:
		return asks, nil
	case ctx.Err() != nil: // its caller has been told that it ended
		s.release()
		e := notAllowed(c, "The call ended before it was approved.")
		e.Kind = registry.Canceled
		return nil, e
	}
	return s.proceed(ctx, &ticket{by: by}, nil, next)
}

// answered returns the ticket that the client brings back, if it is one for this
// call. It is used up by that.
func (s *asking) answered() *ticket {
	if c := s.call.Client; c != nil && c.State != "" {
		return s.tickets.redeem(c.State, s.binding)
	}
	return nil
}

// decide returns who approved, or else the result that asks the client, or an
// error.
func (s *asking) decide(ctx context.Context, answered *ticket) (by string, asks *registry.Result, err error) {
	if answered != nil {
		return byClient, nil, s.verdict(approves(s.call.Client.Answers[approvalKey]))
	}
	if s.call.Owner() != "" {
		if t := s.tickets.takeDecided(s.binding); t != nil {
			s.given = t
			return t.by, nil, s.verdict(t.decision)
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
		asks, err := s.inputRequest()
		return "", asks, err
	}
	return "", nil, s.operator()
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
func (s *asking) proceed(ctx context.Context, t *ticket, answers mcp.InputResponseMap, next registry.Handler) (*registry.Result, error) {
	note(ctx, func(r *record) { r.approval = t.by })
	c := *s.call
	if c.Client != nil {
		client := *c.Client
		client.State, client.Answers = t.state, answers
		c.Client = &client
	}
	res, err := next(ctx, &c)
	if err != nil && registry.AsError(err).NotRun {
		s.release()
	}
	if err != nil || res == nil || res.InputRequests == nil {
		return res, err
	}
	round := s.ticket(nextRound)
	round.by, round.state = t.by, res.RequestState
	if !s.tickets.put(round) {
		return nil, s.full()
	}
	held := *res
	held.RequestState = round.handle
	return &held, nil
}

// release lets the approval that had waited wait on: the call has not run.
func (s *asking) release() {
	if s.given != nil {
		s.tickets.putBack(s.given)
	}
}

// ticket returns a new one for the call.
func (s *asking) ticket(use use) *ticket {
	return &ticket{
		use: use, handle: rand.Text(), owner: s.call.Owner(), binding: s.binding,
		expires: time.Now().Add(s.opts.MaxAge), settled: make(chan struct{}),
	}
}

func (s *asking) full() *registry.Error {
	f := s.call.Function
	return &registry.Error{
		Kind: registry.RateLimited, Namespace: f.Namespace(), Name: f.Name(),
		Message: "Too many calls wait for a person.", Hint: "Try again in a few minutes.",
	}
}

func bindingOf(c *registry.Call) (b digest) {
	h := sha256.New()
	writeBinding(h, c)
	h.Sum(b[:0])
	return b
}
