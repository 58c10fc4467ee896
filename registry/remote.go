package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/toolid"
)

// A Remote tells [RemoteFunc] how to run a function on another server, such as an upstream.
type Remote struct {
	// Handler runs the function. It gets the whole [Call]. Required.
	Handler Handler
	// InputSchema describes the arguments. It may come from any origin. Empty accepts any object. A
	// schema without a type is taken as one of an object. Members with one canonical form are told
	// apart by their exact spelling.
	InputSchema json.RawMessage
	// Partial says in words what InputSchema does not hold of the other server's rules, because that
	// server does not tell them. Empty: it holds all of them.
	Partial string
	// Read reads the description of the arguments from the other server, in place of InputSchema,
	// Partial and Problem. It is called before the arguments of each call are checked, and caches its
	// answer. Nil: the description is known.
	Read func(ctx context.Context) (*Input, error)
	// Plan makes a dry run of the call on the other server, and adds what that reports to c.Plan.
	// Nothing runs on any server. Nil: a dry run reports the checks of this server.
	Plan func(ctx context.Context, c *Call) error
	// Page returns the other server's page of help for the function. kwargs are those of help (RFC
	// 4.2). Nil: the face writes the page.
	Page func(ctx context.Context, kwargs json.RawMessage) (string, error)
	// OwnDefaults declares that the other server decides on arguments that are not given: they stay missing,
	// as a default may not be meant for each call. False fills in the defaults at the top of the schema.
	OwnDefaults bool
	// Gated declares that the other server has a gate of its own and heeds [Call.Gate].
	Gated bool
	// Tool is the function's name on the other server. Empty is the function's own name.
	Tool string
	// Server tells apart equal definitions on different servers. It is not shown. Empty makes no
	// difference.
	Server string
	// ID is the function's id if it does not follow from its place in the tree. Its kind is the
	// effect of a call: run a tool, read a resource, or get a prompt. Zero derives the id of a
	// tool.
	ID toolid.Primitive
	// Instead is the id to take if ID is also that of another function of the registry; see
	// [Function.Contested]. Zero derives the id from the place in the tree.
	Instead toolid.Primitive
	// ServerName is the configured name of the function's server (server_name in section 1.2 of the
	// gateway surface). An exported catalog states it. Empty is not known.
	ServerName string
	// Native is the function's definition in the protocol of its own server, if that is not MCP. Faces
	// with the same protocol pass it on. Nil is none.
	Native json.RawMessage
	// Problem is the reason why the other server's input schema is not used. Faces that must check
	// arguments against it refuse calls ([InvalidSchema]). Nil: the schema is used.
	Problem error
	// Limits bound the schema. If it is over them, [Function.Warnings] say so. Nil is no limit.
	Limits *SchemaLimits
}

// An Input is another server's description of the arguments of a function, as in [Remote]. It does
// not change.
type Input struct {
	Schema  json.RawMessage
	Partial string
	Problem error

	parse  sync.Once
	parsed *schema.Schema
}

// RemoteFunc makes a function that runs on another server. It returns an error if the schema cannot
// be used or does not describe an object, if the id is invalid, if the handler is nil, and on the
// mistakes listed at [FuncOption].
//
// A schema whose only mistakes are names of types that do not exist, such as str, int and float, is shown
// and searched. What is valid in it is checked, unless that would refuse valid arguments. The mistake is
// the function's [Function.Problem].
func RemoteFunc(name, description string, r Remote, opts ...FuncOption) (*Function, error) {
	if r.Handler == nil {
		return nil, fmt.Errorf("function %q: handler is nil", name)
	}
	for _, id := range []toolid.Primitive{r.ID, r.Instead} {
		if id == (toolid.Primitive{}) {
			continue
		}
		if err := id.Validate(); err != nil {
			return nil, fmt.Errorf("function %q: id: %w", name, err)
		}
	}
	shown, err := parseRemoteInput(name, r.InputSchema)
	if err != nil {
		return nil, err
	}
	f := &Function{
		name:        name,
		description: description,
		input:       shown,
		params:      newParams(shown.Params()),
		stuck:       new(atomic.Int32),
		origin:      sourceLine(),
		handler:     r.Handler,
		page:        r.Page,
		read:        r.Read,
		plan:        r.Plan,
		gated:       r.Gated,
		sparse:      r.OwnDefaults,
		tool:        r.Tool,
		server:      r.Server,
		given:       r.ID,
		instead:     r.Instead,
		serverName:  r.ServerName,
		native:      r.Native,
		partial:     r.Partial,
		problem:     r.Problem,
		remote:      true,
	}
	if f.problem == nil && shown.Problem() != nil {
		f.problem, f.shown = shown.Problem(), true
	}
	if r.Limits != nil {
		f.warnings = r.Limits.Excess(r.InputSchema)
	}
	for _, note := range shown.Notes() {
		f.warnings = append(f.warnings, "has a rule that is not checked: "+note)
	}
	if err := f.apply(opts); err != nil {
		return nil, fmt.Errorf("function %q: %w", name, err)
	}
	return f, nil
}

