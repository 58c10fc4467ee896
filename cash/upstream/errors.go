package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/cashsource"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// Class is why a server gave no answer. The set is closed.
type Class int

const (
	Unreachable Class = iota + 1 // no connection: name, network, refused, a process that does not start
	Certificate                  // the server's certificate could not be verified
	BadStatus                    // an HTTP status instead of an answer
	Redirected                   // it leads to another host
	Malformed                    // an answer that is none
	TooLarge                     // more than is taken: bytes of an answer, or messages before it
	Lost                         // the connection ended in the middle
	TimedOut                     // no answer in time
	Canceled                     // the caller gave up
	Refused                      // a JSON-RPC error
	Busy                         // not tried: too many calls at a time, or too many failed
	Changed                      // not tried: the tool is not what it was, or the server was removed
	Looped                       // the server leads back to this one
)

var classes = [...]string{"", "unreachable", "certificate", "status", "redirected", "malformed", "too large",
	"lost", "timed out", "canceled", "refused", "busy", "changed", "looped"}

// String returns the class in a word or two.
func (c Class) String() string {
	if c < 1 || int(c) >= len(classes) {
		return fmt.Sprintf("Class(%d)", int(c))
	}
	return classes[c]
}

// A CallError says why a request to a server came to nothing. It is the cause of
// the *[registry.Error] that callers get, and what [Status] shows. It is decided
// from the types of errors, never from their texts.
type CallError struct {
	Class      Class
	Sent       bool          // the request may have reached the server
	HTTPStatus int           // of class BadStatus, and of Redirected if the status alone is why
	Code       int64         // of class Refused
	RetryAfter time.Duration // how long the server asks to be left alone; zero is not to say
	Reason     string        // in a few words, without addresses and secrets
	Err        error         // the cause, for logs; may be nil

	before  bool // not the call failed but what came before: it was not tried
	session bool // the server does not know the session any more
	partial bool // the server answers, but not all that was to be read came in time
	flooded bool // of class TooLarge: what was too much are the messages before the answer
	talked  int  // of class TimedOut: messages of the server's own meanwhile; zero if they were few
	ended   bool // the connection was ended because of what the server sent
}

// Error returns class and reason.
func (e *CallError) Error() string {
	if e.Reason == "" {
		return e.Class.String()
	}
	return e.Class.String() + ": " + e.Reason
}

// Unwrap returns the cause.
func (e *CallError) Unwrap() error { return e.Err }

var errRemoved = &CallError{Class: Changed, Reason: "it has been removed or set up anew"}

// asCallError returns err as a *CallError.
func asCallError(err error) *CallError {
	var read *cashsource.Error // around a *CallError
	if errors.As(err, &read) && readClasses[read.Kind] != 0 {
		return &CallError{Class: readClasses[read.Kind], Sent: true, Reason: read.Reason, Err: read.Err, partial: read.Kind == cashsource.Partial}
	}
	var e *CallError
	if errors.As(err, &e) && e != nil {
		return e
	}
	var pins *pin.StoreError
	if errors.As(err, &pins) { // nothing new of the server is served while that lasts
		return &CallError{Class: Busy, before: true, Err: err, Reason: "what is pinned of it cannot be " + pins.Step + "; the log says why"}
	}
	return classify(context.Background(), err, nil)
}

var readClasses = map[cashsource.Kind]Class{
	cashsource.Malformed: Malformed, cashsource.Refused: Refused, cashsource.Looped: Looped, cashsource.Partial: TimedOut,
}

// classify says what an error of a request means. x may be nil.
func classify(ctx context.Context, err error, x *mcpclient.Exchange) *CallError {
	e := &CallError{Class: Malformed, Sent: x == nil || x.Sent(), Err: err}
	var wire *mcpclient.Error
	var rpc *jsonrpc.Error
	switch {
	case x != nil && errors.As(x.Err(), &wire) && wire.Ended: // whatever ends with the connection
		e.fromWire(wire)
	case ctx.Err() == nil && (x != nil && errors.As(x.Err(), &wire) || errors.As(err, &wire)):
		e.fromWire(wire)
		e.session = errors.Is(wire, mcp.ErrSessionMissing)
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		e.Class, e.Reason, e.talked = TimedOut, "no answer in time", talked(x)
		if e.talked > 0 {
			e.Reason = mcpclient.Count(e.talked) + " messages, but no answer, in time"
		}
	case ctx.Err() != nil, errors.Is(err, context.Canceled):
		e.Class, e.Reason = Canceled, "cancelled"
	case x != nil && errors.As(x.Refusal(), &rpc), errors.As(err, &rpc):
		e.Class, e.Code, e.Reason = Refused, rpc.Code, clean.Line(rpc.Message, maxReason)
	case errors.Is(err, mcp.ErrSessionMissing):
		e.Class, e.HTTPStatus, e.Sent, e.session, e.Reason = BadStatus, 404, false, true, "the session has ended"
	case errors.Is(err, mcp.ErrConnectionClosed), errors.Is(err, io.EOF):
		e.Class, e.Reason = Lost, "the connection ended"
	default:
		e.Reason = "the answer cannot be understood"
	}
	return e
}

