package redis_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/redis"
	"github.com/cash-mcp/go-sdk/registry"
)

var costTime = flag.Duration("cost", 10*time.Millisecond, "how long TestCosts measures each cell of its tables")

// ranNothing is for functions that no recorder needs.
func ranNothing(string, time.Time) error { return nil }

// TestRoundTripsOfCalls counts the round trips to the server that calls through the faces take, by a proxy before the
// server. All controls are on.
func TestRoundTripsOfCalls(t *testing.T) {
	s := ownServer(t)
	p := newProxy(t, s.address)
	shared := dial(t, redis.Options{Addresses: []string{p.address}, Results: redis.ResultLimits{MaxPerOwner: 1000}})
	web := httptest.NewServer(newFaces(storesOf(shared), 1e6, ranNothing).handler())
	t.Cleanup(web.Close)
	st := &stand{t: t, client: http.DefaultClient, replicas: []*process{{url: web.URL}}}
	report, read, book, echo := st.toolID("report"), st.toolID("read"), st.toolID("book"), st.toolID("echo")
	call := func(function string, want bool, more map[string]any) func(id string) answer {
		return func(id string) answer {
			t.Helper()
			a, err := st.call("ada", 0, function, id, more)
			if err != nil || a.IsError == want {
				t.Fatalf("%s: %v, %s", function, err, a.Text)
			}
			return a
		}
	}
	execute := func(tool string) func(id string) answer {
		return func(id string) answer {
			t.Helper()
			_, a, err := st.execute("ada", 0, tool, idOnly{id})
			if err != nil || a.IsError {
				t.Fatalf("%s: %v, %s", tool, err, a.Text)
			}
			return a
		}
	}
	plan := call("pay", true, map[string]any{"dry_run": true})
	nothing := func(string) answer { return answer{} }
	for _, row := range []struct {
		name   string
		first  func(id string) answer // not counted
		then   func(id string, first answer) answer
		expect int
	}{
		{"call", nothing, func(id string, _ answer) answer { return call("echo", true, nil)(id) }, 0},
		{"call of a function with effects", nothing, func(id string, _ answer) answer { return call("book", true, nil)(id) }, 0},
		{"dry run", nothing, func(id string, _ answer) answer { return plan(id) }, 0},
		{"call with a plan token", plan, func(id string, first answer) answer {
			return call("pay", true, map[string]any{"plan_token": planToken(first)})(id)
		}, 1},
		{"call with a quota", nothing, func(id string, _ answer) answer { return call("ping", true, nil)(id) }, 1},
		{"call that is gated, read-only", nothing, func(id string, _ answer) answer { return call("read", false, nil)(id) }, 0},
		{"call that is gated", nothing, func(id string, _ answer) answer { return call("export", false, nil)(id) }, 1},
		{"call for a gated result", call("export", false, nil), func(id string, _ answer) answer {
			return call("export", true, map[string]any{"sizelimit": 100_000})(id)
		}, 2},
		{"tool_execute, read-only", nothing, func(id string, _ answer) answer { return execute(echo)(id) }, 0},
		{"tool_execute", nothing, func(id string, _ answer) answer { return execute(book)(id) }, 2},
		{"tool_execute with an artifact, read-only", nothing, func(id string, _ answer) answer { return execute(read)(id) }, 4},
		{"tool_execute with an artifact", nothing, func(id string, _ answer) answer { return execute(report)(id) }, 4},
		{"tool_view", execute(report), func(_ string, first answer) answer {
			a, err := st.view("ada", 0, handleOf(first))
			if err != nil || a.IsError {
				t.Fatalf("tool_view: %v, %s", err, a.Text)
			}
			return a
		}, 1},
		{"call that a person is asked about", nothing, func(id string, _ answer) answer { return call("wipe", false, nil)(id) }, 2},
	} {
		const n = 10
		firsts := make([]answer, n+1)
		for i := range firsts {
			firsts[i] = row.first(fmt.Sprint(row.name, i))
		}
		row.then(fmt.Sprint(row.name, n), firsts[n]) // the server learns the scripts
		p.reset()
		for i, first := range firsts[:n] {
			row.then(fmt.Sprint(row.name, i), first)
		}
		turns, commands := p.counted()
		t.Logf("%-42s %d round trips a call, %v for %d", row.name, turns/n, commands, n)
		if turns != n*row.expect {
			t.Errorf("%s: %d round trips for %d calls, want %d each", row.name, turns, n, row.expect)
		}
	}
	s.kill()
	call("echo", true, nil)("without a server")
	call("book", true, nil)("without a server")
	execute(echo)("without a server")
	execute(read)("without a server")
}

