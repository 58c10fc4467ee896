package openapi

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cash-mcp/go-sdk/internal/blocks"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// An Option is one fact of a mount, for [Mount].
type Option func(*Mounted)

// OnOperation sets a hook that may rename, move, describe, hide or wrap each operation. For a later document it is called
// again only for operations that have changed, and for those that it has hidden. It must decide by the operation alone.
func OnOperation(f func(*Operation)) Option { return func(m *Mounted) { m.hook = f } }

// Login sets a hook that puts the identity of the caller into each request, as the service's login expects it: a
// header, a cookie. c is nil for an anonymous caller. It runs last. Name all that it sets with [Identity]: a header
// that the document lists as a parameter is an argument otherwise, and the service takes that of an anonymous
// caller for an identity. An error ends the call; a [registry.Error] chooses what the model reads. It must be safe
// for concurrent use.
//
// Without it, requests carry no identity except for the caller in the context of those to a [Handler].
func Login(f func(r *http.Request, c *registry.Caller) error) Option {
	return func(m *Mounted) { m.login = f }
}

// Identity names parameters that say to the service who calls, such as the header X-User that a [Login] sets. in is
// header, query or cookie. They are no arguments, and no argument sets them, as with those of apiKey schemes.
func Identity(in string, names ...string) Option {
	if in != inHeader && in != inQuery && in != inCookie {
		panic(fmt.Sprintf("openapi: Identity in %q: want header, query or cookie", in))
	}
	return func(m *Mounted) {
		for _, name := range names {
			m.identity[secret(in, name)] = true
		}
	}
}

// Context sets a hook that adds values of the call's context to that of its request to a [Handler]. It returns the
// context of the request, made of request:
//
//	openapi.Context(func(request, call context.Context) context.Context {
//		return tenant.With(request, tenant.From(call))
//	})
//
// Without it, the request has the caller and the span of the call, and no other value.
func Context(f func(request, call context.Context) context.Context) Option {
	return func(m *Mounted) { m.values = f }
}

// References sets the files that a $ref may lead to, by paths relative to the document at the top of files. Without it,
// operations with such a $ref are left out. A $ref to a URL is never followed. It is not used for Swagger 2.
func References(files fs.FS) Option { return func(m *Mounted) { m.references = files } }

// Files sets the files that a model may send by their name, in bodies of bytes; for a folder, the FS of an [os.Root],
// which symbolic links do not leave. Without it, a model sends text or base64.
func Files(files fs.FS) Option { return func(m *Mounted) { m.files = files } }

// A Mounted is a document in a registry. It is safe for concurrent use.
type Mounted struct {
	reg               *registry.Registry
	path              string
	server            *Server
	hook              func(*Operation)
	login             func(*http.Request, *registry.Caller) error
	values            func(request, call context.Context) context.Context
	identity          map[string]bool // parameters, by secret
	references, files fs.FS

	mu     sync.Mutex // one document at a time
	routes atomic.Pointer[routes]
	report atomic.Pointer[Report]
	have   map[string]*served // by key
}

// A served is an operation in the tree.
type served struct {
	sum      [sha256.Size]byte // of what the document says
	output   [sha256.Size]byte // of the output schema, if it is typed
	op       Operation         // after the hook
	path     string            // in the tree
	function *registry.Function
	notes    []string
}

// Mount makes a function of each operation of an OpenAPI document, in JSON or YAML, below the namespace at path. The
// empty path is the root. It replaces what is there. The error is about the document as a whole; what is wrong with one
// operation is in the report.
func Mount(reg *registry.Registry, path string, doc []byte, server *Server, opts ...Option) (*Mounted, error) {
	m := &Mounted{reg: reg, path: path, server: server, identity: make(map[string]bool), have: make(map[string]*served)}
	for _, o := range opts {
		o(m)
	}
	if server.err != nil {
		return nil, fmt.Errorf("mounting an OpenAPI document: %w", server.err)
	}
	if _, err := m.Replace(doc); err != nil {
		return nil, err
	}
	return m, nil
}

