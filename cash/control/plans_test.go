package control_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/registry"
)

// plan returns the report of a dry run.
func plan(t testing.TB, r *rig, caller, name, args string) (report struct {
	Token  string               `json:"plan_token"`
	Checks []registry.PlanCheck `json:"checks"`
}) {
	t.Helper()
	res, err := r.do(caller, name, args, dry)
	if err := json.Unmarshal([]byte(textOf(t, res, err)), &report); err != nil {
		t.Fatal(err)
	}
	return report
}

func TestW30PlanToken(t *testing.T) {
	clock := newClock()
	r := newRig(nil, control.NewPlans(&control.PlanOptions{MaxAge: time.Minute, Now: clock.Now}).Middleware())
	token := plan(t, r, "alice", "write", `{"a":1,"b":{"x":1,"y":[1,2]}}`).Token
	if r.ran("write") != 0 || len(token) < 40 || token == plan(t, r, "alice", "write", `{"a":1,"b":{"x":1,"y":[1,2]}}`).Token {
		t.Fatalf("token = %q, of the same dry run the same, or the function ran", token)
	}
	clock.advance(time.Minute - time.Millisecond)
	for _, tt := range []struct{ name, caller, function, args, token, want string }{
		{"another caller", "bob", "write", `{"a":1,"b":{"x":1,"y":[1,2]}}`, token, "unknown"},
		{"a connection", "@alice", "write", `{"a":1,"b":{"x":1,"y":[1,2]}}`, token, "unknown"},
		{"nobody", "", "write", `{"a":1,"b":{"x":1,"y":[1,2]}}`, token, "unknown"},
		{"another function", "alice", "wipe", `{"a":1,"b":{"x":1,"y":[1,2]}}`, token, "unknown"},
		{"other arguments", "alice", "write", `{"a":2,"b":{"x":1,"y":[1,2]}}`, token, "unknown"},
		{"fewer arguments", "alice", "write", `{"a":1}`, token, "unknown"},
		{"another order of elements", "alice", "write", `{"a":1,"b":{"x":1,"y":[2,1]}}`, token, "unknown"},
		{"no token", "alice", "write", `{"a":1,"b":{"x":1,"y":[1,2]}}`, "please", "unknown"},
		{"its prefix", "alice", "write", `{"a":1,"b":{"x":1,"y":[1,2]}}`, "plan-", "unknown"},
		{"much", "alice", "write", `{"a":1,"b":{"x":1,"y":[1,2]}}`, token + strings.Repeat("A", 1<<20), "unknown"},
		{"another letter", "alice", "write", `{"a":1,"b":{"x":1,"y":[1,2]}}`, flip(token), "unknown"},
		{"its own, in another order", "alice", "write", `{ "b":{"y":[1,2],"x":1}, "a":1 }`, token, ""},
		{"again", "alice", "write", `{"a":1,"b":{"x":1,"y":[1,2]}}`, token, "used"},
	} {
		_, err := r.do(tt.caller, tt.function, tt.args, withPlan(tt.token))
		if tt.want == "" {
			must(nil, err)
			continue
		}
		if e := refusal(t, err, registry.InvalidArguments); e.Details["plan_token"] != tt.want || !strings.Contains(e.Hint, "`dry_run`") {
			t.Errorf("%s: %+v, want %s", tt.name, e, tt.want)
		}
	}
	if r.ran("write") != 1 || r.ran("wipe") != 0 {
		t.Errorf("write ran %d times, wipe %d times", r.ran("write"), r.ran("wipe"))
	}
	must(r.do("alice", "write", "{}")) // none is needed
}

// flip changes one letter of a token.
func flip(token string) string {
	b := []byte(token)
	if b[20]++; b[20] > 'z' || b[20] == '[' || b[20] == ':' {
		b[20] = 'A'
	}
	return string(b)
}

func TestPlanTokenExpires(t *testing.T) {
	clock := newClock()
	r := newRig(nil, control.NewPlans(&control.PlanOptions{MaxAge: time.Minute, Now: clock.Now}).Middleware())
	token := plan(t, r, "alice", "write", "{}").Token
	clock.advance(time.Minute)
	_, err := r.do("alice", "write", "{}", withPlan(token))
	if e := refusal(t, err, registry.InvalidArguments); e.Details["plan_token"] != "expired" {
		t.Errorf("details = %v", e.Details)
	}
	if r.ran("write") != 0 {
		t.Error("it ran")
	}
}

