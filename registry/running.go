package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
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
	req   *Request
	task  *apart.Task[*Result]
	ctx   context.Context       // the caller's
	look  context.Context       // that of the look-up
	known found                 // written before it is published below
	found atomic.Pointer[found] // once the function is known
	// cancel ends the context of a function with a deadline of its own; nil if it has
	// none. It is called when the call has been answered: not before, or an answer
	// that is on its way would look like a call that was given up.
	cancel context.CancelFunc

	leaving sync.Mutex    // held until a call that is left behind has been counted
	hanging *atomic.Int32 // the count
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
	r := &running{Pipeline: p, req: req, ctx: ctx}
	var cancel context.CancelFunc
	r.look, cancel = context.WithTimeoutCause(ctx, p.lookTimeout(), errTimeout)
	defer cancel()
	r.leaving.Lock()
	r.task = apart.New[*Result](r.late)
	go r.call()
	result, err := r.task.Wait(r.look, 0)
	if errors.Is(err, apart.ErrLeft) {
		return nil, r.leave() // its context has ended
	}
	if r.cancel != nil {
		r.cancel()
	}
	if err == nil {
		return result, nil
	}
	var crash *apart.Crash
	if errors.As(err, &crash) {
		return nil, r.crashed(r.look, r.found.Load(), crash)
	}
	return nil, around(err)
}

// leave gives up on the call, and counts it among those that hang like it.
func (r *running) leave() (err error) {
	defer r.leaving.Unlock()
	r.hanging, err = &r.stuck, notFound(r.look)
	if f := r.found.Load(); f != nil {
		r.hanging, err = f.function.stuck, ended(f.ctx, f.function, f.timeout)
	}
	r.hanging.Add(1)
	return err
}

// late is called when a call that was left behind has ended.
func (r *running) late() {
	r.leaving.Lock()
	r.hanging.Add(-1)
}

// lookTimeout is how long it may take to find a function and to check its arguments.
// A function that says nothing else has to be done by then, too.
func (p *Pipeline) lookTimeout() time.Duration {
	if p.timeout > 0 {
		return p.timeout
	}
	return DefaultTimeout
}

// call does the work of [Pipeline.Call]. It returns either a result or an error,
// unless it panics or ends its goroutine.
func (r *running) call() (res *Result, err error) {
	defer func() {
		if v := recover(); v == nil && (res != nil || err != nil) {
			r.task.End(res, err)
		} else {
			r.task.Crash(v)
		}
	}()
	growStack()
	c, err := r.Prepare(r.look, r.req)
	if err != nil {
		return nil, err
	}
	f := c.Function
	if f.stuck.Load() >= maxStuck {
		return nil, fail(f, Unavailable, fmt.Sprintf("The function `%s` is not taking calls: %d earlier ones have not ended.", f.name, maxStuck), nil)
	}
	ctx := r.within(f)
	if r.req.Ready != nil {
		if ctx, err = r.req.Ready(ctx, c); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, notRun(ctx, f)
	}
	own := *c // what middleware changes is not what the face goes by
	handler := r.handler
	if r.bare && c.Plan == nil && c.Kept == nil {
		handler = f.handler // nothing stands before it
	}
	out, failed := handler(ctx, &own)
	if failed != nil {
		return nil, r.failure(ctx, f, r.known.timeout, failed)
	}
	return r.settle(ctx, f, out)
}

// within gives a call the deadline of its function.
func (r *running) within(f *Function) context.Context {
	r.known = found{f, r.look, max(cmp.Or(f.timeout, r.timeout), 0)}
	switch r.known.timeout {
	case r.lookTimeout():
	case 0:
		r.known.ctx, r.cancel = context.WithCancel(r.ctx)
	default:
		r.known.ctx, r.cancel = context.WithTimeoutCause(r.ctx, r.known.timeout, errTimeout)
	}
	r.found.Store(&r.known)
	if r.known.ctx != r.look {
		r.task.Until(r.known.ctx)
	}
	return r.known.ctx
}

// settle makes sure that a result can be delivered.
func (r *running) settle(ctx context.Context, f *Function, res *Result) (*Result, error) {
	res, err := frozen(res)
	if err != nil {
		r.log.ErrorContext(ctx, "function returned an unusable result", "function", f.Path(), "reason", err.Error())
		return nil, fail(f, Internal, fmt.Sprintf("The function `%s` ran, but returned no usable result.%s", f.name, consequence(f)), nil)
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
