package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cash-mcp/go-sdk/cash/control"
)

// Quota are the duties of a [control.QuotaStore]. Room is the number of pairs of owner and scope.
func Quota(subject Subject[control.QuotaStore]) []Row {
	s := newSuite(subject)
	type stores = []control.QuotaStore
	minutes := s.Sleep != nil || s.Minute <= time.Second
	s.addTimed("calls pass up to the limit of the minute", 2, s.Minute/2, func(ctx context.Context, r stores, _ pauses) error {
		three := window("tool", control.Limit{PerMinute: 3})
		for i := range 3 {
			if err := takes(ctx, r[i%2], s.call("ada", three), nil)(); err != nil {
				return fmt.Errorf("call %d of 3: %w", i+1, err)
			}
		}
		refused, err := r[1].Take(ctx, s.call("ada", three))
		if err != nil || refused == nil || refused.Window != three || refused.Session || refused.Wait <= 0 || refused.Wait > s.Minute {
			return broken(err, "the fourth of 3 calls: %+v; want a refusal by the window, with a wait of a minute at most", refused)
		}
		return nil
	})
	s.addTimed("calls pass again after a minute", 2, s.Minute/3, func(ctx context.Context, r stores, pause pauses) error {
		two := window("tool", control.Limit{PerMinute: 2})
		pass := takes(ctx, r[0], s.call("ada", two), nil)
		refused := takes(ctx, r[1], s.call("ada", two), &control.Refusal{Window: two})
		half := pause(s.Minute/2 + s.Minute/20)
		return steps(pass, half, pass, refused, half, pass, refused)
	}).unless(minutes, "a minute is too long")
	s.addTimed("no more than the limit pass at once", 3, s.Minute/2, func(ctx context.Context, r stores, _ pauses) error {
		ten := window("tool", control.Limit{PerMinute: 10})
		passed, err := crowd(45, func(i int) (bool, error) {
			refused, err := r[i%3].Take(ctx, s.call("ada", ten))
			return refused == nil, err
		})
		if err != nil || passed != 10 {
			return broken(err, "%d of 45 calls passed, want 10", passed)
		}
		return nil
	})
	s.addTimed("a call counts in all windows or in none", 1, s.Minute/2, func(ctx context.Context, r stores, _ pauses) error {
		one, two := window("face", control.Limit{PerMinute: 1}), window("tool", control.Limit{PerMinute: 2})
		return steps(
			takes(ctx, r[0], s.call("ada", two, one), nil),
			takes(ctx, r[0], s.call("ada", two, one), &control.Refusal{Window: one}),
			takes(ctx, r[0], s.call("ada", two), nil),
			takes(ctx, r[0], s.call("ada", two), &control.Refusal{Window: two}),
		)
	})
	s.addTimed("a dry call counts nothing", 1, s.Minute/2, func(ctx context.Context, r stores, _ pauses) error {
		one := window("tool", control.Limit{PerMinute: 1})
		dry := s.call("ada", one)
		dry.Dry = true
		return steps(
			takes(ctx, r[0], dry, nil), takes(ctx, r[0], dry, nil),
			takes(ctx, r[0], s.call("ada", one), nil),
			takes(ctx, r[0], dry, &control.Refusal{Window: one}),
		)
	})
	s.add("the longest wait is told", 1, func(ctx context.Context, r stores) error {
		minute, session := window("face", control.Limit{PerMinute: 1}), window("tool", control.Limit{PerSession: 1})
		return steps(
			takes(ctx, r[0], s.call("ada", minute, session), nil),
			takes(ctx, r[0], s.call("ada", minute, session), &control.Refusal{Window: session, Session: true}),
		)
	})
	const apart = 100 * time.Millisecond
	s.addTimed("a burst is spread over the minute", 1, apart/2, func(ctx context.Context, r stores, pause pauses) error {
		two := window("tool", control.Limit{PerMinute: int(s.Minute / apart), Burst: 2})
		pass := takes(ctx, r[0], s.call("ada", two), nil)
		if err := steps(pass, pass); err != nil {
			return err
		}
		refused, err := r[0].Take(ctx, s.call("ada", two))
		if err != nil || refused == nil || refused.Session || refused.Wait <= 0 || refused.Wait > apart {
			return broken(err, "a third call at once: %+v; want a wait of %v at most", refused, apart)
		}
		return steps(pause(refused.Wait+time.Millisecond), pass)
	})
	s.add("a negative limit allows nothing", 1, func(ctx context.Context, r stores) error {
		for _, limit := range []control.Limit{{PerMinute: -1}, {PerMinute: 5, Burst: -1}} {
			none := window("tool", limit)
			refused, err := r[0].Take(ctx, s.call("ada", none))
			if err != nil || refused == nil || refused.Session || refused.Wait != 0 {
				return broken(err, "limit %+v: %+v; want a refusal without a wait", limit, refused)
			}
		}
		return nil
	})
	s.addTimed("a session ends when it is idle", 2, 100*time.Millisecond, func(ctx context.Context, r stores, pause pauses) error {
		two := window("tool", control.Limit{PerSession: 2})
		call := func() *control.Taking { t := s.call("ada", two); t.Idle = 400 * time.Millisecond; return t }
		pass := takes(ctx, r[0], call(), nil)
		return steps(
			pass, pause(250*time.Millisecond), pass, pause(250*time.Millisecond),
			takes(ctx, r[1], call(), &control.Refusal{Window: two, Session: true}),
			pause(450*time.Millisecond), pass,
		)
	})
	s.add("Forget ends a session", 2, func(ctx context.Context, r stores) error {
		one := window("tool", control.Limit{PerSession: 1, PerMinute: 1})
		return steps(
			takes(ctx, r[0], s.call("ada", one), nil), takes(ctx, r[0], s.call("bob", one), nil),
			func() error { return r[1].Forget(ctx, "ada") },
			takes(ctx, r[0], s.call("ada", one), nil),
			takes(ctx, r[0], s.call("bob", one), &control.Refusal{Window: one, Session: true}),
		)
	})
	s.add("owners and scopes are compared byte by byte", 1, func(ctx context.Context, r stores) error {
		limit := control.Limit{PerMinute: 1}
		for _, name := range append([]string{""}, odd...) {
			err := steps(
				takes(ctx, r[0], s.call(name, window("tool", limit)), nil),
				takes(ctx, r[0], s.call("all", window(name, limit)), nil),
			)
			if err != nil {
				return fmt.Errorf("%q after others: %w", name, err)
			}
		}
		return nil
	})
	s.add("no lasting owner is forgotten in a full store", 1, func(ctx context.Context, r stores) error {
		one := window("tool", control.Limit{PerSession: 1})
		for i := range s.Room {
			if err := takes(ctx, r[0], s.call(fmt.Sprint("owner ", i), one), nil)(); err != nil {
				return fmt.Errorf("owner %d of %d: %w", i, s.Room, err)
			}
		}
		if refused, err := r[0].Take(ctx, s.call("one more", one)); !errors.Is(err, control.ErrNoRoom) {
			return broken(err, "an owner beyond the room: %+v; want ErrNoRoom", refused)
		}
		for i := range s.Room {
			if err := takes(ctx, r[0], s.call(fmt.Sprint("owner ", i), one), &control.Refusal{Window: one, Session: true})(); err != nil {
				return fmt.Errorf("owner %d in a full store: %w", i, err)
			}
		}
		return nil
	}).unless(s.Room > 0, noRoom)
	s.add("answers come within the deadline", 1, func(ctx context.Context, r stores) error {
		return prompt(ctx, func(ctx context.Context) {
			_, _ = r[0].Take(ctx, s.call("ada", window("tool", control.Limit{PerMinute: 1})))
			_ = r[0].Forget(ctx, "ada")
		})
	})
	return s.rows
}

func window(scope string, limit control.Limit) control.Window {
	return control.Window{Scope: scope, Limit: limit}
}

// call returns a call of a lasting owner.
func (s *suite[S]) call(owner string, windows ...control.Window) *control.Taking {
	return &control.Taking{Owner: owner, Lasting: true, Idle: 10 * s.Minute, Windows: windows}
}

// takes is a step: a call that passes, or is refused by the window and kind of limit of want.
func takes(ctx context.Context, q control.QuotaStore, t *control.Taking, want *control.Refusal) func() error {
	return func() error {
		refused, err := q.Take(ctx, t)
		ok := (refused == nil) == (want == nil)
		if ok && want != nil {
			ok = refused.Window == want.Window && refused.Session == want.Session && (refused.Wait == 0) == want.Session
		}
		if err != nil || !ok {
			return broken(err, "Take(%q, %+v, dry: %v): %+v; want %+v", t.Owner, t.Windows, t.Dry, refused, want)
		}
		return nil
	}
}
