package control_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

func TestQuotaPerMinute(t *testing.T) {
	clock := newClock()
	q := control.NewQuota(&control.QuotaOptions{Default: control.Limit{PerMinute: 3}, Now: clock.Now})
	r := newRig(nil, q.Middleware())
	for i := range 3 {
		must(r.do("alice", "write", "{}"))
		clock.advance(time.Duration(i) * time.Second) // at 0, 0 and 1 s; now 3 s
	}
	_, err := r.do("alice", "write", "{}")
	e := refusal(t, err, registry.RateLimited)
	if e.Details["scope"] != r.idOf(t, "write") || e.Details["retry_after"] != int64(57) {
		t.Errorf("details = %v", e.Details)
	}
	if e.Namespace != "shop" || e.Name != "write" || !strings.Contains(e.Error(), "3 times per minute") || !strings.Contains(e.Error(), "57 s") {
		t.Errorf("error = %+v", e)
	}
	clock.advance(57*time.Second - time.Nanosecond)
	_, err = r.do("alice", "write", "{}")
	refusal(t, err, registry.RateLimited)
	clock.advance(time.Nanosecond)
	for range 2 { // those of the start are a minute old
		must(r.do("alice", "write", "{}"))
	}
	_, err = r.do("alice", "write", "{}")
	refusal(t, err, registry.RateLimited)
	if r.ran("write") != 5 {
		t.Errorf("ran %d times, want 5", r.ran("write"))
	}
}

// must returns the result of a call that has to succeed.
func must(res *registry.Result, err error) *registry.Result {
	if err != nil {
		panic(err)
	}
	return res
}

func TestQuotaLimitsByIDAndPath(t *testing.T) {
	id := newRig(nil).idOf(t, "write")
	one, two, three := control.Limit{PerMinute: 1}, control.Limit{PerMinute: 2}, control.Limit{PerSession: 3}
	for _, tt := range []struct {
		name  string
		opts  control.QuotaOptions
		calls string // of shop
		want  int    // let through; -1 is all
	}{
		{"nothing", control.QuotaOptions{}, "write", -1},
		{"default", control.QuotaOptions{Default: two}, "write", 2},
		{"id", control.QuotaOptions{Tools: map[string]control.Limit{id: one}}, "write", 1},
		{"id of another hash", control.QuotaOptions{Tools: map[string]control.Limit{"shop:write#00000000": one}}, "write", -1},
		{"id of another", control.QuotaOptions{Tools: map[string]control.Limit{id: one}}, "read", -1},
		{"in place of the default", control.QuotaOptions{Default: one, Tools: map[string]control.Limit{id: two}}, "write", 2},
		{"none in place of the default", control.QuotaOptions{Default: one, Tools: map[string]control.Limit{id: {}}}, "write", -1},
		{"path", control.QuotaOptions{Tools: map[string]control.Limit{"shop.write": two}}, "write", 2},
		{"path, other spelling", control.QuotaOptions{Tools: map[string]control.Limit{"SHOP.bigread": two}}, "Big_Read", 2},
		{"the stricter of two paths", control.QuotaOptions{Tools: map[string]control.Limit{"shop.write": two, "Shop.Write": one}}, "write", 1},
		{"the stricter of path and id", control.QuotaOptions{Tools: map[string]control.Limit{"shop.write": three, id: two}}, "write", 2},
		{"session", control.QuotaOptions{Default: three}, "write", 3},
		{"nothing per minute", control.QuotaOptions{Default: control.Limit{PerMinute: -1}}, "write", 0},
		{"nothing per session", control.QuotaOptions{Default: control.Limit{PerSession: -1}}, "write", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.opts.Now = newClock().Now
			r := newRig(nil, control.NewQuota(&tt.opts).Middleware())
			passed := 0
			for range 10 {
				if _, err := r.do("alice", tt.calls, "{}"); err == nil {
					passed++
				} else {
					refusal(t, err, registry.RateLimited)
				}
			}
			if tt.want == -1 {
				tt.want = 10
			}
			if passed != tt.want || r.ran(tt.calls) != tt.want {
				t.Errorf("%d were let through and %d ran, want %d", passed, r.ran(tt.calls), tt.want)
			}
		})
	}
}

