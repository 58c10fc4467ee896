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
	errSilent  = errors.New("the store did not answer")   // and still may
)

// guard runs a method of a store that may panic or hang. It returns when f does,
// or when ctx or patience is over, whichever comes first. In the latter case f
// goes on in its goroutine, which ends with it, the error is errSilent, and late,
// unless it is nil, is given what f returns after all.
func guard[T any](ctx context.Context, f func(context.Context) (T, error), late func(T)) (T, error) {
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

// rescue turns a panic of f into an error. Its text has the value of the panic
// only where it comes from the runtime: others may hold contents.
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
