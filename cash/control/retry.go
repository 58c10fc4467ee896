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
	"github.com/cash-mcp/go-sdk/registry/observe"
)

// A Retry repeats a call that failed for a transient reason (gateway surface, section 4.5). It retries only if nothing
// can happen twice: the error says that the function surely has not run ([registry.Error.NotRun]), or the operator says
// that the function is idempotent. The function's own declaration does not count. A result with isError is an answer
// and is not retried.
//
// The wait between attempts is an exponential backoff with full jitter, from BaseDelay up to MaxDelay. It is at least
// the error's detail retry_after, in seconds. If retry_after exceeds MaxDelay, or the deadline of the call would pass,
// the error is returned at once.
//
// After several attempts the last error is returned, with the detail attempts. It says that the function has not run
// only if no attempt ran it. A Retry is safe for concurrent use once it is configured; a nil one does nothing.
type Retry struct {
	// MaxAttempts is the most attempts of a call. Zero is one.
	MaxAttempts int
	// BaseDelay is the longest wait before the second attempt. Zero is 100 ms.
	BaseDelay time.Duration
	// MaxDelay is the longest wait before any attempt. Zero is 5 seconds.
	MaxDelay time.Duration
	// Kinds are the transient errors. Nil is [registry.TimedOut] and [registry.Unavailable].
	Kinds []registry.Kind
	// Idempotent reports whether running the function twice has the effect of running it once, by the operator's word.
	// It must be safe for concurrent use. Nil means never.
	Idempotent func(f *registry.Function) bool
	// Rand returns the jitter: the fraction of the longest wait to wait, from 0 to 1. It must be safe for concurrent
	// use. Nil is random.
	Rand func() float64
	// Latest returns the settings for a call that begins, for those that change while the server runs. It must be safe
	// for concurrent use. Nil is these settings.
	Latest func() *Retry
}

// Middleware returns the retry as middleware. It should be innermost.
func (r *Retry) Middleware() registry.Middleware {
	return func(next registry.Handler) registry.Handler {
		if r == nil {
			return next
		}
		return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			if c.Plan != nil {
				return next(ctx, c)
			}
			if r.Latest != nil {
				return r.Latest().run(ctx, c, next)
			}
			return r.run(ctx, c, next)
		}
	}
}

func (r *Retry) run(ctx context.Context, c *registry.Call, next registry.Handler) (*registry.Result, error) {
	notRun := true
	for attempt := 1; ; attempt++ {
		c.Record.Note(func(r *observe.Request) { r.Attempts = attempt })
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

// wait waits before the next attempt, and reports whether to make it.
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

// delay returns the backoff of an attempt, with jitter.
func (r *Retry) delay(attempt int, longest time.Duration) time.Duration {
	part := rand.Float64()
	if r.Rand != nil {
		part = min(max(r.Rand(), 0), 1)
	}
	most := math.Ldexp(float64(max(cmp.Or(r.BaseDelay, 100*time.Millisecond), 0)), min(attempt-1, 62))
	return time.Duration(part * min(most, float64(longest)))
}

// retryAfter returns the wait that the error asks for, or zero. The value is not trusted.
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
	if !(seconds > 0) { // also true for NaN
		return 0
	}
	return time.Duration(min(seconds, 1e9) * float64(time.Second))
}

// afterAttempts returns the error of a call after several attempts, or err unchanged after one. e is the error in err.
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
