package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// catalog is what a server has, as it was read at one time. It does not change.
type catalog struct {
	kind        Kind
	server      string            // what it calls itself
	about       string            // a line on what is there; empty if it says nothing
	defs        map[string]*entry // by tool
	offered     map[string]string // hash of what a CaSH server says of a function, by its place
	names       map[string]string // of functions, by tool; for the next catalog
	quarantined []Quarantine
	notes       []string
	told        []string // those of the notes that are about functions
	trees       *trees
	functions   int
	skills      int
	whole       map[string]bool // the mounts at which all of a CaSH server stands, by their keys
	instance    string          // of a CaSH server
	dialect     dialect         // likewise
}

// trees are what stands at the mounts of an upstream in one registry, by their
// keys. They do not change.
type trees map[string]*registry.Registry

// entry is one tool that is served.
type entry struct {
	def  *Definition
	hash string
	name string // of the function
}

// maxNotes bounds the notes of a catalog, and of what is kept of each.
const maxNotes = 100

func (c *catalog) note(format string, args ...any) {
	if len(c.notes) < maxNotes {
		c.notes = append(c.notes, clean.Line(fmt.Sprintf(format, args...), maxReason))
	}
}

// load reads what the server has and shows it.
func (u *upstream) load(ctx context.Context, s *session) error {
	tools, err := s.list(ctx, toolid.Tool)
	if err != nil {
		return err
	}
	c := &catalog{server: s.name()}
	defs, dropped, err := parseDefinitions(tools)
	if err != nil {
		return &CallError{Class: Malformed, Sent: true, Reason: err.Error()}
	}
	for _, d := range dropped {
		c.note("%s", d)
	}
	if u.cfg.Kind == CaSH || u.cfg.Kind == Auto && isCaSH(defs) {
		err = u.loadCaSH(ctx, s, c, defs)
	} else {
		err = u.loadTools(ctx, s, c, defs)
	}
	if err != nil {
		return err
	}
	u.adopt(c)
	return nil
}

// adopt lets c be what the server has. From now on no function of an earlier
// catalog is called that is not the same in this one.
func (u *upstream) adopt(c *catalog) {
	u.catalog.Store(c)
	u.publish()
}

// loadTools makes a catalog of the tools of a plain server.
func (u *upstream) loadTools(ctx context.Context, s *session, c *catalog, defs []*Definition) error {
	c.kind = Plain
	c.about = cmp.Or(s.instructions(), s.about("Tools"))
	served, err := u.reviewed(ctx, c, defs)
	if err != nil {
		return err
	}
	u.name(c, served)
	if old := u.catalog.Load(); old != nil && old.trees != nil && c.showsAs(old) {
		c.trees, c.functions, c.told = old.trees, old.functions, old.told // nobody need notice
		c.notes = append(c.notes, c.told...)
		return nil
	}
	before := len(c.notes)
	functions := u.functions(c, served)
	c.told = c.notes[before:]
	return u.plant(c, functions)
}

// showsAs reports whether c shows what old, of the same upstream, shows.
func (c *catalog) showsAs(old *catalog) bool {
	return c.kind == old.kind && c.about == old.about && maps.EqualFunc(c.defs, old.defs, func(a, b *entry) bool {
		return a.hash == b.hash && a.name == b.name
	})
}

// maxAbout bounds the line that a server says of itself, in characters.
const maxAbout = 200

// fromPins shows what is pinned, of a server that is not connected yet.
func (u *upstream) fromPins() bool {
	if u.agg.opts.Mode == PinOff {
		return false
	}
	pinned, err := u.agg.opts.Pins.Load(u.ctx, u.pins)
	if err != nil || len(pinned) == 0 {
		return false
	}
	var defs []*Definition
	for _, name := range slices.Sorted(maps.Keys(pinned)) {
		if d := pinned[name]; d != nil && !d.Function {
			defs = append(defs, d)
		}
	}
	if isCaSH(defs) && u.cfg.Kind != Plain { // what it has is behind its tools
		return false
	}
	c := &catalog{kind: Plain}
	u.name(c, defs)
	if u.plant(c, u.functions(c, defs)) != nil {
		return false
	}
	u.catalog.Store(c)
	return true
}

// name enters the definitions under the names that their functions have.
func (u *upstream) name(c *catalog, defs []*Definition) {
	var had map[string]string
	if old := u.catalog.Load(); old != nil {
		had = old.names
	}
	tools := make([]string, len(defs))
	for i, d := range defs {
		tools[i] = d.Name
	}
	c.names = functionNames(tools, had)
	c.defs = make(map[string]*entry, len(defs))
	for _, d := range defs {
		c.defs[d.Name] = &entry{def: d, hash: d.Hash(), name: c.names[d.Name]}
	}
}

// functions makes a function of each definition.
func (u *upstream) functions(c *catalog, defs []*Definition) []*registry.Function {
	list := make([]*registry.Function, len(defs))
	for i, d := range defs {
		e := c.defs[d.Name]
		if key(e.name) != key(strings.ReplaceAll(d.Name, "-", "_")) { // a hyphen goes without saying
			c.note("tool %q is called %s here", d.Name, e.name)
		}
		list[i] = u.function(c, e)
	}
	return list
}

// maxDescription bounds a tool's description, in characters.
const maxDescription = 4000

