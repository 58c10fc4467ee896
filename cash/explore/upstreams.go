package explore

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/clean"
)

// Bounds of what is shown of an upstream server.
const (
	maxQuarantined = 50
	maxNotes       = 20
	maxCompared    = 32 << 10 // bytes of a definition
	maxRows        = 400
)

// A server is an upstream server on the page.
type server struct {
	upstream.Status
	Label       string // all of its labels
	First       string // the one that acts are for; empty if there is none
	Failing     bool
	Quarantined []held
	Hidden      int // further ones in quarantine
	Notes       []string
}

// A held definition is in quarantine.
type held struct {
	pin.Quarantine
	Rows []row
}

// A row has a line of the accepted definition and the line in its place now.
type row struct {
	Before, Now       string
	Removed, Inserted bool
}

// upstreams shows the states of servers, and what is in quarantine.
func (h *Handler) upstreams(r *request) error {
	p := struct {
		frame
		Servers []server
	}{frame: r.frame("Upstreams")}
	for _, s := range h.opts.Upstreams.Status() {
		one := server{Status: s, Label: strings.Join(s.Labels, ", "), Notes: s.Notes[:min(len(s.Notes), maxNotes)]}
		one.Failing = s.State == upstream.Failing || s.State == upstream.Down
		if len(s.Labels) > 0 {
			one.First = s.Labels[0]
		}
		for _, q := range s.Quarantined[:min(len(s.Quarantined), maxQuarantined)] {
			one.Quarantined = append(one.Quarantined, held{q, compare(q.Pinned, q.Definition)})
		}
		one.Hidden = len(s.Quarantined) - len(one.Quarantined)
		p.Servers = append(p.Servers, one)
	}
	return r.render(200, "upstreams", &p)
}

// accept pins a definition. It has to be the one that was shown.
func (h *Handler) accept(r *request) error {
	q := pin.Quarantine{Tool: r.PostForm.Get("tool"), Hash: r.PostForm.Get("hash")}
	if q.Tool == "" || q.Hash == "" {
		return errBadForm
	}
	if err := h.opts.Upstreams.AcceptQuarantined(r.ctx, r.PostForm.Get("label"), q); err != nil {
		return err
	}
	return r.goTo("upstreams")
}

// refresh asks a server again for what it has.
func (h *Handler) refresh(r *request) error {
	ctx, cancel := context.WithTimeout(r.ctx, maxWait)
	defer cancel()
	if err := h.opts.Upstreams.Refresh(ctx, r.PostForm.Get("label")); err != nil {
		return err
	}
	return r.goTo("upstreams")
}

// goTo leads the browser to a page after a change.
func (r *request) goTo(page string) error {
	f := r.frame("")
	// http.Redirect would make the address absolute, without the prefix of the mount.
	r.w.Header().Set("Location", f.URL(page))
	r.w.WriteHeader(http.StatusSeeOther)
	return nil
}

// compare returns the lines of two definitions side by side. Nil is empty.
func compare(before, now *pin.Definition) []row {
	a, b := definition(before), definition(now)
	edits := udiff.Lines(a, b)
	hunks, err := udiff.ToUnifiedDiff("", "", a, edits, 3)
	if err != nil {
		return nil
	}
	var rows []row
	for i, hunk := range hunks.Hunks {
		if i > 0 {
			rows = append(rows, row{Before: "⋯", Now: "⋯"})
		}
		first := len(rows) // of the removed lines without a line beside them
		for _, l := range hunk.Lines {
			content := strings.TrimSuffix(l.Content, "\n")
			switch {
			case l.Kind == udiff.Delete:
				rows = append(rows, row{Before: content, Removed: true})
			case l.Kind == udiff.Insert && first < len(rows) && rows[first].Removed:
				rows[first].Now, rows[first].Inserted = content, true
				first++
			case l.Kind == udiff.Insert:
				rows = append(rows, row{Now: content, Inserted: true})
				first = len(rows)
			default:
				rows = append(rows, row{Before: content, Now: content})
				first = len(rows)
			}
		}
	}
	return rows[:min(len(rows), maxRows)]
}

// definition returns a definition in lines.
func definition(d *pin.Definition) string {
	if d == nil {
		return ""
	}
	var b strings.Builder
	add := func(name, text string) {
		if text != "" {
			b.WriteString(name + ":\n  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n")
		}
	}
	add("name", clean.Beginning(d.Name, maxCompared))
	add("title", clean.Beginning(d.Title, maxCompared))
	add("description", clean.Beginning(d.Description, maxCompared))
	for _, part := range []struct {
		name string
		data json.RawMessage
	}{
		{"input", d.InputSchema}, {"output", d.OutputSchema}, {"annotations", d.Annotations},
		{"icons", d.Icons}, {"meta", d.Meta}, {"skill", d.Skill},
	} {
		if len(b.String()) < maxCompared {
			add(part.name, indented(part.data[:min(len(part.data), maxCompared)]))
		}
	}
	return b.String()
}
