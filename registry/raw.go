package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// RawFunc makes a function of a handler that takes its arguments as JSON and builds its own result.
// Arguments are validated against inputSchema, a [json.RawMessage], which is published as given, or
// a *[jsonschema.Schema]. Nil or empty accepts any object. The schema may come from any origin and
// is screened. It must describe an object whose members differ in their canonical form.
//
// [CallFrom] gives f its call. The JSON of a result reaches the caller unchanged, with its key order and its spelling of
// numbers.
//
// RawFunc returns an error for a schema that cannot be used. It panics if f is nil and on the
// mistakes listed at [FuncOption].
func RawFunc(name, description string, inputSchema any, f func(context.Context, json.RawMessage) (*Result, error), opts ...FuncOption) (*Function, error) {
	origin := sourceLine()
	if f == nil {
		panic(fmt.Sprintf("registry: function %q (%s): handler is nil", name, origin))
	}
	text, err := schemaText(inputSchema)
	if err != nil {
		return nil, fmt.Errorf("function %q: input schema: %w", name, err)
	}
	in, err := parseInput(name, text)
	if err != nil {
		return nil, err
	}
	if typ, ok := typeOf(in.JSON()); !ok || typ != "object" {
		return nil, notOfObject(name)
	}
	if err := checkParams(in); err != nil {
		return nil, fmt.Errorf("function %q: %w", name, err)
	}
	made := &Function{
		name:        name,
		description: description,
		input:       in,
		params:      newParams(in.Params()),
		stuck:       new(atomic.Int32),
		origin:      origin,
		handler: func(ctx context.Context, c *Call) (*Result, error) {
			return f(c.within(ctx), c.Arguments)
		},
	}
	made.mustApply(opts)
	return made, nil
}

// schemaText returns the JSON of a schema given in one of the accepted types. Nil gives no text.
func schemaText(s any) (json.RawMessage, error) {
	switch s := s.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		return s, nil
	case []byte:
		return s, nil
	case *jsonschema.Schema:
		if s == nil {
			return nil, nil
		}
		return json.Marshal(s)
	}
	return nil, fmt.Errorf("a schema is a json.RawMessage or a *jsonschema.Schema, not a %T", s)
}

// parseInput parses the schema of the arguments of the named function.
func parseInput(name string, text json.RawMessage) (*schema.Schema, error) {
	return parseInputBy(schema.Parse, name, text)
}

func parseInputBy(parse func([]byte) (*schema.Schema, error), name string, text json.RawMessage) (*schema.Schema, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return anyObject(), nil
	}
	in, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("function %q: input schema: %w", name, err)
	}
	return in, nil
}

// typeOf returns the type in a schema; ok is false if the schema has none. typ is empty if it is
// not a single type.
func typeOf(inputSchema json.RawMessage) (typ string, ok bool) {
	value := strictjson.Member(inputSchema, "type")
	return strictjson.Text(value), value != nil
}

func notOfObject(name string) error {
	return fmt.Errorf(`function %q: input schema must have "type": "object"`, name)
}

// checkParams refuses two parameters with one canonical form (R26).
func checkParams(in *schema.Schema) error {
	seen := make(map[string]string)
	for _, p := range in.Params() {
		c, ok := Canonical(p.Name)
		if !ok {
			continue // only the exact spelling matches
		}
		if other, dup := seen[c]; dup {
			return fmt.Errorf("parameters %q and %q have the same canonical form %q", other, p.Name, c)
		}
		seen[c] = p.Name
	}
	return nil
}
