package registry_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cash-mcp/go-sdk/registry"
)

// waits is a function that waits for d, whatever its context does, and counts how many of its calls
// run at a time.
func waits(name string, d time.Duration, opts ...registry.FuncOption) (f *registry.Function, running, most *atomic.Int32) {
	running, most = new(atomic.Int32), new(atomic.Int32)
	return registry.Func(name, "Wait.", func(context.Context, struct{}) (string, error) {
		if n := running.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer running.Add(-1)
		time.Sleep(d)
		return "waited", nil
	}, opts...), running, most
}

func asCaller(id string) context.Context {
	return registry.WithCaller(context.Background(), &registry.Caller{ID: id})
}

// refusedWith holds that err is a refusal that says what to do.
func refusedWith(t *testing.T, err error, kind registry.Kind, scope any) {
	t.Helper()
	e := registry.AsError(err)
	after, _ := e.Details["retry_after"].(int64)
	if err == nil || e.Kind != kind || !e.NotRun || e.Details["scope"] != scope || after < 1 || e.Hint != fmt.Sprintf("Try again in %d s.", after) {
		t.Errorf("%v (%v, not run: %v, %v), want %v of %v", err, e.Kind, e.NotRun, e.Details, kind, scope)
	}
}

// calling makes n calls at a time and returns their errors as they come.
func calling(ctx context.Context, p *registry.Pipeline, name string, n int) <-chan error {
	errs := make(chan error, n)
	for range n {
		go func() {
			_, err := p.Call(ctx, &registry.Request{Function: name})
			errs <- err
		}()
	}
	synctest.Wait()
	return errs
}

func collect(errs <-chan error, n int) (list []error) {
	for range n {
		if err := <-errs; err != nil {
			list = append(list, err)
		}
	}
	return list
}

// TestLimiter holds the limits in all and of a caller, that calls wait for a while, and that what is
// refused is refused at once.
func TestLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, running, most := waits("wait", time.Second)
		l := registry.NewLimiter(&registry.Limits{Calls: 8, PerCaller: 4, Queue: 8, Wait: 1500 * time.Millisecond})
		p, _ := pipelineOf(f, &registry.PipelineOptions{Limiter: l})
		began := time.Now()
		ann := calling(asCaller("ann"), p, "wait", 20) // 4 run, 2 wait
		if running.Load() != 4 || len(ann) != 14 {
			t.Errorf("%d run, %d are refused", running.Load(), len(ann))
		}
		for _, err := range collect(ann, 14) {
			refusedWith(t, err, registry.RateLimited, "caller")
		}
		bob := calling(asCaller("bob"), p, "wait", 5)
		if running.Load() != 8 || len(bob) != 0 {
			t.Errorf("%d run, %d of bob are refused", running.Load(), len(bob))
		}
		for _, err := range collect(calling(asCaller("eve"), p, "wait", 10), 8) {
			refusedWith(t, err, registry.Unavailable, "server")
		}
		if time.Since(began) != 0 {
			t.Errorf("refusals took %v", time.Since(began))
		}
		if failed := append(collect(ann, 6), collect(bob, 5)...); failed != nil {
			t.Errorf("calls that had room failed: %v", failed)
		}
		if most.Load() != 8 {
			t.Errorf("%d ran at a time", most.Load())
		}
		time.Sleep(time.Second)
		synctest.Wait()

		// A call that waits is refused when its time is over.
		slow, _, _ := waits("slow", time.Hour, registry.Timeout(-1))
		p, _ = pipelineOf(slow, &registry.PipelineOptions{Limiter: l})
		calling(asCaller("ann"), p, "slow", 4)
		began = time.Now()
		refusedWith(t, <-calling(asCaller("ann"), p, "slow", 1), registry.RateLimited, "caller")
		if time.Since(began) != 1500*time.Millisecond {
			t.Errorf("it waited %v", time.Since(began))
		}
		time.Sleep(2 * time.Hour)
	})
}

