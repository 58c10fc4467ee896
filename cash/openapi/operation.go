package openapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// An Operation is an operation of a document on its way to a function ([OnOperation]). It belongs to the hook only
// while that runs.
type Operation struct {
	// ID, Method, Path and Extensions are what the document says. A change has no effect.
	ID         string // operationId; may be empty
	Method     string // in upper case
	Path       string
	Extensions map[string]json.RawMessage // the members that begin with x-, at most 64 KiB; not to be modified

	// Namespace is the dotted path below the mount; empty is the mount itself. A part that is no label becomes one.
	Namespace string
	// Name becomes a label.
	Name string
	// Description is the summary, and then the description. Lists show its first line. That of a deprecated function
	// gets "Deprecated." in front ([registry.Deprecated]).
	Description string
	// Tags become those of the function ([registry.Tags]), for search and for the rules of policies and approvals. The
	// first one of the document has chosen the namespace.
	Tags []string
	// Deprecated marks the function, and lists it last ([registry.Deprecated]).
	Deprecated bool
	// Hidden leaves the operation out.
	Hidden bool
	// Hints are the effects that follow from the method and from x-cash.
	Hints registry.Hints
	// Slashes are the path parameters, by name, whose values may have slashes and backslashes. They are sent as %2F and
	// %5C. Many routers see a slash then, and another operation answers, also a hidden one: name those that do not.
	// At first they are those with allowReserved of OpenAPI 3.2. Other such values are refused.
	Slashes []string
	// Typed gives the function the schema of the 2xx response as its output schema, which faces with typed results
	// show. A result that does not fit has no structured content there. Where no such response is JSON, the function
	// has no output schema, and the report says so.
	Typed bool
	// Wrap is around the request: it may change arguments, answer itself, or filter results. Nil adds nothing.
	Wrap registry.Middleware
	// Options are further facts, such as [registry.VisibleTo] and [registry.Timeout]. Tags, effects, aliases, the
	// title, what the function returns and whether it is deprecated are set already: to give one again leaves the
	// operation out.
	Options []registry.FuncOption
}

// maxDescription is the most characters of a description.
const maxDescription = 4000

// methods are the members of a path item that are operations.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "query"}

// A source is an operation as a document has it, with everything that its function is made of.
type source struct {
	Operation
	Key    string // METHOD path
	Plan   plan
	Input  json.RawMessage
	Output json.RawMessage // nil if the response has no schema
	Partly bool            // the input schema is cut
	title  string          // the summary
	gives  string          // describes the result
}

// A reader reads the operations of a document.
type reader struct {
	set     *set
	top     *node
	version string
	base    *url.URL
	report  *Report
	groups  map[string]string // namespace by tag
	about   map[string]string // description by canonical namespace
	tagged  map[string]string // the first tag by canonical namespace
	shared  map[string]bool   // tags whose namespace is that of another one
	secret  map[string]bool   // parameters that carry credentials, by secret
	seen    map[string]string // path by method and template
	routes  *routes
	root    *url.URL // with the path of the document's first server
	bad     error    // of that server
	placed  []string // the paths of the document's servers on one host
	uploads bool
	client  bool // the server is over HTTP
	spent   int  // bytes of schemas so far

	extended map[*node]json.RawMessage // the bytes of extensions
}

// Limits of what is made of a document.
const (
	maxOperations = 20_000
	maxSchemas    = 16 << 20 // bytes of all input schemas
	maxPath       = 2000     // bytes
	maxVariables  = 50       // of a path
	maxTags       = 20       // of an operation
	maxExtensions = 64 << 10 // bytes of an operation
)

// operations returns those that can be served. The others are in the report.
func (r *reader) operations() []*source {
	var list []*source
	paths := r.top.get("paths")
	full, names := false, paths.names()
	if r.set.work.over() { // before the first of them
		r.report.leave("paths", "%v", errWork)
		return nil
	}
	for _, path := range names {
		if strings.HasPrefix(path, "x-") {
			continue
		}
		item, _, err := r.set.resolve(paths.get(path))
		long := len(path) > maxPath || strings.Count(path, "{") > maxVariables || strings.Count(path, "/") > maxSegments
		if long {
			err = fmt.Errorf("a path has at most %d bytes, %d variables and %d segments", maxPath, maxVariables, maxSegments)
		}
		if r.set.work.over() {
			err = errWork
		}
		if err != nil {
			if r.report.leave(path, "%v", err); !long {
				r.route(anyMethod, path, r.placed)
			}
			continue
		}
		for _, method := range methods {
			n, beside := item.get(method), paths.get(path).get(method)
			if n.kind() != strictjson.Object && beside.kind() != strictjson.Object {
				continue
			}
			r.set.work.spend(100 + len(path))
			places := r.places(item, cmp.Or(n, beside))
			r.route(strings.ToUpper(method), path, places) // also of one that is left out
			if full {
				continue
			}
			if n.kind() != strictjson.Object {
				r.report.leave(strings.ToUpper(method)+" "+path, "it is beside the $ref of its path")
				continue
			}
			if first := r.template(method, path, places); first != path {
				r.report.leave(strings.ToUpper(method)+" "+path, "its requests are those of %q, which comes first", first)
				continue
			}
			if len(list) >= maxOperations {
				r.report.leave(path, "only the first %d operations are read", maxOperations)
				full = true
				continue
			}
			if s := r.operation(strings.ToUpper(method), path, item, n); s != nil {
				list = append(list, s)
			}
		}
		r.others(path, item)
	}
	return list
}

