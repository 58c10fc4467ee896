package upstream

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"golang.org/x/sync/singleflight"

	"github.com/cash-mcp/go-sdk/internal/apart"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/registry"
)

// users are the callers that have accounts of their own at a server ([Server.Credentials]). A server that keeps sessions
// has one for each of them. Their number is bounded, and unused ones end.
type users struct {
	*settings
	life  context.Context // of the upstream
	stuck atomic.Int32

	mu     sync.Mutex
	byKey  map[string]*user
	closed bool
}

// user is one caller.
type user struct {
	*account
	key   string
	dials singleflight.Group

	// Guarded by the lock of users.
	calls   int // in flight
	used    time.Time
	timer   *time.Timer   // ends it when it is not used
	session *owned        // nil if there is none
	asking  chan struct{} // closed when the question for an account is over; nil if there is none
}

// owned is the session of a user.
type owned struct {
	*session
	calls int  // in flight
	left  bool // closed after them
}

func newUsers(life context.Context, s *settings) *users {
	return &users{settings: s, life: life, byKey: make(map[string]*user)}
}

// userKey tells callers apart by all that decides on their credentials.
func userKey(c *registry.Caller) string {
	sum := sha256.New()
	write := func(parts ...string) {
		fmt.Fprintf(sum, "%d;", len(parts))
		for _, p := range parts {
			fmt.Fprintf(sum, "%d:%s", len(p), p)
		}
	}
	write(c.ID)
	write(slices.Sorted(slices.Values(c.Roles))...)
	for _, name := range slices.Sorted(maps.Keys(c.Attributes)) {
		write(name, c.Attributes[name])
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// enter counts a call of a caller in. Each needs a leave.
func (us *users) enter(c *registry.Caller) (*user, *CallError) {
	if c.Anonymous() {
		return nil, &CallError{Class: NoCredential, Reason: "the caller is not known", personal: true, anonymous: true}
	}
	key := userKey(c)
	us.mu.Lock()
	defer us.mu.Unlock()
	if us.closed {
		return nil, errRemoved
	}
	u := us.byKey[key]
	if u == nil {
		if len(us.byKey) >= us.cfg.MaxUsers && !us.evict() {
			return nil, &CallError{Class: Busy, Reason: "too many users at a time"}
		}
		u = &user{key: key, account: us.account(c)}
		us.byKey[key] = u
	}
	if u.timer != nil {
		u.timer.Stop()
	}
	u.calls++
	return u, nil
}

// account returns a new account of a caller.
func (us *users) account(c *registry.Caller) *account {
	who := *c
	who.Roles, who.Attributes = slices.Clone(c.Roles), maps.Clone(c.Attributes)
	open := func(ctx context.Context) (auth.OAuthHandler, error) { return us.cfg.Credentials(ctx, &who) }
	return newAccount(us.cfg.web().URL, us.cfg.ConnectTimeout, us.log, &us.stuck, open)
}

// leave counts a call out. The user is forgotten after a time without calls.
func (us *users) leave(u *user) {
	us.mu.Lock()
	defer us.mu.Unlock()
	u.calls--
	u.used = time.Now()
	if u.calls > 0 || us.closed {
		return
	}
	idle := cmp.Or(us.cfg.Idle, lazyIdle)
	u.timer = time.AfterFunc(idle, func() {
		us.mu.Lock()
		defer us.mu.Unlock()
		switch {
		case u.calls > 0 || time.Since(u.used) < idle:
		case u.account.busy():
			u.timer.Reset(idle)
		default:
			us.forget(u)
		}
	})
}

// evict forgets the user that was not used for the longest time. It reports false if all are in use: by calls in flight,
// or to get a token, which a second account of the same user would get at the same time. The caller holds us.mu.
func (us *users) evict() bool {
	var last *user
	for _, u := range us.byKey {
		if u.calls == 0 && (last == nil || u.used.Before(last.used)) && !u.account.busy() {
			last = u
		}
	}
	if last == nil {
		return false
	}
	last.timer.Stop()
	us.forget(last)
	return true
}

// forget ends a user without calls. The caller holds us.mu.
func (us *users) forget(u *user) {
	if us.byKey[u.key] == u {
		delete(us.byKey, u.key)
	}
	u.account.close()
	us.retire(u)
}

// retire ends the session of a user after its calls. The caller holds us.mu.
func (us *users) retire(u *user) {
	s := u.session
	u.session = nil
	if s == nil {
		return
	}
	s.left = true
	if s.calls == 0 {
		go s.close() // at most closeTimeout
	}
}

// take returns the session of a user for a call. Each needs a release.
func (us *users) take(ctx context.Context, u *user) (*owned, *CallError) {
	for range maxDials {
		if s := us.hold(u); s != nil {
			return s, nil
		}
		dialed := u.dials.DoChan("", func() (none any, err error) {
			if crash := apart.Guard(func() error { err = us.dial(u); return nil }); crash != nil {
				err = crash
			}
			return nil, err
		})
		select {
		case r := <-dialed:
			if r.Err != nil {
				return nil, asCallError(r.Err)
			}
		case <-ctx.Done():
			return nil, classify(ctx, ctx.Err(), new(mcpclient.Exchange))
		}
	}
	return nil, &CallError{Class: Lost, Reason: "it ends every connection"}
}

// maxDials bounds the sessions that a server may end before a call could use them.
const maxDials = 3

// hold returns the session of a user; nil if there is none or it has ended.
func (us *users) hold(u *user) *owned {
	us.mu.Lock()
	defer us.mu.Unlock()
	s := u.session
	if s == nil {
		return nil
	}
	select {
	case <-s.ended:
		us.retire(u)
		return nil
	default:
	}
	s.calls++
	return s
}

// release counts a call of a session out.
func (us *users) release(s *owned) {
	us.mu.Lock()
	defer us.mu.Unlock()
	if s.calls--; s.left && s.calls == 0 {
		go s.close() // at most closeTimeout
	}
}

// abandon keeps further calls from s.
func (us *users) abandon(u *user, s *owned) {
	us.mu.Lock()
	defer us.mu.Unlock()
	if u.session == s {
		us.retire(u)
	}
}

// dial makes the session of a user, with a deadline of its own.
func (us *users) dial(u *user) error {
	if s := us.hold(u); s != nil { // of an attempt that has just ended
		us.release(s)
		return nil
	}
	ctx, cancel := context.WithTimeout(us.life, us.cfg.ConnectTimeout)
	defer cancel()
	d := dialer{settings: us.settings, life: us.life, own: u.account, caller: true}
	s, err := d.dial(ctx)
	if err != nil {
		return err
	}
	us.mu.Lock()
	defer us.mu.Unlock()
	if us.closed || us.byKey[u.key] != u {
		go s.close()
		return errRemoved
	}
	u.session = &owned{session: s}
	return nil
}

// ask reports whether a call is the first to ask the user for an account. It is to call asked afterwards; others wait
// until over is closed.
func (us *users) ask(u *user) (over <-chan struct{}, first bool) {
	us.mu.Lock()
	defer us.mu.Unlock()
	if first = u.asking == nil; first {
		u.asking = make(chan struct{})
	}
	return u.asking, first
}

// asked ends the question for an account.
func (us *users) asked(u *user) {
	us.mu.Lock()
	defer us.mu.Unlock()
	close(u.asking)
	u.asking = nil
}

// drop ends all sessions after their calls.
func (us *users) drop() {
	us.mu.Lock()
	defer us.mu.Unlock()
	for _, u := range us.byKey {
		us.retire(u)
	}
}

// close ends all sessions and accounts, and returns when that is done, or after closeTimeout.
func (us *users) close() {
	us.mu.Lock()
	us.closed = true
	var ending sync.WaitGroup
	for _, u := range us.byKey {
		if u.timer != nil {
			u.timer.Stop()
		}
		u.account.close()
		ending.Go(u.account.wait) // at most closeTimeout
		if s := u.session; s != nil {
			u.session = nil
			ending.Go(s.close) // at most closeTimeout
		}
	}
	us.mu.Unlock()
	ending.Wait()
}
