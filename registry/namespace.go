package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
)

// A Namespace is a place in a [Registry] for functions and skills.
type Namespace struct {
	reg  *Registry
	node *node
}

// node is the mutable form of a namespace. The registry's lock guards it.
type node struct {
	path, label string // as registered
	canonical   string // of path
	description string
	origin      string // source line of the description
	visibleTo   Visibility
	unavailable *Error // nil if available
	page        func(context.Context, json.RawMessage) (string, error)
	instance    string // the instance of its server; empty is the parent's
	note        string
	missed      func(context.Context) // nil is the parent's
	arguments   []string              // of help, besides the face's
	parent      *node
	children    map[string]*node     // by canonical label
	functions   map[string]*Function // by canonical name
	skills      map[string]*Skill
	built       *view    // the view in the last snapshot; nil after a change here or below
	rights      []uint64 // what its functions are entered under; see claim.go
	gone        bool     // Replace took it out of the tree
	implied     bool     // Replace made it as a parent, and removes it once it is empty
}

func newNode(path, label string) *node {
	return &node{
		path: path, label: label,
		children:  make(map[string]*node),
		functions: make(map[string]*Function),
		skills:    make(map[string]*Skill),
	}
}

// Path returns the namespace's dotted path as registered; empty for the root.
func (n *Namespace) Path() string { return n.node.path }

// Restrict sets who sees the namespace and everything below it, while it is served. It returns n.
// Nil is everyone who sees the parent. Use the option [VisibleTo] if the rule is known at the
// start.
func (n *Namespace) Restrict(v Visibility) *Namespace {
	n.set(func(node *node) { node.visibleTo = v })
	return n
}

// Unavailable marks the namespace and everything below it as unavailable, and returns n. Nil
// removes the mark. An unavailable namespace is listed with its mark, even if it is empty. Unknown
// names below it are refused with e. Functions that are there can still be called and must report
// the failure themselves.
func (n *Namespace) Unavailable(e *Error) *Namespace {
	n.set(func(node *node) { node.unavailable = advised(e) })
	return n
}

// Page sets the function that fetches a page of help about the namespace, and returns n. It is for
// namespaces on other servers. It is called if the request has keyword arguments that the face does
// not know. If it returns an empty text, the face writes the page. Nil: the face always writes it.
func (n *Namespace) Page(page func(ctx context.Context, kwargs json.RawMessage) (string, error)) *Namespace {
	n.set(func(node *node) { node.page = page })
	return n
}

// Note sets the text at the end of the namespace's page of help, and returns n. Empty is none.
func (n *Namespace) Note(text string) *Namespace {
	n.set(func(node *node) { node.note = text })
	return n
}

// Arguments sets the names of the keyword arguments that help takes in the namespace and below,
// besides the face's own, and returns n. They go to the function of [Namespace.Page] and to
// [Remote].Page. A face names them at the top ([Listing].Arguments).
func (n *Namespace) Arguments(names ...string) *Namespace {
	n.set(func(node *node) { node.arguments = names })
	return n
}

// On declares that the namespace and everything below it are on another server with this instance,
// and returns n. Requests that came through that server do not see the namespace: that server has
// it itself.
func (n *Namespace) On(instance string) *Namespace {
	n.set(func(node *node) { node.instance = instance })
	return n
}

// set changes a fact of the namespace. Namespaces below may inherit it.
func (n *Namespace) set(change func(*node)) {
	n.reg.lock()
	defer n.reg.mu.Unlock()
	change(n.node)
	n.reg.changed(n.node)
	n.node.forget()
}

// forget drops the views of n and of all nodes below it.
func (n *node) forget() {
	n.built = nil
	for _, c := range n.children {
		c.forget()
	}
}

// Add adds copies of the functions: all of them, or none if one is invalid. It panics with both
// source lines on an illegal name and on two functions with the same canonical name.
func (n *Namespace) Add(functions ...*Function) {
	if err := n.TryAdd(functions...); err != nil {
		panic("registry: " + err.Error())
	}
}

// TryAdd is [Namespace.Add] for functions found at run time: it returns an error instead of
// panicking.
func (n *Namespace) TryAdd(functions ...*Function) error {
	n.reg.lock()
	defer n.reg.mu.Unlock()
	if n.node.gone {
		return errReplaced(n.node.path)
	}
	added := make(map[string]*Function, len(functions))
	for _, f := range functions {
		if f == nil || f.handler == nil {
			return fmt.Errorf("adding to namespace %q: a function that is nil, or not made by Func, StreamFunc or RawFunc", n.node.path)
		}
		key, err := checkLabel("function name", f.name)
		if err != nil {
			return fmt.Errorf("%w (%s)", err, f.origin)
		}
		for _, other := range []*Function{n.node.functions[key], added[key]} {
			if other != nil {
				return conflict("function", n.node.path, f.name, f.origin, other.name, other.origin)
			}
		}
		added[key] = f.In(n.node.path)
		n.reg.claims = n.reg.claims || f.claimant()
	}
	maps.Copy(n.node.functions, added)
	n.reg.changed(n.node)
	return nil
}

// AddSkill adds copies of the skills: all of them or none. It panics as [Namespace.Add] does, and
// on a skill without text.
func (n *Namespace) AddSkill(skills ...*Skill) {
	if err := n.addSkills(skills, sourceLine()); err != nil {
		panic("registry: " + err.Error())
	}
}

// TryAddSkill is [Namespace.AddSkill] for skills found at run time: it returns an error instead of
// panicking.
func (n *Namespace) TryAddSkill(skills ...*Skill) error {
	return n.addSkills(skills, sourceLine())
}

func (n *Namespace) addSkills(skills []*Skill, origin string) error {
	added := make(map[string]*Skill, len(skills))
	for _, s := range skills {
		if s == nil {
			return fmt.Errorf("adding to namespace %q (%s): skill is nil", n.node.path, origin)
		}
		prepared, key, err := s.prepare(n.node.path, origin)
		if err != nil {
			return err
		}
		if other := added[key]; other != nil {
			return conflict("skill", n.node.path, s.name, prepared.origin, other.given, other.origin)
		}
		added[key] = prepared
	}
	n.reg.lock()
	defer n.reg.mu.Unlock()
	if n.node.gone {
		return errReplaced(n.node.path)
	}
	for key, s := range added {
		if other := n.node.skills[key]; other != nil {
			return conflict("skill", n.node.path, s.given, s.origin, other.given, other.origin)
		}
	}
	maps.Copy(n.node.skills, added)
	n.reg.changed(n.node)
	return nil
}

func errReplaced(path string) error {
	return fmt.Errorf("adding to namespace %q: it was replaced; ask the registry for it again", path)
}

func conflict(what, path, name, origin, other, otherOrigin string) error {
	return fmt.Errorf("%s %q (%s) conflicts with %q (%s) in namespace %q: they are the same but for case, _ and -; rename one",
		what, name, origin, other, otherOrigin, path)
}
