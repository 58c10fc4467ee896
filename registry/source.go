package registry

import "context"

// A Source is whatever can be listed and resolved: a [Registry], an upstream
// server, a wrapper around another Source. Faces serve a Source.
//
// Duties of an implementer: it answers from memory and never waits for a
// network; it is safe for concurrent use; it matches names in their canonical
// form ([CanonicalPath]); it leaves out what the caller in ctx ([CallerFrom])
// may not see, byte for byte as if that had never been there; its errors are
// *[Error]; and what it returns is not modified afterwards, by either side.
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
}

// A Child is a namespace within a [Listing].
type Child struct {
	Name         string // last label of Path
	Path         string // dotted path as registered
	Description  string
	HasFunctions bool
	HasSkills    bool
}

// Walk calls visit for the root and for every namespace below it that the
// caller in ctx sees, parents first, in order. It stops at the first error.
func Walk(ctx context.Context, src Source, visit func(*Listing) error) error {
	return walk(ctx, src, "", 0, visit)
}

// maxTree bounds the depth to which a Source of any kind is walked.
const maxTree = 64

func walk(ctx context.Context, src Source, path string, depth int, visit func(*Listing) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l, err := src.List(ctx, path)
	if err != nil {
		return err
	}
	if err := visit(l); err != nil {
		return err
	}
	if depth == maxTree {
		return nil
	}
	for _, c := range l.Namespaces {
		if err := walk(ctx, src, c.Path, depth+1, visit); err != nil {
			return err
		}
	}
	return nil
}
