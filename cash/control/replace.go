package control

import (
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"
)

// latest points to what a control was replaced by. The zero value is not replaced.
type latest[T any] struct{ by atomic.Pointer[T] }

func (l *latest[T]) or(first *T) *T {
	if now := l.by.Load(); now != nil {
		return now
	}
	return first
}

// valid returns a copy of options. Nil is all defaults.
func valid[T any, P interface {
	*T
	Check() error
}](opts P) (o T, err error) {
	if err := opts.Check(); err != nil {
		return o, err
	}
	if opts != nil {
		o = *opts
	}
	return o, nil
}

// Replace changes the rules and the default. Calls that have begun keep the former ones. The approvals stay as they are:
// opts.Approvals is ignored. On an error, nothing changes.
func (p *Policy) Replace(opts *PolicyOptions) error {
	o, err := valid(opts)
	if err != nil {
		return err
	}
	o.Approvals = p.approvals
	p.latest.by.Store(NewPolicy(&o))
	return nil
}

// maxFurther bounds the rules that [Policy.Restrict] adds.
const maxFurther = 8

// Restrict adds rules and a default until the next [Policy.Replace]: the strictest of the present decision and theirs
// holds. It bridges a change of the functions: neither the former nor the new ones run against rules that were not made
// for them. The approvals stay as they are. On an error, nothing changes.
func (p *Policy) Restrict(opts *PolicyOptions) error {
	o, err := valid(opts)
	if err != nil {
		return err
	}
	o.Approvals = p.approvals
	now, further := p.latest.or(p), NewPolicy(&o)
	same := func(other *Policy) bool {
		return other.fallback == further.fallback && reflect.DeepEqual(other.rules, further.rules)
	}
	switch {
	case same(now) || slices.ContainsFunc(now.further, same):
		return nil
	case len(now.further) == maxFurther:
		return fmt.Errorf("policy: %d changes of the rules have not been completed", maxFurther)
	}
	p.latest.by.Store(&Policy{
		rules: now.rules, fallback: now.fallback, approvals: p.approvals, further: append(slices.Clip(now.further), further),
	})
	return nil
}

// Replace changes the limits and keeps the counts. Max, Store and Now of opts are ignored. On an error, nothing changes.
func (q *Quota) Replace(opts *QuotaOptions) error {
	o, err := valid(opts)
	if err != nil {
		return err
	}
	o.Store = q.opts.Store
	q.latest.by.Store(NewQuota(&o))
	return nil
}

// Replace changes what is cached, and keeps the results. Store and Now of opts are ignored. On an error, nothing changes.
func (c *Cache) Replace(opts *CacheOptions) error {
	o, err := valid(opts)
	if err != nil {
		return err
	}
	o.Store, o.Now = c.opts.Store, c.opts.Now
	c.latest.by.Store(NewCache(&o))
	return nil
}
