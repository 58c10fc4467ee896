package cost

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/registry"
)

// A Step is a call that a task needs. How the model finds the function depends on the face.
type Step struct {
	Function string          // dotted path
	Args     json.RawMessage // a JSON object; empty is {}
	Query    string          // the search for it; empty lists its namespace
	Want     []string        // texts that the model must have read in the end

	// Look is the text to search for in a large result, if the face can search results. Empty reads the result as it
	// comes.
	Look string
	// Narrow gets the wanted part of a large result that is held back. Nil means that only the whole will do.
	Narrow *Step
}

// args returns the arguments, or nil if there are none.
func (s *Step) args() json.RawMessage {
	if string(s.Args) == "{}" {
		return nil
	}
	return s.Args
}

// PlayOptions configure [Play]. Nil is all defaults.
type PlayOptions struct {
	// Server returns another server for a face than one of the defaults. Nil, and nil servers, take the default.
	Server func(Face) Runner
	// Middleware wraps every function of a default server. Nil calls the functions.
	Middleware []registry.Middleware
	// Typed counts output schemas and structured content too, for clients that show them to the model beside
	// the text. The command endpoint has one form of both, which is always counted.
	Typed bool
	// Texts keeps what the model reads in the bill: definitions and replies. False keeps only their tokens.
	Texts bool
}

// Play lets a model do a task behind a face of src, as the caller in ctx. The functions are called. The error says
// which step failed, or what the model has not read.
func Play(ctx context.Context, face Face, src registry.Source, task []Step, o *PlayOptions) (*Bill, error) {
	functions, err := registry.Flat(ctx, registry.NewPipeline(src, nil).Source())
	if err != nil {
		return nil, err
	}
	return (&theatre{src, functions, o}).play(ctx, face, task)
}

// A theatre has what all plays need.
type theatre struct {
	src       registry.Source
	functions []*registry.Function // that the caller sees
	opts      *PlayOptions
}

func (th *theatre) play(ctx context.Context, face Face, task []Step) (*Bill, error) {
	m, err := newModel(face)
	if err != nil {
		return nil, err
	}
	o := th.opts
	if o == nil {
		o = new(PlayOptions)
	}
	if face == Endpoint {
		return th.ask(ctx, task, o)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var srv Runner
	if o.Server != nil {
		srv = o.Server(face)
	}
	if srv == nil {
		srv = newServer(face, th.src, o.Middleware...)
	}
	t, err := connect(ctx, srv, o)
	if err != nil {
		return nil, err
	}
	defer t.session.Close()
	t.functions = th.functions
	if face == Disclosure {
		if err := t.listResources(); err != nil {
			return nil, err
		}
	}
	for i := range task {
		s := &task[i]
		f, err := th.function(s.Function)
		if err == nil {
			err = m.do(t, s, f)
		}
		if err == nil {
			err = t.hasRead(s.Want)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Function, err)
		}
		t.bill.Steps = append(t.bill.Steps, len(t.bill.Turns))
	}
	return &t.bill, nil
}

// function returns the function at a path.
func (th *theatre) function(path string) (*registry.Function, error) {
	for _, f := range th.functions {
		if f.Path() == path {
			return f, nil
		}
	}
	want, ok := registry.CanonicalPath(path)
	for _, f := range th.functions {
		if is, _ := registry.CanonicalPath(f.Path()); ok && is == want {
			return f, nil
		}
	}
	return nil, fmt.Errorf("no function is called %s", path)
}

// hasRead reports the first text that the model has not read, as an error.
func (t *talk) hasRead(want []string) error {
	for _, w := range want {
		if !strings.Contains(t.read.String(), w) {
			return fmt.Errorf("the model has not read %q", w)
		}
	}
	return nil
}
