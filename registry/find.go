package registry

import (
	"context"
	"iter"
	"slices"

	"github.com/cash-mcp/go-sdk/toolid"
)

// A Finder is a [Source] that knows its functions by their ids.
type Finder interface {
	Source
	// FunctionByID is [Find]. The duties of a Source hold.
	FunctionByID(ctx context.Context, id toolid.Primitive) (*Function, error)
}

// Find returns the function of src that has the id ([Function.Primitive]), if
// the caller in ctx sees it; otherwise the error is of kind [UnknownFunction],
// or says that what it would be in is unavailable. A source that is no [Finder]
// is walked.
func Find(ctx context.Context, src Source, id toolid.Primitive) (*Function, error) {
	if f, ok := src.(Finder); ok {
		return f.FunctionByID(ctx, id)
	}
	return findByWalk(ctx, src, id)
}

func findByWalk(ctx context.Context, src Source, id toolid.Primitive) (*Function, error) {
	var found []*Function
	err := Walk(ctx, src, "", func(l *Listing) error {
		for _, f := range l.Functions {
			if f.Primitive() == id {
				found = append(found, f)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return one(ctx, src, id, found)
}

// FunctionByID implements [Finder]. It takes no lock, but for the first time
// after a change, which makes an index and for which others wait.
func (r *Registry) FunctionByID(ctx context.Context, id toolid.Primitive) (*Function, error) {
	s := r.snapshot()
	s.indexIDs()
	var found []*Function
	for _, f := range s.ids[id] {
		if g, err := s.function(ctx, f.namespace, f.name); err == nil && g == f {
			found = append(found, f)
		}
	}
	return one(ctx, r, id, found)
}

// indexIDs makes the index of ids, once.
func (s *snapshot) indexIDs() {
	s.idOnce.Do(func() {
		s.ids = make(map[toolid.Primitive][]*Function)
		for f := range s.root.all() {
			id := f.Primitive()
			s.ids[id] = append(s.ids[id], f)
		}
		s.asked.Store(true)
	})
}

// one returns the only one of what was found. Two functions with one id are
// refused, because a call could mean either (section 1.5).
func one(ctx context.Context, src Source, id toolid.Primitive, found []*Function) (*Function, error) {
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		if l, err := src.List(ctx, id.Namespace); err == nil && l.Unavailable != nil {
			return nil, l.Unavailable.about(l.Namespace, "")
		}
		return nil, noID(id)
	}
	return nil, &Error{Kind: UnknownFunction, Message: "More than one function has the id " + quoteName(id.String()) + ".",
		Hint: "Call something else: which of them is meant cannot be told.", NotRun: true}
}

func noID(id toolid.Primitive) error {
	return &Error{Kind: UnknownFunction, NotRun: true, Message: "Nothing has the id " + quoteName(id.String()) + "."}
}

// All returns the functions of r in the order of their places, whoever may see
// them. It is for operators and for those who mount trees.
func (r *Registry) All() iter.Seq[*Function] { return r.snapshot().root.all() }

// all returns the functions here and below.
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
