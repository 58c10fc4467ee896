package storetest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cash-mcp/go-sdk/cash/upstream/lastknown"
)

// Catalogs are the duties of a [lastknown.Store]. Room is the number of bytes of all catalogs together.
func Catalogs(subject Subject[lastknown.Store]) []Row {
	s := newSuite(subject)
	type stores = []lastknown.Store
	s.add("nothing is known at first", 1, func(ctx context.Context, r stores) error {
		if k, err := r[0].Find(ctx, "shop", ""); err != nil || k.Revision != "" || k.Data != nil || !k.Began.IsZero() || k.Now.IsZero() {
			return broken(err, "Find: %+v, want the time alone", k)
		}
		return nil
	})
	s.add("a catalog is kept unchanged", 2, func(ctx context.Context, r stores) error {
		for i, data := range [][]byte{[]byte("catalog"), {0, 1, 0xff, '\n', 0xc3, '"'}, bytes.Repeat([]byte("large \x00"), 300_000)} {
			revision := fmt.Sprint("revision ", i)
			if err := r[0].Keep(ctx, "shop", lastknown.Kept{Revision: revision, Data: data}); err != nil {
				return err
			}
			if err := isKept(ctx, r[1], "shop", revision, data); err != nil {
				return err
			}
		}
		return nil
	})
	s.add("data that is there already is not sent", 2, func(ctx context.Context, r stores) error {
		if err := r[0].Keep(ctx, "shop", catalog("one")); err != nil {
			return err
		}
		if k, err := r[1].Find(ctx, "shop", "one"); err != nil || k.Revision != "one" || k.Data != nil {
			return broken(err, "Find of what one has: %d bytes at revision %q, want none at this one", len(k.Data), k.Revision)
		}
		return nil
	})
	s.add("age begins with the reading", 2, func(ctx context.Context, r stores) error {
		began := s.Now()
		k, err := readBefore(ctx, r[0], "one", 5*time.Second)
		if err != nil {
			return err
		}
		s.wait(100 * time.Millisecond) // what keeping takes is part of the age
		if err := r[0].Keep(ctx, "shop", k); err != nil {
			return err
		}
		for _, have := range []string{"", "one"} {
			k, err := r[1].Find(ctx, "shop", have)
			least, most := 5*time.Second+80*time.Millisecond, 5*time.Second+s.Now().Sub(began)+patience/2
			if age := k.Now.Sub(k.Began); err != nil || age < least || age > most {
				return broken(err, "a catalog is %v old, want %v to %v", age, least, most)
			}
		}
		return nil
	})
	s.add("a reading in the future began now", 2, func(ctx context.Context, r stores) error {
		k, err := readBefore(ctx, r[0], "one", -time.Hour)
		if err != nil {
			return err
		}
		if err := r[0].Keep(ctx, "shop", k); err != nil {
			return err
		}
		if k, err := r[1].Find(ctx, "shop", ""); err != nil || k.Revision != "one" || k.Began.After(k.Now) {
			return broken(err, "the reading of %q began at %v, and it is %v", k.Revision, k.Began, k.Now)
		}
		return nil
	})
	s.add("an earlier reading replaces nothing", 2, func(ctx context.Context, r stores) error {
		late, err1 := readBefore(ctx, r[0], "late", time.Second)
		early, err2 := readBefore(ctx, r[0], "early", 2*time.Second)
		last, err3 := readBefore(ctx, r[0], "last", 0)
		if err := cmp.Or(err1, err2, err3); err != nil {
			return err
		}
		return steps(
			func() error { return r[0].Keep(ctx, "shop", late) },
			func() error { return r[1].Keep(ctx, "shop", early) },
			func() error { return isKept(ctx, r[0], "shop", "late", late.Data) },
			func() error { return r[1].Keep(ctx, "shop", last) },
			func() error { return isKept(ctx, r[0], "shop", "last", last.Data) },
		)
	})
	s.add("one of many has the lease", 3, func(ctx context.Context, r stores) error {
		won, err := crowd(9, func(i int) (bool, error) { return r[i%3].Claim(ctx, "shop", time.Minute) })
		if err != nil || won != 1 {
			return broken(err, "%d of 9 have the lease", won)
		}
		return nil
	})
	const lease = 150 * time.Millisecond
	s.addTimed("a lease lapses", 2, lease/2, func(ctx context.Context, r stores, pause pauses) error {
		return steps(
			leases(ctx, r[0], "shop", lease, true), leases(ctx, r[1], "shop", lease, false),
			pause(lease+50*time.Millisecond),
			leases(ctx, r[1], "shop", lease, true),
		)
	})
	s.add("keeping ends the lease", 2, func(ctx context.Context, r stores) error {
		old, err1 := readBefore(ctx, r[0], "old", time.Second)
		one, err2 := readBefore(ctx, r[0], "one", 0)
		if err := cmp.Or(err1, err2); err != nil {
			return err
		}
		keep := func(k lastknown.Kept) func() error { return func() error { return r[0].Keep(ctx, "shop", k) } }
		return steps(
			leases(ctx, r[0], "shop", time.Minute, true), keep(one),
			leases(ctx, r[1], "shop", time.Minute, true), keep(old),
			leases(ctx, r[1], "shop", time.Minute, true), leases(ctx, r[0], "shop", time.Minute, false),
		)
	})
	s.add("keeping nothing ends the lease alone", 2, func(ctx context.Context, r stores) error {
		return steps(
			func() error { return r[0].Keep(ctx, "shop", catalog("one")) },
			leases(ctx, r[0], "shop", time.Minute, true),
			func() error { return r[0].Keep(ctx, "shop", lastknown.Kept{}) },
			leases(ctx, r[1], "shop", time.Minute, true),
			func() error { return isKept(ctx, r[1], "shop", "one", catalog("one").Data) },
		)
	})
	s.add("keys are compared byte by byte", 1, func(ctx context.Context, r stores) error {
		for _, key := range odd {
			if k, err := r[0].Find(ctx, key, ""); err != nil || k.Revision != "" {
				return broken(err, "%q after others: %+v", key, k)
			}
			if err := leases(ctx, r[0], key, time.Minute, true)(); err != nil {
				return fmt.Errorf("%q after others: %w", key, err)
			}
			if err := r[0].Keep(ctx, key, catalog(fmt.Sprintf("%x", key))); err != nil {
				return err
			}
			if err := leases(ctx, r[0], key, time.Minute, true)(); err != nil {
				return fmt.Errorf("%q after others: %w", key, err)
			}
		}
		return nil
	})
	s.add("watchers learn what was kept", 2, func(ctx context.Context, r stores) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		told, ended := make(chan string, 1000), make(chan error, 1)
		go func() {
			ended <- r[1].Watch(ctx, func(key string) {
				select {
				case told <- key:
				default:
				}
			})
		}()
		// The watch has begun when it tells of one of these.
		for i := 0; ; i++ {
			if err := r[0].Keep(ctx, "other", catalog(fmt.Sprint("other ", i))); err != nil {
				return err
			}
			select {
			case <-told:
			case err := <-ended:
				return broken(err, "Watch ended")
			case <-time.After(20 * time.Millisecond):
				if i < 200 {
					continue
				}
				return errors.New("no word of 200 catalogs")
			}
			break
		}
		// Also of one that is the same as before, because it is younger.
		for range 2 {
			for len(told) > 0 {
				<-told
			}
			k, err := readBefore(ctx, r[0], "one", 0)
			if err == nil {
				err = r[0].Keep(ctx, "shop", k)
			}
			if err != nil {
				return err
			}
			for end, heard := time.After(3*time.Second), false; !heard; {
				select {
				case key := <-told:
					heard = key == "shop"
				case <-end:
					return errors.New("no word of a catalog")
				}
			}
			s.wait(10 * time.Millisecond)
		}
		return nil
	})
	s.add("a watch ends with its context", 1, func(ctx context.Context, r stores) error {
		ctx, cancel := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() { ended <- r[0].Watch(ctx, func(string) {}) }()
		cancel()
		select {
		case err := <-ended:
			if err == nil {
				return errors.New("the watch returned without an error")
			}
			return nil
		case <-time.After(patience):
			return errors.New("the watch goes on")
		}
	})
	s.add("a full store forgets what was kept first", 1, func(ctx context.Context, r stores) error {
		large := bytes.Repeat([]byte{'x'}, s.Room*2/5)
		for i, key := range []string{"first", "second", "first", "third"} {
			if err := r[0].Keep(ctx, key, lastknown.Kept{Revision: fmt.Sprint(i), Data: large}); err != nil {
				return err
			}
			s.wait(2 * time.Millisecond)
		}
		if k, err := r[0].Find(ctx, "second", ""); err != nil || k.Revision != "" {
			return broken(err, "a store of %d bytes has three catalogs of %d", s.Room, len(large))
		}
		return steps(
			func() error { return isKept(ctx, r[0], "first", "2", large) },
			func() error { return isKept(ctx, r[0], "third", "3", large) },
		)
	}).unless(s.Room > 0, noRoom)
	s.add("answers come within the deadline", 1, func(ctx context.Context, r stores) error {
		return prompt(ctx, func(ctx context.Context) {
			_, _ = r[0].Find(ctx, "shop", "")
			_, _ = r[0].Claim(ctx, "shop", time.Second)
			_ = r[0].Keep(ctx, "shop", catalog("one"))
		})
	})
	return s.rows
}

