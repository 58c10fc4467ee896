package upstream

import (
	"context"
	"fmt"
	"slices"

	"github.com/cash-mcp/go-sdk/internal/apart"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// Resources and prompts become functions in registries of their own. The function of a resource takes no arguments,
// that of a prompt takes the prompt's. Their lists are read in parallel with the rest: a server that hangs there
// keeps its tools.

// primitives is a snapshot of a server's resources or prompts. It is immutable.
type primitives struct {
	err   *CallError                 // why the last read failed; nil if it succeeded
	trees *trees                     // nil if nothing is known
	defs  map[string]*wire.Primitive // by identity (URI or name)
	names map[string]string          // function names by identity, kept stable for the next list
	notes []string
	count int // number of functions
}

// costly reports whether reading the list ended the connection.
func (p *primitives) costly() bool { return p.err != nil && p.err.ended }

func (p *primitives) note(format string, args ...any) {
	if len(p.notes) < maxNotes {
		p.notes = append(p.notes, clean.Line(fmt.Sprintf(format, args...), maxReason))
	}
}

// read reads the list of a branch. If that fails, the last list stays.
func (b *branch) read(ctx context.Context, s *session) (p *primitives) {
	if err := apart.Guard(func() error { p = b.readAll(ctx, s); return nil }); err != nil {
		return b.unread(err)
	}
	return p
}

func (b *branch) readAll(ctx context.Context, s *session) *primitives {
	raw, err := s.list(ctx, b.kind)
	if err != nil {
		return b.unread(err)
	}
	list, dropped, err := wire.ParsePrimitives(b.kind, raw)
	if err != nil {
		return b.unread(&CallError{Class: Malformed, Sent: true, Reason: err.Error()})
	}
	p := &primitives{defs: make(map[string]*wire.Primitive, len(list)), notes: dropped[:min(len(dropped), maxNotes)]}
	list = slices.DeleteFunc(list, func(d *wire.Primitive) bool {
		if b.kind == toolid.Resource && d.Key == manifest.ResourceURI {
			return true // the identity resource is for aggregators, not for users (RFC 5.6)
		}
		if p.defs[d.Key] != nil {
			p.note("%s %q is listed more than once: the first one counts", b.kind, d.Key)
			return true
		}
		p.defs[d.Key] = d
		return false
	})
	if err := b.plantList(s, p, list); err != nil { // our own names and descriptions are always valid
		b.log.Error("cannot be shown", "of", string(b.kind)+"s", "error", err)
		p.trees = nothing
	}
	return p
}

// unread returns the last list, with the error of the failed read.
func (b *branch) unread(err error) *primitives {
	b.log.Warn("a list cannot be read", "of", string(b.kind)+"s", "error", err)
	p := new(primitives)
	if old := b.listed.Load(); old != nil {
		*p = *old
	}
	p.err = asCallError(err).refused()
	return p
}

// plantList builds the tree of every mount that holds the whole server. A CaSH server's resources belong to none of
// its namespaces.
func (b *branch) plantList(s *session, p *primitives, list []*wire.Primitive) error {
	c := b.latest.Load()
	planted := make(trees, len(b.mounts))
	p.trees = &planted
	if len(list) == 0 {
		return nil
	}
	var had map[string]string
	if old := b.listed.Load(); old != nil {
		had = old.names
	}
	p.names = wire.PrimitiveNames(b.kind, list, had)
	for i, m := range b.mounts {
		if !c.whole(m) {
			continue
		}
		t := registry.New(&registry.Options{VisibleTo: b.cfg.VisibleTo})
		root, err := t.TryNamespace("", clean.FirstLine(b.describe(m, s.about(things[b.kind])), maxAbout))
		if err != nil {
			return err
		}
		if c.cash != nil {
			root.On(c.cash.Instance)
		}
		noted := p
		if i > 0 { // the other mounts have the same notes
			noted = new(primitives)
		}
		functions := make([]*registry.Function, 0, len(list))
		ids := wire.PrimitiveIDs(b.kind, m.Label, list, p.names)
		for _, d := range list {
			functions = append(functions, b.function(noted, d, p.names[d.Key], ids[d.Key]))
		}
		if err := root.TryAdd(functions...); err != nil {
			return err
		}
		p.count += len(functions)
		planted[m.Key()] = t
	}
	return nil
}

var things = map[toolid.Kind]string{toolid.Resource: "Resources", toolid.Prompt: "Prompts"}

// function builds the function of one resource or prompt.
func (b *branch) function(notes *primitives, d *wire.Primitive, name string, id toolid.Primitive) *registry.Function {
	remote := registry.Remote{Tool: d.Key, Server: b.server, ID: id}
	about := clean.Text(wire.First(d.Description, d.Title, d.Name))
	switch b.kind {
	case toolid.Resource:
		remote.InputSchema, remote.Handler = noArguments, b.reader(d)
		about = withMIME(about, d.MIME)
	default:
		remote.InputSchema, remote.Handler = argumentSchema(d.Arguments), b.getter(d)
	}
	var aliases []string
	for _, alias := range []string{d.Title, d.Name, d.Key} {
		if alias = clean.Line(alias, maxAbout); alias != "" && alias != name && !slices.Contains(aliases, alias) {
			aliases = append(aliases, alias)
		}
	}
	facts := []registry.FuncOption{registry.ReadOnly, registry.Timeout(b.pipelineTimeout()), registry.Aliases(aliases...)}
	f, err := wire.RemoteFunc(name, clean.Cut(about, maxDescription), remote, facts)
	if err != nil {
		notes.note("the arguments of %s %q cannot be checked: %v", b.kind, d.Key, err)
	}
	return f
}

// current returns why the function of d must no longer be called; nil if it may.
func (b *branch) current(d *wire.Primitive) *CallError {
	switch p := b.listed.Load(); {
	case p == nil || p.defs[d.Key] == nil:
		return &CallError{Class: Changed, gone: true, Reason: fmt.Sprintf("the %s has been removed", b.kind)}
	case !d.Equal(p.defs[d.Key]):
		return &CallError{Class: Changed, Reason: fmt.Sprintf("the %s is not what it was", b.kind)}
	}
	return nil
}
