package control_test

import (
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestW38RefusalReasons holds that the details of a refusal tell apart a rule, a person and the token of a dry run.
func TestW38RefusalReasons(t *testing.T) {
	policy := control.NewPolicy(&control.PolicyOptions{Rules: []control.Rule{
		{Decision: control.Deny, Tools: []string{"shop.wipe"}, Reason: "Nothing is wiped on Fridays"},
		{Decision: control.RequireApproval, Tools: []string{"shop.write"}, Reason: `The boss asks "why?"`},
	}})
	r := newRig(nil, policy.Middleware(), control.NewPlans(&control.PlanOptions{
		Require: func(c *registry.Call) bool { return c.Function.ReadOnly() },
	}).Middleware())
	token := plan(t, r, "ada", "read", `{"a":1}`).Token
	must(r.do("ada", "read", `{"a":1}`, withPlan(token)))
	for _, tt := range []struct {
		name, args string
		token      string
		kind       registry.Kind
		reason     string
		detail     string // the member of details beside the reason
		value      any
		says       string
	}{
		{"wipe", "", "", registry.Denied, "policy", "", nil, "`wipe`. Nothing is wiped on Fridays."},
		{"write", "", "", registry.Denied, "approval", "approval", "required", `The boss asks "why?"`},
		{"read", `{"a":1}`, "", registry.InvalidArguments, "plan_token", "plan_token", "required", "needs the plan token"},
		{"read", `{"a":2}`, token, registry.InvalidArguments, "plan_token", "plan_token", "unknown", "not one for this call"},
		{"read", `{"a":1}`, token, registry.InvalidArguments, "plan_token", "plan_token", "used", "has been used"},
	} {
		_, err := r.do("ada", tt.name, tt.args, withPlan(tt.token))
		e := refusal(t, err, tt.kind)
		if e.Details[registry.DetailReason] != tt.reason || e.Details[tt.detail] != tt.value || !strings.Contains(e.Message, tt.says) || strings.Contains(e.Message, `why?".`) {
			t.Errorf("%s: details %v: %s", tt.name, e.Details, e.Message)
		}
	}
}
