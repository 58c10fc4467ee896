package main

import (
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"regexp"
	"text/tabwriter"

	"github.com/cash-mcp/go-sdk/cash/cost"
	"github.com/cash-mcp/go-sdk/internal/clean"
)

// tokens measures what a server costs a model behind each face.
func tokens(ctx context.Context, env *environment, args []string) error {
	var c cost.Client
	flags := newFlags()
	read := env.targetFlags(flags)
	flags.IntVar(&c.Calls, "calls", 3, "the `NUMBER` of functions that a conversation calls (3)")
	flags.BoolVar(&c.Caches, "caches", false, "the client caches prompts")
	flags.BoolVar(&c.Defers, "defers", false, "the client searches the tools of a plain server itself")
	flags.BoolVar(&c.ReadsResources, "resources", false, "the model reads resources")
	flags.BoolVar(&c.RunsCommands, "commands", false, "the client runs programs")
	flags.BoolVar(&c.LargeResults, "large", false, "functions return large results")
	asJSON := flags.Bool("json", false, "print JSON")
	asPage := flags.Bool("html", false, "print an HTML page with bars")
	err := env.parse(page{"tokens [flags] URL | FILE | COMMAND",
		"Counts the tokens that a server costs a model behind each face: definitions,\nfinding functions, calling them. It calls nothing. FILE is a configuration of\ncash serve (.yaml) or a catalog (.json).\n\n" + forms}, flags, args)
	if err != nil {
		return err
	}
	if *asJSON && *asPage {
		return usagef("take -json or -html")
	}
	if c.Calls < 1 || c.Calls > 50 {
		return usagef("-calls must be 1 to 50")
	}
	_, words, err := split(flags.Args(), 0, 0)
	if err != nil {
		return err
	}
	t, err := read(words)
	if err != nil {
		return err
	}
	stop := env.progress("measuring " + t.String())
	defer stop()
	b, err := t.measure(ctx, &c)
	stop()
	switch {
	case err != nil:
		return err
	case *asJSON:
		return writeJSON(env.stdout, b)
	case *asPage:
		return tokensPage.Execute(env.stdout, b)
	}
	return b.print(env)
}

// A bill is the report on a target.
type bill struct {
	Target    string      `json:"target"`
	Functions int         `json:"functions"`
	Calls     int         `json:"calls"`
	Advice    string      `json:"advice"`
	Server    *serverBill `json:"server,omitempty"` // nil for a file
	Faces     []faceBill  `json:"faces"`            // the cheapest first

	table string
}

// A serverBill is what the running server itself costs before the first call.
type serverBill struct {
	Definitions  int `json:"definitions"`
	Instructions int `json:"instructions"` // of definitions
	Listed       int `json:"listed"`       // the whole of tools/list
}

// A faceBill is what one face costs, in tokens. Finding and calling are layers of the task.
type faceBill struct {
	Face        cost.Face  `json:"face"`
	Unfit       string     `json:"unfit,omitempty"`
	Definitions int        `json:"definitions"`
	Finding     int        `json:"finding"`
	Calling     int        `json:"calling"`
	Once        int        `json:"once"`
	Input       int        `json:"input"`
	Turns       int        `json:"turns"`
	One         cost.Price `json:"one"`
	Five        cost.Price `json:"five"`
	Bars        []bar      `json:"-"`
}

// A bar is a layer in the page, in thousandths of the width.
type bar struct {
	Class    string
	X, Width int
}

func (t *target) measure(ctx context.Context, c *cost.Client) (*bill, error) {
	b := &bill{Target: t.String()}
	if t.file == "" {
		listing, cancel := context.WithTimeout(ctx, t.timeout)
		d, err := cost.Definitions(listing, t.transport())
		cancel()
		if err != nil {
			return nil, t.failed(err)
		}
		b.Server = &serverBill{d.Definitions, d.Instructions, d.Listed}
	}
	m, err := t.mount(ctx)
	if err != nil {
		return nil, err
	}
	defer m.close()
	r, err := cost.Measure(ctx, m.Registry, c)
	if err != nil {
		return nil, err
	}
	b.Functions, b.Calls, b.Advice, b.table = r.Functions, r.Calls, r.Advice(), r.String()
	most := 1
	for _, e := range r.Faces {
		f := faceBill{Face: e.Face, Unfit: e.Unfit, Definitions: e.Definitions, One: e.One, Five: e.Five,
			Once: e.Task.Once, Input: e.Task.Input, Turns: e.Task.Turns}
		if e.Bill != nil {
			f.Finding, f.Calling = e.Bill.Layers(r.Calls)
		}
		b.Faces = append(b.Faces, f)
		most = max(most, f.Once)
	}
	for i := range b.Faces {
		b.Faces[i].draw(most)
	}
	return b, nil
}

// draw makes the bars, for a page whose width is most tokens.
func (f *faceBill) draw(most int) {
	from := 0
	for _, layer := range []struct {
		class string
		n     int
	}{{"definitions", f.Definitions}, {"finding", f.Finding}, {"calling", f.Calling}} {
		to := from + layer.n
		x := from * 1000 / most
		f.Bars = append(f.Bars, bar{layer.class, x, to*1000/most - x})
		from = to
	}
}

// trailing are blanks at the end of a line.
var trailing = regexp.MustCompile(`(?m) +$`)

// print writes the report as text.
func (b *bill) print(env *environment) error {
	fmt.Fprintf(env.stdout, "Tokens (cl100k) of %s, with %d functions: each once / as input of all requests\n\n%s\n", b.Target, b.Functions, trailing.ReplaceAllString(clean.Text(b.table), ""))
	fmt.Fprintf(env.stdout, "The layers of a conversation with %d calls:\n\n", b.Calls)
	w := tabwriter.NewWriter(env.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "face\tdefinitions\tfinding\tcalling\tonce\tinput\tturns\n")
	for _, f := range b.Faces {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\n", f.Face, f.Definitions, f.Finding, f.Calling, f.Once, f.Input, f.Turns)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if s := b.Server; s != nil {
		fmt.Fprintf(env.stdout, "\nThe server itself: %d tokens of definitions, %d of them instructions; tools/list as a whole has %d.\n", s.Definitions, s.Instructions, s.Listed)
	}
	_, err := fmt.Fprintf(env.stdout, "\n%s\n", clean.Text(b.Advice))
	return err
}

//go:embed tokens.html
var tokensHTML string

// tokensPage needs no script. html/template escapes what servers and files say.
var tokensPage = template.Must(template.New("tokens").Parse(tokensHTML))
