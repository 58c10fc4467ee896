package control_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/registry"
)

// failing answers with these errors one after another, and then with "done".
func failing(errs ...error) registry.Handler {
	next := 0
	return func(context.Context, *registry.Call) (*registry.Result, error) {
		if next++; next <= len(errs) {
			return nil, errs[next-1]
		}
		return registry.TextResult("done"), nil
	}
}

// down is an error of what is behind a function.
func down(kind registry.Kind, notRun bool, details map[string]any) *registry.Error {
	return &registry.Error{Kind: kind, Message: "Down.", NotRun: notRun, Details: details}
}

func TestW34RetryOnlyWhatIsSafe(t *testing.T) {
	writes := func(f *registry.Function) bool { return f.Name() == "write" }
	for _, tt := range []struct {
		what  string
		retry control.Retry
		name  string
		err   error
		want  int // runs
	}{
		{"not configured", control.Retry{}, "write", down(registry.Unavailable, true, nil), 1},
		{"before the dispatch", control.Retry{MaxAttempts: 3}, "write", down(registry.Unavailable, true, nil), 3},
		{"timeout before the dispatch", control.Retry{MaxAttempts: 3}, "write", down(registry.TimedOut, true, nil), 3},
		{"wrapped", control.Retry{MaxAttempts: 3}, "write", fmt.Errorf("upstream: %w", down(registry.TimedOut, true, nil)), 3},
		{"nobody knows what it did", control.Retry{MaxAttempts: 3}, "write", down(registry.Unavailable, false, nil), 1},
		{"the function's own word", control.Retry{MaxAttempts: 3}, "read", down(registry.Unavailable, false, nil), 1},
		{"the operator's word", control.Retry{MaxAttempts: 3, Idempotent: writes}, "write", down(registry.TimedOut, false, nil), 3},
		{"the operator's word on another", control.Retry{MaxAttempts: 3, Idempotent: writes}, "wipe", down(registry.TimedOut, false, nil), 1},
		{"no answer to that", control.Retry{MaxAttempts: 3, Idempotent: writes}, "write", down(registry.Failed, true, nil), 1},
		{"denied", control.Retry{MaxAttempts: 3}, "write", down(registry.Denied, true, nil), 1},
		{"rate limited", control.Retry{MaxAttempts: 3}, "write", down(registry.RateLimited, true, nil), 1},
		{"a kind of the operator's", control.Retry{MaxAttempts: 3, Kinds: []registry.Kind{registry.RateLimited}}, "write", down(registry.RateLimited, true, nil), 3},
		{"a kind that is none of the operator's", control.Retry{MaxAttempts: 3, Kinds: []registry.Kind{registry.RateLimited}}, "write", down(registry.TimedOut, true, nil), 1},
		{"any error", control.Retry{MaxAttempts: 3, Idempotent: writes}, "write", errors.New("timeout: unavailable"), 1},
		{"no error", control.Retry{MaxAttempts: 3, Idempotent: writes}, "write", (*registry.Error)(nil), 1},
	} {
		t.Run(tt.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(map[string]registry.Handler{tt.name: failing(tt.err, tt.err, tt.err, tt.err)}, tt.retry.Middleware())
				_, err := r.do("alice", tt.name, "{}")
				if err == nil || r.ran(tt.name) != tt.want {
					t.Errorf("it ran %d times, want %d; error %v", r.ran(tt.name), tt.want, err)
				}
				attempts := registry.AsError(err).Details["attempts"]
				if tt.want == 1 && attempts != nil || tt.want > 1 && attempts != tt.want {
					t.Errorf("attempts = %v", attempts)
				}
			})
		})
	}
}

func TestW34RetryEndsWithAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		retry := control.Retry{MaxAttempts: 5}
		r := newRig(map[string]registry.Handler{
			"write": failing(down(registry.Unavailable, true, nil), down(registry.TimedOut, true, nil)),
			"wipe": func(context.Context, *registry.Call) (*registry.Result, error) {
				return &registry.Result{IsError: true}, nil
			},
		}, retry.Middleware())
		if res := must(r.do("alice", "write", "{}")); res.Text() != "done" || r.ran("write") != 3 {
			t.Errorf("result %+v after %d runs", res, r.ran("write"))
		}
		if must(r.do("alice", "wipe", "{}")); r.ran("wipe") != 1 {
			t.Errorf("an error as a result was tried %d times", r.ran("wipe"))
		}
		must(r.do("alice", "write", "{}", dry))
		if r.ran("write") != 3 {
			t.Error("a dry run ran")
		}
	})
}

