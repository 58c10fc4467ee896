package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/toolid"
)

// A Remote is how a function runs that is somewhere else, such as on an upstream
// server; see [RemoteFunc].
type Remote struct {
	// Handler runs the function. It gets the whole [Call]. Required.
	Handler Handler
	// InputSchema describes the arguments. It may come from anywhere; empty is
	// an object that takes anything. One that does not say that it is of an
	// object is taken to be. Members that are the same in canonical form are told
	// apart by their spelling.
	InputSchema json.RawMessage
	// Unchecked leaves it to the other side to check arguments: the schema is
	// shown and not enforced.
	Unchecked bool
	// Page returns the other side's own page of help for the function, for
	// keyword arguments as in help (RFC 4.2). Nil lets faces write one.
	Page func(ctx context.Context, kwargs json.RawMessage) (string, error)
	// Gated says that the other side has a gate of its own and heeds
	// [Call.Gate].
	Gated bool
	// Tool is the name by which the other side knows the function. Empty is the
	// function's own.
	Tool string
	// Server tells apart what has the same definition on different servers; it is
	// not shown. Empty is of no account.
	Server string
	// ID is the function's id, where that does not follow from its place in the
	// tree. Its kind says what a call does: run a tool, read a resource, or get a
	// prompt. Zero derives the id of a tool.
	ID toolid.Primitive
	// Problem says why the other side's own input schema is not used. Faces that
	// promise to hold arguments to it refuse calls then ([InvalidSchema]). Nil
	// is no problem.
	Problem error
}

// RemoteFunc makes a function of what runs somewhere else. It is an error if the
// schema cannot be used or is of something else than an object, if the id is not valid,
// if there is no handler, and if an option is a mistake (see [FuncOption]).
func RemoteFunc(name, description string, r Remote, opts ...FuncOption) (*Function, error) {
	if r.Handler == nil {
		return nil, fmt.Errorf("function %q: handler is nil", name)
	}
	if r.ID != (toolid.Primitive{}) {
		if err := r.ID.Validate(); err != nil {
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
		checked:     shown,
		params:      newParams(shown.Params()),
		stuck:       new(atomic.Int32),
		origin:      sourceLine(),
		handler:     r.Handler,
		page:        r.Page,
		gated:       r.Gated,
		tool:        r.Tool,
		server:      r.Server,
		given:       r.ID,
		problem:     r.Problem,
		remote:      true,
	}
	if r.Unchecked {
		f.checked = anyObject()
	}
	if err := f.apply(opts); err != nil {
		return nil, fmt.Errorf("function %q: %w", name, err)
	}
	return f, nil
}

// parseRemoteInput is parseInput for schemas of others, in which it may go without
// saying that arguments are an object.
func parseRemoteInput(name string, text json.RawMessage) (*schema.Schema, error) {
	in, err := parseInput(name, text)
	if err != nil {
		return nil, err
	}
	switch typ, ok := typeOf(in.JSON()); {
	case !ok && strictjson.KindOf(text) == strictjson.Object:
		return parseInput(name, withType(text))
	case typ != "object":
		return nil, notOfObject(name)
	}
	return in, nil
}

// withType adds the type to the schema of an object.
func withType(text json.RawMessage) json.RawMessage {
	typed := []byte(`{"type":"object"`)
	rest := strictjson.Trim(text)[1:]
	if rest[strictjson.SkipSpace(rest, 0)] != '}' {
		typed = append(typed, ',')
	}
	return append(typed, rest...)
}

// anyObject is the schema of an object that takes anything.
func anyObject() *schema.Schema {
	s, err := schema.Parse([]byte(`{"type":"object"}`))
	if err != nil {
		panic("registry: " + err.Error())
	}
	return s
}

// Page returns the page of help that the function brings with it, for the
// keyword arguments in kwargs, a JSON object or empty; ok is false if it has
// none, and faces write one.
func (f *Function) Page(ctx context.Context, kwargs json.RawMessage) (text string, ok bool, err error) {
	if f.page == nil {
		return "", false, nil
	}
	text, err = f.page(ctx, kwargs)
	return text, true, err
}

// Gated reports whether the function runs behind a gate of its own, which heeds
// [Call.Gate].
func (f *Function) Gated() bool { return f.gated }

// Tool returns the name by which the server behind the function knows it: Name,
// unless the function was made by [RemoteFunc] and is called otherwise there.
func (f *Function) Tool() string {
	if f.tool == "" {
		return f.name
	}
	return f.tool
}

// Remote reports whether the function was made by [RemoteFunc]: it runs somewhere
// else.
func (f *Function) Remote() bool { return f.remote }

// Problem returns why the input schema that the server behind the function gives
// is not used; nil if it is. See [Remote].
func (f *Function) Problem() error { return f.problem }

// RemoteSkill makes a skill whose text is somewhere else. The text is filled in
// there; what is executable in it is removed here, as always. The errors are
// those of [RemoteFunc].
func RemoteSkill(name, description string, text func(ctx context.Context, args json.RawMessage) (string, error), opts ...SkillOption) (*Skill, error) {
	if text == nil {
		return nil, errors.New("skill " + quoteName(name) + ": no text")
	}
	s := &Skill{name: name, description: description, remote: text}
	if err := s.apply(opts); err != nil {
		return nil, fmt.Errorf("skill %q: %w", name, err)
	}
	return s, nil
}
