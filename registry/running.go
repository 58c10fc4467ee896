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

// maxStuck bounds the abandoned calls of one function, and the abandoned look-ups, that have not
// ended. Beyond it, further ones are refused.
const maxStuck = 64

// running is a call from its look-up to its result. It runs in a goroutine of its own, which is
// abandoned if it does not end in time.
type running struct {
	*Pipeline
	req       *Request
	task      *apart.Task[*Result]
	ctx       context.Context        // the caller's
	lookCtx   context.Context        // the look-up's
	target    target                 // written before it is published
	published atomic.Pointer[target] // nil until the function is known
	admission *admission             // nil without a Limiter
	own       admission              // unless the call is part of other work
	// cancel ends the context of a function with its own deadline; nil if it has none. It is called
	// after the answer. Earlier, an answer on its way would look like an abandoned call.
	cancel context.CancelFunc

	leaving sync.Mutex    // held until an abandoned call has been counted
	hanging *atomic.Int32 // the counter of abandoned calls; set by leave
}

// target is the function of a call with its deadline.
type target struct {
	function *Function
	ctx      context.Context
	timeout  time.Duration // zero is no limit
}

// Call runs a request from beginning to end: look-up, arguments, middleware in order, function. It
// returns when that is done, at the deadline, or when ctx ends. Code that ignores its context is
// then abandoned. Its errors are *[Error].
func (p *Pipeline) Call(ctx context.Context, req *Request) (*Result, error) {
	if p.stuck.Load() >= maxStuck {
		return nil, &Error{
			Kind: Unavailable, NotRun: true,
			Message: fmt.Sprintf("The server is not taking calls: %d earlier ones hang before they have begun.", maxStuck),
		}
	}
	if ctx.Err() != nil {
		return nil, lookupEnded(ctx)
	}
	r := &running{Pipeline: p, req: req, ctx: ctx}
	if err := r.admit(); err != nil {
		return nil, err
	}
	var cancel context.CancelFunc
	r.lookCtx, cancel = context.WithTimeoutCause(ctx, p.lookTimeout(), errTimeout)
	defer cancel()
	r.leaving.Lock()
	r.task = apart.New[*Result](r.late)
	go r.call()
	result, err := r.task.Wait(r.lookCtx, 0)
	if errors.Is(err, apart.ErrLeft) {
		return nil, r.leave() // the context has ended
	}
	if r.cancel != nil {
		r.cancel()
	}
	if err == nil {
		return result, nil
	}
	var crash *apart.Crash
	if errors.As(err, &crash) {
		return nil, r.crashed(r.lookCtx, r.published.Load(), crash)
	}
	return nil, wrapError(err)
}

// admit takes a place for the call, which is given back when the function has ended.
func (r *running) admit() error {
	if r.limiter == nil {
		return nil
	}
	if r.admission = r.limiter.admitted(r.ctx); r.admission != nil {
		return nil
	}
	r.admission = &r.own
	return r.own.enter(r.ctx, r.limiter, payerOf(r.req.Client, CallerFrom(r.ctx)))
}

// leave abandons the call and adds it to the counter of its function, or to that of look-ups.
func (r *running) leave() (err error) {
	defer r.leaving.Unlock()
	r.hanging, err = &r.stuck, lookupEnded(r.lookCtx)
	if f := r.published.Load(); f != nil {
		r.hanging, err = f.function.stuck, callEnded(f.ctx, f.function, f.timeout)
	}
	r.hanging.Add(1)
	return err
}

// late removes an abandoned call from its counter, when it has ended.
func (r *running) late() {
	r.leaving.Lock()
	r.hanging.Add(-1)
}

// lookTimeout bounds the look-up and the check of arguments. It is also the deadline of a function
// without its own.
func (p *Pipeline) lookTimeout() time.Duration {
	if p.timeout > 0 {
		return p.timeout
	}
	return DefaultTimeout
}

// call does the work of [Pipeline.Call] in the new goroutine.
func (r *running) call() (res *Result, err error) {
	defer func() {
		v := recover()
		if r.admission != nil {
			r.admission.leave() // before the answer, after which the caller may call again
		}
		if v == nil && (res != nil || err != nil) {
			r.task.End(res, err)
		} else {
			r.task.Crash(v)
		}
	}()
	growStack()
	c, err := r.Prepare(r.lookCtx, r.req)
	if err != nil {
		return nil, err
	}
	f := c.Function
	if f.stuck.Load() >= maxStuck {
		return nil, fail(f, Unavailable, fmt.Sprintf("The function `%s` is not taking calls: %d earlier ones have not ended.", f.name, maxStuck), nil)
	}
	ctx := r.setDeadline(f)
	if r.req.Ready != nil {
		if ctx, err = r.req.Ready(ctx, c); err != nil {
			return nil, err
		}
		c.note() // it may have become a dry run
	}
	if ctx.Err() != nil {
		return nil, notRun(ctx, f)
	}
	c.admission = r.admission
	handler := f.handler // a shortcut without middleware
	if !r.bare || c.Plan != nil || c.Kept != nil || c.leveled || f.places != nil || f.remote {
		own := *c // middleware and handlers of others must not change the call that the face reads
		handler, c = r.handler, &own
	}
	out, failed := handler(ctx, c)
	if failed != nil {
		return nil, r.failure(ctx, f, r.target.timeout, failed)
	}
	return r.settle(ctx, f, out)
}

// setDeadline publishes the function of the call and returns the context with its deadline.
func (r *running) setDeadline(f *Function) context.Context {
	r.target = target{f, r.lookCtx, max(cmp.Or(f.timeout, r.timeout), 0)}
	switch r.target.timeout {
	case r.lookTimeout():
	case 0:
		r.target.ctx, r.cancel = context.WithCancel(r.ctx)
	default:
		r.target.ctx, r.cancel = context.WithTimeoutCause(r.ctx, r.target.timeout, errTimeout)
	}
	r.published.Store(&r.target)
	if r.target.ctx != r.lookCtx {
		r.task.Until(r.target.ctx)
	}
	return r.target.ctx
}

// settle returns a result that can surely be encoded.
func (r *running) settle(ctx context.Context, f *Function, res *Result) (*Result, error) {
	res, err := frozen(res)
	if err != nil {
		r.log.ErrorContext(ctx, "function returned an unusable result", "function", f.Path(), "reason", err.Error())
		return nil, fail(f, Internal, fmt.Sprintf("The function `%s` ran, but returned no usable result.%s", f.name, consequence(f)), nil)
	}
	return res, nil
}

// growStack enlarges the stack of a new goroutine while it is empty. Encoding JSON needs that room.
// Growing the stack later, with frames to move, takes a fifth of a call's time.
//
//go:noinline
func growStack() byte {
	var room [6 << 10]byte
	return room[len(room)-int(touch)]
}

// touch keeps the compiler from removing the array.
var touch byte = 1
