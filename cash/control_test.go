package cash_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// made returns v, which was made of options that have no mistake in them.
func made[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// refused holds that a tool answered with an error of the code that has the text.
func refused(t testing.TB, res *mcp.CallToolResult, code, text string) {
	t.Helper()
	if got := textOf(t, res); !res.IsError || res.Meta[registry.MetaCode] != code || !strings.Contains(got, text) {
		t.Errorf("got %v %v %q, want %s with %q", res.IsError, res.Meta[registry.MetaCode], got, code, text)
	}
}

func TestW30QuotaOfTheThreeTools(t *testing.T) {
	once := control.Limit{PerSession: 1}
	srv, ran := effects(&cash.Options{Serve: serve.Options{Controls: &control.Controls{
		Quota: control.NewQuota(&control.QuotaOptions{Meta: map[string]control.Limit{"call": once, "help": once, "skill": once}}),
	}}})
	s := connect(t, context.Background(), srv)
	tool(t, s, "call", `{"function":"nothing"}`) // what does not get as far does not count
	tool(t, s, "call", `{"function":"read"}`)
	for name, args := range map[string]string{"call": `{"function":"read","kwargs":{"size":1}}`, "help": `{}`, "skill": `{}`} {
		if res := tool(t, s, name, args); res.IsError {
			t.Errorf("%s: %s", name, textOf(t, res))
		}
		refused(t, tool(t, s, name, args), "RATE_LIMITED", "**Error:** `"+name+"` may be called once in a session")
	}
	refused(t, tool(t, s, "call", `{"function":"write","kwargs":{"size":1}}`), "RATE_LIMITED", "`call`")
	if ran.Load() != 1 {
		t.Errorf("%d runs", ran.Load())
	}
	if res := tool(t, connect(t, context.Background(), srv), "help", `{}`); res.IsError {
		t.Errorf("another connection: %s", textOf(t, res))
	}
}

// TestW30QuotaWhoeverIsNamed holds that a client which says that it calls for
// others has its own quota, and no further one.
func TestW30QuotaWhoeverIsNamed(t *testing.T) {
	twice := control.Limit{PerSession: 2}
	srv, _ := effects(&cash.Options{Serve: serve.Options{Controls: &control.Controls{
		Quota: control.NewQuota(&control.QuotaOptions{Meta: map[string]control.Limit{"call": twice, "help": twice}}),
	}}})
	s := connect(t, context.Background(), srv)
	for name, args := range map[string]string{"call": `{"function":"read","kwargs":{"size":1}}`, "help": `{}`} {
		for i := range 4 {
			params := &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(args), Meta: mcp.Meta{
				registry.MetaVia: []any{"server"}, registry.MetaFor: fmt.Sprint("user", i),
			}}
			if i == 0 {
				params.Meta = nil
			}
			if res, err := s.CallTool(t.Context(), params); err != nil || res.IsError != (i >= 2) {
				t.Errorf("%s %d: %+v, %v", name, i, res, err)
			}
		}
	}
}

func TestW30DeniedAsText(t *testing.T) {
	srv, ran := effects(&cash.Options{Serve: serve.Options{Controls: &control.Controls{
		Policy: control.NewPolicy(&control.PolicyOptions{Rules: []control.Rule{
			{Decision: control.Deny, Tools: []string{"write"}, Reason: "It is Sunday."},
		}}),
		Plans: control.NewPlans(nil),
	}}})
	s := connect(t, context.Background(), srv)
	for _, args := range []string{
		`{"function":"write","kwargs":{"size":1}}`,
		`{"function":"write","kwargs":{"size":1},"sizelimit":0}`,
		`{"function":"write","kwargs":{"size":1},"replay":"replay-x"}`,
	} {
		refused(t, tool(t, s, "call", args), "DENIED", "does not allow this call of `write`. It is Sunday.")
	}
	report := tool(t, s, "call", `{"function":"WRITE","kwargs":{"size":1},"dry_run":true}`)
	if text := textOf(t, report); report.IsError || !strings.Contains(text, `{"name":"policy","status":"fail","message":"The policy of this server does not allow this call of `+"`write`. It is Sunday.") ||
		strings.Contains(text, `"plan_token":"`) {
		t.Errorf("the dry run is %s", text)
	}
	if ran.Load() != 0 {
		t.Error("it ran")
	}
}

