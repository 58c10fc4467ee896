package registry

import (
	"encoding/json"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// A Plan is the result of a dry run: the checks that a call meets on its way to the function. The
// function does not run (gateway surface, section 4.5).
type Plan struct {
	// Checks are the checks that the call passed or still needs.
	Checks []PlanCheck
	// Token goes with the real call ([Request.PlanToken]). Empty is none. Tokens of mounted servers
	// follow that of this one, each after a [PlanTokenSeparator].
	Token string

	function *Function
}

// A PlanCheck is the outcome of one check.
type PlanCheck struct {
	Name   string `json:"name"`   // such as schema_validation, policy, rate_limit
	Status string `json:"status"` // pass, partial, or required for a missing condition
	// Detail says in words what was not checked. Empty is nothing.
	Detail string `json:"detail,omitempty"`
	// Server is the path of the mounted server that made the check. Empty is this server.
	Server string `json:"server,omitempty"`
}

// PlanTokenSeparator is between the plan tokens of servers that mount one another.
const PlanTokenSeparator = "."

// Extend adds the report of a mounted server: its checks, which name that server, and its token.
func (p *Plan) Extend(checks []PlanCheck, token string) {
	p.Checks = append(p.Checks, checks...)
	if p.Token != "" && token != "" {
		p.Token += PlanTokenSeparator
	}
	p.Token += token
}

// NewPlan returns the plan for a call of f. In [Call.Plan] it makes the call a dry run.
func NewPlan(f *Function) *Plan {
	check := PlanCheck{Name: "schema_validation", Status: "pass"}
	if partial := f.Partial(); partial != "" {
		check.Status, check.Detail = "partial", partial
	}
	return &Plan{function: f, Checks: []PlanCheck{check}}
}

// Add adds the outcome of a check. It does nothing on a nil Plan.
func (p *Plan) Add(name, status string) {
	if p != nil {
		p.Checks = append(p.Checks, PlanCheck{Name: name, Status: status})
	}
}

// result returns the plan as a JSON result. Declared effects are never verified.
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
		Schema      json.RawMessage `json:"input_schema"` // a caller may have seen only the function's card
	}{true, f.Primitive().String(), f.Tool(), true, f.annotations(), p.Checks, p.Token, clean.JSON(f.InputSchema())})
	if err != nil {
		return nil, err
	}
	r := TextResult(text)
	r.JSON = true
	return r, nil
}

// annotations returns the declared effects of the function, as a plan shows them.
func (f *Function) annotations() map[string]bool {
	hints := map[string]bool{"verified": false}
	if f.readOnly {
		hints["readOnlyHint"] = true
	}
	for name, h := range map[string]hint{"idempotentHint": f.idempotent, "destructiveHint": f.destructive, "openWorldHint": f.openWorld} {
		if h.said {
			hints[name] = h.yes
		}
	}
	return hints
}
