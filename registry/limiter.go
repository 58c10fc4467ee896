package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cash-mcp/go-sdk/internal/bounded"
)

// Defaults of [Limits].
const (
	DefaultCalls     = 4096
	DefaultQueueWait = 2 * time.Second
)

// Limits bound the calls at a time, for a [Limiter]. The zero value suits a server whose functions mostly wait: what
// they bound is memory, of which a call over HTTP takes some 100 KB, and how much of it one caller gets.
type Limits struct {
	// Calls is the most calls at a time. Callers that are neither authenticated nor told apart by address leave a
	// quarter to others. Zero is [DefaultCalls]; negative is no limit.
	Calls int
	// PerCaller is the most calls at a time of one caller ([Client].Payer). Callers that cannot be told apart at all
	// have none. Zero is a quarter of Calls; negative is no limit.
	PerCaller int
	// Queue is the most calls that wait for one of these places. Callers are served in turn, and each has at most a
	// quarter of the queue. Zero is a quarter of Calls; with a negative one, no call waits.
	Queue int
	// Wait is the longest that a call waits, for one of these places and for one of its function ([MaxCalls]). Zero is
	// [DefaultQueueWait]; with a negative one, no call waits.
	Wait time.Duration
}

// A Limiter admits calls within [Limits]. Further ones wait in a short queue, or are refused at once. Servers may share
// one, which then bounds them together.
//
//   - A call has a place until its function has returned, even if its caller no longer waits.
//   - A call that a function makes to a server with the same Limiter has the place of the function's own call.
//   - A refusal is an [Error] of kind [RateLimited] if the caller has all the places that it may have, else
//     [Unavailable]. Its details are scope (caller or server) and retry_after in seconds.
//
// A Limiter is safe for concurrent use. A nil one admits all calls.
type Limiter struct {
	places *bounded.Places
	limits Limits
}

// NewLimiter returns a limiter. Nil is the defaults.
func NewLimiter(l *Limits) *Limiter {
	var o Limits
	if l != nil {
		o = *l
	}
	o.Calls = cmp.Or(o.Calls, DefaultCalls)
	quarter := max(o.Calls/4, 1)
	if o.Calls < 0 {
		quarter, o.PerCaller = DefaultCalls/4, cmp.Or(o.PerCaller, -1)
	}
	o.PerCaller, o.Queue, o.Wait = cmp.Or(o.PerCaller, quarter), cmp.Or(o.Queue, quarter), cmp.Or(o.Wait, DefaultQueueWait)
	return &Limiter{
		places: bounded.NewPlaces(bounded.Room{Most: o.Calls, Each: o.PerCaller, Queue: o.Queue, Reserve: true}),
		limits: o,
	}
}

// Limits returns the limits, with the defaults for those that are zero.
func (l *Limiter) Limits() Limits { return l.limits }

// InProgress returns how many calls have a place now, and how many wait for one.
func (l *Limiter) InProgress() (running, waiting int) { return l.places.Used() }

// Enter admits work that is not a call of a [Pipeline], such as a page of help, for a payer ([Client].Payer). The error
// is an *[Error].
func (l *Limiter) Enter(ctx context.Context, payer string) (*Admission, error) {
	a := &Admission{Context: ctx}
	if a.of = l.admitted(ctx); a.of != nil || l == nil {
		return a, nil
	}
	if err := a.own.enter(ctx, l, ownerOf(payer)); err != nil {
		return nil, err
	}
	a.of = &a.own
	return a, nil
}

// An Admission is the context of work that a [Limiter] has admitted. What is called with it is part of that work. Call
// Leave once when the work has ended.
type Admission struct {
	context.Context
	own admission
	of  *admission // own, or that of other work; nil without a Limiter
}

// Leave ends the work.
func (a *Admission) Leave() {
	if a.of != nil {
		a.of.leave()
	}
}

// Value implements [context.Context].
func (a *Admission) Value(key any) any {
	if key == (admissionKey{}) && a.of != nil {
		return a.of
	}
	return a.Context.Value(key)
}

// admission is work with a place, which the last part of it to end gives back.
type admission struct {
	limiter *Limiter
	place   bounded.Place
	parts   atomic.Int32
}

type admissionKey struct{}