// others reports what is left out of a path for its method.
func (r *reader) others(path string, item *node) {
	if item.get("trace").kind() == strictjson.Object {
		r.report.leave("TRACE "+path, "it repeats the request's credentials")
	}
	for _, method := range item.get("additionalOperations").names() {
		r.report.leave(clean.Line(clean.Beginning(method, 400), 50)+" "+path, "its method is not one of HTTP's that this package sends")
	}
}

// template returns the first path whose operation of this method has the same requests.
func (r *reader) template(method, path string, places []string) string {
	if len(places) == 0 {
		return path
	}
	key := method + " " + places[0] + eachVariable(path, func(name string) string {
		if strings.ContainsAny(name, "=/") {
			return name // it is left out
		}
		return "{}"
	})
	if r.seen[key] == "" {
		r.seen[key] = path
	}
	return r.seen[key]
}

// operation returns what n describes, or nil.
func (r *reader) operation(method, path string, item, n *node) *source {
	s := &source{Key: method + " " + path}
	s.Operation = Operation{
		ID: n.get("operationId").line(200), Method: method, Path: path,
		Description: r.description(n),
		Extensions:  make(map[string]json.RawMessage),
		Hints:       hintsOf(method),
	}
	s.title = strings.TrimSuffix(n.get("summary").line(registry.MaxTitle), ".")
	s.Deprecated, _ = n.yes("deprecated")
	for _, e := range n.get("tags").elements() {
		if len(s.Tags) == maxTags {
			break
		}
		if tag := e.line(100); tag != "" {
			s.Tags = append(s.Tags, tag)
		}
	}
	r.extensions(s, n)
	r.place(s)
	r.heed(s, n.get("x-cash"))
	if s.Hidden {
		r.report.leave(s.Key, "x-cash hides it")
		return nil
	}
	if err := r.plan(s, item, n); err != nil {
		r.report.leave(s.Key, "%v", err)
		return nil
	}
	if r.response(s, n); r.set.work.over() {
		r.report.leave(s.Key, "%v", errWork)
		return nil
	}
	return s
}

// extensions reads the members that begin with x-. Operations that share one share its bytes.
func (r *reader) extensions(s *source, n *node) {
	size := 0
	for _, key := range n.names() {
		if !strings.HasPrefix(key, "x-") {
			continue
		}
		x := n.get(key)
		if size += len(key) + len(x.raw); size > maxExtensions || !r.set.work.spend(4*len(x.raw)) {
			r.report.note(s.Key, "its extensions have more than %d KiB: %q and those after it are not read", maxExtensions>>10, key)
			return
		}
		if r.extended[x] == nil {
			r.extended[x] = slices.Clone(x.raw)
		}
		s.Extensions[key] = r.extended[x]
	}
}

// description returns the summary, and then the description.
func (r *reader) description(n *node) string {
	summary, about := n.get("summary").line(200), n.about("description")
	if about = strings.TrimSpace(about); summary != "" && about != "" && clean.Flow(about) != summary {
		about = summary + "\n\n" + about
	}
	return clean.Cut(cmp.Or(about, summary), maxDescription)
}

// hintsOf returns what HTTP says of a method (RFC 9110, section 9.2).
func hintsOf(method string) registry.Hints {
	yes := true
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, "QUERY":
		return registry.Hints{ReadOnly: true}
	case http.MethodPut:
		return registry.Hints{Idempotent: &yes}
	case http.MethodDelete:
		return registry.Hints{Idempotent: &yes, Destructive: &yes}
	}
	return registry.Hints{}
}

