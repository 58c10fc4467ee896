package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
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

// Class is the reason why a server gave no answer. The set is closed.
type Class int

const (
	Unreachable  Class = iota + 1 // no connection: name, network, refused, a process that does not start
	Certificate                   // the server's certificate could not be verified
	BadStatus                     // an HTTP status instead of an answer
	Redirected                    // redirected to another host
	Malformed                     // the answer cannot be parsed
	TooLarge                      // over a bound: bytes of an answer, or messages before it
	Lost                          // the connection ended before the answer
	TimedOut                      // no answer before the deadline
	Canceled                      // the caller gave up
	Refused                       // a JSON-RPC error
	Busy                          // not tried: too many calls at a time, or too many failed
	Changed                       // not tried: the tool's definition has changed, or the server was removed
	Looped                        // the server mounts this one: a loop
	NoCredential                  // not tried: there is no credential for the caller
)

var classes = [...]string{"", "unreachable", "certificate", "status", "redirected", "malformed", "too large",
	"lost", "timed out", "canceled", "refused", "busy", "changed", "looped", "credential"}

// String returns the class in a word or two.
func (c Class) String() string {
	if c < 1 || int(c) >= len(classes) {
		return fmt.Sprintf("Class(%d)", int(c))
	}
	return classes[c]
}

// A CallError says why a request to a server failed. It is the cause of the *[registry.Error] that callers get, and
// [Status] shows it. It is derived from the types of errors, never from their texts.
type CallError struct {
	Class      Class
	Sent       bool          // the request may have reached the server
	HTTPStatus int           // for BadStatus, and for Redirected if the status alone is the reason
	Code       int64         // for Refused
	RetryAfter time.Duration // how long the server asks clients to wait; zero if it does not
	Reason     string        // a few words without addresses and secrets
	Err        error         // the cause, for logs; may be nil

	before  bool // the call was not tried, because of an earlier failure
	session bool // the server no longer knows the session
	partial bool // the server answers, but the read was not complete in time
	flooded bool // for TooLarge: too many messages before the answer
	talked  int  // for TimedOut: how many messages the server sent instead; zero if few
	ended   bool // the connection was ended because of the server's data
	other   bool // the server's identity is another one, for which it is held
	gone    bool // for Changed and Refused: the server no longer has what was called

	own       bool          // over a session of the caller
	personal  bool          // for NoCredential and BadStatus: the credentials are those of the caller
	anonymous bool          // for NoCredential: the caller is not known
	denied    *denial       // for status 403: the server wants more rights
	declined  bool          // the caller does not want to connect an account
	rejected  bool          // for NoCredential: the server refuses the only one
	connect   *ConnectError // the caller is to connect an account; nil if that does not help
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
	if errors.As(err, &pins) { // the pin store cannot be read: nothing new of the server is served
		return &CallError{Class: Busy, before: true, Err: err, Reason: "what is pinned of it cannot be " + pins.Step + "; the log says why"}
	}
	return classify(context.Background(), err, nil)
}

var readClasses = map[cashsource.Kind]Class{
	cashsource.Malformed: Malformed, cashsource.Refused: Refused, cashsource.Looped: Looped, cashsource.Partial: TimedOut,
}

// classify turns an error of a request into a CallError. x may be nil.
func classify(ctx context.Context, err error, x *mcpclient.Exchange) *CallError {
	e := &CallError{Class: Malformed, Sent: x == nil || x.Sent(), Err: err}
	var wire *mcpclient.Error
	var rpc *jsonrpc.Error
	var own *CallError
	switch {
	case x != nil && errors.As(x.Err(), &own): // of our own side: nothing was sent
		e := *own
		return &e
	case x != nil && errors.As(x.Err(), &wire) && wire.Ended: // the connection has ended: take its reason
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

// manyMessages is the least number of server messages that an error mentions.
const manyMessages = 1000

// talked returns how many messages of its own a server sent instead of an answer; zero if few. x may be nil.
func talked(x *mcpclient.Exchange) int {
	if x == nil || x.Messages() < manyMessages {
		return 0
	}
	return x.Messages()
}

// maxReason bounds a server's words in an error, in characters.
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
		// HTTP 408 and 5xx may follow a call that had an effect
	case e.Class == Redirected, e.Class == BadStatus && w.Status >= 400 && w.Status < 500 && w.Status != 408:
		e.Sent = false // refused before it ran
	}
}

