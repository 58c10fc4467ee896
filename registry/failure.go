package registry

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/apart"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// fail returns an error of a call of f.
func fail(f *Function, kind Kind, msg string, cause error) *Error {
	return &Error{Kind: kind, Namespace: f.namespace, Name: f.name, Message: msg, Err: cause}
}

// failure turns an error of a handler or middleware into an *Error.
func (p *Pipeline) failure(ctx context.Context, f *Function, timeout time.Duration, err error) *Error {
	var e *Error
	if errors.As(err, &e) && e != nil {
		if e.Kind == Internal && e.Err != nil {
			p.log.ErrorContext(ctx, "function failed", "function", f.Path(), "reason", fmt.Sprintf("%T", e.Err))
		}
		return presentable(f, e)
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return callEnded(ctx, f, timeout)
	}
	return presentable(f, fail(f, Failed, safeText(err), err))
}

// presentable returns e with a kind of the closed set and with clean texts that are not empty.
func presentable(f *Function, e *Error) *Error {
	shown := *e
	if !e.Kind.Known() {
		shown.Kind = Failed
	}
	shown.Message, shown.Hint = cleanMessage(e.Message), cleanMessage(e.Hint)
	if shown.Message == "" && shown.Hint == "" {
		shown.Message = fmt.Sprintf("The function `%s` failed without saying why.", f.name)
	}
	return advised(&shown)
}

// advised returns e with a hint, if it has none.
func advised(e *Error) *Error {
	if e == nil || e.Hint != "" || e.Next != NoStep {
		return e
	}
	shown := *e
	shown.Hint = afterwards[e.Kind]
	return &shown
}

// afterwards are the hints for kinds whose next step is the same for every function, and that a model would
// otherwise repeat at once.
var afterwards = map[Kind]string{
	Unavailable:  "Try again in a minute, or go on without it.",
	RateLimited:  "Wait, then try again.",
	Denied:       "Do not repeat the call: tell the user.",
	Unauthorized: "Do not repeat the call: tell the user.",
}

// cleanMessage removes invisible and control characters. Invalid UTF-8 becomes '?'.
func cleanMessage(text string) string {
	text = strings.Map(func(r rune) rune {
		if r == utf8.RuneError {
			return '?'
		}
		return r
	}, text)
	return strings.TrimSpace(clean.Text(text))
}

// safeText returns err.Error() for an error that may be a typed nil.
func safeText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	return err.Error()
}

// unreadable is the error for arguments that are refused as JSON.
func unreadable(err error) error {
	var e *strictjson.Error
	if errors.As(err, &e) && e.Bound {
		return invalidArguments("The arguments are too much JSON to read: " + e.Reason + ". Pass less, or flatter.")
	}
	return invalidArguments("The arguments are not valid JSON: " + err.Error() + ".")
}

// consequence returns the warning that a call without an answer may have had an effect.
func consequence(f *Function) string {
	if f.readOnly {
		return ""
	}
	return " It may have taken effect: check before you repeat it."
}

// late returns what to do after a call without an answer in time.
func late(f *Function) string {
	if f.readOnly {
		return " It changes nothing: try once more, or ask for less."
	}
	return consequence(f)
}

// errTimeout is the cause of a context that ends at a deadline of the pipeline.
var errTimeout = errors.New("deadline of the function")

// notRun is the error for a call whose context has ended before the function ran.
func notRun(ctx context.Context, f *Function) error {
	kind, what := Canceled, "cancelled"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		kind, what = TimedOut, "out of time"
	}
	e := fail(f, kind, fmt.Sprintf("The call of `%s` was %s before it began. The function was not run.", f.name, what), ctx.Err())
	e.NotRun = true
	return e
}

// lookupEnded is the error for a call whose context ended during the look-up, for example because a
// visibility rule hangs.
func lookupEnded(ctx context.Context) error {
	var e *Error
	switch cause := context.Cause(ctx); {
	case errors.As(cause, &e) && e != nil: // the server ended the call and gives the reason
		own := *e
		own.NotRun = true
		return &own
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &Error{Kind: TimedOut, Message: "The call was out of time before it began. The function was not run.", Err: ctx.Err(), NotRun: true}
	}
	return &Error{Kind: Canceled, Message: "The call was cancelled before it began. The function was not run.", Err: ctx.Err(), NotRun: true}
}

// callEnded is the error for a call whose context ended before the function returned.
func callEnded(ctx context.Context, f *Function, timeout time.Duration) *Error {
	e := givenUp(ctx, f, timeout)
	if !f.readOnly {
		e.Details = map[string]any{"outcome": "unknown"}
	}
	return e
}

// givenUp is the error for a call that ended without a result: a deadline, the server or the caller ended
// its context.
func givenUp(ctx context.Context, f *Function, timeout time.Duration) *Error {
	cause := context.Cause(ctx)
	var e *Error
	switch {
	case errors.Is(cause, errTimeout):
		return fail(f, TimedOut, fmt.Sprintf("The function `%s` did not answer within %v.%s", f.name, timeout, late(f)), ctx.Err())
	case errors.As(cause, &e) && e != nil: // the server ended the call and gives the reason
		return fail(f, e.Kind, e.Message+consequence(f), cause)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fail(f, TimedOut, fmt.Sprintf("The function `%s` did not answer in time.%s", f.name, late(f)), ctx.Err())
	}
	return fail(f, Canceled, fmt.Sprintf("The call of `%s` was cancelled.%s", f.name, consequence(f)), ctx.Err())
}

// crashed logs a panic with its place, and returns the error for the caller, which has no place.
// t is nil if the function was not found yet.
func (p *Pipeline) crashed(ctx context.Context, t *target, crash *apart.Crash) *Error {
	path := ""
	e := &Error{Kind: Internal, Message: "The server failed unexpectedly and goes on. The same call is likely to fail again. No function was run.", NotRun: true}
	if t != nil {
		f := t.function
		path = f.Path()
		e = fail(f, Internal, fmt.Sprintf("The function `%s` failed unexpectedly, and is likely to fail again: do not repeat the call.", f.name), nil)
		if !f.readOnly {
			e.Message += " It may have taken effect."
		}
	}
	func() {
		defer func() { _ = recover() }() // a logger may panic too
		p.log.ErrorContext(ctx, "function panicked", "function", path, "panic", crash.Reason, "stack", crash.Stack)
	}()
	return e
}

func isNil(c mcp.Content) bool {
	if c == nil {
		return true
	}
	v := reflect.ValueOf(c)
	return v.Kind() == reflect.Pointer && v.IsNil()
}
