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
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

const (
	// DefaultName is the default of [Options].Name.
	DefaultName = "endpoint"
	// DefaultMaxRequest is the default of [Options].MaxRequest, in bytes.
	DefaultMaxRequest = 8 << 20
)

// Options configure an [Endpoint]. Nil is fine.
type Options struct {
	// Name is the component's name in errors. Empty is [DefaultName].
	Name string
	// Middleware wraps every function; the first is outermost.
	Middleware []registry.Middleware
	// Timeout is the default deadline of a function. Zero is [registry.DefaultTimeout]; negative is none.
	Timeout time.Duration
	// MaxRequest bounds a request, in bytes. Zero is [DefaultMaxRequest]; negative is no limit.
	MaxRequest int
	// MaxArguments bounds the arguments of a call, in bytes. Zero is [registry.DefaultMaxArguments]; negative is no
	// limit.
	MaxArguments int
	// ExitZero exits with status 0 always, for clients that take any other status for a failure of the endpoint and
	// read nothing else. False exits with 1 after an error, and with the command's status after a [Tool].
	ExitZero bool
	// Logger gets details that the client does not. It must write neither to the output nor to standard error,
	// which some clients take for a failure. Nil discards.
	Logger *slog.Logger
}

// An Endpoint answers requests for the functions of a source. It is safe for concurrent use.
type Endpoint struct {
	pipeline *registry.Pipeline
	source   registry.Source // the pipeline's source
	opts     Options
}

// New returns an endpoint for the functions of src. Skills are never shown.
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

// Run serves one request, as the main function of a process. It reads in to its end or until ctx ends, writes one
// line of JSON to out, and returns the exit status. Abandoned functions have ended when it returns, unless that
// takes more than two seconds.
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
	go func() { // ends with the input, at the latest with the process
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

// Answer returns the document that answers a request, without a line end, and the exit status. Errors are documents
// too. ctx holds the caller.
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
		return strictjson.MustMarshal(describeAnswer{answerResult, describe(f)}), 0
	}
	return e.call(ctx, r)
}

// The answers of the protocol. The member tool is a descriptor in one, and a name in another.
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

// Values of the member type.
const (
	answerResult = "result"
	answerError  = "error"
)

// list describes the functions that the caller sees: local ones first, then remote ones, both in the order of the
// tree.
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
	return strictjson.MustMarshal(listAnswer{answerResult, append(local, remote...)}), 0
}

// find returns the function with exactly this name.
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
	var f *registry.Function // read only after a call that has ended
	res, err := e.pipeline.Call(ctx, &registry.Request{
		Find: func(ctx context.Context) (_ *registry.Function, err error) {
			f, err = e.find(ctx, r.tool)
			return f, err
		},
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
		return e.failed(&registry.Error{Kind: registry.Failed, Message: cmp.Or(errorText(res), "The tool "+quote(r.tool)+" failed without saying why.")})
	}
	if e.opts.ExitZero {
		code = 0
	}
	return strictjson.MustMarshal(callAnswer{answerResult, r.tool, resultOf(ctx, f, res)}), code
}

// failed returns the document of an error.
func (e *Endpoint) failed(err error) ([]byte, int) {
	var shown *registry.Error
	if !errors.As(err, &shown) { // an error of the context
		shown = &registry.Error{Kind: registry.Canceled, Message: "The request was cancelled."}
	}
	shown = shown.For(word)
	text := shown.Error()
	exit := 1
	if e.opts.ExitZero {
		exit = 0
	}
	text = clean.Cut(strings.TrimSpace(clean.Text(text)), maxMessage)
	return strictjson.MustMarshal(errorAnswer{answerError, &Error{
		Name: e.opts.Name, Category: CategoryOf(shown.Kind), Message: cmp.Or(text, fmt.Sprintf("failed (%s)", shown.Kind)),
	}}), exit
}

// word returns the next step in terms of the protocol's actions.
func word(_ *registry.Error, next registry.Step) string {
	switch next {
	case registry.LookUp:
		return "Use `list_tools` for the names."
	case registry.ReadDefinition:
		return "Use `describe_tool` for its input schema."
	}
	return ""
}
