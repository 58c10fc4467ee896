package firewall

import (
	"sync"
	"time"
)

const (
	quiet       = time.Minute // after which an episode is over
	maxEpisodes = 16          // reasons that are told apart
)

// episodes tells the first of many events from the others. The zero value is ready.
type episodes struct {
	mu   sync.Mutex
	last map[string]time.Time // of each reason
}

// begins records an event. It reports whether an episode begins with it: there was none for the same reason within the
// last minute.
func (e *episodes) begins(reason string) bool {
	now := time.Now()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.last == nil {
		e.last = make(map[string]time.Time)
	}
	last, known := e.last[reason]
	if !known && len(e.last) >= maxEpisodes {
		reason = ""
		last, known = e.last[reason]
	}
	e.last[reason] = now
	return !known || now.Sub(last) > quiet
}
