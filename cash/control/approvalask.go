package control

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// approvalKey is the id of the question in a result, and the only field of the form.
const (
	approvalKey  = "approval"
	approveField = "approve"
)

var approvalForm = json.RawMessage(`{"type":"object","properties":{"` + approveField +
	`":{"type":"boolean","title":"Approve this call","description":"Yes lets the call run once, with these arguments."}},"required":["` + approveField + `"]}`)

func (s *asking) question() *mcp.ElicitParams {
	return &mcp.ElicitParams{Mode: "form", Message: s.request.Text, RequestedSchema: approvalForm}
}

// approves returns Allow for an accepted yes, and Deny for anything else, including no answer.
func approves(r mcp.InputResponse) Decision {
	if a, ok := r.(*mcp.ElicitResult); ok && a != nil && a.Action == "accept" && a.Content[approveField] == true {
		return Allow
	}
	return Deny
}

// inputRequest asks the client in the result of the call.
func (s *asking) inputRequest(ctx context.Context) (*registry.Result, error) {
	t, err := s.ask(ctx, s.ticket())
	if err != nil {
		return nil, err
	}
	return &registry.Result{InputRequests: mcp.InputRequestMap{approvalKey: s.question()}, RequestState: t.ID}, nil
}

// elicit asks the client and waits for the answer. It returns Allow, or the error of a refusal, or neither if the
// client cannot be asked after all.
func (s *asking) elicit(ctx context.Context) (Decision, error) {
	patience, stop := s.patience(ctx)
	defer stop()
	for {
		t, own, err := s.asked(ctx)
		switch {
		case err != nil:
			return "", err
		case t.By == byOperator:
			return "", nil
		}
		select {
		case <-t.Settled:
			if d, err := s.settled(ctx, t); d != "" || err != nil {
				return d, err
			}
			if t.Decision == "" && own {
				return "", nil
			}
		case <-ctx.Done():
			if own {
				s.withdraw(ctx, t)
			}
			return "", s.unanswered()
		case <-patience:
			if t.Owner == "" {
				s.withdraw(ctx, t)
			}
			return "", s.unanswered()
		}
	}
}

// settled returns Allow or the error of a refusal. It returns neither if there is no decision, or if another call has
// used it: one yes is for one call.
func (s *asking) settled(ctx context.Context, t *Ticket) (Decision, error) {
	if t.Decision == "" {
		return "", nil
	}
	taken, err := s.take(ctx, t.ID, t.Call)
	switch {
	case t.Decision == Deny:
		return "", s.verdict(Deny)
	case err != nil || taken == nil:
		return "", err
	}
	s.given = taken
	return Allow, nil
}

// withdraw cancels the question to the client.
func (s *asking) withdraw(ctx context.Context, t *Ticket) {
	ctx, done := afterwards(ctx)
	defer done()
	_, _ = s.opts.Store.Settle(ctx, t.ID, byClient, "")
}

// patience returns how long a call waits for the person. The rest of its time is for the function.
func (s *asking) patience(ctx context.Context) (<-chan time.Time, func()) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return nil, func() {}
	}
	timer := time.NewTimer(time.Until(deadline) / 2)
	return timer.C, func() { timer.Stop() }
}

// asked returns the ticket of the question to the client, and asks if nobody has yet. The question outlives the call,
// and ends with its ticket.
func (s *asking) asked(ctx context.Context) (t *Ticket, own bool, err error) {
	mine := s.ticket()
	mine.Waits, mine.By = true, byClient
	if mine.Owner == "" { // do not share a question with strangers
		mine.Call += mine.ID
	}
	t, refused := s.ask(ctx, mine)
	if refused != nil {
		return nil, false, refused
	}
	if t.ID != mine.ID {
		return t, false, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.opts.MaxAge)
	go func() {
		defer cancel()
		select {
		case <-t.Settled:
		case <-ctx.Done():
		}
	}()
	go s.elicited(ctx, t, cancel)
	return t, true, nil
}

// elicited settles a ticket with the client's answer.
func (s *asking) elicited(ctx context.Context, t *Ticket, cancel context.CancelFunc) {
	var d Decision
	defer func() {
		_ = recover() // a panic decides nothing
		defer cancel()
		ctx, done := afterwards(ctx)
		defer done()
		_, _ = s.opts.Store.Settle(ctx, t.ID, byClient, d)
	}()
	if r, err := s.call.Client.Elicit(ctx, s.question()); err == nil {
		d = approves(r)
	}
}

// operator refuses the call until the operator has approved it.
func (s *asking) operator(ctx context.Context) error {
	e := notAllowed(s.call, "This call of `"+s.call.Function.Name()+"` needs the approval of a person. It was not run.")
	if s.request.Reason != "" {
		e.Message += " " + s.request.Reason
	}
	e.Details = map[string]any{registry.DetailReason: registry.ReasonApproval, "approval": "required"}
	if s.call.Owner() == "" {
		e.Hint = "Nobody can be asked here, and an approval is not kept for a caller that cannot be told from others. Tell the user to identify themselves to this server, or to use a client that has elicitation."
		return e
	}
	own := s.ticket()
	own.Waits, own.By = true, byOperator
	own.Request = s.request
	own.Request.ID, own.Request.Expires = own.ID, own.Expires
	t, err := s.ask(ctx, own)
	switch {
	case err != nil:
		return err
	case t.By != byOperator:
		return s.unanswered()
	}
	e.Details["approval_id"] = t.ID
	e.Hint = "Tell the user that the operator of this server has to approve it as " + t.ID + ". Then make the same call again, with the same arguments."
	return e
}

// unanswered refuses the call until the person at the client has answered.
func (s *asking) unanswered() error {
	e := notAllowed(s.call, "The user has been asked to approve this call of `"+s.call.Function.Name()+"` and has not answered yet. It was not run.")
	e.Hint = "Make the same call again when they have answered."
	e.Details = map[string]any{registry.DetailReason: registry.ReasonApproval, "approval": "asked"}
	return e
}
