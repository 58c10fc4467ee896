package control

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/cash-mcp/go-sdk/internal/mistake"
	"github.com/cash-mcp/go-sdk/registry"
)

// A Decision is the answer of a [Rule] or a person to a call.
type Decision string

// The decisions. The zero value is none.
const (
	Allow           Decision = "allow"
	Deny            Decision = "deny"
	RequireApproval Decision = "require_approval" // a person decides, see [Approvals]
)

func (d Decision) known() bool { return d == Allow || d == Deny || d == RequireApproval }

// strictness orders decisions.
func (d Decision) strictness() int { return slices.Index([]Decision{Allow, RequireApproval, Deny}, d) }

// A Policy decides which calls run, among the functions that a caller sees. To hide a function, use
// [registry.Visibility]. A Policy is safe for concurrent use. Make one with [NewPolicy].
type Policy struct {
	rules     []rule
	fallback  Decision
	approvals *Approvals
	further   []*Policy // the strictest of all decides
	latest    latest[Policy]
}

// PolicyOptions configure a [Policy]. Nil means all defaults.
type PolicyOptions struct {
	// Rules are tried in order; the first that applies decides.
	Rules []Rule
	// Default decides where no rule applies. Zero is Allow.
	Default Decision
	// Approvals ask the person. Nil is NewApprovals(nil).
	Approvals *Approvals
}

// NewPolicy returns a policy. It panics if opts are invalid, so that a mistake allows nothing.
func NewPolicy(opts *PolicyOptions) *Policy {
	var o PolicyOptions
	if opts != nil {
		o = *opts
	}
	rules, err := o.compile()
	mistake.Check("control", err)
	p := &Policy{rules: rules, fallback: cmp.Or(o.Default, Allow), approvals: o.Approvals}
	if p.approvals == nil {
		p.approvals = NewApprovals(nil)
	}
	return p
}

// Check returns the error with which [NewPolicy] panics: a rule without a decision, or one that could never apply. Nil
// options are valid.
func (o *PolicyOptions) Check() error {
	if o == nil {
		return nil
	}
	_, err := o.compile()
	return err
}

// compile returns the compiled rules, in order.
func (o *PolicyOptions) compile() ([]rule, error) {
	if o.Default != "" && !o.Default.known() {
		return nil, fmt.Errorf("policy: unknown default decision %.40q", o.Default)
	}
	var rules []rule
	for i := range o.Rules {
		r, err := compileRule(&o.Rules[i])
		if err != nil {
			return nil, fmt.Errorf("policy: rule %d: %w", i, err)
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// Approvals returns the approvals of the policy.
func (p *Policy) Approvals() *Approvals { return p.approvals }

// Decide returns the policy's decision about a call and the reason of the rule. The default has no reason.
func (p *Policy) Decide(c *registry.Call) (d Decision, reason string) {
	p = p.latest.or(p)
	var buf [256]byte // on the stack
	s := newSubject(c, buf[:0])
	d, reason = p.decide(&s)
	for _, further := range p.further {
		if other, why := further.decide(&s); other.strictness() > d.strictness() {
			d, reason = other, why
		}
	}
	return d, reason
}

// decide returns the decision of the policy's own rules.
func (p *Policy) decide(s *subject) (d Decision, reason string) {
	for i := range p.rules {
		if p.rules[i].applies(s) {
			return p.rules[i].decision, p.rules[i].reason
		}
	}
	return p.fallback, ""
}

// Middleware returns the policy as middleware. A denial is an *[registry.Error] of kind [registry.Denied] with the
// reason [registry.ReasonPolicy], a missing approval one with [registry.ReasonApproval]. In a dry run they are no
// errors: its plan lists them as the checks policy and approval.
func (p *Policy) Middleware() registry.Middleware {
	if p.approvals == nil {
		panic("control: a Policy is made by NewPolicy")
	}
	return func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			d, reason := p.Decide(c)
			switch {
			case c.Plan != nil && p.latest.or(p).empty():
				return next(ctx, c)
			case c.Plan != nil:
				plan(c, d, reason)
				return next(ctx, c)
			case d == Allow:
				return next(ctx, c)
			case d == RequireApproval:
				return p.approvals.run(ctx, c, reason, next)
			}
			return nil, denied(c, reason)
		}
	}
}

// empty reports whether the policy allows all, without a rule.
func (p *Policy) empty() bool {
	return len(p.rules) == 0 && p.fallback == Allow && !slices.ContainsFunc(p.further, func(f *Policy) bool { return !f.empty() })
}

// plan adds the decision about a call to its plan.
func plan(c *registry.Call, d Decision, reason string) {
	c.Plan.Add(registry.CheckPolicy, registry.CheckPass)
	c.Plan.Add(registry.CheckApproval, registry.CheckNotRequired)
	switch d {
	case Allow:
	case RequireApproval:
		c.Plan.Add(registry.CheckApproval, registry.CheckRequired)
	default:
		c.Plan.Fail(registry.CheckPolicy, denied(c, reason))
	}
}

// denied returns the error of a call that a rule denies.
func denied(c *registry.Call, reason string) *registry.Error {
	e := notAllowed(c, fmt.Sprintf("The policy of this server does not allow this call of `%s`.", c.Function.Name()))
	if reason != "" {
		e.Message += " " + reason
	}
	e.Hint = "Do not repeat it: the answer will be the same. Go on without it, or tell the user."
	e.Details = map[string]any{registry.DetailReason: registry.ReasonPolicy}
	return e
}

func notAllowed(c *registry.Call, message string) *registry.Error {
	f := c.Function
	return &registry.Error{Kind: registry.Denied, Namespace: f.Namespace(), Name: f.Name(), Message: message, NotRun: true}
}
