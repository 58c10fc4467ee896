package endpoint

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/command"
	"github.com/cash-mcp/go-sdk/internal/procgroup"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

const (
	// DefaultTimeout is the default of [ClientOptions].Timeout.
	DefaultTimeout = time.Minute
	// maxProcesses bounds the processes of one client. Further requests wait.
	maxProcesses = 32
)

// ClientOptions configure a [Client]. Nil is fine.
type ClientOptions struct {
	// Name is the endpoint's name in errors. Empty is the program's name.
	Name string
	// Description describes the namespace of mounted tools. Empty is a sentence with the name.
	Description string
	// Timeout is the deadline of each request. Zero is [DefaultTimeout]; negative is none.
	Timeout time.Duration
	// MaxRequest bounds a request, in bytes. A larger one is not sent. Zero is [DefaultMaxRequest]; negative is no
	// limit.
	MaxRequest int
	// MaxArguments bounds the arguments of a call, in bytes without white space between tokens. Zero is
	// [registry.DefaultMaxArguments]; negative is no limit.
	MaxArguments int
	// MaxAnswer bounds each output, in bytes. A process that writes more is ended. Zero and negative are
	// [DefaultMaxAnswer].
	MaxAnswer int
	// Logger gets problems that are no errors: failed discovery, odd answers. Nil discards.
	Logger *slog.Logger
}

// A Client calls the tools of a command endpoint. Every request starts a process. It is safe for concurrent use.
// All requests of a nil Client fail.
//
// Errors are *[registry.Error] with an *[Error] as cause. An error with NotRun had no effect. The detail "outcome"
// is "unknown" if a call without an answer may have had one.
type Client struct {
	cmd   Command
	opts  ClientOptions
	slots chan struct{}
}

// A Command is a program with its arguments: Path, Args, Env, Inherit and Dir. There is no shell. The environment
// of the process is PATH, HOME, USER, LOGNAME, SHELL, TERM, LANG, LC_*, TZ and TMPDIR (on Windows their
// counterparts), Env as KEY=value, and the variables of this process that Inherit names. Printing a Command shows
// the program's name only.
type Command = command.Command

