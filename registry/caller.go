package registry

import (
	"context"
	"slices"
	"strings"
)

// A Caller is who a request comes from. It is decided once per request, by
// the transport's authentication, and carried in the context.
type Caller struct {
	// ID identifies the caller. State that belongs to a caller (a result kept
	// for a repeat, a quota) is bound to it. Empty is anonymous.
	ID string
	// Roles are what the caller may act as; [Roles] reads them.
	Roles []string
	// Attributes are further facts for the embedder's own [Visibility] and
	// [Middleware]. The library does not read them.
	Attributes map[string]string
}

// Anonymous reports whether nothing is known that would tell this caller from
// another: c is nil or has no ID.
func (c *Caller) Anonymous() bool { return c == nil || c.ID == "" }

// Owner names the caller as the owner of what its calls leave behind. Empty is
// nobody in particular: the caller is anonymous.
func (c *Caller) Owner() string {
	if c.Anonymous() {
		return ""
	}
	// Owners are joined by NUL to what follows, which an ID must not imitate.
	return "caller:" + strings.ReplaceAll(c.ID, "\x00", "\x00\x01")
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

// Visibility decides whether a caller may see something (RFC 2.3). It is asked
// on every request, must be quick and safe for concurrent use, and gets nil
// for a caller of whom nothing is known. What it refuses is absent from lists,
// calls, skills, errors and counts alike. One that panics refuses.
type Visibility func(ctx context.Context, c *Caller) bool

// Roles is the [Visibility] of callers that have at least one of the roles.
func Roles(roles ...string) Visibility {
	return func(_ context.Context, c *Caller) bool {
		return slices.ContainsFunc(roles, c.HasRole)
	}
}

// Authenticated is the [Visibility] of every caller that is not anonymous.
func Authenticated(_ context.Context, c *Caller) bool { return !c.Anonymous() }

// everythingKey marks the context of the registry's own inspection (lint),
// which sees what no caller does.
type everythingKey struct{}

func (v Visibility) allows(ctx context.Context) (ok bool) {
	if v == nil || ctx.Value(everythingKey{}) != nil {
		return true
	}
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return v(ctx, CallerFrom(ctx))
}

// both is the rule that two others hold, each of which may be nil.
func both(a, b Visibility) Visibility {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	return func(ctx context.Context, c *Caller) bool { return a.allows(ctx) && b.allows(ctx) }
}

func allAllow(ctx context.Context, vs []Visibility) bool {
	for _, v := range vs {
		if !v.allows(ctx) {
			return false
		}
	}
	return true
}
