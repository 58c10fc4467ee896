package upstream

import (
	"sync"
	"time"
)

// A clock cancels a call that runs too long. Time spent waiting for a person does not count.
type clock struct {
	mu     sync.Mutex
	timer  *time.Timer
	left   time.Duration
	since  time.Time
	paused int
}

// startClock returns a clock that calls f after d of running time.
func startClock(d time.Duration, f func()) *clock {
	return &clock{left: d, since: time.Now(), timer: time.AfterFunc(d, f)}
}

func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer.Stop()
	c.paused++ // so that a later resume starts no timer
}

func (c *clock) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused++; c.paused == 1 {
		c.timer.Stop()
		c.left -= time.Since(c.since)
	}
}

func (c *clock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused--; c.paused == 0 {
		c.since = time.Now()
		c.timer.Reset(max(c.left, time.Millisecond))
	}
}