// heed reads the extension x-cash: the hints of MCP, namespace, name and hidden.
func (r *reader) heed(s *source, x *node) {
	if x.kind() != strictjson.Object {
		return
	}
	hints := wire.ReadHints(x.raw)
	switch {
	case hints.ReadOnly != nil:
		if s.Hints.ReadOnly = *hints.ReadOnly; s.Hints.ReadOnly {
			s.Hints.Destructive = nil // which only follows from the method
		}
	case hints.Destructive != nil && *hints.Destructive:
		s.Hints.ReadOnly = false
	}
	s.Hints.Destructive = cmp.Or(hints.Destructive, s.Hints.Destructive)
	s.Hints.Idempotent = cmp.Or(hints.Idempotent, s.Hints.Idempotent)
	s.Hints.OpenWorld = cmp.Or(hints.OpenWorld, s.Hints.OpenWorld)
	s.Hidden, _ = x.yes("hidden")
	if x.get("namespace").kind() == strictjson.String {
		s.Namespace = x.get("namespace").line(200)
	}
	s.Name = cmp.Or(x.get("name").line(200), s.Name)
}

// place sets the namespace, from tags or else from the path, and the name.
func (r *reader) place(s *source) {
	if len(s.Tags) > 0 {
		s.Namespace = r.groups[s.Tags[0]]
		if s.Namespace == "" {
			s.Namespace = split(s.Tags[0])
		}
		r.share(s)
	} else {
		s.Namespace = fromPath(s.Path)
	}
	if s.Name = s.ID; s.Name == "" {
		s.Name = strings.ToLower(s.Method) + " " + s.Path
		return
	}
	_, last := wire.Split(s.Namespace)
	if i := strings.IndexAny(s.ID, "/.:"); i > 0 && wire.CanonicalPath(label.From(s.ID[:i], "tag")) == wire.CanonicalPath(last) {
		if rest := strings.Trim(s.ID[i:], "/.:"); rest != "" {
			s.Name = rest // repos/get in repos is get
		}
	}
}

// maxNesting is the most levels of namespaces that a tag or a path makes.
const maxNesting = 3

// maxParents bounds a tag and its parents.
const maxParents = 10

// fromPath returns the namespace of a path: its first segments that are neither variables nor versions.
func fromPath(path string) string {
	var parts []string
	for _, part := range strings.Split(path, "/") {
		if part == "" || strings.ContainsAny(part, "{}") || part == "api" || version(part) {
			continue
		}
		if parts = append(parts, label.From(part, "path")); len(parts) == maxNesting-1 {
			break
		}
	}
	return strings.Join(parts, ".")
}

// version reports whether a segment is one such as v1 or v2.1.
func version(part string) bool {
	return len(part) > 1 && part[0] == 'v' && strings.Trim(part[1:], "0123456789.") == ""
}

// split returns the namespace of a tag: one with separators nests.
func split(tag string) string {
	parts := strings.FieldsFunc(tag, func(c rune) bool { return strings.ContainsRune("/:>|", c) })
	var labels []string
	for _, part := range parts {
		if part = strings.TrimSpace(part); part != "" {
			labels = append(labels, label.From(part, "tag"))
		}
	}
	if len(labels) == 0 {
		return "tag"
	}
	if len(labels) > maxNesting {
		labels = append(labels[:maxNesting-1], label.From(strings.Join(labels[maxNesting-1:], "_"), "tag"))
	}
	return strings.Join(labels, ".")
}

// tags reads the document's own tags, their groups and their parents.
func (r *reader) tags() {
	list := r.top.get("tags").elements()
	parents := make(map[string]string)
	for _, t := range list {
		parents[t.get("name").line(100)] = t.get("parent").line(100)
	}
	for _, t := range list {
		if r.set.work.over() {
			return
		}
		name := t.get("name").line(100)
		names := []string{name}
		for parent := parents[name]; parent != "" && !slices.Contains(names, parent) && len(names) < maxParents; parent = parents[parent] {
			names = append(names, parent)
		}
		r.set.work.spend(500 * len(names))
		slices.Reverse(names)
		r.groups[name] = split(strings.Join(names, "/"))
	}
	for _, group := range r.top.get("x-tagGroups").elements() {
		in := label.From(group.text("name"), "group")
		for _, tag := range group.texts("tags") {
			if tag = clean.Line(tag, 100); parents[tag] == "" {
				r.groups[tag] = in + "." + split(tag)
			}
		}
		r.describe(in, group.get("description").line(maxDescription))
	}
	for _, t := range list {
		r.describe(r.groups[t.get("name").line(100)], cmp.Or(t.about("description"), t.about("summary")))
	}
}

// describe adds a description to those of a namespace, which tags in other spellings and scripts share.
func (r *reader) describe(path, about string) {
	key := wire.CanonicalPath(path)
	if had := r.about[key]; had != "" && about != "" && had != about {
		if !r.set.work.spend(len(had) + len(about)) {
			return
		}
		about = had + "\n\n" + about
	}
	r.about[key] = clean.Cut(cmp.Or(about, r.about[key]), maxDescription)
}

