package endpoint

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/internal/apart"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/search"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// DefaultName is the default of [Options].Name.
const DefaultName = "endpoint"

// Options configure an [Endpoint]. Nil is fine.
type Options struct {
	// Name is the component's name in errors of this endpoint. Errors of mounted endpoints and servers have theirs.
	// Empty is [DefaultName].
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
	// MaxAnswer bounds an answer with its line end, in bytes. In place of a larger one there is an error; a list leaves
	// out remote tools instead. Zero is [DefaultMaxAnswer]; negative is no limit.
	MaxAnswer int
	// ExitZero exits with status 0 always, for clients that take any other status for a failure of the endpoint and
	// read nothing else. False exits with 1 after an error, and with the command's status after a [Tool].
	ExitZero bool
	// Observe is told of every request. Nil is nobody.
	Observe observe.Hook
	// Logger gets details that the client does not. It must write neither to the output nor to standard error,
	// which some clients take for a failure. Nil discards.
	Logger *slog.Logger
}

// An Endpoint answers requests for the functions of a source. It is safe for concurrent use.
type Endpoint struct {
	pipeline *registry.Pipeline
	source   registry.Source // the pipeline's source
	opts     Options
	observer *observe.Observer // nil tells nobody
}

// New returns an endpoint for the functions of src. Skills are never shown.
func New(src registry.Source, opts *Options) *Endpoint {
	e := new(Endpoint)
	if opts != nil {
		e.opts = *opts
	}
	e.opts.Name = cmp.Or(clean.Line(e.opts.Name, maxName), DefaultName)
	e.opts.MaxRequest = limit(e.opts.MaxRequest, DefaultMaxRequest)
	e.opts.MaxAnswer = limit(e.opts.MaxAnswer, DefaultMaxAnswer)
	if e.opts.Logger == nil {
		e.opts.Logger = slog.New(slog.DiscardHandler)
	}
	e.pipeline = registry.NewPipeline(src, &registry.PipelineOptions{
		Middleware: append(slices.Clone(e.opts.Middleware), followed), Timeout: e.opts.Timeout,
		MaxArguments: e.opts.MaxArguments, ExactKeys: true, Logger: e.opts.Logger,
	})
	e.source, e.observer = e.pipeline.Source(), observe.New(e.opts.Observe, e.opts.Logger)
	return e
}

// Run serves one request, as the main function of a process. It reads in to its end or until ctx ends, writes one
// line of JSON to out, and returns the exit status. Abandoned functions have ended when it returns, unless that
// takes more than two seconds.
//
// If out is [os.Stdout], only the answer goes there. What functions print goes to standard error, as the package
// comment describes.
func (e *Endpoint) Run(ctx context.Context, in io.Reader, out io.Writer) int {
	out, giveBack := takeStdout(out)
	calls := new(calls)
	document, exit := e.answerReader(calls.follow(ctx), in)
	if _, err := out.Write(append(document, '\n')); err != nil {
		exit = 1
	}
	calls.wait(giveBack)
	return exit
}

func (e *Endpoint) answerReader(ctx context.Context, in io.Reader) ([]byte, int) {
	type input struct {
		data []byte
		err  error
	}
	read := make(chan input, 1)
	go func() { // ends with the input, at the latest with the process
		if e.opts.MaxRequest < math.MaxInt {
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
	ctx, rec := e.observer.Begin(ctx, observe.Request{
		Transport: "command", Owner: registry.CallerFrom(ctx).Owner(), RequestBytes: len(data),
	})
	defer rec.End()
	document, exit = e.answerTo(ctx, data, rec)
	rec.Note(func(r *observe.Request) {
		r.ResultBytes = len(document)
		if r.Outcome == "" && bytes.HasPrefix(document, []byte(`{"type":"`+answerError)) {
			r.Outcome = observe.Refused
		}
	})
	return document, exit
}

func (e *Endpoint) answerTo(ctx context.Context, data []byte, rec *observe.Record) (document []byte, exit int) {
	if most := e.opts.MaxRequest; len(data) > most {
		return e.failed(badRequest("The request has more than %d bytes. Pass less, for example a reference instead of the content.", most))
	}
	r, err := readRequest(data)
	if err != nil {
		return e.failed(err)
	}
	rec.Note(func(o *observe.Request) { o.Method = r.action })
	if r.action == callTool {
		return e.call(ctx, r, rec)
	}
	return e.lookUp(ctx, r)
}

// lookUp answers a request that calls no function. It has the deadline of one, because rules of visibility may hang.
func (e *Endpoint) lookUp(ctx context.Context, r *request) ([]byte, int) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(max(e.opts.Timeout, 0), registry.DefaultTimeout))
	defer cancel()
	type answer struct {
		document []byte
		exit     int
	}
	end := begin(ctx)
	a, err := apart.Do(ctx, 0, func() (a answer, _ error) {
		defer end()
		if r.action == listTools {
			a.document, a.exit = e.list(ctx)
		} else {
			a.document, a.exit = e.describe(ctx, r.tool)
		}
		return a, nil
	}, nil)
	switch {
	case err == nil:
		return a.document, a.exit
	case !errors.Is(err, apart.ErrLeft):
		return e.failed(&registry.Error{Kind: registry.Internal, NotRun: true, Message: "The tools could not be looked up."})
	case errors.Is(ctx.Err(), context.Canceled):
		return e.failed(ctx.Err())
	}
	return e.failed(&registry.Error{Kind: registry.TimedOut, NotRun: true, Message: "The tools could not be looked up in time."})
}

