package upstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/cashsource"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// inventory is what a server has: it is read over a session, compared with what is
// pinned, and made into trees. One goroutine reads; calls look at the latest.
type inventory struct {
	*calls
	pins    *pin.Keeper
	changed func() // shows the latest catalog
	late    string // what was pinned later than the rest, in words

	latest atomic.Pointer[catalog] // nil until something is known
}

// load reads what the server has and shows it.
func (in *inventory) load(ctx context.Context, s *session) error {
	tools, err := s.list(ctx, toolid.Tool)
	if err != nil {
		return err
	}
	c := &catalog{server: s.name()}
	defs, dropped, err := pin.ParseDefinitions(tools)
	if err != nil {
		return &CallError{Class: Malformed, Sent: true, Reason: err.Error()}
	}
	for _, d := range dropped {
		c.note("%s", d)
	}
	if in.cfg.Kind == CaSH || in.cfg.Kind == Auto && cashsource.Is(defs) {
		err = in.loadCaSH(ctx, s, c, defs)
	} else {
		err = in.loadTools(ctx, s, c, defs)
	}
	if err != nil {
		return in.failure(err)
	}
	in.adopt(c)
	return nil
}

// adopt lets c be what the server has. From now on no function of an earlier
// catalog is called that is not the same in this one.
func (in *inventory) adopt(c *catalog) {
	in.latest.Store(c)
	in.changed()
}

// loadTools makes a catalog of the tools of a plain server.
func (in *inventory) loadTools(ctx context.Context, s *session, c *catalog, defs []*pin.Definition) error {
	c.kind = Plain
	c.about = cmp.Or(s.instructions(), s.about("Tools"))
	o, err := in.pins.Review(ctx, defs)
	if err != nil {
		return err
	}
	in.reviewed(c, o)
	in.name(c, o.Served)
	if old := in.latest.Load(); old != nil && old.trees != nil && c.showsAs(old) {
		c.trees, c.functions, c.told = old.trees, old.functions, old.told // nobody need notice
		c.notes = append(c.notes, c.told...)
		return nil
	}
	before := len(c.notes)
	functions := in.functions(c, o.Served)
	c.told = c.notes[before:]
	return in.plant(c, functions)
}

// failure is why what the server has cannot be shown. The log is told why pins are
// not to be had.
func (in *inventory) failure(err error) *CallError {
	var pins *pin.StoreError
	if errors.As(err, &pins) {
		in.log.Warn("pins cannot be "+pins.Step, "error", pins.Err)
	}
	return asCallError(err)
}

// loadCaSH makes a catalog of what is behind the tools call, help and skill.
func (in *inventory) loadCaSH(ctx context.Context, s *session, c *catalog, defs []*pin.Definition) error {
	c.kind, c.about = CaSH, s.about("Tools")
	src, err := cashsource.Read(ctx, s.askFor, defs, cashsource.Options{
		Host: in, Server: in.server, Self: in.self, Mounts: in.described(), About: c.about,
		VisibleTo: in.cfg.VisibleTo, Pins: in.pins, Vouched: in.vouched, IgnoreHints: in.cfg.IgnoreHints,
		Timeout: in.patience(), ReadTimeout: in.cfg.ConnectTimeout, Note: c.note,
	})
	if err != nil {
		return err
	}
	in.reviewed(c, src.Outcome)
	if src.Withheld { // until its tools have been accepted
		c.about = ""
		c.note("one of the tools call, help and skill is quarantined: nothing behind them is read or served")
		return in.plant(c, nil)
	}
	in.name(c, src.Tools)
	planted, err := src.Plant(in.functions(c, src.Tools))
	if err != nil {
		return err
	}
	c.cash, c.trees, c.functions = src, (*trees)(&planted), src.Functions
	return nil
}

// described are the mounts with the operator's own description.
func (in *inventory) described() []mount {
	list := slices.Clone(in.mounts)
	for i, m := range list {
		list[i].Description = in.describe(m, "")
	}
	return list
}

// Page implements [cashsource.Host].
func (in *inventory) Page(ctx context.Context, label, tool string, arguments map[string]any) (*wire.Answer, error) {
	return in.page(ctx, label, tool, arguments)
}

// Call implements [cashsource.Host].
func (in *inventory) Call(ctx context.Context, c *registry.Call, call *cashsource.Call) (*registry.Result, error) {
	return in.invoke(ctx, c, &request{
		tool: "call",
		args: call.Arguments,
		meta: call.Meta,
		current: func() *CallError {
			if now := in.latest.Load(); now == nil || now.cash == nil || !now.cash.Offers(call) {
				return &CallError{Class: Changed, Reason: "the function is not what it was"}
			}
			return nil
		},
		result: func(a *wire.Answer, moved bool) *registry.Result { return call.Result(a, a.Result(), moved) },
	})
}

