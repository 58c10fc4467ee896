package upstream

import (
	"context"
	"sync"
	"time"
)

// outdated tells calls when a catalog that may be out of date has been read again.
type outdated struct {
	mu   sync.Mutex
	done chan struct{} // closed after the next read; nil if the catalog is up to date
}

// mark notes that the catalog may be out of date.
func (o *outdated) mark() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done == nil {
		o.done = make(chan struct{})
	}
}

// read notes that the catalog has been read again.
func (o *outdated) read() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done != nil {
		close(o.done)
		o.done = nil
	}
}

// rereadWait is how long an error waits for the catalog that explains it.
const rereadWait = 3 * time.Second

// wait waits for the next read if the catalog may be out of date, at most for rereadWait.
func (o *outdated) wait(ctx context.Context, ended <-chan struct{}) {
	o.mu.Lock()
	done := o.done
	o.mu.Unlock()
	if done == nil {
		return
	}
	timer := time.NewTimer(rereadWait)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-ended:
	case <-ctx.Done():
	}
}