// manyMessages is from how many on it is told that a server was busy with messages of
// its own.
const manyMessages = 1000

// talked returns how many messages of its own a server has sent in place of an answer;
// zero if they are few. x may be nil.
func talked(x *mcpclient.Exchange) int {
	if x == nil || x.Messages() < manyMessages {
		return 0
	}
	return x.Messages()
}

// maxReason bounds what is shown of a server's own words, in characters.
const maxReason = 300

var wireClasses = map[mcpclient.Class]Class{
	mcpclient.Unreachable: Unreachable, mcpclient.Certificate: Certificate, mcpclient.Status: BadStatus,
	mcpclient.Redirect: Redirected, mcpclient.Malformed: Malformed, mcpclient.TooLarge: TooLarge, mcpclient.Lost: Lost,
	mcpclient.Flooded: TooLarge,
}

func (e *CallError) fromWire(w *mcpclient.Error) {
	e.Class, e.HTTPStatus, e.RetryAfter, e.Reason = wireClasses[w.Class], w.Status, w.RetryAfter, w.Reason
	e.flooded, e.ended = w.Class == mcpclient.Flooded, w.Ended
	switch {
	case w.Class == mcpclient.TooLarge:
		e.Reason += ", which is MaxMessage (max_message)"
	case e.Class == Unreachable, e.Class == Certificate:
		e.Sent = false
	case e.Class == Redirected && (w.Status == 302 || w.Status == 303):
		// as is answered when something was done, too
	case e.Class == Redirected, e.Class == BadStatus && w.Status >= 400 && w.Status < 500 && w.Status != 408:
		e.Sent = false // it was turned away at the door
	}
}

// cut reports whether the failure is one of the connection, so that nothing else
// can be asked either.
func (e *CallError) cut() bool {
	switch e.Class {
	case Malformed, TooLarge, TimedOut:
		return false
	}
	return e.broken()
}

// hung reports whether the server has stopped to answer.
func (e *CallError) hung() bool { return e.Class == TimedOut && !e.partial }

// refused is e for a call that was not tried because of it.
func (e *CallError) refused() *CallError {
	c := *e
	c.Sent, c.before = false, true
	return &c
}

// broken reports whether the failure is one of the server or the way to it, as
// opposed to an answer.
func (e *CallError) broken() bool {
	switch e.Class {
	case Unreachable, Certificate, Redirected, Malformed, TooLarge, Lost, TimedOut:
		return true
	case BadStatus:
		return e.HTTPStatus >= 500 || e.HTTPStatus == 401 || e.HTTPStatus == 403 || e.HTTPStatus == 404
	}
	return false
}

// unmade reports whether a JSON-RPC error says that the call is not one. Others
// may come out of the function.
func (e *CallError) unmade() bool {
	switch e.Code {
	case jsonrpc.CodeInvalidParams, jsonrpc.CodeMethodNotFound, jsonrpc.CodeInvalidRequest, jsonrpc.CodeParseError:
		return true
	}
	return false
}

var notDone = map[toolid.Kind]string{
	toolid.Tool:     " The function was not run.",
	toolid.Resource: " The resource was not read.",
	toolid.Prompt:   " The prompt was not fetched.",
}

// unknown reports whether the server does not know a resource any more. It has
// been asked by the URI alone: if that is refused, it is the URI that is wrong.
func (e *CallError) unknown(kind toolid.Kind) bool {
	return kind == toolid.Resource && e.Class == Refused && (e.Code == codeNoResource || e.Code == jsonrpc.CodeInvalidParams)
}

// codeNoResource is the code of an unknown resource up to MCP 2025-11-25; later
// it is that of invalid parameters.
const codeNoResource = -32002

const (
	hintLater    = cashsource.HintLater
	hintOperator = "Repeating it does not help: tell the user that the operator of this server has to look at it."
)

// kept returns kind, message and hint for what keeps calls from being made. Asking
// for less does not help there: nothing has been asked for.
func (e *CallError) kept(label string, timeout time.Duration) (registry.Kind, string, string) {
	kind, message, hint := e.cause(label, timeout)
	switch e.Class {
	case TimedOut:
		message, hint = late(e, "`"+label+"`", "in time"), hintLater
	case Malformed, Refused:
		hint = hintLater
	case TooLarge:
		hint = hintOperator
	}
	return away(kind), "`" + label + "` is temporarily unavailable. " + message, hint
}

// away is the kind of what is not available because of an error of a kind: it is
// told if waiting does not help.
func away(kind registry.Kind) registry.Kind {
	if kind == registry.Unauthorized || kind == registry.Denied {
		return kind
	}
	return registry.Unavailable
}

