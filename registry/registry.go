package registry

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
)

// A Registry is a tree of namespaces with functions and skills. It is the [Source] for everything
// written in Go. Entries may be added at any time, also while it is served. Readers work on an
// immutable snapshot and take no lock. The first read after a change builds the next snapshot, and
// other readers wait for it. Unchanged namespaces are reused.
//
// The zero value is an empty registry that everyone sees, like that of [New] without options.
type Registry struct {
	made    sync.Once  // makes the root
	mu      sync.Mutex // locked by lock
	root    *node
	all     map[string]*node // by canonical path
	snap    atomic.Pointer[snapshot]
	built   int           // the number of the last snapshot
	claims  bool          // a function has a claim to an id; see claim.go
	rights  rights        // nil until the first claim
	removed []*node       // with rights, since the last snapshot
	change  chan struct{} // closed at the next change; nil if nobody waits

	indexMu sync.Mutex               // held while an index is made
	indexed atomic.Pointer[snapshot] // the newest snapshot with a search index

	idMu       sync.Mutex               // held while an index of ids is made
	identified atomic.Pointer[snapshot] // the newest snapshot with an index of ids

	instance  string
	embedder  Embedder
	embedding embedding
}

// Options configure a [Registry]. Nil is fine.
type Options struct {
	// VisibleTo decides who sees anything at all. Nil is everyone.
	VisibleTo Visibility
	// Embedder adds matches by meaning to searches, for functions with a vector ([Registry.Embed]).
	// Nil: searches go by words only.
	Embedder Embedder
}

// New returns an empty registry.
func New(opts *Options) *Registry {
	r := new(Registry)
	r.made.Do(r.make)
	if opts != nil {
		r.root.visibleTo = opts.VisibleTo
		r.embedder = opts.Embedder
	}
	return r
}

func (r *Registry) make() {
	r.root, r.instance = newNode("", ""), rand.Text()
	r.all = map[string]*node{"": r.root}
}

func (r *Registry) lock() {
	r.made.Do(r.make)
	r.mu.Lock()
}

// Namespace returns the namespace at the dotted path. Missing namespaces and parents are created.
// The empty path is the root. A namespace keeps its first spelling. Namespace panics if the path is
// illegal, if the namespace has another description, and if one of its facts is given twice.
func (r *Registry) Namespace(path, description string, opts ...NamespaceOption) *Namespace {
	ns, err := r.namespace(path, description, sourceLine(), opts)
	if err != nil {
		panic("registry: " + err.Error())
	}
	return ns
}

// TryNamespace is [Registry.Namespace] for paths found at run time: it returns an error instead of
// panicking.
func (r *Registry) TryNamespace(path, description string, opts ...NamespaceOption) (*Namespace, error) {
	return r.namespace(path, description, sourceLine(), opts)
}

func (r *Registry) namespace(path, description, origin string, opts []NamespaceOption) (*Namespace, error) {
	canonical, ok := CanonicalPath(path)
	if !ok {
		if better := strings.NewReplacer("-", "_", "/", ".").Replace(path); better != path {
			if _, ok := CanonicalPath(better); ok {
				return nil, fmt.Errorf("invalid namespace %q (%s): %s, joined by single dots; write %q", path, origin, labelRule, better)
			}
		}
		return nil, fmt.Errorf("invalid namespace %q (%s): %s, joined by single dots", path, origin, labelRule)
	}
	r.lock()
	defer r.mu.Unlock()
	n := r.ensure(path, canonical, false)
	for a := n; a != nil && a.implied; a = a.parent {
		a.implied = false // it was created as a parent; now it stays
	}
	switch {
	case description == "" || n.description == description:
	case n.description != "":
		return nil, fmt.Errorf("namespace %q (%s) is described otherwise by %q (%s)", path, origin, n.path, n.origin)
	default:
		n.description, n.origin = description, origin
		r.changed(n)
	}
	if err := r.apply(n, opts); err != nil {
		return nil, fmt.Errorf("namespace %q (%s): %w", path, origin, err)
	}
	return &Namespace{r, n}, nil
}

// apply sets facts of n. Namespaces below n may inherit them. The caller holds r.mu.
func (r *Registry) apply(n *node, opts []NamespaceOption) error {
	for _, o := range opts {
		if o == nil {
			return errors.New("an option is nil")
		}
		if err := o.applyNamespace(n); err != nil {
			return err
		}
		r.changed(n)
		n.forget()
	}
	return nil
}

// ensure returns the node at path. It makes missing nodes with the given value of implied.
func (r *Registry) ensure(path, canonical string, implied bool) *node {
	if n := r.all[canonical]; n != nil {
		return n
	}
	parent, label := "", path
	parentKey, key := "", canonical
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		parent, label = path[:i], path[i+1:]
		i = strings.LastIndexByte(canonical, '.')
		parentKey, key = canonical[:i], canonical[i+1:]
	}
	p := r.ensure(parent, parentKey, implied)
	n := newNode(join(p.path, label), label)
	n.parent, n.canonical, n.implied = p, canonical, implied
	p.children[key] = n
	r.all[canonical] = n
	r.changed(n)
	return n
}

// changed drops the views built from n, and the snapshot. The caller holds r.mu.
func (r *Registry) changed(n *node) {
	for ; n != nil; n = n.parent {
		n.built = nil
	}
	r.snap.Store(nil)
	r.notifyChanged()
}

// List implements [Source].
func (r *Registry) List(ctx context.Context, path string) (*Listing, error) {
	s := r.snapshot()
	l, err := s.list(ctx, path)
	return l, s.missed(ctx, path, err)
}

// Function implements [Source].
func (r *Registry) Function(ctx context.Context, path, name string) (*Function, error) {
	s := r.snapshot()
	f, err := s.function(ctx, path, name)
	return f, s.missed(ctx, path, err)
}

// Skill implements [Source].
func (r *Registry) Skill(ctx context.Context, path, name string) (*Skill, error) {
	s := r.snapshot()
	sk, err := s.skill(ctx, path, name)
	return sk, s.missed(ctx, path, err)
}

func (r *Registry) snapshot() *snapshot {
	if s := r.snap.Load(); s != nil {
		return s
	}
	r.lock()
	defer r.mu.Unlock()
	if s := r.snap.Load(); s != nil {
		return s
	}
	s := r.build()
	r.snap.Store(s)
	return s
}

// build returns a snapshot of the present tree. The caller holds r.mu.
func (r *Registry) build() *snapshot {
	r.settle()
	s := &snapshot{views: make(map[string]*view, len(r.all))}
	s.root = r.root.build(nil, nil, "", nil)
	s.root.index(s.views)
	r.built++
	s.number = r.built
	return s
}