// report is what a dry run answers.
type report struct {
	DryRun bool   `json:"dry_run"`
	Token  string `json:"plan_token"`
}

func readReport(res *mcp.CallToolResult) (r report) {
	if text, ok := res.Content[0].(*mcp.TextContent); ok && !res.IsError {
		_ = json.Unmarshal([]byte(text.Text), &r) // what is none is the zero value
	}
	return r
}

func TestW30DryRunOfCall(t *testing.T) {
	srv, ran := effects(&cash.Options{Serve: serve.Options{Controls: &control.Controls{Plans: control.NewPlans(nil)}}})
	s := connect(t, context.Background(), srv)
	for _, args := range []string{
		`{"function":"write","kwargs":{"size":1},"dry_run":true}`,
		`{"function":"write","kwargs":{"size":1},"dryRun":true}`,
		`{"function":"write","kwargs":{"size":1,"dry_run":true}}`,
		`{"function":"write","kwargs":{"size":1,"Dry_Run":true},"dry_run":false}`,
		`{"function":"write","kwargs":{"size":1},"dry_run":true,"replay":"replay-x","sizelimit":9999}`,
		`{"function":"write","kwargs":{"size":1},"dry_run":true,"plan_token":"plan-x"}`,
	} {
		if r := readReport(tool(t, s, "call", args)); !r.DryRun || r.Token == "" || ran.Load() != 0 {
			t.Errorf("%s: %+v, %d runs", args, r, ran.Load())
		}
	}
	for _, args := range []string{
		`{"function":"write","kwargs":{"size":1},"dry_run":"true"}`,
		`{"function":"write","kwargs":{"size":1,"dry_run":"true"}}`,
		`{"function":"write","kwargs":{"size":1},"dry_run":1}`,
		`{"function":"write","kwargs":{"size":1},"dry_run":true,"dryrun":true}`,
		`{"function":"write","kwargs":{"size":"one"},"dry_run":true}`,
		`{"function":"write","kwargs":{"size":1},"plan_token":5}`,
	} {
		refused(t, tool(t, s, "call", args), "INVALID_ARGUMENTS", "")
	}
	if ran.Load() != 0 {
		t.Errorf("%d runs", ran.Load())
	}
	for _, args := range []string{
		`{"function":"write","kwargs":{"size":1},"dry_run":false}`,
		`{"function":"write","kwargs":{"size":1},"dry_run":null,"plan_token":null}`,
	} {
		if got := textOf(t, tool(t, s, "call", args)); got != "x" {
			t.Errorf("%s: %q", args, got)
		}
	}
}

// TestW30NoDryRunWithoutPlans holds that who asks for a dry run where none are
// made does not get the function run.
func TestW30NoDryRunWithoutPlans(t *testing.T) {
	srv, ran := effects(nil)
	s := connect(t, context.Background(), srv)
	for _, args := range []string{
		`{"function":"write","kwargs":{"size":1},"dry_run":true}`,
		`{"function":"write","kwargs":{"size":1},"DryRun":"yes"}`,
		`{"function":"write","kwargs":{"size":1,"dry_run":true}}`,
	} {
		refused(t, tool(t, s, "call", args), "INVALID_ARGUMENTS", "")
	}
	if ran.Load() != 0 {
		t.Errorf("%d runs", ran.Load())
	}
	if got := textOf(t, tool(t, s, "call", `{"function":"write","kwargs":{"size":1},"dry_run":false}`)); got != "x" {
		t.Errorf("not dry: %q", got)
	}
}

