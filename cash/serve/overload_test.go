package serve_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/registry"
)

var overload = flag.Duration("overload", 0, "how long TestOverload lasts with measured figures: zero is a second without")

// An overloaded is a server that is asked for ten times what its limits allow: by one caller as much as
// by all others together.
type overloaded struct {
	limits  registry.Limits
	takes   time.Duration // a call
	lasts   time.Duration
	asked   time.Duration // how long it was asked
	running atomic.Int32
	most    atomic.Int32

	mu       sync.Mutex
	served   map[string]int  // by caller
	refused  []time.Duration // how long a refusal took
	waited   []time.Duration // how long a call took
	mistakes []string
	live     []uint64        // bytes of the heap, ten times a second
	bare     []time.Duration // how long the machine took for a request that does nothing, as often
}

func (o *overloaded) work(context.Context, struct{}) (string, error) {
	n := o.running.Add(1)
	defer o.running.Add(-1)
	for is := o.most.Load(); n > is && !o.most.CompareAndSwap(is, n); is = o.most.Load() {
	}
	time.Sleep(o.takes)
	return "done", nil
}

// ask makes one call and notes what comes of it.
func (o *overloaded) ask(s *mcp.ClientSession, caller string) {
	began := time.Now()
	res, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: "call", Arguments: map[string]any{"function": "work"}})
	took := time.Since(began)
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case err != nil && strings.Contains(err.Error(), "Service Unavailable"):
		o.refused = append(o.refused, took) // too many requests in progress
	case err != nil:
		o.mistakes = append(o.mistakes, err.Error())
	case !res.IsError:
		o.served[caller]++
		o.waited = append(o.waited, took)
	case !strings.Contains(textOf(res), "This one was not run. Try again in"):
		o.mistakes = append(o.mistakes, textOf(res))
	default:
		o.refused = append(o.refused, took)
	}
}

// run asks for ten times as many calls as there is room for, evenly over the time.
func (o *overloaded) run(t *testing.T, url, version string) {
	o.served = make(map[string]int)
	const callers = 9
	var sessions []*mcp.ClientSession
	for i := range callers {
		sessions = append(sessions, dial(t, url, version, http.Header{"X-User": {fmt.Sprint("user", i)}}))
	}
	every := o.takes / time.Duration(10*o.limits.Calls)
	var wg sync.WaitGroup
	began := time.Now()
	second := began
	tick := time.NewTicker(every)
	defer tick.Stop()
	for i := 0; time.Since(began) < o.lasts; i++ {
		<-tick.C // a machine that is late asks less
		caller := 0
		if i%2 == 1 {
			caller = 1 + i/2%(callers-1)
		}
		wg.Go(func() { o.ask(sessions[caller], fmt.Sprint("user", caller)) })
		if *overload > 0 && time.Since(second) >= 100*time.Millisecond {
			second = time.Now()
			o.live = append(o.live, liveHeap())
			wg.Go(func() { o.look(url + "/ready") })
		}
	}
	o.asked = time.Since(began)
	wg.Wait()
}

// look makes a request that does nothing.
func (o *overloaded) look(url string) {
	began := time.Now()
	res, err := http.Get(url)
	o.mu.Lock()
	defer o.mu.Unlock()
	if err != nil {
		o.mistakes = append(o.mistakes, err.Error())
		return
	}
	res.Body.Close()
	o.bare = append(o.bare, time.Since(began))
}

