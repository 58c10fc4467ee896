package control

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cash-mcp/go-sdk/internal/keyring"
	"github.com/cash-mcp/go-sdk/internal/mistake"
	"github.com/cash-mcp/go-sdk/registry"
)

// PlanOptions configure [Plans]. Nil means all defaults.
type PlanOptions struct {
	// Require reports whether a call needs the token of a dry run, for example if its function is destructive. It must
	// be fast, safe for concurrent use, and must not modify the call. Nil requires no tokens.
	Require func(c *registry.Call) bool
	// MaxAge is how long a token is valid. Zero is 10 minutes.
	MaxAge time.Duration
	// MaxUsed bounds the used tokens in memory, each kept until it expires. At the limit, calls with a token are
	// refused. Zero is 100,000.
	MaxUsed int
	// Keys sign the tokens, each of at least 32 random bytes. The first one signs, all verify. Servers with the same
	// keys accept each other's tokens, and should share a Store. See [Plans] for a change of keys. Nil is a random key:
	// tokens end with the process.
	Keys [][]byte
	// Store remembers used tokens. Nil is the memory of this process.
	Store PlanStore
	// Now is the clock. Nil is time.Now.
	Now func() time.Time
}

// Plans bind a call to its dry run. The dry run returns a token and the call presents it
// ([registry.Request.PlanToken]), so that the call does what the dry run showed. A token is valid for one call of the
// same owner ([registry.Call.Owner]), of the function as it was defined, with the same arguments in any order. A call
// with any other token is refused, even if it needs none.
//
// A token holds its own expiry and an HMAC-SHA256 signature. Dry runs take no memory, so no number of them displaces
// anything. Only used tokens are stored, in [PlanOptions.Store]. A call that surely did not run leaves its token valid.
// A call that asked for input keeps its token for one continuation, with the answers and the given state.
//
// A dry run that went on to a mounted server gives that server's token after the own one. The call takes both, and
// passes the rest on.
//
// Plans are safe for concurrent use; nil Plans require nothing.
//
// To change keys, restart the servers with another list, three times:
//   - with the new key last, so that all accept it
//   - with the new key first, so that all use it
//   - without the former key, once its last tokens have expired: from then on they are unknown
//
// A single server can begin with the second step.
type Plans struct {
	opts PlanOptions
	keys keyring.Ring
}

// NewPlans returns plans without used tokens. It panics if opts are invalid.
func NewPlans(opts *PlanOptions) *Plans {
	var o PlanOptions
	if opts != nil {
		o = *opts
	}
	mistake.Check("control", o.Check())
	o.MaxAge = max(cmp.Or(o.MaxAge, 10*time.Minute), time.Second)
	o.MaxUsed = cmp.Or(o.MaxUsed, 100_000)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Store == nil {
		o.Store = newPlanUses(o.MaxUsed, o.Now)
	}
	return &Plans{o, keyring.New(o.Keys)}
}

// Check returns the error with which [NewPlans] panics: keys that are too short or too many, or an empty list of them.
// Nil options are valid.
func (o *PlanOptions) Check() error {
	if o == nil {
		return nil
	}
	if err := keyring.Check(o.Keys); err != nil {
		return fmt.Errorf("plans: Keys: %w", err)
	}
	return nil
}

// Middleware gives each dry run whose checks have not failed a token, with the check plan_token, and checks the tokens
// of calls. A refusal is an *[registry.Error] of kind [registry.InvalidArguments] that asks for a dry run. Its details
// have the reason [registry.ReasonPlanToken], and plan_token: required, unknown, expired or used.
func (p *Plans) Middleware() registry.Middleware {
	return func(next registry.Handler) registry.Handler {
		if p == nil {
			return next
		}
		return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			switch {
			case c.Plan != nil:
				p.plan(c)
			case c.PlanToken != "":
				return p.redeem(ctx, c, next)
			case p.requires(c):
				return nil, planError(c, "required", "A call of `"+c.Function.Name()+"` needs the plan token of a dry run.")
			}
			return next(ctx, c)
		}
	}
}

// plan adds the check and the token to a plan. A call that would be refused gets no token.
func (p *Plans) plan(c *registry.Call) {
	c.Plan.Add(registry.CheckPlanToken, registry.CheckNotRequired)
	if p.requires(c) {
		c.Plan.Add(registry.CheckPlanToken, registry.CheckRequired)
	}
	if c.Plan.Failure() == nil {
		c.Plan.Token = p.token(c)
	}
}

func (p *Plans) requires(c *registry.Call) bool { return p.opts.Require != nil && p.opts.Require(c) }

// redeem runs a call with a valid token, and uses up the token.
func (p *Plans) redeem(ctx context.Context, c *registry.Call, next registry.Handler) (*registry.Result, error) {
	own, inner, _ := strings.Cut(c.PlanToken, registry.PlanTokenSeparator)
	t, ok := parsePlanToken(own)
	if !ok || !p.keys.Verify(t.mac[:], t.signed(c)...) {
		return nil, planError(c, "unknown", "The plan token is not one for this call: it belongs to other arguments, another function or caller, or the function has changed since.")
	}
	if !p.opts.Now().Before(t.expires()) {
		return nil, planError(c, "expired", "The plan token has expired.")
	}
	was, err := p.claim(ctx, c, t)
	if err != nil {
		return nil, err
	}
	rest := *c
	rest.PlanToken = inner
	res, err := next(ctx, &rest)
	switch {
	case err != nil && registry.AsError(err).NotRun:
		p.release(ctx, t, was)
	case err == nil && res != nil && res.InputRequests != nil:
		p.release(ctx, t, stateSum(res.RequestState))
	}
	return res, err
}

// claim uses up a token, and returns the state that it was held for.
func (p *Plans) claim(ctx context.Context, c *registry.Call, t planToken) (was string, err error) {
	state := ""
	if c.Client != nil && (c.Client.Answers != nil || c.Client.State != "") {
		state = stateSum(c.Client.State)
	}
	was, claimed, err := p.opts.Store.Claim(ctx, t.id(), state, t.expires())
	switch {
	case errors.Is(err, ErrNoRoom):
		return "", notRun(c, "Too many plan tokens are in use. The function was not run.", "Try again in a minute.", nil)
	case err != nil:
		return "", notRun(c, "Plan tokens cannot be checked now. The function was not run.", "Try again in a moment.", err)
	case !claimed:
		return "", planError(c, "used", "The plan token has been used: it is good for one call.")
	}
	return was, nil
}

// release returns a claimed token. If that fails, the token stays used.
func (p *Plans) release(ctx context.Context, t planToken, state string) {
	ctx, done := afterwards(ctx)
	defer done()
	_ = p.opts.Store.Release(ctx, t.id(), state)
}

// stateSum returns the hash by which the state of a held token is compared. It is never empty.
func stateSum(state string) string {
	sum := sha256.Sum256([]byte(state))
	return hex.EncodeToString(sum[:])
}

func planError(c *registry.Call, problem, message string) error {
	return &registry.Error{
		Kind: registry.InvalidArguments, Namespace: c.Function.Namespace(), Name: c.Function.Name(), NotRun: true,
		Message: message + " The function was not run.",
		Hint:    "Make this call with `dry_run` first, then once more with the `plan_token` that it gives.",
		Details: map[string]any{registry.DetailReason: registry.ReasonPlanToken, "plan_token": problem},
	}
}
