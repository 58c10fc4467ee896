package endpoint

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
)

const (
	// DefaultName is the component that an endpoint without a name of its own
	// gives in its errors.
	DefaultName = "endpoint"
	// DefaultMaxRequest is the most bytes of a request where [Options] do not say.
	DefaultMaxRequest = 8 << 20
)

// Options configure an [Endpoint]. Nil is fine.
type Options struct {
	// Name is the component in errors. Empty is [DefaultName].
	Name string
	// Middleware wraps every function; the first is outermost.
	Middleware []registry.Middleware
	// Timeout is the deadline of calls to functions that have none of their own.
	// Zero is [registry.DefaultTimeout]; negative is none.
	Timeout time.Duration
	// MaxRequest is the most bytes of a request. Zero is [DefaultMaxRequest];
	// negative is no limit.
	MaxRequest int
	// MaxArguments is the most bytes of the arguments of a call. Zero is
	// [registry.DefaultMaxArguments]; negative is no limit.
	MaxArguments int
	// ExitZero ends every process with status 0, for clients that take any other
	// status for a failure of the endpoint itself and look at nothing else. False
	// is 1 after an error, and the command's own status after a [Tool].
	ExitZero bool
	// Logger gets what the client is not told. It must not write to the output,
	// nor to standard error, where some clients take anything for a failure. Nil
	// discards.
	Logger *slog.Logger
}

// An Endpoint answers requests about the functions of a source. It is safe for
// concurrent use.
type Endpoint struct {
	pipeline *registry.Pipeline
	source   registry.Source // the pipeline's
	opts     Options
}

// New returns an endpoint for the functions of src. Its skills are never shown.
func New(src registry.Source, opts *Options) *Endpoint {
	e := new(Endpoint)
	if opts != nil {
		e.opts = *opts
	}
	e.opts.Name = cmp.Or(clean.Line(e.opts.Name, maxName), DefaultName)
	e.opts.MaxRequest = cmp.Or(e.opts.MaxRequest, DefaultMaxRequest)
	e.pipeline = registry.NewPipeline(src, &registry.PipelineOptions{
		Middleware: append(slices.Clone(e.opts.Middleware), followed), Timeout: e.opts.Timeout,
		MaxArguments: e.opts.MaxArguments, ExactKeys: true, Logger: e.opts.Logger,
	})
	e.source = e.pipeline.Source()
	return e
}

// Run serves one request, as the main function of a process does: it reads in to
// its end, as long as ctx lasts, writes one line of JSON to out and returns the
// status to exit with. When it returns, functions that were given up have ended,
// unless that takes more than two seconds.
func (e *Endpoint) Run(ctx context.Context, in io.Reader, out io.Writer) int {
	calls := new(calls)
	document, exit := e.answerReader(calls.follow(ctx), in)
	if _, err := out.Write(append(document, '\n')); err != nil {
		exit = 1
	}
	calls.wait()
	return exit
}

func (e *Endpoint) answerReader(ctx context.Context, in io.Reader) ([]byte, int) {
	type input struct {
		data []byte
		err  error
	}
	read := make(chan input, 1)
	go func() { // ends with the input, which ends with the process
		if e.opts.MaxRequest > 0 {
			in = io.LimitReader(in, int64(e.opts.MaxRequest)+1)
		}
		data, err := io.ReadAll(in)
		read <- input{data, err}
	}()
	select {
	case r := <-read:
		if r.err != nil {
			return e.failed(&registry.Error{Kind: registry.Internal, NotRun: true, Message: "The request could not be read to its end."})
		}
		return e.Answer(ctx, r.data)
	case <-ctx.Done():
		return e.failed(&registry.Error{Kind: registry.Canceled, NotRun: true, Message: "The request did not end: close the input after it."})
	}
}

// Answer returns the document that answers a request, without a line end, and the
// status to exit with. Errors are documents too. ctx has the caller.
func (e *Endpoint) Answer(ctx context.Context, data []byte) (document []byte, exit int) {
	if most := e.opts.MaxRequest; most > 0 && len(data) > most {
		return e.failed(badRequest("The request has more than %d bytes. Pass less, for example a reference instead of the content.", most))
	}
	r, err := readRequest(data)
	if err != nil {
		return e.failed(err)
	}
	switch r.action {
	case listTools:
		return e.list(ctx)
	case describeTool:
		f, err := e.find(ctx, r.tool)
		if err != nil {
			return e.failed(err)
		}
		return encode(describeAnswer{answerResult, describe(f)}), 0
	}
	return e.call(ctx, r)
}

