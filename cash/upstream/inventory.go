package upstream

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"github.com/cash-mcp/go-sdk/cash/upstream/lastknown"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/apart"
	"github.com/cash-mcp/go-sdk/internal/cashsource"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// inventory reads a server's catalog over a session, compares it with the pins and builds the trees. One goroutine
// reads; calls look at the latest catalog.
type inventory struct {
	*calls
	pins    *pin.Keeper
	shelf   *lastknown.Shelf // nil if the catalog is not shared
	replay  func(context.Context, *lastknown.Catalog) (*session, error)
	changed func()        // publishes the latest catalog
	late    string        // why definitions were pinned later than the others, in words
	sought  chan struct{} // requests to read the server again, because of unknown names
	seeks   rate.Sometimes

	published atomic.Pointer[manifest.Manifest] // the manifest that led to the server; nil for none
	first     *manifest.Manifest                // the server's first identity; nil until it has given one
	told      string                            // what was logged of its identity

	latest atomic.Pointer[catalog] // nil until a catalog is known
}

// load reads the catalog and publishes it. A CaSH server whose revision is unchanged is read only if anyway is set.
func (in *inventory) load(ctx context.Context, s *session, anyway bool) error {
	if err := apart.Guard(func() error { return in.read(ctx, s, anyway) }); err != nil {
		return in.failure(err)
	}
	return nil
}

func (in *inventory) read(ctx context.Context, s *session, anyway bool) error {
	tools, err := s.list(ctx, toolid.Tool)
	if err != nil {
		return err
	}
	c := &catalog{server: s.name(), asOf: s.asOf, listed: sha256.Sum256(tools)}
	defs, dropped, err := pin.ParseDefinitions(tools)
	if err != nil {
		return &CallError{Class: Malformed, Sent: true, Reason: err.Error()}
	}
	for _, d := range dropped {
		c.note("%s", d)
	}
	if in.cfg.Kind == CaSH || in.cfg.Kind == Auto && cashsource.Is(defs) {
		s.follow(ctx)
		if c.revision = s.revision(ctx); !anyway && !in.shelf.Entire() && c.sameAs(in.latest.Load()) {
			return nil
		}
		err = in.loadCaSH(ctx, s, c, defs)
	} else {
		err = in.loadTools(ctx, s, c, defs)
	}
	if err == nil {
		err = s.complete()
	}
	if err == nil {
		in.adopt(c)
	}
	return err
}

// adopt makes c the latest catalog. From now on, a function of an earlier catalog is called only if it is the same
// in this one.
func (in *inventory) adopt(c *catalog) {
	in.latest.Store(c)
	in.changed()
}

// loadTools builds the catalog of a plain server from its tools.
func (in *inventory) loadTools(ctx context.Context, s *session, c *catalog, defs []*pin.Definition) error {
	c.kind = Plain
	c.about = cmp.Or(s.instructions(), s.about("Tools"))
	defs = in.selectTools(c, defs)
	im := in.importing(s, c)
	entries, skills := in.listSkills(ctx, im)
	o, err := in.keeper(s).Review(ctx, slices.Concat(defs, skills))
	if err != nil {
		return err
	}
	in.reviewed(c, o)
	tools := in.readSkills(ctx, s, im, c, entries, o.Served)
	in.name(c, tools)
	if old := in.latest.Load(); old != nil && old.trees != nil && c.showsAs(old) {
		c.trees, c.functions, c.told = old.trees, old.functions, old.told // unchanged: reuse the trees
		c.untold = old.untold
		c.notes, c.unnoted = append(c.notes, c.told...), c.unnoted+c.untold
		return nil
	}
	before, unnoted := len(c.notes), c.unnoted
	functions := in.functions(c, tools)
	err = in.plant(c, functions)
	c.told, c.untold = c.notes[before:], c.unnoted-unnoted
	return err
}

// keeper returns what compares definitions with the pins. What is replayed is not pinned: it is nobody's first contact
// with the server.
func (in *inventory) keeper(s *session) *pin.Keeper {
	if s.asOf.IsZero() {
		return in.pins
	}
	return &pin.Keeper{Store: unsaved{in.pins.Store}, Mode: in.pins.Mode, Label: in.pins.Label}
}

// unsaved is a store that saves nothing.
type unsaved struct{ pin.Store }