// cut reports whether the connection failed, so that no other request can succeed on it.
func (e *CallError) cut() bool {
	switch e.Class {
	case Malformed, TooLarge, TimedOut:
		return false
	}
	return e.broken()
}

// hung reports whether the server has stopped answering.
func (e *CallError) hung() bool { return e.Class == TimedOut && !e.partial }

// refused returns a copy of e for a call that was not tried because of it.
func (e *CallError) refused() *CallError {
	c := *e
	c.Sent, c.before = false, true
	return &c
}

// broken reports whether the server or the connection failed, rather than gave an answer.
func (e *CallError) broken() bool {
	switch e.Class {
	case Unreachable, Certificate, Redirected, Malformed, TooLarge, Lost, TimedOut:
		return true
	case BadStatus:
		return e.HTTPStatus >= 500 || e.HTTPStatus == 401 || e.HTTPStatus == 403 || e.HTTPStatus == 404
	}
	return false
}

// invalidRequest reports whether a JSON-RPC error means that the request was invalid and nothing ran. Other errors
// may come from the function.
func (e *CallError) invalidRequest() bool {
	switch e.Code {
	case jsonrpc.CodeInvalidParams, jsonrpc.CodeMethodNotFound, jsonrpc.CodeInvalidRequest, jsonrpc.CodeParseError:
		return true
	}
	return false
}

// deniesTool reports whether a JSON-RPC error says in a usual form that there is no such tool. MCP uses the code of
// invalid parameters for it, with the message "Unknown tool: NAME" (2025-11-25, server/tools, error handling).
func (e *CallError) deniesTool(name string) bool {
	if e.Class != Refused || e.Code != jsonrpc.CodeInvalidParams {
		return false
	}
	said := strings.TrimPrefix(strings.ToLower(e.Reason), "mcp error -32602: ")
	said = trimDot(strings.NewReplacer(`"`, "", "'", "", "`", "", ":", "").Replace(said))
	name = strings.NewReplacer(`"`, "", "'", "", "`", "", ":", "").Replace(strings.ToLower(clean.Line(name, maxReason)))
	switch said {
	case "unknown tool", "unknown tool " + name, "no such tool " + name, "tool not found", "tool not found " + name,
		"tool " + name + " not found", "tool " + name + " not found tool not found":
		return true
	}
	return false
}

var notDone = map[toolid.Kind]string{
	toolid.Tool:     " The function was not run.",
	toolid.Resource: " The resource was not read.",
	toolid.Prompt:   " The prompt was not fetched.",
}

// unknown reports whether the server no longer knows a resource. Its read sends nothing but the URI: invalid
// parameters mean a wrong URI.
func (e *CallError) unknown(kind toolid.Kind) bool {
	return kind == toolid.Resource && e.Class == Refused && (e.Code == codeNoResource || e.Code == jsonrpc.CodeInvalidParams)
}

// codeNoResource is the code for an unknown resource up to MCP 2025-11-25. Later servers use the code for invalid
// parameters.
const codeNoResource = -32002

const (
	hintLater    = cashsource.HintLater
	hintAgain    = "The same call is likely to fail again."
	hintOperator = "Repeating it does not help: tell the user that the operator of this server has to look at it."
)

// kept returns kind, message and hint for a failure that keeps calls from being made. It gives no advice to ask for
// less, since nothing was asked yet.
func (e *CallError) kept(label string, timeout time.Duration) (registry.Kind, string, string) {
	kind, message, hint := e.cause(label, timeout)
	switch e.Class {
	case TimedOut:
		message, hint = late(e, "`"+label+"`", "in time"), hintLater
	case Malformed, Refused: // the answer was to a request of ours, not to this call
		kind, hint = registry.Unavailable, hintLater
	case TooLarge:
		hint = hintOperator
	}
	return away(kind), "`" + label + "` is temporarily unavailable. " + message, hint
}

