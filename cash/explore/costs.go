package explore

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/cash-mcp/go-sdk/cash/cost"
)

// errSlow refuses a measurement that takes too long.
var errSlow = &failure{http.StatusServiceUnavailable, "The measurement took more than a minute and was ended."}

// A bar is the cost of one face in a picture: of a conversation that calls five functions.
type bar struct {
	cost.Estimate
	Finding, Calling int // tokens
	Parts            []part
}

// A part of a bar has its place in thousandths of the longest bar.
type part struct {
	Name     string
	Tokens   int
	At, Wide int
}

// costs shows what a model pays behind each face.
func (h *Handler) costs(r *request) error {
	q := r.URL.Query()
	client := &cost.Client{Caches: q.Has("caches"), Defers: q.Has("defers"), ReadsResources: true, RunsCommands: true}
	client.Calls, _ = strconv.Atoi(q.Get("calls"))
	client.Calls = max(1, min(client.Calls, 50))
	p := struct {
		frame
		Client   *cost.Client
		Measured bool
		Report   *cost.Report
		Bars     []bar
	}{frame: r.frame("Costs"), Client: client, Measured: q.Has("calls") && !elsewhere(r.Request)}
	p.Nav = r.nav(&p.frame, "")
	if !p.Measured { // people ask for a measurement, because it may take seconds: no link of another site does
		return r.render(200, "costs", &p)
	}
	leave, err := r.enter(h.measuring)
	if err != nil {
		return err
	}
	defer leave()
	ctx, cancel := context.WithTimeoutCause(r.ctx, 4*maxWait, errSlow)
	defer cancel()
	if p.Report, err = cost.Measure(ctx, h.source, client); err != nil {
		if errors.Is(context.Cause(ctx), errSlow) {
			return errSlow
		}
		return err
	}
	p.Bars = bars(p.Report.Faces)
	return r.render(200, "costs", &p)
}

// bars draws the faces to one scale.
func bars(faces []cost.Estimate) (list []bar) {
	longest := 1
	for _, e := range faces {
		longest = max(longest, e.Five.Once)
	}
	for _, e := range faces {
		b := bar{Estimate: e}
		if e.Bill != nil {
			b.Finding, b.Calling = e.Bill.Layers(5)
			b.Parts = draw(nil, "listed", e.Definitions, longest)
			b.Parts = draw(b.Parts, "help", b.Finding, longest)
			b.Parts = draw(b.Parts, "calls", b.Calling, longest)
		}
		list = append(list, b)
	}
	return list
}

// draw adds a part to a bar. Even the smallest one can be seen.
func draw(parts []part, name string, tokens, longest int) []part {
	at := 0
	if n := len(parts); n > 0 {
		at = parts[n-1].At + parts[n-1].Wide
	}
	wide := min(max(tokens*1000/longest, 2), max(1000-at, 0))
	return append(parts, part{name, tokens, at, wide})
}
