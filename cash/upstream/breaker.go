package upstream

import (
	"sync"
	"time"
)

// A breaker keeps calls from a server that fails them all: after so many
// failures in a row it is open for a while, then lets one call through, and
// closes when that succeeds.
type breaker struct {
	mu       sync.Mutex
	failures int
	pause    time.Duration // of the last opening
	until    time.Time     // it is open so long; zero if it is closed
	trying   bool          // one call is let through
}

// The breaker opens after threshold failures, for firstBreak at first and twice
// as long each time, up to lastBreak.
const (
	threshold  = 5
	firstBreak = 2 * time.Second
	lastBreak  = time.Minute
)

// admit reports whether a call may go through now; if not, how long it should
// wait.
func (b *breaker) admit() (wait time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() {
		return 0, true
	}
	if wait = time.Until(b.until); wait > 0 {
		return wait, false
	}
	if b.trying {
		return time.Second, false
	}
	b.trying = true
	return 0, true
}

// report says how a call that was admitted went. It returns for how long the
// breaker has opened now, or 0.
func (b *breaker) report(failed bool) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if failed && !b.until.IsZero() && !b.trying {
		return 0 // it was admitted before those failed that have opened it
	}
	b.trying = false
	if !failed {
		b.failures, b.pause, b.until = 0, 0, time.Time{}
		return 0
	}
	b.failures++
	if b.failures < threshold {
		return 0
	}
	b.pause = min(max(2*b.pause, firstBreak), lastBreak)
	wait := jitter(b.pause)
	b.until = time.Now().Add(wait)
	return wait
}

// forget takes back an admission that came to nothing.
func (b *breaker) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trying = false
}

// reset closes the breaker: there is a new connection.
func (b *breaker) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures, b.pause, b.until, b.trying = 0, 0, time.Time{}, false
}
