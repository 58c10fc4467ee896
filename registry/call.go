package registry

import (
	"context"
	"encoding/json"
	"math"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry/observe"
)

// A Call is one invocation of a function, as handlers and middleware see it. Its arguments are
// valid for the function.
type Call struct {
	Function *Function
	// Arguments is a JSON object with keys as the function declares them and defaults filled in, unless
	// they are those of another server ([Remote.OwnDefaults]). Numbers and nested keys are as sent. The
	// bytes must not be modified.
	Arguments json.RawMessage
	// Repairs lists the changes made to the arguments ([PipelineOptions.Repair]).
	Repairs []Repair
	// Caller may be nil.
	Caller *Caller
	// Reserved holds the values that were taken out of the arguments, by the index of
	// [Request.Reserved]. Nil if none was found.
	Reserved []json.RawMessage
	// Client is the client of this call. Nil cannot be asked anything.
	Client *Client
	// Gate is the gate of the face, for functions that run behind a gate of their own
	// ([Function.Gated]). Nil leaves it to that gate.
	Gate *Gate
	// Plan collects the checks of a dry run, in which the function does not run. Middleware adds to
	// it. Nil is a real call.
	Plan *Plan
	// PlanToken is the token that an earlier dry run gave for this call. Empty is none.
	PlanToken string
	// Detail is the requested level of detail. Empty is [Full].
	Detail Detail
	// Kept returns the kept result of an earlier call like this one. It is called after all
	// middleware has passed the call on, in place of the function. A nil result without an error
	// means that nothing is kept, and the function runs. A face sets it in [Request.Ready]. Nil
	// always runs the function.
	Kept func(context.Context) (*Result, error)
	// Record collects what becomes of the call, for who observes the server. Middleware may note on it. Nil is
	// nobody.
	Record *observe.Record

	progress  func(context.Context, Progress) error
	pipeline  *Pipeline  // nil outside of one
	admission *admission // nil without a Limiter
	leveled   bool       // the request has a level of detail
}

// note starts the record of the call. An earlier call of the same request may have left something there.
func (c *Call) note() {
	c.Record.Note(func(r *observe.Request) {
		r.Function, r.Repairs, r.DryRun = c.Function.Path(), len(c.Repairs), c.Plan != nil
		r.Outcome, r.Gated, r.Cached, r.Attempts, r.Approval = "", false, false, 0, ""
	})
}

type callKey struct{}

// within returns the context of the function's handler.
func (c *Call) within(ctx context.Context) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// CallFrom returns the call of the function whose handler got ctx: for progress, for the client with its
// log, questions and metadata, and for what a dry run or a level of detail asks. It is read only, and over
// when the handler returns. Nil outside of a handler.
func CallFrom(ctx context.Context) *Call {
	c, _ := ctx.Value(callKey{}).(*Call)
	return c
}

// Report sends progress to the caller, if the caller asked for it. ctx is the handler's context. An
// error means that the connection is gone. The result passes the gate, unlike that of a [StreamFunc].
// A nil Call reports to nobody.
func (c *Call) Report(ctx context.Context, p Progress) error {
	if c == nil || c.progress == nil {
		return nil
	}
	return c.progress(ctx, p)
}

// Owner identifies the owner of the state that the call leaves behind, and of its share of limits:
// [Client].Owner, else the caller. Empty is an owner that cannot be identified.
func (c *Call) Owner() string {
	if c.Client != nil {
		return c.Client.Owner
	}
	return c.Caller.Owner()
}

// A Client is the other end of a call. A function may log to it or ask it while the call runs. Any
// field may be zero.
type Client struct {
	// Owner identifies the owner of the state that a call leaves behind: an authenticated caller or
	// a connection. Empty is an owner that cannot be identified.
	Owner string
	// Payer identifies whose share of room that state takes: an authenticated caller, else a network
	// address that the embedder trusts, else a connection. It never depends on names that the client
	// gives. Empty is a payer that cannot be identified.
	Payer string
	// For identifies the caller of another server, which mounts this one and made the request. Empty if
	// there is no such server, or if its caller cannot be identified.
	For string
	// Meta is the metadata of the request (_meta), as the client sent it: untrusted, and not to be
	// changed. Nil if it sent none.
	Meta map[string]any
	// Log sends a log message, if the client asked for log messages. ctx is the handler's context.
	Log func(ctx context.Context, m LogMessage) error
	// Elicit asks the user a question and waits for the answer. Nil: the client cannot be asked
	// during a call.
	Elicit func(ctx context.Context, q *mcp.ElicitParams) (*mcp.ElicitResult, error)
	// TakesInputRequests reports whether a result may ask for input ([Result.InputRequests]). The
	// client then repeats the call with the Answers and with the State from that result.
	TakesInputRequests bool
	Answers            mcp.InputResponseMap
	State              string
	// OpenURL and TakesURLRequests are Elicit and TakesInputRequests for questions that lead the user to a
	// URL (mode "url").
	OpenURL          func(ctx context.Context, q *mcp.ElicitParams) (*mcp.ElicitResult, error)
	TakesURLRequests bool
}

// A LogMessage is an MCP log message to a client.
type LogMessage struct {
	Level  string // debug, info, notice, warning, error, critical, alert or emergency
	Logger string // the name of the logger; may be empty
	Data   any    // has a JSON form
}

// A Gate is the size limit of a face for results (RFC 7).
type Gate struct {
	Limit  int    // characters
	Asked  bool   // the caller chose the limit for this call
	Replay string // the value by which the caller asks for a withheld result, or empty
}

// OpenGate is the gate for faces that have no gate. It lets a gated function ([Function.Gated])
// return its whole result, because such a face cannot tell a model how to ask for more.
func OpenGate() *Gate { return &Gate{Limit: math.MaxInt32, Asked: true} }

// Progress is the progress of a call.
type Progress struct {
	Done    float64 // grows with every report
	Total   float64 // zero when unknown
	Message string  // may be empty
}

// A Handler runs a call. It returns a result or an error. A nil result without an error is a
// mistake of the handler and is reported as [Internal].
type Handler func(context.Context, *Call) (*Result, error)

// A Middleware wraps the part of a call between validation and the function. It gets every call to
// a function that the caller may see, with valid arguments, and decides whether to pass it on.
type Middleware func(Handler) Handler
