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

// grace is how long something may take to notice that its context has ended
// before it is left behind.
const grace = 100 * time.Millisecond

// Apart runs f, which leads to the embedder's code, as [apart.Do] does. Its errors
// are *[registry.Error] where they are not those of f: of kind [registry.Internal]
// after a panic, which log gets, and of another soon after ctx has ended.
func Apart[T any](ctx context.Context, log *slog.Logger, what string, f func() (T, error)) (T, error) {
	value, err := apart.Do(ctx, grace, f, nil)
	var crash *apart.Crash
	switch {
	case errors.As(err, &crash):
		logCrash(ctx, log, what, crash)
		err = errPanic
	case errors.Is(err, apart.ErrLeft):
		err = ended(ctx)
	}
	return value, err
}

// ended is the error for a request whose context has ended.
func ended(ctx context.Context) error {
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

// logCrash logs where something panicked.
func logCrash(ctx context.Context, log *slog.Logger, what string, crash *apart.Crash) {
	defer func() { _ = recover() }() // a logger may panic too
	log.ErrorContext(ctx, "request panicked", "request", what, "panic", crash.Reason, "stack", crash.Stack)
}

// logPanic logs the type of what was panicked with and the stack, but not the
// value, which may hold anything.
func logPanic(ctx context.Context, log *slog.Logger, what string, v any) {
	defer func() { _ = recover() }() // a logger may panic too
	log.ErrorContext(ctx, "request panicked", "request", what, "panic", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
}
