package control

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
)

// A Retry runs a call again that has failed for a reason that may pass (gateway
// surface, section 4.5). It does so only where nothing can happen twice: the
// error says that the function has surely not run ([registry.Error.NotRun]), or
// the operator says that it is idempotent. What functions declare of themselves
// does not count here. A result that says that it is an error is an answer.
//
// Between attempts it waits a random time of up to BaseDelay, doubled with each
// attempt and at most MaxDelay. An error with the detail retry_after, in
// seconds, makes it wait that long at least; if that is more than MaxDelay, the
// error is returned. It is returned too when the deadline of the call would
// pass while it waits.
//
// The error of several attempts is the last one's, with the detail attempts; it
// says that the function has not run only if that holds for all of them. A
// Retry is safe for concurrent use once it has been set up; a nil one does
// nothing.
type Retry struct {
	// MaxAttempts is how often a call is tried at most. Zero is once.
	MaxAttempts int
	// BaseDelay is the longest wait before the second attempt. Zero is 100 ms.
	BaseDelay time.Duration
	// MaxDelay is the longest wait before any. Zero is 5 seconds.
	MaxDelay time.Duration
	// Kinds are the errors that may pass. Nil is [registry.TimedOut] and
	// [registry.Unavailable].
	Kinds []registry.Kind
	// Idempotent is the operator's word that running a function twice has the
	// effect of running it once. It must be safe for concurrent use. Nil is
	// none.
	Idempotent func(f *registry.Function) bool
	// Rand returns which part of the longest wait is waited, from 0 to 1. It must
	// be safe for concurrent use. Nil is at random.
	Rand func() float64
}

// Middleware makes further attempts at calls that have failed. It should be
// innermost.
func (r *Retry) Middleware() registry.Middleware {
	return func(next registry.Handler) registry.Handler {
		if r == nil {
			return next
		}
		return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			if c.Plan != nil {
				return next(ctx, c)
			}
			return r.run(ctx, c, next)
		}
	}
}

func (r *Retry) run(ctx context.Context, c *registry.Call, next registry.Handler) (*registry.Result, error) {
	notRun := true
	for attempt := 1; ; attempt++ {
		note(ctx, func(rec *record) { rec.attempts = attempt })
		res, err := next(ctx, c)
		if err == nil {
			return res, nil
		}
		e := asError(err)
		if e == nil {
			return nil, err
		}
		notRun = notRun && e.NotRun
		if attempt >= r.MaxAttempts || !r.mayPass(c, e) || !r.wait(ctx, e, attempt) {
			return nil, afterAttempts(err, e, attempt, notRun)
		}
	}
}

// asError returns the *registry.Error in err, or nil.
func asError(err error) *registry.Error {
	var e *registry.Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// mayPass reports whether another attempt is sensible and safe.
func (r *Retry) mayPass(c *registry.Call, e *registry.Error) bool {
	if r.Kinds == nil && e.Kind != registry.TimedOut && e.Kind != registry.Unavailable {
		return false
	}
	if r.Kinds != nil && !slices.Contains(r.Kinds, e.Kind) {
		return false
	}
	return e.NotRun || r.Idempotent != nil && r.Idempotent(c.Function)
}

// wait waits for the attempt after the given one, and reports whether there
// should be one.
func (r *Retry) wait(ctx context.Context, e *registry.Error, attempt int) bool {
	longest := max(cmp.Or(r.MaxDelay, 5*time.Second), 0)
	after := retryAfter(e)
	if after > longest {
		return false
	}
	delay := max(r.delay(attempt, longest), after)
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= delay {
		return false
	}
	t := time.NewTimer(delay)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return ctx.Err() == nil
	}
}

// delay is a random part of what the attempt may wait at most.
func (r *Retry) delay(attempt int, longest time.Duration) time.Duration {
	part := rand.Float64()
	if r.Rand != nil {
		part = min(max(r.Rand(), 0), 1)
	}
	most := math.Ldexp(float64(max(cmp.Or(r.BaseDelay, 100*time.Millisecond), 0)), min(attempt-1, 62))
	return time.Duration(part * min(most, float64(longest)))
}

// retryAfter returns how long the error asks to wait; zero if it does not say.
// What it says may come from anywhere.
func retryAfter(e *registry.Error) time.Duration {
	var seconds float64
	switch v := e.Details["retry_after"].(type) {
	case int:
		seconds = float64(v)
	case int64:
		seconds = float64(v)
	case float64:
		seconds = v
	}
	if !(seconds > 0) { // also not a number
		return 0
	}
	return time.Duration(min(seconds, 1e9) * float64(time.Second))
}

// afterAttempts returns the error of a call that was tried so often; e is the
// one in err. That of a single attempt is returned as it is.
func afterAttempts(err error, e *registry.Error, attempts int, notRun bool) error {
	if attempts == 1 {
		return err
	}
	last := *e
	last.Details = maps.Clone(e.Details)
	if last.Details == nil {
		last.Details = make(map[string]any)
	}
	last.Details["attempts"] = attempts
	if e.NotRun && !notRun {
		last.NotRun = false
		last.Message += " An earlier attempt may have taken effect."
		last.Details["outcome"] = "unknown"
	}
	return &last
}
