package registry

import (
	"context"
	"encoding/json"
	"errors"
)

// A Source can be listed and resolved: a [Registry], an upstream server, a wrapper around another
// Source. Faces serve a Source. Duties of an implementer:
//
//   - It answers from memory, never waits for a network, and is safe for concurrent use.
//   - It matches names in canonical form ([CanonicalPath]).
//   - It leaves out every entry that the caller in ctx ([CallerFrom]) may not see. The answer is
//     then byte for byte that of a source without the entry.
//   - Its errors are *[Error].
//   - Its entries are not nil and have labels for names. Neither side modifies them later.
//
// A [Pipeline] repairs broken answers ([Pipeline.Source]). The functions of this package rely on
// these duties.
type Source interface {
	// List describes the namespace at path: its children, functions and skills, each sorted by
	// canonical name, with deprecated functions last. The empty path is the root, which always exists. A namespace in
	// which the caller sees no function and no skill is [UnknownNamespace].
	List(ctx context.Context, path string) (*Listing, error)
	// Function returns the function with this name in the namespace at path.
	Function(ctx context.Context, path, name string) (*Function, error)
	// Skill returns the skill with this name in the namespace at path. Hyphens in name are ignored,
	// because names of Agent Skills have them.
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
	// Unavailable is the reason why the namespace is unavailable at the moment. Nil if it is
	// available. HasFunctions is true of an unavailable namespace, even if it is empty.
	Unavailable *Error
	// Instance is the instance of the namespace's server ([Namespace.On]). Empty is this server.
	Instance string
	// Note is the text at the end of the page of help; may be empty.
	Note string
	// Arguments are the further arguments of help here and below ([Namespace.Arguments]), in order.
	Arguments []HelpArguments
	// Page fetches the page of help from the namespace's server; see [Namespace.Page]. Nil: the
	// face writes the page.
	Page func(ctx context.Context, kwargs json.RawMessage) (string, error)
}

// A Child is a namespace within a [Listing].
type Child struct {
	Name         string // last label of Path
	Path         string // dotted path as registered
	Description  string
	HasFunctions bool
	HasSkills    bool
	Unavailable  bool // unavailable at the moment; HasFunctions is true
	// Pending is that of the reason ([Error.Pending]). Nil if it is available.
	Pending <-chan struct{}
}

// HelpArguments are the keyword arguments that help takes in one namespace and below, besides the
// face's own.
type HelpArguments struct {
	Namespace string   `json:"namespace"` // dotted path as registered
	Names     []string `json:"arguments"`
}

// ErrSkipNamespace tells [Walk] to skip the namespaces below the current one. The visit function
// returns it.
var ErrSkipNamespace = errors.New("skip this namespace")

// Limits of [Walk]. They stop the walk through a source that lists a namespace as its own child.
// Real trees stay far below them.
const (
	maxWalkDepth      = maxPath / 2
	maxWalkNamespaces = 100_000
)

// Walk calls visit for the namespace at path and for each one below it that the caller in ctx sees,
// parents first, in order. It stops at the first error other than [ErrSkipNamespace] and returns
// it. It skips a namespace that disappears during the walk. A tree of more than 512 levels or
// 100,000 namespaces is an error.
func Walk(ctx context.Context, src Source, path string, visit func(*Listing) error) error {
	w := walker{src: src, visit: visit}
	return w.walk(ctx, path, 0)
}

// walker is one run of [Walk]. seen counts the namespaces.
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
