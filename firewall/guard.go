package firewall

import (
	"context"
	"errors"
	"fmt"
	"runtime"
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
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer)
	go func() {
		defer cancel()
		value, err := rescue(func() (T, error) { return f(ctx) })
		select {
		case answers <- answer{value, err}:
		case <-ctx.Done():
			if late != nil {
				_, _ = rescue(func() (T, error) { late(value); return value, nil })
			}
		}
	}()
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, fmt.Errorf("%w: %w", errSilent, context.Cause(ctx))
	}
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
