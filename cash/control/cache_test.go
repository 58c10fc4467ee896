package control_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/registry"
)

// isHit reports whether a result says that it comes from the cache.
func isHit(r *registry.Result) bool {
	_, ok := r.Meta[control.MetaCacheHit]
	return ok
}

func TestW36CacheAnswersTheSameCall(t *testing.T) {
	clock := newClock()
	r := newRig(nil, control.NewCache(&control.CacheOptions{ReadOnly: true, TTL: time.Minute, Now: clock.Now}).Middleware())
	first := must(r.do("alice", "read", `{"a":1,"b":{"x":[1,2],"y":"é"}}`))
	if isHit(first) || first.Text() != "1" {
		t.Fatalf("first = %+v", first)
	}
	clock.advance(time.Minute - 1)
	again := must(r.do("alice", "READ", ` {"b":{"y":"\u00e9","x":[1,2]},"a":1} `))
	if !isHit(again) || again.Text() != "1" || isHit(first) {
		t.Errorf("again = %+v", again)
	}
	if data, err := json.Marshal(again.Meta); err != nil || string(data) != `{"cash/cache_hit":true}` {
		t.Errorf("meta = %s, %v", data, err)
	}
	clock.advance(1)
	if late := must(r.do("alice", "read", `{"a":1,"b":{"x":[1,2],"y":"é"}}`)); isHit(late) || late.Text() != "2" {
		t.Errorf("after the TTL: %+v", late)
	}
}

// TestW36CacheKeys holds that nothing but the same caller, function and
// arguments is answered from the cache.
func TestW36CacheKeys(t *testing.T) {
	r := newRig(nil, control.NewCache(&control.CacheOptions{ReadOnly: true}).Middleware())
	type who struct {
		caller *registry.Caller
		owner  string
	}
	alice := who{&registry.Caller{ID: "alice", Roles: []string{"a", "b"}, Attributes: map[string]string{"tenant": "x"}}, "caller:alice"}
	seen := make(map[string]string)
	for _, tt := range []struct {
		what, name, args string
		who              who
	}{
		{"alice", "read", `{"a":1}`, alice},
		{"another function", "Big_Read", `{"a":1}`, alice},
		{"other arguments", "read", `{"a":2}`, alice},
		{"a text for a number", "read", `{"a":"1"}`, alice},
		{"another spelling of the number", "read", `{"a":1.0}`, alice},
		{"other nesting", "read", `{"a":{"a":1}}`, alice},
		{"another caller", "read", `{"a":1}`, who{&registry.Caller{ID: "bob"}, "caller:bob"}},
		{"a caller of hers", "read", `{"a":1}`, who{alice.caller, "caller:alice\x00for:bob"}},
		{"fewer roles", "read", `{"a":1}`, who{&registry.Caller{ID: "alice", Roles: []string{"a"}, Attributes: map[string]string{"tenant": "x"}}, "caller:alice"}},
		{"another tenant", "read", `{"a":1}`, who{&registry.Caller{ID: "alice", Roles: []string{"a", "b"}, Attributes: map[string]string{"tenant": "y"}}, "caller:alice"}},
		{"a role as a tenant", "read", `{"a":1}`, who{&registry.Caller{ID: "alice", Roles: []string{"a", "b", "tenant", "x"}}, "caller:alice"}},
		{"a connection", "read", `{"a":1}`, who{nil, "connection:1"}},
		{"another connection", "read", `{"a":1}`, who{nil, "connection:2"}},
	} {
		ask := func() *registry.Result {
			return must(r.doIn(registry.WithCaller(context.Background(), tt.who.caller), "", tt.name, tt.args,
				func(req *registry.Request) { req.Client = &registry.Client{Owner: tt.who.owner} }))
		}
		res := ask()
		if isHit(res) {
			t.Errorf("%s is answered with what is kept for %s", tt.what, seen[tt.name+res.Text()])
		}
		seen[tt.name+res.Text()] = tt.what
		if again := ask(); !isHit(again) || again.Text() != res.Text() {
			t.Errorf("%s, again: %+v", tt.what, again)
		}
	}
	// The order of roles is of no account.
	res := must(r.doIn(registry.WithCaller(context.Background(), &registry.Caller{ID: "alice", Roles: []string{"b", "a"}, Attributes: map[string]string{"tenant": "x"}}), "", "read", `{"a":1}`))
	if !isHit(res) {
		t.Error("the order of roles makes another caller")
	}
}

