package upstream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/cashtext"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// view is the server as it reads at a mount.
type view struct {
	*builder
	mount mount
	text  cashtext.Mount
}

// here is where a path of the tree stands.
func (v view) here(path string) string {
	if path == "" {
		return v.mount.label
	}
	return joined(v.mount.label, path)
}

// fill puts a place and all below it into the tree, at path.
func (v view) fill(t *registry.Registry, path string, p *place) error {
	if _, ok := registry.CanonicalPath(v.here(path)); !ok { // what is legal becomes too long
		v.catalog.note("a namespace is left out: its path is too long: %s", p.path)
		return nil
	}
	ns, err := t.TryNamespace(path, clean.FirstLine(v.text.Text(p.description), maxAbout))
	if path == "" {
		ns, err = t.TryNamespace(path, "")
	}
	if err != nil {
		v.catalog.note("namespace %s is left out: %v", p.path, err)
		return nil
	}
	ns.On(p.instance)
	if v.up.agg.opts.Mode == PinOff { // else the server's own list would show what is quarantined
		ns.Page(v.variant(p.path))
	}
	if p.unavailable {
		ns.Unavailable(&registry.Error{
			Kind: registry.Unavailable, NotRun: true, Hint: hintLater,
			Message: "`" + v.here(path) + "` is temporarily unavailable: it is on a server behind this one that does not answer.",
		})
	}
	v.addFunctions(ns, p)
	v.addSkills(ns, p)
	for _, below := range p.below {
		if below.instance == v.up.agg.reg.Instance() { // that is us
			v.catalog.note("namespace %s leads back to this server and is left out", below.path)
			continue
		}
		if err := v.fill(t, joined(path, below.path[strings.LastIndexByte(below.path, '.')+1:]), below); err != nil {
			return err
		}
	}
	return nil
}

// addFunctions puts the functions of a place into a namespace.
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
			v.catalog.note("function %s is left out: %v", joined(p.path, e.Name), err)
			continue
		}
		v.catalog.offered[offer(p.path, e.Name)] = said(e, p.details[i])
		v.catalog.functions++
	}
}

// addSkills puts the skills of a place into a namespace.
func (v view) addSkills(ns *registry.Namespace, p *place) {
	for _, e := range p.skills {
		sk, err := registry.RemoteSkill(e.Name, clean.FirstLine(v.text.Text(e.Description), maxAbout), v.skill(p.path, e.Name))
		if err == nil {
			err = ns.TryAddSkill(sk)
		}
		if err != nil {
			v.catalog.note("skill %s is left out: %v", joined(p.path, e.Name), err)
			continue
		}
		v.catalog.skills++
	}
}

// function makes the function of an entry. What it takes is known to its
// server, which checks it.
func (v view) function(path string, e cashtext.Entry, d *cashtext.Function) (*registry.Function, error) {
	u, about := v.up, said(e, d)
	e, d = v.moved(e, d)
	remote := registry.Remote{
		InputSchema: inputSchema(d),
		Unchecked:   true,
		Gated:       true,
		Server:      u.server,
		Page:        v.page(path, e.Name),
		Handler: func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
			return u.invoke(ctx, c, v.request(ctx, path, e.Name, about, c))
		},
	}
	facts := v.facts(path, e.Name, d)
	f, err := registry.RemoteFunc(e.Name, e.Description, remote, facts...)
	if err != nil { // parameters that cannot be told apart, say
		remote.InputSchema = nil
		return registry.RemoteFunc(e.Name, e.Description, remote, facts...)
	}
	return f, nil
}

// request is the call of a function, as the server is asked for it. about is
// what it has said of the function.
func (v view) request(ctx context.Context, path, name, about string, c *registry.Call) *request {
	meta := v.up.via(ctx)
	if c.Client != nil && c.Client.Owner != "" {
		sum := sha256.Sum256([]byte(v.up.agg.reg.Instance() + "\x00" + c.Client.Owner))
		meta[registry.MetaFor] = hex.EncodeToString(sum[:16])
	}
	return &request{
		tool: "call",
		args: v.arguments(path, name, c),
		meta: meta,
		current: func() *CallError {
			if !v.up.offers(path, name, about) {
				return &CallError{Class: Changed, Reason: "the function is not what it was"}
			}
			return nil
		},
		result: func(a *answer, moved bool) (*registry.Result, error) {
			if a.InputRequests != nil {
				return v.up.asking(a, c)
			}
			return v.result(a, moved), nil
		},
	}
}

