package upstream

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cash-mcp/go-sdk/internal/mcpclient"
)

// traffic bounds and counts the requests to a server: calls by slots, pages by readers.
type traffic struct {
	slots   chan struct{} // one for each running call
	waiting atomic.Int32  // calls that wait for a slot
	readers chan struct{} // one for each page being read

	mu       sync.Mutex
	inFlight int
	retiring bool
	idle     chan struct{} // closed when nothing is in flight; nil if nobody waits
	used     time.Time     // time of the last call
}

// maxReaders is how many pages of a CaSH server are read at a time.
const maxReaders = 8

func newTraffic(concurrency int) *traffic {
	return &traffic{slots: make(chan struct{}, concurrency), readers: make(chan struct{}, maxReaders), used: time.Now()}
}

// enter counts a call in. It reports false if the upstream is retiring.
func (t *traffic) enter() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.retiring {
		return false
	}
	t.inFlight++
	t.used = time.Now()
	return true
}

func (t *traffic) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inFlight--
	t.used = time.Now()
	if t.inFlight == 0 && t.idle != nil {
		close(t.idle)
		t.idle = nil
	}
}

// waiters bounds the calls that wait for a slot, as a multiple of the slots.
const waiters = 4

// admit waits for a slot, at most the timeout. release gives the slot back.
func (t *traffic) admit(ctx context.Context, timeout time.Duration) (release func(), err *CallError) {
	select {
	case t.slots <- struct{}{}:
	default:
		if t.waiting.Add(1) > int32(waiters*cap(t.slots)) {
			t.waiting.Add(-1)
			return nil, &CallError{Class: Busy, Reason: "too many calls at a time"}
		}
		defer t.waiting.Add(-1)
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		select {
		case t.slots <- struct{}{}:
		case <-timer.C:
			return nil, &CallError{Class: Busy, Reason: "earlier calls have not ended"}
		case <-ctx.Done():
			return nil, classify(ctx, ctx.Err(), new(mcpclient.Exchange))
		}
	}
	return func() { <-t.slots }, nil
}

// retire refuses further calls.
func (t *traffic) retire() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.retiring = true
}

// now returns how many calls are in flight, and whether further calls are refused.
func (t *traffic) now() (inFlight int, retiring bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.inFlight, t.retiring
}

// drained returns a channel that is closed when nothing is in flight; nil if nothing is now.
func (t *traffic) drained() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.inFlight > 0 && t.idle == nil {
		t.idle = make(chan struct{})
	}
	return t.idle
}

// quiet returns a timer for the time when the last call is d ago; nil if d is zero.
func (t *traffic) quiet(d time.Duration) <-chan time.Time {
	if d == 0 {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.After(max(d-time.Since(t.used), 10*time.Millisecond))
}

// unused runs f if there was no call for d, and reports whether it did. No call enters meanwhile.
func (t *traffic) unused(d time.Duration, f func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.inFlight > 0 || time.Since(t.used) < d {
		return false
	}
	f()
	return true
}