// TestW36ForgedHit holds that a function cannot say that its result was kept,
// whether the call may be answered from the cache or not.
func TestW36ForgedHit(t *testing.T) {
	forged := func(context.Context, *registry.Call) (*registry.Result, error) {
		return &registry.Result{Meta: map[string]any{control.MetaCacheHit: nil, "own": 1}}, nil
	}
	r := newRig(map[string]registry.Handler{"read": forged, "write": forged}, control.NewCache(&control.CacheOptions{ReadOnly: true}).Middleware())
	for _, tt := range []struct{ caller, name string }{{"alice", "read"}, {"alice", "write"}, {"", "read"}} {
		if res := must(r.do(tt.caller, tt.name, "{}")); isHit(res) || res.Meta["own"] == nil {
			t.Errorf("%s of %q: %v", tt.name, tt.caller, res.Meta)
		}
	}
}

func TestW36WhatIsNotCached(t *testing.T) {
	text := func(change func(*registry.Result)) registry.Handler {
		return func(context.Context, *registry.Call) (*registry.Result, error) {
			res := registry.TextResult("text")
			change(res)
			return res, nil
		}
	}
	content := func(c mcp.Content) registry.Handler {
		return text(func(r *registry.Result) { r.Content = []mcp.Content{c} })
	}
	on := control.CacheOptions{ReadOnly: true}
	id := newRig(nil).idOf(t, "read")
	for _, tt := range []struct {
		what    string
		opts    control.CacheOptions
		call    string
		caller  string
		handler registry.Handler // of the function; nil answers with a text
		cached  bool
	}{
		{"by default", control.CacheOptions{}, "read", "alice", nil, false},
		{"the operator's word", on, "read", "alice", nil, true},
		{"a list alone", control.CacheOptions{Allow: []string{"shop.read"}}, "read", "alice", nil, false},
		{"listed by path", control.CacheOptions{ReadOnly: true, Allow: []string{"Shop.READ"}}, "read", "alice", nil, true},
		{"listed by id", control.CacheOptions{ReadOnly: true, Allow: []string{id}}, "read", "alice", nil, true},
		{"not listed", control.CacheOptions{ReadOnly: true, Allow: []string{"shop.other", "resource::" + id, "shop:read@2", "shop:read#00000000"}}, "read", "alice", nil, false},
		{"an empty list", control.CacheOptions{ReadOnly: true, Allow: []string{}}, "read", "alice", nil, false},
		{"not read-only", on, "write", "alice", nil, false},
		{"listed, not read-only", control.CacheOptions{ReadOnly: true, Allow: []string{"shop.write"}}, "write", "alice", nil, false},
		{"nobody in particular", on, "read", "", nil, false},
		{"a connection", on, "read", "@1", nil, true},
		{"an error", on, "read", "alice", func(context.Context, *registry.Call) (*registry.Result, error) { return nil, errors.New("no") }, false},
		{"nothing at all", on, "read", "alice", func(context.Context, *registry.Call) (*registry.Result, error) { return nil, nil }, false},
		{"an error as a result", on, "read", "alice", text(func(r *registry.Result) { r.IsError = true }), false},
		{"a stream", on, "read", "alice", text(func(r *registry.Result) { r.Ungated = true }), false},
		{"a question", on, "read", "alice", text(func(r *registry.Result) {
			r.Content, r.InputRequests = nil, mcp.InputRequestMap{"q": &mcp.ElicitParams{Message: "?"}}
		}), false},
		{"a state", on, "read", "alice", text(func(r *registry.Result) { r.RequestState = "s" }), false},
		{"structured content", on, "read", "alice", text(func(r *registry.Result) { r.Structured = json.RawMessage(`{"a":1}`) }), true},
		{"structured content that is none", on, "read", "alice", text(func(r *registry.Result) { r.Structured = json.RawMessage(`{"a"`) }), false},
		{"metadata", on, "read", "alice", text(func(r *registry.Result) { r.Meta = map[string]any{"k": 1} }), true},
		{"metadata that is none", on, "read", "alice", text(func(r *registry.Result) { r.Meta = map[string]any{"k": math.NaN()} }), false},
		{"no content", on, "read", "alice", content((*mcp.TextContent)(nil)), false},
		{"metadata of a content", on, "read", "alice", content(&mcp.TextContent{Meta: mcp.Meta{"k": 1}}), false},
		{"an image", on, "read", "alice", content(&mcp.ImageContent{Data: []byte("i"), MIMEType: "image/png"}), true},
		{"audio", on, "read", "alice", content(&mcp.AudioContent{Data: []byte("i"), MIMEType: "audio/wav"}), true},
		{"a link", on, "read", "alice", content(&mcp.ResourceLink{URI: "a:b", Name: "n"}), true},
		{"a resource", on, "read", "alice", content(&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "a:b", Text: "t"}}), true},
		{"no resource", on, "read", "alice", content(&mcp.EmbeddedResource{}), false},
		{"too large", control.CacheOptions{ReadOnly: true, MaxResult: 5000}, "read", "alice", text(func(r *registry.Result) { r.Content = textOfLength(5000) }), false},
		{"large enough", control.CacheOptions{ReadOnly: true, MaxResult: 5000}, "read", "alice", text(func(r *registry.Result) { r.Content = textOfLength(3000) }), true},
		{"larger than the cache", control.CacheOptions{ReadOnly: true, Store: control.NewResults(&control.ResultOptions{MaxBytes: 5000})}, "read", "alice", text(func(r *registry.Result) { r.Content = textOfLength(5000) }), false},
	} {
		t.Run(tt.what, func(t *testing.T) {
			r := newRig(map[string]registry.Handler{tt.call: tt.handler}, control.NewCache(&tt.opts).Middleware())
			first, err1 := r.do(tt.caller, tt.call, "{}")
			second, err2 := r.do(tt.caller, tt.call, "{}")
			want := 2
			if tt.cached {
				want = 1
			}
			if r.ran(tt.call) != want || (err1 == nil) != (err2 == nil) {
				t.Errorf("it ran %d times, want %d; errors %v, %v", r.ran(tt.call), want, err1, err2)
			}
			if err2 == nil && (isHit(first) || isHit(second) != tt.cached) {
				t.Errorf("marked %t, then %t", isHit(first), isHit(second))
			}
			if tt.cached { // the hit is what the function said, and the mark
				delete(second.Meta, control.MetaCacheHit)
				if a, b := asJSON(t, first), asJSON(t, second); a != b {
					t.Errorf("first %s, then %s", a, b)
				}
			}
		})
	}
}

