package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cash-mcp/go-sdk/cash/control"
)

// Plans are the duties of a [control.PlanStore]. Room is the number of used tokens.
func Plans(subject Subject[control.PlanStore]) []Row {
	s := newSuite(subject)
	type stores = []control.PlanStore
	s.add("anyone claims an unused token", 1, func(ctx context.Context, r stores) error {
		return steps(
			claims(ctx, r[0], "a", "", s.soon(), true, ""),
			claims(ctx, r[0], "b", "state", s.soon(), true, ""),
		)
	})
	s.add("a used token is used", 2, func(ctx context.Context, r stores) error {
		return steps(
			claims(ctx, r[0], "a", "", s.soon(), true, ""),
			claims(ctx, r[0], "a", "", s.soon(), false, ""),
			claims(ctx, r[1], "a", "", s.soon(), false, ""),
			claims(ctx, r[1], "a", "state", s.soon(), false, ""),
		)
	})
	s.add("one of many claims a token", 3, func(ctx context.Context, r stores) error {
		for n := range 20 {
			won, err := crowd(9, func(i int) (bool, error) {
				_, claimed, err := r[i%3].Claim(ctx, fmt.Sprint("token ", n), "", s.soon())
				return claimed, err
			})
			if err != nil || won != 1 {
				return broken(err, "%d of 9 claimed a token", won)
			}
		}
		return nil
	})
	s.add("a held token is claimed with its state only", 2, func(ctx context.Context, r stores) error {
		return steps(
			claims(ctx, r[0], "a", "", s.soon(), true, ""),
			releases(ctx, r[0], "a", "state"),
			claims(ctx, r[1], "a", "", s.soon(), false, ""),
			claims(ctx, r[1], "a", "State", s.soon(), false, ""),
			claims(ctx, r[1], "a", "state", s.soon(), true, "state"),
		)
	})
	s.add("a held token is claimed once", 2, func(ctx context.Context, r stores) error {
		err := steps(
			claims(ctx, r[0], "a", "", s.soon(), true, ""),
			releases(ctx, r[0], "a", "state"),
		)
		if err != nil {
			return err
		}
		won, err := crowd(8, func(i int) (bool, error) {
			_, claimed, err := r[i%2].Claim(ctx, "a", "state", s.soon())
			return claimed, err
		})
		if err != nil || won != 1 {
			return broken(err, "%d of 8 claimed a held token", won)
		}
		return claims(ctx, r[0], "a", "state", s.soon(), false, "")()
	})
	s.add("a returned token is unused", 2, func(ctx context.Context, r stores) error {
		return steps(
			claims(ctx, r[0], "a", "", s.soon(), true, ""),
			releases(ctx, r[1], "a", ""),
			claims(ctx, r[0], "a", "", s.soon(), true, ""),
		)
	})
	s.add("an expired token is not claimed", 1, func(ctx context.Context, r stores) error {
		return claims(ctx, r[0], "a", "", s.Now().Add(-time.Millisecond), false, "")()
	})
	s.addTimed("a used token is remembered until it expires", 2, 250*time.Millisecond, func(ctx context.Context, r stores, pause pauses) error {
		expires := s.Now().Add(500 * time.Millisecond)
		return steps(
			claims(ctx, r[0], "a", "", expires, true, ""),
			pause(400*time.Millisecond),
			claims(ctx, r[1], "a", "", expires, false, ""),
			pause(200*time.Millisecond),
			claims(ctx, r[1], "a", "", expires, false, ""),
		)
	})
	s.add("tokens are compared byte by byte", 1, func(ctx context.Context, r stores) error {
		for _, token := range odd {
			if err := claims(ctx, r[0], token, "", s.soon(), true, "")(); err != nil {
				return fmt.Errorf("token %q after others: %w", token, err)
			}
		}
		return nil
	})
	s.add("a full store forgets nothing", 1, func(ctx context.Context, r stores) error {
		for i := range s.Room {
			if err := claims(ctx, r[0], fmt.Sprint("token ", i), "", s.soon(), true, "")(); err != nil {
				return fmt.Errorf("token %d of %d: %w", i, s.Room, err)
			}
		}
		if _, claimed, err := r[0].Claim(ctx, "one more", "", s.soon()); claimed || !errors.Is(err, control.ErrNoRoom) {
			return broken(err, "a claim beyond the room: %v; want ErrNoRoom", claimed)
		}
		for i := range s.Room {
			if err := claims(ctx, r[0], fmt.Sprint("token ", i), "", s.soon(), false, "")(); err != nil {
				return fmt.Errorf("token %d in a full store: %w", i, err)
			}
		}
		return nil
	}).unless(s.Room > 0, noRoom)
	s.add("answers come within the deadline", 1, func(ctx context.Context, r stores) error {
		return prompt(ctx, func(ctx context.Context) {
			_, _, _ = r[0].Claim(ctx, "a", "", s.soon())
			_ = r[0].Release(ctx, "a", "")
		})
	})
	return s.rows
}

// claims is a step: a claim that succeeds or not.
func claims(ctx context.Context, p control.PlanStore, token, state string, expires time.Time, want bool, wantWas string) func() error {
	return func() error {
		was, claimed, err := p.Claim(ctx, token, state, expires)
		if err != nil || claimed != want || was != wantWas {
			return broken(err, "Claim(%q, state %q): was %q, %v; want %q, %v", token, state, was, claimed, wantWas, want)
		}
		return nil
	}
}

func releases(ctx context.Context, p control.PlanStore, token, state string) func() error {
	return func() error { return p.Release(ctx, token, state) }
}
