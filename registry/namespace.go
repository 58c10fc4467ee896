package registry

import (
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
	parent      *node
	children    map[string]*node     // by canonical label
	functions   map[string]*Function // by canonical name
	skills      map[string]*Skill
	built       *view // nil after a change here or below
	gone        bool  // it was replaced
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

// VisibleTo restricts the namespace, with all that is in and below it, to the
// callers that v accepts, and returns n. Nil is everyone who sees the parent.
func (n *Namespace) VisibleTo(v Visibility) *Namespace {
	n.reg.mu.Lock()
	defer n.reg.mu.Unlock()
	n.node.visibleTo = v
	n.reg.changed(n.node)
	// What is below carries the conditions of what is above.
	n.node.forget()
	return n
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
		key, err := checkLabel("function name", f.Name)
		if err != nil {
			return fmt.Errorf("%w (%s)", err, f.origin)
		}
		for _, other := range []*Function{n.node.functions[key], added[key]} {
			if other != nil {
				return conflict("function", n.node.path, f.Name, f.origin, other.Name, other.origin)
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
	if err := n.addSkills(skills, sourceLine(0)); err != nil {
		panic("registry: " + err.Error())
	}
}

// TryAddSkill is [Namespace.AddSkill] for skills that are found at run time:
// it returns an error instead of panicking.
func (n *Namespace) TryAddSkill(skills ...*Skill) error {
	return n.addSkills(skills, sourceLine(0))
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
			return conflict("skill", n.node.path, s.Name, prepared.origin, other.given, other.origin)
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