// Swap implements [pin.Store].
func (unsaved) Swap(_ context.Context, _, revision string, _ map[string]*pin.Definition) (string, error) {
	return revision, nil
}

// failure returns why the catalog cannot be published. It logs what is for the operator alone.
func (in *inventory) failure(err error) *CallError {
	var pins *pin.StoreError
	var crash *apart.Crash
	if errors.As(err, &pins) {
		in.log.Warn("pins cannot be "+pins.Step, "error", pins.Err)
	}
	if errors.As(err, &crash) {
		in.log.Error("reading the catalog panicked", "panic", crash.Reason, "stack", crash.Stack)
	}
	return asCallError(err)
}

// loadCaSH builds the catalog of a CaSH server from what is behind call, help and skill.
func (in *inventory) loadCaSH(ctx context.Context, s *session, c *catalog, defs []*pin.Definition) error {
	c.kind = CaSH
	if err := in.identify(ctx, s, c); err != nil {
		return err
	}
	c.about = cmp.Or(c.onlyNamespace(), s.about("Tools"))
	var before *cashsource.Source
	if old := in.latest.Load(); old != nil && !in.shelf.Entire() {
		before = old.cash
	}
	im := in.importing(s, c)
	src, err := cashsource.Read(ctx, s.askFor, defs, cashsource.Options{
		Host: in, Server: in.server, Self: in.self, Mounts: in.described(), About: c.about,
		VisibleTo: in.cfg.VisibleTo, Pins: in.keeper(s), Vouched: in.vouched, IgnoreHints: in.cfg.IgnoreHints,
		Timeout: in.pipelineTimeout(), ReadTimeout: in.cfg.ConnectTimeout, Note: c.note, Missed: in.missed, Before: before,
		Import: im, Takes: in.takesPath(),
	})
	if err != nil {
		return err
	}
	c.skills = src.Imported
	readOn(s, im)
	if src.Incomplete {
		c.revision = "" // the next refresh reads the rest
	}
	in.reviewed(c, src.Outcome)
	if src.Withheld { // until its tools are accepted
		c.about = ""
		c.note("one of the tools call, help and skill is quarantined: nothing behind them is read or served")
		return in.plant(c, func(mount) []*registry.Function { return nil })
	}
	src.Tools = in.selectTools(c, src.Tools, src.Paths...)
	in.name(c, src.Tools)
	planted, err := src.Plant(in.functions(c, src.Tools))
	if err != nil {
		return err
	}
	c.cash, c.trees, c.functions = src, (*trees)(&planted), src.Functions
	return nil
}

// described returns the mounts with the operator's descriptions.
func (in *inventory) described() []mount {
	list := slices.Clone(in.mounts)
	for i, m := range list {
		list[i].Description = in.describe(m, "")
	}
	return list
}

// Page implements [cashsource.Host].
func (in *inventory) Page(ctx context.Context, label, tool string, arguments map[string]any, meta mcp.Meta) (*wire.Answer, error) {
	a, err := in.page(ctx, label, tool, arguments, meta)
	if err == nil {
		in.noticed(a)
	}
	return a, err
}

// Call implements [cashsource.Host].
func (in *inventory) Call(ctx context.Context, c *registry.Call, call *cashsource.Call) (*registry.Result, error) {
	return in.invoke(ctx, c, &request{
		tool: "call",
		args: call.Arguments,
		meta: call.Meta,
		current: func() *CallError {
			switch now := in.latest.Load(); {
			case now == nil || now.cash == nil || now.cash.Lacks(call):
				return &CallError{Class: Changed, gone: true, Reason: "the function has been removed"}
			case !now.cash.Offers(call):
				return &CallError{Class: Changed, Reason: "the function is not what it was"}
			}
			return nil
		},
		result: func(a *wire.Answer, moved bool) (*registry.Result, error) {
			in.noticed(a)
			return call.Result(a, a.Result(), moved)
		},
	})
}

// fromPins publishes the pinned definitions of a server that is not connected yet.
func (in *inventory) fromPins(ctx context.Context) bool {
	pinned, err := in.pins.Pinned(ctx)
	if err != nil || len(pinned) == 0 {
		return false
	}
	var defs []*pin.Definition
	for _, name := range slices.Sorted(maps.Keys(pinned)) {
		if d := pinned[name]; d != nil && !d.Function && len(d.Skill) == 0 {
			defs = append(defs, d)
		}
	}
	if cashsource.Is(defs) && in.cfg.Kind != Plain { // the functions are behind its tools and not pinned as tools
		return false
	}
	c := &catalog{kind: Plain}
	defs = in.selectTools(c, defs)
	in.name(c, defs)
	if in.plant(c, in.functions(c, defs)) != nil {
		return false
	}
	in.latest.Store(c)
	return true
}

