// Package apart runs code that nobody here vouches for: functions, rules and
// stores of an embedder. Such code may panic, end its goroutine, or ignore that
// its context has ended; whoever waits for it is answered in time all the same.
//
//	value, err := apart.Do(ctx, 0, func(*apart.Task) (string, error) {
//		return hook(ctx)
//	}, nil)
//	var crash *apart.Crash
//	switch {
//	case errors.Is(err, apart.ErrLeft): // ctx has ended, and the hook goes on
//	case errors.As(err, &crash):        // it panicked
//	}
//
// # How it works
//
// Do runs the code in a goroutine of its own and waits for it, or for the end of a
// context. What is left behind ends when the code does; late is then called, by
// which a caller counts what hangs and refuses more of it. A [Task] lets the code
// put off the end of the wait, once it knows how long it may take.
//
// # Limits
//
// A goroutine cannot be stopped: one that never ends stays. Data that the code
// shares with its caller is theirs to guard, since the caller may go on first.
package apart

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"
)

// ErrLeft says that the wait is over and the code still runs.
var ErrLeft = errors.New("apart: left behind")

// A Crash says that the code panicked, or ended its goroutine.
type Crash struct {
	// Reason is the text of an error of the Go runtime, such as a nil dereference,
	// and the type of any other value: that may hold anything.
	Reason string
	Stack  string
}

// Error returns the reason.
func (c *Crash) Error() string { return "apart: crashed: " + c.Reason }

// A Task is code that runs apart.
type Task struct {
	moved chan context.Context
}

// Until makes the wait end with ctx, and no longer with the context before. It is
// called once, by the code itself.
func (t *Task) Until(ctx context.Context) { t.moved <- ctx }

// The states of a task.
const (
	running int32 = iota
	ended
	left
)

// Do runs f apart and returns what it returns, a *[Crash], or [ErrLeft] when ctx
// has ended and f has not returned within the grace after that. late, unless it is
// nil, is called when an f that was left behind has ended.
func Do[T any](ctx context.Context, grace time.Duration, f func(*Task) (T, error), late func()) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	t := &Task{moved: make(chan context.Context, 1)}
	done := make(chan outcome, 1)
	var state atomic.Int32
	go func() {
		var o outcome
		returned := false
		defer func() {
			if !returned {
				o = outcome{err: crashed(recover())}
			}
			switch {
			case state.CompareAndSwap(running, ended):
				done <- o
			case late != nil:
				late()
			}
		}()
		o.value, o.err = f(t)
		returned = true
	}()
	wait := ctx
	for {
		select {
		case o := <-done:
			return o.value, o.err
		case wait = <-t.moved:
			continue
		case <-wait.Done():
		}
		select {
		case wait = <-t.moved: // it came with the end of the context before
			continue
		default:
		}
		if grace > 0 {
			timer := time.NewTimer(grace)
			defer timer.Stop()
			select {
			case o := <-done:
				return o.value, o.err
			case <-timer.C:
			}
		}
		if state.CompareAndSwap(running, left) {
			var none T
			return none, ErrLeft
		}
		o := <-done // an answer that came with the deadline is an answer
		return o.value, o.err
	}
}

// crashed is the error for a panic; nil is that of a goroutine that was ended.
func crashed(v any) *Crash {
	c := &Crash{Reason: fmt.Sprintf("%T", v), Stack: string(debug.Stack())}
	switch err, ok := v.(runtime.Error); {
	case v == nil:
		c.Reason = "runtime.Goexit"
	case ok && (strings.HasPrefix(c.Reason, "runtime.") || strings.HasPrefix(c.Reason, "*runtime.")):
		c.Reason = err.Error()
	}
	return c
}
