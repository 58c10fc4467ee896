package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// Defaults of [PipelineOptions].
const (
	DefaultTimeout      = time.Minute
	DefaultMaxArguments = 4 << 20
)

// A Pipeline takes calls from a face to the functions of a [Source]: resolve,
// normalise, validate, middleware in order, invoke, recover. A panicking,
// hanging or nil-returning function is an error, never the end of the process.
// It is safe for concurrent use.
type Pipeline struct {
	source       Source
	handler      Handler // middleware around the function's own handler
	bare         bool    // there is no middleware
	timeout      time.Duration
	maxArguments int
	repair       bool
	exact        bool
	log          *slog.Logger
	stuck        atomic.Int32 // look-ups that hang, given up by their callers
}

// PipelineOptions configure a [Pipeline]. Nil is fine.
type PipelineOptions struct {
	// Middleware wraps every function; the first is outermost.
	Middleware []Middleware
	// Timeout is the deadline of calls to functions that have none of their
	// own. Zero is [DefaultTimeout]; negative is none.
	Timeout time.Duration
	// MaxArguments is the most bytes that the arguments of a call may have.
	// Zero is [DefaultMaxArguments]; negative is no limit.
	MaxArguments int
	// Repair mends arguments before they are validated, by a few fixed rules:
	// an object that came as text is taken as the object, and "42" as 42 where
	// the schema wants an integer and no text; likewise numbers, booleans and
	// null. [Call.Repairs] says what was done. False takes arguments as they are.
	Repair bool
	// ExactKeys matches the keys of arguments as they are spelled. False matches
	// them in canonical form (RFC 5.3).
	ExactKeys bool
	// Logger gets what the caller is not told: panics, results without a JSON
	// form. Never arguments or results. Nil discards.
	Logger *slog.Logger
}

// NewPipeline returns a pipeline over src.
func NewPipeline(src Source, opts *PipelineOptions) *Pipeline {
	var o PipelineOptions
	if opts != nil {
		o = *opts
	}
	p := &Pipeline{
		handler:      run,
		bare:         len(o.Middleware) == 0,
		timeout:      cmp.Or(o.Timeout, DefaultTimeout),
		maxArguments: cmp.Or(o.MaxArguments, DefaultMaxArguments),
		repair:       o.Repair,
		exact:        o.ExactKeys,
		log:          o.Logger,
	}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	p.source = guarded{src, p.log, new(walkIndex)}
	for _, m := range slices.Backward(o.Middleware) {
		p.handler = m(p.handler)
	}
	return p
}

// Source returns the pipeline's source, guarded: what it answers against the
// duties of a [Source] (nothing at all, a panic) is an error.
func (p *Pipeline) Source() Source { return p.source }

// A Request asks a [Pipeline] for a call.
type Request struct {
	Namespace string // dotted path; empty is the root
	Function  string
	// Find looks the function up in another way than by its name, for the caller
	// in the context; Namespace and Function are not looked at then. It may fill
	// in the rest of the request. It is bounded like all of the call, so that a
	// rule of visibility that hangs holds up nobody. Nil looks the name up.
	Find func(context.Context) (*Function, error)
	// Arguments is a JSON object; empty and null are {}. Top-level keys are matched
	// in canonical form (RFC 5.3), unless [PipelineOptions.ExactKeys] is set.
	Arguments json.RawMessage
	// Reserved are arguments that the face itself understands: where the
	// function declares no such parameter, they are taken out and handed over
	// in [Call.Reserved].
	Reserved []Reserved
	// Ready is called when the function is known and its arguments are valid, and
	// before anything else decides about the call: a face adds what it could not
	// know before. The context that it returns is that of the call; an error ends
	// it. Nil adds nothing.
	Ready func(context.Context, *Call) (context.Context, error)
	// Gate is what the face lets through; see [Call.Gate].
	Gate *Gate
	// Progress delivers reports of the function. Nil drops them.
	Progress func(context.Context, Progress) error
	// Client is who is at the other end. Nil is nobody that can be turned to.
	Client *Client
	// DryRun asks what the call would meet, without running it: the result is a
	// [Plan] in JSON.
	DryRun bool
	// PlanToken is what a dry run gave for this very call; empty is none.
	PlanToken string
	// Detail is how much of the result is wanted. Empty is [Full].
	Detail Detail
}

