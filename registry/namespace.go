package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
)

// A Namespace is a place in a [Registry] to add functions and skills to.
type Namespace struct {
	reg  *Registry
	node *node
}

// node is the mutable form of a namespace, guarded by the registry's lock.
type node struct {
	path, label string // as registered
	canonical   string // of path
	description string
	origin      string // source line of the description
	visibleTo   Visibility
	unavailable *Error // nil if it is available
	page        func(context.Context, json.RawMessage) (string, error)
	instance    string // of the server that it is on; empty is the parent's
	note        string
	parent      *node
	children    map[string]*node     // by canonical label
	functions   map[string]*Function // by canonical name
	skills      map[string]*Skill
	built       *view // nil after a change here or below
	gone        bool  // it was replaced
	implied     bool  // it is there for what was put below it by Replace, and goes with that
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

// Restrict changes who sees the namespace, with all that is in and below it, while
// it is served, and returns n. Nil is everyone who sees the parent. Where that is
// known from the start, it is an option: [VisibleTo].
func (n *Namespace) Restrict(v Visibility) *Namespace {
	n.set(func(node *node) { node.visibleTo = v })
	return n
}

// Unavailable marks the namespace, with all that is in and below it, as not to
// be had at the moment, and returns n. It is shown with that mark even if nothing
// is in it, and what is not known below it is refused with e rather than as
// unknown. The functions that are there go on to be called: it is for them to
// say that they cannot. Nil takes the mark away.
func (n *Namespace) Unavailable(e *Error) *Namespace {
	n.set(func(node *node) { node.unavailable = e })
	return n
}

// Page sets what is asked for a page of help about the namespace when the
// request has keyword arguments that the face does not know, and returns n. It
// is for namespaces on other servers, which may know them. An empty text lets
// the face write the page after all. Nil asks nobody.
func (n *Namespace) Page(page func(ctx context.Context, kwargs json.RawMessage) (string, error)) *Namespace {
	n.set(func(node *node) { node.page = page })
	return n
}

// Note sets what a page of help about the namespace says at its end, and returns
// n. Empty is nothing.
func (n *Namespace) Note(text string) *Namespace {
	n.set(func(node *node) { node.note = text })
	return n
}

// On says that the namespace, with all below it, is on another server, whose
// instance is given, and returns n. Requests that have come through that server
// do not see it: it has it itself.
func (n *Namespace) On(instance string) *Namespace {
	n.set(func(node *node) { node.instance = instance })
	return n
}

// set changes what the namespace says. What is below it may inherit that.
func (n *Namespace) set(change func(*node)) {
	n.reg.mu.Lock()
	defer n.reg.mu.Unlock()
	change(n.node)
	n.reg.changed(n.node)
	n.node.forget()
}

func (n *node) forget() {
	n.built = nil
	for _, c := range n.children {
		c.forget()
	}
}

// Add adds copies of the functions: all of them or, if one is in error, none.
// It panics on an illegal name and on two functions with the same canonical
// name in the namespace, naming both source lines.
func (n *Namespace) Add(functions ...*Function) {
	if err := n.TryAdd(functions...); err != nil {
		panic("registry: " + err.Error())
	}
}

// TryAdd is [Namespace.Add] for functions that are found at run time: it
// returns an error instead of panicking.
func (n *Namespace) TryAdd(functions ...*Function) error {
	n.reg.mu.Lock()
	defer n.reg.mu.Unlock()
	if n.node.gone {
		return errReplaced(n.node.path)
	}
	added := make(map[string]*Function, len(functions))
	for _, f := range functions {
		if f == nil || f.handler == nil {
			return fmt.Errorf("adding to namespace %q: a function that was not made by Func, StreamFunc or RawFunc", n.node.path)
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
		g := f.In(n.node.path)
		added[key] = g
	}
	maps.Copy(n.node.functions, added)
	n.reg.changed(n.node)
	return nil
}

// AddSkill adds copies of the skills: all of them or none. It panics as
// [Namespace.Add] does, and on a skill without text.
func (n *Namespace) AddSkill(skills ...*Skill) {
	if err := n.addSkills(skills, sourceLine()); err != nil {
		panic("registry: " + err.Error())
	}
}

// TryAddSkill is [Namespace.AddSkill] for skills that are found at run time:
// it returns an error instead of panicking.
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
	n.reg.mu.Lock()
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
	return fmt.Errorf("%s %q (%s) conflicts with %q (%s) in namespace %q: they have the same canonical form",
		what, name, origin, other, otherOrigin, path)
}
