package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A Subject is the implementation under test.
type Subject[S any] struct {
	// Open returns n replicas of an empty store. Every row calls it once, and again for each further try of a row about
	// time. What they need is released by its caller, after the rows.
	Open func(n int) ([]S, error)
	// Room is how much an empty store has room for: used tokens, counts of owners, or tickets. Zero is unknown; rows
	// about a full store are then not checked.
	Room int
	// RoomPerOwner is the number of tickets of one owner. Zero is unknown.
	RoomPerOwner int
	Clock
}

// A Clock is the time of a store. The zero value is real time.
type Clock struct {
	// Now is the time. Nil is time.Now.
	Now func() time.Time
	// Sleep moves the time. Nil is time.Sleep.
	Sleep func(time.Duration)
	// Minute is how long a minute of a quota takes in this store. Zero is a minute.
	Minute time.Duration
}

// A Row is one duty of a store.
type Row struct {
	// Name is the duty.
	Name string
	// Unchecked is why the subject cannot show it; empty if it can.
	Unchecked string
	// Check returns how the store breaks the duty, or nil.
	Check func(ctx context.Context) error
}

// Run checks all rows, each in a subtest.
func Run(t *testing.T, rows []Row) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.Name, func(t *testing.T) {
			if row.Unchecked != "" {
				t.Log("not checked: " + row.Unchecked)
				return
			}
			if err := row.Check(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// A suite collects the rows of a subject.
type suite[S any] struct {
	Subject[S]
	rows []Row
}

func newSuite[S any](subject Subject[S]) *suite[S] {
	s := &suite[S]{Subject: subject}
	if s.Now == nil {
		s.Now = time.Now
	}
	s.Minute = cmp.Or(s.Minute, time.Minute)
	return s
}

// wait moves the clock of the store.
func (s *suite[S]) wait(d time.Duration) {
	if s.Sleep == nil {
		time.Sleep(d)
		return
	}
	s.Sleep(d)
}

// soon is the end of things that are not to expire in a row.
func (s *suite[S]) soon() time.Time { return s.Now().Add(time.Minute) }

// add adds a row over as many replicas. A panic of the store breaks the duty.
func (s *suite[S]) add(name string, replicas int, check func(ctx context.Context, r []S) error) *Row {
	return s.addTimed(name, replicas, math.MaxInt64, func(ctx context.Context, r []S, _ pauses) error { return check(ctx, r) })
}

// pauses returns a step that waits by the clock of the store.
type pauses func(d time.Duration) func() error

// tries is how often a row about time is tried at most.
const tries = 10

// addTimed adds a row whose steps must not take more than most together, without the pauses between them. If they did,
// because the machine was slow, a failure says nothing: the row is tried again with another store.
func (s *suite[S]) addTimed(name string, replicas int, most time.Duration, check func(ctx context.Context, r []S, pause pauses) error) *Row {
	s.rows = append(s.rows, Row{Name: name, Check: func(ctx context.Context) (err error) {
		for range tries {
			var took time.Duration
			if took, err = s.try(ctx, replicas, check); err == nil || took <= most {
				break
			}
		}
		return err
	}})
	return &s.rows[len(s.rows)-1]
}

// try opens a store and checks it. It returns how long that took without the pauses.
func (s *suite[S]) try(ctx context.Context, replicas int, check func(ctx context.Context, r []S, pause pauses) error) (took time.Duration, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the store panicked: %v", p)
		}
	}()
	stores, err := s.Open(replicas)
	if err != nil {
		return 0, fmt.Errorf("opening the store: %w", err)
	}
	if len(stores) != replicas {
		return 0, fmt.Errorf("opened %d replicas, want %d", len(stores), replicas)
	}
	began, paused := s.Now(), time.Duration(0)
	err = check(ctx, stores, func(d time.Duration) func() error {
		return func() error { s.wait(d); paused += d; return nil }
	})
	return s.Now().Sub(began) - paused, err
}

// unless marks a row that the subject can show only on a condition.
func (r *Row) unless(can bool, why string) {
	if !can {
		r.Unchecked = why
	}
}

const noRoom = "the subject has no Room"

// crowd calls f as often as n at once, and counts how often it reports true.
func crowd(n int, f func(i int) (bool, error)) (won int, err error) {
	var group sync.WaitGroup
	var count atomic.Int32
	errs := make([]error, n)
	start := make(chan struct{})
	for i := range n {
		group.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					errs[i] = fmt.Errorf("the store panicked: %v", p)
				}
			}()
			<-start
			ok, err := f(i)
			if errs[i] = err; ok {
				count.Add(1)
			}
		})
	}
	close(start)
	group.Wait()
	return int(count.Load()), errors.Join(errs...)
}

// patience is how long an answer may come after the deadline of its context.
const patience = time.Second

// prompt returns an error if f does not answer soon after its context has ended.
func prompt(ctx context.Context, f func(ctx context.Context)) error {
	for _, given := range []time.Duration{0, 50 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(ctx, given)
		defer cancel()
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer func() { _ = recover() }() // another row finds panics
			f(ctx)
		}()
		select {
		case <-done:
		case <-time.After(given + patience):
			return fmt.Errorf("no answer %v after the deadline", patience)
		}
	}
	return nil
}

// steps runs steps in order, up to the first error.
func steps(list ...func() error) error {
	for i, step := range list {
		if err := step(); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}

// odd are names that are different, however alike they look.
var odd = []string{"a", "A", "a ", " a", "a\x00", "a\x00b", "{a}", "}a{", "a:b", "a\n", "á", "a\u0301", "\xff", "\xfe", "a*", "a?"}

// broken returns the error of a broken duty, with the error of the store if there is one.
func broken(err error, format string, args ...any) error {
	return errors.Join(fmt.Errorf(format, args...), err)
}
