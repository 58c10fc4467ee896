package main

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"
)

// A trial is one subject at one size.
type trial struct {
	ctx     context.Context
	dir     string // a folder of its own, which is removed later
	size    int
	clients int
	shared  map[string]any // what the subjects of a size share

	subject *subject
	op      func(client int) error
	undo    []func()
	began   time.Time
	before  memory
	borrows bool
	took    *cost // of the latest operation that measures itself
	batch   int
	figure  *figure
}

// A cost is time and memory of some operations.
type cost struct {
	time          time.Duration
	allocs, bytes float64
}

// memory is what the process has.
type memory struct {
	heap       int64
	goroutines int
}

// cleanup runs f when the trial is over, the latest first.
func (t *trial) cleanup(f func()) { t.undo = append(t.undo, f) }

// mark leaves out of the setup's time and memory what has been made so far.
func (t *trial) mark() { t.before, t.began = memoryNow(), time.Now() }

// timed measures f instead of the whole operation. Operations that use it run one by one.
func (t *trial) timed(f func() error) error {
	allocs, bytes := allocated()
	start := time.Now()
	err := f()
	t.took = &cost{time: time.Since(start)}
	more, moreBytes := allocated()
	t.took.allocs, t.took.bytes = more-allocs, moreBytes-bytes
	return err
}

// tell replaces the time of the operation. Its memory is not measured.
func (t *trial) tell(d time.Duration) { t.took = &cost{time: d, allocs: -1, bytes: -1} }

// share returns what the first subject with the key has made. Time and memory of the setup are then the first one's.
func share[T any](t *trial, key string, make func() (T, error)) (T, error) {
	if v, ok := t.shared[key].(T); ok {
		t.borrows = true
		return v, nil
	}
	v, err := make()
	if err == nil {
		t.shared[key] = v
	}
	return v, err
}

// start sets the subject up.
func (t *trial) start(chart string) error {
	t.mark()
	op, err := t.subject.setup(t)
	if err != nil {
		return err
	}
	took := time.Since(t.began)
	t.op = op
	t.figure = &figure{chart: chart, subject: t.subject.name, size: t.size}
	if now := memoryNow(); !t.borrows {
		t.figure.setup, t.figure.heap, t.figure.goroutines = took, now.heap-t.before.heap, now.goroutines-t.before.goroutines
	}
	return nil
}

func (t *trial) stop() {
	for _, f := range slices.Backward(t.undo) {
		f()
	}
}

// maxSingles bounds the single operations whose times are kept.
const maxSingles = 50_000

// round runs a batch of operations, and keeps what they cost.
func (t *trial) round() error {
	allocs, bytes := allocated()
	start := time.Now()
	singles, err := t.run()
	spent := cost{time: time.Since(start)}
	if err != nil {
		return err
	}
	more, moreBytes := allocated()
	spent.allocs, spent.bytes = more-allocs, moreBytes-bytes
	if t.took != nil {
		spent, singles = *t.took, []float64{float64(t.took.time)}
	}
	f, n := t.figure, float64(t.batch)
	f.rounds = append(f.rounds, float64(spent.time)/n)
	if len(f.singles) < maxSingles {
		f.singles = append(f.singles, singles...)
	}
	f.allocs += spent.allocs / n
	f.bytes += spent.bytes / n
	return nil
}

// run runs a batch, divided among the clients, and returns the time of each operation.
func (t *trial) run() ([]float64, error) {
	t.took = nil
	singles := make([]float64, t.batch)
	errs := make([]error, t.clients)
	each := t.batch / t.clients
	work := func(client int) {
		for i := range each {
			start := time.Now()
			if errs[client] = t.op(client); errs[client] != nil {
				return
			}
			singles[client*each+i] = float64(time.Since(start))
		}
	}
	if t.clients == 1 {
		work(0)
		return singles, errs[0]
	}
	var all sync.WaitGroup
	for client := range t.clients {
		all.Go(func() { work(client) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return singles, nil
}

// warm runs the operation for a while, and returns the time of one.
func (t *trial) warm(atLeast time.Duration) (time.Duration, error) {
	t.batch = t.clients
	var spent time.Duration
	for n := 1; ; n++ {
		start := time.Now()
		if _, err := t.run(); err != nil {
			return 0, err
		}
		last := time.Since(start)
		if spent += last; spent >= atLeast {
			return max(min(last, spent/time.Duration(n)), 1), nil
		}
	}
}

// finish makes medians and means of what the rounds have kept.
func (t *trial) finish() *figure {
	f, n := t.figure, float64(len(t.figure.rounds))
	f.allocs, f.bytes = f.allocs/n, f.bytes/n
	slices.Sort(f.rounds)
	slices.Sort(f.singles)
	return f
}

// memoryNow collects twice, because pools survive the first collection.
func memoryNow() memory {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return memory{int64(m.HeapAlloc), runtime.NumGoroutine()}
}

// allocated returns the number and the bytes of all allocations so far.
func allocated() (objects, bytes float64) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.Mallocs), float64(m.TotalAlloc)
}
