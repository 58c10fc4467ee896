package upstream

import (
	"context"
	"sync"
	"time"
)

// lists reads a server's resources and prompts, in a goroutine of its own.
type lists struct {
	*settings
	branches []*branch       // all except the tools
	changed  func()          // publishes the lists
	news     <-chan struct{} // another replica has read one of them
}

// attend keeps the lists of s up to date until stop is called. It calls tried after the first read.
func (l *lists) attend(life context.Context, s *session, tried func()) (stop func()) {
	ctx, cancel := context.WithCancel(life)
	go func() { // ends on stop
		defer close(s.unlisted)
		defer tried()
		l.read(ctx, s, false, nil)
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
			case <-s.renewed.c:
				if debounce(ctx, s, s.renewed) {
					heard := s.renewed.heard()
					l.read(ctx, s, true, &heard)
				}
			case <-l.news:
				l.recall(ctx)
			case <-refresh:
				since := time.Now().Add(-l.cfg.Refresh / 2)
				l.read(ctx, s, false, &since)
			case done := <-s.relist:
				now := time.Now()
				l.read(ctx, s, true, &now)
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
// has changed: it would end this one too, with all its calls. What another replica has read since heard is taken from
// there; nil is that all are read here.
func (l *lists) read(ctx context.Context, s *session, changed bool, heard *time.Time) {
	timed, cancel := context.WithTimeout(ctx, l.cfg.ConnectTimeout)
	defer cancel()
	var readers sync.WaitGroup
	for _, b := range l.branches {
		if was := b.listed.Load(); !changed && was != nil && was.costly() {
			continue
		}
		readers.Go(func() { // ends with the deadline of timed
			if heard == nil {
				_ = b.shelf.Read(timed, l.reading(ctx, b, s)) // the list tells of a failure
			} else {
				_ = b.shelf.Once(timed, *heard, l.reading(ctx, b, s))
			}
		})
	}
	readers.Wait()
}

// recall takes the lists that other replicas have read.
func (l *lists) recall(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, l.cfg.ConnectTimeout)
	defer cancel()
	for _, b := range l.branches {
		b.shelf.Recall(ctx, l.reading(ctx, b, nil))
	}
}

// reading returns what reads the list of a branch and publishes it. A list that was being read at the end of life is not
// published, unless it has ended the connection.
func (l *lists) reading(life context.Context, b *branch, s *session) reading {
	return reading{s, func(ctx context.Context, over *session) error {
		p := b.read(ctx, over)
		if err := over.complete(); err != nil {
			return err
		}
		if p.err != nil && !over.asOf.IsZero() { // of a replay, which says nothing about the server
			return p.err
		}
		if life.Err() == nil || p.costly() { // otherwise the server is not at fault
			b.listed.Store(p)
			l.changed()
		}
		if p.err != nil {
			return p.err
		}
		return nil
	}, b.replay}
}
