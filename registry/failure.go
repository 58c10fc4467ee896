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
)

func fail(f *Function, kind Kind, msg string, cause error) *Error {
	return &Error{Kind: kind, Namespace: f.namespace, Name: f.name, Message: msg, Err: cause}
}

// failure turns an error of the handlers into an *Error.
func (p *Pipeline) failure(ctx context.Context, f *Function, timeout time.Duration, err error) *Error {
	var e *Error
	if errors.As(err, &e) && e != nil {
		if e.Kind == Internal && e.Err != nil {
			p.log.ErrorContext(ctx, "function failed", "function", f.Path(), "reason", fmt.Sprintf("%T", e.Err))
		}
		return presentable(f, e)
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return ended(ctx, f, timeout)
	}
	return presentable(f, fail(f, Failed, safeText(err), err))
}

// presentable returns an error that has a kind of the closed set and says
// something, in clean text.
func presentable(f *Function, e *Error) *Error {
	shown := *e
	if !e.Kind.Known() {
		shown.Kind = Failed
	}
	shown.Message, shown.Hint = cleanMessage(e.Message), cleanMessage(e.Hint)
	if shown.Message == "" && shown.Hint == "" {
		shown.Message = fmt.Sprintf("The function `%s` failed without saying why.", f.name)
	}
	return &shown
}

// cleanMessage drops what is invisible, or moves a terminal's cursor. What is
// not UTF-8 shows as '?'.
func cleanMessage(text string) string {
	text = strings.Map(func(r rune) rune {
		if r == utf8.RuneError {
			return '?'
		}
		return r
	}, text)
	return strings.TrimSpace(clean.Text(text))
}

// safeText is err.Error() for errors that may be typed nils.
func safeText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	return err.Error()
}

// consequence warns that a call of which no answer arrives may have had an
// effect.
func consequence(f *Function) string {
	if f.readOnly {
		return ""
	}
	return " It may have taken effect: check before you repeat it."
}

// errTimeout is the cause of contexts that end with a deadline of the pipeline.
var errTimeout = errors.New("deadline of the function")

// notRun is the error for a call whose context has ended before it began.
func notRun(ctx context.Context, f *Function) error {
	kind, what := Canceled, "cancelled"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		kind, what = TimedOut, "out of time"
	}
	e := fail(f, kind, fmt.Sprintf("The call of `%s` was %s before it began. The function was not run.", f.name, what), ctx.Err())
	e.NotRun = true
	return e
}

// notFound is the error for a call whose context has ended before its function was
// known, as where a rule of visibility hangs.
func notFound(ctx context.Context) error {
	var e *Error
	switch cause := context.Cause(ctx); {
	case errors.As(cause, &e) && e != nil: // the server ended the call, and says why
		own := *e
		own.NotRun = true
		return &own
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &Error{Kind: TimedOut, Message: "The call was out of time before it began. The function was not run.", Err: ctx.Err(), NotRun: true}
	}
	return &Error{Kind: Canceled, Message: "The call was cancelled before it began. The function was not run.", Err: ctx.Err(), NotRun: true}
}

// ended is the error for a call whose context ended before it did.
func ended(ctx context.Context, f *Function, timeout time.Duration) *Error {
	e := givenUp(ctx, f, timeout)
	if !f.readOnly {
		e.Details = map[string]any{"outcome": "unknown"}
	}
	return e
}

func givenUp(ctx context.Context, f *Function, timeout time.Duration) *Error {
	cause := context.Cause(ctx)
	var e *Error
	switch {
	case errors.Is(cause, errTimeout):
		return fail(f, TimedOut, fmt.Sprintf("The function `%s` did not answer within %v.%s", f.name, timeout, consequence(f)), ctx.Err())
	case errors.As(cause, &e) && e != nil: // the server ended the call, and says why
		return fail(f, e.Kind, e.Message+consequence(f), cause)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fail(f, TimedOut, fmt.Sprintf("The function `%s` did not answer in time.%s", f.name, consequence(f)), ctx.Err())
	}
	return fail(f, Canceled, fmt.Sprintf("The call of `%s` was cancelled.%s", f.name, consequence(f)), ctx.Err())
}

// crashed reports a panic: to the operator where, to the caller only that. What is
// known of the call is nil if its function was not found yet.
func (p *Pipeline) crashed(ctx context.Context, known *found, crash *apart.Crash) *Error {
	path := ""
	e := &Error{Kind: Internal, Message: "The server failed unexpectedly and goes on. The same call is likely to fail again. No function was run.", NotRun: true}
	if known != nil {
		f := known.function
		path = f.Path()
		e = fail(f, Internal, fmt.Sprintf("The function `%s` failed unexpectedly. The server goes on; the same call is likely to fail again.%s", f.name, consequence(f)), nil)
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