// TestW34RetriesDoNotHideThatSomethingRan holds that only an error of attempts
// that all did not run says that nothing ran.
func TestW34RetriesDoNotHideThatSomethingRan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		retry := control.Retry{MaxAttempts: 2, Idempotent: func(*registry.Function) bool { return true }}
		own := down(registry.Unavailable, true, map[string]any{"k": "v"})
		r := newRig(map[string]registry.Handler{
			"write": failing(down(registry.TimedOut, false, nil), own),
			"wipe":  failing(own, own),
		}, retry.Middleware())
		_, err := r.do("alice", "write", "{}")
		if e := registry.AsError(err); e.NotRun || e.Message != "Down. An earlier attempt may have taken effect." || e.Details["outcome"] != "unknown" {
			t.Errorf("error = %#v", e)
		}
		_, err = r.do("alice", "wipe", "{}")
		if e := registry.AsError(err); !e.NotRun || e.Message != "Down." || !maps.Equal(e.Details, map[string]any{"k": "v", "attempts": 2}) {
			t.Errorf("error = %#v", e)
		}
		if len(own.Details) != 1 {
			t.Error("the function's own error was changed")
		}
	})
}

func TestRetryDelays(t *testing.T) {
	whole := func() float64 { return 1 }
	after := func(v any) map[string]any { return map[string]any{"retry_after": v} }
	for _, tt := range []struct {
		what    string
		retry   control.Retry
		details map[string]any
		want    []time.Duration // between the attempts
	}{
		{"doubled", control.Retry{MaxAttempts: 5, BaseDelay: time.Second, MaxDelay: time.Hour, Rand: whole}, nil,
			[]time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}},
		{"bounded", control.Retry{MaxAttempts: 5, BaseDelay: time.Second, MaxDelay: 3 * time.Second, Rand: whole}, nil,
			[]time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 3 * time.Second}},
		{"by default", control.Retry{MaxAttempts: 8, Rand: whole}, nil,
			[]time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond, 1600 * time.Millisecond, 3200 * time.Millisecond, 5 * time.Second}},
		{"jitter", control.Retry{MaxAttempts: 3, BaseDelay: time.Second, Rand: func() float64 { return 0.25 }}, nil,
			[]time.Duration{250 * time.Millisecond, 500 * time.Millisecond}},
		{"as asked", control.Retry{MaxAttempts: 3, BaseDelay: time.Second, Rand: whole}, after(int64(4)), []time.Duration{4 * time.Second, 4 * time.Second}},
		{"as asked, of JSON", control.Retry{MaxAttempts: 2, BaseDelay: time.Second, Rand: whole}, after(1.5), []time.Duration{1500 * time.Millisecond}},
		{"asked for less", control.Retry{MaxAttempts: 2, BaseDelay: 2 * time.Second, Rand: whole}, after(1), []time.Duration{2 * time.Second}},
		{"asked for more than it waits", control.Retry{MaxAttempts: 3, Rand: whole}, after(6), nil},
		{"asked for ever", control.Retry{MaxAttempts: 3, Rand: whole}, after(math.Inf(1)), nil},
		{"asked for nonsense", control.Retry{MaxAttempts: 2, BaseDelay: time.Second, Rand: whole}, after(math.NaN()), []time.Duration{time.Second}},
		{"asked for the past", control.Retry{MaxAttempts: 2, BaseDelay: time.Second, Rand: whole}, after(-1e300), []time.Duration{time.Second}},
		{"asked in words", control.Retry{MaxAttempts: 2, BaseDelay: time.Second, Rand: whole}, after("soon"), []time.Duration{time.Second}},
	} {
		t.Run(tt.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var at []time.Time
				r := newRig(map[string]registry.Handler{
					"write": func(context.Context, *registry.Call) (*registry.Result, error) {
						at = append(at, time.Now())
						return nil, down(registry.Unavailable, true, tt.details)
					},
				}, tt.retry.Middleware())
				if _, err := r.do("alice", "write", "{}"); err == nil {
					t.Fatal("no error")
				}
				var delays []time.Duration
				for i := range at[1:] {
					delays = append(delays, at[i+1].Sub(at[i]))
				}
				if !slices.Equal(delays, tt.want) {
					t.Errorf("delays = %v, want %v", delays, tt.want)
				}
			})
		})
	}
}

