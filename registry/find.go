package registry

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/toolid"
)

// A Finder is a [Source] with an index of its functions by id.
type Finder interface {
	Source
	// FunctionByID is the method behind [Find]. The duties of a Source hold.
	FunctionByID(ctx context.Context, id toolid.Primitive) (*Function, error)
}

// Find returns the function of src with the id ([Function.Primitive]), if the caller in ctx sees
// it. Otherwise the error is of kind [UnknownFunction], or it is that of the unavailable namespace
// of the function. A source that is no [Finder] is walked.
func Find(ctx context.Context, src Source, id toolid.Primitive) (*Function, error) {
	if f, ok := src.(Finder); ok {
		return f.FunctionByID(ctx, id)
	}
	return findByWalk(ctx, src, id)
}

// findByWalk is [Find] for a source without an index.
func findByWalk(ctx context.Context, src Source, id toolid.Primitive) (*Function, error) {
	var found, left []*Function
	err := Walk(ctx, src, "", func(l *Listing) error {
		for _, f := range l.Functions {
			switch {
			case f.Primitive() == id:
				found = append(found, f)
			case f.moved && f.given == id:
				left = append(left, f)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return onlyOne(ctx, src, id, found, left)
}

// FunctionByID implements [Finder]. It takes no lock, except for the first call after a change:
// that call makes the index, and others wait for it.
func (r *Registry) FunctionByID(ctx context.Context, id toolid.Primitive) (*Function, error) {
	s := r.snapshot()
	var found, left []*Function
	for _, f := range r.idsOf(s).find(id) { // sorted
		switch g, err := s.function(ctx, f.namespace, f.name); {
		case err != nil || g != f: // the caller does not see it
		case f.Primitive() == id:
			found = append(found, f)
		default:
			left = append(left, f)
		}
	}
	return onlyOne(ctx, r, id, found, left)
}

// onlyOne returns the single function in found. Two functions with one id are an error, because a
// call could mean either (section 1.5). So is a claimant whose id others have left.
func onlyOne(ctx context.Context, src Source, id toolid.Primitive, found, left []*Function) (*Function, error) {
	if len(found) == 1 && found[0].claimant() && !found[0].moved {
		found = append(found, left...)
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		path := join(id.Namespace, id.Name)
		i := strings.LastIndexByte(path, '.')
		seek(ctx, src, path[:max(i, 0)], path[i+1:])
		if l, err := src.List(ctx, id.Namespace); err == nil && l.Unavailable != nil {
			return nil, l.Unavailable.about(l.Namespace, "")
		}
		if f := sharing(ctx, src, id); f != nil {
			return f, nil
		}
		return nil, noID(id)
	}
	return nil, &Error{Kind: UnknownFunction, Message: "More than one function has the id " + quoteName(id.String()) + ".",
		Hint: instead(id, found), NotRun: true}
}

func noID(id toolid.Primitive) error {
	return &Error{Kind: UnknownFunction, NotRun: true, Message: "Nothing has the id " + quoteName(id.String()) + "."}
}

// All returns the functions of r in the order of their paths, hidden ones included. It is for
// operators and for code that mounts trees.
func (r *Registry) All() iter.Seq[*Function] { return r.snapshot().root.all() }

// all returns the functions of v and of all views below it.
func (v *view) all() iter.Seq[*Function] {
	return func(yield func(*Function) bool) { v.each(yield) }
}

func (v *view) each(yield func(*Function) bool) bool {
	for _, f := range v.functionList {
		if !yield(f) {
			return false
		}
	}
	return !slices.ContainsFunc(v.children, func(c *view) bool { return !c.each(yield) })
}
