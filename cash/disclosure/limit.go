package disclosure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"golang.org/x/time/rate"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/internal/bounded"
	"github.com/cash-mcp/go-sdk/registry"
)

// fetches limits the rate of fetches (section 10.3) of callers without a session, here or for all replicas. A session
// has a limiter of its own.
type fetches struct {
	perMinute int // negative is unlimited
	now       func() time.Time
	shared    *rate.Limiter  // for all callers that cannot be told apart
	replicas  *control.Quota // counts for all replicas; nil counts here
	scope     string         // of replicas

	callers *bounded.Store[string, *rate.Limiter] // by owner, until its allowance is full again
}

// maxCallers bounds the callers that are counted separately.
const maxCallers = 10_000

func newFetches(o *Options) *fetches {
	l := &fetches{perMinute: o.FetchesPerMinute, now: o.Now, callers: bounded.New[string, *rate.Limiter](o.Now, nil), scope: o.URI}
	l.shared = l.limiter()
	if o.Fetches != nil && l.perMinute > 0 {
		l.replicas = control.NewQuota(&control.QuotaOptions{
			Meta: map[string]control.Limit{l.scope: {PerMinute: l.perMinute}}, Store: o.Fetches, Now: o.Now,
		})
	}
	return l
}

// limiter returns a full allowance; nil is unlimited.
func (l *fetches) limiter() *rate.Limiter {
	if l.perMinute < 0 {
		return nil
	}
	return rate.NewLimiter(rate.Limit(float64(l.perMinute)/60), l.perMinute)
}

// allowCaller takes one fetch from the allowance of a caller without a session.
func (l *fetches) allowCaller(ctx context.Context, owner string) error {
	if l.replicas != nil {
		return l.allowShared(ctx, owner)
	}
	if owner == "" || l.perMinute < 0 {
		return l.allow(l.shared)
	}
	l.callers.Lock()
	defer l.callers.Unlock()
	it := l.callers.Get(owner)
	if it == nil {
		one := bounded.Terms{Takes: bounded.Amount{Count: 1}}
		it = l.callers.Put(owner, l.limiter(), one, bounded.Share{Most: bounded.Amount{Count: maxCallers}})
	}
	if it == nil {
		return l.allow(l.shared)
	}
	err := l.allow(it.Value)
	now := l.callers.Now()
	missing := float64(l.perMinute) - it.Value.TokensAt(now)
	l.callers.Renew(it, now.Add(time.Duration(missing/float64(it.Value.Limit())*float64(time.Second))), time.Time{})
	return err
}

// allow takes one fetch from an allowance. The error says when the next one is possible.
func (l *fetches) allow(from *rate.Limiter) error {
	if from == nil {
		return nil
	}
	now := l.now()
	r := from.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait <= 0 {
		return nil
	}
	r.CancelAt(now)
	return tooOften(math.Ceil(wait.Seconds()))
}

// allowShared takes one fetch from the allowance of a caller at all replicas.
func (l *fetches) allowShared(ctx context.Context, owner string) error {
	err := l.replicas.Allow(ctx, owner, l.scope)
	var e *registry.Error
	if !errors.As(err, &e) {
		return err
	}
	if seconds, ok := e.Details["retry_after"].(int64); ok && e.Kind == registry.RateLimited {
		return tooOften(float64(seconds))
	}
	if e.Kind == registry.Unavailable {
		e.Message = "Fetches of descriptions cannot be counted now. Nothing was fetched."
	}
	return e
}

// tooOften returns the error of a fetch beyond the limit.
func tooOften(seconds float64) error {
	return &registry.Error{
		Kind: registry.RateLimited, NotRun: true, Details: map[string]any{"retry_after": seconds},
		Message: "Descriptions were fetched too often.",
		Hint:    fmt.Sprintf("Try again in %.0f s, with all the tools that are needed in one fetch: ?tools=TOOL1,TOOL2.", seconds),
	}
}
