package cashsource

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// view is the server seen from one mount.
type view struct {
	*Source
	mount Mount
	text  cashtext.Mount
}

// here returns the path in this tree of a path of the server.
func (v view) here(path string) string {
	if path == "" {
		return v.mount.Label
	}
	return wire.Join(v.mount.Label, path)
}

// fill adds a place and all places below it to the tree, at path.
func (v view) fill(t *registry.Registry, path string, p *place) error {
	if _, ok := registry.CanonicalPath(v.here(path)); !ok { // the path becomes too long here
		v.Note("a namespace is left out: its path is too long: %s", p.path)
		return nil
	}
	ns, err := t.TryNamespace(path, clean.FirstLine(v.text.Text(p.description), maxAbout))
	if path == "" {
		ns, err = t.TryNamespace(path, "")
	}
	if err != nil {
		v.Note("namespace %s is left out: %v", p.path, err)
		return nil
	}
	ns.On(p.instance)
	if v.Pins.Off() && v.Takes == nil { // otherwise the server's own list would show functions that are not served
		ns.Page(v.variant(p.path))
	}
	if p.unavailable {
		ns.Unavailable(&registry.Error{
			Kind: registry.Unavailable, NotRun: true, Hint: HintLater,
			Message: "`" + v.here(path) + "` is temporarily unavailable: it is on a server behind this one that does not answer.",
		})
	}
	v.addFunctions(ns, p)
	v.addSkills(ns, p)
	for _, below := range p.below {
		if below.instance == v.Self { // a loop: that is this server
			v.Note("namespace %s leads back to this server and is left out", below.path)
			continue
		}
		if err := v.fill(t, wire.Join(path, below.path[strings.LastIndexByte(below.path, '.')+1:]), below); err != nil {
			return err
		}
	}
	return nil
}

// addFunctions adds the functions of a place to a namespace.
func (v view) addFunctions(ns *registry.Namespace, p *place) {
	if p.page == nil {
		return
	}
	for i, e := range p.page.Functions {
		f, err := v.function(p.path, e, p.details[i])
		if err == nil {
			err = ns.TryAdd(f)
		}
		if err != nil {
			v.Note("function %s is left out: %v", wire.Join(p.path, e.Name), err)
			continue
		}
		v.offered[offer(p.path, e.Name)] = definition(e, p.details[i])
		v.Functions++
	}
}

// function builds the function of an entry. Arguments are held to what its page tells of them.
func (v view) function(path string, e cashtext.Entry, d *cashtext.Function) (*registry.Function, error) {
	call := Call{offer: offer(path, e.Name), definition: definition(e, d), view: v}
	e, d = v.moved(e, d)
	in := inputOf(d)
	remote := registry.Remote{
		InputSchema: in.Schema,
		Partial:     in.Partial,
		Gated:       true, OwnDefaults: true,
		Server: v.Server + call.definition, // which covers what the function does not show
		Page:   v.page(path, e.Name),
		Handler: func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			call := call
			call.function = c.Function
			call.Arguments, call.Meta = v.arguments(path, e.Name, c), v.meta(c)
			return v.Host.Call(ctx, c, &call)
		},
	}
	if d != nil && d.ID != "" {
		id, err := toolid.Parse(d.ID)
		if err == nil {
			remote.ID = toolid.Primitive{Kind: toolid.Tool, ID: id}
		}
	}
	if d == nil && v.Pins.Off() {
		remote.Read = v.reader(path, e.Name)
	}
	if v.dryRuns {
		remote.Plan = v.planner(path, e.Name)
	}
	facts := v.facts(path, e.Name, d)
	f, err := registry.RemoteFunc(e.Name, e.Description, remote, facts...)
	if err != nil && in.Schema != nil {
		v.Note("the input schema of function %s is not used: %v", wire.Join(path, e.Name), err)
		remote.InputSchema, remote.Problem = nil, err
		return registry.RemoteFunc(e.Name, e.Description, remote, facts...)
	}
	return f, err
}

// moved returns the server's texts about a function with paths of this tree.
func (v view) moved(e cashtext.Entry, d *cashtext.Function) (cashtext.Entry, *cashtext.Function) {
	e.Description = v.text.Text(e.Description)
	if d == nil {
		return e, nil
	}
	here := *d
	here.Description, here.Returns = v.text.Text(d.Description), v.text.Text(d.Returns)
	if d.Schema != nil {
		here.Schema = v.text.Schema(d.Schema)
	}
	here.Parameters = slices.Clone(d.Parameters)
	for i := range here.Parameters {
		here.Parameters[i].Description = v.text.Text(here.Parameters[i].Description)
	}
	return e, &here
}

