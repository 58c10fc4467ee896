package control_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/registry"
)

func TestNoControls(t *testing.T) {
	var none *control.Controls
	if len(none.Middleware()) != 0 || len(new(control.Controls).Middleware()) != 0 {
		t.Error("what is not configured is on")
	}
}

// everything is all controls at once: shop.wipe is denied, shop.write needs
// approval and the token of a dry run, and three calls of a function are let
// through.
func everything(t testing.TB, j *journal) *control.Controls {
	t.Helper()
	p := policy(t,
		control.Rule{Decision: control.Deny, Tools: []string{"shop.wipe"}},
		control.Rule{Decision: control.RequireApproval, Tools: []string{"shop.write"}})
	q := control.NewQuota(&control.QuotaOptions{Default: control.Limit{PerSession: 3}})
	cache := control.NewCache(&control.CacheOptions{ReadOnly: true})
	return &control.Controls{
		Audit: j.audit(), Policy: p, Quota: q, Cache: cache,
		Plans: control.NewPlans(&control.PlanOptions{Require: func(c *registry.Call) bool { return c.Function.Name() == "write" }}),
		Retry: &control.Retry{MaxAttempts: 2, Rand: func() float64 { return 0 }},
	}
}

func TestW30OrderOfControls(t *testing.T) {
	var j journal
	down := true
	answers := map[string]registry.Handler{"Big_Read": func(context.Context, *registry.Call) (*registry.Result, error) {
		if down {
			down = false
			return nil, &registry.Error{Kind: registry.Unavailable, Message: "Down.", NotRun: true}
		}
		return registry.TextResult("up"), nil
	}}
	controls := everything(t, &j)
	r := newRig(answers, controls.Middleware()...)

	// Policy comes before quota: what is denied counts for nothing.
	for range 5 {
		_, err := r.do("ada", "wipe", "")
		refusal(t, err, registry.Denied)
	}
	// Quota comes before the cache: what is answered from it counts.
	for range 3 {
		if res, err := r.do("ada", "read", ""); textOf(t, res, err) != "1" {
			t.Error("not from the cache")
		}
	}
	_, err := r.do("ada", "read", "")
	refusal(t, err, registry.RateLimited)

	// A plan comes after policy and quota, and neither counts nor asks; the call
	// is approved before its token is looked at, and used up.
	res, err := r.do("ada", "write", "", dry)
	plan := textOf(t, res, err)
	for _, want := range []string{`{"name":"schema_validation","status":"pass"},{"name":"policy","status":"pass"},{"name":"approval","status":"required"},{"name":"rate_limit"`, `"plan_token":"`} {
		if !strings.Contains(plan, want) {
			t.Errorf("the plan is %s", plan)
		}
	}
	_, token, _ := strings.Cut(plan, `"plan_token":"`)
	token, _, _ = strings.Cut(token, `"`)
	_, err = r.do("ada", "write", "", withPlan(token))
	(&operator{controls.Policy.Approvals(), t}).Approve(detail(t, err, "approval_id"))
	if res, err := r.do("ada", "write", "", withPlan(token)); textOf(t, res, err) != "1" {
		t.Error("not run")
	}
	j.events(t)

	// Retry is innermost, and the audit sees what became of it.
	if res, err := r.do("ada", "bigread", ""); textOf(t, res, err) != "up" {
		t.Error("not tried again")
	}
	if e := j.only(t); e["attempts"] != 2.0 || e["cache_hit"] != nil {
		t.Errorf("the event is %v", e)
	}
	r.do("ada", "bigread", "")
	if e := j.only(t); e["cache_hit"] != true || e["attempts"] != nil {
		t.Errorf("the event is %v", e)
	}
}

// What the pipeline refuses before is no business of the controls.
func TestW30ValidationComesFirst(t *testing.T) {
	var j journal
	controls := everything(t, &j)
	r := newRig(nil, controls.Middleware()...)
	if _, err := r.do("ada", "read", `[]`); !errors.Is(err, registry.InvalidArguments) || len(j.events(t)) != 0 {
		t.Errorf("the error is %v", err)
	}
}