// Report returns the report on the present document, without waiting for the next one. It must not be modified.
func (m *Mounted) Report() *Report { return m.report.Load() }

// Replace swaps the document as a whole. Functions that did not change are the same as before. After an error the old
// one stays. Calls in flight finish on the old one.
func (m *Mounted) Replace(doc []byte) (*Report, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	set, top, err := readSet(doc, m.references)
	if err != nil {
		return nil, fmt.Errorf("reading the OpenAPI document: %w", err)
	}
	root, bad := first(top)
	r := &reader{
		set: set, top: top, version: versionOf(top), report: new(Report), base: m.server.at(root),
		groups: make(map[string]string), about: make(map[string]string),
		tagged: make(map[string]string), shared: make(map[string]bool), secret: maps.Clone(m.identity),
		seen: make(map[string]string), routes: &routes{literal: make(map[step]*route)}, uploads: m.files != nil,
		extended: make(map[*node]json.RawMessage), client: m.server.client != nil,
		root: &url.URL{Path: root.Path, RawPath: root.RawPath}, bad: bad,
	}
	r.placed = []string{r.pathOf(new(url.URL))}
	if list := top.get("servers").elements(); len(list) > 1 {
		r.placed = append(r.placed, r.placesOf(list[1:])...)
	}
	r.tags()
	r.security()
	maker := maker{files: m.files, secret: r.secret, routes: &m.routes}
	build := &build{m: m, r: r, next: make(map[string]*served), maker: maker}
	build.common = sha256.Sum256(strictjson.MustMarshal(maker.secret))
	tree, err := build.tree(r.operations())
	if err != nil {
		return nil, fmt.Errorf("planting the OpenAPI document: %w", err)
	}
	before := m.routes.Swap(r.routes) // first: a new function must not reach a path that was not there
	if err := m.reg.Replace(m.path, tree); err != nil {
		m.routes.Store(before)
		return nil, err
	}
	r.report.Operations = len(build.next)
	m.have = build.next
	m.report.Store(r.report)
	return r.report, nil
}

// A build makes the tree of one document.
type build struct {
	m     *Mounted
	r     *reader
	maker maker
	next  map[string]*served

	common [sha256.Size]byte // of what the document says of all operations
}

// tree returns the operations as a registry.
func (b *build) tree(list []*source) (*registry.Registry, error) {
	list = b.hooked(list)
	b.places(list)
	tree := registry.New(nil)
	info := b.r.top.get("info")
	about := clean.FirstLine(info.text("description"), 200)
	if about == "" {
		about = clean.FirstLine(info.text("summary")+" "+info.text("title"), 200)
	}
	if _, err := tree.TryNamespace("", about); err != nil {
		return nil, err
	}
	for _, s := range list {
		if err := b.add(tree, s); err != nil {
			b.r.report.leave(s.Key, "%v", err)
			delete(b.next, s.Key)
		}
	}
	return tree, nil
}

// hooked asks the hook about what has changed, and drops what it hides.
func (b *build) hooked(list []*source) []*source {
	return slices.DeleteFunc(list, func(s *source) bool {
		now, had := &served{sum: b.sum(s)}, b.m.have[s.Key]
		if had != nil && had.sum == now.sum && (!had.op.Typed || had.output == b.output(s)) {
			*now = *had
			s.Operation = had.op
		} else if b.m.hook != nil {
			said := s.Operation
			b.m.hook(&s.Operation)
			s.ID, s.Method, s.Path, s.Extensions = said.ID, said.Method, said.Path, said.Extensions
		}
		now.op = s.Operation
		if now.op.Typed {
			now.output = b.output(s)
		}
		if s.Hidden {
			b.r.report.leave(s.Key, "the hook hides it")
			return true
		}
		b.r.lint(s)
		b.next[s.Key] = now
		return false
	})
}

// sum is the hash of everything that the document says of an operation, but for its output schema.
func (b *build) sum(s *source) [sha256.Size]byte {
	return sha256.Sum256(strictjson.MustMarshal([]any{
		s.Key, s.ID, s.Tags, s.Deprecated, s.Extensions, s.Namespace, s.Name, s.Description, s.Hints, s.Plan, s.Input,
		s.Partly, s.title, s.gives, s.Slashes, b.common[:],
	}))
}

