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
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// Approvals ask a person about calls, for the rules of a [Policy] that decide [RequireApproval]. The first of these
// that can decide does:
//
//  1. the embedder's own hook, [ApprovalOptions.Approve];
//  2. the person at the client, by MCP elicitation, if the client supports it. A client up to 2025-11-25 is asked while
//     the call waits. A later one is asked by the result, and repeats the call with the answer;
//  3. the operator: the call is refused with an id. [Approvals.Pending] lists it, and [Approvals.Approve] lets the
//     repeated call pass once.
//
// An approval holds for one call of one owner ([registry.Call.Owner]), of the function as defined, with the same
// arguments in any order. It covers all rounds of a call in which the function asks the client for more. A foreign,
// used, expired or invented approval counts as none. An approval stays valid if its call surely did not run. A refusal
// also holds for one call only: a repeated call asks again.
//
// If the client is asked while the call waits, the call waits for half of its time at most. A later answer is kept for
// the next equal call, except for callers that cannot be told apart.
//
// Approvals are safe for concurrent use.
type Approvals struct{ opts ApprovalOptions }

// ApprovalOptions configure [Approvals]. Nil means all defaults.
type ApprovalOptions struct {
	// Approve decides in place of a person, or asks one in its own way. Allow and Deny decide. RequireApproval and the
	// zero value pass the question on. An error refuses the call. Nil passes everything on.
	Approve func(ctx context.Context, r *ApprovalRequest) (Decision, error)
	// OperatorOnly never asks clients. Elicitation trusts the client that there is a person, but an agent may answer
	// for itself. False asks clients.
	OperatorOnly bool
	// MaxAge is how long a question stays open, and how long an approval then waits for its call. Zero is 10 minutes.
	MaxAge time.Duration
	// Max bounds the calls in memory that wait for a person or for their next round. At the limit further calls are
	// refused. Zero is 1000.
	Max int
	// MaxPerOwner bounds the waiting calls of one owner; one more replaces the owner's oldest. All owners that cannot
	// be told apart share a quarter of Max. So do all owners that one mounting server names. Zero is 16.
	MaxPerOwner int
	// Store keeps the waiting calls. Nil is the memory of this process.
	Store ApprovalStore
}

// An ApprovalRequest is a call that needs a person's decision.
type ApprovalRequest struct {
	// ID identifies the request for the operator. It is empty if operators are not asked.
	ID string
	// Function is the function that would run. It is nil in a list of pending requests if another process has asked.
	Function *registry.Function
	// Class is the class of the function, unverified. See [ClassOf].
	Class Class
	// Caller may be nil.
	Caller *registry.Caller
	// Reason is the reason of the rule. It may be empty.
	Reason string
	// Text is the question for the person: the function, its class and the arguments, cleaned, redacted, and cut if
	// long.
	Text string
	// Arguments are the full arguments, for [ApprovalOptions.Approve] only. They are not stored, and nil elsewhere.
	Arguments json.RawMessage
	// Asked is the time of the question, Expires its end.
	Asked, Expires time.Time
}

// NewApprovals returns approvals with no open questions.
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

// Pending returns the requests that wait for the operator, oldest first.
func (a *Approvals) Pending(ctx context.Context) ([]ApprovalRequest, error) {
	return a.opts.Store.Pending(ctx)
}

// Approve lets the call with the id pass when its caller repeats it. It reports whether such a call waits for the
// operator.
func (a *Approvals) Approve(ctx context.Context, id string) (bool, error) {
	return a.opts.Store.Settle(ctx, id, byOperator, Allow)
}

// Deny refuses the call with the id. The caller learns it when it repeats the call.
func (a *Approvals) Deny(ctx context.Context, id string) (bool, error) {
	return a.opts.Store.Settle(ctx, id, byOperator, Deny)
}

// An asking is a call that waits for a decision. It is used by the policy's middleware.
type asking struct {
	*Approvals
	call    *registry.Call
	reason  string
	binding string           // identifies equal calls
	request *ApprovalRequest // nil until somebody is asked
	given   *Ticket          // the approval that the call has used up
}

// The approvers, as [Audit] names them.
const (
	byHook     = "hook"
	byClient   = "client"
	byOperator = "operator"
)

