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

// A Limit bounds how often one owner calls one tool (gateway surface, section 4.5). Zero is no limit. A negative value
// allows nothing.
type Limit struct {
	// PerMinute is the most calls in any 60 seconds.
	PerMinute int
	// Burst is the most calls at once, if that is to be less than PerMinute. The others are spread evenly over the
	// minute. It has no effect without PerMinute.
	Burst int
	// PerSession is the most calls until the session ends.
	PerSession int
}

// none reports whether l limits nothing.
func (l Limit) none() bool { return l.PerMinute == 0 && l.PerSession == 0 }

// QuotaOptions configure a [Quota]. Nil limits nothing.
type QuotaOptions struct {
	// Default is the limit of each function that is not in Tools. Each function is counted separately.
	Default Limit
	// Tools are the limits of functions, by id (billing:refund#a1b2c3d4) or by dotted path (billing.refund) in any
	// spelling. A path survives a change of the function's parameters, an id with a hash does not. An id without
	// version or hash matches any. If several keys match a function, the strictest limit of each kind applies.
	Tools map[string]Limit
	// Meta are the limits of a face's own tools, such as tool_browse or help, by name. See [Quota.Allow] and [Through].
	Meta map[string]Limit
	// SessionIdle ends a session without calls after this time and forgets its counts. Zero is an hour. See
	// [Quota.Forget].
	SessionIdle time.Duration
	// Max bounds the counted pairs of owner and tool in memory. Zero is 100,000.
	Max int
	// Store keeps the counts. Nil is the memory of this process.
	Store QuotaStore
	// Now is the clock. Nil is time.Now.
	Now func() time.Time
}

// A Quota limits how often callers call. It counts per owner ([registry.Call.Owner]) and tool.
//
//   - Owners: an authenticated caller is one session, and so is a connection. All callers that cannot be told apart
//     share one. A mounting server is one caller, whomever it calls for, because it may invent any number of names.
//   - Counting: a call that any limit refuses counts for none. A dry run is checked and does not count. An admitted
//     call counts whatever its outcome, and so does each round of a call that asks for input.
//   - Method: the limit per minute is a log of the calls of the last 60 seconds, 8 bytes each, because a token bucket
//     alone admits up to twice as many calls in a minute. Bursts are a token bucket of golang.org/x/time/rate.
//   - Eviction: if there is no room for a new owner, the least recently used connection is forgotten, because its
//     client could reconnect anyway. Counts of authenticated callers and of the shared session are never evicted; new
//     owners are refused instead.
//
// Limits are shared by all that share [QuotaOptions.Store]. A Quota is safe for concurrent use; a nil one limits
// nothing.
type Quota struct {
	opts  QuotaOptions
	tools map[string]Limit // by id or canonical path
	idle  time.Duration

	latest latest[Quota]
}

// NewQuota returns a quota with no counts. It panics if opts are invalid, so that a mistake lifts no limit.
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
	q.idle = minute // a count per minute forgets everything after a minute
	if o.perSession() {
		q.idle = max(cmp.Or(o.SessionIdle, time.Hour), minute)
	}
	return q
}

// Check returns the error with which [NewQuota] panics: a key of Tools that is neither an id nor a path. Nil options
// are valid.
func (o *QuotaOptions) Check() error {
	if o == nil {
		return nil
	}
	_, err := o.limits()
	return err
}

// limits returns the limits in Tools, by id or canonical path.
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

// stricter returns the lower of each two members. Zero is the highest.
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

// Through returns a context that names the tool of a face through which a call comes, such as tool_execute. The limit
// of that tool in [QuotaOptions.Meta] then applies to the call too. The call counts for both limits or for neither.
func Through(ctx context.Context, tool string) context.Context {
	return context.WithValue(ctx, throughKey{}, tool)
}

func through(ctx context.Context) string {
	tool, _ := ctx.Value(throughKey{}).(string)
	return tool
}

// Allow counts a use of a face's own tool that runs no function, such as tool_browse or help. Owner is as in
// [registry.Call.Owner]. The error is nil or an *[registry.Error] of kind [registry.RateLimited]. Its details are
// scope, the tool, and retry_after in seconds, nil if waiting does not help.
func (q *Quota) Allow(ctx context.Context, owner, tool string) error {
	if q == nil {
		return nil
	}
	if q = q.latest.or(q); q.opts.Meta[tool].none() {
		return nil
	}
	if err := q.use(ctx, payer(ctx, owner), nil, []Window{{tool, q.opts.Meta[tool]}}); err != nil {
		return err
	}
	return nil
}