func TestToolKeysThatAreNone(t *testing.T) {
	for _, key := range []string{"", ".", "shop..write", "shop.write*", "shop write", "a:b:c", ":", "shop:write", "shop:write#xyz", "tool::shop:write"} {
		quota := &control.QuotaOptions{Tools: map[string]control.Limit{key: {}}}
		if err := quota.Check(); err == nil {
			t.Errorf("a quota takes %q", key)
		} else {
			wantPanic(t, err, func() { control.NewQuota(quota) })
		}
		cache := &control.CacheOptions{Allow: []string{key}}
		if err := cache.Check(); err == nil {
			t.Errorf("a cache takes %q", key)
		} else {
			wantPanic(t, err, func() { control.NewCache(cache) })
		}
	}
}

func TestQuotaOfIDsWithoutVersionOrHash(t *testing.T) {
	for key, limited := range map[string]bool{
		"up:f@1#00000001": true, "up:f@1": true, "up:f#00000001": true,
		"up:f@2": false, "up:f@1#00000002": false, "up:f@2#00000001": false, "resource::up:f@1": false, "up.f": false, "place.any": true,
	} {
		id, err := toolid.ParsePrimitive("up:f@1#00000001")
		if err != nil {
			t.Fatal(err)
		}
		f, err := registry.RemoteFunc("any", "Any.", registry.Remote{ID: id, Handler: failing()})
		if err != nil {
			t.Fatal(err)
		}
		r := &rig{reg: registry.New(nil)}
		r.reg.Namespace("place", "A place.").Add(f)
		q := control.NewQuota(&control.QuotaOptions{Tools: map[string]control.Limit{key: {PerSession: -1}}})
		r.Pipeline = registry.NewPipeline(r.reg, &registry.PipelineOptions{Middleware: []registry.Middleware{q.Middleware()}})
		_, err = r.Call(context.Background(), &registry.Request{Namespace: "place", Function: "any"})
		if (err != nil) != limited {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func TestQuotaOwners(t *testing.T) {
	q := control.NewQuota(&control.QuotaOptions{Default: control.Limit{PerMinute: 1}, Now: newClock().Now})
	r := newRig(nil, q.Middleware())
	for _, caller := range []string{"alice", "bob", "@1", "@2", ""} {
		must(r.do(caller, "write", "{}"))
		must(r.do(caller, "read", "{}")) // is counted for itself
		_, err := r.do(caller, "write", "{}")
		refusal(t, err, registry.RateLimited)
	}
}

// TestQuotaOfAServerThatMountsThisOne holds that whom a caller says that it calls
// for gives it no further quota, in whatever way it says so.
func TestQuotaOfAServerThatMountsThisOne(t *testing.T) {
	for _, own := range []string{"caller:alice", "connection:1"} {
		q := control.NewQuota(&control.QuotaOptions{Default: control.Limit{PerMinute: 3}, Meta: map[string]control.Limit{"help": {PerSession: 2}}})
		r := newRig(nil, q.Middleware())
		ctx := context.Background()
		if own == "caller:alice" {
			ctx = registry.WithCaller(ctx, &registry.Caller{ID: "alice"})
		}
		as := func(owner string) error {
			_, err := r.doIn(ctx, "", "write", "{}", func(req *registry.Request) { req.Client = &registry.Client{Owner: owner} })
			return err
		}
		for _, owner := range []string{own, own + "\x00for:bob", own + "\x00for:eve"} {
			if err := as(owner); err != nil {
				t.Errorf("%q: %v", owner, err)
			}
		}
		refusal(t, as(own+"\x00for:new"), registry.RateLimited)
		for i := range 3 {
			if err := q.Allow(ctx, fmt.Sprintf("%s\x00for:%d", own, i), "help"); (err != nil) != (i == 2) {
				t.Errorf("help %d: %v", i, err)
			}
		}
	}
	// An authenticated one that says of nobody for whom it calls is itself.
	r := newRig(nil, control.NewQuota(&control.QuotaOptions{Default: control.Limit{PerMinute: 1}}).Middleware())
	nobody := func(req *registry.Request) { req.Client = new(registry.Client) }
	must(r.do("alice", "write", "{}", nobody))
	must(r.do("bob", "write", "{}", nobody))
	_, err := r.do("alice", "write", "{}")
	refusal(t, err, registry.RateLimited)
}

// TestQuotaNegative holds that a negative limit lets nothing through.
func TestQuotaNegative(t *testing.T) {
	for _, limit := range []control.Limit{{PerMinute: -1}, {PerSession: -1}, {PerMinute: 5, Burst: -1}} {
		_, err := newRig(nil, control.NewQuota(&control.QuotaOptions{Default: limit}).Middleware()).do("alice", "write", "{}")
		refusal(t, err, registry.RateLimited)
	}
}

func TestQuotaSession(t *testing.T) {
	clock := newClock()
	q := control.NewQuota(&control.QuotaOptions{
		Default: control.Limit{PerSession: 2}, SessionIdle: 10 * time.Minute, Now: clock.Now,
	})
	r := newRig(nil, q.Middleware())
	used := func() {
		t.Helper()
		for range 2 {
			must(r.do("alice", "write", "{}"))
		}
		_, err := r.do("alice", "write", "{}")
		e := refusal(t, err, registry.RateLimited)
		if after, ok := e.Details["retry_after"]; !ok || after != nil {
			t.Errorf("retry_after = %v, want null: waiting does not help", after)
		}
	}
	used()
	for range 3 { // what is refused keeps the session open
		clock.advance(9 * time.Minute)
		_, err := r.do("alice", "write", "{}")
		refusal(t, err, registry.RateLimited)
	}
	q.Forget(context.Background(), "caller:bob")
	_, err := r.do("alice", "write", "{}")
	refusal(t, err, registry.RateLimited)
	q.Forget(context.Background(), "caller:alice")
	used()
	clock.advance(10 * time.Minute)
	used()
}

func TestQuotaBurst(t *testing.T) {
	clock := newClock()
	q := control.NewQuota(&control.QuotaOptions{Default: control.Limit{PerMinute: 6, Burst: 2}, Now: clock.Now})
	r := newRig(nil, q.Middleware())
	times := func(want int) {
		t.Helper()
		for range want {
			must(r.do("alice", "write", "{}"))
		}
		_, err := r.do("alice", "write", "{}")
		refusal(t, err, registry.RateLimited)
	}
	times(2)
	_, err := r.do("alice", "write", "{}")
	if e := refusal(t, err, registry.RateLimited); e.Details["retry_after"] != int64(10) || !strings.Contains(e.Message, "2 at once") {
		t.Errorf("refusal = %+v", e)
	}
	for range 4 { // at 10, 20, 30 and 40 s
		clock.advance(10 * time.Second)
		times(1)
	}
	clock.advance(10 * time.Second)
	times(0) // six are the most within a minute
	clock.advance(10 * time.Second)
	times(2)
}

// TestW30DryRunIsHeldToTheQuota holds that a dry run says what the call would
// meet, and uses nothing up.
func TestW30DryRunIsHeldToTheQuota(t *testing.T) {
	q := control.NewQuota(&control.QuotaOptions{Default: control.Limit{PerMinute: 1}, Now: newClock().Now})
	r := newRig(nil, q.Middleware())
	for range 5 {
		res, err := r.do("alice", "write", "{}", dry)
		if text := textOf(t, res, err); !strings.Contains(text, `{"name":"rate_limit","status":"pass"}`) {
			t.Fatalf("dry run = %s", text)
		}
	}
	must(r.do("alice", "write", "{}"))
	res, err := r.do("alice", "write", "{}", dry)
	want := "{\"name\":\"rate_limit\",\"status\":\"fail\",\"message\":\"`shop.write` may be called once per minute, and that is used up."
	if text := textOf(t, res, err); !strings.Contains(text, want) || !strings.Contains(text, `"retry_after":60}`) {
		t.Errorf("dry run = %s", text)
	}
}

func TestQuotaOfTheToolsOfAFace(t *testing.T) {
	clock := newClock()
	q := control.NewQuota(&control.QuotaOptions{
		Default: control.Limit{PerMinute: 2},
		Meta:    map[string]control.Limit{"tool_browse": {PerMinute: 1}, "tool_execute": {PerMinute: 3}},
		Now:     clock.Now,
	})
	ctx := context.Background()
	if err := q.Allow(ctx, "@", "tool_browse"); err != nil {
		t.Fatal(err)
	}
	e := refusal(t, q.Allow(ctx, "@", "tool_browse"), registry.RateLimited)
	if e.Details["scope"] != "tool_browse" || e.Details["retry_after"] != int64(60) {
		t.Errorf("details = %v", e.Details)
	}
	if err := q.Allow(ctx, "other", "tool_browse"); err != nil {
		t.Errorf("another owner: %v", err)
	}
	for range 9 {
		if err := q.Allow(ctx, "@", "tool_view"); err != nil {
			t.Fatalf("without a limit: %v", err)
		}
	}

	// Two of write and one of read are the three that tool_execute has. The third
	// of write is refused by its own limit and counts for neither.
	r := newRig(nil, q.Middleware())
	through := control.Through(ctx, "tool_execute")
	for _, tt := range []struct{ name, scope string }{
		{"write", ""}, {"write", ""}, {"write", r.idOf(t, "write")}, {"read", ""}, {"read", "tool_execute"}, {"wipe", "tool_execute"},
	} {
		_, err := r.doIn(through, "alice", tt.name, "{}")
		if tt.scope == "" {
			must(nil, err)
			continue
		}
		if e := refusal(t, err, registry.RateLimited); e.Details["scope"] != tt.scope {
			t.Errorf("%s: scope = %v, want %s", tt.name, e.Details["scope"], tt.scope)
		}
	}
	must(r.do("alice", "wipe", "{}")) // by another way
}

func TestNilQuota(t *testing.T) {
	var q *control.Quota
	r := newRig(nil, q.Middleware())
	must(r.do("alice", "write", "{}"))
	q.Forget(context.Background(), "alice")
	if err := q.Allow(context.Background(), "alice", "tool_browse"); err != nil {
		t.Error(err)
	}
	if text := must(r.do("alice", "write", "{}", dry)).Text(); !strings.Contains(text, `{"name":"rate_limit","status":"not_configured"}`) {
		t.Errorf("a check of what is not configured: %s", text)
	}
}

// TestQuotaForgetsOnlyConnections holds that nobody can push out what is counted
// for an authenticated caller, nor for those who share.
func TestQuotaForgetsOnlyConnections(t *testing.T) {
	clock := newClock()
	q := control.NewQuota(&control.QuotaOptions{Default: control.Limit{PerSession: 1}, Max: 4, Now: clock.Now})
	r := newRig(nil, q.Middleware())
	must(r.do("alice", "write", "{}"))
	must(r.do("", "write", "{}"))
	for i := range 100 {
		must(r.do(fmt.Sprint("@", i), "write", "{}"))
	}
	for _, caller := range []string{"alice", "", "@98", "@99"} {
		_, err := r.do(caller, "write", "{}")
		refusal(t, err, registry.RateLimited)
	}
	must(r.do("bob", "write", "{}")) // in the place of connections
	must(r.do("carol", "write", "{}"))
	_, err := r.do("dave", "write", "{}")
	if e := refusal(t, err, registry.RateLimited); !strings.Contains(e.Message, "Too many callers") {
		t.Errorf("refusal = %v", e)
	}
	_, err = r.do("@new", "write", "{}")
	refusal(t, err, registry.RateLimited)
	clock.advance(30 * time.Minute)
	for _, caller := range []string{"alice", "", "bob"} {
		_, err := r.do(caller, "write", "{}")
		refusal(t, err, registry.RateLimited)
	}
	clock.advance(30 * time.Minute)
	must(r.do("dave", "write", "{}")) // carol has been idle for an hour
	_, err = r.do("erin", "write", "{}")
	refusal(t, err, registry.RateLimited)
}

// TestQuotaWindowInvariant drives a quota at random beside a plain model: a call
// is let through if and only if fewer than the limit were in the last minute.
func TestQuotaWindowInvariant(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	clock := newClock()
	const limit = 7
	q := control.NewQuota(&control.QuotaOptions{Meta: map[string]control.Limit{"help": {PerMinute: limit}}, Max: 1000, Now: clock.Now})
	passed := make(map[string][]time.Time)
	for step := range 20_000 {
		clock.advance(time.Duration(rnd.Int64N(int64(8 * time.Second))))
		if rnd.IntN(200) == 0 {
			clock.advance(time.Minute)
		}
		owner := fmt.Sprint("o", rnd.IntN(3))
		passed[owner] = slices.DeleteFunc(passed[owner], func(at time.Time) bool { return clock.Now().Sub(at) >= time.Minute })
		recent := len(passed[owner])
		err := q.Allow(context.Background(), owner, "help")
		if (err == nil) != (recent < limit) {
			t.Fatalf("step %d: %d in the last minute, error %v", step, recent, err)
		}
		if err == nil {
			passed[owner] = append(passed[owner], clock.Now())
		} else if after := time.Duration(err.(*registry.Error).Details["retry_after"].(int64)) * time.Second; after > time.Minute || after <= 0 {
			t.Fatalf("step %d: retry after %v", step, after)
		}
	}
}

// TestQuotaRetryAfterIsTrue holds that a caller who waits as long as it is told
// is let through, and not a second before.
func TestQuotaRetryAfterIsTrue(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		clock := newClock()
		limit := control.Limit{PerMinute: 1 + rnd.IntN(90)}
		limit.Burst = rnd.IntN(limit.PerMinute + 1)
		q := control.NewQuota(&control.QuotaOptions{Meta: map[string]control.Limit{"help": limit}, Now: clock.Now})
		for range 200 {
			err := q.Allow(context.Background(), "o", "help")
			if err == nil {
				clock.advance(time.Duration(rnd.IntN(300)) * time.Millisecond)
				continue
			}
			after := time.Duration(err.(*registry.Error).Details["retry_after"].(int64)) * time.Second
			clock.advance(after - time.Second)
			if after > time.Second && q.Allow(context.Background(), "o", "help") == nil {
				t.Fatalf("%+v: let through a second earlier than after %v", limit, after)
			}
			clock.advance(time.Second)
			if err := q.Allow(context.Background(), "o", "help"); err != nil {
				t.Fatalf("%+v: refused after %v: %v", limit, after, err)
			}
		}
	}
}

func TestQuotaClockThatGoesBack(t *testing.T) {
	clock := newClock()
	q := control.NewQuota(&control.QuotaOptions{Meta: map[string]control.Limit{"help": {PerMinute: 1}}, Now: clock.Now})
	if err := q.Allow(context.Background(), "o", "help"); err != nil {
		t.Fatal(err)
	}
	clock.advance(-time.Hour)
	refusal(t, q.Allow(context.Background(), "o", "help"), registry.RateLimited)
	clock.advance(time.Hour + time.Minute)
	if err := q.Allow(context.Background(), "o", "help"); err != nil {
		t.Fatal(err)
	}
}

// TestQuotaOfMixedCallersAtOnce holds that no call is let through or refused on
// another's account.
func TestQuotaOfMixedCallersAtOnce(t *testing.T) {
	const callers, tries, limit = 20, 10, 4
	q := control.NewQuota(&control.QuotaOptions{Default: control.Limit{PerMinute: limit}, Now: newClock().Now})
	r := newRig(nil, q.Middleware())
	var wg sync.WaitGroup
	for i := range callers * tries {
		wg.Go(func() { _, _ = r.do(fmt.Sprint("c", i%callers), "write", "{}") })
	}
	wg.Wait()
	for i := range callers {
		if n := r.runs[fmt.Sprintf("caller:c%d write", i)]; n != limit {
			t.Errorf("caller %d ran it %d times, want %d", i, n, limit)
		}
	}
}

func ExampleQuota() {
	reg := registry.New(nil)
	reg.Namespace("orders", "Orders.").Add(
		registry.Func("ship", "Ship an order.", func(context.Context, struct{}) (string, error) { return "shipped", nil }))

	quota := control.NewQuota(&control.QuotaOptions{
		Default: control.Limit{PerMinute: 60},
		Tools:   map[string]control.Limit{"orders.ship": {PerMinute: 1, PerSession: 100}},
	})
	p := registry.NewPipeline(reg, &registry.PipelineOptions{Middleware: []registry.Middleware{quota.Middleware()}})

	ctx := registry.WithCaller(context.Background(), &registry.Caller{ID: "alice"})
	for range 2 {
		res, err := p.Call(ctx, &registry.Request{Namespace: "orders", Function: "ship"})
		if err != nil {
			fmt.Println(err)
		} else {
			fmt.Println(res.Text())
		}
	}
	// Output:
	// shipped
	// `orders.ship` may be called once per minute, and that is used up. It was not run. Try again in 60 s.
}
