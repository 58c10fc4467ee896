package control

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cash-mcp/go-sdk/internal/mistake"
	"github.com/cash-mcp/go-sdk/registry"
)

// A Limit bounds how often one owner calls one tool (gateway surface, section
// 4.5). A zero member is no limit, and a negative one lets nothing through.
type Limit struct {
	// PerMinute is the most calls in any 60 seconds.
	PerMinute int
	// Burst is the most calls at once, where that is to be less than PerMinute:
	// the others are spread evenly over the minute. It means nothing alone.
	Burst int
	// PerSession is the most calls until the session ends.
	PerSession int
}

// none reports whether l limits nothing.
func (l Limit) none() bool { return l.PerMinute == 0 && l.PerSession == 0 }

// QuotaOptions configure a [Quota]. Nil limits nothing.
type QuotaOptions struct {
	// Default is the limit of each function that Tools does not name. Every
	// function is counted for itself.
	Default Limit
	// Tools are limits of functions, by id (billing:refund#a1b2c3d4) or by dotted
	// path (billing.refund) in any spelling. A path outlives a change of the
	// function's parameters, an id with a hash does not. Where an id has no version
	// or no hash, any will do. If more than one key stands for a function, the
	// strictest of each kind of limit holds.
	Tools map[string]Limit
	// Meta are limits of the tools that a face shows, such as tool_browse or
	// help, by name. See [Quota.Allow] and [Through].
	Meta map[string]Limit
	// SessionIdle ends a session in which nothing was called for so long: what
	// has been counted is forgotten. Zero is an hour. See [Quota.Forget].
	SessionIdle time.Duration
	// Max bounds how many pairs of owner and tool are counted at a time in memory. Zero
	// is 100,000.
	Max int
	// Store counts. Nil is the memory of this process.
	Store QuotaStore
	// Now is the clock. Nil is time.Now.
	Now func() time.Time
}

// A Quota limits how often callers call. It counts for each owner
// ([registry.Call.Owner]) and tool: an authenticated caller, or a connection,
// is a session; all who cannot be told from one another share one. A server that
// mounts this one is one caller, for whomever it asks: that is its own word, of
// which it has any number. A call that
// one of several limits refuses counts for none of them, and a dry run is held
// to the limits and counts for none. What was let through counts, whatever
// became of it, and so does each round of a call that asks for input.
//
// The limit per minute is a log of the calls of the last 60 seconds, because a
// token bucket alone lets twice as many through in the worst minute; it takes 8
// bytes for each. Bursts are a token bucket of golang.org/x/time/rate.
//
// When there is no room for a further owner, what is counted for connections
// goes first, the longest unused before the others: whoever has one could as
// well begin anew with another. Nothing that is counted for an authenticated
// caller is given up, nor for those who share: new owners are refused then.
// Limits hold for whoever shares [QuotaOptions.Store]. A Quota is safe for concurrent use; a nil one
// limits nothing.
type Quota struct {
	opts  QuotaOptions
	tools map[string]Limit // by id or canonical path
	idle  time.Duration
}

// NewQuota returns a quota of which nothing is used up. It panics if opts are in
// error: a mistake lifts no limit.
func NewQuota(opts *QuotaOptions) *Quota {
	var o QuotaOptions
	if opts != nil {
		o = *opts
	}
	tools, err := o.limits()
	mistake.Check("control", err)
	o.Max = cmp.Or(o.Max, 100_000)
	if o.Store == nil {
		o.Store = newSessions(o.Max, o.Now)
	}
	q := &Quota{opts: o, tools: tools}
	q.idle = minute // after which no limit per minute remembers anything
	if o.perSession() {
		q.idle = max(cmp.Or(o.SessionIdle, time.Hour), minute)
	}
	return q
}

// Check returns what [NewQuota] panics with for options in error: a key of Tools
// that is neither an id nor a path. Nil options are none.
func (o *QuotaOptions) Check() error {
	if o == nil {
		return nil
	}
	_, err := o.limits()
	return err
}

// limits are those of Tools, by id or canonical path.
func (o *QuotaOptions) limits() (map[string]Limit, error) {
	tools := make(map[string]Limit)
	for _, text := range slices.Sorted(maps.Keys(o.Tools)) {
		key, err := parseToolKey(text)
		if err != nil {
			return nil, fmt.Errorf("quota: tools: %w", err)
		}
		limit := o.Tools[text]
		if other, ok := tools[key]; ok {
			limit = stricter(limit, other)
		}
		tools[key] = limit
	}
	return tools, nil
}

// perSession reports whether there is a limit per session.
func (o *QuotaOptions) perSession() bool {
	for _, limits := range []map[string]Limit{o.Tools, o.Meta, {"": o.Default}} {
		for _, limit := range limits {
			if limit.PerSession != 0 {
				return true
			}
		}
	}
	return false
}

// stricter returns the lower of each two members, of which zero is the highest.
func stricter(a, b Limit) Limit {
	lower := func(a, b int) int {
		if a == 0 || b != 0 && b < a {
			return b
		}
		return a
	}
	return Limit{lower(a.PerMinute, b.PerMinute), lower(a.Burst, b.Burst), lower(a.PerSession, b.PerSession)}
}

// limitOf returns the limit of a function.
func (q *Quota) limitOf(f *registry.Function) Limit {
	if len(q.tools) == 0 {
		return q.opts.Default
	}
	var limit Limit
	named := false
	for _, key := range toolKeys(f) {
		if l, ok := q.tools[key]; ok {
			limit, named = stricter(limit, l), true
		}
	}
	if !named {
		return q.opts.Default
	}
	return limit
}

