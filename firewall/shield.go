package firewall

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/firewall/view"
	"github.com/cash-mcp/go-sdk/gate"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	sentence    = 100  // characters of a replacement for missing text
	maxBeside   = 64   // blocks that pass whole beside an envelope
	minEnvelope = 2000 // characters that an envelope with artifacts may always take
	maxHandle   = 100  // characters of a handle
	foretaste   = 1000 // characters of the beginning of a stored text; views show more
	maxFacts    = 6
	maxViews    = 4
)

// Shield redacts a result and puts it into an envelope (gateway surface, section 4.2).
//
//   - A small result passes whole: text in the summary, other blocks beside the envelope.
//   - Of a larger result every part is stored, and the envelope describes it.
//   - A result of a tool that only reads may find no room. It is described without handles: the next call may ask for
//     less. Facts say what is missing and what to do.
//   - Any other result that cannot be stored is delivered whole, however large. A fact says so.
//
// If a result is not stored, the status is [Partial], or [Failed] if the tool failed.
//
// Shield never fails. It stores even when ctx is canceled, because the tool has run. It does not modify r. The data of
// images, audio and blobs is shared with the store, so nobody may modify it afterwards.
func (a *Admission) Shield(ctx context.Context, r Result) *Shielded {
	s := &shielding{washer: washer{filter: a.firewall.opts.Redact, counts: make(map[string]int)}, budget: a.firewall.opts.Inline, failed: r.IsError}
	s.label = s.line(r.Label, 240)
	s.all = s.pieces(r)
	if s.small() {
		// Cleaning may reveal secrets, and their marks may be longer than they were.
		if whole := s.whole(OK); utf8.RuneCountInString(whole.Envelope.Summary) <= max(s.budget, sentence) {
			return whole
		}
	}
	s.budget = max(s.budget, minEnvelope)
	parts := s.parts(s.all, min(max(s.budget/400, 2), 16))
	refs, err := a.keep(context.WithoutCancel(ctx), parts)
	switch {
	case err == nil:
		return &Shielded{Envelope: s.describe(parts, refs, nil)}
	case a.reading:
		return &Shielded{Envelope: s.describe(parts, nil, notKept(err, r.Filters))}
	}
	whole := s.whole(Partial)
	whole.Envelope.Facts = []string{"The result could not be stored: all of it is here, and there is no artifact."}
	return whole
}

// notKept returns the facts about a result that was not kept: what is missing, and how to get it.
func notKept(err error, filters []string) []string {
	why := "results cannot be kept now"
	if errors.Is(err, ErrFull) {
		why = "the room for results is full"
	}
	facts := []string{"Not kept: " + why + ". What the summary does not show cannot be viewed.", gate.Narrow(filters) + "."}
	var full *FullError
	if errors.As(err, &full) && full.RetryAfter > 0 {
		facts = append(facts, fmt.Sprintf("There is room again in %d s.", int64(math.Ceil(full.RetryAfter.Seconds()))))
	}
	return facts
}

// keep stores parts. It returns the references only if they are valid.
func (a *Admission) keep(ctx context.Context, parts []Part) (refs []Ref, err error) {
	defer func() {
		if err != nil {
			a.firewall.refused(ctx, err)
		}
	}()
	room := a.room
	switch {
	case a.reading:
		refs, err = guard(ctx, a.firewall.opts.Store, func(ctx context.Context) ([]Ref, error) { return a.reserveAndKeep(ctx, parts) }, nil)
	case room == nil:
		err = errors.New("the room for it was given back")
	default:
		// After a timeout the goroutine that still uses the reservation owns it.
		refs, err = guard(ctx, a.firewall.opts.Store, func(ctx context.Context) ([]Ref, error) { return room.Keep(ctx, parts) },
			func([]Ref) { room.Release() })
		if errors.Is(err, errSilent) {
			a.room = nil
		}
	}
	if err != nil {
		return nil, err
	}
	return valid(refs, parts)
}

// reserveAndKeep stores parts in room of their size.
func (a *Admission) reserveAndKeep(ctx context.Context, parts []Part) ([]Ref, error) {
	size := 0
	for _, p := range parts {
		size += len(p.Data) + len(p.MediaType) + len(p.Label)
	}
	room, err := a.firewall.reserve(ctx, a.owner, int64(size))
	if err != nil {
		return nil, err
	}
	defer room.Release()
	return room.Keep(ctx, parts)
}

