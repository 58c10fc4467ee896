package bounded_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cash-mcp/go-sdk/internal/bounded"
)

func known(name string) bounded.Owner { return bounded.Owner{Name: name, Known: true} }

// mustTake takes a place that must be there at once.
func mustTake(t *testing.T, p *bounded.Places, owner bounded.Owner) bounded.Place {
	t.Helper()
	place, err := p.Take(t.Context(), owner, 0)
	if err != nil {
		t.Fatalf("%v: %v", owner, err)
	}
	return place
}

// mustNotTake holds that there is no place at once, and says whether that is the owner's own doing.
func mustNotTake(t *testing.T, p *bounded.Places, owner bounded.Owner, own bool) {
	t.Helper()
	_, err := p.Take(t.Context(), owner, 0)
	var full *bounded.Full
	if !errors.As(err, &full) || full.Own != own {
		t.Errorf("%v: %v, want a refusal, own: %v", owner, err, own)
	}
}

func TestPlaces(t *testing.T) {
	p := bounded.NewPlaces(bounded.Room{Most: 8, Each: 2, Reserve: true})
	first := mustTake(t, p, known("a"))
	mustTake(t, p, known("a"))
	mustNotTake(t, p, known("a"), true)
	first.Give()
	mustTake(t, p, known("a"))
	for i := range 5 { // of 6 for all that are not known
		mustTake(t, p, bounded.Owner{Name: fmt.Sprint(i)})
	}
	mustTake(t, p, bounded.Owner{})
	mustNotTake(t, p, bounded.Owner{}, false)
	mustNotTake(t, p, bounded.Owner{Name: "6"}, false)
	mustNotTake(t, p, known("b"), false) // all 8 are taken
	if taken, waiting := p.Used(); taken != 8 || waiting != 0 {
		t.Errorf("%d are taken, %d wait", taken, waiting)
	}
}

func TestPlacesReserved(t *testing.T) {
	p := bounded.NewPlaces(bounded.Room{Most: 8, Each: 8, Reserve: true})
	for range 6 {
		mustTake(t, p, bounded.Owner{})
	}
	mustNotTake(t, p, bounded.Owner{}, false)
	mustTake(t, p, known("a"))
	mustTake(t, p, known("a"))
	mustNotTake(t, p, known("a"), false)
	all := bounded.NewPlaces(bounded.Room{Most: -1, Each: -1})
	for range 10_000 {
		mustTake(t, all, bounded.Owner{})
		mustTake(t, all, known("a"))
	}
}

// waiter starts a goroutine that takes a place, notes it and gives it back at the end of hold.
func waiter(ctx context.Context, p *bounded.Places, owner bounded.Owner, wait, hold time.Duration, done func(error)) {
	go func() {
		place, err := p.Take(ctx, owner, wait)
		done(err)
		if err == nil {
			time.Sleep(hold)
			place.Give()
		}
	}()
}

// TestPlacesInTurn holds that an owner with few waiters is not served after one with many, and that
// the first of an owner comes first.
func TestPlacesInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := bounded.NewPlaces(bounded.Room{Most: 1, Each: -1, Queue: 64})
		place := mustTake(t, p, known("a"))
		var mu sync.Mutex
		var order []string
		for i := range 24 {
			name := "a"
			if i >= 16 {
				name = string(rune('b' + i%2))
			}
			waiter(t.Context(), p, known(name), time.Hour, time.Second, func(err error) {
				mu.Lock()
				defer mu.Unlock()
				order = append(order, fmt.Sprint(name, i))
				if err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		mustNotTake(t, p, known("a"), false) // a has a quarter of the queue
		place.Give()
		time.Sleep(time.Minute)
		mu.Lock()
		defer mu.Unlock()
		want := []string{"a0", "b16", "c17", "a1", "b18", "c19", "a2", "b20", "c21", "a3", "b22", "c23", "a4", "a5"}
		if !slices.Equal(order[:len(want)], want) || len(order) != 24 {
			t.Errorf("%v", order)
		}
	})
}

// TestPlacesOwnLimit holds that who waits for its own share does not keep others from free places.
func TestPlacesOwnLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := bounded.NewPlaces(bounded.Room{Most: 4, Each: 2, Queue: 16})
		place := mustTake(t, p, known("a"))
		mustTake(t, p, known("a"))
		served := false
		waiter(t.Context(), p, known("a"), time.Hour, 0, func(err error) { served = err == nil })
		synctest.Wait()
		mustTake(t, p, known("b")).Give()
		if served {
			t.Error("a has more than its share")
		}
		mustTake(t, p, known("b"))
		place.Give()
		synctest.Wait()
		if !served {
			t.Error("a's waiter missed its place")
		}
	})
}