// output is the hash of an operation's output schema.
func (b *build) output(s *source) [sha256.Size]byte {
	schema, _ := b.r.outputSchema(s)
	return sha256.Sum256(schema)
}

// places gives each operation its own path in the tree.
func (b *build) places(list []*source) {
	had := make(map[string]string)
	var keys []string
	at := make(map[string]*source, len(list))
	wanted := make(map[string]string)
	for _, s := range list {
		keys, at[s.Key] = append(keys, s.Key), s
		if was := b.m.have[s.Key]; was != nil {
			had[s.Key] = was.path
		}
		s.Namespace = labels(s.Namespace)
		place := wire.CanonicalPath(wire.Join(s.Namespace, label.From(s.Name, "operation")))
		if other, ok := wanted[place]; ok {
			b.r.report.note(s.Key, "it would have the name of %s: one of them got a suffix", other)
		} else {
			wanted[place] = s.Key
		}
	}
	paths := wire.Paths("operation", keys, had, func(key string) (dir, rest string) {
		return at[key].Namespace, at[key].Name
	})
	for key, path := range paths {
		if b.next[key].path != path {
			b.next[key].path, b.next[key].function, b.next[key].notes = path, nil, nil
		}
	}
}

// labels returns a dotted path of labels.
func labels(path string) string {
	if _, ok := registry.CanonicalPath(path); ok {
		return path
	}
	var list []string
	for part := range strings.SplitSeq(path, ".") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, split(part))
		}
	}
	if len(list) == 0 {
		return split(path)
	}
	return strings.Join(list, ".")
}

// add adds the function of an operation to the tree, made anew only if it has changed.
func (b *build) add(tree *registry.Registry, s *source) error {
	now := b.next[s.Key]
	dir, name := wire.Split(now.path)
	if now.function == nil {
		if err := b.function(now, s, name); err != nil {
			return err
		}
		b.r.report.Built++
	}
	for _, note := range now.notes {
		b.r.report.note(s.Key, "%s", note)
	}
	var above string
	for _, part := range slices.Collect(parts(dir)) {
		above = wire.Join(above, part)
		if !tree.Exists(above) {
			if _, err := tree.TryNamespace(above, b.r.about[wire.CanonicalPath(above)]); err != nil {
				return err
			}
		}
	}
	ns, err := tree.TryNamespace(dir, "")
	if err != nil {
		return err
	}
	return ns.TryAdd(now.function)
}

// parts returns the labels of a path.
func parts(path string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for path != "" {
			i := 0
			for i < len(path) && path[i] != '.' {
				i++
			}
			if !yield(path[:i]) {
				return
			}
			path = path[min(i+1, len(path)):]
		}
	}
}

// function makes the function of an operation.
func (b *build) function(now *served, s *source, name string) error {
	op := &now.op
	opts := factsOf(op).Options(false)
	var aliases []string
	for _, alias := range []string{s.title, op.ID, s.Key} {
		if alias = clean.Line(alias, 200); alias != "" && alias != name {
			aliases = append(aliases, alias)
		}
	}
	opts = append(opts, registry.Aliases(aliases...))
	if len(op.Tags) > 0 {
		opts = append(opts, registry.Tags(wire.Tags(op.Tags)...))
	}
	if s.title != "" {
		opts = append(opts, registry.Title(s.title))
	}
	if s.gives != "" {
		opts = append(opts, registry.Returns(s.gives))
	}
	if op.Deprecated {
		opts = append(opts, registry.Deprecated)
	}
	if op.Typed {
		if schema, err := b.r.outputSchema(s); err != nil {
			now.notes = append(now.notes, "it has no output schema: "+err.Error())
		} else {
			opts = append(opts, registry.OutputSchema(schema))
		}
	}
	var limits registry.SchemaLimits
	remote := registry.Remote{InputSchema: s.Input, Tool: s.Key, Handler: b.handler(s, op), Limits: &limits, OwnDefaults: true}
	if s.Partly {
		remote.Partial = "The schema is too large: a part of it accepts any value here, and the service checks it."
	}
	opts = append(opts, op.Options...)
	f, err := registry.RemoteFunc(name, op.Description, remote, opts...)
	if err != nil {
		remote.InputSchema, remote.Problem = nil, err
		if f, _ = registry.RemoteFunc(name, op.Description, remote, opts...); f == nil {
			return err // the hook's options
		}
		now.notes = append(now.notes, "its input schema is not used: "+err.Error())
	} else if problem := f.Problem(); problem != nil {
		now.notes = append(now.notes, "its input schema: "+problem.Error())
	}
	now.notes = append(now.notes, f.Warnings()...)
	now.function = f
	return nil
}

