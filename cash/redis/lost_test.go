package redis_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/redis"
	"github.com/cash-mcp/go-sdk/cash/upstream/lastknown"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/registry"
)

// A losing is a store that loses keys.
type losing struct {
	use   func(c *redis.Client, i int) error // keeps one more thing
	kept  string                             // in the keys of things
	limit int                                // of things
}

// life is how long things are kept.
const life = 300 * time.Millisecond

var losers = map[string]losing{
	"artifacts": {func(c *redis.Client, i int) error {
		time.Sleep(2 * time.Millisecond) // the promise ends
		ctx := context.Background()
		room, err := c.Artifacts().Reserve(ctx, firewall.Owner{ID: fmt.Sprint(i % 2), Guest: i%2 == 0}, 10)
		if err != nil {
			return err
		}
		defer room.Release()
		_, err = room.Keep(ctx, []firewall.Part{{Data: []byte("0123456789")}})
		return err
	}, ":e:", 6},
	"results": {func(c *redis.Client, i int) error {
		kept, err := c.Results().Keep(context.Background(), control.ResultKey{Owner: "ann", Key: fmt.Sprint(i)},
			&control.StoredResult{Result: registry.TextResult("x"), Size: 10, Lasts: life, Promised: i < 4 && i%2 == 0})
		if err == nil && !kept {
			err = control.ErrNoRoom
		}
		return err
	}, ":r:", 4 + 4}, // without their list, those of before cannot be found
	"catalogs": {func(c *redis.Client, i int) error {
		return c.Catalogs().Keep(context.Background(), fmt.Sprint(i), lastknown.Kept{Revision: fmt.Sprint(i), Data: []byte("0123456789"), Began: time.Now()})
	}, ":d:", 6},
	"approvals": {func(c *redis.Client, i int) error {
		_, err := c.Approvals().Ask(context.Background(), &control.Ticket{
			ID: fmt.Sprint(i), Owner: "ann", Call: fmt.Sprint(i), Waits: true, By: "operator", Expires: time.Now().Add(life),
			Settled: make(chan struct{}),
		})
		return err
	}, ":t:", 6},
}

// TestLostKeys holds that a store goes on when the server has lost one of its keys, or all things without what lists
// them: a server that evicts drops keys one by one, and so may its operator. No script runs for ever, because nothing
// but the end of the server would end it. There is room again when what was kept has expired, and not much more.
func TestLostKeys(t *testing.T) {
	s := ownServer(t)
	plain := raw(t, s.address)
	for name, l := range losers {
		t.Run(name, func(t *testing.T) {
			for n := -1; ; n++ {
				if err := plain.Do(t.Context(), plain.B().Flushall().Build()).Error(); err != nil {
					t.Fatal(err)
				}
				c := dial(t, redis.Options{
					Addresses: []string{s.address}, Timeout: 10 * time.Second, CatalogBytes: 70,
					Artifacts: redis.ArtifactLimits{MaxArtifacts: 6, MaxPerOwner: 4, Promise: time.Millisecond, MaxAge: life},
					Results:   redis.ResultLimits{MaxEntries: 4},
					Approvals: redis.ApprovalLimits{Max: 6, MaxPerOwner: 4},
				})
				for i := range 4 {
					if err := l.use(c, i); err != nil {
						t.Fatal(err)
					}
				}
				keys := keysOf(t, plain)
				if n >= len(keys) {
					return
				}
				lost := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return !strings.Contains(key, l.kept) })
				if n >= 0 {
					lost = keys[n : n+1]
				}
				if err := plain.Do(t.Context(), plain.B().Del().Key(lost...).Build()).Error(); err != nil {
					t.Fatal(err)
				}
				l.goOn(t, c, plain, strings.Join(lost, ", "))
				c.Close()
			}
		})
	}
}

// goOn uses a store that has lost keys until it has room for as many things as before.
func (l *losing) goOn(t *testing.T, c *redis.Client, plain rueidis.Client, lost string) {
	for i, since, served := 4, time.Now(), 0; served < 12; i++ {
		err := l.use(c, i)
		full := errors.Is(err, control.ErrNoRoom) || errors.Is(err, firewall.ErrFull)
		switch {
		case err == nil:
			served++
		case !full:
			t.Fatalf("without %s, use %d: %v", lost, i, err)
		case time.Since(since) > 10*life:
			t.Fatalf("without %s, use %d: still full: %v", lost, i, err)
		default:
			served = 0
			time.Sleep(life / 10)
		}
	}
	things := slices.DeleteFunc(keysOf(t, plain), func(key string) bool { return !strings.Contains(key, l.kept) })
	if len(things) > l.limit {
		t.Errorf("without %s: there are %d things, want at most %d", lost, len(things), l.limit)
	}
}

func keysOf(t *testing.T, c rueidis.Client) []string {
	t.Helper()
	keys, err := c.Do(t.Context(), c.B().Keys().Pattern("*").Build()).AsStrSlice()
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(keys)
	return keys
}

// TestDamagedTicket holds that a ticket without its data is an error for the call that would wait for it.
func TestDamagedTicket(t *testing.T) {
	s := ownServer(t)
	c, plain := dial(t, redis.Options{Addresses: []string{s.address}}), raw(t, s.address)
	ask := func(id string) error {
		_, err := c.Approvals().Ask(t.Context(), &control.Ticket{
			ID: id, Owner: "ann", Call: "call", Waits: true, By: "operator", Expires: time.Now().Add(time.Minute), Settled: make(chan struct{}),
		})
		return err
	}
	if err := ask("1"); err != nil {
		t.Fatal(err)
	}
	for _, key := range keysOf(t, plain) {
		if strings.Contains(key, ":t:") {
			if err := plain.Do(t.Context(), plain.B().Hdel().Key(key).Field("data").Build()).Error(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := ask("2"); err == nil || !strings.Contains(err.Error(), "check that nothing else writes keys cash:*") {
		t.Errorf("%v", err)
	}
}