// The answers of the protocol. Tool is a descriptor in one and a name in another.
type (
	listAnswer struct {
		Type  string       `json:"type"`
		Tools []Descriptor `json:"tools"`
	}
	describeAnswer struct {
		Type string     `json:"type"`
		Tool Descriptor `json:"tool"`
	}
	callAnswer struct {
		Type   string          `json:"type"`
		Tool   string          `json:"tool"`
		Result json.RawMessage `json:"result"`
	}
	errorAnswer struct {
		Type  string `json:"type"`
		Error *Error `json:"error"`
	}
)

// The values of the member type.
const (
	answerResult = "result"
	answerError  = "error"
)

// list describes all functions that the caller sees: those that run here first,
// then those that run elsewhere, each in the order of the tree.
func (e *Endpoint) list(ctx context.Context) ([]byte, int) {
	local, remote := []Descriptor{}, []Descriptor{}
	err := registry.Walk(ctx, e.source, "", func(l *registry.Listing) error {
		for _, f := range l.Functions {
			if f.Remote() {
				remote = append(remote, describe(f))
			} else {
				local = append(local, describe(f))
			}
		}
		return nil
	})
	if err != nil {
		return e.failed(err)
	}
	return encode(listAnswer{answerResult, append(local, remote...)}), 0
}

// find returns the function that has a name, spelled exactly so.
func (e *Endpoint) find(ctx context.Context, tool string) (*registry.Function, error) {
	i := strings.LastIndexByte(tool, '.')
	f, err := e.source.Function(ctx, tool[:max(i, 0)], tool[i+1:])
	switch {
	case err == nil && f.Path() == tool:
		return f, nil
	case err == nil || CategoryOf(registry.AsError(err).Kind) == Usage:
		return nil, &registry.Error{Kind: registry.UnknownFunction, NotRun: true,
			Message: "There is no tool " + quote(tool) + ".", Hint: "Use `list_tools` for the names, which are exact."}
	}
	return nil, err
}

func (e *Endpoint) call(ctx context.Context, r *request) ([]byte, int) {
	res, err := e.pipeline.Call(ctx, &registry.Request{
		Find:      func(ctx context.Context) (*registry.Function, error) { return e.find(ctx, r.tool) },
		Arguments: r.arguments,
	})
	if err != nil {
		return e.failed(err)
	}
	code, isCommand := exitCode(res)
	switch {
	case res.InputRequests != nil:
		return e.failed(&registry.Error{Kind: registry.Unavailable,
			Message: "The tool " + quote(r.tool) + " asks for more input, which cannot be asked for here."})
	case res.IsError && !(isCommand && code != 0):
		return e.failed(&registry.Error{Kind: registry.Failed, Message: cmp.Or(said(res), "The tool "+quote(r.tool)+" failed without saying why.")})
	}
	if e.opts.ExitZero {
		code = 0
	}
	return encode(callAnswer{answerResult, r.tool, resultObject(res)}), code
}

// failed is the document of an error.
func (e *Endpoint) failed(err error) ([]byte, int) {
	var shown *registry.Error
	if !errors.As(err, &shown) { // it is that of the context
		shown = &registry.Error{Kind: registry.Canceled, Message: "The request was cancelled."}
	}
	text := shown.Error()
	if shown.Kind == registry.InvalidArguments && shown.Name != "" && shown.Hint == "" {
		text += " Use `describe_tool` for its input schema."
	}
	exit := 1
	if e.opts.ExitZero {
		exit = 0
	}
	text = clean.Cut(strings.TrimSpace(clean.Text(text)), maxMessage)
	return encode(errorAnswer{answerError, &Error{
		Name: e.opts.Name, Category: CategoryOf(shown.Kind), Message: cmp.Or(text, fmt.Sprintf("failed (%s)", shown.Kind)),
	}}), exit
}