// TestW30DryRunOfTheFunctionsOwn holds that in kwargs what a function declares is
// its own.
func TestW30DryRunOfTheFunctionsOwn(t *testing.T) {
	type in struct {
		DryRun    bool   `json:"dry_run,omitempty" jsonschema:"Only look."`
		PlanToken string `json:"plan_token,omitempty" jsonschema:"What it gave."`
	}
	reg := registry.New(nil)
	reg.Namespace("", "").Add(registry.Func("deploy", "Deploy.", func(_ context.Context, in in) (string, error) {
		return fmt.Sprint(in.DryRun, in.PlanToken), nil
	}))
	srv := cash.NewServer(reg, &cash.Options{Serve: serve.Options{Controls: &control.Controls{Plans: control.NewPlans(nil)}}})
	s := connect(t, context.Background(), srv)
	if got := textOf(t, tool(t, s, "call", `{"function":"deploy","kwargs":{"dryRun":true,"plan_token":"theirs"}}`)); got != "truetheirs" {
		t.Errorf("in kwargs: %q", got)
	}
	if r := readReport(tool(t, s, "call", `{"function":"deploy","dry_run":true}`)); !r.DryRun {
		t.Error("beside kwargs it is not the tool's")
	}
	without := connect(t, context.Background(), cash.NewServer(reg, nil))
	refused(t, tool(t, without, "call", `{"function":"deploy","dry_run":true}`), "INVALID_ARGUMENTS", "belongs in `kwargs`")
}

func TestW30PlanTokenOfCall(t *testing.T) {
	needed := &control.PlanOptions{Require: func(c *registry.Call) bool { return c.Function.Name() == "write" }}
	srv, ran := effects(&cash.Options{Serve: serve.Options{Controls: &control.Controls{Plans: control.NewPlans(needed)}}})
	s := connect(t, context.Background(), srv)
	token := func(args string) string {
		t.Helper()
		r := readReport(tool(t, s, "call", `{"function":"write","dry_run":true,"kwargs":`+args+`}`))
		if r.Token == "" {
			t.Fatal("no token")
		}
		return r.Token
	}
	refused(t, tool(t, s, "call", `{"function":"write","kwargs":{"size":1}}`), "INVALID_ARGUMENTS", "needs the plan token of a dry run")

	beside, inside := token(`{"size":1}`), token(`{"size":1}`)
	for _, args := range []string{
		`{"function":"write","kwargs":{"size":1},"plan_token":"` + beside + `"}`,
		`{"function":"write","kwargs":{"size":1,"plan_token":"` + inside + `"}}`,
	} {
		if got := textOf(t, tool(t, s, "call", args)); got != "x" {
			t.Errorf("%s: %q", args, got)
		}
		refused(t, tool(t, s, "call", args), "INVALID_ARGUMENTS", "has been used")
	}
	foreign := `{"function":"write","kwargs":{"size":1},"plan_token":"` + token(`{"size":1}`) + `"}`
	refused(t, tool(t, connect(t, context.Background(), srv), "call", foreign), "INVALID_ARGUMENTS", "not one for this call")
	refused(t, tool(t, s, "call", strings.Replace(foreign, `"size":1`, `"size":2`, 1)), "INVALID_ARGUMENTS", "not one for this call")
	refused(t, tool(t, s, "call", strings.Replace(foreign, "write", "read", 1)), "INVALID_ARGUMENTS", "not one for this call")
	if got := textOf(t, tool(t, s, "call", foreign)); got != "x" || ran.Load() != 3 {
		t.Errorf("its own call: %q after %d runs", got, ran.Load())
	}
}