func (e *Endpoint) describe(ctx context.Context, tool string) ([]byte, int) {
	f, err := e.find(ctx, tool)
	if err != nil {
		return e.failed(err)
	}
	return e.answer(describeAnswer{answerResult, describe(f)}, 0, &registry.Error{Kind: registry.Internal,
		Message: "The descriptor of `" + f.Path() + "` is too large", Hint: "Call the tool without it."})
}

// The answers of the protocol. The member tool is a descriptor in one, and a name in another.
type (
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

// answer returns the document of an answer with its exit status. If clients could not read it, it returns the error
// tooLarge, with the reason at the end of its message.
func (e *Endpoint) answer(answer any, exit int, tooLarge *registry.Error) ([]byte, int) {
	document := strictjson.MustMarshal(answer)
	if excess := e.excess(document); excess != "" {
		tooLarge.Message += ": the answer " + excess + "."
		return e.failed(tooLarge)
	}
	return document, exit
}

// list describes the functions that the caller sees: local ones first, then remote ones, both in the order of the
// tree. Remote ones without room are left out.
func (e *Endpoint) list(ctx context.Context) ([]byte, int) {
	var local, remote []*registry.Function
	err := registry.Walk(ctx, e.source, "", func(l *registry.Listing) error {
		for _, f := range l.Functions {
			if f.Remote() {
				remote = append(remote, f)
			} else {
				local = append(local, f)
			}
		}
		return nil
	})
	if err != nil {
		return e.failed(err)
	}
	list, left := newList(e.opts.MaxAnswer), 0
	for _, f := range append(local, remote...) {
		switch ok := list.add(describe(f)); {
		case ok:
		case f.Remote():
			left++
		default:
			return e.failed(&registry.Error{Kind: registry.Internal,
				Message: "The list of tools is too large for one answer.", Hint: "Use `describe_tool` for a tool whose name you know."})
		}
	}
	if left > 0 {
		e.opts.Logger.WarnContext(ctx, "remote tools are not listed, because the answer is full", "number", left)
	}
	return list.document(), 0
}

// find returns the function with this name, in any spelling of one canonical form.
func (e *Endpoint) find(ctx context.Context, tool string) (*registry.Function, error) {
	i := strings.LastIndexByte(tool, '.')
	f, err := e.source.Function(ctx, tool[:max(i, 0)], tool[i+1:])
	if err == nil || CategoryOf(registry.AsError(err).Kind) != Usage {
		return f, err
	}
	unknown := &registry.Error{Kind: registry.UnknownFunction, NotRun: true,
		Message: "There is no tool " + quote(tool) + ".", Hint: "Use `list_tools` for the names."}
	if meant := e.similar(ctx, tool); len(meant) > 0 {
		unknown.Message += " Did you mean `" + strings.Join(meant, "` or `") + "`?"
	}
	return nil, unknown
}

// similar returns the names of tools that the caller most likely means, best first.
func (e *Endpoint) similar(ctx context.Context, tool string) []string {
	var names []string
	_ = registry.Walk(ctx, e.source, "", func(l *registry.Listing) error { // the names before an error still count
		for _, f := range l.Functions {
			names = append(names, f.Path())
		}
		return nil
	})
	return search.Similar(tool, names, maxSimilar)
}

// maxSimilar is the most names that are suggested for one.
const maxSimilar = 3

func (e *Endpoint) call(ctx context.Context, r *request, rec *observe.Record) ([]byte, int) {
	ctx, at := failing(ctx)
	var f *registry.Function // read only after a call that has ended
	res, err := e.pipeline.Call(ctx, &registry.Request{
		Find: func(ctx context.Context) (_ *registry.Function, err error) {
			defer begin(ctx)()
			f, err = e.find(ctx, r.tool)
			return f, err
		},
		Arguments: r.arguments, Record: rec,
	})
	rec.Note(func(o *observe.Request) { o.Outcome = registry.OutcomeOf(res, err) })
	if err != nil {
		return e.failedAt(at.server(), err)
	}
	code, isCommand := exitCode(res)
	switch {
	case res.InputRequests != nil:
		return e.failed(&registry.Error{Kind: registry.Unavailable,
			Message: "The tool " + quote(r.tool) + " asks for more input, which cannot be asked for here."})
	case res.IsError && !(isCommand && code != 0):
		return e.failedAt(at.server(), &registry.Error{Kind: registry.Failed,
			Message: cmp.Or(errorText(res), "The tool "+quote(r.tool)+" failed without saying why.")})
	}
	if e.opts.ExitZero {
		code = 0
	}
	return e.answer(callAnswer{answerResult, r.tool, resultOf(ctx, f, res)}, code, &registry.Error{Kind: registry.Failed,
		Message: "The tool " + quote(r.tool) + " has run, but its result is too large", Hint: "Ask for less."})
}

// failed returns the document of an error of this endpoint.
func (e *Endpoint) failed(err error) ([]byte, int) { return e.failedAt("", err) }

// failedAt returns the document of an error. server is the name of the server that it comes from. Empty is this
// endpoint, unless another one said so.
func (e *Endpoint) failedAt(server string, err error) ([]byte, int) {
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
	out := &Error{
		Name: cmp.Or(clean.Line(server, maxName), e.opts.Name), Category: CategoryOf(shown.Kind),
		Message: cmp.Or(text, fmt.Sprintf("failed (%s)", shown.Kind)),
	}
	var said *Error
	if errors.As(err, &said) {
		if said.Name != runtime && said.Name != DefaultName { // names of many
			out.Name = cmp.Or(clean.Line(said.Name, maxName), out.Name)
		}
		out.Category = cmp.Or(Category(clean.Line(string(said.Category), maxName)), out.Category)
	}
	return strictjson.MustMarshal(errorAnswer{answerError, out}), exit
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
