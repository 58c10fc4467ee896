package cashsource

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/gate"
	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// A Host is who mounts a server: what is asked later goes through it.
type Host interface {
	// Page asks help or skill for somebody who wants a page. Errors are
	// *[registry.Error]; each has a cause, and no namespace and name.
	Page(ctx context.Context, label, tool string, arguments map[string]any) (*wire.Answer, error)
	// Call makes a call.
	Call(ctx context.Context, c *registry.Call, call *Call) (*registry.Result, error)
}

// An Ask asks help or skill while the server is read. Errors are *[Error], of
// the kinds Unanswered, Late and Cut.
type Ask func(ctx context.Context, tool string, arguments map[string]any) (*wire.Answer, error)

// Options say how a server is read and where it stands. All are required but
// VisibleTo and About.
type Options struct {
	Host      Host
	Server    string // tells the server from every other one
	Self      string // the instance of the registry that the server is mounted in
	Mounts    []Mount
	About     string // a line on the server, where a mount has no description
	VisibleTo registry.Visibility
	Pins      *pin.Keeper
	// Vouched reports whether the operator says that calling a function changes
	// nothing. IgnoreHints takes nothing from the server's own word on that.
	Vouched     func(path string) bool
	IgnoreHints bool
	Timeout     time.Duration // of a function
	ReadTimeout time.Duration // of reading
	// Note is told what is not served as it is, and why.
	Note func(format string, args ...any)
}

// A Mount is a place in the tree where a server stands.
type Mount struct {
	Label       string
	Namespace   string // of the server; empty is all of it
	Description string // empty is the server's
	OrRoot      bool   // all of the server stands there if it has no such namespace (R136)
}

// Key is the label in canonical form.
func (m Mount) Key() string { return canonicalPath(m.Label) }

// Bounds of what is shown of a server's own words, in characters.
const (
	maxReason = 300
	maxAbout  = 200
)

// HintLater is the hint where it helps to wait.
const HintLater = "Try again in a minute, or go on without it: other namespaces are not affected."

// A Kind is why a server cannot be shown.
type Kind int

const (
	Unanswered Kind = iota // it gave no answer
	Late                   // it gave no answer in time
	Cut                    // nothing else can be asked either
	Malformed              // its pages cannot be understood
	Refused                // it answered with an error
	Looped                 // it leads back to who mounts it
	Partial                // not all that must be compared with pins came in time
)

// An Error says why a server, or one of its pages, cannot be read.
type Error struct {
	Kind   Kind
	Reason string // a clean line; empty if there was no answer
	Err    error  // the cause; may be nil if there was an answer
}

// Error returns the reason, or else the cause.
func (e *Error) Error() string {
	if e.Reason == "" && e.Err != nil {
		return e.Err.Error()
	}
	return e.Reason
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// kindOf returns the kind of an error.
func kindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Unanswered
}

// unfinished is the failure of reading what is pinned, by one page of it. What was
// merely not read must be neither pinned as missing nor quarantined as new.
func unfinished(err error) *Error {
	return &Error{Partial, "not all of its pages came in time, and pins are compared with all of them; a longer connect timeout may help", err}
}

// A Source is what was read of a server. It does not change once it is planted, but
// for the pages that it keeps.
type Source struct {
	Options
	// Tools are those that may be served besides call, help and skill.
	Tools []*pin.Definition
	// Outcome says what is quarantined. Withheld says that one of call, help and
	// skill is: nothing was read then.
	Outcome  pin.Outcome
	Withheld bool
	// Instance is that of the server; empty if it does not say.
	Instance string
	// Functions and Skills are how many are planted.
	Functions, Skills int

	root    *place
	dialect dialect
	pages   *pages
	limit   int               // of the server's gate
	known   map[string]bool   // canonical paths of the server's namespaces
	offered map[string]string // definitions of functions, by their places
	whole   map[string]bool   // the mounts at which all of the server stands, by their keys
}

// Read reads what is behind the tools call, help and skill, as far as it may be
// served. Of a server of which one of the three may not, nothing is asked. Errors
// are *[Error] and *[pin.StoreError].
func Read(ctx context.Context, ask Ask, defs []*pin.Definition, o Options) (*Source, error) {
	s := &Source{
		Options: o, dialect: dialectOf(defs), pages: newPages(), limit: gate.Default,
		offered: make(map[string]string), whole: make(map[string]bool),
	}
	if !hasCore(defs) {
		return nil, &Error{Kind: Malformed, Reason: "it is set up as a CaSH server, and has not the tools call, help and skill"}
	}
	first, err := o.Pins.Preview(ctx, defs)
	if err != nil {
		return nil, err
	}
	if !hasCore(first.Served) {
		s.Outcome, s.Withheld = first, true
		return s, nil
	}
	return s, s.read(ctx, &crawl{Source: s, send: ask, pinned: first.Pinned}, defs)
}