// TestPlacesQueue holds the bounds of the queue in number and in time, and that who leaves it makes
// room at once.
func TestPlacesQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := bounded.NewPlaces(bounded.Room{Most: 1, Each: -1, Queue: 8})
		place := mustTake(t, p, known("z"))
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		errs := make(map[int]error)
		errOf := func(i int) error {
			mu.Lock()
			defer mu.Unlock()
			return errs[i]
		}
		began := time.Now()
		take := func(i int, ctx context.Context, owner bounded.Owner) {
			waiter(ctx, p, owner, 3*time.Second, 0, func(err error) {
				mu.Lock()
				defer mu.Unlock()
				errs[i] = err
			})
			synctest.Wait()
		}
		take(0, ctx, known("a"))
		take(1, t.Context(), known("a"))
		take(2, t.Context(), known("a")) // a quarter of the queue is 2
		for i := range 4 {
			take(3+i, t.Context(), bounded.Owner{})
		}
		take(7, t.Context(), bounded.Owner{Name: "x"}) // six are not known, or two known and four not
		take(8, t.Context(), bounded.Owner{Name: "y"})
		take(9, t.Context(), known("b")) // the queue is full
		var full *bounded.Full
		for i := range 10 {
			refused := i == 2 || i >= 9
			if errors.As(errOf(i), &full) != refused {
				t.Errorf("%d: %v", i, errOf(i))
			}
		}
		cancel()
		synctest.Wait()
		if !errors.Is(errOf(0), context.Canceled) {
			t.Errorf("cancelled: %v", errOf(0))
		}
		take(10, t.Context(), known("b"))
		if errOf(10) != nil {
			t.Errorf("in the place of who left: %v", errOf(10))
		}
		if time.Since(began) != 0 {
			t.Errorf("refusals took %v", time.Since(began))
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		for i := range 11 {
			if errOf(i) == nil || i != 0 && !errors.As(errOf(i), &full) {
				t.Errorf("%d, after its time: %v", i, errOf(i))
			}
		}
		place.Give()
		if taken, waiting := p.Used(); taken != 0 || waiting != 0 {
			t.Errorf("%d are taken, %d wait", taken, waiting)
		}
	})
}

// TestPlacesAtOnce holds the limits among many goroutines, that nobody misses a place, and that
// nothing is left.
func TestPlacesAtOnce(t *testing.T) {
	p := bounded.NewPlaces(bounded.Room{Most: 6, Each: 3, Queue: 400, Reserve: true})
	var all, strange, missed atomic.Int32
	var each [6]atomic.Int32
	var wg sync.WaitGroup
	for g := range 24 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(g)))
			n := g % 6
			owner := bounded.Owner{Name: fmt.Sprint(n), Known: n < 3}
			for range 2_000 {
				ctx, cancel := t.Context(), context.CancelFunc(func() {})
				if r.IntN(8) == 0 {
					ctx, cancel = context.WithTimeout(ctx, time.Duration(r.IntN(50))*time.Microsecond)
				}
				place, err := p.Take(ctx, owner, time.Minute)
				cancel()
				var full *bounded.Full
				switch {
				case errors.As(err, &full):
					missed.Add(1) // the queue has room for all, for a minute
					continue
				case err != nil:
					continue
				}
				if n >= 3 && strange.Add(1) > 5 || all.Add(1) > 6 || each[n].Add(1) > 3 {
					t.Error("over a limit")
				}
				if r.IntN(4) == 0 {
					time.Sleep(time.Microsecond)
				}
				if n >= 3 {
					strange.Add(-1)
				}
				all.Add(-1)
				each[n].Add(-1)
				place.Give()
			}
		})
	}
	wg.Wait()
	if taken, waiting := p.Used(); taken != 0 || waiting != 0 || missed.Load() > 0 {
		t.Errorf("%d are taken, %d wait, %d missed their place", taken, waiting, missed.Load())
	}
}

// TestPlacesForget holds that owners who are gone leave nothing behind.
func TestPlacesForget(t *testing.T) {
	p := bounded.NewPlaces(bounded.Room{Most: -1, Each: 2, Queue: 8})
	stays := mustTake(t, p, known("stays"))
	for i := range 100_000 {
		mustTake(t, p, known(fmt.Sprint(i))).Give()
	}
	if n := p.Owners(); n > 2_000 {
		t.Errorf("%d owners are kept", n)
	}
	mustTake(t, p, known("stays"))
	mustNotTake(t, p, known("stays"), true)
	stays.Give()
	mustTake(t, p, known("stays"))
}

// TestPlacesAllocations holds that a place costs nothing while there is room.
func TestPlacesAllocations(t *testing.T) {
	p := bounded.NewPlaces(bounded.Room{Most: 8, Each: 2, Queue: 8})
	name := fmt.Sprint("a", rand.Int())
	for _, owner := range []bounded.Owner{{}, {Kind: "caller:", Name: name, Known: true}} {
		mustTake(t, p, owner).Give()
		if n := testing.AllocsPerRun(1000, func() { mustTake(t, p, owner).Give() }); n != 0 {
			t.Errorf("%v: %v allocations", owner, n)
		}
	}
}

func BenchmarkPlaces(b *testing.B) {
	p := bounded.NewPlaces(bounded.Room{Most: 4096, Each: 1024, Queue: 1024, Reserve: true})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			place, err := p.Take(b.Context(), known("ann"), time.Second)
			if err != nil {
				b.Fatal(err)
			}
			place.Give()
		}
	})
}
