package firewall

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/cash-mcp/go-sdk/internal/apart"
)

var (
	errNothing = errors.New("the store returned nothing") // neither a value nor an error
	errSilent  = errors.New("the store did not answer")   // it may still answer
)

// guard runs a store method that may panic or hang. It returns when f does, or when ctx or patience is over. In the
// latter case the error is errSilent, f goes on in its goroutine, and late, if not nil, receives the value of f in the
// end. A [Memory] answers at once, so it needs no goroutine.
func guard[T any](ctx context.Context, store Store, f func(context.Context) (T, error), late func(T)) (T, error) {
	if _, ok := store.(*Memory); ok {
		return f(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var last T
	value, err := apart.Do(ctx, 0, func() (T, error) {
		var err error
		last, err = f(ctx)
		return last, err
	}, func() {
		if late != nil {
			_, _ = rescue(func() (T, error) { late(last); return last, nil })
		}
	})
	var crash *apart.Crash
	switch {
	case errors.Is(err, apart.ErrLeft):
		err = fmt.Errorf("%w: %w", errSilent, context.Cause(ctx))
	case errors.As(err, &crash):
		err = fmt.Errorf("the store panicked: %s", crash.Reason)
	}
	return value, err
}

// rescue turns a panic of f into an error. The text shows the panic value only if it comes from the runtime, because
// other values may hold contents.
func rescue[T any](f func() (T, error)) (value T, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case runtime.Error:
			err = fmt.Errorf("the store panicked: %w", p)
		default:
			err = fmt.Errorf("the store panicked with a %T", p)
		}
	}()
	return f()
}
