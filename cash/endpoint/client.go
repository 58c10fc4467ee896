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
	// DefaultTimeout is the deadline of a request where [ClientOptions] do not say.
	DefaultTimeout = time.Minute
	// DefaultMaxAnswer is the most bytes that are read of each output.
	DefaultMaxAnswer = 8 << 20
	// maxProcesses bounds the processes of one client; further requests wait.
	maxProcesses = 32
)

// ClientOptions configure a [Client]. Nil is fine.
type ClientOptions struct {
	// Name stands for the endpoint in errors. Empty is the program's name.
	Name string
	// Description says what a namespace is for in which the tools are mounted.
	// Empty is a sentence with the name.
	Description string
	// Timeout is the deadline of each request. Zero is [DefaultTimeout]; negative
	// is none.
	Timeout time.Duration
	// MaxAnswer is the most bytes of each output: the process of a longer one is
	// ended. Zero is [DefaultMaxAnswer].
	MaxAnswer int
	// Logger gets what is no error: discovery that failed, odd answers. Nil
	// discards.
	Logger *slog.Logger
}

// A Client uses the endpoint that a command implements. Every request starts a
// process of its own. It is safe for concurrent use. A nil Client has no endpoint:
// its requests fail.
//
// The errors of its methods are *[registry.Error], whose cause is an *[Error]. One
// that is NotRun surely had no effect; the detail "outcome" is "unknown" if a call
// may have had one although there is no answer.
type Client struct {
	cmd   Command
	opts  ClientOptions
	slots chan struct{}
}

// A Command is a program with its arguments: Path, Args, Env, Inherit and Dir. There
// is no shell. The process gets PATH, HOME, USER, LOGNAME, SHELL, TERM, LANG, LC_*,
// TZ and TMPDIR (on Windows their like), Env as KEY=value, and those variables of
// this process that Inherit names. Printing a Command shows the program's name only.
type Command = command.Command

// NewClient returns a client of the endpoint that cmd implements. Nothing is
// started yet. It is an error if the command has no program, or cannot be one.
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
	o.MaxAnswer = cmp.Or(max(o.MaxAnswer, 0), DefaultMaxAnswer)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

func errNoEndpoint() error {
	return usageError("No endpoint is configured")
}

// List returns the descriptors of all tools, as the endpoint has them: nothing of
// them has been checked, but that they have names. What is no descriptor is logged
// and left out.
func (c *Client) List(ctx context.Context) ([]Descriptor, error) {
	list, findings, err := c.list(ctx)
	if err != nil {
		return nil, err
	}
	if n := len(findings); n > 0 { // not one message for each: their number is not ours
		c.opts.Logger.WarnContext(ctx, "tools are left out", "endpoint", c.opts.Name, "number", n, "first", findings[0].String())
	}
	return list, nil
}

func (c *Client) list(ctx context.Context) ([]Descriptor, []Finding, error) {
	a, err := c.request(ctx, payload{Action: listTools})
	if err != nil {
		return nil, nil, err
	}
	tools, ok := a.members["tools"]
	if !ok || strictjson.KindOf(tools) != strictjson.Array {
		return nil, nil, c.malformed(a, "its list of tools is no array")
	}
	list, findings := readDescriptors(tools)
	return list, findings, nil
}

// Describe returns the descriptor of one tool, as the endpoint has it.
func (c *Client) Describe(ctx context.Context, tool string) (*Descriptor, error) {
	if err := c.checkTool(tool); err != nil {
		return nil, err
	}
	a, err := c.request(ctx, payload{Action: describeTool, Tool: tool})
	if err != nil {
		return nil, err
	}
	d, err := readDescriptor(a.members["tool"])
	switch {
	case err != nil:
		return nil, c.malformed(a, "it has no descriptor of the tool")
	case d.Name != tool:
		return nil, c.malformed(a, "it describes another tool, "+quote(d.Name))
	}
	return d, nil
}

// Call calls a tool with arguments, which must be a JSON object, and returns the
// object that it answers. Its bytes are as the endpoint sent them, without the
// white space between tokens; it is for the caller to clean what is shown.
//
// An answer in the name of another tool is an error: endpoints that ignore the
// name run what they have, whatever was asked for.
func (c *Client) Call(ctx context.Context, tool string, arguments json.RawMessage) (json.RawMessage, error) {
	a, err := c.call(ctx, tool, arguments)
	if err != nil {
		return nil, err
	}
	return a.result, nil
}

// called is what a tool answered.
type called struct {
	result json.RawMessage
	code   int  // the member exit_code of the result
	coded  bool // there is one
}

func (c *Client) call(ctx context.Context, tool string, arguments json.RawMessage) (*called, error) {
	if err := c.checkTool(tool); err != nil {
		return nil, err
	}
	if strictjson.Check(arguments) != nil || strictjson.KindOf(arguments) != strictjson.Object {
		return nil, usageError("Payload must be a JSON object")
	}
	a, err := c.request(ctx, payload{Action: callTool, Tool: tool, Arguments: arguments})
	if err != nil {
		return nil, err
	}
	result, ok := a.members["result"]
	if !ok || strictjson.KindOf(result) != strictjson.Object {
		return nil, c.malformed(a, "its result is no object")
	}
	switch name := a.members["tool"]; {
	case name == nil:
		c.opts.Logger.WarnContext(ctx, "answer names no tool", "endpoint", c.opts.Name)
	case strictjson.Text(name) != tool:
		return nil, c.malformed(a, "it answered for another tool, "+quote(strictjson.Text(name)))
	}
	out := &called{result: compact(result)}
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

// payload is a request.
type payload struct {
	Action    string          `json:"action"`
	Tool      string          `json:"tool,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// request makes one request: a process that gets it as one line, and whose
// outputs are read to their end. The answer is one of type result.
func (c *Client) request(ctx context.Context, p payload) (*answer, error) {
	if c == nil {
		return nil, errNoEndpoint()
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
	run := &process{cmd: c.cmd.Exec(), input: append(encode(p), '\n'), most: c.opts.MaxAnswer}
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

// unanswered is the error for a request that ran out of time, or was given up.
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

// malformed is the error for an answer that is not what was asked for.
func (c *Client) malformed(a *answer, reason string) error {
	return c.failure(registry.Failed, true, a.request, "gave no proper answer: "+reason, nil)
}

// failure is an error that this side finds. cause may be nil.
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

// refusal words an error of readAnswer; nil is none.
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

// sentence ends a text with a full stop.
func sentence(text string) string {
	if n := len(text); n > 0 && (text[n-1] == '.' || text[n-1] == '!' || text[n-1] == '?') {
		return text
	}
	return text + "."
}
