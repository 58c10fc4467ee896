// Package apart runs code that this module cannot trust: functions, rules and stores of an embedder. Such code may
// panic, end its goroutine, or ignore the end of its context. The caller still gets an answer in time.
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
// Do runs the code in a goroutine of its own and waits for it, or for the end of a context. Code that is left behind
// goes on until it returns. Then late is called; with it a caller counts hanging code and refuses more. A caller that
// starts the goroutine itself uses a [Task]: the code ends the task with a deferred call of End, and may extend the
// wait with Until.
//
// # Limits
//
// A goroutine cannot be stopped: one that never returns stays. Data shared by the code and its caller needs protection,
// because the caller may go on first.
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

// ErrLeft means that the wait is over and the code still runs.
var ErrLeft = errors.New("apart: left behind")

// A Crash means that the code panicked or ended its goroutine.
type Crash struct {
	// Reason is the text of an error of the Go runtime, such as a nil dereference. For any other panic value it is only
	// the type, because the value may hold secrets.
	Reason string
	Stack  string
}

// Error returns the reason.
func (c *Crash) Error() string { return "apart: crashed: " + c.Reason }

// A Task is code that runs apart. Make one with [New].
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

// outcome is the result of a task, or a new context for the wait.
type outcome[T any] struct {
	value T
	err   error
	until context.Context
}

// New returns a task for a goroutine that is about to start. late, unless nil, is called when code that was left behind
// returns.
func New[T any](late func()) *Task[T] {
	return &Task[T]{late: late, sent: make(chan outcome[T], 2)}
}

// Do runs f apart and returns its results. The error is a *[Crash] if f panics, or [ErrLeft] if f has not returned
// within grace after the end of ctx. See [New] for late.
func Do[T any](ctx context.Context, grace time.Duration, f func() (T, error), late func()) (T, error) {
	t := New[T](late)
	go t.run(f)
	return t.Wait(ctx, grace)
}

// Guard runs f in the goroutine of its caller: code that reads what others wrote. The error is a *[Crash] if f panics.
func Guard(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = crashed(v)
		}
	}()
	return f()
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

// Wait returns the outcome of the task; see [Do].
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
		} else if o.until == nil { // an answer that arrives with the deadline counts
			return o.value, o.err
		} else {
			ctx = o.until
		}
	}
}

// last waits for the grace period. ok is false if the task is left behind.
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

// Until replaces the context of the wait by ctx. The code calls it once.
func (t *Task[T]) Until(ctx context.Context) { t.sent <- outcome[T]{until: ctx} }

// End ends the task. The task's goroutine calls it once.
func (t *Task[T]) End(value T, err error) {
	switch {
	case t.state.CompareAndSwap(running, ended):
		t.sent <- outcome[T]{value: value, err: err}
	case t.late != nil:
		t.late()
	}
}

// Crash ends the task after a panic. v is the result of recover; nil means that the goroutine was ended.
func (t *Task[T]) Crash(v any) {
	var none T
	t.End(none, crashed(v))
}

// crashed returns the error of a panic; nil means that the goroutine was ended.
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
