package registry

import (
	"context"
	"encoding/json"
	"errors"
)

// A Source is whatever can be listed and resolved: a [Registry], an upstream
// server, a wrapper around another Source. Faces serve a Source.
//
// Duties of an implementer: it answers from memory and never waits for a
// network; it is safe for concurrent use; it matches names in their canonical
// form ([CanonicalPath]); it leaves out what the caller in ctx ([CallerFrom])
// may not see, byte for byte as if that had never been there; its errors are
// *[Error]; what it lists is never nil and has labels for names; and what it
// returns is not modified afterwards, by either side. A [Pipeline] mends what breaks
// these duties ([Pipeline.Source]); the functions of this package rely on them.
type Source interface {
	// List describes the namespace at path: its children, functions and
	// skills, each sorted by canonical name. The empty path is the root, which
	// always exists. A namespace in which the caller sees neither a function
	// nor a skill is [UnknownNamespace].
	List(ctx context.Context, path string) (*Listing, error)
	// Function resolves a function by the path of its namespace and its name.
	Function(ctx context.Context, path, name string) (*Function, error)
	// Skill resolves a skill likewise. Hyphens in name are ignored, because
	// names of Agent Skills have them.
	Skill(ctx context.Context, path, name string) (*Skill, error)
}

// A Listing is one namespace as a caller sees it.
type Listing struct {
	Namespace    string // dotted path as registered; empty for the root
	Description  string
	Namespaces   []Child
	Functions    []*Function
	Skills       []*Skill
	HasFunctions bool // the caller sees a function here or below
	HasSkills    bool // the caller sees a skill here or below
	// Unavailable says why what is here cannot be had at the moment. Nil if it
	// can. HasFunctions is true of an unavailable namespace whatever is in it.
	Unavailable *Error
	// Instance names the server that the namespace is on ([Namespace.On]). Empty
	// is this one.
	Instance string
	// Note is for the end of a page of help; may be empty.
	Note string
	// Page asks the server that the namespace is on for its page of help; see
	// [Namespace.Page]. Nil asks nobody.
	Page func(ctx context.Context, kwargs json.RawMessage) (string, error)
}

// A Child is a namespace within a [Listing].
type Child struct {
	Name         string // last label of Path
	Path         string // dotted path as registered
	Description  string
	HasFunctions bool
	HasSkills    bool
	Unavailable  bool // it cannot be had at the moment; HasFunctions is true
}

// ErrSkipNamespace is what a function passed to [Walk] returns to leave out what
// is below a namespace.
var ErrSkipNamespace = errors.New("skip this namespace")

// Limits of [Walk], which no tree of honest size meets: they end the walk
// through a source that lists a namespace as its own child.
const (
	maxWalkDepth      = maxPath / 2
	maxWalkNamespaces = 100_000
)

// Walk calls visit for the namespace at path and for every one below it that
// the caller in ctx sees, parents first, in order. It stops at the first error,
// other than [ErrSkipNamespace], and returns it. A namespace that is listed and
// then unknown, because it has just gone, is left out. A tree of more than 512
// levels or 100,000 namespaces is an error.
func Walk(ctx context.Context, src Source, path string, visit func(*Listing) error) error {
	w := walker{src: src, visit: visit}
	return w.walk(ctx, path, 0)
}

type walker struct {
	src   Source
	visit func(*Listing) error
	seen  int
}

func (w *walker) walk(ctx context.Context, path string, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.seen++; w.seen > maxWalkNamespaces || depth > maxWalkDepth {
		return &Error{Kind: Internal, Message: "The tree of namespaces is too large to be searched."}
	}
	l, err := w.src.List(ctx, path)
	if depth > 0 && errors.Is(err, UnknownNamespace) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := w.visit(l); err != nil {
		if errors.Is(err, ErrSkipNamespace) {
			return nil
		}
		return err
	}
	for _, c := range l.Namespaces {
		if err := w.walk(ctx, c.Path, depth+1); err != nil {
			return err
		}
	}
	return nil
}
