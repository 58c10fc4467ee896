package explore

import (
	"context"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/cost"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// maxTurns bounds the shown turns of a conversation.
const maxTurns = 12

// function shows a function as a model meets it.
func (h *Handler) function(r *request) error {
	f, err := r.lookUp(r.URL.Query().Get("path"))
	if err != nil {
		return err
	}
	leave, err := r.enter(h.playing)
	if err != nil {
		return err
	}
	defer leave()
	ctx, cancel := context.WithTimeout(r.ctx, maxWait)
	defer cancel()
	problem := ""
	if f, err = f.Complete(ctx); err != nil {
		return err
	}
	if f.Problem() != nil {
		problem = f.Problem().Error()
	}
	p := struct {
		frame
		functionPage
		Problem string
		Faces   []sight
		Args    string
		CanCall bool
	}{frame: r.frame(f.Name()), Problem: problem, CanCall: h.opts.Pipeline != nil}
	p.functionPage = functionPageOf(&p.frame, f)
	p.Nav = r.nav(&p.frame, f.Namespace())
	p.Faces = sights(ctx, f)
	most := 1
	for _, s := range p.Faces {
		most = max(most, s.Tokens)
	}
	for i := range p.Faces {
		s := &p.Faces[i]
		for _, l := range s.Layers {
			s.Parts = draw(s.Parts, l.Name, l.Tokens, most)
		}
	}
	p.Args = "{}"
	if example := f.Example(false); example != nil {
		p.Args = indented(wire.EscapeHidden(example))
	}
	return r.render(200, "function", &p)
}

// lookUp returns the function at a path.
func (r *request) lookUp(path string) (*registry.Function, error) {
	namespace, name := split(path)
	return r.h.source.Function(r.ctx, namespace, name)
}

// A functionPage is what the pages of a function and of its calls have.
type functionPage struct {
	Crumbs   []link
	Function *registry.Function
	Marks    []string
	Schema   string
	Output   string
}

func functionPageOf(f *frame, fn *registry.Function) functionPage {
	f.Path = fn.Path()
	return functionPage{
		Crumbs: f.crumbs(fn.Namespace()), Function: fn, Marks: marks(fn),
		Schema: indented(fn.InputSchema()), Output: indented(fn.OutputSchema()),
	}
}

// enter takes a place for a measurement.
func (r *request) enter(places chan struct{}) (leave func(), err error) {
	ctx, cancel := context.WithTimeout(r.ctx, maxWait)
	defer cancel()
	select {
	case places <- struct{}{}:
		return func() { <-places }, nil
	case <-ctx.Done():
		return nil, errBusy
	}
}

// A sight is a function behind one face: what a model reads of it, in order.
type sight struct {
	Face    cost.Face
	Layers  []layer
	Tokens  int
	Parts   []part
	Problem string
}

// A layer is what a model reads at one time: the definitions, then a reply for each of its turns.
type layer struct {
	Name   string // definitions, or the tool
	Sent   string // its arguments
	Text   string
	Tokens int
}

// sights plays a conversation that calls a function, behind each face of a server that has nothing else. The function
// does not run.
func sights(ctx context.Context, f *registry.Function) (list []sight) {
	alone, err := aloneIn(f)
	if err != nil {
		return []sight{{Problem: err.Error()}}
	}
	step := cost.Step{Function: f.Path(), Args: f.Example(false), Query: strings.NewReplacer(".", " ", "_", " ").Replace(f.Path())}
	for _, face := range cost.Faces() {
		list = append(list, see(ctx, face, alone, step))
	}
	return list
}

// aloneIn returns a registry that holds nothing but a function, in its namespace.
func aloneIn(f *registry.Function) (*registry.Registry, error) {
	alone := registry.New(nil)
	n, err := alone.TryNamespace(f.Namespace(), "")
	if err == nil {
		err = n.TryAdd(f)
	}
	return alone, err
}

// see plays the conversation behind one face. Without arguments there is no call: the definitions are all.
func see(ctx context.Context, face cost.Face, src registry.Source, step cost.Step) sight {
	s := sight{Face: face}
	var task []cost.Step
	if step.Args != nil {
		task = append(task, step)
	} else {
		s.Problem = "Only what a model reads at the start: no arguments could be made up for a call."
	}
	o := &cost.PlayOptions{Middleware: []registry.Middleware{answered}, Texts: true}
	b, err := cost.Play(ctx, face, src, task, o)
	if err != nil && task != nil {
		s.Problem = "Only what a model reads at the start: " + clean.Line(err.Error(), 300)
		b, err = cost.Play(ctx, face, src, nil, o)
	}
	if err != nil {
		s.Problem = clean.Line(err.Error(), 300)
		return s
	}
	s.Tokens = b.Whole().Once
	s.Layers = append(s.Layers, layer{Name: "definitions", Text: strings.Join(b.Defined, "\n\n"), Tokens: b.Definitions})
	for _, t := range b.Turns[:min(len(b.Turns), maxTurns)] {
		s.Layers = append(s.Layers, layer{Name: t.Tool, Sent: t.Args, Text: t.Reply, Tokens: t.Sent + t.Got})
	}
	return s
}

// answered answers calls in place of their functions.
func answered(registry.Handler) registry.Handler {
	return func(context.Context, *registry.Call) (*registry.Result, error) {
		return registry.TextResult(`{"ok":true}`), nil
	}
}
