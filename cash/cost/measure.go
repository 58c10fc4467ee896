package cost

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// A Client describes the clients of a server. The zero value is a client that shows its model every definition, does
// not cache prompts, and calls one function in a conversation.
type Client struct {
	// Calls is the approximate number of different functions used in a conversation. Zero is one; at most 50 are
	// measured.
	Calls int
	// Caches reports that the client's prompts are cached, so that each token is paid for once.
	Caches bool
	// Defers reports that the client hides the tools of a plain server from its model until the client's own search
	// finds them. The model then reads five definitions for each function that it uses.
	Defers bool
	// ReadsResources reports that the model reads a server's resources by itself. Disclosure needs that.
	ReadsResources bool
	// RunsCommands reports that the client starts programs and reads their output. The endpoint needs that.
	RunsCommands bool
	// LargeResults reports that functions return more than a model should read: some 60,000 characters, of which the
	// task needs a line.
	LargeResults bool
}

// A Report says what each face costs.
type Report struct {
	Functions int // that the caller sees
	Sampled   int // that the tasks call; zero if no function's arguments can be made up
	Calls     int // of the task that ranks the faces
	Caches    bool
	Faces     []Estimate // those that fit the client come first, the cheapest first
}

// An Estimate is the cost of one face.
type Estimate struct {
	Face        Face
	Definitions int   // tokens
	One         Price // of a task that calls one function
	Five        Price // of a task that calls five, or all if there are fewer
	Task        Price // of the task that ranks the faces
	Bill        *Bill // of all steps that were played, at least five if there are enough functions; nil if Unfit says why
	// Unfit is the reason why the client cannot use the face, or why it could not be measured. Empty: it fits.
	Unfit string
}

// Limits of a measurement.
const (
	maxCalls = 50
	found    = 5 // definitions that a client's own search shows
)

// Measure counts what each face of src costs the caller in ctx, and ranks the faces. No function is called: all give
// the same made-up result. Pages of help that other servers write are read. Nil is the zero Client. The tasks call
// functions from all over the tree, and describe each in its own words. The error is that of a source that cannot be
// listed.
func Measure(ctx context.Context, src registry.Source, c *Client) (*Report, error) {
	if c == nil {
		c = new(Client)
	}
	functions, err := registry.Flat(ctx, registry.NewPipeline(src, nil).Source())
	if err != nil {
		return nil, err
	}
	answer := small
	if c.LargeResults {
		answer = large()
	}
	stub := func(registry.Handler) registry.Handler {
		return func(context.Context, *registry.Call) (*registry.Result, error) {
			return registry.TextResult(answer), nil
		}
	}
	th := &theatre{src, functions, &PlayOptions{Middleware: []registry.Middleware{stub}}}
	calls := min(max(c.Calls, 1), maxCalls)
	task := sample(functions, max(calls, 5), c.LargeResults)
	r := &Report{Functions: len(functions), Sampled: len(task), Calls: min(calls, len(task)), Caches: c.Caches}
	for _, face := range Faces() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r.Faces = append(r.Faces, r.estimate(ctx, th, c, face, task))
	}
	slices.SortStableFunc(r.Faces, func(a, b Estimate) int {
		if a.Unfit == "" != (b.Unfit == "") {
			return strings.Compare(a.Unfit, b.Unfit)
		}
		return cmp.Compare(r.paid(a), r.paid(b))
	})
	return r, nil
}

// estimate plays the task behind one face.
func (r *Report) estimate(ctx context.Context, th *theatre, c *Client, face Face, task []Step) Estimate {
	e := Estimate{Face: face}
	b, err := th.play(ctx, face, task)
	if err != nil {
		e.Unfit = "could not be measured: " + clean.Line(err.Error(), 300)
		return e
	}
	if c.Defers && face == Plain {
		b = deferred(b, th.functions, task)
	}
	e.Bill, e.Definitions = b, b.Definitions
	after := func(steps int) Price {
		if steps = min(steps, len(b.Steps)); steps == 0 {
			return b.After(0)
		}
		return b.After(b.Steps[steps-1])
	}
	e.One, e.Five, e.Task = after(1), after(5), after(r.Calls)
	switch {
	case face == Disclosure && !c.ReadsResources:
		e.Unfit = "for clients that read resources"
	case face == Endpoint && !c.RunsCommands:
		e.Unfit = "for clients that run commands"
	}
	return e
}

