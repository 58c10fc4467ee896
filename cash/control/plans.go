package control

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/internal/mistake"
	"github.com/cash-mcp/go-sdk/registry"
)

// PlanOptions configure [Plans]. Nil is fine.
type PlanOptions struct {
	// Require says which calls need the token of a dry run, such as those of
	// destructive functions. It must be quick and safe for concurrent use; the
	// call must not be modified. Nil is none.
	Require func(c *registry.Call) bool
	// MaxAge is how long a token may be used. Zero is 10 minutes.
	MaxAge time.Duration
	// MaxUsed bounds how many tokens are remembered as used, which each is for at
	// most twice MaxAge. While there are so many, calls with a token are refused.
	// Zero is 100,000.
	MaxUsed int
	// Key signs the tokens: at least 32 random bytes. Servers
	// that have the same key take one another's tokens; each remembers only what
	// was used with itself. Nil is a random key.
	Key []byte
	// Now is the clock. Nil is time.Now.
	Now func() time.Time
}

// Plans let a dry run hand out a token that the call itself presents
// ([registry.Request.PlanToken]): what was looked at is then what is done. A
// token is good for one call of the same owner ([registry.Call.Owner]), of the
// function as it was defined then, with the same arguments in any order. A call
// with any other token is not run, also where it needs none.
//
// A token says itself what it is for and until when, signed with HMAC-SHA256:
// dry runs cost no memory, so that no number of them pushes anything out. Only
// used tokens are remembered. A call that surely did not run leaves its token
// good. One that asked for input goes on with it, once: the token is then good for
// the call with the answers and the state that was given, and for no other.
//
// Plans are safe for concurrent use; nil ones hold no call to anything.
type Plans struct {
	opts PlanOptions

	mu   sync.Mutex
	used map[int64]map[planMAC]planUse // by when they expire, in MaxAges since 1970
}

// NewPlans returns plans of which no token is used. It panics if opts are in error.
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
	o.Key = slices.Clone(o.Key)
	if o.Key == nil {
		o.Key = make([]byte, minPlanKey)
		rand.Read(o.Key)
	}
	return &Plans{opts: o, used: make(map[int64]map[planMAC]planUse)}
}

// minPlanKey is the least number of bytes of [PlanOptions.Key].
const minPlanKey = 32

// Check returns what [NewPlans] panics with for options in error: a key that is too
// short. Nil options are none.
func (o *PlanOptions) Check() error {
	if o != nil && o.Key != nil && len(o.Key) < minPlanKey {
		return fmt.Errorf("plans: a key of %d bytes; it takes at least %d", len(o.Key), minPlanKey)
	}
	return nil
}

// Middleware gives dry runs a token, with the check plan_token where the call
// will need it, and holds calls to theirs. What it refuses is an
// *[registry.Error] of kind [registry.InvalidArguments] that says to make a dry
// run, with the detail plan_token: required, unknown, expired or used.
func (p *Plans) Middleware() registry.Middleware {
	return func(next registry.Handler) registry.Handler {
		if p == nil {
			return next
		}
		return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			switch {
			case c.Plan != nil:
				c.Plan.Token = p.token(c)
				if p.requires(c) {
					c.Plan.Add("plan_token", "required")
				}
			case c.PlanToken != "":
				return p.redeem(ctx, c, next)
			case p.requires(c):
				return nil, planError(c, "required", "A call of `"+c.Function.Name()+"` needs the plan token of a dry run.")
			}
			return next(ctx, c)
		}
	}
}

func (p *Plans) requires(c *registry.Call) bool { return p.opts.Require != nil && p.opts.Require(c) }

// redeem runs a call whose token is good, and uses the token up.
func (p *Plans) redeem(ctx context.Context, c *registry.Call, next registry.Handler) (*registry.Result, error) {
	t, ok := parsePlanToken(c.PlanToken)
	if !ok || !hmac.Equal(t.mac[:], p.sign(t, c)) {
		return nil, planError(c, "unknown", "The plan token is not one for this call: it belongs to other arguments, another function or caller, or the function has changed since.")
	}
	if !p.opts.Now().Before(t.expires()) {
		return nil, planError(c, "expired", "The plan token has expired.")
	}
	before, err := p.take(c, t)
	if err != nil {
		return nil, err
	}
	res, err := next(ctx, c)
	switch {
	case err != nil && registry.AsError(err).NotRun:
		p.put(t, before)
	case err == nil && res != nil && res.InputRequests != nil:
		p.put(t, heldFor(res.RequestState))
	}
	return res, err
}

// take marks a token as spent and returns what it was before.
func (p *Plans) take(c *registry.Call, t planToken) (before planUse, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	known, current := 0, p.epoch(p.opts.Now())
	for epoch, used := range p.used {
		if epoch < current {
			delete(p.used, epoch)
			continue
		}
		known += len(used)
	}
	epoch := p.epoch(t.expires())
	before = p.used[epoch][t.mac]
	if !before.admits(c) {
		return before, planError(c, "used", "The plan token has been used: it is good for one call.")
	}
	if before.stage == unused && known >= p.opts.MaxUsed {
		return before, &registry.Error{
			Kind: registry.Unavailable, Namespace: c.Function.Namespace(), Name: c.Function.Name(), NotRun: true,
			Message: "Too many plan tokens are in use. The function was not run.", Hint: "Try again in a minute.",
		}
	}
	if p.used[epoch] == nil {
		p.used[epoch] = make(map[planMAC]planUse)
	}
	p.used[epoch][t.mac] = planUse{stage: spent}
	return before, nil
}

// put notes what becomes of a token that was taken. One that has expired since
// may be forgotten already.
func (p *Plans) put(t planToken, use planUse) {
	p.mu.Lock()
	defer p.mu.Unlock()
	used := p.used[p.epoch(t.expires())]
	switch {
	case use.stage == unused:
		delete(used, t.mac)
	case used != nil:
		used[t.mac] = use
	}
}

// epoch numbers stretches of time that are as long as a token lasts.
func (p *Plans) epoch(t time.Time) int64 { return t.UnixMilli() / p.opts.MaxAge.Milliseconds() }

func planError(c *registry.Call, problem, message string) error {
	return &registry.Error{
		Kind: registry.InvalidArguments, Namespace: c.Function.Namespace(), Name: c.Function.Name(), NotRun: true,
		Message: message + " The function was not run.",
		Hint:    "Make a dry run with these arguments, then the same call with the token that it gives.",
		Details: map[string]any{"plan_token": problem},
	}
}
