package disk_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/firewall"
)

func wantKept(t *testing.T, s firewall.Store, owner string, refs ...firewall.Ref) {
	t.Helper()
	for i, ref := range refs {
		if _, err := s.Open(t.Context(), owner, ref.Handle); err != nil {
			t.Errorf("artifact %d of %s: %v", i, owner, err)
		}
	}
}

// TestZ2PromisesAreKept holds that a promise outlasts every need of others, and that
// what is beyond it stays as long as nobody needs the room.
func TestZ2PromisesAreKept(t *testing.T) {
	c := newClock()
	o := firewall.MemoryOptions{MaxPerOwner: 3, MaxArtifacts: 5, Promise: time.Minute, Now: c.Now}
	eachStore(t, o, func(t *testing.T, s firewall.Store) {
		one := keep(t, s, "ann", "one")[0]
		c.advance(10 * time.Second)
		two := keep(t, s, "ann", "two")[0]
		three := keep(t, s, "ann", "three")[0]
		wantFull(t, s, "ann", 0, "artifacts per owner", 50*time.Second)
		theirs := keep(t, s, "bob", "theirs")[0]
		c.advance(50*time.Second - 1)
		wantFull(t, s, "ann", 0, "artifacts per owner", 1)
		wantKept(t, s, "ann", one, two, three)
		c.advance(1)
		wantKept(t, s, "ann", one, two, three) // nobody needs the room
		four := keep(t, s, "ann", "four")[0]
		wantNone(t, s, "ann", one.Handle)
		wantKept(t, s, "ann", two, three, four)
		wantKept(t, s, "bob", theirs)
		c.advance(20 * time.Minute)
		wantKept(t, s, "ann", two, three, four)
	})
}

// TestZ2DefaultPromise holds that the promise is 5 minutes, and not longer than the
// age.
func TestZ2DefaultPromise(t *testing.T) {
	for age, promise := range map[time.Duration]time.Duration{0: 5 * time.Minute, time.Hour: 5 * time.Minute, time.Minute: time.Minute} {
		c := newClock()
		eachStore(t, firewall.MemoryOptions{MaxPerOwner: 1, MaxAge: age, Now: c.Now}, func(t *testing.T, s firewall.Store) {
			keep(t, s, "ann", "x")
			wantFull(t, s, "ann", 0, "artifacts per owner", promise)
		})
	}
}

// TestZ2TheLargestGivesWay holds whose artifacts go when all room is taken: the own
// ones, else those of the payer who has most of what there is.
func TestZ2TheLargestGivesWay(t *testing.T) {
	c := newClock()
	o := firewall.MemoryOptions{MaxBytes: 1000, MaxArtifacts: 10, Promise: time.Minute, Now: c.Now}
	eachStore(t, o, func(t *testing.T, s firewall.Store) {
		small := keep(t, s, "small", "1")[0] // the oldest of all
		c.advance(time.Second)
		var many []firewall.Ref
		for i := range 5 {
			many = append(many, keep(t, s, "many", fmt.Sprint(i))[0])
		}
		heavy := keep(t, s, "heavy", strings.Repeat("h", 450), strings.Repeat("H", 450))
		c.advance(2 * time.Minute)

		keep(t, s, "new", strings.Repeat("n", 200))
		wantNone(t, s, "heavy", heavy[0].Handle) // has 0.9 of the bytes
		for i := range 2 {
			keep(t, s, "newer", fmt.Sprint("n", i))
		}
		wantKept(t, s, "heavy", heavy[1])
		wantKept(t, s, "many", many...)
		keep(t, s, "newest", "n")
		wantNone(t, s, "many", many[0].Handle) // has 0.5 of the artifacts
		wantKept(t, s, "many", many[1:]...)
		wantKept(t, s, "small", small)
		keep(t, s, "small", "2")
		wantNone(t, s, "small", small.Handle)
		wantKept(t, s, "many", many[1:]...)
	})
}