// TestW36CachedResultAtTheGate holds that a result is as long from the cache as it
// was without.
func TestW36CachedResultAtTheGate(t *testing.T) {
	srv, ran := effects(&cash.Options{Serve: serve.Options{Controls: &control.Controls{Cache: control.NewCache(&control.CacheOptions{ReadOnly: true})}}})
	s := connect(t, context.Background(), srv)
	for _, tt := range []struct {
		limit int
		gated bool
	}{{20, false}, {20, false}, {19, true}, {0, true}, {20, false}} {
		res := tool(t, s, "call", fmt.Sprintf(`{"function":"read","kwargs":{"size":20},"sizelimit":%d}`, tt.limit))
		if gated(t, res) != tt.gated || ran.Load() != 1 {
			t.Errorf("with a limit of %d: %q after %d runs", tt.limit, textOf(t, res), ran.Load())
		}
	}
	if res := tool(t, s, "call", `{"function":"read","kwargs":{"size":20}}`); res.Meta[control.MetaCacheHit] != true {
		t.Errorf("meta = %v", res.Meta)
	}
}

// TestGateCountsAForgedMark holds that what a function puts where the mark of the
// cache would be does not pass the gate.
func TestGateCountsAForgedMark(t *testing.T) {
	f := made(registry.RawFunc("f", "F.", nil, func(context.Context, json.RawMessage) (*registry.Result, error) {
		r := registry.TextResult("x")
		r.Meta = map[string]any{control.MetaCacheHit: strings.Repeat("x", 1000)}
		return r, nil
	}))
	reg := registry.New(nil)
	reg.Namespace("", "").Add(f)
	if !gated(t, tool(t, connect(t, context.Background(), cash.NewServer(reg, nil)), "call", `{"function":"f","sizelimit":500}`)) {
		t.Error("it passes")
	}
}

// TestReplayAfterADryRun holds that the report of a dry run which was too large is
// not taken for the result of the function.
func TestReplayAfterADryRun(t *testing.T) {
	srv, ran := effects(&cash.Options{Serve: serve.Options{Controls: &control.Controls{Plans: control.NewPlans(nil)}}})
	s := connect(t, context.Background(), srv)
	res := tool(t, s, "call", `{"function":"write","kwargs":{"size":30},"dry_run":true,"sizelimit":10}`)
	if !gated(t, res) || strings.Contains(textOf(t, res), "already ran") {
		t.Errorf("the dry run: %q", textOf(t, res))
	}
	if got := textOf(t, tool(t, s, "call", `{"function":"write","kwargs":{"size":30},"sizelimit":9000}`)); got != strings.Repeat("x", 30) || ran.Load() != 1 {
		t.Errorf("the call: %q after %d runs", got, ran.Load())
	}
	if r := readReport(tool(t, s, "call", `{"function":"write","kwargs":{"size":30},"dry_run":true,"sizelimit":9000}`)); !r.DryRun {
		t.Error("the dry run does not pass with a larger limit")
	}
}

// TestReplayThatNeverRan holds that an error which says that nothing ran is not
// kept as what the function answered.
func TestReplayThatNeverRan(t *testing.T) {
	srv, ran := effects(nil)
	s := connect(t, context.Background(), srv)
	refused(t, tool(t, s, "call", `{"function":"write","kwargs":{"size":1},"replay":"replay-x","sizelimit":5}`), "FAILED", "No result is kept")
	if ran.Load() != 0 {
		t.Error("it ran")
	}

	long := strings.Repeat("Not now. ", 200)
	var refusals atomic.Int32
	srv, ran = effects(&cash.Options{Serve: serve.Options{Middleware: []registry.Middleware{func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			if refusals.Add(1) == 1 {
				return nil, &registry.Error{Kind: registry.Failed, Message: long, NotRun: true}
			}
			return next(ctx, c)
		}
	}}}})
	s = connect(t, context.Background(), srv)
	if res := tool(t, s, "call", `{"function":"write","kwargs":{"size":7},"sizelimit":5}`); !gated(t, res) || strings.Contains(textOf(t, res), "already ran") {
		t.Errorf("refused at length: %q", textOf(t, res))
	}
	if got := textOf(t, tool(t, s, "call", `{"function":"write","kwargs":{"size":7},"sizelimit":5000}`)); got != "xxxxxxx" || ran.Load() != 1 {
		t.Errorf("the call: %q after %d runs", got, ran.Load())
	}
}