// factsOf returns the effects of an operation.
func factsOf(op *Operation) wire.Hints {
	facts := wire.Hints{Idempotent: op.Hints.Idempotent, Destructive: op.Hints.Destructive, OpenWorld: op.Hints.OpenWorld}
	if op.Hints.ReadOnly {
		facts.ReadOnly = &op.Hints.ReadOnly
	}
	return facts
}

// handler returns what runs a call.
func (b *build) handler(s *source, op *Operation) registry.Handler {
	m, server, login, maker := b.m, b.m.server, b.m.login, b.maker
	kept := &source{Operation: Operation{Method: s.Method, Path: s.Path, Slashes: op.Slashes}, Key: s.Key, Plan: s.Plan}
	kept.Plan.output = nil // the document is not kept
	facts := factsOf(op).Resolved(false)
	again := facts.ReadOnly != nil || facts.Idempotent != nil && *facts.Idempotent
	var h registry.Handler = func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
		r, err := maker.request(m.context(ctx), kept, c.Arguments)
		if err != nil {
			return nil, err
		}
		if err := identify(r, c.Caller, login); err != nil {
			return nil, err
		}
		answer, err := server.do(r)
		var res *registry.Result
		if err == nil {
			res, err = kept.result(answer, server.client != nil)
		}
		switch {
		case err != nil && !again:
			return nil, unsure(err)
		case err == nil && server.client != nil:
			blocks.Clean(res.Content)
		}
		return res, err
	}
	if op.Wrap != nil {
		h = op.Wrap(h)
	}
	return h
}

// unsure words the failure of a request that must not be repeated blindly: only 429 and 503 say that it was not done
// (RFC 9110, section 9.2.2). It is not Unavailable then, which faces offer to repeat.
func unsure(err error) error {
	const check = "It may have taken effect: check before you repeat it."
	e := registry.AsError(err)
	switch status := e.Details["status"]; {
	case e.NotRun:
	case e.Kind == registry.Unavailable && status != http.StatusServiceUnavailable:
		e.Kind, e.Hint = registry.Failed, check
		delete(e.Details, "retry_after")
	case status == nil, e.Kind == registry.TimedOut:
		e.Hint = check
	}
	return e
}

// identify runs the login. Cookies of arguments follow its own, and none has the name of one of those.
func identify(r *http.Request, c *registry.Caller, login func(*http.Request, *registry.Caller) error) error {
	if login == nil {
		return nil
	}
	given := r.Header.Get("Cookie")
	r.Header.Del("Cookie")
	if err := login(r, c); err != nil {
		return refused(err)
	}
	if given == "" {
		return nil
	}
	cookies := r.Header["Cookie"]
	for cookie := range strings.SplitSeq(given, "; ") {
		name, _, _ := strings.Cut(cookie, "=")
		if len(r.CookiesNamed(name)) == 0 {
			cookies = append(cookies, cookie)
		}
	}
	if len(cookies) > 0 {
		r.Header.Set("Cookie", strings.Join(cookies, "; "))
	}
	return nil
}

// refused is the error of a login, which has not run the function.
func refused(err error) error {
	var e *registry.Error
	if errors.As(err, &e) {
		return e
	}
	return &registry.Error{
		Kind: registry.Unauthorized, Message: "The caller's identity for the service cannot be had.", Err: err, NotRun: true,
	}
}