// cause is words for what has gone wrong, whether or not it was in this call.
func (e *CallError) cause(label string, timeout time.Duration) (registry.Kind, string, string) {
	ns := "`" + label + "`"
	switch e.Class {
	case Unreachable:
		return registry.Unavailable, fmt.Sprintf("The server behind %s cannot be reached: %s.", ns, e.Reason), hintLater
	case Certificate:
		return registry.Unavailable, "The certificate of the server behind " + ns + " could not be verified.", hintOperator
	case Redirected:
		return registry.Unavailable, fmt.Sprintf("The server behind %s cannot be used: %s.", ns, e.Reason), hintOperator
	case Malformed:
		return registry.Unavailable, fmt.Sprintf("The server behind %s gave no proper answer: %s.", ns, e.Reason), "The same call is likely to fail again."
	case TooLarge:
		hint := "Ask for less: pass filters or a smaller page."
		if e.flooded {
			hint = hintLater
		}
		return registry.Unavailable, fmt.Sprintf("The server behind %s sent too much: %s.", ns, e.Reason), hint
	case Lost:
		return registry.Unavailable, "The connection to the server behind " + ns + " ended before it answered.", hintLater
	case TimedOut:
		return registry.TimedOut, late(e, ns, fmt.Sprintf("within %v", timeout)), "Ask for less, or go on without it: other namespaces are not affected."
	case Canceled:
		return registry.Canceled, "The call to the server behind " + ns + " was cancelled.", ""
	case Refused:
		return refusal(e, ns)
	case Busy:
		return registry.RateLimited, fmt.Sprintf("The server behind %s takes no call at the moment: %s.", ns, e.Reason), later(e.RetryAfter)
	case Looped:
		return registry.Unavailable, "The server behind " + ns + " leads back to this one.", hintOperator
	case Changed:
		return registry.Unavailable, fmt.Sprintf("The server behind %s has changed: %s.", ns, e.Reason), "Read its help again before you repeat the call."
	}
	return status(e, ns)
}

// late words that there was no answer in a time.
func late(e *CallError, ns, within string) string {
	if e.talked > 0 {
		return fmt.Sprintf("The server behind %s sent %s messages, but not its answer, %s.", ns, mcpclient.Count(e.talked), within)
	}
	return fmt.Sprintf("The server behind %s did not answer %s.", ns, within)
}

func status(e *CallError, ns string) (registry.Kind, string, string) {
	switch e.HTTPStatus {
	case 401:
		return registry.Unauthorized, fmt.Sprintf("The server behind %s refuses the credentials that it was given (status 401).", ns), hintOperator
	case 403:
		return registry.Denied, fmt.Sprintf("The server behind %s does not allow this with the credentials that it was given (status 403).", ns), hintOperator
	case 404, 405, 410:
		return registry.Unavailable, fmt.Sprintf("The server behind %s is not at its address (status %d).", ns, e.HTTPStatus), hintOperator
	case 408, 504:
		return registry.TimedOut, fmt.Sprintf("The server behind %s did not answer in time (status %d).", ns, e.HTTPStatus), hintLater
	case 429:
		return registry.RateLimited, "The server behind " + ns + " asks for fewer calls (status 429).", later(e.RetryAfter)
	}
	return registry.Unavailable, fmt.Sprintf("The server behind %s failed with status %d.", ns, e.HTTPStatus), hintLater
}

func later(d time.Duration) string {
	if d <= 0 {
		return "Try again in a moment."
	}
	return fmt.Sprintf("Try again in %v.", max(d.Round(time.Second), time.Second))
}

// refusal words a JSON-RPC error, with what the server says.
func refusal(e *CallError, ns string) (registry.Kind, string, string) {
	said := e.Reason
	if said == "" {
		said = fmt.Sprintf("error %d", e.Code)
	}
	switch e.Code {
	case jsonrpc.CodeInvalidParams:
		return registry.InvalidArguments, fmt.Sprintf("The server behind %s does not take the call: %s.", ns, trimDot(said)), ""
	case jsonrpc.CodeMethodNotFound:
		return registry.Unavailable, fmt.Sprintf("The server behind %s does not know the call: %s.", ns, trimDot(said)), ""
	}
	return registry.Failed, fmt.Sprintf("The server behind %s answered with an error: %s.", ns, trimDot(said)), "The same call is likely to fail again."
}

func trimDot(s string) string {
	for len(s) > 0 && s[len(s)-1] == '.' {
		s = s[:len(s)-1]
	}
	return s
}

// unavailable is what the tree says of the upstream's namespace at label; nil if
// it is available.
func (s *settings) unavailable(label string, state State, err *CallError, known bool) *registry.Error {
	e := &registry.Error{Kind: registry.Unavailable, NotRun: true, Hint: hintLater}
	switch state {
	case Connected, Idle:
		return nil
	case Connecting:
		if known {
			return nil
		}
		e.Message, e.Hint = "The server behind `"+label+"` is being connected.", "Try again in a few seconds."
	case Closed:
		e.Message = "The server behind `" + label + "` has been disconnected."
	default:
		e.Message = "`" + label + "` is temporarily unavailable."
		if err != nil {
			e.Err = err.refused()
			e.Kind, e.Message, e.Hint = err.kept(label, s.cfg.Timeout)
		}
	}
	return e
}
