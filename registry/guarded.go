package registry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/toolid"
)

// guarded wraps a source and enforces the duties of a [Source], so that its users can rely on them.
// [Pipeline.Source] returns one.
type guarded struct {
	src   Source
	log   *slog.Logger
	walks *walkIndex
}

// Changed implements [Watched].
func (g guarded) Changed() (changed <-chan struct{}) {
	defer func() {
		if v := recover(); v != nil {
			g.log.Error("source panicked", "panic", fmt.Sprintf("%T", v))
		}
	}()
	return Changed(g.src)
}

// List implements [Source].
func (g guarded) List(ctx context.Context, path string) (l *Listing, err error) {
	defer g.check(ctx, &err)
	l, err = g.src.List(ctx, path)
	switch _, own := g.src.(*Registry); {
	case err != nil:
		return nil, err
	case own:
		return l, nil
	case l == nil && path == "":
		return &Listing{}, nil
	case l == nil || !isPath(l.Namespace):
		return nil, NoNamespace(path)
	}
	return servable(l), nil
}

// servable returns l without entries that cannot be served: nil ones, ones that no constructor
// made, and ones with an illegal name, which could be mistaken for something else.
func servable(l *Listing) *Listing {
	noChild := func(c Child) bool { return !isLabel(c.Name) || !isPath(c.Path) }
	noFunction := func(f *Function) bool { return !f.served() }
	noSkill := func(s *Skill) bool { return !s.served() }
	if !slices.ContainsFunc(l.Namespaces, noChild) && !slices.ContainsFunc(l.Functions, noFunction) && !slices.ContainsFunc(l.Skills, noSkill) {
		return l
	}
	kept := *l
	kept.Namespaces = slices.DeleteFunc(slices.Clone(l.Namespaces), noChild)
	kept.Functions = slices.DeleteFunc(slices.Clone(l.Functions), noFunction)
	kept.Skills = slices.DeleteFunc(slices.Clone(l.Skills), noSkill)
	return &kept
}

// served reports whether f can be served: it is not nil, a constructor made it, and its names are legal.
func (f *Function) served() bool {
	return f != nil && f.handler != nil && isLabel(f.name) && isPath(f.namespace)
}

func (s *Skill) served() bool { return s != nil && isLabel(s.name) && isPath(s.namespace) }

func isLabel(name string) bool {
	ok, _ := label.Check(name)
	return ok
}

func isPath(path string) bool {
	_, ok := CanonicalPath(path)
	return ok
}

// Function implements [Source].
func (g guarded) Function(ctx context.Context, path, name string) (f *Function, err error) {
	defer g.check(ctx, &err)
	if f, err = g.src.Function(ctx, path, name); err == nil && !f.served() {
		return nil, NoFunction(path, name)
	}
	return f, err
}

// Skill implements [Source].
func (g guarded) Skill(ctx context.Context, path, name string) (s *Skill, err error) {
	defer g.check(ctx, &err)
	if s, err = g.src.Skill(ctx, path, name); err == nil && !s.served() {
		return nil, NoSkill(path, name)
	}
	return s, err
}

// FunctionByID implements [Finder].
func (g guarded) FunctionByID(ctx context.Context, id toolid.Primitive) (f *Function, err error) {
	defer g.check(ctx, &err)
	s, ok := g.src.(Finder)
	if !ok {
		return findByWalk(ctx, g, id)
	}
	if f, err = s.FunctionByID(ctx, id); err == nil && !f.served() {
		return nil, noID(id)
	}
	return f, err
}

// SearchNamespace implements [Searcher]. A source without an index is walked through g, so that
// only servable entries are found.
func (g guarded) SearchNamespace(ctx context.Context, path, query string, limit int) (list []Match) {
	defer func() {
		if v := recover(); v != nil {
			g.log.ErrorContext(ctx, "search failed", "error", fmt.Sprintf("panic of type %T", v))
			list = nil
		}
	}()
	if s, ok := g.src.(Searcher); ok {
		list = s.SearchNamespace(ctx, path, query, limit)
		return list[:min(len(list), max(limit, 0))]
	}
	return g.walks.search(ctx, g, path, query, limit)
}

// check turns a panic, and an error that is not an *[Error], into an [Internal] error. The original
// text was not written for callers, so it goes to the log only.
func (g guarded) check(ctx context.Context, err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("panic of type %T", v)
	}
	if *err == nil {
		return
	}
	var e *Error
	if errors.As(*err, &e) && e != nil {
		*err = e
		return
	}
	g.log.ErrorContext(ctx, "source failed", "error", safeText(*err))
	*err = &Error{Kind: Internal, Message: "The server could not look that up.", Err: *err}
}