// TestZ2PayersShareRoom holds that it is the payer who has a share, and the owner who
// has the key.
func TestZ2PayersShareRoom(t *testing.T) {
	c := newClock()
	o := firewall.MemoryOptions{MaxPerOwner: 2, Promise: time.Minute, Now: c.Now}
	eachStore(t, o, func(t *testing.T, s firewall.Store) {
		keepFor := func(id, payer string) (firewall.Ref, error) {
			r, err := s.Reserve(t.Context(), firewall.Owner{ID: id, Payer: payer}, 0)
			if err != nil {
				return firewall.Ref{}, err
			}
			defer r.Release()
			refs, err := r.Keep(t.Context(), parts("x"))
			return refs[0], err
		}
		for _, owner := range []firewall.Owner{{ID: "", Payer: "a"}, {ID: "ann", Payer: "a"}, {ID: "", Payer: "b"}, {ID: "", Payer: "b"}, {ID: ""}, {ID: ""}, {ID: "c"}, {ID: "", Payer: "c"}} {
			ref, err := keepFor(owner.ID, owner.Payer)
			if err != nil {
				t.Fatalf("%+v: %v", owner, err)
			}
			wantKept(t, s, owner.ID, ref)
			wantNone(t, s, "a", ref.Handle)
			wantNone(t, s, owner.ID+"x", ref.Handle)
		}
		for _, owner := range []firewall.Owner{{ID: "new", Payer: "a"}, {ID: "", Payer: "b"}, {ID: ""}, {ID: "c"}} {
			if _, err := keepFor(owner.ID, owner.Payer); !errors.Is(err, firewall.ErrFull) {
				t.Errorf("%+v: %v", owner, err)
			}
		}
	})
}

// TestZ2GuestsLeaveRoom holds that payers who can be had anew at will do not take the
// room of those who cannot, however many they are.
func TestZ2GuestsLeaveRoom(t *testing.T) {
	c := newClock()
	o := firewall.MemoryOptions{MaxArtifacts: 8, MaxPerOwner: 4, Promise: time.Minute, Now: c.Now}
	eachStore(t, o, func(t *testing.T, s firewall.Store) {
		guest := func(i int) error {
			r, err := s.Reserve(t.Context(), firewall.Owner{Payer: fmt.Sprint("guest ", i), Guest: true}, 1)
			if err != nil {
				return err
			}
			defer r.Release()
			_, err = r.Keep(t.Context(), parts(fmt.Sprint(i)))
			return err
		}
		for i := range 6 {
			if err := guest(i); err != nil {
				t.Fatal(err)
			}
		}
		var full *firewall.FullError
		if err := guest(6); !errors.As(err, &full) || full.Limit != "artifacts of guests" || full.RetryAfter != time.Minute {
			t.Errorf("one guest more: %v", err)
		}
		mine := keep(t, s, "ann", "one", "two")
		wantFull(t, s, "ann", 1, "artifacts", time.Minute)
		c.advance(time.Minute)
		for i := range 20 {
			c.advance(time.Minute)
			if err := guest(i); err != nil {
				t.Error(err)
			}
		}
		wantKept(t, s, "ann", mine...) // guests have given way to guests
	})
}

// TestZ2ManyAtOnce holds that promises are kept and limits too, whatever callers do at
// once.
func TestZ2ManyAtOnce(t *testing.T) {
	c := newClock()
	o := firewall.MemoryOptions{MaxArtifacts: 60, MaxPerOwner: 12, MaxBytes: 6000, Promise: time.Minute, Now: c.Now}
	eachStore(t, o, func(t *testing.T, s firewall.Store) {
		type kept struct {
			owner, handle string
			until         time.Time
		}
		var mu sync.Mutex
		var ever []kept
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				owner := fmt.Sprint("owner ", i)
				for n := range 60 {
					r, err := s.Reserve(t.Context(), firewall.Owner{ID: owner}, 100)
					c.advance(2 * time.Second)
					if errors.Is(err, firewall.ErrFull) {
						continue
					}
					if err != nil {
						t.Error(err)
						return
					}
					until := c.Now().Add(time.Minute)
					refs, err := r.Keep(t.Context(), parts(fmt.Sprintf("%0100d", n)))
					r.Release()
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					ever = append(ever, kept{owner, refs[0].Handle, until})
					mu.Unlock()
				}
			})
		}
		all.Wait()
		now, there := c.Now(), 0
		for _, k := range ever {
			switch _, err := s.Open(t.Context(), k.owner, k.handle); {
			case err == nil:
				there++
			case now.Before(k.until):
				t.Errorf("promised until %v, at %v: %v", k.until, now, err)
			}
		}
		if there > 60 || there < 30 {
			t.Errorf("%d artifacts are there of %d", there, len(ever))
		}
	})
}
