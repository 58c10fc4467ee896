// Package apart runs code that nobody here vouches for: functions, rules and
// stores of an embedder. Such code may panic, end its goroutine, or ignore that
// its context has ended; whoever waits for it is answered in time all the same.
//
//	value, err := apart.Do(ctx, 0, func() (string, error) { return hook(ctx) }, nil)
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
// which a caller counts what hangs and refuses more of it. Whoever starts the
// goroutine itself has a [Task] for the rest: its code ends the task by a deferred
// call of End, and may put off the end of the wait by Until.
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

// A Task is code that runs apart. It is made by [New].
type Task[T any] struct {
	state atomic.Int32
	late  func()
	sent  chan outcome[T]
}

// The states of a task.
const (
	running int32 = iota
	ended
	left
)

// outcome is what a task ends with, or a context that it is waited for from now on.
type outcome[T any] struct {
	value T
	err   error
	until context.Context
}

// New returns a task for a goroutine that is about to be started. late, unless it is
// nil, is called when the code has ended after it was left behind.
func New[T any](late func()) *Task[T] {
	return &Task[T]{late: late, sent: make(chan outcome[T], 2)}
}

// Do runs f apart and returns what it returns, a *[Crash], or [ErrLeft] when ctx
// has ended and f has not returned within the grace after that. See [New] for late.
func Do[T any](ctx context.Context, grace time.Duration, f func() (T, error), late func()) (T, error) {
	t := New[T](late)
	go t.run(f)
	return t.Wait(ctx, grace)
}

func (t *Task[T]) run(f func() (T, error)) {
	var value T
	var err error
	returned := false
	defer func() {
		if returned {
			t.End(value, err)
		} else {
			t.Crash(recover())
		}
	}()
	value, err = f()
	returned = true
}

// Wait returns what the task ends with; see [Do].
func (t *Task[T]) Wait(ctx context.Context, grace time.Duration) (T, error) {
	for {
		select {
		case o := <-t.sent:
			if o.until == nil {
				return o.value, o.err
			}
			ctx = o.until
			continue
		case <-ctx.Done():
		}
		if o, ok := t.last(grace); !ok {
			var none T
			return none, ErrLeft
		} else if o.until == nil { // an answer that came with the deadline is an answer
			return o.value, o.err
		} else {
			ctx = o.until
		}
	}
}

// last waits for a grace more, and reports false if the task is left behind.
func (t *Task[T]) last(grace time.Duration) (o outcome[T], ok bool) {
	select {
	case o = <-t.sent:
		return o, true
	default:
	}
	if grace > 0 {
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case o = <-t.sent:
			return o, true
		case <-timer.C:
		}
	}
	if t.state.CompareAndSwap(running, left) {
		return o, false
	}
	return <-t.sent, true
}

// Until makes the wait end with ctx, and no longer with the context before. It is
// called once, by the code itself.
func (t *Task[T]) Until(ctx context.Context) { t.sent <- outcome[T]{until: ctx} }

// End is the end of the code. It is called once, by its goroutine.
func (t *Task[T]) End(value T, err error) {
	switch {
	case t.state.CompareAndSwap(running, ended):
		t.sent <- outcome[T]{value: value, err: err}
	case t.late != nil:
		t.late()
	}
}

// Crash is End for code that panicked with v, which is what recover returned; nil is
// a goroutine that was ended.
func (t *Task[T]) Crash(v any) {
	var none T
	t.End(none, crashed(v))
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
