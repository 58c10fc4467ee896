package registry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
)

// guarded keeps a source to its duties, so that those who use it need not.
type guarded struct {
	src   Source
	log   *slog.Logger
	walks *walkIndex
}

// List implements [Source].
func (g guarded) List(ctx context.Context, path string) (l *Listing, err error) {
	defer g.check(ctx, &err)
	l, err = g.src.List(ctx, path)
	switch {
	case err != nil:
		return nil, err
	case l == nil && path == "":
		return &Listing{}, nil
	case l == nil:
		return nil, NoNamespace(path)
	case slices.Contains(l.Functions, nil) || slices.Contains(l.Skills, nil):
		kept := *l
		kept.Functions = slices.DeleteFunc(slices.Clone(l.Functions), func(f *Function) bool { return f == nil })
		kept.Skills = slices.DeleteFunc(slices.Clone(l.Skills), func(s *Skill) bool { return s == nil })
		return &kept, nil
	}
	return l, nil
}

// Function implements [Source].
func (g guarded) Function(ctx context.Context, path, name string) (f *Function, err error) {
	defer g.check(ctx, &err)
	if f, err = g.src.Function(ctx, path, name); err == nil && (f == nil || f.handler == nil) {
		return nil, NoFunction(path, name)
	}
	return f, err
}

// Skill implements [Source].
func (g guarded) Skill(ctx context.Context, path, name string) (s *Skill, err error) {
	defer g.check(ctx, &err)
	if s, err = g.src.Skill(ctx, path, name); err == nil && s == nil {
		return nil, NoSkill(path, name)
	}
	return s, err
}

// SearchNamespace implements [Searcher]. A source without an index is walked
// through g, which mends what it lists.
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

// check turns a panic, and an error that is not an *[Error], into one: its text
// was not written for callers, so only the log has it.
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
