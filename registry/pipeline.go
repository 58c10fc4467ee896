package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cash-mcp/go-sdk/internal/mistake"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// Defaults of [PipelineOptions].
const (
	DefaultTimeout      = time.Minute
	DefaultMaxArguments = 4 << 20
)

// A Pipeline runs the calls of a face: resolve in a [Source], normalise, validate, middleware in
// order, run, recover. A function that panics, hangs or returns nil gives an error and never
// ends the process. A Pipeline is safe for concurrent use.
type Pipeline struct {
	source       Source
	handler      Handler // the middleware around run
	bare         bool    // no middleware
	timeout      time.Duration
	maxArguments int
	repair       bool
	exact        bool
	untrimmed    bool
	log          *slog.Logger
	limiter      *Limiter
	stuck        atomic.Int32 // abandoned look-ups that have not ended
}

// PipelineOptions configure a [Pipeline]. Nil is fine.
type PipelineOptions struct {
	// Middleware wraps every function; the first is outermost.
	Middleware []Middleware
	// Timeout is the deadline of a call whose function has no deadline of its own. Zero is
	// [DefaultTimeout]; negative is none.
	Timeout time.Duration
	// MaxArguments is the most bytes of a call's arguments. Zero is [DefaultMaxArguments]; negative
	// is no limit.
	MaxArguments int
	// Limiter bounds the calls at a time. Nil is no bound.
	Limiter *Limiter
	// Repair corrects arguments before validation by fixed rules: an object sent as text becomes
	// the object, and "42" becomes 42 where the schema takes an integer and no text. The same holds
	// for numbers, booleans and null. [Call.Repairs] lists the changes. False takes arguments as
	// they are.
	Repair bool
	// ExactKeys matches the keys of arguments by exact spelling. False matches them in canonical
	// form (RFC 5.3).
	ExactKeys bool
	// Untrimmed sends all results whole at every level of detail, as the function option [Untrimmed]
	// does. Tags of types have their effect. False trims them.
	Untrimmed bool
	// Logger gets the facts that callers must not see: panics, and results without a JSON form. It
	// never gets arguments or results. Nil discards.
	Logger *slog.Logger
}

// NewPipeline returns a pipeline over src. It panics if src is nil.
func NewPipeline(src Source, opts *PipelineOptions) *Pipeline {
	if r, ok := src.(*Registry); src == nil || ok && r == nil {
		mistake.Check("registry", errors.New("the source to serve is nil: registry.New makes one"))
	}
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
		untrimmed:    o.Untrimmed,
		limiter:      o.Limiter,
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

// Source returns the pipeline's source in a wrapper that enforces the duties of a [Source]: a nil
// answer or a panic is an error.
func (p *Pipeline) Source() Source { return p.source }

// A Request is the order for one call by a [Pipeline]. A face makes it.
type Request struct {
	Namespace string // dotted path; empty is the root
	Function  string
	// Find looks the function up for the caller in the context, in place of Namespace and Function.
	// It may fill in the rest of the request. The call's deadline bounds it, so a visibility rule
	// that hangs blocks nobody. Nil looks up Namespace and Function.
	Find func(context.Context) (*Function, error)
	// Arguments is a JSON object; empty and null are {}. Top-level keys are matched
	// in canonical form (RFC 5.3), unless [PipelineOptions.ExactKeys] is set.
	Arguments json.RawMessage
	// Reserved are arguments of the face itself. If the function declares no such parameter, the
	// value is taken out and moved to [Call.Reserved].
	Reserved []Reserved
	// Ready is called once the function is known and its arguments are valid, before all
	// middleware. A face sets what depends on the function. The returned context is that of the
	// call. An error ends the call. Nil sets nothing.
	Ready func(context.Context, *Call) (context.Context, error)
	// Gate is the gate of the face; see [Call.Gate].
	Gate *Gate
	// Progress delivers the function's progress. Nil drops it.
	Progress func(context.Context, Progress) error
	// Client is the client of this call. Nil cannot be asked anything.
	Client *Client
	// DryRun lists the checks that the call would meet, without running it. The result is a [Plan]
	// in JSON.
	DryRun bool
	// PlanToken is the token that a dry run gave for this call. Empty is none.
	PlanToken string
	// Detail is the requested level of detail. Empty is [Full]. Tags choose what a lower level shows
	// ([Func]), else the rules in the package comment. A function with a parameter detail that takes exactly the
	// three levels trims its results itself: it gets the level, unless the caller has given one.
	Detail Detail
	// Record collects what becomes of the call; see [Call.Record]. Nil is nobody.
	Record *observe.Record
}

// Found is a [Request.Find] that returns f. f comes from the pipeline's source, for the same
// caller.
func Found(f *Function) func(context.Context) (*Function, error) {
	return func(context.Context) (*Function, error) { return f, nil }
}

// A Reserved is an argument of the face itself; see [Request.Reserved].
type Reserved struct {
	Name  string                     // in canonical form
	Takes func(json.RawMessage) bool // reports whether a value is for the face; nil takes any
}

// Prepare does the steps before a call: it resolves the name for the caller in ctx, then normalises
// and validates the arguments. Only ctx bounds its duration. Its errors are *[Error].
func (p *Pipeline) Prepare(ctx context.Context, req *Request) (*Call, error) {
	f, err := p.find(ctx, req)
	if err != nil {
		return nil, wrapError(err)
	}
	if f, err = f.Complete(ctx); err != nil {
		return nil, wrapError(err)
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
		Record: req.Record, pipeline: p, leveled: req.Detail != "",
	}
	if req.DryRun {
		c.Plan = NewPlan(f)
	}
	err = p.prepareArguments(ctx, c, req)
	c.note()
	if err != nil {
		e := AsError(err)
		e.Namespace, e.Name = f.namespace, f.name
		return nil, e
	}
	return c, nil
}

// wrapError returns err as an *Error. If err is a face's own type around an *Error, errors.As still
// finds it in the result.
func wrapError(err error) *Error {
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
	if isOmitted(data) {
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
		data, repairs = repairValues(c.Function.input.JSON(), data)
		c.Repairs = append(c.Repairs, repairs...)
	}
	if req.Detail != "" && p.passesDetail(c.Function) && strictjson.Member(data, detailParam) == nil {
		data = withMember(data, `"`+detailParam+`":"`+string(c.Detail)+`"`)
	}
	in := c.Function.input
	if err := in.Check(ctx, data); err != nil {
		if ctx.Err() != nil {
			return notRun(ctx, c.Function)
		}
		return &Error{Kind: InvalidArguments, Message: "Invalid arguments: " + err.Error() + ".", Err: err}
	}
	if in.HasDefaults() && !c.Function.sparse {
		data = in.WithDefaults(data)
	}
	c.Arguments = strictjson.Trim(data)
	return nil
}

// isOmitted reports whether arguments are missing or null (X15).
func isOmitted(data []byte) bool {
	data = strictjson.Trim(data)
	return len(data) == 0 || string(data) == "null"
}

// run is the innermost handler, inside all middleware: the level of detail acts on the result before they do.
func run(ctx context.Context, c *Call) (*Result, error) {
	if c.Plan != nil {
		if plan := c.Function.plan; plan != nil {
			if err := plan(ctx, c); err != nil {
				return nil, err
			}
		}
		return c.Plan.result()
	}
	if c.Kept != nil {
		if res, err := c.Kept(ctx); res != nil || err != nil {
			return res, err
		}
	}
	res, err := c.invoke(ctx)
	if c.leveled {
		res = c.atLevel(res)
	}
	return res, err
}
