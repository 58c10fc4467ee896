package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/toolid"
)

// A Function is something that can be called: its name, what it says of
// itself, and its handler. Make one with [Func], [StreamFunc] or [RawFunc], set
// the optional facts, and add it to a namespace. Add copies it: later changes
// have no effect. A function that a [Source] returns must not be modified.
type Function struct {
	// Name is a label; shown as registered, matched in canonical form.
	Name string
	// Description is for the model. Its first line stands in lists.
	Description string
	// Aliases are other words for what the function does, such as users say: a
	// search finds it by them as by its name. It is not called by them.
	Aliases []string
	// Tags are words by which operators sort functions, such as "billing" or
	// "pii": rules may name them and cards show them. A search does not look at
	// them.
	Tags []string
	// Returns describes the result. Empty is derived from the result's type.
	Returns string
	// ResultSchema describes the result as JSON Schema, for faces that show such.
	// Empty is not to say.
	ResultSchema json.RawMessage
	// ReadOnly declares that a call changes nothing: it may be run again at
	// will. False means that it may change something.
	ReadOnly bool
	// Idempotent declares that the same call twice has the effect of once.
	Idempotent bool
	// Destructive declares that a call may delete or overwrite.
	Destructive bool
	// Structured sends the result as structured content in addition to its
	// text. It costs the model the result twice; false sends text only.
	Structured bool
	// Timeout is the deadline of one call. Zero is the server's; negative is none.
	Timeout time.Duration
	// VisibleTo decides who sees the function, among those who see its
	// namespace. Nil is everyone.
	VisibleTo Visibility

	namespace string
	streaming bool
	handler   Handler
	input     *schema.Schema // what is published
	checked   *schema.Schema // what arguments are held to
	params    *params
	returns   string
	origin    string        // source line of the constructor
	stuck     *atomic.Int32 // calls given up on that have not ended
	searched  *searched     // nil outside of a namespace
	known     *identity     // the same

	// Of functions that run somewhere else; see Remote.
	page    func(context.Context, json.RawMessage) (string, error)
	gated   bool
	tool    string
	server  string
	given   toolid.Primitive
	problem error
	remote  bool
}

// Namespace returns the dotted path of the namespace that the function was
// added to, as registered; empty for the root.
func (f *Function) Namespace() string { return f.namespace }

// Path returns the function's full dotted name.
func (f *Function) Path() string { return join(f.namespace, f.Name) }

// Streaming reports whether the function was made by [StreamFunc]: its results
// are exempt from the gate (RFC 7.4).
func (f *Function) Streaming() bool { return f.streaming }

// InputSchema returns the JSON Schema of the arguments.
func (f *Function) InputSchema() json.RawMessage { return f.input.JSON() }

// Params describes the top-level parameters in declared order. The slice must
// not be modified.
func (f *Function) Params() []Param { return f.params.list }

// Param returns the parameter that a caller's spelling of its name stands for.
func (f *Function) Param(name string) (Param, bool) { return f.params.find(name) }

// Filters returns the names of the optional parameters, by which what a call
// answers may be narrowed.
func (f *Function) Filters() []string {
	var names []string
	for _, p := range f.Params() {
		if !p.Required {
			names = append(names, p.Name)
		}
	}
	return names
}

// Check returns why a call with these arguments, a JSON object with keys as
// declared, would be refused: an error of kind [InvalidArguments], or nil.
func (f *Function) Check(ctx context.Context, arguments json.RawMessage) error {
	if err := strictjson.Check(arguments); err != nil {
		return invalidArguments("The arguments are not valid JSON: " + err.Error() + ".")
	}
	if err := f.checked.Check(ctx, arguments); err != nil {
		return &Error{Kind: InvalidArguments, Message: "Invalid arguments: " + err.Error() + ".", Err: err}
	}
	return nil
}

// Result describes what a call answers: Returns, else what the result's type
// says, else nothing.
func (f *Function) Result() string {
	if f.Returns != "" {
		return f.Returns
	}
	return f.returns
}

// In returns a copy of f that belongs to the namespace at path. It is for
// sources other than a [Registry], which sets the namespace itself.
func (f *Function) In(path string) *Function {
	g := *f
	g.namespace = path
	g.stuck = new(atomic.Int32) // calls of another place are not ours
	g.searched = &searched{of: &g}
	g.known = new(identity)
	g.Aliases, g.Tags = slices.Clone(f.Aliases), slices.Clone(f.Tags)
	return &g
}

// sourceLine returns file:line of the caller skip frames above its own caller.
func sourceLine(skip int) string {
	_, file, line, ok := runtime.Caller(skip + 2)
	if !ok {
		return "unknown location"
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// Open reports whether the function takes arguments that it does not declare.
func (f *Function) Open() bool { return !f.checked.Closed() }