// facts returns options for what the server and the operator say about a function.
func (v view) facts(path, name string, d *cashtext.Function) []registry.FuncOption {
	facts := []registry.FuncOption{registry.Timeout(v.Timeout)}
	if d != nil {
		facts = append(facts, registry.Returns(clean.Cut(d.Returns, maxReason)))
	}
	return append(facts, v.effects(d).Options(v.Vouched(wire.Join(path, name)))...)
}

// effects returns what the server says of the effects of a call, as far as the operator believes it.
func (v view) effects(d *cashtext.Function) wire.Hints {
	if d == nil || v.IgnoreHints {
		return wire.Hints{}
	}
	return d.Effects()
}

// page fetches a page of help.
func (v view) page(path, function string) func(context.Context, json.RawMessage) (string, error) {
	return func(ctx context.Context, kwargs json.RawMessage) (string, error) {
		text, err := v.fetch(ctx, "help", path, function, kwargs)
		if err != nil {
			return "", err
		}
		// Cleaned first: invisible characters in a name would hide it.
		if code := cashtext.Unfenced(text); strings.HasPrefix(code, "{") {
			page, err := v.pageJSON(code)
			return v.believed(page, path, function), err
		}
		return v.believed(v.inFormat(v.text.Help(clean.Text(text), wire.Join(path, function)), path, function, kwargs), path, function), nil
	}
}

// believed returns the page of a function. If it is in JSON, it tells the effects that hold here, which may be others
// than the server's: by the operator's word, or without contradictions.
func (v view) believed(page, path, function string) string {
	if function == "" || !strings.HasPrefix(page, "{") {
		return page
	}
	f, err := cashtext.ParseFunction(page)
	vouched := v.Vouched(wire.Join(path, function))
	if err != nil || !vouched && !v.IgnoreHints && bytes.Equal(f.Hints.Resolved(false).JSON(), f.Hints.JSON()) {
		return page
	}
	var b strictjson.Builder
	for raw, value := range strictjson.RawMembers([]byte(page)) {
		if k := key(strictjson.Text(raw)); k != "annotations" && k != "safety" {
			b.AddRaw(raw, value)
		}
	}
	if hints := v.effects(f).Resolved(vouched).JSON(); hints != nil {
		b.Add("annotations", hints)
	}
	return string(b.Object())
}

func (v view) pageJSON(text string) (string, error) {
	if data := []byte(text); strictjson.CheckDepth(data, strictjson.MaxDepth+1) == nil { // a schema has the usual depth
		if page, ok := v.text.JSON(string(cleanPage(data))); ok {
			return page, nil
		}
	}
	return "", &registry.Error{
		Kind: registry.Unavailable, Namespace: v.mount.Label, NotRun: true,
		Message: "The server behind `" + v.mount.Label + "` gave a page that is not proper JSON.", Hint: "Ask for it in markdown.",
	}
}

// cleanPage returns a JSON page with its texts cleaned. In a schema, invisible characters are escaped: it is data.
func cleanPage(page []byte) []byte {
	schema := strictjson.Member(page, "schema")
	if schema == nil {
		return wire.CleanJSON(page)
	}
	start := cap(page) - cap(schema) // they share the end of an array
	return slices.Concat(wire.CleanJSON(page[:start]), wire.EscapeHidden(schema), wire.CleanJSON(page[start+len(schema):]))
}

// variant fetches a namespace's page for keyword arguments that only the server knows. It is empty if they make no
// difference.
func (v view) variant(path string) func(context.Context, json.RawMessage) (string, error) {
	page := v.page(path, "")
	return func(ctx context.Context, kwargs json.RawMessage) (string, error) {
		with, err := page(ctx, kwargs)
		if err != nil {
			return "", unlessKnown(err)
		}
		without, err := page(ctx, commonArguments(kwargs))
		if err != nil || with == without {
			return "", unlessKnown(err)
		}
		return with, nil
	}
}

// skill fetches the text of a skill.
func (v view) skill(path, name string) func(context.Context, json.RawMessage) (string, error) {
	return func(ctx context.Context, kwargs json.RawMessage) (string, error) {
		text, err := v.fetch(ctx, "skill", path, name, kwargs)
		if err != nil {
			return "", err
		}
		return v.text.Text(clean.Text(text)), nil
	}
}
