package control

import (
	"math"
	"time"

	"golang.org/x/time/rate"
)

const (
	minute  = time.Minute
	forever = time.Duration(math.MaxInt64)
)

// count holds the calls of one owner in one scope.
type count struct {
	log     []time.Duration // times of the calls of the last minute, oldest first
	session int
	bucket  *rate.Limiter // nil without a burst
}

// wait returns how long a call at now has to wait, and whether it has to wait for the end of the session. c may be nil.
func (c *count) wait(l Limit, start time.Time, now time.Duration) (wait time.Duration, session bool) {
	if c == nil {
		c = &count{}
	}
	switch {
	case l.PerSession != 0 && c.session >= l.PerSession:
		return forever, true
	case l.PerMinute < 0, l.PerMinute > 0 && l.Burst < 0:
		return forever, false
	case l.PerMinute == 0:
		return 0, false
	}
	c.prune(now)
	c.fit(l, start)
	if len(c.log) >= l.PerMinute {
		wait = c.log[len(c.log)-l.PerMinute] + minute - now
	}
	if c.bucket != nil {
		if missing := 1 - c.bucket.TokensAt(start.Add(now)); missing > 0 {
			wait = max(wait, time.Duration(math.Ceil(missing/float64(c.bucket.Limit())*float64(time.Second))))
		}
	}
	return wait, false
}

// prune drops calls older than a minute.
func (c *count) prune(now time.Duration) {
	old := 0
	for old < len(c.log) && now-c.log[old] >= minute {
		old++
	}
	c.log = c.log[old:]
}

// add counts a call that wait has admitted.
func (c *count) add(l Limit, start time.Time, now time.Duration) {
	c.session++
	if l.PerMinute <= 0 {
		return
	}
	c.fit(l, start)
	c.log = append(c.log, now)
	if c.bucket != nil {
		c.bucket.AllowN(start.Add(now), 1)
	}
}

// fit makes the bucket that of the limit, which may have changed. A new bucket lacks the calls of the last minute: those
// before have been refilled.
func (c *count) fit(l Limit, start time.Time) {
	if l.Burst <= 0 || l.Burst >= l.PerMinute {
		c.bucket = nil
		return
	}
	limit := rate.Limit(float64(l.PerMinute) / minute.Seconds())
	if c.bucket != nil && c.bucket.Limit() == limit && c.bucket.Burst() == l.Burst {
		return
	}
	c.bucket = rate.NewLimiter(limit, l.Burst)
	for _, at := range c.log {
		c.bucket.AllowN(start.Add(at), 1)
	}
}