// TestRetryFullJitter holds that no delay is beyond its bound, whatever number
// the attempt has.
func TestRetryFullJitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		retry := control.Retry{MaxAttempts: 2000, BaseDelay: time.Millisecond, MaxDelay: 20 * time.Millisecond}
		var last time.Time
		var all time.Duration
		r := newRig(map[string]registry.Handler{
			"write": func(context.Context, *registry.Call) (*registry.Result, error) {
				if !last.IsZero() {
					if d := time.Since(last); d > 20*time.Millisecond {
						t.Errorf("waited for %v", d)
					}
					all += time.Since(last)
				}
				last = time.Now()
				return nil, down(registry.Unavailable, true, nil)
			},
		}, retry.Middleware())
		if _, err := r.do("alice", "write", "{}"); err == nil || r.ran("write") != 2000 {
			t.Errorf("it ran %d times", r.ran("write"))
		}
		if mean := all / 2000; mean < 8*time.Millisecond || mean > 12*time.Millisecond {
			t.Errorf("waited for %v in the mean", mean)
		}
	})
}

// TestRetryEndsWithItsContext holds that nothing is waited for that comes after
// the end of the call, and that the caller learns what went wrong.
func TestRetryEndsWithItsContext(t *testing.T) {
	whole := func() float64 { return 1 }
	synctest.Test(t, func(t *testing.T) {
		retry := control.Retry{MaxAttempts: 10, BaseDelay: 4 * time.Second, MaxDelay: time.Hour, Rand: whole}
		always := func(context.Context, *registry.Call) (*registry.Result, error) {
			return nil, down(registry.Unavailable, true, nil)
		}
		r := newRig(map[string]registry.Handler{"write": always}, retry.Middleware())
		start := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second) // after 4 s, not 12
		defer cancel()
		_, err := r.doIn(ctx, "alice", "write", "{}")
		e := registry.AsError(err)
		if e.Kind != registry.Unavailable || e.Details["attempts"] != 2 || time.Since(start) != 4*time.Second {
			t.Errorf("error %#v after %v", e, time.Since(start))
		}

		ctx, cancel = context.WithCancel(context.Background())
		defer cancel()
		time.AfterFunc(time.Second, cancel)
		_, err = r.doIn(ctx, "alice", "write", "{}")
		if !errors.Is(err, registry.Canceled) && !errors.Is(err, registry.Unavailable) || r.ran("write") != 3 {
			t.Errorf("error %v after %d runs", err, r.ran("write"))
		}
	})
}

func TestNilRetry(t *testing.T) {
	var retry *control.Retry
	r := newRig(nil, retry.Middleware())
	must(r.do("alice", "write", "{}"))
}

// TestW34PlanTokenAndRetries holds that the retries within do not make a
// call that may have run into one that surely did not.
func TestW34PlanTokenAndRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		retry := control.Retry{MaxAttempts: 2, Idempotent: func(*registry.Function) bool { return true }}
		r := newRig(map[string]registry.Handler{
			"write": failing(down(registry.TimedOut, false, nil), down(registry.Unavailable, true, nil)),
		}, control.NewPlans(nil).Middleware(), retry.Middleware())
		token := plan(t, r, "alice", "write", "{}").Token
		if _, err := r.do("alice", "write", "{}", withPlan(token)); !errors.Is(err, registry.Unavailable) {
			t.Fatal(err)
		}
		_, err := r.do("alice", "write", "{}", withPlan(token))
		if e := refusal(t, err, registry.InvalidArguments); e.Details["plan_token"] != "used" {
			t.Errorf("details = %v", e.Details)
		}
	})
}

func ExampleRetry() {
	reg := registry.New(nil)
	tries := 0
	reg.Namespace("orders", "Orders.").Add(registry.Func("ship", "Ship an order.", func(context.Context, struct{}) (string, error) {
		if tries++; tries < 3 {
			return "", &registry.Error{Kind: registry.Unavailable, Message: "No connection to the warehouse.", NotRun: true}
		}
		return "shipped", nil
	}))

	retry := &control.Retry{MaxAttempts: 3, BaseDelay: time.Millisecond}
	p := registry.NewPipeline(reg, &registry.PipelineOptions{Middleware: []registry.Middleware{retry.Middleware()}})
	res, err := p.Call(context.Background(), &registry.Request{Namespace: "orders", Function: "ship"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Text(), "at attempt", tries)
	// Output: shipped at attempt 3
}