// valid returns the references that a store has made for parts, with what is known of the parts.
func valid(refs []Ref, parts []Part) ([]Ref, error) {
	if len(refs) != len(parts) {
		return nil, fmt.Errorf("the store returned %d references for %d parts", len(refs), len(parts))
	}
	out := make([]Ref, len(parts))
	for i, ref := range refs {
		if ref.Handle == "" || clean.Line(ref.Handle, maxHandle) != ref.Handle {
			return nil, errors.New("the store returned a handle that is empty, too long or not clean")
		}
		out[i] = Ref{Handle: ref.Handle, MediaType: parts[i].MediaType, Size: int64(len(parts[i].Data)), Label: parts[i].Label}
	}
	return out, nil
}

// A shielding is the work on one result. It is used by Shield.
type shielding struct {
	washer
	all    []piece
	label  string
	budget int // characters
	failed bool
}

// small reports whether a result passes whole. The texts are joined by line feeds.
func (s *shielding) small() bool {
	size, texts, beside := 0, 0, 0
	for _, p := range s.all {
		if p.block != nil {
			beside++
		} else {
			texts++
		}
		if len(p.text)/utf8.UTFMax > s.budget {
			return false
		}
		size += p.size()
		if size+max(texts-1, 0) > s.budget || beside > maxBeside {
			return false
		}
	}
	return true
}

// whole returns an envelope with all texts in the summary and all other blocks beside it.
func (s *shielding) whole(status Status) *Shielded {
	var texts []string
	var beside []mcp.Content
	documents := s.documents()
	for _, p := range s.all {
		switch c := p.block.(type) {
		case nil:
			if text := s.page(p.text); text != "" {
				texts = append(texts, text)
			}
		case *mcp.EmbeddedResource:
			if documents {
				texts = append(texts, s.document(c.Resource))
				continue
			}
			shown, resource := *c, *c.Resource
			resource.Text = s.page(resource.Text)
			shown.Resource = &resource
			beside = append(beside, &shown)
		default:
			beside = append(beside, c)
		}
	}
	e := s.envelope(status)
	e.Summary = strings.Join(texts, "\n")
	switch {
	case len(texts) > 0:
	case len(beside) > 0:
		e.Summary = "The result is beside this: " + gate.Count(beside, nil).String() + "."
	case s.failed:
		e.Summary = "The tool failed and returned nothing."
	default:
		e.Summary = "The tool returned nothing."
	}
	return &Shielded{Envelope: e, Content: beside}
}

// documents reports whether a result is only resources with text, as from reading a resource. They are what the model
// asked for, so they go into the summary (section 9.4).
func (s *shielding) documents() bool {
	return len(s.all) > 0 && !slices.ContainsFunc(s.all, func(p piece) bool {
		c, ok := p.block.(*mcp.EmbeddedResource)
		return !ok || c.Resource.Text == ""
	})
}

// document returns the text of a resource. If there are several resources, its URI comes first.
func (s *shielding) document(r *mcp.ResourceContents) string {
	text := s.page(r.Text)
	if len(s.all) > 1 {
		return r.URI + ":\n" + text
	}
	return text
}

// envelope returns an envelope with the fields that all envelopes have.
func (s *shielding) envelope(status Status) *Envelope {
	e := &Envelope{Status: status, Artifacts: []Ref{}, Provenance: map[string]any{}}
	if s.failed {
		e.Status = Failed
	}
	if s.label != "" {
		e.Provenance["tool_id"] = s.label
	}
	if len(s.counts) > 0 {
		e.Provenance["redactions"] = few(s.counts)
	}
	if s.cleaned {
		e.Provenance["cleaned"] = true
	}
	return e
}

// few returns the eight largest counts. The others are added up as "other".
func few(counts map[string]int) map[string]int {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	out := make(map[string]int)
	for i, name := range names {
		if i >= 8 {
			name = "other"
		}
		out[name] += counts[names[i]]
	}
	return out
}