// Found is [Request.Find] for a function that is known already, as the pipeline's
// source has it for the caller.
func Found(f *Function) func(context.Context) (*Function, error) {
	return func(context.Context) (*Function, error) { return f, nil }
}

// A Reserved is an argument that a face understands; see [Request.Reserved].
type Reserved struct {
	Name  string                     // in canonical form
	Takes func(json.RawMessage) bool // whether a value is meant for the face; nil takes any
}

// Prepare does what comes before a call: it resolves the name for the caller in
// ctx, normalises the arguments and validates them. It takes as long as rules of
// visibility do. Its errors are *[Error].
func (p *Pipeline) Prepare(ctx context.Context, req *Request) (*Call, error) {
	f, err := p.find(ctx, req)
	if err != nil {
		return nil, around(err)
	}
	if ctx.Err() != nil {
		return nil, notRun(ctx, f)
	}
	detail, err := ParseDetail(string(req.Detail))
	if err != nil {
		return nil, err
	}
	c := &Call{
		Function: f, Caller: CallerFrom(ctx), Client: req.Client, Gate: req.Gate,
		PlanToken: req.PlanToken, Detail: detail, progress: req.Progress,
	}
	if req.DryRun {
		c.Plan = NewPlan(f)
	}
	if err := p.prepareArguments(ctx, c, req); err != nil {
		e := AsError(err)
		e.Namespace, e.Name = f.namespace, f.name
		return nil, e
	}
	return c, nil
}

// around returns err as an *Error. Where err is of a face's own type and wraps one,
// it can still be found in what is returned.
func around(err error) *Error {
	e := AsError(err)
	if err == error(e) {
		return e
	}
	own := *e
	own.Err = err
	return &own
}

func (p *Pipeline) find(ctx context.Context, req *Request) (*Function, error) {
	if req.Find == nil {
		return p.source.Function(ctx, req.Namespace, req.Function)
	}
	f, err := req.Find(ctx)
	if err == nil && !f.served() {
		return nil, NoFunction(req.Namespace, req.Function)
	}
	return f, err
}

func (p *Pipeline) prepareArguments(ctx context.Context, c *Call, req *Request) error {
	data := []byte(req.Arguments)
	if p.maxArguments > 0 && len(data) > p.maxArguments {
		return invalidArguments(fmt.Sprintf("The arguments have %d bytes; at most %d are taken. Pass less, for example a reference instead of the content.",
			len(data), p.maxArguments))
	}
	if isNothing(data) {
		data = []byte("{}")
	}
	if p.repair {
		data, c.Repairs = repairObject(data)
	}
	if p.exact {
		if err := checkObject(data); err != nil {
			return err
		}
	} else {
		var few [8]argument // on the stack
		args, err := readArguments(few[:0], data, c.Function.params)
		if err != nil {
			return err
		}
		data, c.Reserved = normalized(data, args, req.Reserved)
	}
	if p.repair {
		var repairs []Repair
		data, repairs = repairValues(c.Function.checked.JSON(), data)
		c.Repairs = append(c.Repairs, repairs...)
	}
	in := c.Function.checked
	if err := in.Check(ctx, data); err != nil {
		if ctx.Err() != nil {
			return notRun(ctx, c.Function)
		}
		return &Error{Kind: InvalidArguments, Message: "Invalid arguments: " + err.Error() + ".", Err: err}
	}
	if in.HasDefaults() {
		data = in.WithDefaults(data)
	}
	c.Arguments = strictjson.Trim(data)
	return nil
}

// isNothing reports whether arguments are left out (X15).
func isNothing(data []byte) bool {
	data = strictjson.Trim(data)
	return len(data) == 0 || string(data) == "null"
}

// run is what all middleware is wrapped around.
func run(ctx context.Context, c *Call) (*Result, error) {
	if c.Plan != nil {
		return c.Plan.result()
	}
	if c.Kept != nil {
		if res, err := c.Kept(ctx); res != nil || err != nil {
			return res, err
		}
	}
	return c.Function.handler(ctx, c)
}
