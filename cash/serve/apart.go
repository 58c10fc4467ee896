package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/cash-mcp/go-sdk/internal/apart"
	"github.com/cash-mcp/go-sdk/registry"
)

// grace is the time for code to notice the end of its context, before it is abandoned.
const grace = 100 * time.Millisecond

// Apart runs f, which calls the embedder's code, as [apart.Do] does. An error that is not f's own
// is a *[registry.Error]: of kind [registry.Internal] after a panic, which log gets, or that of a
// context which has ended.
func Apart[T any](ctx context.Context, log *slog.Logger, what string, f func() (T, error)) (T, error) {
	value, err := apart.Do(ctx, grace, f, nil)
	var crash *apart.Crash
	switch {
	case errors.As(err, &crash):
		logCrash(ctx, log, what, crash)
		err = errPanic
	case errors.Is(err, apart.ErrLeft):
		err = contextError(ctx)
	}
	return value, err
}

// contextError is the error for a request whose context has ended.
func contextError(ctx context.Context) error {
	var e *registry.Error
	if errors.As(context.Cause(ctx), &e) && e != nil {
		return e
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &registry.Error{Kind: registry.TimedOut, Message: "The server did not answer in time.", Err: ctx.Err()}
	}
	return &registry.Error{Kind: registry.Canceled, Message: "The request was cancelled.", Err: ctx.Err()}
}

var errPanic = &registry.Error{Kind: registry.Internal, Message: "The server failed unexpectedly and goes on. The same request is likely to fail again."}

// logCrash logs a panic with its stack.
func logCrash(ctx context.Context, log *slog.Logger, what string, crash *apart.Crash) {
	defer func() { _ = recover() }() // a logger may panic too
	log.ErrorContext(ctx, "request panicked", "request", what, "panic", crash.Reason, "stack", crash.Stack)
}

// logPanic logs the type of a panic's value and the stack. It does not log the value, which may
// hold secrets.
func logPanic(ctx context.Context, log *slog.Logger, what string, v any) {
	defer func() { _ = recover() }() // a logger may panic too
	log.ErrorContext(ctx, "request panicked", "request", what, "panic", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
}