// away returns the error kind of a call that was not tried because of an earlier failure. It tells the caller if
// waiting does not help.
func away(kind registry.Kind) registry.Kind {
	switch kind {
	case registry.Unauthorized, registry.Denied, registry.Failed:
		return kind
	}
	return registry.Unavailable
}

// cause words a failure of the server, in this call or an earlier one. Only a failure that may pass is Unavailable,
// TimedOut or RateLimited (gateway surface, section 3.4).
func (e *CallError) cause(label string, timeout time.Duration) (registry.Kind, string, string) {
	ns := "`" + label + "`"
	switch e.Class {
	case Unreachable:
		return registry.Unavailable, fmt.Sprintf("The server behind %s cannot be reached: %s.", ns, e.Reason), hintLater
	case Certificate:
		return registry.Failed, "The certificate of the server behind " + ns + " could not be verified.", hintOperator
	case Redirected:
		return registry.Failed, fmt.Sprintf("The server behind %s cannot be used: %s.", ns, e.Reason), hintOperator
	case Malformed:
		return registry.Failed, fmt.Sprintf("The server behind %s gave no proper answer: %s.", ns, e.Reason), hintAgain
	case TooLarge:
		hint := "Ask for less: pass filters or a smaller page."
		if e.flooded {
			hint = hintLater
		}
		return registry.Failed, fmt.Sprintf("The server behind %s sent too much: %s.", ns, e.Reason), hint
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
	case NoCredential:
		return e.uncredited(ns)
	case Looped:
		return registry.Failed, "The server behind " + ns + " leads back to this one.", hintOperator
	case Changed:
		if e.gone {
			return registry.UnknownFunction, fmt.Sprintf("The server behind %s no longer has this: %s.", ns, e.Reason), ""
		}
		return registry.Unavailable, fmt.Sprintf("The server behind %s has changed: %s.", ns, e.Reason), "Read its help again before you repeat the call."
	}
	return status(e, ns)
}

// uncredited words that the caller has no credential.
func (e *CallError) uncredited(ns string) (registry.Kind, string, string) {
	switch {
	case e.anonymous:
		return registry.Unauthorized, "The server behind " + ns + " is used with the account of each caller, and this caller is not known.",
			"Tell the user to sign in to this server first."
	case e.declined:
		return registry.Unauthorized, "The user's account for " + ns + " is not connected, and the user does not want to connect it now.", "Go on without it."
	case !e.personal:
		return registry.Unauthorized, "There are no credentials for the server behind " + ns + ".", hintOperator
	case e.rejected:
		return refusesAccount(ns)
	case e.connect == nil:
		return registry.Unavailable, "The user's credential for " + ns + " cannot be had at the moment.", hintLater
	}
	hint := "Tell the user to connect the account, and then repeat the call."
	if page := e.connect.page(); page != "" {
		hint = "Tell the user to connect the account at " + page + " , and then repeat the call."
	}
	return registry.Unauthorized, "The user's account for " + ns + " is not connected.", hint
}

// wantsScope words that the caller's account has too few rights.
func (e *CallError) wantsScope(ns string) (registry.Kind, string, string) {
	scope := "more rights"
	if s := e.denied.scope; s != "" {
		scope = "the scope `" + s + "`"
	}
	message := "The server behind " + ns + " wants " + scope + " of the user's account there (status 403)."
	switch {
	case e.declined:
		return registry.Denied, message + " The user does not want to give it now.", "Go on without it."
	case e.connect == nil:
		return registry.Denied, message, "Repeating it does not help: tell the user that the account needs " + scope + "."
	}
	hint := "Tell the user to connect the account again with " + scope + ", and then repeat the call."
	if page := e.connect.page(); page != "" {
		hint = "Tell the user to connect the account again with " + scope + " at " + page + " , and then repeat the call."
	}
	return registry.Unauthorized, message, hint
}

