package upstream

import (
	"context"
	"errors"
	"time"

	"github.com/cash-mcp/go-sdk/internal/pace"
)

var (
	errIdle = errors.New("not used for a while")
	errHeld = errors.New("held back")
)

// Announced changes are debounced, so that many of them cause one refresh. After a refresh, announcements rest for as
// long as it took; longer, up to longRest, if one refresh after the other finds nothing new.
const (
	quiet     = 50 * time.Millisecond  // without a further announcement
	mostWait  = 200 * time.Millisecond // since the first announcement
	shortRest = 100 * time.Millisecond
	longRest  = 2 * time.Second
)

// attend serves the session until it ends, and returns why it ended. It refreshes the catalog when that is due. It
// runs in the upstream's goroutine.
func (u *upstream) attend(s *session) error {
	defer func() {
		u.link.leave(s)
		s.close()
	}()
	if len(u.lists.branches) > 0 {
		defer u.lists.attend(u.ctx, s, u.markTried)()
	}
	var refresh <-chan time.Time
	if u.cfg.Refresh > 0 {
		t := time.NewTicker(u.cfg.Refresh)
		defer t.Stop()
		refresh = t.C
	}
	keep := time.NewTicker(keepPause)
	defer keep.Stop()
	r := rereader{inventory: u.inventory, life: u.ctx, session: s}
	for {
		var failed error
		changed, rested := r.announcements()
		select {
		case <-rested:
		case <-u.ctx.Done():
			return u.ctx.Err()
		case <-s.ended:
			return s.why()
		case <-u.link.holding:
			if u.link.obey() != nil {
				u.rest(s)
				return errHeld
			}
		case <-changed:
			if debounce(u.ctx, s, s.changed) {
				failed = r.announced()
			}
			s.outdated.read()
		case <-u.news[0]:
			r.taken()
		case <-s.acknowledged: // late: changes before it were not announced
			s.changed.tell()
		case <-u.inventory.sought:
			failed = r.reread(ifChanged, time.Now())
		case <-u.repinned:
			if u.inventory.pins.Stale(u.ctx) {
				failed = r.review()
			}
		case <-refresh:
			failed = r.reread(!u.inventory.pins.Off(), time.Now().Add(-u.cfg.Refresh/2)) // pins are not compared with what a server says beforehand
		case <-keep.C:
			if u.inventory.latest.Load().revision != "" {
				failed = r.reread(ifChanged, time.Now())
			}
		case <-r.again:
			failed = r.reread(anyway, time.Now())
		case done := <-u.reload:
			failed = r.reread(anyway, time.Now())
			done <- failed
		case <-u.traffic.quiet(u.cfg.Idle):
			// Later calls wait for another session.
			if u.traffic.unused(u.cfg.Idle, func() { u.link.leave(s) }) {
				return errIdle
			}
		}
		if failed == nil {
			continue
		}
		if e := asCallError(failed); e.hung() || e.session || e.other {
			return failed // not even the list of tools was answered, the session has ended there, or it is another server: reconnect
		}
	}
}

// keepPause is the time between two requests to a server that tells of its changes. Sessions over HTTP end without any,
// after half an hour in servers of this module, and notifications with them.
const keepPause = 10 * time.Minute

// rereader reads the server's catalog again, and retries after a pause if that fails.
type rereader struct {
	*inventory
	life    context.Context
	session *session
	again   <-chan time.Time // nil unless the last read failed
	pause   time.Duration
	rest    time.Duration // after the last refresh because of an announcement
	until   time.Time     // the end of the rest
}

// announcements returns the channel of announced changes, or the end of the rest.
func (r *rereader) announcements() (changed <-chan struct{}, rested <-chan time.Time) {
	if wait := time.Until(r.until); wait > 0 {
		return nil, time.After(wait)
	}
	return r.session.changed.c, nil
}

// announced reads the catalog because of an announcement, and begins the rest.
func (r *rereader) announced() error {
	began, before := time.Now(), r.latest.Load()
	err := r.reread(ifChanged, r.session.changed.heard())
	if now := r.latest.Load(); before != nil && now.trees == before.trees {
		r.rest = min(max(2*r.rest, shortRest), longRest)
	} else {
		r.rest = 0
	}
	r.until = time.Now().Add(max(time.Since(began), r.rest))
	return err
}

// Whether the catalog of a CaSH server is read if the server's revision is the same as before.
const (
	ifChanged = false
	anyway    = true
)

// reread reads the catalog again, unless another replica has read it since heard.
func (r *rereader) reread(anyway bool, heard time.Time) error {
	ctx, cancel := context.WithTimeout(r.life, r.cfg.ConnectTimeout)
	defer cancel()
	err := r.shelf.Once(ctx, heard, r.reading(r.session, anyway))
	if err == nil {
		r.follow(ctx)
		r.again, r.pause = nil, 0
		return nil
	}
	r.pause = pace.Next(r.pause)
	r.again = time.After(pace.Jitter(r.pause))
	r.log.Warn("reading what has changed failed", "error", err)
	return err
}

// taken takes what another replica has read.
func (r *rereader) taken() {
	ctx, cancel := context.WithTimeout(r.life, r.cfg.ConnectTimeout)
	defer cancel()
	r.shelf.Recall(ctx, r.reading(r.session, anyway))
	r.follow(ctx)
}

// review compares the catalog with changed pins. It is read again if it was not kept.
func (r *rereader) review() error {
	ctx, cancel := context.WithTimeout(r.life, r.cfg.ConnectTimeout)
	defer cancel()
	if r.shelf.Again(ctx, r.reading(r.session, anyway)) {
		return nil
	}
	return r.reread(anyway, time.Now())
}

// follow has the session tell of changes, if the server has become one that does by the word of another replica.
func (r *rereader) follow(ctx context.Context) {
	if c := r.latest.Load(); c != nil && c.kind == CaSH {
		r.session.follow(ctx)
	}
}

// rest takes the session out of use, so that no new calls reach it. It waits for the calls in flight, which have
// deadlines.
func (u *upstream) rest(s *session) {
	u.link.leave(s)
	if u.inventory.users != nil {
		u.inventory.users.drop()
	}
	idle := u.traffic.drained()
	if idle == nil {
		return
	}
	timer := time.NewTimer(u.pipelineTimeout())
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
	case <-s.ended:
	case <-u.ctx.Done():
	}
}

// debounce waits until the server has stopped announcing changes, at most mostWait. It reports false if the session or
// ctx has ended.
func debounce(ctx context.Context, s *session, changed *announcement) bool {
	most := time.After(mostWait)
	for {
		select {
		case <-changed.c:
		case <-time.After(quiet):
			return true
		case <-most:
			return true
		case <-s.ended:
			return false
		case <-ctx.Done():
			return false
		}
	}
}