// name adds the definitions to the catalog, with their function names.
func (in *inventory) name(c *catalog, defs []*pin.Definition) {
	var had map[string]string
	if old := in.latest.Load(); old != nil {
		had = old.names
	}
	tools := make([]string, len(defs))
	for i, d := range defs {
		tools[i] = d.Name
	}
	if c.kind == CaSH { // names with dots could lead into its own tree
		c.names = wire.FunctionNames(tools, had)
	} else {
		c.names = wire.FunctionPaths(in.mounts[0].Label, tools, had)
	}
	c.defs = make(map[string]*entry, len(defs))
	for _, d := range defs {
		c.defs[d.Name] = &entry{def: d, hash: d.Hash(), name: c.names[d.Name]}
	}
}

// functions returns what builds a function of each definition for a mount, whose label is the server in the ids
// (sections 1.2 to 1.4 of the gateway surface). A function is in the namespace that it has below the mount. The notes
// about all mounts are those about the first.
func (in *inventory) functions(c *catalog, defs []*pin.Definition) func(mount) []*registry.Function {
	for _, d := range defs {
		if e := c.defs[d.Name]; wire.CanonicalPath(e.name) != wire.CanonicalPath(strings.ReplaceAll(d.Name, "-", "_")) { // replacing hyphens needs no note
			c.note("tool %q is called %s here", d.Name, e.name)
		}
	}
	note := c.note
	return func(m mount) []*registry.Function {
		named := make([]toolid.Definition, len(defs))
		for i, d := range defs {
			named[i] = toolid.Definition{Name: d.Name, InputSchema: d.InputSchema, Version: wire.ReadFacts(d.Meta, nil).Version, Server: m.Label}
		}
		ids, _ := toolid.FromTools(named, toolid.Mapping) // only Strict returns an error
		list := make([]*registry.Function, len(defs))
		for i, d := range defs {
			if p := ids[i].Problem; p != nil {
				note("%v", idNote(ids[i]))
			}
			list[i] = in.function(note, c.defs[d.Name], m, ids[i])
		}
		note = func(string, ...any) {}
		return list
	}
}

// idNote words why a tool has not the id of its name and version as they are.
func idNote(e toolid.Entry) string {
	if e.ID == (toolid.ID{}) {
		return fmt.Sprintf("%v: its id is that of its place", e.Problem)
	}
	return fmt.Sprintf("%v: its id is %s", e.Problem, e.ID)
}

// maxDescription bounds the description of a tool, in characters.
const maxDescription = 4000

// function builds the function of one tool at a mount.
func (in *inventory) function(note func(string, ...any), e *entry, m mount, id toolid.Entry) *registry.Function {
	remote := registry.Remote{
		InputSchema: e.def.InputSchema,
		Tool:        e.def.Name,
		ServerName:  m.Label,
		Server:      in.server + e.hash, // the hash also covers what the function does not show, such as an unusable schema
		Handler:     in.handler(e), OwnDefaults: true,
		Limits: &in.cfg.Schemas,
	}
	if id.ID != (toolid.ID{}) {
		remote.ID, remote.Instead = toolid.Primitive{Kind: toolid.Tool, ID: id.ID}, toolid.Primitive{Kind: toolid.Tool, ID: id.Labelled}
	}
	dir, name := wire.Split(e.name)
	about := clean.Cut(clean.Text(cmp.Or(e.def.Description, e.def.Title)), maxDescription)
	var aliases []string
	if title := clean.Line(e.def.Title, maxAbout); title != "" {
		aliases = append(aliases, title)
	}
	if e.name != e.def.Name {
		aliases = append(aliases, clean.Line(e.def.Name, maxAbout))
	}
	facts := append(in.hints(e), registry.Aliases(aliases...), registry.Timeout(in.pipelineTimeout()))
	facts = append(facts, e.display().Options(func(format string, args ...any) {
		note("tool %q: %s", e.def.Name, fmt.Sprintf(format, args...))
	})...)
	f, err := wire.RemoteFunc(name, about, remote, facts)
	switch {
	case err == nil:
	case f.SchemaShown():
		note("the input schema of tool %q is used in part: %v", e.def.Name, err)
	default:
		note("the input schema of tool %q is not used: %v", e.def.Name, err)
	}
	for _, w := range f.Warnings() {
		note("the input schema of tool %q %s", e.def.Name, w)
	}
	if len(e.def.OutputSchema) > 0 {
		for _, w := range in.cfg.Schemas.Excess(e.def.OutputSchema) {
			note("the output schema of tool %q %s", e.def.Name, w)
		}
	}
	return f.In(dir)
}