// TestReplayIsDecidedAbout holds that the repeat of a call takes quota and the
// token of a dry run like the call, and does not run the function.
func TestReplayIsDecidedAbout(t *testing.T) {
	srv, ran := effects(&cash.Options{SizeLimit: 1000, Serve: serve.Options{Controls: &control.Controls{
		Quota: control.NewQuota(&control.QuotaOptions{Tools: map[string]control.Limit{"write": {PerSession: 2}}}),
		Plans: control.NewPlans(&control.PlanOptions{Require: func(c *registry.Call) bool { return c.Function.Name() == "write" }}),
		Cache: control.NewCache(&control.CacheOptions{ReadOnly: true}),
	}}})
	s := connect(t, context.Background(), srv)
	token := func() string {
		return readReport(tool(t, s, "call", `{"function":"write","kwargs":{"size":2000},"dry_run":true}`)).Token
	}
	call := func(token string) *mcp.CallToolResult {
		return tool(t, s, "call", `{"function":"write","kwargs":{"size":2000},"sizelimit":2000,"plan_token":"`+token+`"}`)
	}
	first := token()
	if res := tool(t, s, "call", `{"function":"write","kwargs":{"size":2000},"plan_token":"`+first+`"}`); !gated(t, res) {
		t.Fatal("not gated")
	}
	second := token()
	if got := textOf(t, call(second)); len(got) != 2000 || ran.Load() != 1 {
		t.Errorf("repeated: %.200q after %d runs", got, ran.Load())
	}
	refused(t, call(second), "RATE_LIMITED", "write")
	if ran.Load() != 1 {
		t.Errorf("%d runs", ran.Load())
	}
}

func TestW30UsedTokenHasNoReplay(t *testing.T) {
	srv, ran := effects(&cash.Options{Serve: serve.Options{Controls: &control.Controls{Plans: control.NewPlans(nil)}}})
	s := connect(t, context.Background(), srv)
	r := readReport(tool(t, s, "call", `{"function":"write","kwargs":{"size":20},"dry_run":true}`))
	args := `{"function":"write","kwargs":{"size":20},"plan_token":"` + r.Token + `","sizelimit":`
	if !gated(t, tool(t, s, "call", args+`5}`)) {
		t.Fatal("not gated")
	}
	refused(t, tool(t, s, "call", args+`20}`), "INVALID_ARGUMENTS", "has been used")
	if got := textOf(t, tool(t, s, "call", `{"function":"write","kwargs":{"size":20},"sizelimit":20}`)); len(got) != 20 || ran.Load() != 1 {
		t.Errorf("without it: %q after %d runs", got, ran.Load())
	}
}

// finds counts how often a store is asked for a result.
type finds struct {
	control.ResultStore
	n atomic.Int32
}

func (f *finds) Find(ctx context.Context, key control.ResultKey) (*control.StoredResult, string, error) {
	f.n.Add(1)
	return f.ResultStore.Find(ctx, key)
}

