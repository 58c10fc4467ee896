package registry

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// A Caller identifies who made a request. The transport's authentication sets it once per request,
// and the context carries it.
type Caller struct {
	// ID identifies the caller. It owns the state kept for the caller, such as a kept result or a
	// quota. Empty is anonymous.
	ID string
	// Roles are the caller's roles; [Roles] reads them.
	Roles []string
	// Attributes are further facts for the embedder's own [Visibility] and [Middleware]. The
	// library does not read them.
	Attributes map[string]string
}

// Anonymous reports whether the caller cannot be identified: c is nil or has no ID.
func (c *Caller) Anonymous() bool { return c == nil || c.ID == "" }

// callerKind begins the names of callers as owners.
const callerKind = "caller:"

// Owner returns the caller's name as an owner of state. Empty is anonymous.
func (c *Caller) Owner() string {
	if c.Anonymous() {
		return ""
	}
	// A NUL separates the owner from what follows. An ID must not be able to contain one.
	return callerKind + strings.ReplaceAll(c.ID, "\x00", "\x00\x01")
}

// HasRole reports whether c has the role. A nil caller has none.
func (c *Caller) HasRole(role string) bool {
	return c != nil && slices.Contains(c.Roles, role)
}

type callerKey struct{}

// WithCaller returns a context that carries c. A nil c, or one with an empty
// ID, is anonymous.
func WithCaller(ctx context.Context, c *Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom returns the caller that [WithCaller] put into ctx, or nil.
func CallerFrom(ctx context.Context) *Caller {
	c, _ := ctx.Value(callerKey{}).(*Caller)
	return c
}

// Visibility decides whether a caller may see an entry (RFC 2.3). It is called on every request. c
// is nil if the context has no caller. It must be quick and safe for concurrent use. A refused
// entry is absent from lists, calls, skills, errors and counts. A panic refuses.
type Visibility func(ctx context.Context, c *Caller) bool

// Roles is the [Visibility] of callers that have at least one of the roles.
func Roles(roles ...string) Visibility {
	var key []byte
	for _, role := range roles {
		key = strconv.AppendQuote(key, role)
	}
	if v, ok := rolesRules.Load(string(key)); ok {
		return v.(Visibility)
	}
	roles = slices.Clone(roles)
	v := Visibility(func(_ context.Context, c *Caller) bool { return slices.ContainsFunc(roles, c.HasRole) })
	if rolesCount.Add(1) <= maxRolesRules {
		rolesRules.Store(string(key), v)
	}
	return v
}

// The rules of the same roles are one: who asks for what a caller sees of many functions finds it in the processor's
// cache.
var (
	rolesRules sync.Map // by quoted roles
	rolesCount atomic.Int64
)

const maxRolesRules = 1000

// Authenticated is the [Visibility] of every caller that is not anonymous.
func Authenticated(_ context.Context, c *Caller) bool { return !c.Anonymous() }

// everythingKey marks a context that sees every entry. Only [Lint] uses it.
type everythingKey struct{}

// allows reports whether the caller in ctx passes the rule. A nil rule allows, a panic refuses.
func (v Visibility) allows(ctx context.Context) bool { return v == nil || lookerIn(ctx).passes(v) }

// A looker is the caller of a context, for many rules.
type looker struct {
	ctx        context.Context
	caller     *Caller
	everything bool
}

func lookerIn(ctx context.Context) looker {
	return looker{ctx, CallerFrom(ctx), ctx.Value(everythingKey{}) != nil}
}

// passes is [Visibility.allows] for the looker.
func (l looker) passes(v Visibility) bool { return v == nil || l.passesFirst([]Visibility{v}) == 1 }

// passesFirst returns how many of the rules the looker passes before the first that refuses.
func (l looker) passesFirst(rules []Visibility) (n int) {
	if l.everything {
		return len(rules)
	}
	defer func() { _ = recover() }() // rule n panicked, and so refuses
	for n < len(rules) && (rules[n] == nil || rules[n](l.ctx, l.caller)) {
		n++
	}
	return n
}

// both returns the rule that allows what a and b allow. Each of them may be nil.
func both(a, b Visibility) Visibility {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	return func(ctx context.Context, c *Caller) bool { return a.allows(ctx) && b.allows(ctx) }
}

func allAllow(ctx context.Context, vs []Visibility) bool { return lookerIn(ctx).passesAll(vs) }

func (l looker) passesAll(vs []Visibility) bool { return l.passesFirst(vs) == len(vs) }