// enter takes a place.
func (a *admission) enter(ctx context.Context, l *Limiter, owner bounded.Owner) error {
	place, err := l.places.Take(ctx, owner, l.limits.Wait)
	if err != nil {
		return refused(ctx, err, l.limits.Wait)
	}
	a.limiter, a.place = l, place
	a.parts.Store(1)
	return nil
}

// admitted returns the work that ctx belongs to, of which the caller is then a part; nil if there is none, or if it has
// ended.
func (l *Limiter) admitted(ctx context.Context) *admission {
	if l == nil {
		return nil
	}
	if c := CallFrom(ctx); c != nil && c.admission.join(l) {
		return c.admission
	}
	if e, _ := ctx.Value(admissionKey{}).(*admission); e.join(l) {
		return e
	}
	return nil
}

// join adds a part to work that has not ended.
func (a *admission) join(l *Limiter) bool {
	if a == nil || a.limiter != l {
		return false
	}
	for {
		n := a.parts.Load()
		if n == 0 {
			return false
		}
		if a.parts.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (a *admission) leave() {
	if a.parts.Add(-1) == 0 {
		a.place.Give()
	}
}

// ownerOf returns the owner of a place for a payer. A connection is easily replaced by another one.
func ownerOf(payer string) bounded.Owner {
	if id, ok := strings.CutPrefix(payer, callerKind); ok {
		return bounded.Owner{Kind: callerKind, Name: id, Known: true}
	}
	return bounded.Owner{Name: payer, Known: payer != "" && !strings.HasPrefix(payer, "connection:")}
}

// payerOf returns the owner of a place for a call: its client's payer, else the caller. It allocates nothing for most
// callers.
func payerOf(client *Client, c *Caller) bounded.Owner {
	switch {
	case client != nil:
		return ownerOf(client.Payer)
	case c.Anonymous():
		return bounded.Owner{}
	case strings.Contains(c.ID, "\x00"):
		return ownerOf(c.Owner())
	}
	return bounded.Owner{Kind: callerKind, Name: c.ID, Known: true}
}

// refused returns the error of a call without a place.
func refused(ctx context.Context, err error, wait time.Duration) *Error {
	var full *bounded.Full
	if !errors.As(err, &full) {
		return AsError(lookupEnded(ctx))
	}
	e := &Error{Kind: Unavailable, NotRun: true, Message: "The server is busy with other calls. This one was not run."}
	scope := "server"
	if full.Own {
		scope, e.Kind = "caller", RateLimited
		e.Message = fmt.Sprintf("You have %s in progress, the most at a time. This one was not run.", calls(full.Most))
	}
	e.retryAfter(scope, wait)
	return e
}

// retryAfter says when to call again: when those that wait now have been served or refused.
func (e *Error) retryAfter(scope string, wait time.Duration) {
	seconds := max(int64((wait+time.Second-1)/time.Second), 1)
	e.Hint = fmt.Sprintf("Try again in %d s.", seconds)
	e.Details = map[string]any{"scope": scope, "retry_after": seconds}
}

func calls(n int) string {
	if n == 1 {
		return "a call"
	}
	return fmt.Sprintf("%d calls", n)
}

// functionQueue is how many calls may wait for a function with [MaxCalls], unless that is larger.
const functionQueue = 64

// newFunctionPlaces returns the places of a function.
func newFunctionPlaces(n int) *bounded.Places {
	return bounded.NewPlaces(bounded.Room{Most: n, Each: -1, Queue: max(n, functionQueue)})
}

// invoke runs the function's handler, within the function's own limit.
func (c *Call) invoke(ctx context.Context) (*Result, error) {
	f := c.Function
	if f.places == nil {
		return f.handler(ctx, c)
	}
	wait := DefaultQueueWait
	if c.pipeline != nil && c.pipeline.limiter != nil {
		wait = c.pipeline.limiter.limits.Wait
	}
	place, err := f.places.Take(ctx, payerOf(c.Client, c.Caller), wait)
	if err != nil {
		var full *bounded.Full
		if !errors.As(err, &full) {
			return nil, notRun(ctx, f)
		}
		e := fail(f, RateLimited, fmt.Sprintf("The function `%s` runs %s at a time, and no more can wait. It was not run.", f.name, calls(full.Most)), nil)
		e.NotRun = true
		e.retryAfter(f.Primitive().String(), wait)
		return nil, e
	}
	defer place.Give()
	return f.handler(ctx, c)
}