// liveHeap returns the bytes that were in use after the last collection.
func liveHeap() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// TestOverload holds that a server that is asked for ten times what its limits allow serves as much as
// they allow and refuses the rest, and that one caller cannot take what is due to others.
func TestOverload(t *testing.T) {
	for _, version := range generations {
		t.Run(version, func(t *testing.T) {
			o := &overloaded{limits: registry.Limits{Calls: 16, Queue: 8}, takes: 250 * time.Millisecond, lasts: time.Second}
			if *overload > 0 {
				o.limits, o.takes, o.lasts = registry.Limits{Calls: 64, Queue: 16}, time.Second, *overload
			}
			reg := registry.New(nil)
			reg.Namespace("", "").Add(registry.Func("work", "Work.", o.work))
			opts := limited(o.limits)
			srv := cash.NewServer(reg, &cash.Options{Serve: opts})
			mux := http.NewServeMux()
			mux.Handle("/", login(srv.Handler()))
			mux.Handle("/ready", srv.ReadyHandler())
			ts := httptest.NewServer(mux)
			t.Cleanup(ts.Close)
			o.run(t, ts.URL, version)
			if n := o.most.Load(); int(n) > o.limits.Calls {
				t.Errorf("%d ran at a time", n)
			}
			if len(o.refused) == 0 || len(o.mistakes) > 0 {
				t.Errorf("%d are refused, wrong answers: %q", len(o.refused), o.mistakes[:min(3, len(o.mistakes))])
			}
			fewest, all := o.served["user1"], 0
			for i := range 9 {
				n := o.served[fmt.Sprint("user", i)]
				fewest, all = min(fewest, n), all+n
			}
			if fewest == 0 || o.served["user0"] > all/2 {
				t.Errorf("served: %v", o.served)
			}
			if running, waiting := opts.Limiter.InProgress(); running != 0 || waiting != 0 {
				t.Errorf("afterwards %d run, %d wait", running, waiting)
			}
			if *overload > 0 {
				o.report(t, all)
			}
		})
	}
}

// report prints the figures, and holds what they must be.
func (o *overloaded) report(t *testing.T, served int) {
	slices.Sort(o.refused)
	slices.Sort(o.waited)
	p := func(list []time.Duration, part float64) time.Duration {
		return list[int(float64(len(list)-1)*part)].Round(10 * time.Microsecond)
	}
	slices.Sort(o.bare)
	room := int(o.asked * time.Duration(o.limits.Calls) / o.takes)
	third := len(o.live) / 3
	first, last := slices.Max(o.live[:third]), slices.Max(o.live[len(o.live)-third:])
	t.Logf("in %v: %d asked, room for %d: %d served (%.1f %%), %d refused", o.asked.Round(time.Millisecond), served+len(o.refused), room, served, 100*float64(served)/float64(room), len(o.refused))
	t.Logf("refusals took %v at the median, %v at p99, %v at most; calls %v at the median, %v at p99",
		p(o.refused, 0.5), p(o.refused, 0.99), p(o.refused, 1), p(o.waited, 0.5), p(o.waited, 0.99))
	t.Logf("a request that does nothing took %v at the median, %v at p99", p(o.bare, 0.5), p(o.bare, 0.99))
	t.Logf("live heap %.1f MB at most in the first third, %.1f MB in the last; served by caller: %v", float64(first)/1e6, float64(last)/1e6, o.served)
	switch {
	case p(o.refused, 0.99) >= 10*time.Millisecond+p(o.bare, 0.99): // what other processes take is not ours
		t.Error("refusals are slow")
	case float64(served) < 0.9*float64(room):
		t.Error("less than 90 % of what there is room for was served")
	case last > first+first/4+2<<20:
		t.Error("memory grows")
	}
}

// TestSessionsLeft holds that the memory of sessions that clients open and leave comes back after the
// idle time.
func TestSessionsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		many := 300
		if *overload > 0 {
			many = 5000
		}
		h := cash.NewServer(whoami(), nil).Handler()
		open := func(use bool) {
			code, id := post(t, h, "", initialize, nil)
			if code != http.StatusOK {
				t.Fatalf("a session: %d", code)
			}
			if use {
				post(t, h, id, initialized, nil)
				post(t, h, id, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, nil)
			}
		}
		measure := func() (heap, goroutines int) {
			synctest.Wait()
			runtime.GC()
			runtime.GC()
			return int(liveHeap()), runtime.NumGoroutine()
		}
		open(true)
		heap, goroutines := measure()
		for i := range many {
			open(i%2 == 0) // the others are never used
		}
		fullHeap, fullGoroutines := measure()
		time.Sleep(time.Hour)
		leftHeap, leftGoroutines := measure()
		t.Logf("heap %.1f MB with a session, %.1f MB with %d more, %.1f MB after the idle time; goroutines %d, %d, %d",
			float64(heap)/1e6, float64(fullHeap)/1e6, many, float64(leftHeap)/1e6, goroutines, fullGoroutines, leftGoroutines)
		if fullGoroutines < goroutines+many/2 || leftGoroutines > goroutines || leftHeap-heap > (fullHeap-heap)/4+256<<10 { // the runtime keeps descriptors of goroutines
			t.Error("memory does not come back")
		}
	})
}
