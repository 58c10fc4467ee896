package control

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// approvalKey is the id of our question in a result, and the form's only field.
const (
	approvalKey  = "approval"
	approveField = "approve"
)

var approvalForm = json.RawMessage(`{"type":"object","properties":{"` + approveField +
	`":{"type":"boolean","title":"Approve this call","description":"Yes lets the call run once, with these arguments."}},"required":["` + approveField + `"]}`)

func (s *asking) question() *mcp.ElicitParams {
	return &mcp.ElicitParams{Mode: "form", Message: s.request.Text, RequestedSchema: approvalForm}
}

// approves returns Allow for the only answer that is a yes, and Deny for all
// others, and for none.
func approves(r mcp.InputResponse) Decision {
	if a, ok := r.(*mcp.ElicitResult); ok && a != nil && a.Action == "accept" && a.Content[approveField] == true {
		return Allow
	}
	return Deny
}

// inputRequest asks the client by the result of the call.
func (s *asking) inputRequest() (*registry.Result, error) {
	t := s.ticket(answer)
	if !s.tickets.put(t) {
		return nil, s.fullBefore()
	}
	return &registry.Result{InputRequests: mcp.InputRequestMap{approvalKey: s.question()}, RequestState: t.handle}, nil
}

// elicit asks the client and waits for the answer. It returns Allow, the error
// that tells why not, or nothing if the client cannot be asked after all.
func (s *asking) elicit(ctx context.Context) (Decision, error) {
	patience, stop := s.patience(ctx)
	defer stop()
	for {
		t, own := s.asked(ctx)
		switch {
		case t == nil:
			return "", s.fullBefore()
		case t.use == atOperator:
			return "", nil
		}
		select {
		case <-t.settled:
			switch {
			case t.decision == Deny:
				s.tickets.take(t)
				return "", s.verdict(Deny)
			case t.decision == Allow && s.tickets.take(t): // one yes is for one call
				return Allow, nil
			case t.decision == "" && own:
				return "", nil
			}
		case <-ctx.Done():
			if own {
				s.tickets.take(t)
			}
			return "", s.unanswered()
		case <-patience:
			if t.owner == "" {
				s.tickets.take(t)
			}
			return "", s.unanswered()
		}
	}
}

// patience is for how long a call waits: what remains has to do for the
// function.
func (s *asking) patience(ctx context.Context) (<-chan time.Time, func()) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return nil, func() {}
	}
	timer := time.NewTimer(time.Until(deadline) / 2)
	return timer.C, func() { timer.Stop() }
}

// asked returns the ticket of the question to the client, which is put unless it
// has been already; nil if there is no room. The question outlives the call, and
// ends with its ticket.
func (s *asking) asked(ctx context.Context) (t *ticket, own bool) {
	t = s.ticket(elicited)
	t.by = byClient
	ctx, t.cancel = context.WithTimeout(context.WithoutCancel(ctx), s.opts.MaxAge)
	if other := s.tickets.wait(t); other != t {
		t.cancel()
		return other, false
	}
	elicit, question := s.call.Client.Elicit, s.question()
	go func() {
		var d Decision
		defer func() {
			_ = recover() // what panics has not decided
			s.tickets.decide(t, d)
			t.cancel()
		}()
		if r, err := elicit(ctx, question); err == nil {
			d = approves(r)
		}
	}()
	return t, true
}

// operator refuses the call until the operator has approved it.
func (s *asking) operator() error {
	e := notAllowed(s.call, "This call of `"+s.call.Function.Name()+"` needs the approval of a person. It was not run.")
	if s.request.Reason != "" {
		e.Message += " " + s.request.Reason
	}
	e.Details = map[string]any{"approval": "required"}
	if s.call.Owner() == "" {
		e.Hint = "Nobody can be asked here, and an approval is not kept for a caller that cannot be told from others. Tell the user to identify themselves to this server, or to use a client that has elicitation."
		return e
	}
	own := s.ticket(atOperator)
	own.by = byOperator
	own.request = s.request
	own.request.ID, own.request.Expires = own.handle, own.expires
	t := s.tickets.wait(own)
	if t == nil {
		return s.fullBefore()
	}
	e.Details["approval_id"] = t.handle
	e.Hint = "Tell the user that the operator of this server has to approve it as " + t.handle + ". Then make the same call again, with the same arguments."
	return e
}

// unanswered refuses the call until the person at the client has answered.
func (s *asking) unanswered() error {
	e := notAllowed(s.call, "The user has been asked to approve this call of `"+s.call.Function.Name()+"` and has not answered yet. It was not run.")
	e.Hint = "Make the same call again when they have answered."
	e.Details = map[string]any{"approval": "asked"}
	return e
}

// fullBefore is full for a call that has not run.
func (s *asking) fullBefore() error {
	e := s.full()
	e.NotRun = true
	return e
}