func textOfLength(n int) []mcp.Content {
	return []mcp.Content{&mcp.TextContent{Text: strings.Repeat("x", n)}}
}

func asJSON(t *testing.T, r *registry.Result) string {
	t.Helper()
	if len(r.Meta) == 0 {
		r.Meta = nil
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestCacheAndDryRuns(t *testing.T) {
	r := newRig(nil, control.NewCache(&control.CacheOptions{ReadOnly: true}).Middleware())
	report := must(r.do("alice", "read", "{}", dry))
	if res := must(r.do("alice", "read", "{}")); isHit(res) || res.Text() != "1" {
		t.Errorf("the dry run was kept: %+v", res)
	}
	if again := must(r.do("alice", "read", "{}", dry)); isHit(again) || again.Text() != report.Text() {
		t.Errorf("the dry run was answered from the cache: %+v", again)
	}
}

// TestCacheKeepsNoAnswersOfPeople holds that what a person was asked for is asked
// each time, in both generations of the protocol.
func TestCacheKeepsNoAnswersOfPeople(t *testing.T) {
	r := newRig(map[string]registry.Handler{
		"read": func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			if c.Client.Elicit != nil {
				res, err := c.Client.Elicit(ctx, &mcp.ElicitParams{Message: "Which?"})
				if err != nil {
					return nil, err
				}
				return registry.TextResult(res.Action), nil
			}
			return registry.TextResult("answers: " + fmt.Sprint(len(c.Client.Answers))), nil
		},
	}, control.NewCache(&control.CacheOptions{ReadOnly: true}).Middleware())
	for _, answer := range []string{"accept", "decline"} {
		res := must(r.do("", "read", "{}", func(req *registry.Request) {
			req.Client = &registry.Client{Owner: "connection:1", Elicit: func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
				return &mcp.ElicitResult{Action: answer}, nil
			}}
		}))
		if res.Text() != answer || isHit(res) {
			t.Errorf("%s: %+v", answer, res)
		}
	}
	for _, client := range []registry.Client{
		{Answers: mcp.InputResponseMap{"q": &mcp.ElicitResult{Action: "accept"}}},
		{State: "s"},
	} {
		client.Owner = "connection:2"
		for range 2 {
			if res := must(r.do("", "read", "{}", func(req *registry.Request) { c := client; req.Client = &c })); isHit(res) {
				t.Errorf("a later round of a call: %+v", res)
			}
		}
	}
}