// fromPins shows what is pinned, of a server that is not connected yet.
func (in *inventory) fromPins(ctx context.Context) bool {
	pinned, err := in.pins.Pinned(ctx)
	if err != nil || len(pinned) == 0 {
		return false
	}
	var defs []*pin.Definition
	for _, name := range slices.Sorted(maps.Keys(pinned)) {
		if d := pinned[name]; d != nil && !d.Function {
			defs = append(defs, d)
		}
	}
	if cashsource.Is(defs) && in.cfg.Kind != Plain { // what it has is behind its tools
		return false
	}
	c := &catalog{kind: Plain}
	in.name(c, defs)
	if in.plant(c, in.functions(c, defs)) != nil {
		return false
	}
	in.latest.Store(c)
	return true
}

// name enters the definitions under the names that their functions have.
func (in *inventory) name(c *catalog, defs []*pin.Definition) {
	var had map[string]string
	if old := in.latest.Load(); old != nil {
		had = old.names
	}
	tools := make([]string, len(defs))
	for i, d := range defs {
		tools[i] = d.Name
	}
	c.names = wire.FunctionNames(tools, had)
	c.defs = make(map[string]*entry, len(defs))
	for _, d := range defs {
		c.defs[d.Name] = &entry{def: d, hash: d.Hash(), name: c.names[d.Name]}
	}
}

// functions makes a function of each definition.
func (in *inventory) functions(c *catalog, defs []*pin.Definition) []*registry.Function {
	list := make([]*registry.Function, len(defs))
	for i, d := range defs {
		e := c.defs[d.Name]
		if canonicalPath(e.name) != canonicalPath(strings.ReplaceAll(d.Name, "-", "_")) { // a hyphen goes without saying
			c.note("tool %q is called %s here", d.Name, e.name)
		}
		list[i] = in.function(c, e)
	}
	return list
}

// maxDescription bounds a tool's description, in characters.
const maxDescription = 4000

// function makes the function of a tool.
func (in *inventory) function(c *catalog, e *entry) *registry.Function {
	remote := registry.Remote{
		InputSchema: e.def.InputSchema,
		Tool:        e.def.Name,
		Server:      in.server + e.hash, // what the function does not show is bound too, such as an unusable schema
		Handler:     in.handler(e),
	}
	about := clean.Cut(clean.Text(cmp.Or(e.def.Description, e.def.Title)), maxDescription)
	var aliases []string
	if title := clean.Line(e.def.Title, maxAbout); title != "" {
		aliases = append(aliases, title)
	}
	if e.name != e.def.Name {
		aliases = append(aliases, clean.Line(e.def.Name, maxAbout))
	}
	facts := append(in.hints(e), registry.Aliases(aliases...), registry.Returns(returns(e.def.OutputSchema)), registry.Timeout(in.patience()))
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

// handler calls the tool, as long as it is what the function was made of.
func (in *inventory) handler(e *entry) registry.Handler {
	return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
		return in.invoke(ctx, c, &request{
			tool: e.def.Name,
			args: c.Arguments,
			current: func() *CallError {
				if now := in.latest.Load(); now == nil || now.defs[e.def.Name] == nil || now.defs[e.def.Name].hash != e.hash {
					return &CallError{Class: Changed, Reason: "the tool is not what it was"}
				}
				return nil
			},
		})
	}
}

// plant makes the tree of every mount.
func (in *inventory) plant(c *catalog, functions []*registry.Function) error {
	planted := make(trees, len(in.mounts))
	for _, m := range in.mounts {
		t := registry.New(&registry.Options{VisibleTo: in.cfg.VisibleTo})
		root, err := t.TryNamespace("", in.describe(m, c.about))
		if err != nil {
			return err
		}
		if err := root.TryAdd(functions...); err != nil {
			return err
		}
		c.functions += len(functions)
		planted[m.Key()] = t
	}
	c.trees = &planted
	return nil
}

// reviewed takes over what of the server is not served because of the pins.
func (in *inventory) reviewed(c *catalog, o pin.Outcome) {
	in.quarantine(c, o.Quarantined)
	if o.Late > 0 {
		in.late = fmt.Sprintf("of its functions none was pinned, only tools: %d were pinned as they were found", o.Late)
		in.log.Warn("functions are pinned for the first time, beside tools that were pinned before", "functions", o.Late)
	}
	if in.late != "" { // whatever else there is to say
		c.notes = slices.Insert(c.notes, 0, in.late)
	}
}

// maxLogged bounds the lines of the log about what is quarantined at a time.
const maxLogged = 20

// quarantine notes what is not served. The log has been told of what was not
// before.
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

// accept pins what pick takes of the definitions that are quarantined now.
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