// catalog returns a catalog with a revision, read long ago.
func catalog(revision string) lastknown.Kept {
	return lastknown.Kept{Revision: revision, Data: []byte("the catalog of " + revision)}
}

// readBefore returns a catalog that began to be read some time ago, by the clock of the store.
func readBefore(ctx context.Context, store lastknown.Store, revision string, ago time.Duration) (lastknown.Kept, error) {
	found, err := store.Find(ctx, "shop", "")
	k := catalog(revision)
	k.Began = found.Now.Add(-ago)
	return k, err
}

func isKept(ctx context.Context, store lastknown.Store, key, revision string, data []byte) error {
	k, err := store.Find(ctx, key, "")
	if err != nil || k.Revision != revision || !bytes.Equal(k.Data, data) {
		return broken(err, "Find(%q): %.40q of %d bytes at revision %q; want %.40q of %d bytes at %q", key, k.Data, len(k.Data), k.Revision, data, len(data), revision)
	}
	return nil
}

// claims is a step: a claim that succeeds, or not.
func leases(ctx context.Context, store lastknown.Store, key string, lasts time.Duration, want bool) func() error {
	return func() error {
		if ok, err := store.Claim(ctx, key, lasts); err != nil || ok != want {
			return broken(err, "Claim(%q): %v, want %v", key, ok, want)
		}
		return nil
	}
}