// TestCacheAndDetail holds that what was trimmed is not the answer to another level,
// and that a hit is still known for JSON.
func TestCacheAndDetail(t *testing.T) {
	total := 7
	r := newRig(map[string]registry.Handler{
		"read": func(_ context.Context, c *registry.Call) (*registry.Result, error) {
			res := registry.TextResult(fmt.Sprintf("%q", c.Detail))
			res.JSON, res.Count = true, &total
			return res, nil
		},
	}, control.NewCache(&control.CacheOptions{ReadOnly: true}).Middleware())
	for _, tt := range []struct {
		level registry.Detail
		text  string
		hit   bool
	}{
		{registry.Minimal, `"minimal"`, false}, {registry.Standard, `"standard"`, false}, {registry.Full, `"full"`, false},
		{registry.Minimal, `"minimal"`, true}, {registry.Standard, `"standard"`, true}, {"", `"full"`, true},
	} {
		res := must(r.do("alice", "read", "{}", func(req *registry.Request) { req.Detail = tt.level }))
		if res.Text() != tt.text || isHit(res) != tt.hit || !res.JSON || res.Count == nil || *res.Count != 7 {
			t.Errorf("%q: %s (hit %t), %+v", tt.level, res.Text(), isHit(res), res)
		}
	}
	total = 8 // the function's own
	if res := must(r.do("alice", "read", "{}")); *res.Count != 7 {
		t.Errorf("what is kept has changed to %d", *res.Count)
	}
}

// TestCacheMarkCannotBeForged holds that only the cache says that something
// comes from it, and that one caller's copy is not another's.
func TestCacheMarkCannotBeForged(t *testing.T) {
	shared := registry.TextResult("text")
	shared.Meta = map[string]any{control.MetaCacheHit: true, "other": "kept"}
	r := newRig(map[string]registry.Handler{
		"read": func(context.Context, *registry.Call) (*registry.Result, error) { return shared, nil },
	}, control.NewCache(&control.CacheOptions{ReadOnly: true}).Middleware())
	if res := must(r.do("alice", "read", "{}")); isHit(res) || len(res.Meta) != 1 {
		t.Errorf("meta = %v", res.Meta)
	}
	if len(shared.Meta) != 2 {
		t.Error("the function's own result was changed")
	}
	hit := must(r.do("alice", "read", "{}"))
	hit.Content[0], hit.Meta["more"] = nil, true
	if again := must(r.do("alice", "read", "{}")); !isHit(again) || again.Text() != "text" || len(again.Meta) != 2 {
		t.Errorf("again = %+v", again)
	}
}

func TestCacheFlush(t *testing.T) {
	var cache *control.Cache
	cache.Flush(context.Background()) // nil is fine
	flushing := true
	r := newRig(map[string]registry.Handler{
		"read": func(context.Context, *registry.Call) (*registry.Result, error) {
			if flushing {
				cache.Flush(context.Background()) // while a call is under way
			}
			return registry.TextResult("text"), nil
		},
	}, func(next registry.Handler) registry.Handler {
		cache = control.NewCache(&control.CacheOptions{ReadOnly: true})
		return cache.Middleware()(next)
	})
	must(r.do("alice", "read", "{}"))
	flushing = false
	if isHit(must(r.do("alice", "read", "{}"))) {
		t.Error("what was computed before the flush was kept after it")
	}
	if !isHit(must(r.do("alice", "read", "{}"))) {
		t.Error("nothing is kept after a flush")
	}
	cache.Flush(context.Background())
	if isHit(must(r.do("alice", "read", "{}"))) {
		t.Error("still there after a flush")
	}
}

func TestNilCache(t *testing.T) {
	var cache *control.Cache
	r := newRig(nil, cache.Middleware())
	must(r.do("alice", "read", "{}"))
	if isHit(must(r.do("alice", "read", "{}"))) {
		t.Error("a cache that is none")
	}
}

// TestW30CacheIsBehindTheQuota holds that what is answered from the cache counts.
func TestW30CacheIsBehindTheQuota(t *testing.T) {
	q := control.NewQuota(&control.QuotaOptions{Default: control.Limit{PerMinute: 2}})
	r := newRig(nil, q.Middleware(), control.NewCache(&control.CacheOptions{ReadOnly: true}).Middleware())
	must(r.do("alice", "read", "{}"))
	must(r.do("alice", "read", "{}"))
	_, err := r.do("alice", "read", "{}")
	refusal(t, err, registry.RateLimited)
}