// A load is calls of one kind.
type load struct {
	name string
	one  func(ctx context.Context, f *faces, id string) error
}

// ok returns an error for what is none.
func ok(r *registry.Result, err error, want bool) error {
	if err == nil && r.IsError == want {
		err = fmt.Errorf("unexpected: %.300s", r.Text())
	}
	return err
}

func (f *faces) call(ctx context.Context, function, id string, want bool) error {
	r, err := f.cash.Call(ctx, &cash.CallRequest{Namespace: "shop", Function: function, Kwargs: kwargs(id)})
	return ok(r, err, want)
}

func kwargs(id string) []byte { return []byte(`{"id":` + strconv.Quote(id) + `}`) }

// planned makes a dry run and the call.
func (f *faces) planned(ctx context.Context, id string) error {
	r, err := f.cash.Call(ctx, &cash.CallRequest{Namespace: "shop", Function: "pay", Kwargs: kwargs(id), DryRun: true})
	if err := ok(r, err, true); err != nil {
		return err
	}
	r, err = f.cash.Call(ctx, &cash.CallRequest{Namespace: "shop", Function: "pay", Kwargs: kwargs(id), PlanToken: planToken(answer{Text: r.Text()})})
	return ok(r, err, true)
}

// repeated makes a call that is gated, and then another one for its result.
func (f *faces) repeated(ctx context.Context, id string) error {
	if err := f.call(ctx, "export", id, false); err != nil {
		return err
	}
	limit := 100_000
	r, err := f.cash.Call(ctx, &cash.CallRequest{Namespace: "shop", Function: "export", Kwargs: kwargs(id), SizeLimit: &limit})
	return ok(r, err, true)
}

func (f *faces) execute(ctx context.Context, tool, id string) error {
	r, err := f.gateway.Execute(ctx, &gateway.ExecuteRequest{ID: tool, Args: kwargs(id)})
	return ok(r, err, true)
}

// measure runs a load by so many callers of each replica for a while. It returns the calls and their median time.
func (l load) measure(t *testing.T, replicas []*faces, callers int, during time.Duration) (calls int, median time.Duration) {
	t.Helper()
	var mu sync.Mutex
	var all []time.Duration
	var group sync.WaitGroup
	end := time.Now().Add(during)
	for i, f := range replicas {
		for j := range callers {
			group.Go(func() {
				var took []time.Duration
				for n := 0; n == 0 || time.Now().Before(end); n++ {
					ctx := registry.WithCaller(t.Context(), &registry.Caller{ID: fmt.Sprint("caller ", i, j, rand.IntN(1000))})
					began := time.Now()
					if err := l.one(ctx, f, fmt.Sprint(i, ".", j, ".", n, rand.Int64())); err != nil {
						t.Errorf("%s: %v", l.name, err)
						return
					}
					took = append(took, time.Since(began))
				}
				mu.Lock()
				defer mu.Unlock()
				all = append(all, took...)
			})
		}
	}
	group.Wait()
	slices.Sort(all)
	if len(all) == 0 {
		t.FailNow()
	}
	return len(all), all[len(all)/2]
}

// served returns the commands of a server, those of scripts too, and its processor time.
func served(t *testing.T, c rueidis.Client) (commands int, busy time.Duration) {
	t.Helper()
	text, err := c.Do(t.Context(), c.B().Info().Section("stats", "cpu").Build()).ToString()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch number, _ := strconv.ParseFloat(value, 64); name {
		case "total_commands_processed":
			commands = int(number)
		case "used_cpu_sys", "used_cpu_user":
			busy += time.Duration(number * float64(time.Second))
		}
	}
	return commands, busy
}