// handler returns the handler that calls the tool, as long as its definition has not changed.
func (in *inventory) handler(e *entry) registry.Handler {
	return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
		return in.invoke(ctx, c, &request{
			tool: e.def.Name,
			args: c.Arguments,
			current: func() *CallError {
				switch now := in.latest.Load(); {
				case now == nil || now.defs[e.def.Name] == nil:
					return &CallError{Class: Changed, gone: true, Reason: "the tool has been removed"}
				case now.defs[e.def.Name].hash != e.hash:
					return &CallError{Class: Changed, Reason: "the tool is not what it was"}
				}
				return nil
			},
		})
	}
}

// plant builds the tree of every mount.
func (in *inventory) plant(c *catalog, functions func(mount) []*registry.Function) error {
	planted := make(trees, len(in.mounts))
	note := c.note
	for _, m := range in.mounts {
		t := registry.New(&registry.Options{VisibleTo: in.cfg.VisibleTo})
		if _, err := t.TryNamespace("", in.describe(m, c.about)); err != nil {
			return err
		}
		places := make(map[string][]*registry.Function)
		for _, f := range functions(m) {
			places[f.Namespace()] = append(places[f.Namespace()], f)
			c.functions++
		}
		for _, path := range slices.Sorted(maps.Keys(places)) {
			ns, err := t.TryNamespace(path, "")
			if err == nil {
				err = ns.TryAdd(places[path]...)
			}
			if err != nil {
				return err
			}
		}
		in.plantSkills(c, t, m, note)
		note = func(string, ...any) {}
		planted[m.Key()] = t
	}
	c.trees = &planted
	return nil
}

// reviewed takes over the outcome of a pin review: the quarantine and its notes.
func (in *inventory) reviewed(c *catalog, o pin.Outcome) {
	in.quarantine(c, o.Quarantined)
	if o.Late > 0 {
		in.late = fmt.Sprintf("of its functions or skills none was pinned, only tools: %d were pinned as they were found", o.Late)
		in.log.Warn("functions or skills are pinned for the first time, beside tools that were pinned before", "definitions", o.Late)
	}
	if in.late != "" { // added to other notes
		c.notes = slices.Insert(c.notes, 0, in.late)
	}
}

// maxLogged bounds the log lines about one quarantine.
const maxLogged = 20

// quarantine notes the tools that are not served, and logs the new ones.
func (in *inventory) quarantine(c *catalog, list []pin.Quarantine) {
	c.quarantined = list
	told := make(map[string]pin.Reason)
	if before := in.latest.Load(); before != nil {
		for _, q := range before.quarantined {
			told[q.Tool] = q.Reason
		}
	}
	lines := 0
	for _, q := range list {
		if told[q.Tool] == q.Reason {
			continue
		}
		if lines++; lines > maxLogged {
			in.log.Warn("more is quarantined; the status says what", "definitions", len(list))
			return
		}
		in.log.Warn("tool is quarantined", "tool", clean.Line(q.Tool, 100), "reason", q.Reason)
	}
}

// accept pins the definitions that pick selects from the quarantine.
func (in *inventory) accept(pick func(quarantined []pin.Quarantine) error) error {
	c := in.latest.Load()
	if c == nil {
		return &registry.Error{
			Kind: registry.Failed, Message: "Nothing is known yet of the server at `" + in.mounts[0].Label + "`.",
			Hint: "Accept when its status is connected.",
		}
	}
	err := pick(c.quarantined)
	if pins := (*pin.StoreError)(nil); errors.As(err, &pins) {
		e := in.failure(err)
		return &registry.Error{
			Kind: registry.Failed, Message: "Nothing was accepted: " + e.Reason + ".", Hint: "Accept again when that is put right.", Err: e,
		}
	}
	return err
}
