package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/bounded"
	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/toolid"
)

// A Function is a callable entry of the tree: its name, its description and its handler. [Func],
// [StreamFunc] and [RawFunc] make one. It never changes, and may be added to any number of
// namespaces.
type Function struct {
	name        string
	description string

	// Set by options.
	summary     string
	aliases     []string
	tags        []string
	costHint    float64
	returns     string // empty is derived from the result's type
	title       string
	icons       []mcp.Icon
	meta        json.RawMessage
	output      *output      // declared; nil is that of out
	out         reflect.Type // of a typed handler's results; else nil
	readOnly    bool
	destructive hint
	idempotent  hint
	openWorld   hint
	structured  bool
	textOnly    bool
	deprecated  bool
	untrimmed   bool
	timeout     time.Duration
	visibleTo   Visibility
	options     []string // the names of the options given; nil after construction

	namespace string
	streaming bool
	handler   Handler
	input     *schema.Schema // published, and enforced
	params    *params
	derived   string          // the description of the result's type
	tagged    bool            // tags in the result's type choose what levels of detail show
	fixed     bool            // without tags, no level of detail changes the result
	counted   bool            // the encoder counts lists
	origin    string          // source line of the constructor
	stuck     *atomic.Int32   // abandoned calls that have not ended
	places    *bounded.Places // of the calls at a time; nil is no limit
	searched  *searched       // nil outside of a namespace
	idCache   *identity       // nil outside of a namespace

	// For functions on other servers; see Remote.
	page     func(context.Context, json.RawMessage) (string, error)
	read     func(context.Context) (*Input, error)
	plan     func(context.Context, *Call) error
	gated    bool
	sparse   bool // it has defaults of its own
	tool     string
	server   string
	given    toolid.Primitive
	instead  toolid.Primitive
	moved    bool // it has instead, or the id of its place; see claim.go
	partial  string
	problem  error
	shown    bool     // the schema with the problem is shown
	warnings []string // about the schema
	remote   bool
	// serverName is the name of its server in configuration and catalogs.
	serverName string
	native     json.RawMessage
}

// Name returns the function's label as registered. It is matched in canonical
// form.
func (f *Function) Name() string { return f.name }

// Description returns the description for the model. Lists show its first line.
func (f *Function) Description() string { return f.description }

// Summary returns the author's own short line ([Summary]). It may be empty.
func (f *Function) Summary() string { return f.summary }

// Aliases returns other words for the function ([Aliases]). The slice must not be modified.
func (f *Function) Aliases() []string { return f.aliases }

// Tags returns the words by which operators sort functions ([Tags]). The slice must not be
// modified.
func (f *Function) Tags() []string { return f.tags }

// CostHint returns the cost of a call in the operator's unit ([CostHint]). 0 is not declared.
func (f *Function) CostHint() float64 { return f.costHint }

// ReadOnly reports whether a call changes nothing ([ReadOnly]).
func (f *Function) ReadOnly() bool { return f.readOnly }

// Destructive reports whether the function declares that a call may delete or overwrite
// ([Destructive]).
func (f *Function) Destructive() bool { return f.destructive.yes }

// Idempotent reports whether the function declares that the same call twice has the
// effect of once ([Idempotent]).
func (f *Function) Idempotent() bool { return f.idempotent.yes }

// Hints returns the declared effects of the function, as in MCP's annotations.
func (f *Function) Hints() Hints {
	return Hints{f.readOnly, f.destructive.pointer(), f.idempotent.pointer(), f.openWorld.pointer()}
}

// Structured reports whether results are sent as structured content too
// ([Structured]).
func (f *Function) Structured() bool { return f.structured }

// TextOnly reports whether results are sent as text alone, without an output schema ([TextOnly]).
func (f *Function) TextOnly() bool { return f.textOnly }

// Timeout returns the deadline of one call. Zero is the server's; negative is none.
func (f *Function) Timeout() time.Duration { return f.timeout }

// Returns returns the description of the result: that of the option [Returns], else that of the
// result's type. It may be empty.
func (f *Function) Returns() string { return cmp.Or(f.returns, f.derived) }

// Namespace returns the dotted path of the namespace that the function was
// added to, as registered; empty for the root.
func (f *Function) Namespace() string { return f.namespace }

// Path returns the function's full dotted name.
func (f *Function) Path() string { return join(f.namespace, f.name) }

// Streaming reports whether the function was made by [StreamFunc]: its results
// are exempt from the gate (RFC 7.4).
func (f *Function) Streaming() bool { return f.streaming }

// InputSchema returns the JSON Schema of the arguments.
func (f *Function) InputSchema() json.RawMessage { return f.input.JSON() }

// Params describes the top-level parameters in declared order. The slice must
// not be modified.
func (f *Function) Params() []Param { return f.params.list }

// Param returns the parameter for a caller's spelling of its name.
func (f *Function) Param(name string) (Param, bool) { return f.params.find(name) }

// Filters returns the names of the optional parameters. A caller can narrow a result with them.
func (f *Function) Filters() []string {
	var names []string
	for _, p := range f.Params() {
		if !p.Required {
			names = append(names, p.Name)
		}
	}
	return names
}

// Check returns the error for arguments that a call would refuse, of kind [InvalidArguments], or
// nil. arguments is a JSON object with keys as declared.
func (f *Function) Check(ctx context.Context, arguments json.RawMessage) error {
	if err := strictjson.Check(arguments); err != nil {
		return unreadable(err)
	}
	if err := f.input.Check(ctx, arguments); err != nil {
		return &Error{Kind: InvalidArguments, Message: "Invalid arguments: " + err.Error() + ".", Err: err}
	}
	return nil
}

// In returns a copy of f that belongs to the namespace at path. It is for
// sources other than a [Registry], which sets the namespace itself.
func (f *Function) In(path string) *Function {
	g := *f
	g.namespace = path
	g.stuck = new(atomic.Int32) // the calls of another place do not count here
	g.searched = &searched{of: &g}
	g.idCache = new(identity)
	return &g
}

// With returns a copy of f with another description, unless it is empty, and with opts in place of
// the same facts of f. Another description drops f's [Summary]. A [VisibleTo] holds in addition to f's own. It is
// for sources that wrap another source. With panics as [Func] does.
func (f *Function) With(description string, opts ...FuncOption) *Function {
	g := f.In(f.namespace)
	if description != "" {
		g.description, g.summary = description, ""
	}
	params := *f.params
	g.params = &params // a new pointer, as in every constructor; see same
	g.stuck = f.stuck
	g.visibleTo = nil
	g.origin = sourceLine()
	g.mustApply(opts)
	g.visibleTo = both(f.visibleTo, g.visibleTo)
	return g
}

// sourceLine returns file:line of its caller's caller.
func sourceLine() string {
	_, file, line, ok := runtime.Caller(2)
	if !ok {
		return "unknown location"
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// Open reports whether the function accepts arguments that it does not declare.
func (f *Function) Open() bool { return !f.input.Closed() }
