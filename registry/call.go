package registry

import (
	"context"
	"encoding/json"
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
