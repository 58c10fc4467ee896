package cashsource

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/gate"
	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/skillext"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// A Host is the mounting side, package upstream. Pages and calls after the first read go through it.
type Host interface {
	// Page requests a page of help or skill for a user. meta is added to the metadata, and may be nil. Errors are
	// *[registry.Error] with a cause, without namespace and name.
	Page(ctx context.Context, label, tool string, arguments map[string]any, meta mcp.Meta) (*wire.Answer, error)
	// Call calls a function.
	Call(ctx context.Context, c *registry.Call, call *Call) (*registry.Result, error)
}

// An Ask calls help or skill while the server is read. Errors are *[Error] of kind Unanswered, Late or Cut.
type Ask func(ctx context.Context, tool string, arguments map[string]any) (*wire.Answer, error)

// Options say how a server is read and where it is mounted. All but VisibleTo, About, Missed, Before and Import are
// required.
type Options struct {
	Host      Host
	Server    string // fingerprint of the server's endpoint
	Self      string // instance of the registry it is mounted in
	Mounts    []Mount
	About     string // one line on the server, for mounts without a description
	VisibleTo registry.Visibility
	Pins      *pin.Keeper
	// Vouched reports whether the operator declares a function read-only. IgnoreHints ignores the server's own word
	// on that.
	Vouched     func(path string) bool
	IgnoreHints bool
	Timeout     time.Duration // deadline of a function
	ReadTimeout time.Duration // deadline of reading
	// Missed is called when someone looks for an unknown name; see [registry.Namespace.Missed]. Nil is not called.
	Missed func(context.Context)
	// Before is the server as it was read before; nil if it was not. Pages of functions that the server declares
	// unchanged are taken from it, unless there are pins.
	Before *Source
	// Takes reports whether the operator wants a function of the server; nil is all. Paths are then those of all functions.
	Takes func(path string) bool
	Paths []string
	// Import reads the skills of a server that speaks the skills extension; nil if it does not.
	Import *skillext.Import
	// Note gets what is not served, or served differently, and why.
	Note func(format string, args ...any)
}

// A Mount is a place of a server in the tree.
type Mount struct {
	Label       string
	Namespace   string // the server's namespace; empty for the whole server
	Description string // empty takes the server's
	OrRoot      bool   // mount the whole server if it has no such namespace (R136)
}

// Key returns the label in canonical form.
func (m Mount) Key() string { return wire.CanonicalPath(m.Label) }

// Bounds of the server's own words, in characters.
const (
	maxReason = 300
	maxAbout  = 200
)

// HintLater is the hint for failures that may pass.
const HintLater = "Try again in a minute, or go on without it: other namespaces are not affected."

// A Kind is the reason why a server cannot be shown.
type Kind int

const (
	Unanswered Kind = iota // no answer
	Late                   // no answer in time
	Cut                    // the connection failed, so nothing else can be read
	Malformed              // its pages cannot be parsed
	Refused                // it answered with an error
	Looped                 // it mounts the server that mounts it: a loop
	Partial                // not everything that the pins cover was read in time
)

