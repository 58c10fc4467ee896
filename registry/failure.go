package registry

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func fail(c *Call, kind Kind, msg string, cause error) *Error {
	return &Error{Kind: kind, Namespace: c.Function.namespace, Name: c.Function.Name, Message: msg, Err: cause}
}

// failure turns an error of the handlers into an *Error.
func (p *Pipeline) failure(ctx context.Context, c *Call, timeout time.Duration, err error) error {
	var e *Error
	switch {
	case errors.As(err, &e):
		if e.Kind == Internal && e.Err != nil {
			p.log.ErrorContext(ctx, "function failed", "function", c.Function.Path(), "reason", fmt.Sprintf("%T", e.Err))
		}
		return e
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return ended(ctx, c, timeout)
	}
	msg := strings.TrimSpace(strings.ToValidUTF8(safeText(err), "?"))
	if msg == "" {
		msg = fmt.Sprintf("The function `%s` failed without saying why.", c.Function.Name)
	}
	return fail(c, Failed, msg, err)
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

// ended words a call whose context ended before it did.
func ended(ctx context.Context, c *Call, timeout time.Duration) *Error {
	consequence := " It may still take effect: check before you repeat it."
	if c.Function.ReadOnly {
		consequence = ""
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		limit := "in time"
		if timeout > 0 {
			limit = "within " + timeout.String()
		}
		return fail(c, Timeout, fmt.Sprintf("The function `%s` did not answer %s.%s", c.Function.Name, limit, consequence), ctx.Err())
	}
	if cause := context.Cause(ctx); cause != nil {
		var e *Error
		if errors.As(cause, &e) { // the server ended the call, and says why
			return fail(c, e.Kind, e.Message+consequence, cause)
		}
	}
	return fail(c, Canceled, fmt.Sprintf("The call of `%s` was cancelled.%s", c.Function.Name, consequence), ctx.Err())
}

// crashed reports a panic. What was panicked with may hold anything, so only
// its type and the stack are logged; errors of the Go runtime itself (a nil
// dereference, an index out of range) are safe to show to the operator.
func (p *Pipeline) crashed(ctx context.Context, c *Call, v any) error {
	what := fmt.Sprintf("%T", v)
	if v == nil {
		what = "runtime.Goexit"
	} else if re, ok := v.(runtime.Error); ok {
		what = re.Error()
	}
	p.log.ErrorContext(ctx, "function panicked", "function", c.Function.Path(), "panic", what, "stack", string(debug.Stack()))
	return fail(c, Internal, fmt.Sprintf("The function `%s` failed unexpectedly. The server is fine; the same call is likely to fail again.", c.Function.Name), nil)
}

func isNil(c mcp.Content) bool {
	if c == nil {
		return true
	}
	v := reflect.ValueOf(c)
	return v.Kind() == reflect.Pointer && v.IsNil()
}
