package disclosure

import (
	"fmt"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/cash-mcp/go-sdk/registry"
)

// fetches bounds how often descriptions are fetched (section 10.3). What a
// session may is kept with the session; here is what callers without one may.
type fetches struct {
	perMinute int // negative is no limit
	now       func() time.Time
	shared    *rate.Limiter // of those who cannot be told apart

	mu      sync.Mutex
	callers map[string]*rate.Limiter // by owner
	swept   time.Time
}

// maxCallers bounds the callers that are told apart.
const maxCallers = 10_000

func newFetches(perMinute int, now func() time.Time) *fetches {
	l := &fetches{perMinute: perMinute, now: now, callers: make(map[string]*rate.Limiter)}
	l.shared = l.limiter()
	return l
}

// limiter returns a fresh allowance; nil is no limit.
func (l *fetches) limiter() *rate.Limiter {
	if l.perMinute < 0 {
		return nil
	}
	return rate.NewLimiter(rate.Limit(float64(l.perMinute)/60), l.perMinute)
}

// of returns the allowance of a caller without a session.
func (l *fetches) of(owner string) *rate.Limiter {
	if owner == "" || l.perMinute < 0 {
		return l.shared
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if one, ok := l.callers[owner]; ok {
		return one
	}
	if len(l.callers) >= maxCallers && !l.sweep() {
		return l.shared
	}
	one := l.limiter()
	l.callers[owner] = one
	return one
}

// sweep forgets the callers that have all of their allowance, which is what a new
// one has too, and reports whether there is room. It looks at all of them, so
// it does so once in a second.
func (l *fetches) sweep() bool {
	now := l.now()
	if now.Sub(l.swept) < time.Second {
		return false
	}
	l.swept = now
	for owner, one := range l.callers {
		if one.TokensAt(now) >= float64(l.perMinute) {
			delete(l.callers, owner)
		}
	}
	return len(l.callers) < maxCallers
}

// allow takes one fetch from an allowance; the error says when there is another.
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
	seconds := math.Ceil(wait.Seconds())
	return &registry.Error{
		Kind: registry.RateLimited, NotRun: true, Details: map[string]any{"retry_after": seconds},
		Message: "Descriptions were fetched too often.",
		Hint:    fmt.Sprintf("Try again in %.0f s, with all the tools that are needed in one fetch: ?tools=TOOL1,TOOL2.", seconds),
	}
}
