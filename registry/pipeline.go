package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
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
	timeout      time.Duration
	maxArguments int
	repair       bool
	exact        bool
	log          *slog.Logger
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
	// Resolved is the function itself, as the pipeline's source has it for this
	// caller ([Find]); Namespace and Function are not looked at then. Nil looks
	// the name up.
	Resolved *Function
	// Arguments is a JSON object; empty is {}. Top-level keys are matched in
	// canonical form (RFC 5.3), unless [PipelineOptions.ExactKeys] is set.
	Arguments json.RawMessage
	// Reserved are arguments that the face itself understands: where the
	// function declares no such parameter, they are taken out and handed over
	// in [Call.Reserved].
	Reserved []Reserved
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

// A Reserved is an argument that a face understands; see [Request.Reserved].
type Reserved struct {
	Name  string                     // in canonical form
	Takes func(json.RawMessage) bool // whether a value is meant for the face; nil takes any
}

// Call runs a request from beginning to end. Its errors are *[Error].
func (p *Pipeline) Call(ctx context.Context, req *Request) (*Result, error) {
	c, err := p.Prepare(ctx, req)
	if err != nil {
		return nil, err
	}
	return p.Run(ctx, c)
}

// Prepare does what comes before the function runs: it resolves the name for
// the caller in ctx, normalises the arguments and validates them.
func (p *Pipeline) Prepare(ctx context.Context, req *Request) (*Call, error) {
	f := req.Resolved
	if f == nil {
		var err error
		if f, err = p.source.Function(ctx, req.Namespace, req.Function); err != nil {
			return nil, AsError(err)
		}
	}
	if ctx.Err() != nil {
		return nil, notRun(ctx, f)
	}
	detail, err := ParseDetail(string(req.Detail))
	if err != nil {
		return nil, err
	}
	c := &Call{Function: f, Caller: CallerFrom(ctx), Client: req.Client, PlanToken: req.PlanToken, Detail: detail, progress: req.Progress}
	if req.DryRun {
		c.Plan = NewPlan(f)
	}
	if err := p.prepareArguments(ctx, c, req); err != nil {
		e := AsError(err)
		e.Namespace, e.Name = f.namespace, f.Name
		return nil, e
	}
	return c, nil
}

func (p *Pipeline) prepareArguments(ctx context.Context, c *Call, req *Request) error {
	data := []byte(req.Arguments)
	if p.maxArguments > 0 && len(data) > p.maxArguments {
		return invalidArguments(fmt.Sprintf("The arguments have %d bytes; at most %d are taken. Pass less, for example a reference instead of the content.",
			len(data), p.maxArguments))
	}
	if len(data) == 0 {
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

// run is what all middleware is wrapped around.
func run(ctx context.Context, c *Call) (*Result, error) {
	if c.Plan != nil {
		return c.Plan.result()
	}
	return c.Function.handler(ctx, c)
}

// maxStuck is how many calls of one function may hang, given up by their
// callers, before further ones are refused.
const maxStuck = 64

type outcome struct {
	result *Result
	err    *Error
}

// Run takes a prepared call through the middleware to the function. It returns
// when the function does, or when the deadline has passed or ctx has ended,
// whichever comes first: a function that ignores its context is left behind.
func (p *Pipeline) Run(ctx context.Context, c *Call) (*Result, error) {
	f := c.Function
	if f.stuck.Load() >= maxStuck {
		return nil, fail(f, Unavailable, fmt.Sprintf("The function `%s` is not taking calls: %d earlier ones have not ended.", f.Name, maxStuck), nil)
	}
	if ctx.Err() != nil {
		return nil, notRun(ctx, f)
	}
	timeout := cmp.Or(f.Timeout, p.timeout)
	var cancel context.CancelFunc
	if timeout > 0 {
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, errTimeout)
	} else {
		ctx, cancel = context.WithCancel(ctx)
	}
	defer cancel()

	done := make(chan outcome, 1)
	own := *c // the caller's may change, and this one is left behind with the function
	go p.invoke(ctx, &own, timeout, done)
	select {
	case o := <-done:
		return o.unwrap()
	case <-ctx.Done():
	}
	select { // an answer that came with the deadline is an answer
	case o := <-done:
		return o.unwrap()
	default:
	}
	f.stuck.Add(1)
	go func() { // ends with the function
		<-done
		f.stuck.Add(-1)
	}()
	return nil, ended(ctx, f, timeout)
}

func (o outcome) unwrap() (*Result, error) {
	if o.err != nil {
		return nil, o.err
	}
	return o.result, nil
}

// invoke runs the handlers, on a call that is theirs alone, and always
// sends exactly one outcome, also when they panic or end their goroutine. What
// they return is made presentable here too, for their errors and contents may
// have methods that panic or hang.
func (p *Pipeline) invoke(ctx context.Context, c *Call, timeout time.Duration, done chan<- outcome) {
	growStack()
	f := c.Function
	settled := false
	var o outcome
	defer func() {
		if !settled {
			o = outcome{err: p.crashed(ctx, f, recover())}
		}
		done <- o
	}()
	res, err := p.handler(ctx, c)
	if err != nil {
		o.err = p.failure(ctx, f, timeout, err)
	} else {
		o = p.settle(ctx, f, res)
	}
	settled = true
}

// growStack makes room for the decoding and encoding of JSON while the stack of
// a new goroutine is still empty: growing it step by step later, with frames to
// move, takes a fifth of a call's time.
//
//go:noinline
func growStack() byte {
	var room [6 << 10]byte
	return room[len(room)-int(touch)]
}

// touch keeps the compiler from doing without the room.
var touch byte = 1

// settle makes sure that a result can be delivered.
func (p *Pipeline) settle(ctx context.Context, f *Function, r *Result) outcome {
	r, err := frozen(r)
	if err != nil {
		p.log.ErrorContext(ctx, "function returned an unusable result", "function", f.Path(), "reason", err.Error())
		return outcome{err: fail(f, Internal, fmt.Sprintf("The function `%s` ran, but returned no usable result.%s", f.Name, consequence(f)), nil)}
	}
	return outcome{result: r}
}