// describe returns the envelope of a large result: the summary, then facts, views, and shape or beginning, as far as
// they fit. If the result is not stored, refs is nil, and the facts in lost come first.
func (s *shielding) describe(parts []Part, refs []Ref, lost []string) *Envelope {
	best := mainPart(parts)
	main := parts[best]
	survey := s.survey(main, best)
	stored := refs != nil
	facts, preview := append(lost, countParts(parts, stored)...), ""
	if shape, ok := survey.Outline(s.budget / 2); ok {
		preview, _ = s.filter.Text(clean.Text(shape.Text))
		facts = append(facts, shape.Facts...)
	}
	switch {
	case !stored:
		preview = strings.TrimSpace(preview + "\n\n" + s.beginning(main.Data, s.budget))
	case preview == "":
		preview = s.beginning(main.Data, foretaste)
	}
	summary := s.head(main, len(parts), stored) + preview
	for i, fact := range facts {
		facts[i] = s.line(fact, 200)
	}
	var views []View
	for _, v := range survey.Suggest() {
		if !stored {
			break
		}
		views = append(views, View{Label: s.line(v.Label, 100), Handle: refs[best].Handle, Selector: v.Selector})
	}
	e := s.envelope(OK)
	if stored {
		e.Artifacts = refs
	} else if !s.failed {
		e.Status = Partial
	}
	half := (s.budget + jsonLength(e)) / 2
	e.Facts = fill(facts, maxFacts, func(f []string) bool { e.Facts = f; return jsonLength(e) <= half })
	half = (s.budget + jsonLength(e)) / 2
	e.Views = fill(views, maxViews, func(v []View) bool { e.Views = v; return jsonLength(e) <= half })
	e.Summary = view.Excerpt(summary, s.budget-jsonLength(e))
	return e
}

// survey describes part n. JSON that was parsed before is not parsed again.
func (s *shielding) survey(part Part, n int) *view.Survey {
	if s.all[n].block == nil && part.MediaType == "application/json" {
		return view.SurveyJSON(part.Data, part.MediaType)
	}
	return view.NewSurvey(part.Data, part.MediaType)
}

// fill returns the longest prefix of list that fits, at most most elements.
func fill[T any](list []T, most int, fits func([]T) bool) []T {
	n := min(len(list), most)
	for n > 0 && !fits(list[:n]) {
		n--
	}
	return list[:n:n]
}

// beginning returns the first characters of text, at most most. It counts no secrets: they are counted already, and a
// mark that is cut may look like a secret.
func (s *shielding) beginning(data []byte, most int) string {
	if view.Binary(data) {
		return ""
	}
	if len(data)/4 > s.budget {
		data = append(bytes.Clone(data[:4*s.budget]), "…"...)
	}
	text, _ := s.filter.Text(clean.Text(string(data)))
	return "It begins:\n" + view.Excerpt(text, most)
}

// mainPart returns the index of the largest text part, or of the largest part if none is text.
func mainPart(parts []Part) int {
	best := 0
	for i, p := range parts {
		if t, b := textual(p.MediaType), textual(parts[best].MediaType); t && !b || t == b && len(p.Data) > len(parts[best].Data) {
			best = i
		}
	}
	return best
}

// head describes the result in one line, or its main part if that is text.
func (s *shielding) head(main Part, parts int, stored bool) string {
	size := 0
	var blocks []mcp.Content
	for _, p := range s.all {
		size += p.size()
		if p.block != nil {
			blocks = append(blocks, p.block)
		}
	}
	what := gate.Count(blocks, nil)
	if textual(main.MediaType) {
		what = gate.Count(nil, main.Data)
	}
	head := "Large result: " + cmp.Or(what.String(), "blocks without text")
	if parts > 1 {
		head += " in the largest of " + strconv.Itoa(parts) + " parts"
	}
	head += "; " + strconv.Itoa(size) + " characters in all, "
	if !stored {
		return head + "not kept.\n\n"
	}
	return head + "stored whole.\n\n"
}

// countParts returns the number of parts of each media type, as texts.
func countParts(parts []Part, stored bool) []string {
	if len(parts) == 1 {
		return nil
	}
	counts := make(map[string]int)
	for _, p := range parts {
		counts[p.MediaType]++
	}
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		kinds = append(kinds, strconv.Itoa(counts[kind])+" "+kind)
	}
	what := " artifacts: "
	if !stored {
		what = " parts: "
	}
	return []string{strconv.Itoa(len(parts)) + what + strings.Join(kinds, ", ")}
}
