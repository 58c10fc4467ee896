package registry

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cash-mcp/go-sdk/internal/search"
)

// snapshot is an immutable image of a registry. All reads of a [Registry] go to one.
type snapshot struct {
	root  *view
	views map[string]*view // by canonical path

	number int                     // counts the snapshots of a registry
	finder atomic.Pointer[finder]  // the search index; nil until the first search
	ids    atomic.Pointer[idIndex] // nil until the first FunctionByID
}

// view is one namespace in a snapshot.
type view struct {
	child        Child
	canonical    string
	conditions   []Visibility // of this namespace and of all parents
	children     []*view      // sorted, like the lists
	functions    map[string]*Function
	skills       map[string]*Skill
	functionList []*Function
	skillList    []*Skill
	spellings    spellings
	unavailable  *Error // of this namespace or of a parent
	page         func(context.Context, json.RawMessage) (string, error)
	instance     string
	note         string
	missed       func(context.Context)
	own          *HelpArguments  // the arguments of help here; nil for none
	arguments    []HelpArguments // here and below

	open    bool     // no rule hides anything here or below
	listing *Listing // the listing for every caller; nil unless open

	textOnce sync.Once
	text     *search.Text
}

// build returns n's view. It reuses the views of unchanged children. The caller holds the
// registry's lock.
func (n *node) build(above []Visibility, unavailable *Error, instance string, missed func(context.Context)) *view {
	if n.built != nil {
		return n.built
	}
	v := &view{
		child:     Child{Name: n.label, Path: n.path, Description: n.description},
		canonical: n.canonical,
		functions: make(map[string]*Function, len(n.functions)),
		skills:    make(map[string]*Skill, len(n.skills)),
		open:      true,
	}
	if n.unavailable != nil {
		unavailable = n.unavailable
	}
	v.unavailable, v.page, v.note, v.child.Unavailable = unavailable, n.page, n.note, unavailable != nil
	if unavailable != nil {
		v.child.Pending = unavailable.Pending
	}
	v.conditions = above
	v.instance, v.missed = instance, missed
	if n.missed != nil {
		v.missed = n.missed
	}
	if n.instance != "" && n.instance != instance {
		v.instance = n.instance
		v.conditions = append(slices.Clip(v.conditions), notThrough(n.instance))
	}
	if n.visibleTo != nil {
		v.conditions = append(slices.Clip(v.conditions), n.visibleTo)
	}
	for _, key := range sortedKeys(n.functions) {
		f := n.functions[key]
		v.functions[key] = f
		v.functionList = append(v.functionList, f)
		v.spellings.add(key, f)
		v.open = v.open && f.visibleTo == nil
	}
	slices.SortStableFunc(v.functionList, func(f, g *Function) int { return last(f.deprecated) - last(g.deprecated) })
	for _, key := range sortedKeys(n.skills) {
		s := n.skills[key]
		v.skills[key] = s
		v.skillList = append(v.skillList, s)
		v.open = v.open && s.visibleTo == nil
	}
	if len(n.arguments) > 0 {
		v.own = &HelpArguments{n.path, n.arguments}
		v.arguments = append(v.arguments, *v.own)
	}
	v.child.HasFunctions = len(v.functions) > 0 || v.child.Unavailable
	v.child.HasSkills = len(v.skills) > 0
	for _, key := range sortedKeys(n.children) {
		c := n.children[key]
		cv := c.build(v.conditions, unavailable, v.instance, v.missed)
		v.children = append(v.children, cv)
		v.open = v.open && cv.open && len(cv.conditions) == len(v.conditions)
		v.child.HasFunctions = v.child.HasFunctions || cv.child.HasFunctions
		v.child.HasSkills = v.child.HasSkills || cv.child.HasSkills
		v.arguments = append(v.arguments, cv.arguments...)
	}
	if v.open {
		v.listing = v.everything()
	}
	n.built = v
	return v
}

