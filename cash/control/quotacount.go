package control

import (
	"context"
	"fmt"
	"math"
	"time"

	"golang.org/x/time/rate"

	"github.com/cash-mcp/go-sdk/registry"
)

const (
	minute  = time.Minute
	forever = time.Duration(math.MaxInt64)
)

// A charge is one limit that a call is under. The scope is what is counted: the
// name of a face's tool, or a function's id, which has a colon.
type charge struct {
	scope string
	limit Limit
}

// count is what one owner has used of one scope.
type count struct {
	log     []time.Duration // the calls of the last minute, oldest first
	session int
	bucket  *rate.Limiter // nil without a burst
}

// wait returns how long the next call would have to wait at now, and of which
// limit. c may be nil.
func (c *count) wait(l Limit, start time.Time, now time.Duration) (time.Duration, string) {
	if c == nil {
		c = &count{}
	}
	switch {
	case l.PerSession != 0 && c.session >= l.PerSession:
		return forever, "session"
	case l.PerMinute < 0, l.PerMinute > 0 && l.Burst < 0:
		return forever, "minute"
	case l.PerMinute == 0:
		return 0, ""
	}
	c.prune(now)
	wait := time.Duration(0)
	if len(c.log) >= l.PerMinute {
		wait = c.log[len(c.log)-l.PerMinute] + minute - now
	}
	if c.bucket != nil {
		if missing := 1 - c.bucket.TokensAt(start.Add(now)); missing > 0 {
			wait = max(wait, time.Duration(math.Ceil(missing/float64(c.bucket.Limit())*float64(time.Second))))
		}
	}
	return wait, "minute"
}

// prune drops what is older than a minute.
func (c *count) prune(now time.Duration) {
	old := 0
	for old < len(c.log) && now-c.log[old] >= minute {
		old++
	}
	c.log = c.log[old:]
}

// add counts a call that wait has let through.
func (c *count) add(l Limit, start time.Time, now time.Duration) {
	c.session++
	if l.PerMinute <= 0 {
		return
	}
	c.log = append(c.log, now)
	if l.Burst <= 0 || l.Burst >= l.PerMinute {
		return
	}
	if c.bucket == nil {
		c.bucket = rate.NewLimiter(rate.Limit(float64(l.PerMinute)/minute.Seconds()), l.Burst)
	}
	c.bucket.AllowN(start.Add(now), 1)
}

// use counts a call for all of its limits, or for none if one refuses it or if
// it is dry.
func (q *Quota) use(ctx context.Context, owner string, dry bool, charges []charge) *registry.Error {
	if len(charges) == 0 {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last = max(q.last, q.opts.Now().Sub(q.start))
	s := q.sessions.byOwner[owner]
	if s != nil && q.last-s.used >= q.idle {
		q.sessions.drop(s)
		s = nil
	}
	var refused *registry.Error
	longest := time.Duration(0)
	for _, u := range charges {
		if wait, of := s.count(u.scope).wait(u.limit, q.start, q.last); wait > longest {
			refused, longest = overLimit(u, wait, of), wait
		}
	}
	if !dry {
		q.sessions.touch(s, q.last)
	}
	if refused != nil || dry {
		return refused
	}
	if s == nil {
		s = q.sessions.add(owner, lasting(ctx, owner), q.last)
	}
	if !q.sessions.makeRoom(s, charges, q.last-q.idle) {
		return noRoom(charges[0].scope)
	}
	for _, u := range charges {
		q.sessions.open(s, u.scope).add(u.limit, q.start, q.last)
	}
	return nil
}

// payer returns for whom the calls of an owner are counted: whom we recognise,
// whatever it says.
func payer(ctx context.Context, owner string) string {
	if owner == "" {
		return registry.CallerFrom(ctx).Owner()
	}
	return recognised(owner)
}

// lasting reports whether an owner cannot be exchanged for a new one at will.
func lasting(ctx context.Context, owner string) bool {
	return owner == "" || owner == registry.CallerFrom(ctx).Owner()
}

// overLimit words a refusal.
func overLimit(u charge, wait time.Duration, of string) *registry.Error {
	allowed := times(u.limit.PerSession) + " in a session"
	if of == "minute" {
		allowed = times(u.limit.PerMinute) + " per minute"
		if u.limit.Burst > 0 && u.limit.Burst < u.limit.PerMinute {
			allowed += fmt.Sprintf(", %d at once", u.limit.Burst)
		}
	}
	e := &registry.Error{
		Kind: registry.RateLimited, NotRun: true,
		Message: fmt.Sprintf("`%s` may be called %s, and that is used up. It was not run.", u.scope, allowed),
		Hint:    "Go on without it: waiting does not help.",
		Details: map[string]any{"scope": u.scope, "retry_after": nil},
	}
	if wait < forever {
		seconds := int64((wait + time.Second - 1) / time.Second)
		e.Hint = fmt.Sprintf("Try again in %d s.", seconds)
		e.Details["retry_after"] = seconds
	}
	return e
}

func noRoom(scope string) *registry.Error {
	return &registry.Error{
		Kind: registry.RateLimited, NotRun: true,
		Message: "Too many callers are being served to count one more call. `" + scope + "` was not run.",
		Hint:    "Try again in a minute.",
		Details: map[string]any{"scope": scope, "retry_after": int64(minute / time.Second)},
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", max(n, 0))
}