// function makes the function of a tool.
func (u *upstream) function(c *catalog, e *entry) *registry.Function {
	remote := registry.Remote{
		InputSchema: e.def.InputSchema,
		Tool:        e.def.Name,
		Server:      u.server + e.hash, // what the function does not show is bound too, such as an unusable schema
		Handler:     u.handler(e),
	}
	about := clean.Cut(clean.Text(cmp.Or(e.def.Description, e.def.Title)), maxDescription)
	var aliases []string
	if title := clean.Line(e.def.Title, maxAbout); title != "" {
		aliases = append(aliases, title)
	}
	if e.name != e.def.Name {
		aliases = append(aliases, clean.Line(e.def.Name, maxAbout))
	}
	facts := append(u.hints(e), registry.Aliases(aliases...), registry.Returns(returns(e.def.OutputSchema)), registry.Timeout(u.patience()))
	f, err := remoteFunc(e.name, about, remote, facts)
	if err != nil {
		c.note("the input schema of tool %q is not used: %v", e.def.Name, err)
	}
	return f
}

// remoteFunc makes a function. If its schema cannot be used, the server checks
// its arguments itself, and the error, which is the function's Problem too, says
// why.
func remoteFunc(name, about string, r registry.Remote, facts []registry.FuncOption) (*registry.Function, error) {
	f, problem := registry.RemoteFunc(name, about, r, facts...)
	if problem == nil {
		return f, nil
	}
	r.InputSchema, r.Unchecked, r.Problem = nil, true, problem
	f, err := registry.RemoteFunc(name, about, r, facts...)
	if err != nil {
		panic("upstream: " + err.Error()) // of a schema of ours nothing can be wrong
	}
	return f, problem
}

// patience is the deadline of the function in the pipeline. The ones that count
// are set where the call is made: this one leaves room for connecting, for
// waiting and for the answer of a person.
func (u *upstream) patience() time.Duration {
	return u.cfg.ConnectTimeout + 2*u.cfg.Timeout + askTimeout
}

// returns says what a tool answers.
func returns(outputSchema json.RawMessage) string {
	if len(outputSchema) == 0 {
		return ""
	}
	s, err := schema.Parse(outputSchema)
	if err != nil {
		return ""
	}
	return s.Summary()
}

// hints takes over what the server and the operator say of the effects of a
// tool.
func (u *upstream) hints(e *entry) []registry.FuncOption {
	var a struct{ ReadOnlyHint, IdempotentHint, DestructiveHint, OpenWorldHint *bool }
	if !u.cfg.IgnoreHints && len(e.def.Annotations) > 0 {
		_ = json.Unmarshal(e.def.Annotations, &a) // hints of a wrong type are none
	}
	var facts []registry.FuncOption
	if a.OpenWorldHint != nil {
		facts = append(facts, registry.OpenWorld(*a.OpenWorldHint))
	}
	if a.ReadOnlyHint != nil && *a.ReadOnlyHint || slices.Contains(u.cfg.ReadOnly, e.def.Name) || u.vouched(e.name) {
		return append(facts, registry.ReadOnly)
	}
	if a.IdempotentHint != nil {
		facts = append(facts, registry.Idempotent(*a.IdempotentHint))
	}
	if a.DestructiveHint != nil {
		facts = append(facts, registry.Destructive(*a.DestructiveHint))
	}
	return facts
}

// handler calls the tool, as long as it is what the function was made of.
func (u *upstream) handler(e *entry) registry.Handler {
	return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
		return u.invoke(ctx, c, &request{
			tool: e.def.Name,
			args: c.Arguments,
			meta: u.via(ctx),
			current: func() *CallError {
				if now := u.catalog.Load(); now == nil || now.defs[e.def.Name] == nil || now.defs[e.def.Name].hash != e.hash {
					return &CallError{Class: Changed, Reason: "the tool is not what it was"}
				}
				return nil
			},
			result: func(a *answer, _ bool) (*registry.Result, error) {
				if a.InputRequests != nil {
					return u.asking(a, c)
				}
				return a.result(), nil
			},
		})
	}
}

// via is the metadata by which servers notice that they mount one another.
func (u *upstream) via(ctx context.Context) mcp.Meta {
	return mcp.Meta{registry.MetaVia: append(slices.Clip(registry.Via(ctx)), u.agg.reg.Instance())}
}

// asking hands on what a server asks by its result.
func (u *upstream) asking(a *answer, c *registry.Call) (*registry.Result, error) {
	can := c.Client != nil && (c.Client.TakesInputRequests || c.Client.Elicit != nil)
	shown := make(mcp.InputRequestMap, len(a.InputRequests))
	for id, q := range a.InputRequests {
		p, ok := q.(*mcp.ElicitParams)
		if !can || !ok || !harmless(p) || clean.Content(id) != id { // the id goes back as it came
			return nil, &registry.Error{
				Kind: registry.Failed, Namespace: c.Function.Namespace(), Name: c.Function.Name(),
				Message: fmt.Sprintf("The function `%s` asks the user a question, and there is no way to put it to them from here.", c.Function.Name()),
				Hint:    "Repeating it does not help.",
			}
		}
		shown[id] = presentable(p)
	}
	return &registry.Result{InputRequests: shown, RequestState: theirPrefix + a.RequestState}, nil
}

// plant makes the tree of every mount.
func (u *upstream) plant(c *catalog, functions []*registry.Function) error {
	planted := make(trees, len(u.mounts))
	for _, m := range u.mounts {
		t := registry.New(&registry.Options{VisibleTo: u.cfg.VisibleTo})
		root, err := t.TryNamespace("", u.describe(m, c.about))
		if err != nil {
			return err
		}
		if err := root.TryAdd(functions...); err != nil {
			return err
		}
		c.functions += len(functions)
		planted[m.key()] = t
	}
	c.trees = &planted
	return nil
}

// describe is the line that stands at a mount.
func (u *upstream) describe(m mount, about string) string {
	return cmp.Or(m.description, u.cfg.Description, about)
}
