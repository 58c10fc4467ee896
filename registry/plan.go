package registry

import (
	"encoding/json"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// A Plan is what a dry run finds out: all that a call would meet on its way to
// the function, which is not run (gateway surface, section 4.5).
type Plan struct {
	// Checks are what the call has passed, or would have to.
	Checks []PlanCheck
	// Token may be presented with the call itself ([Request.PlanToken]). Empty is
	// none.
	Token string

	function *Function
}

// A PlanCheck is one thing that was looked at.
type PlanCheck struct {
	Name   string `json:"name"`   // such as schema_validation, policy, rate_limit
	Status string `json:"status"` // pass, or required for what is missing
}

// NewPlan returns the plan of a prepared call of f, which makes that a dry run
// ([Call.Plan]).
func NewPlan(f *Function) *Plan {
	return &Plan{function: f, Checks: []PlanCheck{{"schema_validation", "pass"}}}
}

// Add notes the outcome of a check. It does nothing to a nil Plan.
func (p *Plan) Add(name, status string) {
	if p != nil {
		p.Checks = append(p.Checks, PlanCheck{name, status})
	}
}

// result is the plan as its caller reads it. What a function declares of its
// effects is never verified.
func (p *Plan) result() (*Result, error) {
	f := p.function
	text, err := marshal(struct {
		DryRun      bool            `json:"dry_run"`
		ID          string          `json:"tool_id"`
		Tool        string          `json:"upstream_name"`
		ArgsValid   bool            `json:"args_valid"`
		Annotations map[string]bool `json:"annotations"`
		Checks      []PlanCheck     `json:"checks"`
		Token       string          `json:"plan_token,omitempty"`
		Schema      json.RawMessage `json:"input_schema"` // where else would a caller see it that has cards only
	}{true, f.Primitive().String(), f.Tool(), true, f.annotations(), p.Checks, p.Token, clean.JSON(f.InputSchema())})
	if err != nil {
		return nil, err
	}
	r := TextResult(text)
	r.JSON = true
	return r, nil
}

// annotations are the effects that the function declares.
func (f *Function) annotations() map[string]bool {
	hints := map[string]bool{"verified": false}
	for name, declared := range map[string]bool{
		"readOnlyHint": f.readOnly, "idempotentHint": f.idempotent.yes, "destructiveHint": f.destructive.yes,
	} {
		if declared {
			hints[name] = true
		}
	}
	return hints
}