// deferred returns the bill of a client that searches the listed tools itself: the definitions are paid for as they are
// found.
func deferred(b *Bill, functions []*registry.Function, task []Step) *Bill {
	d := &Bill{Listed: b.Listed}
	each := 0 // tokens of the definitions that one search shows
	if len(functions) > 0 {
		each = b.Definitions * min(found, len(functions)) / len(functions)
	}
	for i, turn := range b.Turns {
		search := newTurn("search", string(strictjson.MustMarshal(map[string]string{"query": task[i].Query})), "")
		search.Got = each
		d.Turns = append(d.Turns, search, turn)
		d.Steps = append(d.Steps, len(d.Turns))
	}
	return d
}

const small = `{"ok":true}`

// line is the line of a large result that a task needs.
const line = "ERROR batch 423 refused, the checksum does not match"

// large returns a result that is too large to read.
func large() string {
	var b strings.Builder
	for i := range 1000 {
		if i == 423 {
			b.WriteString(line + "\n")
		}
		fmt.Fprintf(&b, "INFO batch %03d imported and acknowledged, %d rows\n", i, 500+i*i%499)
	}
	return b.String()
}

// sample returns steps for up to n functions, evenly spread. Those whose arguments cannot be made up are passed over.
func sample(functions []*registry.Function, n int, large bool) []Step {
	var task []Step
	taken := make(map[*registry.Function]bool)
	n = min(n, len(functions))
	for i := range n {
		for j := range len(functions) {
			f := functions[(i*len(functions)/n+j)%len(functions)]
			if taken[f] {
				continue
			}
			taken[f] = true
			if args := f.Example(false); args != nil {
				s := Step{Function: f.Path(), Args: strictjson.MustMarshal(args), Query: query(f)}
				if large {
					s.Look, s.Want = line[:15], []string{line[:15]}
				}
				task = append(task, s)
				break
			}
		}
	}
	return task
}

// query returns the words with which a model looks for a function: its path and what it does.
func query(f *registry.Function) string {
	words := strings.NewReplacer(".", " ", "_", " ", "-", " ").Replace(f.Path())
	about, _, _ := strings.Cut(clean.FirstLine(f.Description(), 200), ". ")
	return strings.TrimSpace(words + " " + about)
}

// paid returns the tokens by which faces are ranked.
func (r *Report) paid(e Estimate) int {
	if r.Caches {
		return e.Task.Once
	}
	return e.Task.Input
}

// Best returns the cheapest face that fits the client. If none does, its Unfit says why.
func (r *Report) Best() Estimate { return r.Faces[0] }

// Advice is a sentence that names the best face and why.
func (r *Report) Advice() string {
	best := r.Best()
	text := fmt.Sprintf("Take %s: a conversation that uses %d of %d functions costs %d tokens", best.Face, r.Calls, r.Functions, r.paid(best))
	if len(r.Faces) > 1 && r.Faces[1].Unfit == "" {
		text += fmt.Sprintf(", behind %s %d", r.Faces[1].Face, r.paid(r.Faces[1]))
	}
	return text + "."
}

// String returns the report as a table.
func (r *Report) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "face\tdefinitions\tone call\tfive calls\t\n")
	for _, e := range r.Faces {
		fmt.Fprintf(w, "%s\t%d\t%d / %d\t%d / %d\t%s\n", e.Face, e.Definitions, e.One.Once, e.One.Input, e.Five.Once, e.Five.Input, e.Unfit)
	}
	_ = w.Flush() // a strings.Builder gives no error
	return b.String()
}
