package upstream

import (
	"context"
	"sync"
	"time"
)

// lists reads a server's resources and prompts, in a goroutine of its own.
type lists struct {
	*settings
	branches []*branch // all except the tools
	changed  func()    // publishes the lists
}

// attend keeps the lists of s up to date until stop is called. It calls tried after the first read.
func (l *lists) attend(life context.Context, s *session, tried func()) (stop func()) {
	ctx, cancel := context.WithCancel(life)
	go func() { // ends on stop
		defer close(s.unlisted)
		defer tried()
		l.read(ctx, s, false)
		tried()
		var refresh <-chan time.Time
		if l.cfg.Refresh > 0 {
			t := time.NewTicker(l.cfg.Refresh)
			defer t.Stop()
			refresh = t.C
		}
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.renewed:
				if debounce(ctx, s, s.renewed) {
					l.read(ctx, s, true)
				}
			case <-refresh:
				l.read(ctx, s, false)
			case done := <-s.relist:
				l.read(ctx, s, true)
				done <- nil
			}
		}
	}()
	return func() {
		cancel()
		<-s.unlisted
	}
}

// read reads the lists in parallel and publishes them. A list that ended an earlier connection is skipped unless it
// has changed: it would end this one too, with all its calls.
func (l *lists) read(ctx context.Context, s *session, changed bool) {
	timed, cancel := context.WithTimeout(ctx, l.cfg.ConnectTimeout)
	defer cancel()
	var readers sync.WaitGroup
	for _, b := range l.branches {
		if was := b.listed.Load(); !changed && was != nil && was.costly() {
			continue
		}
		readers.Go(func() { // ends with the deadline of timed
			p := b.read(timed, s)
			if ctx.Err() == nil || p.costly() { // otherwise the server is not at fault
				b.listed.Store(p)
				l.changed()
			}
		})
	}
	readers.Wait()
}