func (s *Source) read(ctx context.Context, c *crawl, defs []*pin.Definition) (err error) {
	if s.root, err = c.root(ctx); err != nil {
		return err
	}
	if s.Outcome, err = s.Pins.Review(ctx, slices.Concat(defs, s.root.allDefinitions())); err != nil {
		return err
	}
	var functions []*pin.Definition
	for _, d := range s.Outcome.Served {
		if d.Function {
			functions = append(functions, d)
		} else {
			s.Tools = append(s.Tools, d)
		}
	}
	if s.Withheld = !hasCore(s.Tools); s.Withheld { // the pins have changed in the meantime
		return nil
	}
	s.Tools = slices.DeleteFunc(s.Tools, func(d *pin.Definition) bool { return wire.IsCore(d.Name) })
	if c.pinning() {
		s.root.keep(functions)
	}
	s.Instance, s.known = s.root.instance, s.root.paths()
	if n := s.root.page.SizeLimit; n > 0 {
		s.limit = n
	}
	return nil
}

// Whole reports whether all of the server stands at a mount, by its key.
func (s *Source) Whole(key string) bool { return s.whole[key] }

// Plant returns what stands at each mount, by its key. Functions of the tools that
// the server has besides the three stand at the top of it.
func (s *Source) Plant(tools []*registry.Function) (map[string]*registry.Registry, error) {
	planted := make(map[string]*registry.Registry, len(s.Mounts))
	for _, m := range s.Mounts {
		tree, err := s.tree(m, tools)
		if err != nil {
			return nil, err
		}
		planted[m.Key()] = tree
	}
	s.root = nil // it may be large
	return planted, nil
}

// tree returns what stands at a mount.
func (s *Source) tree(m Mount, tools []*registry.Function) (*registry.Registry, error) {
	base := s.root.find(m.Namespace)
	if base == nil && m.OrRoot {
		base, m.Namespace = s.root, ""
	}
	if base == nil {
		return nil, &Error{Kind: Malformed, Reason: fmt.Sprintf("it has no namespace %.64s", m.Namespace)}
	}
	t := registry.New(&registry.Options{VisibleTo: s.VisibleTo})
	about := m.Description
	switch {
	case about != "":
	case base == s.root:
		about = s.About
	default:
		about = base.description
	}
	top := t.Namespace("", clean.FirstLine(about, maxAbout)).Note(further(s.root.page.Arguments))
	v := view{Source: s, mount: m, text: cashtext.Mount{From: base.path, To: m.Label, Known: s.known, Beside: s.besides(m)}}
	if base == s.root {
		s.whole[m.Key()] = true
		if err := s.addTools(top, tools); err != nil {
			return nil, err
		}
	}
	if err := v.fill(t, "", base); err != nil {
		return nil, err
	}
	if base != s.root && s.speaksForRoot(m) {
		v.addSkills(top, s.root)
	}
	return t, nil
}

// addTools puts functions of tools at the top. The tree comes first.
func (s *Source) addTools(top *registry.Namespace, tools []*registry.Function) error {
	names := make(map[string]bool)
	for _, f := range s.root.page.Functions {
		names[key(f.Name)] = true
	}
	for _, f := range tools {
		if names[key(f.Name())] {
			s.Note("tool %q has the name of a function in the root and is left out", f.Tool())
			continue
		}
		if err := top.TryAdd(f); err != nil {
			return err
		}
		s.Functions++
	}
	return nil
}

// besides are the other mounts of the server.
func (s *Source) besides(m Mount) []cashtext.Place {
	var list []cashtext.Place
	for _, other := range s.Mounts {
		if other.Key() == m.Key() {
			continue
		}
		switch base := s.root.find(other.Namespace); {
		case base != nil:
			list = append(list, cashtext.Place{From: base.path, To: other.Label})
		case other.OrRoot:
			list = append(list, cashtext.Place{To: other.Label})
		}
	}
	return list
}

// speaksForRoot reports whether a mount shows the skills of the root: if that is
// mounted nowhere, the first mount does.
func (s *Source) speaksForRoot(m Mount) bool {
	for _, other := range s.Mounts {
		if base := s.root.find(other.Namespace); base == s.root || base == nil && other.OrRoot {
			return false
		}
	}
	return s.Mounts[0].Key() == m.Key() && m.OrRoot
}

func canonicalPath(path string) string {
	c, _ := registry.CanonicalPath(path)
	return c
}

func key(name string) string {
	k, _ := registry.Canonical(name)
	return k
}
