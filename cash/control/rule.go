package control

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// A Rule decides about the calls to which it applies. It applies if all of its non-zero members match. A list matches
// if one of its elements does. A rule with only a decision applies to every call.
type Rule struct {
	// Decision is required.
	Decision Decision
	// Reason is a sentence, shown to the model if the rule denies and to the person if it requires approval. Empty is
	// none.
	Reason string

	// Namespaces are dotted paths. Each matches everything in the namespace and below.
	Namespaces []string
	// Tools are globs for full dotted names: '*' matches any characters within a label, and '**' any number of labels,
	// but at least one at the end. Case and underscores are ignored. orders.*.delete* matches orders.retail.deleteAll,
	// and **.drop_* matches a root function too.
	Tools []string
	// IDs are ids of functions. An id without version or hash matches any. The hash changes with the parameters of a
	// function; use Tools for a rule that should survive such a change.
	IDs []string
	// Tags match if the function has one of them ([registry.Function.Tags]).
	Tags []string
	// Classes match the class of [ClassOf]. Other servers' classes are unverified: a rule that allows by class trusts
	// them.
	Classes []Class
	// Kinds match the kind of the call: run a tool, read a resource or get a prompt.
	Kinds []toolid.Kind
	// Roles match if the caller has one of them.
	Roles []string
	// Callers are the ids of callers.
	Callers []string
	// Anonymous matches callers without any known identity.
	Anonymous bool
}

// A rule is a compiled Rule.
type rule struct {
	decision   Decision
	reason     string
	namespaces [][]byte // folded, each with a final dot
	tools      []glob
	ids        []toolid.Primitive
	tags       []string
	classes    []Class
	kinds      []toolid.Kind
	roles      []string
	callers    []string
	anonymous  bool
}

func compileRule(r *Rule) (rule, error) {
	c := rule{
		decision: r.Decision, reason: shownReason(r.Reason), anonymous: r.Anonymous,
		tags: slices.Clone(r.Tags), classes: slices.Clone(r.Classes), kinds: slices.Clone(r.Kinds),
		roles: slices.Clone(r.Roles), callers: slices.Clone(r.Callers),
	}
	if !r.Decision.known() {
		return c, fmt.Errorf("decision is %.40q; want %s, %s or %s", r.Decision, Allow, Deny, RequireApproval)
	}
	if r.Anonymous && len(r.Callers) > 0 {
		return c, errors.New("it wants an anonymous caller with an id")
	}
	for _, compile := range []func(*Rule, *rule) error{checkLists, compileNamespaces, compileTools, compileIDs, checkWords} {
		if err := compile(r, &c); err != nil {
			return c, err
		}
	}
	return c, nil
}

// checkLists rejects empty lists. An accidentally empty list from a file would make the rule apply to everything.
func checkLists(r *Rule, _ *rule) error {
	for name, empty := range map[string]bool{
		"namespaces": r.Namespaces != nil && len(r.Namespaces) == 0,
		"tools":      r.Tools != nil && len(r.Tools) == 0,
		"ids":        r.IDs != nil && len(r.IDs) == 0,
		"tags":       r.Tags != nil && len(r.Tags) == 0,
		"classes":    r.Classes != nil && len(r.Classes) == 0,
		"kinds":      r.Kinds != nil && len(r.Kinds) == 0,
		"roles":      r.Roles != nil && len(r.Roles) == 0,
		"callers":    r.Callers != nil && len(r.Callers) == 0,
	} {
		if empty {
			return fmt.Errorf("%s is empty; leave it nil if it does not matter", name)
		}
	}
	return nil
}

func compileNamespaces(r *Rule, c *rule) error {
	for _, path := range r.Namespaces {
		if _, ok := registry.CanonicalPath(path); !ok || path == "" {
			return fmt.Errorf("namespace %.80q is not a dotted path", path)
		}
		c.namespaces = append(c.namespaces, append(label.AppendFolded(nil, path), '.'))
	}
	return nil
}

func compileTools(r *Rule, c *rule) error {
	for _, text := range r.Tools {
		g, err := parseGlob(text)
		if err != nil {
			return fmt.Errorf("tools: glob %.80q: %w", text, err)
		}
		c.tools = append(c.tools, g)
	}
	return nil
}

func compileIDs(r *Rule, c *rule) error {
	for _, text := range r.IDs {
		id, err := toolid.ParsePrimitive(text)
		if err != nil {
			return fmt.Errorf("ids: %w", err)
		}
		c.ids = append(c.ids, id)
	}
	return nil
}

// checkWords rejects values that no call can have.
func checkWords(r *Rule, _ *rule) error {
	for _, class := range r.Classes {
		if class != ReadOnly && class != Writes && class != Destructive {
			return fmt.Errorf("classes: unknown class %.40q; want %s, %s or %s", class, ReadOnly, Writes, Destructive)
		}
	}
	for _, kind := range r.Kinds {
		if kind != toolid.Tool && kind != toolid.Resource && kind != toolid.Prompt {
			return fmt.Errorf("kinds: unknown kind %.40q; want %s, %s or %s", kind, toolid.Tool, toolid.Resource, toolid.Prompt)
		}
	}
	for name, words := range map[string][]string{"tags": r.Tags, "roles": r.Roles, "callers": r.Callers} {
		if slices.Contains(words, "") {
			return fmt.Errorf("%s: one is empty", name)
		}
	}
	return nil
}

// A subject is the part of a call that rules look at.
type subject struct {
	function *registry.Function
	caller   *registry.Caller
	path     []byte // folded
}

// newSubject writes the path into buf if there is room.
func newSubject(c *registry.Call, buf []byte) subject {
	f := c.Function
	path := label.AppendFolded(buf, f.Namespace())
	if f.Namespace() != "" {
		path = append(path, '.')
	}
	return subject{f, c.Caller, label.AppendFolded(path, f.Name())}
}

// applies reports whether all members of the rule match.
func (r *rule) applies(s *subject) bool {
	switch f, c := s.function, s.caller; {
	case r.anonymous && !c.Anonymous():
	case r.callers != nil && (c.Anonymous() || !slices.Contains(r.callers, c.ID)):
	case r.roles != nil && !slices.ContainsFunc(r.roles, c.HasRole):
	case r.classes != nil && !slices.Contains(r.classes, ClassOf(f)):
	case r.kinds != nil && !slices.Contains(r.kinds, f.Primitive().Kind):
	case r.tags != nil && !slices.ContainsFunc(r.tags, s.hasTag):
	case r.namespaces != nil && !slices.ContainsFunc(r.namespaces, s.below):
	case r.tools != nil && !slices.ContainsFunc(r.tools, s.named):
	case r.ids != nil && !slices.ContainsFunc(r.ids, s.is):
	default:
		return true
	}
	return false
}

func (s *subject) hasTag(tag string) bool { return slices.Contains(s.function.Tags(), tag) }

func (s *subject) below(namespace []byte) bool { return bytes.HasPrefix(s.path, namespace) }

func (s *subject) named(g glob) bool { return g.match(s.path) }

func (s *subject) is(id toolid.Primitive) bool {
	is := s.function.Primitive()
	return is.Kind == id.Kind && is.Namespace == id.Namespace && is.Name == id.Name &&
		(id.Version == "" || is.Version == id.Version) && (id.Hash == "" || is.Hash == id.Hash)
}