// TestCosts prints what calls cost over a server on loopback and in memory, and what a server does for 1 to 16
// replicas. -cost is the time of each cell.
func TestCosts(t *testing.T) {
	s := ownServer(t)
	var count atomic.Int64
	ran := func(string, time.Time) error { count.Add(1); return nil }
	over := func(c *redis.Client) *faces { return newFaces(storesOf(c), 1e6, ran) }
	limits := redis.Options{
		Addresses: []string{s.address},
		Artifacts: redis.ArtifactLimits{Promise: time.Millisecond}, Results: redis.ResultLimits{MaxPerOwner: 1e6, MaxBytes: 1 << 30, MaxEntries: 1e6, MaxBytesPerOwner: 1 << 30},
	}
	ids := make(map[string]string)
	memory := newFaces(stores{}, 1e6, ran)
	web := httptest.NewServer(memory.handler())
	defer web.Close()
	st := &stand{t: t, client: http.DefaultClient, replicas: []*process{{url: web.URL}}}
	for _, name := range []string{"echo", "book", "report", "read"} {
		ids[name] = st.toolID(name)
	}
	plan := load{"dry run and call with its token", func(ctx context.Context, f *faces, id string) error { return f.planned(ctx, id) }}
	quota := load{"call with a quota", func(ctx context.Context, f *faces, id string) error { return f.call(ctx, "ping", id, true) }}
	artifact := load{"tool_execute with an artifact of 10 KB", func(ctx context.Context, f *faces, id string) error { return f.execute(ctx, ids["report"], id) }}
	t.Logf("%-44s %10s %10s", "one caller", "memory", "Redis")
	one := over(dial(t, limits))
	for _, l := range []load{
		{"call", func(ctx context.Context, f *faces, id string) error { return f.call(ctx, "echo", id, true) }},
		quota, plan,
		{"gated call, and call for its result", func(ctx context.Context, f *faces, id string) error { return f.repeated(ctx, id) }},
		{"tool_execute, read-only", func(ctx context.Context, f *faces, id string) error { return f.execute(ctx, ids["echo"], id) }},
		{"tool_execute", func(ctx context.Context, f *faces, id string) error { return f.execute(ctx, ids["book"], id) }},
		artifact,
	} {
		_, in := l.measure(t, []*faces{memory}, 1, *costTime)
		_, at := l.measure(t, []*faces{one}, 1, *costTime)
		t.Logf("%-44s %10v %10v", l.name, in.Round(time.Microsecond), at.Round(time.Microsecond))
	}
	pair := newPair(t)
	pair.replicated()
	pair.replicated()
	limits.Addresses, limits.Replicas = []string{pair.first.address}, 1
	_, at := plan.measure(t, []*faces{over(dial(t, limits))}, 1, *costTime)
	t.Logf("%-44s %10s %10v", plan.name+", Replicas: 1", "", at.Round(time.Microsecond))
	limits.Addresses, limits.Replicas = []string{s.address}, 0
	plain := raw(t, s.address)
	t.Logf("%-44s %8s %10s %10s %10s %10s %10s", "four callers of each replica", "replicas", "per second", "median", "commands", "server CPU", "of a call")
	var replicas []*faces
	for _, n := range []int{1, 2, 4, 8, 16} {
		for len(replicas) < n {
			replicas = append(replicas, over(dial(t, limits)))
		}
		for _, l := range []load{quota, plan, artifact} {
			commands, busy := served(t, plain)
			began := time.Now()
			calls, median := l.measure(t, replicas, 4, *costTime)
			took := time.Since(began)
			commands2, busy2 := served(t, plain)
			t.Logf("%-44s %8d %10.0f %10v %10.1f %9.0f%% %10v", l.name, n, float64(calls)/took.Seconds(), median.Round(time.Microsecond),
				float64(commands2-commands)/float64(calls), 100*(busy2-busy).Seconds()/took.Seconds(), ((busy2 - busy) / time.Duration(calls)).Round(time.Microsecond))
		}
	}
	if count.Load() == 0 {
		t.Error("nothing ran")
	}
}