// run runs a call after its approval.
func (a *Approvals) run(ctx context.Context, c *registry.Call, reason string, next registry.Handler) (*registry.Result, error) {
	s := &asking{Approvals: a, call: c, reason: reason, binding: bindingOf(c)}
	answered, err := s.answered(ctx)
	if err != nil {
		return nil, err
	}
	if answered != nil && answered.By != "" { // approved in an earlier round
		return s.proceed(ctx, answered, s.call.Client.Answers, next)
	}
	by, asks, err := s.decide(ctx, answered)
	switch {
	case err != nil:
		return nil, err
	case asks != nil:
		return asks, nil
	case ctx.Err() != nil: // the caller knows already that the call ended
		s.release(ctx)
		e := notAllowed(c, "The call ended before it was approved.")
		e.Kind = registry.Canceled
		return nil, e
	}
	return s.proceed(ctx, &Ticket{By: by}, nil, next)
}

// answered takes the ticket that the client brings back, if it belongs to this call.
func (s *asking) answered(ctx context.Context) (*Ticket, error) {
	c := s.call.Client
	if c == nil || c.State == "" {
		return nil, nil
	}
	t, err := s.take(ctx, c.State, s.binding)
	if err != nil || t == nil || t.Waits { // a waiting ticket is not the client's to bring
		return nil, err
	}
	return t, nil
}

// take removes a ticket from the store and returns it, or nil if there is none.
func (s *asking) take(ctx context.Context, id, call string) (*Ticket, error) {
	t, err := s.opts.Store.Take(ctx, id, call)
	if err != nil {
		return nil, s.refused(err)
	}
	return t, nil
}

// decide returns the approver, or the result that asks the client, or an error.
func (s *asking) decide(ctx context.Context, answered *Ticket) (by string, asks *registry.Result, err error) {
	if answered != nil {
		d := approves(s.call.Client.Answers[approvalKey])
		s.given = s.ticket()
		s.given.Waits, s.given.By, s.given.Decision, s.given.Expires = true, byClient, d, answered.Expires
		close(s.given.Settled)
		return byClient, nil, s.verdict(d)
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

// verdict returns the error of any decision but Allow.
func (s *asking) verdict(d Decision) error {
	if d == Allow {
		return nil
	}
	e := notAllowed(s.call, "The person who was asked did not approve this call of `"+s.call.Function.Name()+"`. It was not run.")
	e.Hint = "Do not make it again unless the user wants that; it would be asked again."
	e.Details = map[string]any{registry.DetailReason: registry.ReasonApproval, "approval": "declined"}
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
		e.Details = map[string]any{registry.DetailReason: registry.ReasonApproval, "approval": "failed"}
		return "", e
	case d == Deny:
		return "", s.verdict(Deny)
	}
	return d, nil
}

// proceed runs the function in a round of its own. The function gets its own state and answers, without the approval's.
func (s *asking) proceed(ctx context.Context, t *Ticket, answers mcp.InputResponseMap, next registry.Handler) (*registry.Result, error) {
	s.call.Record.Note(func(r *observe.Request) { r.Approval = t.By })
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

// release puts the approval back, because the call did not run. The next equal call finds it, unless its caller cannot
// be told from others.
func (s *asking) release(ctx context.Context) {
	if s.given != nil && s.given.Owner != "" {
		ctx, done := afterwards(ctx)
		defer done()
		_, _ = s.opts.Store.Ask(ctx, s.given) // on an error the person is asked again
	}
}

// ticket returns a new ticket for the call.
func (s *asking) ticket() *Ticket {
	return &Ticket{
		ID: rand.Text(), Owner: s.call.Owner(), Call: s.binding,
		Expires: time.Now().Add(s.opts.MaxAge), Settled: make(chan struct{}),
	}
}

// ask stores a ticket. It returns it, or the equal one that waits already.
func (s *asking) ask(ctx context.Context, t *Ticket) (*Ticket, *registry.Error) {
	t, err := s.opts.Store.Ask(ctx, t)
	if err != nil {
		return nil, s.refused(err)
	}
	return t, nil
}

// refused returns the error of a call that the store has refused or failed.
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
