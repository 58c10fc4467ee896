package observe

import (
	"context"
	"net/http"
	"time"
)

// A Hook is told of each request twice: when it begins, and when it ends. It must be safe for concurrent use. It runs
// inside the request, so the request waits for it; a panic is logged once, and the request goes on.
type Hook interface {
	// Begin is called before any work for the request. The context that it returns is that of all the work, so a
	// span can travel in it; nil keeps ctx. Over HTTP, ctx has the values of the HTTP request.
	//
	// Only the first part of r is filled in. Begin may add to r.Meta if r.Sent.
	Begin(ctx context.Context, r *Request) context.Context
	// End is called once for each Begin, when the answer has been made or the request refused. ctx is the one that
	// Begin returned; it may have ended.
	End(ctx context.Context, r *Request)
}

// A Request is what a [Hook] learns of a request. It must not be read outside of the hook's methods, nor changed.
//
// The names of methods, tools, functions and servers are known to the server. A name that only the client knows is left
// out, so there are no more different ones than the server has.
type Request struct {
	// Sent tells that the request goes to an upstream server. False is a request that is served.
	Sent bool
	// Method is that of MCP, such as tools/call, or the action of a command endpoint, such as call_tool. Empty if it is
	// not known, or if there is none: an HTTP request that was refused before its message was read.
	Method string
	// Transport is "http", "stdio", "memory", "command" for a command endpoint, or "other". Empty is a Go call
	// without one, such as cash.Server.Call.
	Transport string
	// Server is the label of the upstream server. Empty if not Sent.
	Server string
	// Version is the version of the protocol, such as 2026-07-28. Empty if it is not known.
	Version string
	// Session is the id of the HTTP session. Empty is none, or not known.
	Session string
	// Meta is the metadata (_meta) of the request. That of a served one is as the client sent it: untrusted,
	// unbounded, and not to be changed. Nil is none.
	Meta map[string]any
	// Header is that of the HTTP request by which a served one came. It may hold credentials. Nil on other
	// transports.
	Header http.Header
	// Start is the time at which the request came or was sent. A request that is refused before it is understood is
	// told later, in Begin and End at once.
	Start time.Time

	// What follows is known at End.

	// Tool is the name of the called tool: that of the face, or at the upstream server if Sent.
	Tool string
	// Function is the dotted path of the function that a call runs. Empty if the caller sees none of the name, and
	// for tools that run none, such as help.
	Function string
	// Owner identifies the caller, or the session of one that is anonymous; see registry.Client. Empty if it cannot
	// be identified.
	Owner string
	// Outcome is how the request ended.
	Outcome Outcome
	// Code is the JSON-RPC code of an error answer. Zero is none.
	Code int64
	// Status is the HTTP status of a request that was refused before it was understood. Zero is none.
	Status int
	// RequestBytes is the size of the arguments of a tool call, or of a refused message as far as it was read.
	RequestBytes int
	// ResultBytes is the size of the result: of a tool call that of its contents. Zero is an error or not known.
	ResultBytes int
	// Tokens is the size of the result in tokens, if something counted them. Zero is not counted.
	Tokens int
	// Duration is the time since Start.
	Duration time.Duration

	// Repairs is how many arguments were repaired before they were checked.
	Repairs int
	// DryRun tells that the checks of a call were asked for, and the function did not run.
	DryRun bool
	// Gated tells that the result was too large, and was withheld or kept as an artifact.
	Gated bool
	// Cached tells that an earlier result was the answer.
	Cached bool
	// Attempts is how often the function was tried, if a control counts them. Zero is not counted.
	Attempts int
	// Approval tells who approved the call: hook, client or operator. Empty is nobody.
	Approval string
}

// An Outcome is how a request ended: one of these, or the text of a registry.Kind, such as INVALID_ARGUMENTS.
type Outcome string

const (
	OK      Outcome = "ok"      // a result
	Asked   Outcome = "asked"   // a result that asks the client for input; its next call continues
	Refused Outcome = "refused" // an error of the protocol or of HTTP: Code or Status tells more
)

// Hooks returns a hook that calls all of hooks: in order at the beginning, in reverse order at the end. Nil ones are
// left out. Without any other, it is nil.
func Hooks(hooks ...Hook) Hook {
	var all chain
	for _, h := range hooks {
		if more, ok := h.(chain); ok {
			all = append(all, more...)
		} else if h != nil {
			all = append(all, h)
		}
	}
	if all == nil {
		return nil
	}
	return all
}

// chain is what Hooks returns.
type chain []Hook

// Begin implements [Hook].
func (c chain) Begin(ctx context.Context, r *Request) context.Context {
	for _, h := range c {
		if next := h.Begin(ctx, r); next != nil {
			ctx = next
		}
	}
	return ctx
}

// End implements [Hook].
func (c chain) End(ctx context.Context, r *Request) {
	for i := len(c) - 1; i >= 0; i-- {
		c[i].End(ctx, r)
	}
}