// parseRemoteInput is parseInput for a schema of another server, which may lack its type "object".
func parseRemoteInput(name string, text json.RawMessage) (*schema.Schema, error) {
	in, err := parseForeign(name, text)
	if err != nil {
		return nil, err
	}
	switch typ, ok := typeOf(in.JSON()); {
	case !ok && strictjson.KindOf(text) == strictjson.Object:
		return parseForeign(name, withMember(text, `"type":"object"`))
	case typ != "object":
		return nil, notOfObject(name)
	}
	return in, nil
}

func parseForeign(name string, text json.RawMessage) (*schema.Schema, error) {
	return parseInputBy(schema.ParseForeign, name, text)
}

// withMember returns an object with another member, which becomes the first.
func withMember(object []byte, member string) []byte {
	made := append([]byte{'{'}, member...)
	rest := strictjson.Trim(object)[1:]
	if rest[strictjson.SkipSpace(rest, 0)] != '}' {
		made = append(made, ',')
	}
	return append(made, rest...)
}

// anyObject returns the schema that accepts any object.
func anyObject() *schema.Schema {
	s, err := schema.Parse([]byte(`{"type":"object"}`))
	if err != nil {
		panic("registry: " + err.Error())
	}
	return s
}

// Complete returns f with the description of its arguments, which may have to be read from its own
// server ([Remote].Read). The id stays the same. The error is an *[Error].
func (f *Function) Complete(ctx context.Context) (*Function, error) {
	if f.read == nil {
		return f, nil
	}
	in, err := f.read(ctx)
	if err != nil {
		e := *AsError(err)
		e.Namespace, e.Name, e.NotRun = f.namespace, f.name, true
		return nil, &e
	}
	in.parse.Do(func() {
		if in.parsed, err = parseRemoteInput(f.name, in.Schema); err != nil {
			in.parsed, in.Problem = anyObject(), err
		}
	})
	g := *f
	g.input, g.params = in.parsed, newParams(in.parsed.Params())
	g.partial, g.problem, g.given, g.read = in.Partial, in.Problem, f.Primitive(), nil
	g.instead, g.moved = toolid.Primitive{}, false
	g.idCache = new(identity)
	return &g, nil
}

// Partial says what of the arguments is not checked before the function's own server is called
// ([Remote]). Empty: everything is.
func (f *Function) Partial() string {
	switch {
	case f.shown && f.input.Enforceable():
		return "What the invalid parts of the schema say was not checked."
	case f.problem != nil:
		return "Nothing was checked: the input schema of its server is in error."
	case f.read != nil:
		return "What its server tells of the arguments has not been read yet."
	}
	return f.partial
}

// Page returns the function's own page of help ([Remote].Page). kwargs are keyword arguments, a
// JSON object or empty. ok is false if there is no such page; faces then write one.
func (f *Function) Page(ctx context.Context, kwargs json.RawMessage) (text string, ok bool, err error) {
	if f.page == nil {
		return "", false, nil
	}
	text, err = f.page(ctx, kwargs)
	return text, true, err
}

// Gated reports whether the function has a gate of its own, which heeds [Call.Gate].
func (f *Function) Gated() bool { return f.gated }

// Tool returns the function's name on its own server ([Remote].Tool), else its Name.
func (f *Function) Tool() string {
	if f.tool == "" {
		return f.name
	}
	return f.tool
}

// ServerName returns the configured name of the function's server ([Remote].ServerName), or "".
func (f *Function) ServerName() string { return f.serverName }

// Native returns the definition in the protocol of the function's own server ([Remote].Native), or nil. It must not be
// modified.
func (f *Function) Native() json.RawMessage { return f.native }

// Remote reports whether [RemoteFunc] made the function: it runs on another server.
func (f *Function) Remote() bool { return f.remote }

// Problem returns the reason why the other server's input schema is not used, or nil. See [Remote].
func (f *Function) Problem() error { return f.problem }

// SchemaShown reports whether the schema is used in spite of the [Function.Problem]: it is shown, and
// its valid rules are checked, unless that would refuse valid arguments.
func (f *Function) SchemaShown() bool { return f.shown }

// Warnings returns what is unusual about the other server's input schema, for operators: limits that it
// exceeds ([Remote].Limits), and rules that are not checked. Calls are not refused for it.
func (f *Function) Warnings() []string { return slices.Clone(f.warnings) }

// RemoteSkill makes a skill whose text is on another server. That server fills in the inputs.
// Executable content is removed here, as always. The errors are those of [RemoteFunc].
func RemoteSkill(name, description string, text func(ctx context.Context, args json.RawMessage) (string, error), opts ...SkillOption) (*Skill, error) {
	if text == nil {
		return nil, errors.New("skill " + quoteName(name) + ": no text")
	}
	s := &Skill{name: name, description: description, remote: text}
	err := s.apply(opts)
	if err == nil && s.withFiles {
		err = errNoFolder
	}
	if err != nil {
		return nil, fmt.Errorf("skill %q: %w", name, err)
	}
	return s, nil
}
