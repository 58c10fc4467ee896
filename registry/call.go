package registry

import (
	"context"
	"encoding/json"
	"math"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Call is one invocation of a function, as handlers and middleware see it:
// the real function, and arguments that are valid for it.
type Call struct {
	Function *Function
	// Arguments is a JSON object whose keys are spelt as the function declares
	// them, with defaults filled in. Numbers and nested keys are as sent. The
	// bytes must not be modified.
	Arguments json.RawMessage
	// Repairs are what was done to the arguments ([PipelineOptions.Repair]).
	Repairs []Repair
	// Caller may be nil.
	Caller *Caller
	// Reserved holds the values of [Request.Reserved] that were found among the
	// arguments and taken out, by the same index. Nil if there were none.
	Reserved []json.RawMessage
	// Client is who is at the other end. Nil is nobody that can be turned to.
	Client *Client
	// Gate is what the face lets through, for functions that run behind a gate
	// of their own ([Function.Gated]). Nil is not to say.
	Gate *Gate
	// Plan is what a dry run has found out so far, to which middleware adds; the
	// function is not run. Nil is a call that is meant.
	Plan *Plan
	// PlanToken is what an earlier dry run gave for this call; empty is none.
	PlanToken string
	// Detail is how much of the result is wanted. Empty is [Full].
	Detail Detail
	// Kept looks for the result of an earlier call like this one, when all
	// middleware has let the call pass. It stands in for the function: nil without
	// an error is that nothing is kept. It is set by a face ([Request.Ready]). Nil
	// is not to look.
	Kept func(context.Context) (*Result, error)

	progress func(context.Context, Progress) error
}

// Report sends progress to the caller, if the caller asked for it. ctx is the
// one that the handler was given. An error means that the connection is gone.
func (c *Call) Report(ctx context.Context, p Progress) error {
	if c.progress == nil {
		return nil
	}
	return c.progress(ctx, p)
}

// Owner identifies who may come back to what the call leaves behind, and whose
// share of anything it takes: as [Client] says, or the caller. Empty is nobody
// that could be told from another.
func (c *Call) Owner() string {
	if c.Client != nil {
		return c.Client.Owner
	}
	return c.Caller.Owner()
}

// A Client is who is at the other end of a call, as far as a function may turn
// to it while it runs. Any field may be zero.
type Client struct {
	// Owner identifies who may come back to what a call leaves behind: an
	// authenticated caller or a connection. Empty is nobody that could be told
	// from another.
	Owner string
	// For says for which of its own callers a server asks that mounts this one;
	// empty if none does, or none that could be told from another.
	For string
	// Log sends a log message, if the client asked for such. ctx is the one
	// that the handler was given.
	Log func(ctx context.Context, m LogMessage) error
	// Elicit asks the person a question and waits for the answer. Nil: the
	// client cannot be asked while a call runs.
	Elicit func(ctx context.Context, q *mcp.ElicitParams) (*mcp.ElicitResult, error)
	// TakesInputRequests says that a result may ask, by
	// [Result.InputRequests]: the client then makes the same call again with
	// the Answers and the State that the result had.
	TakesInputRequests bool
	Answers            mcp.InputResponseMap
	State              string
}

// A LogMessage is one of MCP's log messages to a client.
type LogMessage struct {
	Level  string // debug, info, notice, warning, error, critical, alert or emergency
	Logger string // who logs; may be empty
	Data   any    // marshals to JSON
}

// A Gate is how much a face lets through (RFC 7).
type Gate struct {
	Limit  int    // characters
	Asked  bool   // the caller chose the limit for this call
	Replay string // the value by which the caller asks for a withheld result, or empty
}

// OpenGate is the gate of faces without one: it lets a function with a gate of its
// own return all of its result, for nothing there would tell a model how to ask for
// more.
func OpenGate() *Gate { return &Gate{Limit: math.MaxInt32, Asked: true} }

// Progress is how far a call has come.
type Progress struct {
	Done    float64 // grows with every report
	Total   float64 // zero when unknown
	Message string  // may be empty
}

// A Handler runs a call. It returns either a result or an error; a nil result
// without an error is the handler's mistake and reported as [Internal].
type Handler func(context.Context, *Call) (*Result, error)

// A Middleware wraps what happens to a call between validation and the
// function. It sees every call whose function the caller may see and whose
// arguments are valid, and decides whether to pass it on.
type Middleware func(Handler) Handler
