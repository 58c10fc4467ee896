package registry

import (
	"encoding/json"
	"slices"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// A Plan is the result of a dry run: the checks that a call meets on its way to the function. The
// function does not run (gateway surface, section 4.5). The report lists the checks below in that
// order, then all others.
type Plan struct {
	// Checks are the outcomes of checks. Those below that are missing are not configured.
	Checks []PlanCheck
	// Token goes with the real call ([Request.PlanToken]). Empty is none. Tokens of mounted servers
	// follow that of this one, each after a [PlanTokenSeparator].
	Token string

	function *Function
	failure  *Error // of the first check that has failed
}

// The checks that every plan lists.
const (
	CheckSchema    = "schema_validation"
	CheckPolicy    = "policy"
	CheckApproval  = "approval"
	CheckRateLimit = "rate_limit"
	CheckPlanToken = "plan_token"
)

// The statuses of a check.
const (
	CheckPass          = "pass"
	CheckPartial       = "partial"        // of the schema: a part is not known here
	CheckFail          = "fail"           // the call would be refused now
	CheckRequired      = "required"       // the call still needs this: a person, or the token of the plan
	CheckNotRequired   = "not_required"   // configured, and not needed for this call
	CheckNotConfigured = "not_configured" // the server does not check this
)

// A PlanCheck is the outcome of one check.
type PlanCheck struct {
	Name   string `json:"name"`   // such as [CheckRateLimit]
	Status string `json:"status"` // such as [CheckPass]
	// Detail says in words what was not checked. Empty is nothing.
	Detail string `json:"detail,omitempty"`
	// Message is that of the error that a call would get. RetryAfter is when to try again, in
	// seconds. Both are zero unless the check fails; a zero RetryAfter says nothing.
	Message    string `json:"message,omitempty"`
	RetryAfter int64  `json:"retry_after,omitempty"`
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

// NewPlan returns the plan for a call of f with valid arguments. In [Call.Plan] it makes the call a
// dry run.
func NewPlan(f *Function) *Plan {
	check := PlanCheck{Name: CheckSchema, Status: CheckPass}
	if partial := f.Partial(); partial != "" {
		check.Status, check.Detail = CheckPartial, partial
	}
	return &Plan{function: f, Checks: []PlanCheck{check}}
}

// Add sets the outcome of a check. It does nothing on a nil Plan.
func (p *Plan) Add(name, status string) {
	if p != nil {
		p.set(PlanCheck{Name: name, Status: status})
	}
}

// Fail sets the outcome of a check to the error that the call would get. It does nothing on a nil
// Plan.
func (p *Plan) Fail(name string, err *Error) {
	if p == nil {
		return
	}
	after, _ := err.Details["retry_after"].(int64)
	p.set(PlanCheck{Name: name, Status: CheckFail, Message: cleanMessage(err.Error()), RetryAfter: after})
	if p.failure == nil {
		p.failure = err
	}
}

// Failure returns the error that the call would get from the first check that has failed; nil if none
// has, and on a nil Plan.
func (p *Plan) Failure() *Error {
	if p == nil {
		return nil
	}
	return p.failure
}

func (p *Plan) set(c PlanCheck) {
	if i := p.index(c.Name); i >= 0 {
		p.Checks[i] = c
		return
	}
	p.Checks = append(p.Checks, c)
}

func (p *Plan) index(name string) int {
	return slices.IndexFunc(p.Checks, func(c PlanCheck) bool { return c.Name == name && c.Server == "" })
}

// listed returns the checks as the report lists them.
func (p *Plan) listed() []PlanCheck {
	names := []string{CheckSchema, CheckPolicy, CheckApproval, CheckRateLimit, CheckPlanToken}
	list := make([]PlanCheck, len(names))
	for i, name := range names {
		list[i] = PlanCheck{Name: name, Status: CheckNotConfigured}
		if j := p.index(name); j >= 0 {
			list[i] = p.Checks[j]
		}
	}
	for _, c := range p.Checks {
		if c.Server != "" || !slices.Contains(names, c.Name) {
			list = append(list, c)
		}
	}
	return list
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
	}{true, f.Primitive().String(), f.Tool(), true, f.annotations(), p.listed(), p.Token, clean.JSON(f.InputSchema())})
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
