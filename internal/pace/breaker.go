package pace

import (
	"sync"
	"time"
)

// A Breaker is a circuit breaker. It opens after several failures in a row and refuses calls for a while. Then it
// lets one call through, and closes if that call succeeds. The zero value is closed.
type Breaker struct {
	mu       sync.Mutex
	failures int
	pause    time.Duration // how long it opened last
	until    time.Time     // open until then; zero if closed
	trying   bool          // one trial call is in flight
}

// The breaker opens after threshold failures: for firstBreak at first, twice as long each further time, at most
// lastBreak.
const (
	threshold  = 5
	firstBreak = 2 * time.Second
	lastBreak  = time.Minute
)

// Admit reports whether a call may go through now; if not, how long to wait.
func (b *Breaker) Admit() (wait time.Duration, ok bool) {
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

// Report records the outcome of an admitted call. It returns how long the breaker opens because of it, or 0. It opens
// at once if the call could not even reach the server.
func (b *Breaker) Report(failed, unreached bool) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if failed && !b.until.IsZero() && !b.trying {
		return 0 // the call was admitted before the breaker opened
	}
	b.trying = false
	if !failed {
		b.failures, b.pause, b.until = 0, 0, time.Time{}
		return 0
	}
	b.failures++
	if unreached {
		b.failures = max(b.failures, threshold)
	}
	if b.failures < threshold {
		return 0
	}
	b.pause = min(max(2*b.pause, firstBreak), lastBreak)
	wait := Jitter(b.pause)
	b.until = time.Now().Add(wait)
	return wait
}

// Forget takes back an admission whose call was not made.
func (b *Breaker) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trying = false
}

// Reset closes the breaker, after a new connection.
func (b *Breaker) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures, b.pause, b.until, b.trying = 0, 0, time.Time{}, false
}