// NewClient returns a client of the endpoint that cmd implements. It starts no process. It is an error if cmd is
// not a valid command.
func NewClient(cmd Command, opts *ClientOptions) (*Client, error) {
	if cmd.Path == "" {
		return nil, errNoEndpoint()
	}
	if err := cmd.Check(); err != nil {
		return nil, usageError("The endpoint cannot be used: " + err.Error())
	}
	c := &Client{cmd: cmd.Clone(), slots: make(chan struct{}, maxProcesses)}
	if opts != nil {
		c.opts = *opts
	}
	o := &c.opts
	o.Name = cmp.Or(clean.Line(o.Name, maxName), clean.Line(filepath.Base(cmd.Path), maxName), "endpoint")
	o.Description = cmp.Or(o.Description, fmt.Sprintf("Tools of the command endpoint %s.", o.Name))
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	o.MaxRequest = limit(o.MaxRequest, DefaultMaxRequest)
	o.MaxArguments = limit(o.MaxArguments, registry.DefaultMaxArguments)
	o.MaxAnswer = limit(max(o.MaxAnswer, 0), DefaultMaxAnswer)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

// ErrNoEndpoint is the cause of errors of a nil [Client], and of [FromEnv] if the variable is not set.
var ErrNoEndpoint = errors.New("no endpoint is configured")

func errNoEndpoint() *registry.Error {
	e := usageError("No endpoint is configured")
	e.Err = errors.Join(e.Err, ErrNoEndpoint)
	return e
}

// List returns the descriptors of all tools as the endpoint sent them. Only their names have been checked. Invalid
// descriptors are logged and left out.
func (c *Client) List(ctx context.Context) ([]Descriptor, error) {
	list, findings, err := c.list(ctx)
	if err != nil {
		return nil, err
	}
	if n := len(findings); n > 0 { // one message, since the endpoint controls their number
		c.opts.Logger.WarnContext(ctx, "tools are left out", "endpoint", c.opts.Name, "number", n, "first", findings[0].String())
	}
	return list, nil
}

func (c *Client) list(ctx context.Context) ([]Descriptor, []Finding, error) {
	a, err := c.request(ctx, payload{Action: listTools})
	if err != nil {
		return nil, nil, err
	}
	tools := a.member("tools")
	if strictjson.KindOf(tools) != strictjson.Array {
		return nil, nil, c.malformed(a, "its list of tools is no array")
	}
	list, findings := readDescriptors(tools)
	return list, findings, nil
}

// Describe returns the descriptor of one tool as the endpoint sent it. Its name may have another spelling than tool,
// with the same canonical form ([registry.CanonicalPath]).
func (c *Client) Describe(ctx context.Context, tool string) (*Descriptor, error) {
	if err := c.checkTool(tool); err != nil {
		return nil, err
	}
	a, err := c.request(ctx, payload{Action: describeTool, Tool: tool})
	if err != nil {
		return nil, err
	}
	d, err := readDescriptor(a.member("tool"))
	switch {
	case err != nil:
		return nil, c.malformed(a, "it has no descriptor of the tool")
	case !sameName(d.Name, tool):
		return nil, c.malformed(a, "it describes another tool, "+quote(d.Name))
	}
	return d, nil
}

// Call calls a tool with a JSON object as arguments, and returns the object in its answer. The bytes are the
// endpoint's, without white space between tokens. The caller must clean what it shows.
//
// An answer in the name of another tool is an error: some endpoints ignore the requested name and run what they
// have.
func (c *Client) Call(ctx context.Context, tool string, arguments json.RawMessage) (json.RawMessage, error) {
	a, err := c.call(ctx, tool, arguments)
	if err != nil {
		return nil, err
	}
	return a.result, nil
}

// called is the answer to a call.
type called struct {
	result json.RawMessage
	code   int  // member exit_code of the result
	coded  bool // whether exit_code is present
}

func (c *Client) call(ctx context.Context, tool string, arguments json.RawMessage) (*called, error) {
	if err := c.checkTool(tool); err != nil {
		return nil, err
	}
	if strictjson.Check(arguments) != nil || strictjson.KindOf(arguments) != strictjson.Object {
		return nil, usageError("Payload must be a JSON object")
	}
	arguments = strictjson.Compact(arguments)
	if n := len(arguments); n > c.opts.MaxArguments {
		return nil, usageError(fmt.Sprintf("The arguments have %d bytes; at most %d are sent", n, c.opts.MaxArguments))
	}
	a, err := c.request(ctx, payload{Action: callTool, Tool: tool, Arguments: arguments})
	if err != nil {
		return nil, err
	}
	result := a.member("result")
	if strictjson.KindOf(result) != strictjson.Object {
		return nil, c.malformed(a, "its result is no object")
	}
	switch name := a.member("tool"); {
	case name == nil:
		c.opts.Logger.WarnContext(ctx, "answer names no tool", "endpoint", c.opts.Name)
	case strictjson.Text(name) != tool:
		return nil, c.malformed(a, "it answered for another tool, "+quote(strictjson.Text(name)))
	}
	out := &called{result: strictjson.Compact(result)}
	out.code, out.coded = exitCodeOf(result)
	return out, nil
}

func (c *Client) checkTool(tool string) error {
	switch {
	case c == nil:
		return errNoEndpoint()
	case tool == "":
		return usageError("The name of the tool is missing")
	case !utf8.ValidString(tool):
		return usageError("The name of the tool is not a text in UTF-8")
	}
	return nil
}

// payload is the JSON of a request.
type payload struct {
	Action    string          `json:"action"`
	Tool      string          `json:"tool,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// request makes one request: it starts a process, sends one line, and reads both outputs to the end. It returns an
// answer of type result.
func (c *Client) request(ctx context.Context, p payload) (*answer, error) {
	if c == nil {
		return nil, errNoEndpoint()
	}
	input := append(strictjson.MustMarshal(p), '\n')
	if n := len(input); n > c.opts.MaxRequest {
		return nil, usageError(fmt.Sprintf("The request has %d bytes; at most %d are sent", n, c.opts.MaxRequest))
	}
	asked := ctx
	if c.opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.opts.Timeout)
		defer cancel()
	}
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return nil, c.unanswered(asked, p, false)
	}
	run := &process{cmd: c.cmd.Exec(), input: input, most: c.opts.MaxAnswer}
	end, err := run.run(ctx)
	switch {
	case errors.Is(err, errStart) && ctx.Err() == nil:
		return nil, c.failure(registry.Unavailable, false, p, "did not start: "+procgroup.Unstarted(err), err)
	case errors.Is(err, errTooLarge):
		return nil, c.failure(registry.Failed, true, p, fmt.Sprintf("wrote more than %d bytes and was ended", c.opts.MaxAnswer), err)
	case ctx.Err() != nil && err != nil:
		return nil, c.unanswered(asked, p, !errors.Is(err, errStart))
	case err != nil:
		return nil, c.failure(registry.Failed, true, p, "does not end", err)
	}
	a, err := readAnswer(end)
	if a != nil {
		a.request = p
	}
	return a, c.refusal(p, err)
}

// unanswered returns the error for a request that timed out or was cancelled.
func (c *Client) unanswered(asked context.Context, p payload, started bool) error {
	if errors.Is(asked.Err(), context.Canceled) {
		return c.failure(registry.Canceled, started, p, "was not waited for", asked.Err())
	}
	text := "did not answer in time"
	if asked.Err() == nil {
		text = fmt.Sprintf("did not answer within %v", c.opts.Timeout)
	}
	return c.failure(registry.TimedOut, started, p, text, context.DeadlineExceeded)
}

// malformed returns the error for an unexpected answer.
func (c *Client) malformed(a *answer, reason string) error {
	return c.failure(registry.Failed, true, a.request, "gave no proper answer: "+reason, nil)
}

// failure returns an error found on this side. cause may be nil.
func (c *Client) failure(kind registry.Kind, started bool, p payload, what string, cause error) error {
	e := &registry.Error{Kind: kind, NotRun: !started, Message: fmt.Sprintf("The endpoint %s %s.", quote(c.opts.Name), what)}
	said := &Error{runtime, CategoryOf(kind), e.Message}
	e.Err = said
	if cause != nil {
		e.Err = errors.Join(said, cause)
	}
	if started && p.Action == callTool {
		e.Message += " The call may have taken effect: check before you repeat it."
		e.Details = map[string]any{"outcome": "unknown"}
	}
	return e
}

// refusal words an error of readAnswer; nil stays nil.
func (c *Client) refusal(p payload, err error) error {
	var said *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &said):
		kind := said.Category.kind()
		return &registry.Error{Kind: kind, Err: said,
			Message: fmt.Sprintf("The endpoint %s answered with an error (%s): %s", quote(c.opts.Name), said.Category, sentence(said.Message))}
	}
	return c.failure(registry.Failed, true, p, err.Error(), nil)
}

// sentence adds a full stop to a text without one.
func sentence(text string) string {
	if n := len(text); n > 0 && (text[n-1] == '.' || text[n-1] == '!' || text[n-1] == '?') {
		return text
	}
	return text + "."
}