type throughKey struct{}

// Through returns a context that says by which tool of a face a call comes,
// such as tool_execute. The call is then held to the limit that
// [QuotaOptions.Meta] has for it as well, and counts for both or neither.
func Through(ctx context.Context, tool string) context.Context {
	return context.WithValue(ctx, throughKey{}, tool)
}

func through(ctx context.Context) string {
	tool, _ := ctx.Value(throughKey{}).(string)
	return tool
}

// Allow counts a use of a tool that is not on the way to a function, such as
// tool_browse or help. owner is as [registry.Call.Owner] has it. The error is
// nil or an *[registry.Error] of kind [registry.RateLimited], with the details
// scope, which is the tool, and retry_after in seconds; that is nil where
// waiting does not help.
func (q *Quota) Allow(ctx context.Context, owner, tool string) error {
	if q == nil || q.opts.Meta[tool].none() {
		return nil
	}
	if err := q.use(ctx, payer(ctx, owner), false, []Window{{tool, q.opts.Meta[tool]}}); err != nil {
		return err
	}
	return nil
}

// Forget ends the session of owner, such as a connection that has closed: a
// later call begins a new one.
func (q *Quota) Forget(ctx context.Context, owner string) error {
	if q == nil {
		return nil
	}
	return q.opts.Store.Forget(ctx, owner)
}

// Middleware refuses calls that are over a limit: with the error of
// [Quota.Allow], whose scope is the function's id or the tool of [Through].
// In a dry run it adds the check rate_limit.
func (q *Quota) Middleware() registry.Middleware {
	return func(next registry.Handler) registry.Handler {
		if q == nil {
			return next
		}
		return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			if err := q.use(ctx, payer(ctx, c.Owner()), c.Plan != nil, q.windows(ctx, c)); err != nil {
				err.Namespace, err.Name = c.Function.Namespace(), c.Function.Name()
				return nil, err
			}
			c.Plan.Add("rate_limit", "pass")
			if through(ctx) != "" { // what the function calls does not come by that tool
				ctx = Through(ctx, "")
			}
			return next(ctx, c)
		}
	}
}

// windows are the limits that a call is under.
func (q *Quota) windows(ctx context.Context, c *registry.Call) (list []Window) {
	if tool := through(ctx); tool != "" {
		if limit := q.opts.Meta[tool]; !limit.none() {
			list = append(list, Window{tool, limit})
		}
	}
	if limit := q.limitOf(c.Function); !limit.none() {
		list = append(list, Window{c.Function.Primitive().String(), limit})
	}
	return list
}

// use counts a call for all of its limits, or for none if one refuses it or if
// it is dry.
func (q *Quota) use(ctx context.Context, owner string, dry bool, windows []Window) *registry.Error {
	if len(windows) == 0 {
		return nil
	}
	refused, err := q.opts.Store.Take(ctx, &Taking{Owner: owner, Lasting: lasting(ctx, owner), Idle: q.idle, Windows: windows, Dry: dry})
	switch {
	case errors.Is(err, ErrNoRoom):
		return noRoom(windows[0].Scope)
	case err != nil:
		return &registry.Error{
			Kind: registry.Unavailable, NotRun: true, Err: err,
			Message: "Calls cannot be counted now. `" + windows[0].Scope + "` was not run.",
			Hint:    "Try again in a moment.",
		}
	case refused != nil:
		return overLimit(refused)
	}
	return nil
}

// payer returns for whom the calls of an owner are counted: whom we recognise,
// whatever it says.
func payer(ctx context.Context, owner string) string {
	if owner == "" {
		return registry.CallerFrom(ctx).Owner()
	}
	return recognised(owner)
}

// lasting reports whether an owner cannot be exchanged for a new one at will.
func lasting(ctx context.Context, owner string) bool {
	return owner == "" || owner == registry.CallerFrom(ctx).Owner()
}

// overLimit words a refusal.
func overLimit(r *Refusal) *registry.Error {
	scope, limit := r.Window.Scope, r.Window.Limit
	allowed := times(limit.PerSession) + " in a session"
	if !r.Session {
		allowed = times(limit.PerMinute) + " per minute"
		if limit.Burst > 0 && limit.Burst < limit.PerMinute {
			allowed += fmt.Sprintf(", %d at once", limit.Burst)
		}
	}
	e := &registry.Error{
		Kind: registry.RateLimited, NotRun: true,
		Message: fmt.Sprintf("`%s` may be called %s, and that is used up. It was not run.", scope, allowed),
		Hint:    "Go on without it: waiting does not help.",
		Details: map[string]any{"scope": scope, "retry_after": nil},
	}
	if r.Wait > 0 {
		seconds := int64((r.Wait + time.Second - 1) / time.Second)
		e.Hint = fmt.Sprintf("Try again in %d s.", seconds)
		e.Details["retry_after"] = seconds
	}
	return e
}

func noRoom(scope string) *registry.Error {
	return &registry.Error{
		Kind: registry.RateLimited, NotRun: true,
		Message: "Too many callers are being served to count one more call. `" + scope + "` was not run.",
		Hint:    "Try again in a minute.",
		Details: map[string]any{"scope": scope, "retry_after": int64(minute / time.Second)},
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", max(n, 0))
}