func refusesAccount(ns string) (registry.Kind, string, string) {
	return registry.Unauthorized, "The server behind " + ns + " refuses the user's account there (status 401).",
		"Tell the user to connect the account again, and then repeat the call."
}

// late words a missing answer within a time.
func late(e *CallError, ns, within string) string {
	if e.talked > 0 {
		return fmt.Sprintf("The server behind %s sent %s messages, but not its answer, %s.", ns, mcpclient.Count(e.talked), within)
	}
	return fmt.Sprintf("The server behind %s did not answer %s.", ns, within)
}

func status(e *CallError, ns string) (registry.Kind, string, string) {
	switch {
	case e.personal && e.HTTPStatus == 401:
		return refusesAccount(ns)
	case e.personal && e.denied != nil:
		return e.wantsScope(ns)
	case e.personal && e.HTTPStatus == 403:
		return registry.Denied, fmt.Sprintf("The server behind %s does not allow this with the user's account there (status 403).", ns), "Repeating it does not help: the user's account there needs more rights."
	}
	switch e.HTTPStatus {
	case 401:
		return registry.Unauthorized, fmt.Sprintf("The server behind %s refuses the credentials that it was given (status 401).", ns), hintOperator
	case 403:
		return registry.Denied, fmt.Sprintf("The server behind %s does not allow this with the credentials that it was given (status 403).", ns), hintOperator
	case 404, 405, 410:
		return registry.Failed, fmt.Sprintf("The server behind %s is not at its address (status %d).", ns, e.HTTPStatus), hintOperator
	case 408, 504:
		return registry.TimedOut, fmt.Sprintf("The server behind %s did not answer in time (status %d).", ns, e.HTTPStatus), hintLater
	case 429:
		return registry.RateLimited, "The server behind " + ns + " asks for fewer calls (status 429).", later(e.RetryAfter)
	}
	message := fmt.Sprintf("The server behind %s failed with status %d.", ns, e.HTTPStatus)
	if e.HTTPStatus == 502 || e.HTTPStatus == 503 {
		return registry.Unavailable, message, hintLater
	}
	return registry.Failed, message, hintAgain
}

func later(d time.Duration) string {
	if d <= 0 {
		return "Try again in a moment."
	}
	return fmt.Sprintf("Try again in %v.", max(d.Round(time.Second), time.Second))
}

// refusal words a JSON-RPC error, with the server's own message.
func refusal(e *CallError, ns string) (registry.Kind, string, string) {
	said := e.Reason
	if said == "" {
		said = fmt.Sprintf("error %d", e.Code)
	}
	switch {
	case e.gone:
		return registry.UnknownFunction, fmt.Sprintf("The server behind %s no longer has this: %s.", ns, trimDot(said)), ""
	case e.Code == jsonrpc.CodeInvalidParams:
		return registry.InvalidArguments, fmt.Sprintf("The server behind %s does not take the call: %s.", ns, trimDot(said)), ""
	case e.Code == jsonrpc.CodeMethodNotFound:
		return registry.Failed, fmt.Sprintf("The server behind %s does not know the call: %s.", ns, trimDot(said)), ""
	}
	return registry.Failed, fmt.Sprintf("The server behind %s answered with an error: %s.", ns, trimDot(said)), hintAgain
}

func trimDot(s string) string {
	for len(s) > 0 && s[len(s)-1] == '.' {
		s = s[:len(s)-1]
	}
	return s
}

// unavailable returns the error that the tree shows at label; nil if the namespace is available.
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
		e.Pending = s.pending
	case Closed:
		e.Message = "The server behind `" + label + "` has been disconnected."
	default:
		e.Message = "`" + label + "` is temporarily unavailable."
		if err != nil {
			e.Err = err.refused()
			e.Kind, e.Message, e.Hint = err.kept(label, s.cfg.Timeout)
			if e.Kind == registry.Failed { // the namespace may come back, whatever the reason
				e.Kind = registry.Unavailable
			}
		}
	}
	return e
}
