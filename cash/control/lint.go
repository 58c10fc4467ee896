package control

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// Lint finds what the controls say of functions that are not there: a name with a typo limits and denies nothing.
// Hidden functions count as there. Call it once all registries are full; functions of a server that is not connected
// yet are not there. The findings are in the order of the rules:
//
//	unmatched-rule   a policy rule that no function matches, or one of its namespaces, tools, ids and tags
//	unmatched-role   a role in a policy rule that shows or hides nothing, in registries whose visibility depends on roles
//	unmatched-key    an id or path in a quota or a cache that is no function's
func (c *Controls) Lint(registries ...*registry.Registry) []registry.Finding {
	if c == nil {
		return nil
	}
	l := linter{known: make(map[string]bool)}
	for _, reg := range registries {
		for f := range reg.All() {
			l.functions = append(l.functions, f)
			for _, key := range toolKeys(f) {
				l.known[key] = true
			}
		}
	}
	if c.Policy != nil {
		l.roles = newRoles(registries)
		for i, r := range c.Policy.latest.or(c.Policy).rules {
			l.rule(fmt.Sprintf("policy rule %d", i), &r)
		}
	}
	if c.Quota != nil {
		l.keys("quota", slices.Sorted(maps.Keys(c.Quota.latest.or(c.Quota).tools)))
	}
	if c.Cache != nil {
		l.keys("cache", slices.Sorted(maps.Keys(c.Cache.latest.or(c.Cache).allow)))
	}
	return l.found
}

type linter struct {
	functions []*registry.Function
	known     map[string]bool // keys of functions
	roles     roles
	found     []registry.Finding
}

// roles tells which roles the visibility in registries asks for.
type roles struct {
	registries []*registry.Registry
	plain      []string        // what a caller without a role sees
	hides      bool            // others see something else
	asked      map[string]bool // by role
}

func newRoles(registries []*registry.Registry) roles {
	r := roles{registries: registries, asked: make(map[string]bool)}
	r.plain = r.seen()
	all := 0
	for _, reg := range registries {
		for range reg.All() {
			all++
		}
	}
	r.hides = len(r.plain) != all
	return r
}

// seen returns the functions that a caller with these roles sees.
func (r *roles) seen(of ...string) (paths []string) {
	ctx := registry.WithCaller(context.Background(), &registry.Caller{ID: "lint", Roles: of})
	for i, reg := range r.registries {
		_ = registry.Walk(ctx, reg, "", func(l *registry.Listing) error {
			for _, f := range l.Functions {
				paths = append(paths, fmt.Sprint(i, f.Path()))
			}
			return nil
		})
	}
	return paths
}

// unknown reports whether the registries hide functions, and none of them from callers without this role alone.
func (r *roles) unknown(role string) bool {
	if !r.hides {
		return false
	}
	asked, ok := r.asked[role]
	if !ok {
		asked = !slices.Equal(r.seen(role), r.plain)
		r.asked[role] = asked
	}
	return !asked
}

func (l *linter) report(rule, subject, format string, args ...any) {
	l.found = append(l.found, registry.Finding{Rule: rule, Subject: subject, Message: fmt.Sprintf(format, args...)})
}

// rule checks what a rule says of functions, and its roles. Callers are not known here.
func (l *linter) rule(subject string, r *rule) {
	before := len(l.found)
	element := func(what, text string, matches func(*registry.Function) bool) {
		if !slices.ContainsFunc(l.functions, matches) {
			l.report("unmatched-rule", subject, "no function matches the %s %q", what, text)
		}
	}
	matching := func(part rule) func(*registry.Function) bool {
		return func(f *registry.Function) bool {
			s := newSubject(&registry.Call{Function: f}, nil)
			return part.applies(&s)
		}
	}
	for _, n := range r.namespaces {
		element("namespace", string(bytes.TrimSuffix(n, []byte("."))), matching(rule{namespaces: [][]byte{n}}))
	}
	for _, g := range r.tools {
		element("tool", strings.Join(g, "."), matching(rule{tools: []glob{g}}))
	}
	for _, id := range r.ids {
		element("id", id.String(), matching(rule{ids: []toolid.Primitive{id}}))
	}
	for _, tag := range r.tags {
		element("tag", tag, matching(rule{tags: []string{tag}}))
	}
	all := *r
	all.roles, all.callers, all.anonymous = nil, nil, false
	if len(l.found) == before && !slices.ContainsFunc(l.functions, matching(all)) {
		l.report("unmatched-rule", subject, "no function matches all that it wants")
	}
	for _, role := range r.roles {
		if l.roles.unknown(role) {
			l.report("unmatched-role", subject, "no function or namespace is shown or hidden by the role %q", role)
		}
	}
}

func (l *linter) keys(subject string, keys []string) {
	for _, key := range keys {
		if !l.known[key] {
			l.report("unmatched-key", subject, "there is no function %q", key)
		}
	}
}