// Forget ends the session of owner, such as a closed connection. A later call begins a new session.
func (q *Quota) Forget(ctx context.Context, owner string) error {
	if q == nil {
		return nil
	}
	return q.opts.Store.Forget(ctx, owner)
}

// Middleware refuses calls over a limit with the error of [Quota.Allow]. Its scope is the function's id or the tool of
// [Through]. In a dry run they are no errors: its plan lists the check rate_limit, which stays not_configured without a
// limit for the function.
func (q *Quota) Middleware() registry.Middleware {
	return func(next registry.Handler) registry.Handler {
		if q == nil {
			return next
		}
		return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			q := q.latest.or(q)
			windows := q.windows(ctx, c)
			err := q.use(ctx, payer(ctx, c.Owner()), c, windows)
			switch {
			case err != nil && c.Plan == nil:
				err.Namespace, err.Name = c.Function.Namespace(), c.Function.Name()
				return nil, err
			case err != nil:
				c.Plan.Fail(registry.CheckRateLimit, err)
			case len(windows) > 0:
				c.Plan.Add(registry.CheckRateLimit, registry.CheckPass)
			}
			if through(ctx) != "" { // calls by the function do not come through that tool
				ctx = Through(ctx, "")
			}
			return next(ctx, c)
		}
	}
}

// windows returns the limits that apply to a call.
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

// use counts a use for all of its limits: of a function by c, or of a face's own tool. It counts for none if one refuses
// it, or if c is a dry run.
func (q *Quota) use(ctx context.Context, owner string, c *registry.Call, windows []Window) *registry.Error {
	if len(windows) == 0 {
		return nil
	}
	refused, err := q.opts.Store.Take(ctx, &Taking{Owner: owner, Lasting: lasting(ctx, owner), Idle: q.idle, Windows: windows, Dry: c != nil && c.Plan != nil})
	switch {
	case errors.Is(err, ErrNoRoom):
		return noRoom(windows[0].Scope, shown(windows[0].Scope, c))
	case err != nil:
		return &registry.Error{
			Kind: registry.Unavailable, NotRun: true, Err: err,
			Message: "Calls cannot be counted now. `" + shown(windows[0].Scope, c) + "` was not run.",
			Hint:    "Try again in a moment.",
		}
	case refused != nil:
		return overLimit(refused, shown(refused.Window.Scope, c))
	}
	return nil
}

// payer returns the owner that calls are counted for: the recognised caller, whatever names it gives.
func payer(ctx context.Context, owner string) string {
	if owner == "" {
		return registry.CallerFrom(ctx).Owner()
	}
	return recognised(owner)
}

// lasting reports whether an owner cannot be replaced by a new one at will.
func lasting(ctx context.Context, owner string) bool {
	return owner == "" || owner == registry.CallerFrom(ctx).Owner()
}

// shown returns a scope as a model knows it: the path of a function, not its id.
func shown(scope string, c *registry.Call) string {
	if c != nil && scope == c.Function.Primitive().String() {
		return c.Function.Path()
	}
	return scope
}

// overLimit returns the error of a refusal.
func overLimit(r *Refusal, name string) *registry.Error {
	limit := r.Window.Limit
	allowed := times(limit.PerSession) + " in a session"
	if !r.Session {
		allowed = times(limit.PerMinute) + " per minute"
		if limit.Burst > 0 && limit.Burst < limit.PerMinute {
			allowed += fmt.Sprintf(", %d at once", limit.Burst)
		}
	}
	e := &registry.Error{
		Kind: registry.RateLimited, NotRun: true,
		Message: fmt.Sprintf("`%s` may be called %s, and that is used up. It was not run.", name, allowed),
		Hint:    "Go on without it: waiting does not help.",
		Details: map[string]any{"scope": r.Window.Scope, "retry_after": nil},
	}
	if r.Wait > 0 {
		seconds := int64((r.Wait + time.Second - 1) / time.Second)
		e.Hint = fmt.Sprintf("Try again in %d s.", seconds)
		e.Details["retry_after"] = seconds
	}
	return e
}

func noRoom(scope, name string) *registry.Error {
	return &registry.Error{
		Kind: registry.RateLimited, NotRun: true,
		Message: "Too many callers are being served to count one more call. `" + name + "` was not run.",
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
