package registry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
)

// guarded keeps a source to its duties, so that those who use it need not.
type guarded struct {
	src Source
	log *slog.Logger
}

// List implements [Source].
func (g guarded) List(ctx context.Context, path string) (l *Listing, err error) {
	defer g.check(ctx, &err)
	if l, err = g.src.List(ctx, path); err == nil && l == nil {
		return nil, NoNamespace(path)
	}
	return l, err
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
