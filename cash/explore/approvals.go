package explore

import (
	"net/http"

	"github.com/cash-mcp/go-sdk/cash/control"
)

var (
	errStore   = &failure{http.StatusServiceUnavailable, "What waits for a person cannot be reached now. Try again in a moment."}
	errSettled = &failure{http.StatusConflict, "No call with this id waits: it was decided already, or it has expired."}
)

// approvals shows the calls that wait for the operator.
func (h *Handler) approvals(r *request) error {
	p := struct {
		frame
		Pending []control.ApprovalRequest
		More    int
	}{frame: r.frame("Approvals")}
	list, err := h.opts.Approvals.Pending(r.ctx)
	if err != nil {
		h.opts.Logger.WarnContext(r.ctx, "approvals could not be read", "error", err.Error())
		return errStore
	}
	p.Pending = list[:min(len(list), pageSize)]
	p.More = len(list) - len(p.Pending)
	return r.render(200, "approvals", &p)
}

// settle decides about a call.
func (h *Handler) settle(r *request) error {
	decide := h.opts.Approvals.Deny
	switch r.PostForm.Get("do") {
	case "approve":
		decide = h.opts.Approvals.Approve
	case "deny":
	default:
		return errBadForm
	}
	settled, err := decide(r.ctx, r.PostForm.Get("id"))
	if err != nil {
		h.opts.Logger.WarnContext(r.ctx, "an approval could not be settled", "error", err.Error())
		return errStore
	}
	if !settled {
		return errSettled
	}
	return r.goTo("approvals")
}