// offer is the key of a function among those that a CaSH server offers.
func offer(path, name string) string {
	p, _ := registry.CanonicalPath(path)
	return p + "." + key(name)
}

// said is all that the server says of a function, as a hash.
func said(e cashtext.Entry, d *cashtext.Function) string {
	data, err := json.Marshal([]any{e, d})
	if err != nil { // texts and flags always have a JSON form
		return ""
	}
	sum := sha256.Sum256(data)
	return string(sum[:])
}

// offers reports whether the server still says the same of a function. Its
// catalog is made anew as a whole.
func (u *upstream) offers(path, name, about string) bool {
	c := u.catalog.Load()
	return c != nil && about != "" && c.offered[offer(path, name)] == about
}

// arguments are those of the tool call. The gate's are passed on: there is one
// gate, and it is the server's (R138).
func (v view) arguments(path, name string, c *registry.Call) json.RawMessage {
	args := &callArguments{namespace: path, function: name, kwargs: c.Arguments}
	if g := c.Gate; g != nil {
		if g.Asked || g.Limit != v.limit {
			args.limit, args.asked = &g.Limit, g.Asked
		}
		args.replay = g.Replay
	}
	return v.catalog.dialect.callArguments(args)
}

// maxNotice bounds what passes as the notice of a gate, in characters.
const maxNotice = 2000

// result is an answer of call. Errors and notices name what they name by its
// path here; data are left alone. What the server has gated is not gated again,
// and neither is what it streams (RFC 7.4).
func (v view) result(a *answer, moved bool) *registry.Result {
	r := a.result()
	streamed := string(a.meta[registry.MetaStreaming]) == "true"
	r.Ungated = isNotice(r) || (moved || streamed) && !a.IsError
	if a.IsError {
		if code, ok := a.meta[registry.MetaCode]; ok {
			r.Meta[registry.MetaCode] = json.RawMessage(clean.ContentJSON(code))
		}
		r.Content = slices.Clone(r.Content)
		for i, block := range r.Content {
			if t, ok := block.(*mcp.TextContent); ok {
				r.Content[i] = &mcp.TextContent{Text: v.text.Text(clean.Text(t.Text)), Meta: t.Meta, Annotations: t.Annotations}
			}
		}
	}
	return r
}

// isNotice reports whether a result is the notice of a gate, and nothing else.
func isNotice(r *registry.Result) bool {
	if len(r.Content) != 1 || r.Structured != nil || len(r.Meta) > 0 {
		return false
	}
	t, ok := r.Content[0].(*mcp.TextContent)
	return ok && t.Meta == nil && utf8.RuneCountInString(t.Text) <= maxNotice && cashtext.IsGated(t.Text)
}

// page fetches a page of help.
func (v view) page(path, function string) func(context.Context, json.RawMessage) (string, error) {
	return func(ctx context.Context, kwargs json.RawMessage) (string, error) {
		text, err := v.fetch(ctx, "help", path, function, kwargs)
		if err != nil {
			return "", err
		}
		// Cleaned first: what is hidden in a name would keep it from being found.
		if code := cashtext.Unfenced(text); strings.HasPrefix(code, "{") {
			return v.pageJSON(code)
		}
		return v.inFormat(v.text.Help(clean.Text(text), joined(path, function)), path, function, kwargs), nil
	}
}

func (v view) pageJSON(text string) (string, error) {
	if strictjson.Check([]byte(text)) == nil {
		if page, ok := v.text.JSON(string(cleanJSON([]byte(text)))); ok {
			return page, nil
		}
	}
	return "", &registry.Error{
		Kind: registry.Unavailable, Namespace: v.mount.label, NotRun: true,
		Message: "The server behind `" + v.mount.label + "` gave a page that is not proper JSON.", Hint: "Ask for it in markdown.",
	}
}

// variant fetches the page of a namespace for keyword arguments that mean
// something to the server alone. The result is empty if they change nothing.
func (v view) variant(path string) func(context.Context, json.RawMessage) (string, error) {
	page := v.page(path, "")
	return func(ctx context.Context, kwargs json.RawMessage) (string, error) {
		with, err := page(ctx, kwargs)
		if err != nil {
			return "", unlessKnown(err)
		}
		without, err := page(ctx, common(kwargs))
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
