package upstream

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// Resources and prompts are functions in registries of their own: what reads a
// resource takes no arguments, what gets a prompt those of the prompt. Their
// lists are read beside all else, so that a server that hangs when it is asked
// for them costs nobody its tools.

// primitives is what a server has of a kind other than tools, as it was read at
// one time. It does not change.
type primitives struct {
	err   *CallError            // why the last reading failed; nil if it did not
	trees *trees                // nil: nothing is known
	defs  map[string]*primitive // by what they are known by
	names map[string]string     // of functions, by the same; for the next list
	notes []string
	count int // of functions
}

// costly reports whether reading them has cost the connection.
func (p *primitives) costly() bool { return p.err != nil && p.err.ended }

func (p *primitives) note(format string, args ...any) {
	if len(p.notes) < maxNotes {
		p.notes = append(p.notes, clean.Line(fmt.Sprintf(format, args...), maxReason))
	}
}

// A primitive is a resource or prompt as a server lists it.
type primitive struct {
	key                      string // what it is known by: the URI of a resource, the name of a prompt
	name, title, description string
	mime                     string     // of a resource
	arguments                []argument // of a prompt
}

func (p *primitive) listedName() string {
	if p.name == "" {
		return p.key
	}
	return p.name
}

// equal reports whether both say the same of themselves; nil is nothing.
func (p *primitive) equal(q *primitive) bool {
	return q != nil && p.key == q.key && p.name == q.name && p.title == q.title && p.description == q.description &&
		p.mime == q.mime && slices.Equal(p.arguments, q.arguments)
}

// maxKey bounds what a resource or prompt is known by, in bytes.
const maxKey = 8 << 10

// parsePrimitive reads an entry of a list. If there is an error the primitive
// has what could be read. set takes over a member.
func parsePrimitive(raw []byte, set func(p *primitive, key string, value []byte) error) (*primitive, error) {
	p := new(primitive)
	if err := strictjson.Check(raw); err != nil {
		return p, err
	}
	if kind := strictjson.KindOf(raw); kind != strictjson.Object {
		return p, fmt.Errorf("want an object, got type %s", kind)
	}
	var first error
	for key, value := range strictjson.Members(raw) {
		if err := set(p, key, value); err != nil && first == nil {
			first = err
		}
	}
	switch {
	case first != nil:
		return p, first
	case len(p.key) > maxKey:
		return p, fmt.Errorf("it is known by %d bytes, at most %d are read", len(p.key), maxKey)
	case len(raw) > maxDefinitionSize:
		return p, fmt.Errorf("%d bytes of definition, at most %d are read", len(raw), maxDefinitionSize)
	}
	return p, nil
}

// attendLists keeps the lists of s as the server has them, until the function
// that it returns is called.
func (u *upstream) attendLists(s *session) (stop func()) {
	ctx, cancel := context.WithCancel(u.ctx)
	go func() { // ended by stop
		defer close(s.unlisted)
		defer u.hasTried()
		u.relist(ctx, s, false)
		u.hasTried()
		var refresh <-chan time.Time
		if u.cfg.Refresh > 0 {
			t := time.NewTicker(u.cfg.Refresh)
			defer t.Stop()
			refresh = t.C
		}
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.renewed:
				if u.calm(ctx, s, s.renewed) {
					u.relist(ctx, s, true)
				}
			case <-refresh:
				u.relist(ctx, s, false)
			case done := <-s.relist:
				u.relist(ctx, s, true)
				done <- nil
			}
		}
	}()
	return func() {
		cancel()
		<-s.unlisted
	}
}

// relist reads the lists, side by side, and shows them. One that has cost a connection
// is not asked for, unless there is a reason to think that it has changed: it would
// cost the next one too, and all calls on it.
func (u *upstream) relist(ctx context.Context, s *session, changed bool) {
	timed, cancel := context.WithTimeout(ctx, u.cfg.ConnectTimeout)
	defer cancel()
	var readers sync.WaitGroup
	for _, b := range u.branches[1:] {
		if was := b.listed.Load(); !changed && was != nil && was.costly() {
			continue
		}
		readers.Go(func() { // ends with timed
			p := u.read(timed, s, b)
			if ctx.Err() == nil || p.costly() { // else it was not the server that failed
				b.listed.Store(p)
				u.publish()
			}
		})
	}
	readers.Wait()
}

