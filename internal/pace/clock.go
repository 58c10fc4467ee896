package pace

import (
	"sync"
	"time"
)

// A Clock cancels a call that runs too long. Time spent waiting for a person does not count.
type Clock struct {
	mu     sync.Mutex
	timer  *time.Timer
	left   time.Duration
	since  time.Time
	paused int
}

// StartClock returns a clock that calls f after d of running time.
func StartClock(d time.Duration, f func()) *Clock {
	return &Clock{left: d, since: time.Now(), timer: time.AfterFunc(d, f)}
}

// Stop ends the clock: f is not called any more.
func (c *Clock) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer.Stop()
	c.paused++ // so that a later resume starts no timer
}

// Pause stops the time until as many calls of Resume.
func (c *Clock) Pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused++; c.paused == 1 {
		c.timer.Stop()
		c.left -= time.Since(c.since)
	}
}

// Resume goes on after a Pause.
func (c *Clock) Resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused--; c.paused == 0 {
		c.since = time.Now()
		c.timer.Reset(max(c.left, time.Millisecond))
	}
}