// TestCacheInvariant drives a cache at random beside a plain model of it.
func TestCacheInvariant(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	clock := newClock()
	const most, ttl = 5, 40 * time.Second
	cache := control.NewCache(&control.CacheOptions{
		ReadOnly: true, TTL: ttl, Now: clock.Now, Store: control.NewResults(&control.ResultOptions{MaxEntries: most, Now: clock.Now}),
	})
	r := newRig(nil, cache.Middleware())
	type entry struct {
		call, text string
		expires    time.Time
	}
	var model []entry // the longest unused first
	for step := range 5000 {
		clock.advance(time.Duration(rnd.IntN(5)) * time.Second)
		if rnd.IntN(100) == 0 {
			cache.Flush(context.Background())
			model = nil
		}
		caller, args := fmt.Sprint("c", rnd.IntN(3)), fmt.Sprintf(`{"a":%d}`, rnd.IntN(4))
		res := must(r.do(caller, "read", args))
		model = slices.DeleteFunc(model, func(e entry) bool { return !clock.Now().Before(e.expires) })
		i := slices.IndexFunc(model, func(e entry) bool { return e.call == caller+args })
		known := i >= 0
		if isHit(res) != known || known && res.Text() != model[i].text {
			t.Fatalf("step %d: hit %t with %s, the model has %+v", step, isHit(res), res.Text(), model)
		}
		e := entry{caller + args, res.Text(), clock.Now().Add(ttl)}
		if known {
			e = model[i]
			model = slices.Delete(model, i, i+1)
		}
		model = append(model, e)
		if len(model) > most {
			model = model[1:]
		}
	}
}

func TestCacheMaxBytes(t *testing.T) {
	r := newRig(map[string]registry.Handler{
		"read": func(_ context.Context, c *registry.Call) (*registry.Result, error) {
			return &registry.Result{Content: textOfLength(8000)}, nil
		},
	}, control.NewCache(&control.CacheOptions{ReadOnly: true, Store: control.NewResults(&control.ResultOptions{MaxBytes: 30_000})}).Middleware())
	for i := range 20 {
		must(r.do("alice", "read", fmt.Sprintf(`{"a":%d}`, i)))
	}
	hits := 0
	for i := 19; i >= 0; i-- {
		if isHit(must(r.do("alice", "read", fmt.Sprintf(`{"a":%d}`, i)))) {
			hits++
		}
	}
	if hits != 3 {
		t.Errorf("%d results of 9 kB are kept in 30 kB, want 3", hits)
	}
}

// TestCacheOfMixedCallersAtOnce holds that nobody gets what was made for another.
func TestCacheOfMixedCallersAtOnce(t *testing.T) {
	cache := control.NewCache(&control.CacheOptions{ReadOnly: true, Store: control.NewResults(&control.ResultOptions{MaxEntries: 30})})
	r := newRig(map[string]registry.Handler{
		"read": func(_ context.Context, c *registry.Call) (*registry.Result, error) {
			return registry.TextResult(c.Owner() + string(c.Arguments)), nil
		},
	}, cache.Middleware())
	var wg sync.WaitGroup
	for i := range 400 {
		wg.Go(func() {
			if i%50 == 0 {
				cache.Flush(context.Background())
			}
			caller, args := fmt.Sprint("c", i%7), fmt.Sprintf(`{"a":%d}`, i%6)
			res, err := r.do(caller, "read", args)
			if err != nil || res.Text() != "caller:"+caller+args {
				t.Errorf("%s, %s: %+v, %v", caller, args, res, err)
			}
		})
	}
	wg.Wait()
}

func ExampleCache() {
	reg := registry.New(nil)
	runs := 0
	list := registry.Func("list", "List orders.", func(context.Context, struct{ Status string }) (string, error) {
		runs++
		return "3 orders", nil
	}, registry.ReadOnly)
	reg.Namespace("orders", "Orders.").Add(list)

	cache := control.NewCache(&control.CacheOptions{ReadOnly: true, Allow: []string{"orders.list"}})
	p := registry.NewPipeline(reg, &registry.PipelineOptions{Middleware: []registry.Middleware{cache.Middleware()}})

	ctx := registry.WithCaller(context.Background(), &registry.Caller{ID: "alice"})
	for range 2 {
		res, err := p.Call(ctx, &registry.Request{Namespace: "orders", Function: "list", Arguments: json.RawMessage(`{"Status":"open"}`)})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(res.Text(), res.Meta[control.MetaCacheHit] != nil)
	}
	fmt.Println("ran:", runs)
	// Output:
	// 3 orders false
	// 3 orders true
	// ran: 1
}