func TestPlanTokenIsRequired(t *testing.T) {
	plans := control.NewPlans(&control.PlanOptions{Require: func(c *registry.Call) bool { return c.Function.Destructive() }})
	r := newRig(nil, plans.Middleware())
	must(r.do("alice", "write", "{}"))
	_, err := r.do("alice", "wipe", "{}")
	if e := refusal(t, err, registry.InvalidArguments); e.Details["plan_token"] != "required" || r.ran("wipe") != 0 {
		t.Errorf("refusal = %+v, ran %d times", e, r.ran("wipe"))
	}
	report := plan(t, r, "alice", "wipe", "{}")
	if last := report.Checks[len(report.Checks)-1]; last != (registry.PlanCheck{Name: "plan_token", Status: "required"}) {
		t.Errorf("checks = %v", report.Checks)
	}
	for _, check := range plan(t, r, "alice", "write", "{}").Checks {
		if check.Name == "plan_token" && check.Status != "not_required" {
			t.Errorf("write needs none: %v", check)
		}
	}
	must(r.do("alice", "wipe", "{}", withPlan(report.Token)))
	_, err = r.do("alice", "wipe", "{}", withPlan(report.Token))
	refusal(t, err, registry.InvalidArguments)
}

// TestPlanTokenIsBoundToTheDefinition holds that a function which has changed
// since the dry run does not run by its token.
func TestPlanTokenIsBoundToTheDefinition(t *testing.T) {
	plans := control.NewPlans(nil)
	before, after := newRig(nil, plans.Middleware()), &rig{reg: registry.New(nil)}
	f, err := registry.RawFunc("write", "Does it, and more.", nil, func(context.Context, json.RawMessage) (*registry.Result, error) {
		t.Error("it ran")
		return registry.TextResult(""), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	after.reg.Namespace("shop", "A shop.").Add(f)
	after.Pipeline = registry.NewPipeline(after.reg, &registry.PipelineOptions{Middleware: []registry.Middleware{plans.Middleware()}})
	_, err = after.do("alice", "write", "{}", withPlan(plan(t, before, "alice", "write", "{}").Token))
	refusal(t, err, registry.InvalidArguments)
}

// TestPlanTokenOfCallsThatGoOn holds that a token is not spent by a call that did
// not run, and that one which has asked for input goes on with it, once.
func TestPlanTokenOfCallsThatGoOn(t *testing.T) {
	var answer registry.Handler
	r := newRig(map[string]registry.Handler{
		"write": func(ctx context.Context, c *registry.Call) (*registry.Result, error) { return answer(ctx, c) },
	}, control.NewPlans(nil).Middleware())
	token := plan(t, r, "alice", "write", "{}").Token
	fails := func(e *registry.Error) registry.Handler {
		return func(context.Context, *registry.Call) (*registry.Result, error) { return nil, e }
	}
	try := func(state ...string) error {
		_, err := r.do("alice", "write", "{}", withPlan(token), func(req *registry.Request) {
			req.Client = &registry.Client{Owner: "caller:alice"}
			if len(state) > 0 {
				req.Client.State, req.Client.Answers = state[0], mcp.InputResponseMap{"q": &mcp.ElicitResult{Action: "accept"}}
			}
		})
		return err
	}
	used := func(state ...string) {
		t.Helper()
		if e := refusal(t, try(state...), registry.InvalidArguments); e.Details["plan_token"] != "used" {
			t.Errorf("with the state %q: %+v", state, e)
		}
	}

	answer = fails(&registry.Error{Kind: registry.Unavailable, Message: "Down.", NotRun: true})
	for range 3 {
		if e := try().(*registry.Error); e.Kind != registry.Unavailable {
			t.Fatal(e)
		}
	}
	asks := func(state string) registry.Handler {
		return func(context.Context, *registry.Call) (*registry.Result, error) {
			return &registry.Result{InputRequests: mcp.InputRequestMap{"q": &mcp.ElicitParams{Message: "Sure?"}}, RequestState: state}, nil
		}
	}
	answer = asks("one")
	must(nil, try())
	used() // it would begin once more
	used("another")
	answer = asks("two")
	must(nil, try("one"))
	used("one")
	answer = fails(&registry.Error{Kind: registry.Unavailable, Message: "Down.", NotRun: true})
	if e := try("two").(*registry.Error); e.Kind != registry.Unavailable {
		t.Fatal(e)
	}
	used() // it has begun, whatever became of this round
	answer = fails(&registry.Error{Kind: registry.TimedOut, Message: "No answer."})
	if e := try("two").(*registry.Error); e.Kind != registry.TimedOut {
		t.Fatal(e)
	}
	used("two")
	used()
}

// TestPlanTokenOfAStatelessQuestion holds that a function which asks and keeps no
// state is answered, and not run from the beginning.
func TestPlanTokenOfAStatelessQuestion(t *testing.T) {
	r := newRig(map[string]registry.Handler{
		"write": func(_ context.Context, c *registry.Call) (*registry.Result, error) {
			if c.Client.Answers != nil {
				return registry.TextResult("done"), nil
			}
			return &registry.Result{InputRequests: mcp.InputRequestMap{"q": &mcp.ElicitParams{Message: "Sure?"}}}, nil
		},
	}, control.NewPlans(nil).Middleware())
	token := plan(t, r, "@c", "write", "{}").Token
	answered := func(req *registry.Request) {
		req.Client.Answers = mcp.InputResponseMap{"q": &mcp.ElicitResult{Action: "accept"}}
	}
	must(r.do("@c", "write", "{}", withPlan(token)))
	_, err := r.do("@c", "write", "{}", withPlan(token))
	refusal(t, err, registry.InvalidArguments)
	if got := must(r.do("@c", "write", "{}", withPlan(token), answered)).Text(); got != "done" {
		t.Errorf("answered: %q", got)
	}
	_, err = r.do("@c", "write", "{}", withPlan(token), answered)
	refusal(t, err, registry.InvalidArguments)
}

func TestPlansBoundWhatIsUsed(t *testing.T) {
	clock := newClock()
	r := newRig(nil, control.NewPlans(&control.PlanOptions{MaxAge: time.Minute, MaxUsed: 3, Now: clock.Now}).Middleware())
	var tokens []string
	for range 5 {
		tokens = append(tokens, plan(t, r, "alice", "write", "{}").Token)
	}
	for _, token := range tokens[:3] {
		must(r.do("alice", "write", "{}", withPlan(token)))
	}
	_, err := r.do("alice", "write", "{}", withPlan(tokens[3]))
	refusal(t, err, registry.Unavailable)
	_, err = r.do("alice", "write", "{}", withPlan(tokens[0]))
	if e := refusal(t, err, registry.InvalidArguments); e.Details["plan_token"] != "used" {
		t.Errorf("details = %v", e.Details)
	}
	clock.advance(2 * time.Minute) // nothing that was used could be used again
	must(r.do("alice", "write", "{}", withPlan(plan(t, r, "alice", "write", "{}").Token)))
}

func TestNilPlans(t *testing.T) {
	var plans *control.Plans
	r := newRig(nil, plans.Middleware())
	must(r.do("alice", "write", "{}", withPlan("any")))
	if token := plan(t, r, "alice", "write", "{}").Token; token != "" {
		t.Errorf("token = %q", token)
	}
}

func TestPlanKeys(t *testing.T) {
	key := bytes.Repeat([]byte{7}, 32)
	a := newRig(nil, control.NewPlans(&control.PlanOptions{Keys: [][]byte{key}}).Middleware())
	token := plan(t, a, "alice", "write", "{}").Token
	key[0] = 8 // it was copied
	b := newRig(nil, control.NewPlans(&control.PlanOptions{Keys: [][]byte{bytes.Repeat([]byte{7}, 32)}}).Middleware())
	must(b.do("alice", "write", "{}", withPlan(token)))
	for _, other := range []*control.PlanOptions{{Keys: [][]byte{key}}, nil} {
		c := newRig(nil, control.NewPlans(other).Middleware())
		_, err := c.do("alice", "write", "{}", withPlan(token))
		refusal(t, err, registry.InvalidArguments)
	}
	must(a.do("alice", "write", "{}", withPlan(token)))
	for _, keys := range [][][]byte{{}, {nil}, {[]byte("secret")}, {key, key[:31]}, {key, key}} {
		wrong := &control.PlanOptions{Keys: keys}
		wantPanic(t, wrong.Check(), func() { control.NewPlans(wrong) })
	}
}

// TestPlanTokensOfMixedCallersAtOnce holds that each token lets exactly one call
// of its own caller through.
func TestPlanTokensOfMixedCallersAtOnce(t *testing.T) {
	r := newRig(nil, control.NewPlans(nil).Middleware())
	const callers = 10
	tokens := make([]string, callers)
	for i := range tokens {
		tokens[i] = plan(t, r, fmt.Sprint("c", i), "write", "{}").Token
	}
	var passed [callers]atomic.Int32
	var wg sync.WaitGroup
	for _, token := range tokens {
		for i := range callers {
			for range 3 {
				wg.Go(func() {
					if _, err := r.do(fmt.Sprint("c", i), "write", "{}", withPlan(token)); err == nil {
						passed[i].Add(1)
					}
				})
			}
		}
	}
	wg.Wait()
	for i := range passed {
		if n := passed[i].Load(); n != 1 {
			t.Errorf("caller %d: %d calls were let through, want 1", i, n)
		}
	}
}

// TestPlanTokenHasOneSpelling holds that a line end does not stand for a character, whatever the token ends in.
func TestPlanTokenHasOneSpelling(t *testing.T) {
	r := newRig(nil, control.NewPlans(nil).Middleware())
	for range 2000 {
		token := plan(t, r, "alice", "write", "{}").Token
		_, err := r.do("alice", "write", "{}", withPlan(token[:len(token)-1]+"\n"))
		refusal(t, err, registry.InvalidArguments)
	}
}

// FuzzPlanToken holds that nothing passes but what was handed out.
func FuzzPlanToken(f *testing.F) {
	r := newRig(nil, control.NewPlans(nil).Middleware())
	token := plan(f, r, "alice", "write", "{}").Token
	f.Add(token[:len(token)-1] + "\n")
	f.Add(strings.ToUpper(token))
	f.Add("plan-" + strings.Repeat("A", 43))
	f.Add(strings.TrimPrefix(token, "plan-"))
	f.Fuzz(func(t *testing.T, text string) {
		if text == "" || text == token {
			return
		}
		_, err := r.do("alice", "write", "{}", withPlan(text))
		refusal(t, err, registry.InvalidArguments)
	})
}

func ExamplePlans() {
	reg := registry.New(nil)
	wipe := registry.Func("wipe", "Delete all orders.", func(context.Context, struct{}) (string, error) { return "wiped", nil }, registry.Destructive(true))
	reg.Namespace("orders", "Orders.").Add(wipe)

	plans := control.NewPlans(&control.PlanOptions{
		Require: func(c *registry.Call) bool { return c.Function.Destructive() },
	})
	p := registry.NewPipeline(reg, &registry.PipelineOptions{Middleware: []registry.Middleware{plans.Middleware()}})

	ctx := registry.WithCaller(context.Background(), &registry.Caller{ID: "alice"})
	_, err := p.Call(ctx, &registry.Request{Namespace: "orders", Function: "wipe"})
	fmt.Println(err)

	report, _ := p.Call(ctx, &registry.Request{Namespace: "orders", Function: "wipe", DryRun: true})
	var planned struct {
		Token string `json:"plan_token"`
	}
	_ = json.Unmarshal([]byte(report.Text()), &planned)
	res, _ := p.Call(ctx, &registry.Request{Namespace: "orders", Function: "wipe", PlanToken: planned.Token})
	fmt.Println(res.Text())
	// Output:
	// A call of `wipe` needs the plan token of a dry run. The function was not run. Make this call with `dry_run` first, then once more with the `plan_token` that it gives.
	// wiped
}