// TestCallWithinACall holds that a function which calls another by the same server
// is not answered with what is kept of itself, and that the other call is none of
// the tool.
func TestCallWithinACall(t *testing.T) {
	var srv *cash.Server
	reg := registry.New(nil)
	reg.Namespace("", "").Add(
		registry.Func("outer", "Outer.", func(ctx context.Context, _ struct{}) (string, error) {
			r, err := srv.Call(ctx, &cash.CallRequest{Function: "inner"})
			if err != nil {
				return "", err
			}
			return "outer of " + r.Text(), nil
		}),
		registry.Func("inner", "Inner.", func(context.Context, struct{}) (string, error) { return "inner", nil }))
	store := &finds{ResultStore: control.NewResults(nil)}
	once := map[string]control.Limit{"call": {PerSession: 1}}
	srv = cash.NewServer(reg, &cash.Options{Replays: store, Serve: serve.Options{Controls: &control.Controls{
		Quota: control.NewQuota(&control.QuotaOptions{Meta: once}),
	}}})
	ctx := registry.WithCaller(context.Background(), &registry.Caller{ID: "ada"})
	res := tool(t, connect(t, ctx, srv), "call", `{"function":"outer","sizelimit":500}`)
	if got := textOf(t, res); got != "outer of inner" || store.n.Load() != 1 {
		t.Errorf("%q after %d looks at the store", got, store.n.Load())
	}
}

// TestW30DryRunThroughAnAggregator holds that a dry run is one on the server that
// the function is on, too.
func TestW30DryRunThroughAnAggregator(t *testing.T) {
	for name, controls := range map[string]*control.Controls{"plans": {Plans: control.NewPlans(nil)}, "none": nil} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int32
			behind, ran := effects(&cash.Options{Serve: serve.Options{Middleware: []registry.Middleware{func(next registry.Handler) registry.Handler {
				return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
					if c.Plan == nil {
						calls.Add(1)
					}
					return next(ctx, c)
				}
			}}}})
			inner := mcp.NewServer(&mcp.Implementation{Name: "behind"}, nil)
			behind.AddTo(inner)
			reg := registry.New(nil)
			agg := upstream.New(reg, nil)
			if err := agg.Add(upstream.Server{Label: "door", Endpoint: upstream.InMemory{Server: inner}}); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := agg.Close(context.Background()); err != nil {
					t.Error(err)
				}
			})
			if err := agg.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			s := connect(t, context.Background(), cash.NewServer(reg, &cash.Options{Serve: serve.Options{Controls: controls}}))
			const args = `{"namespace":"door","function":"write","kwargs":{"size":3}`
			dry := tool(t, s, "call", args+`,"dry_run":true}`)
			if r := readReport(dry); calls.Load() != 0 || r.DryRun != (controls != nil) || dry.IsError != (controls == nil) {
				t.Errorf("%+v after %d calls of the server behind", dry, calls.Load())
			}
			if got := textOf(t, tool(t, s, "call", args+`,"plan_token":"`+readReport(dry).Token+`"}`)); got != "xxx" || ran.Load() != 1 {
				t.Errorf("the call: %q after %d runs", got, ran.Load())
			}
		})
	}
}

// TestW30DryRunsOfMountingServers holds that help reports on a call to a server
// that mounts this one, that call does it as well, and that nothing runs or is
// counted.
func TestW30DryRunsOfMountingServers(t *testing.T) {
	quota := control.NewQuota(&control.QuotaOptions{Meta: map[string]control.Limit{"help": {PerSession: 1}, "call": {PerSession: 1}}})
	srv, ran := effects(&cash.Options{Serve: serve.Options{Controls: &control.Controls{Quota: quota}}})
	s := connect(t, registry.WithCaller(context.Background(), &registry.Caller{ID: "ada"}), srv)
	for range 3 {
		for _, name := range []string{"help", "call"} {
			res, err := s.CallTool(t.Context(), &mcp.CallToolParams{
				Name: name, Arguments: json.RawMessage(`{"function":"write","kwargs":{"size":1}}`), Meta: mcp.Meta{registry.MetaDryRun: true},
			})
			if err != nil || res.IsError || !readReport(res).DryRun {
				t.Errorf("%s: %+v, %v", name, res, err)
			}
		}
	}
	if got := textOf(t, tool(t, s, "help", `{}`)); ran.Load() != 0 || !strings.HasPrefix(got, "# Available") {
		t.Errorf("%d runs; help says %s", ran.Load(), got)
	}
}
