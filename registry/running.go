package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/cash-mcp/go-sdk/internal/apart"
)

// maxStuck is how many calls of one function, and how many look-ups, may hang,
// given up by their callers, before further ones are refused.
const maxStuck = 64

// running is a call from its look-up to its result. The goroutine that does it may
// be left behind by the one that waits.
type running struct {
	*Pipeline
	ctx   context.Context       // the caller's
	found atomic.Pointer[found] // once its function is known
}

// found is the function of a call, and how long it may take.
type found struct {
	function *Function
	ctx      context.Context
	timeout  time.Duration // zero is no limit
}

// Call runs a request from beginning to end: look-up, arguments, middleware in
// order, the function. It returns when that is done, or when the deadline has passed
// or ctx has ended, whichever comes first: what ignores its context is left behind.
// Its errors are *[Error].
func (p *Pipeline) Call(ctx context.Context, req *Request) (*Result, error) {
	if p.stuck.Load() >= maxStuck {
		return nil, &Error{
			Kind: Unavailable, NotRun: true,
			Message: fmt.Sprintf("The server is not taking calls: %d earlier ones hang before they have begun.", maxStuck),
		}
	}
	if ctx.Err() != nil {
		return nil, notFound(ctx)
	}
	r := &running{Pipeline: p, ctx: ctx}
	look, cancel := context.WithTimeoutCause(ctx, p.lookTimeout(), errTimeout)
	defer cancel()
	var hanging *atomic.Int32
	counted := make(chan struct{})
	result, err := apart.Do(look, 0, func(t *apart.Task) (*Result, error) {
		growStack()
		return r.call(look, t, req)
	}, func() {
		<-counted
		hanging.Add(-1)
	})
	var crash *apart.Crash
	switch {
	case err == nil:
		return result, nil
	case errors.Is(err, apart.ErrLeft):
		hanging, err = r.leave(look)
		hanging.Add(1)
		close(counted)
	case errors.As(err, &crash):
		err = p.crashed(look, r.found.Load(), crash)
	}
	return nil, around(err)
}

// lookTimeout is how long it may take to find a function and to check its arguments.
// A function that says nothing else has to be done by then, too.
func (p *Pipeline) lookTimeout() time.Duration {
	if p.timeout > 0 {
		return p.timeout
	}
	return DefaultTimeout
}

// leave gives up on the call, and returns the count of those that hang like it.
func (r *running) leave(look context.Context) (*atomic.Int32, error) {
	if f := r.found.Load(); f != nil {
		return f.function.stuck, ended(f.ctx, f.function, f.timeout)
	}
	return &r.stuck, notFound(look)
}

// call does the work of [Pipeline.Call].
func (r *running) call(ctx context.Context, t *apart.Task, req *Request) (*Result, error) {
	c, err := r.Prepare(ctx, req)
	if err != nil {
		return nil, err
	}
	f := c.Function
	if f.stuck.Load() >= maxStuck {
		return nil, fail(f, Unavailable, fmt.Sprintf("The function `%s` is not taking calls: %d earlier ones have not ended.", f.Name, maxStuck), nil)
	}
	known, cancel := r.within(ctx, t, f)
	defer cancel()
	ctx = known.ctx
	if req.Ready != nil {
		if ctx, err = req.Ready(ctx, c); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, notRun(ctx, f)
	}
	own := *c // what middleware changes is not what the face goes by
	res, err := r.handler(ctx, &own)
	if err != nil {
		return nil, r.failure(ctx, f, known.timeout, err)
	}
	return r.settle(ctx, f, res)
}

// within gives a call the deadline of its function.
func (r *running) within(look context.Context, t *apart.Task, f *Function) (*found, context.CancelFunc) {
	own := &found{f, look, max(cmp.Or(f.Timeout, r.timeout), 0)}
	cancel := func() {}
	switch own.timeout {
	case r.lookTimeout():
	case 0:
		own.ctx, cancel = context.WithCancel(r.ctx)
	default:
		own.ctx, cancel = context.WithTimeoutCause(r.ctx, own.timeout, errTimeout)
	}
	r.found.Store(own)
	if own.ctx != look {
		t.Until(own.ctx)
	}
	return own, cancel
}

// settle makes sure that a result can be delivered.
func (r *running) settle(ctx context.Context, f *Function, res *Result) (*Result, error) {
	res, err := frozen(res)
	if err != nil {
		r.log.ErrorContext(ctx, "function returned an unusable result", "function", f.Path(), "reason", err.Error())
		return nil, fail(f, Internal, fmt.Sprintf("The function `%s` ran, but returned no usable result.%s", f.Name, consequence(f)), nil)
	}
	return res, nil
}

// growStack makes room for the decoding and encoding of JSON while the stack of
// a new goroutine is still empty: growing it step by step later, with frames to
// move, takes a fifth of a call's time.
//
//go:noinline
func growStack() byte {
	var room [6 << 10]byte
	return room[len(room)-int(touch)]
}

// touch keeps the compiler from doing without the room.
var touch byte = 1
