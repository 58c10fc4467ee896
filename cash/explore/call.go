package explore

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/internal/bounded"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// A pendingCall is a call whose dry run has passed. It can be made once.
type pendingCall struct {
	definition, owner string
	as                string // the name of the caller: two may be one owner
	arguments         string
	plan              string // the token of the dry run; may be empty
}

// Bounds of pending calls.
const (
	maxPending = 1000
	pendingAge = 10 * time.Minute
)

var errNoDryRun = &failure{http.StatusConflict,
	"The call was not made: it has no dry run, or the function, the caller or the arguments have changed since. Make the dry run again."}

// call makes a call, or its dry run. A call of a function that is not read-only takes the ticket of a dry run.
func (h *Handler) call(r *request) error {
	f, err := r.lookUp(r.PostForm.Get("path"))
	if err != nil {
		return err
	}
	p := struct {
		frame
		functionPage
		Args, Ticket string
		Outcome      *outcome
		Plan         *plan
		CanCall      bool
	}{frame: r.frame(f.Name()), Args: r.PostForm.Get("arguments"), CanCall: true}
	p.functionPage = functionPageOf(&p.frame, f)
	p.Nav, p.Self = r.nav(&p.frame, f.Namespace()), "function"
	req := &registry.Request{Namespace: f.Namespace(), Function: f.Name(), Arguments: json.RawMessage(p.Args), Gate: registry.OpenGate()}
	now := pendingCall{definition: f.Definition(), owner: r.caller.Owner(), as: r.as, arguments: p.Args}
	switch {
	case r.PostForm.Get("do") != "call":
		req.DryRun = true
	case !f.ReadOnly():
		was, ok := h.take(r.PostForm.Get("ticket"))
		if req.PlanToken = was.plan; !ok || was != (pendingCall{now.definition, now.owner, now.as, now.arguments, was.plan}) {
			return errNoDryRun
		}
	}
	p.Outcome = h.run(r, f, req)
	if req.DryRun && p.Outcome.Error == nil {
		p.Plan = readPlan(p.Outcome.text)
		if p.Outcome = nil; !p.Plan.fails() {
			now.plan = p.Plan.Token
			p.Ticket = h.keep(now)
		}
	}
	return r.render(200, "called", &p)
}

// keep keeps a call for a while, and returns the ticket for it.
func (h *Handler) keep(c pendingCall) (ticket string) {
	h.pending.Lock()
	defer h.pending.Unlock()
	ticket = rand.Text()
	terms := bounded.Terms{
		Takes:   bounded.Amount{Count: 1, Bytes: int64(len(c.arguments) + len(c.plan))},
		Expires: h.pending.Now().Add(pendingAge),
	}
	h.pending.Put(ticket, c, terms, bounded.Share{Most: bounded.Amount{Count: maxPending, Bytes: 64 << 20}, Evicts: true})
	return ticket
}

// take claims the call of a ticket.
func (h *Handler) take(ticket string) (pendingCall, bool) {
	h.pending.Lock()
	defer h.pending.Unlock()
	it := h.pending.Get(ticket)
	if it == nil {
		return pendingCall{}, false
	}
	h.pending.Remove(it)
	return it.Value, true
}

// A plan is the report of a dry run.
type plan struct {
	Checks []registry.PlanCheck `json:"checks"`
	Token  string               `json:"plan_token"`
}

func readPlan(text string) *plan {
	p := new(plan)
	if err := json.Unmarshal([]byte(text), p); err != nil { // middleware has answered in place of the pipeline
		p.Checks = []registry.PlanCheck{{Name: "report", Status: registry.CheckFail, Message: "The dry run gave no report."}}
	}
	return p
}

func (p *plan) fails() bool {
	return slices.ContainsFunc(p.Checks, func(c registry.PlanCheck) bool { return c.Status == registry.CheckFail })
}

// An outcome is what became of a call.
type outcome struct {
	Error   *registry.Error
	IsError bool // the function reports an error
	Text    string
	Other   []string // contents that are not text, in words
	Size    int
	Tokens  int
	Took    time.Duration
	Facts   []string
	Views   []link
	text    string
}

// run makes a call and shields its result.
func (h *Handler) run(r *request, f *registry.Function, req *registry.Request) *outcome {
	fw, owner := h.opts.Firewall, firewall.Owner{ID: r.caller.Owner(), Payer: r.caller.Owner(), Guest: r.caller.Anonymous()}
	var room *firewall.Admission
	if fw != nil {
		var err error
		if f.ReadOnly() || req.DryRun {
			room = fw.AdmitReading(owner)
		} else if room, err = fw.Admit(r.ctx, owner); err != nil {
			return &outcome{Error: &registry.Error{Kind: registry.Unavailable, Message: "There is no room for the result. The function was not run.", Err: err}}
		}
		defer room.Release()
	}
	start := time.Now()
	res, err := h.pipeline.Call(r.ctx, req)
	o := &outcome{Took: time.Since(start)}
	if err != nil {
		o.Error = registry.AsError(err)
		return o
	}
	if o.IsError, o.Size, o.text = res.IsError, res.Size(), res.Text(); o.text == "" {
		o.text = string(res.Structured)
	}
	if res.InputRequests != nil {
		o.Facts = append(o.Facts, "The function asks the client for input. This page cannot answer.")
	}
	o.Tokens = count(o.text)
	o.Text = pretty(o.text)
	for _, c := range res.Content {
		if _, isText := c.(*mcp.TextContent); !isText {
			o.Other = append(o.Other, kindOf(c))
		}
	}
	if room != nil && !req.DryRun {
		o.shield(r, room.Shield(r.ctx, firewall.Result{
			Content: res.Content, Structured: res.Structured, IsError: res.IsError, Label: f.ID().String(), Filters: f.Filters(),
		}).Envelope)
	}
	return o
}

// shield takes the words and views of the envelope of a stored result.
func (o *outcome) shield(r *request, e *firewall.Envelope) {
	o.Text = pretty(e.Summary)
	o.Facts = append(o.Facts, e.Facts...)
	f := r.frame("")
	add := func(label, handle, selector string) {
		o.Views = append(o.Views, link{Text: label, URL: f.URL("artifact", "handle", handle, "selector", selector)})
	}
	for _, a := range e.Artifacts {
		add(strings.TrimSpace(fmt.Sprintf("%s %s, %s bytes", a.Label, a.MediaType, number(int(a.Size)))), a.Handle, "")
	}
	for _, v := range e.Views {
		add(v.Label, v.Handle, string(v.Selector))
	}
}

// pretty returns JSON in lines, and any other text as it is.
func pretty(text string) string {
	if len(text) > maxText || strictjson.Check([]byte(text)) != nil {
		return text
	}
	return indented([]byte(text))
}

// kindOf names a content that is not text.
func kindOf(c mcp.Content) string {
	switch c := c.(type) {
	case *mcp.ImageContent:
		return fmt.Sprintf("image %s, %s bytes", c.MIMEType, number(len(c.Data)))
	case *mcp.AudioContent:
		return fmt.Sprintf("audio %s, %s bytes", c.MIMEType, number(len(c.Data)))
	case *mcp.ResourceLink:
		return "link to the resource " + c.URI
	case *mcp.EmbeddedResource:
		return "resource"
	}
	return "other content"
}
