package explore

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/firewall/view"
)

// artifact shows a part of an artifact of the caller.
func (h *Handler) artifact(r *request) error {
	q := r.URL.Query()
	p := struct {
		frame
		Handle, Selector string
		View             *view.Page
		Shown, Problem   string
		Next             string // URL
	}{frame: r.frame("Artifacts"), Handle: q.Get("handle"), Selector: q.Get("selector")}
	if p.Handle == "" {
		return r.render(200, "artifact", &p)
	}
	status := http.StatusOK
	selector := cmp.Or(p.Selector, `{"type":"head"}`)
	page, err := h.opts.Firewall.View(r.ctx, r.caller.Owner(), p.Handle, json.RawMessage(selector))
	var wrong *view.SelectorError
	switch {
	case err == nil:
		p.View, p.Shown = page, page.Text
		if page.Data != nil {
			p.Shown = indented(page.Data)
		}
		if page.Next != nil {
			p.Next = p.URL("artifact", "handle", p.Handle, "selector", string(page.Next))
		}
	case errors.Is(err, firewall.ErrNotFound):
		status, p.Problem = http.StatusNotFound, "This caller has no such artifact. It may have expired."
	case errors.As(err, &wrong):
		status, p.Problem = http.StatusBadRequest, wrong.Message
	default:
		h.opts.Logger.WarnContext(r.ctx, "an artifact could not be read", "error", err.Error())
		status, p.Problem = http.StatusServiceUnavailable, "The artifact cannot be read now. Try again in a moment."
	}
	return r.render(status, "artifact", &p)
}