// An Error says why a server, or one of its pages, cannot be read.
type Error struct {
	Kind   Kind
	Reason string // one clean line; empty if there was no answer
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

// unfinished returns the error for a pinned page that was not read. It must be neither pinned as missing nor
// quarantined as new.
func unfinished(err error) *Error {
	return &Error{Partial, "not all of its pages came in time, and pins are compared with all of them; a longer connect timeout may help", err}
}

// A Source is what was read of a server. It is immutable once planted, except for its page cache.
type Source struct {
	Options
	// Tools are the server's other tools that may be served.
	Tools []*pin.Definition
	// Outcome is the result of the pin review. Withheld says that call, help or skill is quarantined; then nothing
	// was read.
	Outcome  pin.Outcome
	Withheld bool
	// Incomplete reports whether a page could not be read. It may be there the next time.
	Incomplete bool
	// Instance is the server's instance; empty if it gives none.
	Instance string
	// Functions and Skills count the planted ones.
	Functions, Skills int
	// Imported are the skills whose files were read, for the next Import.
	Imported []*skillext.Imported

	root      *place
	dialect   dialect
	pages     cache[string]
	inputs    *inputs
	dryRuns   bool                 // the server takes dry runs
	limit     int                  // the server's gate threshold
	known     map[string]bool      // canonical paths of the server's namespaces
	functions map[string]bool      // canonical paths of the server's functions
	offered   map[string]string    // hashes of functions, by offer
	kept      map[string]*keptPage // pages of functions for the next read, by offer and the server's definition
	whole     map[string]bool      // keys of the mounts that hold the whole server
}

// Read reads the tree behind call, help and skill, as far as the pins allow. If one of the three is not allowed,
// nothing is read. Errors are *[Error] and *[pin.StoreError].
func Read(ctx context.Context, ask Ask, defs []*pin.Definition, o Options) (*Source, error) {
	s := &Source{
		Options: o, dialect: dialectOf(defs), pages: newCache[string](), inputs: newInputs(), limit: gate.Default,
		offered: make(map[string]string), kept: make(map[string]*keptPage), whole: make(map[string]bool),
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
	if !s.skillEntries(ctx) {
		s.keepSkills(func(*listed) bool { return false })
	}
	if s.Outcome, err = s.Pins.Review(ctx, slices.Concat(defs, s.root.allDefinitions(), s.skillDefinitions())); err != nil {
		return err
	}
	var functions []*pin.Definition
	skills := make(map[string]bool)
	for _, d := range s.Outcome.Served {
		switch {
		case len(d.Skill) > 0:
			skills[d.Name] = true
		case d.Function:
			functions = append(functions, d)
		default:
			s.Tools = append(s.Tools, d)
		}
	}
	if s.Withheld = !hasCore(s.Tools); s.Withheld { // the pins have changed meanwhile
		return nil
	}
	s.Tools = slices.DeleteFunc(s.Tools, func(d *pin.Definition) bool { return wire.IsCore(d.Name) })
	if c.pinning() {
		s.root.keep(functions)
	}
	s.keepSkills(func(sk *listed) bool { return skills[sk.definition.Name] })
	s.readFiles(ctx)
	s.Instance, s.known, s.functions = s.root.instance, s.root.paths(), s.root.functionPaths()
	if n := s.root.page.SizeLimit; n > 0 {
		s.limit = n
	}
	return nil
}

// Whole reports whether the mount with the key holds the whole server.
func (s *Source) Whole(key string) bool { return s.whole[key] }

// Plant returns the registry of each mount, by key. tools returns the functions of the server's other tools at a mount;
// they go to the top.
func (s *Source) Plant(tools func(Mount) []*registry.Function) (map[string]*registry.Registry, error) {
	planted := make(map[string]*registry.Registry, len(s.Mounts))
	for _, m := range s.Mounts {
		tree, err := s.tree(m, tools)
		if err != nil {
			return nil, err
		}
		planted[m.Key()] = tree
	}
	s.root, s.Before, s.Import = nil, nil, nil // frees memory
	return planted, nil
}

// tree returns the registry for a mount.
func (s *Source) tree(m Mount, tools func(Mount) []*registry.Function) (*registry.Registry, error) {
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
	top := t.Namespace("", clean.FirstLine(about, maxAbout)).Missed(s.Missed)
	v := view{Source: s, mount: m, text: cashtext.Mount{From: base.path, To: m.Label, Known: s.known, Functions: s.functions, Beside: s.besides(m)}}
	if base == s.root {
		s.whole[m.Key()] = true
		if err := s.addTools(top, tools(m)); err != nil {
			return nil, err
		}
	}
	if err := v.fill(t, "", base); err != nil {
		return nil, err
	}
	if v.Pins.Off() && v.Takes == nil { // otherwise pages of namespaces ignore them
		v.addArguments(t)
	}
	if base != s.root && s.speaksForRoot(m) {
		v.addSkills(top, s.root)
	}
	return t, nil
}

// addTools adds functions of tools at the top. Names of the tree have precedence.
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

// besides returns the other mounts of the server.
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

// speaksForRoot reports whether a mount shows the root's skills. If the root is not mounted, the first mount does.
func (s *Source) speaksForRoot(m Mount) bool {
	for _, other := range s.Mounts {
		if base := s.root.find(other.Namespace); base == s.root || base == nil && other.OrRoot {
			return false
		}
	}
	return s.Mounts[0].Key() == m.Key() && m.OrRoot
}

func key(name string) string {
	k, _ := registry.Canonical(name)
	return k
}
