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
	// Zero is [DefaultMaxArguments].
	MaxArguments int
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
		source:       src,
		handler:      func(ctx context.Context, c *Call) (*Result, error) { return c.Function.handler(ctx, c) },
		timeout:      cmp.Or(o.Timeout, DefaultTimeout),
		maxArguments: cmp.Or(o.MaxArguments, DefaultMaxArguments),
		log:          o.Logger,
	}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	for _, m := range slices.Backward(o.Middleware) {
		p.handler = m(p.handler)
	}
	return p
}

// A Request asks a [Pipeline] for a call.
type Request struct {
	Namespace string // dotted path; empty is the root
	Function  string
	// Arguments is a JSON object; empty is {}. Top-level keys are matched in
	// canonical form (RFC 5.3).
	Arguments json.RawMessage
	// Reserved are names, in canonical form, that the face itself understands:
	// where the function declares no such parameter, they are taken out of the
	// arguments and handed over in [Call.Reserved].
	Reserved []string
	// Progress delivers reports of the function. Nil drops them.
	Progress func(context.Context, Progress) error
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
	f, err := p.source.Function(ctx, req.Namespace, req.Function)
	if err != nil {
		return nil, AsError(err)
	}
	c := &Call{Function: f, Caller: CallerFrom(ctx), progress: req.Progress}
	if err := p.prepareArguments(ctx, c, req); err != nil {
		e := AsError(err)
		e.Namespace, e.Name = f.namespace, f.Name
		return nil, e
	}
	return c, nil
}

func (p *Pipeline) prepareArguments(ctx context.Context, c *Call, req *Request) error {
	data := []byte(req.Arguments)
	if len(data) > p.maxArguments {
		return invalidArguments(fmt.Sprintf("The arguments have %d bytes; at most %d are taken. Pass less, for example a reference instead of the content.",
			len(data), p.maxArguments))
	}
	if len(data) == 0 {
		data = []byte("{}")
	}
	args, err := readArguments(data, c.Function.names)
	if err != nil {
		return err
	}
	data, c.Reserved = normalized(data, args, req.Reserved)
	in := c.Function.input
	if err := in.Check(ctx, data); err != nil {
		return &Error{Kind: InvalidArguments, Message: "Invalid arguments: " + err.Error() + ".", Err: err}
	}
	if in.HasDefaults() {
		data = in.WithDefaults(data)
	}
	c.Arguments = strictjson.Trim(data)
	return nil
}

// maxStuck is how many calls of one function may hang, given up by their
// callers, before further ones are refused.
const maxStuck = 64

type outcome struct {
	result *Result
	err    error
}

// Run takes a prepared call through the middleware to the function. It returns
// when the function does, or when the deadline has passed or ctx has ended,
// whichever comes first: a function that ignores its context is left behind.
func (p *Pipeline) Run(ctx context.Context, c *Call) (*Result, error) {
	f := c.Function
	if f.stuck.Load() >= maxStuck {
		return nil, fail(c, Unavailable, fmt.Sprintf("The function `%s` is not taking calls: %d earlier ones have not ended.", f.Name, maxStuck), nil)
	}
	timeout := cmp.Or(f.Timeout, p.timeout)
	var cancel context.CancelFunc
	if timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, timeout)
	} else {
		ctx, cancel = context.WithCancel(ctx)
	}
	defer cancel()

	done := make(chan outcome, 1)
	go p.invoke(ctx, c, done)
	select {
	case o := <-done:
		return p.settle(ctx, c, timeout, o)
	case <-ctx.Done():
	}
	select { // an answer that came with the deadline is an answer
	case o := <-done:
		return p.settle(ctx, c, timeout, o)
	default:
	}
	f.stuck.Add(1)
	go func() { // ends with the function
		<-done
		f.stuck.Add(-1)
	}()
	return nil, ended(ctx, c, timeout)
}

// invoke runs the handlers and always sends exactly one outcome, also when
// they panic or end their goroutine.
func (p *Pipeline) invoke(ctx context.Context, c *Call, done chan<- outcome) {
	returned := false
	var o outcome
	defer func() {
		if !returned {
			o = outcome{err: p.crashed(ctx, c, recover())}
		}
		done <- o
	}()
	o.result, o.err = p.handler(ctx, c)
	returned = true
}

// settle turns what the handlers returned into a result or an *Error.
func (p *Pipeline) settle(ctx context.Context, c *Call, timeout time.Duration, o outcome) (*Result, error) {
	if o.err != nil {
		return nil, p.failure(ctx, c, timeout, o.err)
	}
	if why := flaw(o.result); why != "" {
		p.log.ErrorContext(ctx, "function returned an unusable result", "function", c.Function.Path(), "reason", why)
		return nil, fail(c, Internal, fmt.Sprintf("The function `%s` ran, but returned no usable result.", c.Function.Name), nil)
	}
	return o.result, nil
}

// flaw says why a result cannot be delivered, or "".
func flaw(r *Result) string {
	if r == nil {
		return "nil result"
	}
	for _, c := range r.Content {
		if isNil(c) {
			return "nil content"
		}
	}
	if r.Structured != nil && !json.Valid(r.Structured) {
		return "structured content is not JSON"
	}
	return ""
}