// read reads the list of a branch. If that fails, what was known is known still.
func (u *upstream) read(ctx context.Context, s *session, b *branch) *primitives {
	list, dropped, err := s.primitives(ctx, b.kind)
	if err != nil {
		u.log.Warn("a list cannot be read", "of", string(b.kind)+"s", "error", err)
		p := new(primitives)
		if old := b.listed.Load(); old != nil {
			*p = *old
		}
		p.err = asCallError(err).refused()
		return p
	}
	p := &primitives{defs: make(map[string]*primitive, len(list)), notes: dropped}
	list = slices.DeleteFunc(list, func(d *primitive) bool {
		if b.kind == toolid.Resource && d.key == manifest.ResourceURI {
			return true // it is for aggregators, and nothing that users have (RFC 5.6)
		}
		if p.defs[d.key] != nil {
			p.note("%s %q is listed more than once: the first one counts", b.kind, d.key)
			return true
		}
		p.defs[d.key] = d
		return false
	})
	if err := u.plantPrimitives(s, b, p, list); err != nil { // of names and descriptions of ours nothing can be wrong
		u.log.Error("cannot be shown", "of", string(b.kind)+"s", "error", err)
		p.trees = nothing
	}
	return p
}

// primitives returns what the server lists of a kind.
func (s *session) primitives(ctx context.Context, kind toolid.Kind) (list []*primitive, dropped []string, err error) {
	raw, err := s.list(ctx, kind)
	if err != nil {
		return nil, nil, err
	}
	parse := parseResource
	if kind == toolid.Prompt {
		parse = parsePrompt
	}
	list, dropped, err = parseList(string(kind), raw, parse)
	if err != nil {
		return nil, nil, &CallError{Class: Malformed, Sent: true, Reason: err.Error()}
	}
	return list, dropped[:min(len(dropped), maxNotes)], nil
}

// plantPrimitives makes the tree of every mount that has all of the server: what
// a CaSH server has besides its namespaces belongs to none of them.
func (u *upstream) plantPrimitives(s *session, b *branch, p *primitives, list []*primitive) error {
	c := u.catalog.Load()
	planted := make(trees, len(u.mounts))
	p.trees = &planted
	if len(list) == 0 {
		return nil
	}
	var had map[string]string
	if old := b.listed.Load(); old != nil {
		had = old.names
	}
	p.names = primitiveNames(b.kind, list, had)
	for i, m := range u.mounts {
		if c.kind == CaSH && !c.whole[m.key()] {
			continue
		}
		t := registry.New(&registry.Options{VisibleTo: u.cfg.VisibleTo})
		root, err := t.TryNamespace("", clean.FirstLine(u.describe(m, s.about(things[b.kind])), maxAbout))
		if err != nil {
			return err
		}
		root.On(c.instance)
		noted := p
		if i > 0 { // it is the same everywhere
			noted = new(primitives)
		}
		functions := make([]*registry.Function, 0, len(list))
		ids := primitiveIDs(b.kind, m.label, list, p.names)
		for _, d := range list {
			functions = append(functions, u.primitiveFunction(b, noted, d, p.names[d.key], ids[d.key]))
		}
		if err := root.TryAdd(functions...); err != nil {
			return err
		}
		p.count += len(functions)
		planted[m.key()] = t
	}
	return nil
}

var things = map[toolid.Kind]string{toolid.Resource: "Resources", toolid.Prompt: "Prompts"}

// primitiveFunction makes a function.
func (u *upstream) primitiveFunction(b *branch, notes *primitives, d *primitive, name string, id toolid.Primitive) *registry.Function {
	remote := registry.Remote{Tool: d.key, Server: u.server, ID: id}
	about := clean.Text(firstOf(d.description, d.title, d.name))
	switch b.kind {
	case toolid.Resource:
		remote.InputSchema, remote.Handler = noArguments, u.reader(b, d)
		about = withMIME(about, d.mime)
	default:
		remote.InputSchema, remote.Handler = argumentSchema(d.arguments), u.getter(b, d)
	}
	var aliases []string
	for _, alias := range []string{d.title, d.name, d.key} {
		if alias = clean.Line(alias, maxAbout); alias != "" && alias != name && !slices.Contains(aliases, alias) {
			aliases = append(aliases, alias)
		}
	}
	facts := []registry.FuncOption{registry.ReadOnly, registry.Timeout(u.patience()), registry.Aliases(aliases...)}
	f, err := remoteFunc(name, clean.Cut(about, maxDescription), remote, facts)
	if err != nil {
		notes.note("the arguments of %s %q cannot be checked: %v", b.kind, d.key, err)
	}
	return f
}

// firstOf returns the first text that says something.
func firstOf(texts ...string) string {
	i := slices.IndexFunc(texts, func(t string) bool { return clean.Line(t, 1) != "" })
	if i < 0 {
		return ""
	}
	return texts[i]
}

// current returns why the function of d must not be called any more.
func (b *branch) current(d *primitive) *CallError {
	if p := b.listed.Load(); p == nil || !d.equal(p.defs[d.key]) {
		return &CallError{Class: Changed, Reason: fmt.Sprintf("the %s is not what it was", b.kind)}
	}
	return nil
}