// TestLimiterCancel holds that a call that is cancelled while it waits leaves at once, and was not
// run.
func TestLimiterCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, running, _ := waits("wait", time.Second)
		p, _ := pipelineOf(f, &registry.PipelineOptions{Limiter: registry.NewLimiter(&registry.Limits{Calls: 1, Queue: 1, Wait: time.Hour})})
		first := calling(context.Background(), p, "wait", 1)
		ctx, cancel := context.WithCancel(context.Background())
		second := calling(ctx, p, "wait", 1)
		refusedWith(t, <-calling(context.Background(), p, "wait", 1), registry.Unavailable, "server")
		cancel()
		if e := registry.AsError(<-second); e.Kind != registry.Canceled || !e.NotRun {
			t.Errorf("%v", e)
		}
		third := calling(context.Background(), p, "wait", 1)
		if err := <-first; err != nil || len(third) != 0 {
			t.Errorf("%v, %d", err, len(third))
		}
		if err := <-third; err != nil || running.Load() != 0 {
			t.Errorf("in the place of who left: %v", err)
		}
	})
}

// TestLimiterAbandoned holds that a call has its place until its function has returned.
func TestLimiterAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, running, _ := waits("wait", time.Hour)
		p, _ := pipelineOf(f, &registry.PipelineOptions{Timeout: time.Second, Limiter: registry.NewLimiter(&registry.Limits{Calls: 2, PerCaller: 2, Queue: -1})})
		for _, err := range collect(calling(asCaller("ann"), p, "wait", 2), 2) {
			if !errors.Is(err, registry.TimedOut) {
				t.Errorf("%v", err)
			}
		}
		if running.Load() != 2 {
			t.Errorf("%d run", running.Load())
		}
		refusedWith(t, <-calling(asCaller("ann"), p, "wait", 1), registry.RateLimited, "caller")
		time.Sleep(2 * time.Hour)
		if err := <-calling(asCaller("ann"), p, "wait", 1); !errors.Is(err, registry.TimedOut) {
			t.Errorf("after they have ended: %v", err)
		}
		time.Sleep(2 * time.Hour)
	})
}

// TestLimiterNested holds that what a call does in its turn takes no further place, in any depth,
// and that it cannot go on for free when the call has ended.
func TestLimiterNested(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := registry.NewLimiter(&registry.Limits{Calls: 1, Queue: -1})
		var p *registry.Pipeline
		leaked := make(chan context.Context, 1)
		type in struct {
			Depth int `json:"depth"`
		}
		f := registry.Func("nest", "Call yourself.", func(ctx context.Context, in in) (string, error) {
			if in.Depth == 0 {
				leaked <- ctx
				in, err := l.Enter(ctx, "")
				if err == nil {
					in.Leave()
				}
				return "deep", err
			}
			_, err := p.Call(ctx, &registry.Request{Function: "nest", Arguments: fmt.Appendf(nil, `{"depth":%d}`, in.Depth-1)})
			return "", err
		})
		p, _ = pipelineOf(f, &registry.PipelineOptions{Limiter: l})
		ctx, err := l.Enter(context.Background(), "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Call(ctx, &registry.Request{Function: "nest", Arguments: []byte(`{"depth":5}`)}); err != nil {
			t.Errorf("within other work: %v", err)
		}
		refusedWith(t, <-calling(context.Background(), p, "nest", 1), registry.Unavailable, "server")
		ctx.Leave()
		deep := <-leaked
		if _, err := run(p, "nest", `{"depth":5}`); err != nil {
			t.Errorf("alone: %v", err)
		}
		<-leaked
		hold, err := l.Enter(context.Background(), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, over := range []context.Context{ctx, deep} {
			refusedWith(t, <-calling(context.WithoutCancel(over), p, "nest", 1), registry.Unavailable, "server")
		}
		hold.Leave()
	})
}

// TestLimiterHidden holds that a refusal tells nothing of what there is: it comes before the look-up.
func TestLimiterHidden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, _, _ := waits("wait", time.Hour, registry.Timeout(-1))
		asked := 0
		reg := registry.New(nil)
		reg.Namespace("", "").Add(f)
		reg.Namespace("secret", "", registry.VisibleTo(func(context.Context, *registry.Caller) bool { asked++; return false })).Add(f.In("secret"))
		p := registry.NewPipeline(reg, &registry.PipelineOptions{Limiter: registry.NewLimiter(&registry.Limits{Calls: 1, Queue: -1})})
		calling(context.Background(), p, "wait", 1)
		var texts []string
		for _, namespace := range []string{"", "secret", "none"} {
			_, err := p.Call(context.Background(), &registry.Request{Namespace: namespace, Function: "wait"})
			refusedWith(t, err, registry.Unavailable, "server")
			texts = append(texts, err.Error())
		}
		if texts[0] != texts[1] || texts[1] != texts[2] || asked != 0 {
			t.Errorf("%q, asked %d times", texts, asked)
		}
		time.Sleep(2 * time.Hour)
	})
}

