package upstream

import (
	"context"
	"sync"
	"time"
)

// lists reads what a server has besides its tools, beside all else.
type lists struct {
	*settings
	branches []*branch // all but that of the tools
	changed  func()    // shows what has been read
}

// attend keeps the lists of s as the server has them, until the function that it
// returns is called. tried is called when they have been asked for once.
func (l *lists) attend(life context.Context, s *session, tried func()) (stop func()) {
	ctx, cancel := context.WithCancel(life)
	go func() { // ended by stop
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
				if calm(ctx, s, s.renewed) {
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

// read reads the lists, side by side, and shows them. One that has cost a connection
// is not asked for, unless there is a reason to think that it has changed: it would
// cost the next one too, and all calls on it.
func (l *lists) read(ctx context.Context, s *session, changed bool) {
	timed, cancel := context.WithTimeout(ctx, l.cfg.ConnectTimeout)
	defer cancel()
	var readers sync.WaitGroup
	for _, b := range l.branches {
		if was := b.listed.Load(); !changed && was != nil && was.costly() {
			continue
		}
		readers.Go(func() { // ends with timed
			p := b.read(timed, s)
			if ctx.Err() == nil || p.costly() { // else it was not the server that failed
				b.listed.Store(p)
				l.changed()
			}
		})
	}
	readers.Wait()
}