// share reports the first operation of a tag whose namespace is that of another one.
func (r *reader) share(s *source) {
	tag, key := s.Tags[0], wire.CanonicalPath(s.Namespace)
	if r.tagged[key] == "" {
		r.tagged[key] = tag
	} else if first := r.tagged[key]; first != tag && !r.shared[tag] {
		r.shared[tag] = true
		r.report.note(s.Key, "the namespace of its tag %q is that of %q too", tag, first)
	}
}

// security finds the parameters that carry credentials. They are never asked of a model.
func (r *reader) security() {
	schemes := r.top.get("components").get("securitySchemes")
	for _, name := range schemes.names() {
		s, _, err := r.set.resolve(schemes.get(name))
		if err != nil {
			r.report.note("securitySchemes "+name, "its parameter may be an argument: %v", err)
		} else if s.text("type") == "apiKey" {
			r.secret[secret(s.text("in"), s.text("name"))] = true
		}
	}
}

// secret is a parameter that carries credentials. Services differ in whether case matters.
func secret(in, name string) string { return in + " " + strings.ToLower(name) }

// lint reports what makes the operation hard to find or to call.
func (r *reader) lint(s *source) {
	if s.Description == "" {
		r.report.note(s.Key, "it has no description")
	}
	if n := s.Plan.count(); n > 40 {
		r.report.note(s.Key, "it has %d arguments; models fill in few", n)
	}
	if !telling(wire.Join(s.Namespace, s.Name)) {
		r.report.note(s.Key, "nobody would search for the name %q", s.Name)
	}
}

// telling reports whether a name has a word of at least three letters.
func telling(name string) bool {
	for _, word := range strings.Fields(label.Words(strings.ToLower(label.From(name, "")))) {
		if len(word) >= 3 && strings.Trim(word, "0123456789") == word && !slices.Contains([]string{"get", "put", "post", "delete", "operation"}, word) {
			return true
		}
	}
	return false
}

// eachVariable returns a path with its variables replaced.
func eachVariable(path string, by func(name string) string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(path, "{")
		name, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			b.WriteString(path)
			return b.String()
		}
		b.WriteString(before + by(name))
		path = after
	}
}

// response describes the first response of success.
func (r *reader) response(s *source, n *node) {
	responses := n.get("responses")
	codes := slices.Clone(responses.names())
	slices.Sort(codes)
	for _, code := range codes {
		if !strings.HasPrefix(code, "2") {
			continue
		}
		response, _, err := r.set.resolve(responses.get(code))
		if err != nil {
			r.report.note(s.Key, "response %s: %v", code, err)
			continue
		}
		s.gives = strings.Clone(clean.FirstLine(clean.Beginning(response.text("description"), 8*200), 200))
		content := response.get("content")
		for _, media := range content.names() {
			if len(media) > maxMedia {
				continue
			}
			s.Plan.Accept = append(s.Plan.Accept, media)
			described, _, err := r.set.resolve(content.get(media))
			if err != nil {
				r.report.note(s.Key, "response %s: %v", code, err)
			}
			schema := described.get("schema")
			if s.Output == nil && isJSON(media) && schema != nil {
				s.Output = schema.raw // translated where it is asked for
				s.Plan.output = schema
			}
		}
		break
	}
	s.Plan.Accept = slices.DeleteFunc(s.Plan.Accept, func(media string) bool {
		return strings.ContainsFunc(media, func(c rune) bool { return c < ' ' || c > '~' || c == ',' })
	})
	s.Plan.Accept = s.Plan.Accept[:min(len(s.Plan.Accept), 10)]
}

// outputSchema returns the schema of the response, translated.
func (r *reader) outputSchema(s *source) (json.RawMessage, error) {
	if s.Plan.output == nil {
		return nil, errors.New("no response of success has a schema of JSON")
	}
	t := newTranslator(r.set, r.version, "writeOnly")
	root, _, err := r.set.resolve(s.Plan.output)
	if err != nil {
		return nil, err
	}
	if !t.alone(s.Plan.output) {
		root = s.Plan.output
	}
	schema := t.schema(root)
	if defs := t.definitions(); defs != nil && strictjson.KindOf(schema) == strictjson.Object {
		var b strictjson.Builder
		for key, value := range strictjson.Members(schema) {
			b.Add(key, value)
		}
		b.Add("$defs", defs)
		schema = b.Object()
	}
	if t.problem != nil {
		return nil, t.problem
	}
	if r.set.work.over() {
		return nil, errWork
	}
	return schema, nil
}