// TestMaxCalls holds the limit of a function: callers wait in turn, calls that were given up count
// until they end, and what does not run the function does not count.
func TestMaxCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, running, most := waits("wait", 900*time.Millisecond, registry.MaxCalls(2), registry.VisibleTo(registry.Authenticated))
		other, _, _ := waits("other", 0)
		reg := registry.New(nil)
		reg.Namespace("a", "").Add(f, other)
		reg.Namespace("b", "").Add(f)
		cached := func(next registry.Handler) registry.Handler {
			return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
				if c.Caller != nil && c.Caller.ID == "cached" {
					return registry.TextResult("kept"), nil
				}
				return next(ctx, c)
			}
		}
		p := registry.NewPipeline(reg, &registry.PipelineOptions{Middleware: []registry.Middleware{cached}})
		do := func(ctx context.Context, req registry.Request, n int) <-chan error {
			errs := make(chan error, n)
			for range n {
				go func() {
					r := req
					_, err := p.Call(ctx, &r)
					errs <- err
				}()
			}
			synctest.Wait()
			return errs
		}
		began := time.Now()
		in := func(namespace string) registry.Request {
			return registry.Request{Namespace: namespace, Function: "wait"}
		}
		first, second := do(asCaller("ann"), in("a"), 1), do(asCaller("ann"), in("b"), 19) // 2 run, 16 wait
		if running.Load() != 2 || len(second) != 2 {
			t.Errorf("%d run, %d are refused", running.Load(), len(second))
		}
		for _, err := range collect(second, 2) {
			refusedWith(t, err, registry.RateLimited, idOf(t, reg, "b"))
		}
		bob := do(asCaller("bob"), in("a"), 1)
		dry := in("a")
		dry.DryRun = true
		for what, errs := range map[string]<-chan error{
			"a dry run":           do(asCaller("bob"), dry, 1),
			"a middleware":        do(asCaller("cached"), in("a"), 1),
			"the function beside": do(asCaller("ann"), registry.Request{Namespace: "a", Function: "other"}, 1),
		} {
			if err := <-errs; err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		if err := <-do(context.Background(), in("a"), 1); !errors.Is(err, registry.UnknownFunction) {
			t.Errorf("hidden: %v", err)
		}
		if time.Since(began) != 0 {
			t.Errorf("that took %v", time.Since(began))
		}
		if err := <-bob; err != nil || time.Since(began) != 1800*time.Millisecond {
			t.Errorf("bob had to wait %v: %v", time.Since(began), err)
		}
		<-first
		if failed := collect(second, 17); len(failed) != 13 || most.Load() != 2 { // one ran at once, three within the wait
			t.Errorf("%d failed, %d ran at a time", len(failed), most.Load())
		}
		ctx, cancel := context.WithCancel(asCaller("ann"))
		given := do(ctx, in("a"), 2)
		cancel()
		collect(given, 2)
		late := do(asCaller("ann"), in("a"), 1)
		if running.Load() != 2 {
			t.Errorf("%d run", running.Load())
		}
		if err := <-late; err != nil {
			t.Errorf("after they have ended: %v", err)
		}
		defer func() {
			if recover() == nil {
				t.Error("MaxCalls(0) is taken")
			}
		}()
		waits("none", 0, registry.MaxCalls(0))
	})
}

func idOf(t *testing.T, src registry.Source, namespace string) string {
	f, err := src.Function(asCaller("ann"), namespace, "wait")
	if err != nil {
		t.Fatal(err)
	}
	return f.Primitive().String()
}

// TestLimiterAllocations holds that admission allocates nothing.
func TestLimiterAllocations(t *testing.T) {
	measure := func(l *registry.Limiter) float64 {
		f := registry.Func("f", "", func(context.Context, struct{}) (string, error) { return "", nil })
		p, _ := pipelineOf(f, &registry.PipelineOptions{Limiter: l})
		ctx, req := asCaller("ann"), &registry.Request{Function: "f"}
		return testing.AllocsPerRun(200, func() {
			if _, err := p.Call(ctx, req); err != nil {
				t.Fatal(err)
			}
		})
	}
	if with, without := measure(registry.NewLimiter(nil)), measure(nil); with > without {
		t.Errorf("%v allocations, %v without a limiter", with, without)
	}
}