// last orders what is deprecated after the rest.
func last(deprecated bool) int {
	if deprecated {
		return 1
	}
	return 0
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// index adds v and all views below it to views, by canonical path.
func (v *view) index(views map[string]*view) {
	views[v.canonical] = v
	for _, c := range v.children {
		c.index(views)
	}
}

// sees reports whether the caller sees functions and skills in v or below. v's own conditions hold.
func (v *view) sees(ctx context.Context) (functions, skills bool) {
	if v.open {
		return v.child.HasFunctions, v.child.HasSkills
	}
	functions = v.child.Unavailable || slices.ContainsFunc(v.functionList, func(f *Function) bool { return f.visibleTo.allows(ctx) })
	skills = slices.ContainsFunc(v.skillList, func(s *Skill) bool { return s.visibleTo.allows(ctx) })
	for _, c := range v.children {
		// Skip rules that cannot change the answer.
		if functions && skills {
			break
		}
		if (functions || !c.child.HasFunctions) && (skills || !c.child.HasSkills) {
			continue
		}
		if !allAllow(ctx, c.conditions[len(v.conditions):]) {
			continue
		}
		f, s := c.sees(ctx)
		functions, skills = functions || f, skills || s
	}
	return functions, skills
}

// argumentsFor returns the further arguments of help in v and below for the caller in ctx. v's own
// conditions hold.
func (v *view) argumentsFor(ctx context.Context) (list []HelpArguments) {
	if v.open || len(v.arguments) == 0 {
		return v.arguments
	}
	if functions, _ := v.sees(ctx); !functions {
		return nil
	}
	if v.own != nil {
		list = append(list, *v.own)
	}
	for _, c := range v.children {
		if allAllow(ctx, c.conditions[len(v.conditions):]) {
			list = append(list, c.argumentsFor(ctx)...)
		}
	}
	return list
}

// everything returns the listing of an open view. It is the same for every caller.
func (v *view) everything() *Listing {
	l := &Listing{
		Namespace: v.child.Path, Description: v.child.Description,
		Functions: v.functionList, Skills: v.skillList,
		HasFunctions: v.child.HasFunctions, HasSkills: v.child.HasSkills,
		Unavailable: v.unavailable, Instance: v.instance, Note: v.note, Arguments: v.arguments, Page: v.page,
	}
	for _, c := range v.children {
		if c.child.HasFunctions || c.child.HasSkills {
			l.Namespaces = append(l.Namespaces, c.child)
		}
	}
	return l
}

// filter returns the listing of v for the caller in ctx.
func (v *view) filter(ctx context.Context) *Listing {
	l := &Listing{
		Namespace: v.child.Path, Description: v.child.Description,
		Unavailable: v.unavailable, Instance: v.instance, Note: v.note, Arguments: v.argumentsFor(ctx), Page: v.page,
	}
	for _, f := range v.functionList {
		if f.visibleTo.allows(ctx) {
			l.Functions = append(l.Functions, f)
		}
	}
	for _, s := range v.skillList {
		if s.visibleTo.allows(ctx) {
			l.Skills = append(l.Skills, s)
		}
	}
	l.HasFunctions, l.HasSkills = len(l.Functions) > 0 || v.child.Unavailable, len(l.Skills) > 0
	for _, c := range v.children {
		if !allAllow(ctx, c.conditions[len(v.conditions):]) {
			continue
		}
		entry := c.child
		entry.HasFunctions, entry.HasSkills = c.sees(ctx)
		if !entry.HasFunctions && !entry.HasSkills {
			continue
		}
		l.Namespaces = append(l.Namespaces, entry)
		l.HasFunctions = l.HasFunctions || entry.HasFunctions
		l.HasSkills = l.HasSkills || entry.HasSkills
	}
	return l
}

// at returns the view at path if the caller may enter it. The caller may still see nothing there.
func (s *snapshot) at(ctx context.Context, path string) (*view, error) {
	canonical, ok := CanonicalPath(path)
	if !ok {
		return nil, invalidPath(path)
	}
	v := s.views[canonical]
	switch {
	case v == nil:
		return nil, s.missing(ctx, path, canonical)
	case !allAllow(ctx, v.conditions):
		return nil, NoNamespace(path)
	}
	return v, nil
}

func (s *snapshot) list(ctx context.Context, path string) (*Listing, error) {
	v, err := s.at(ctx, path)
	if err != nil {
		if path == "" { // the root exists for every caller
			return &Listing{}, nil
		}
		return nil, err
	}
	l := v.listing
	if l == nil {
		l = v.filter(ctx)
	}
	if v != s.root && !l.HasFunctions && !l.HasSkills {
		return nil, NoNamespace(path)
	}
	return l, nil
}

func (s *snapshot) function(ctx context.Context, path, name string) (*Function, error) {
	v, err := s.at(ctx, path)
	switch {
	case err == nil:
	case path == "":
		return nil, NoFunction(path, name)
	default:
		return nil, err
	}
	key, ok := Canonical(name)
	f := v.functions[key]
	if f != nil && !f.visibleTo.allows(ctx) {
		f = nil
	}
	f, err = v.spellings.choose(ctx, v, name, key, f)
	switch {
	case f != nil || err != nil:
		return f, err
	case !ok:
		return nil, invalidFunction(path, name)
	}
	switch functions, _ := v.sees(ctx); {
	case v.unavailable != nil:
		return nil, v.unavailable.about(v.child.Path, name)
	case !functions && v != s.root:
		return nil, NoNamespace(path)
	}
	return nil, NoFunction(v.child.Path, name)
}

// about returns a copy of e for the named function or skill.
func (e *Error) about(namespace, name string) *Error {
	c := *e
	c.Namespace, c.Name = namespace, name
	return &c
}

// missing returns the error for a path without a view: that of an unavailable parent, else an
// unknown namespace.
func (s *snapshot) missing(ctx context.Context, path, canonical string) error {
	for {
		i := strings.LastIndexByte(canonical, '.')
		if i < 0 {
			return NoNamespace(path)
		}
		canonical = canonical[:i]
		v := s.views[canonical]
		if v == nil {
			continue
		}
		if v.unavailable == nil || !allAllow(ctx, v.conditions) {
			return NoNamespace(path)
		}
		return v.unavailable.about(path, "")
	}
}

func (s *snapshot) skill(ctx context.Context, path, name string) (*Skill, error) {
	key, ok := Canonical(strings.ReplaceAll(name, "-", ""))
	if !ok {
		return nil, &Error{Kind: InvalidName, Namespace: path, Name: name,
			Message: "Invalid skill name " + quoteName(name) + ": " + labelRule + "."}
	}
	if _, ok := CanonicalPath(path); !ok {
		return nil, invalidPath(path)
	}
	v, err := s.at(ctx, path)
	if err == nil {
		if sk := v.skills[key]; sk != nil && sk.visibleTo.allows(ctx) {
			return sk, nil
		}
		if v.unavailable != nil {
			return nil, v.unavailable.about(v.child.Path, name)
		}
		if _, skills := v.sees(ctx); skills {
			return nil, NoSkill(v.child.Path, name)
		}
	}
	if err != nil && !errors.Is(err, UnknownNamespace) { // a parent is unavailable
		return nil, err
	}
	// A namespace without visible skills looks the same as an absent one.
	return nil, NoSkill(path, name)
}
