package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"

	"github.com/cash-mcp/go-sdk/internal/schema"
)

// Func makes a function of a typed handler.
//
// In is a struct, a pointer to one, or a map with string keys. Three tag keys describe its fields:
// json names a field and makes it optional (omitempty or omitzero), jsonschema describes it to the
// model, and cash constrains it. cash is a comma-separated list of
//
//	enum=a|b  min=1  max=9  minLength=1  maxLength=80  pattern='^[A-Z]{2,4}$'
//	format=date  minItems=1  default=normal  example=C-42  advanced
//
// A value with a comma stands in single quotes. On a slice of scalars, all rules except minItems
// bound the elements. Base help leaves out parameters marked advanced.
//
// f gets only arguments that keep these rules, with defaults filled in. Keys are matched in
// canonical form at the top level, where a hyphen in a json name counts as an underscore, and
// exactly below it. Integers are exact. An interface gets its numbers as [json.Number]. A type that
// brings its own schema is a [Schemer]; [TypeSchema] gives a schema to a type of another package,
// and [Enum] names to the values of an integer type. The package comment lists Go types with what a
// model sees of them.
//
// [CallFrom] gives f its call: progress, the client, metadata of the request.
//
// Out is a string (the text itself), [json.RawMessage] (sent as it is), an mcp.Content or a slice
// of them, a *mcp.CallToolResult, a *[Result], or any type with a JSON form, which becomes compact
// JSON text. In the structs of Out, the cash key sets what is shown below [Full] detail:
//
//	detail=minimal  detail=standard  detail=full  excerpt=80
//
// The first three are the lowest level that shows the field. In a struct with such a field, fields
// without a level are shown from standard on. The fields of an embedded struct count as the
// struct's own; a level on the embedded struct is the least for all of them. An excerpt cuts a text
// below full to this many characters, at the end of a word, with an ellipsis. The results of a type
// without these tags are trimmed by general rules, see the package comment. See also [Detailer].
//
// Faces with typed results also send a result as structured content, with a schema that is inferred from
// Out ([Function.OutputSchema]).
//
// Func panics with all mistakes in In and Out, each with type, field, reason and what to write, and on
// every mistake listed at [FuncOption].
func Func[In, Out any](name, description string, f func(context.Context, In) (Out, error), opts ...FuncOption) *Function {
	made, decode, encode := newTyped[In, Out](name, description, sourceLine(), f == nil, opts)
	made.handler = func(ctx context.Context, c *Call) (*Result, error) {
		var in In
		if err := decode(c.Arguments, &in); err != nil {
			return nil, decodeError(c, err)
		}
		out, err := f(c.within(ctx), in)
		if err != nil {
			return nil, err
		}
		return encode(c, out)
	}
	return made
}

// StreamFunc is [Func] for a handler that reports progress while it works. Its results are exempt
// from the gate (RFC 7.4). An error from report means that the connection is gone.
func StreamFunc[In, Out any](name, description string, f func(ctx context.Context, in In, report func(Progress) error) (Out, error), opts ...FuncOption) *Function {
	made, decode, encode := newTyped[In, Out](name, description, sourceLine(), f == nil, opts)
	made.streaming = true
	made.handler = func(ctx context.Context, c *Call) (*Result, error) {
		var in In
		if err := decode(c.Arguments, &in); err != nil {
			return nil, decodeError(c, err)
		}
		out, err := f(c.within(ctx), in, func(p Progress) error { return c.Report(ctx, p) })
		if err != nil {
			return nil, err
		}
		return encode(c, out)
	}
	return made
}

// newTyped makes a function from In to Out without its handler. It also returns the decoder of
// arguments and the encoder of results, which the handler calls.
func newTyped[In, Out any](name, description, origin string, noHandler bool, opts []FuncOption) (*Function, func([]byte, any) error, encoder) {
	mistake := func(what any) { panic(fmt.Sprintf("registry: function %q (%s): %v", name, origin, what)) }
	if noHandler {
		mistake("handler is nil; pass a function")
	}
	given, opts, err := typeOptions(opts)
	if err != nil {
		mistake(err)
	}
	var all schema.Mistakes
	in, err := schema.ForArguments(reflect.TypeFor[In](), given)
	all.Add(err)
	all.Add(checkOutput(reflect.TypeFor[Out]()))
	if err := all.Err(); err != nil {
		mistake(err)
	}
	encode, returns := encoderFor(reflect.TypeFor[Out]())
	made := &Function{
		name: name, description: description, origin: origin, derived: returns, out: reflect.TypeFor[Out](),
		input: in, params: newTypedParams(in.Params()), stuck: new(atomic.Int32),
	}
	s := outputShape(reflect.TypeFor[Out]())
	made.tagged, made.fixed, made.counted = s.tags, !s.shrink, !isWritten(reflect.TypeFor[Out]())
	made.mustApply(opts)
	decode := json.Unmarshal
	if holdsInterface(reflect.TypeFor[In](), nil) {
		decode = unmarshalExact
	}
	if !in.Converts() {
		return made, decode, encode
	}
	return made, func(data []byte, v any) error { return decode(in.Native(data), v) }, encode
}

// unmarshalExact decodes numbers without a Go type as [json.Number], which keeps their spelling.
func unmarshalExact(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return dec.Decode(v)
}

// decodeError returns the error for arguments that pass the schema but cannot be decoded, for
// example because a type's UnmarshalJSON refuses them. The cause may hold values, so it is not
// shown.
func decodeError(c *Call, err error) error {
	msg := "The arguments do not fit the function."
	var t *json.UnmarshalTypeError
	if errors.As(err, &t) && t.Field != "" {
		msg = fmt.Sprintf("The argument `%s` does not fit: a JSON %s cannot be used there.", cleanName(t.Field), firstWord(t.Value))
	}
	return &Error{Kind: InvalidArguments, Namespace: c.Function.namespace, Name: c.Function.name, Message: msg, Err: err}
}

func firstWord(s string) string {
	for i, c := range s {
		if c == ' ' {
			return s[:i]
		}
	}
	return s
}

// holdsInterface reports whether decoding into t can put values into an interface. encoding/json
// would make float64s of numbers there.
func holdsInterface(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map, reflect.Struct:
	default:
		return false
	}
	if seen == nil {
		seen = make(map[reflect.Type]bool)
	}
	seen[t] = true
	if t.Kind() != reflect.Struct {
		return holdsInterface(t.Elem(), seen)
	}
	for i := range t.NumField() {
		if holdsInterface(t.Field(i).Type, seen) {
			return true
		}
	}
	return false
}
