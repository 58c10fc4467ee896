// Package pace says when a server that fails is tried again, and how long a call to it may run: backoff with jitter, a
// circuit breaker, and a clock that people stop.
package pace

import (
	"math/rand/v2"
	"time"
)

// The pauses between attempts are from firstPause, doubled up to lastPause.
const (
	firstPause = 500 * time.Millisecond
	lastPause  = time.Minute
)

// Next returns the pause after a further failure; zero is the one before the first.
func Next(pause time.Duration) time.Duration { return min(max(2*pause, firstPause), lastPause) }

// Jitter lengthens a pause by a random part, a quarter at most.
func Jitter(d time.Duration) time.Duration { return d + time.Duration(rand.Int64N(int64(d)/4+1)) }
