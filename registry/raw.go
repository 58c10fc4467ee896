package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// RawFunc makes a function of a handler that takes its arguments as JSON and
// builds its own result. Arguments are validated against inputSchema, which
// may come from anywhere: it is screened, and must describe an object, no two of
// whose members are the same in canonical form. Empty is an object that takes
// anything. The published schema is the text as given.
//
// A result's JSON reaches the caller as it is, key order and spelling of
// numbers included.
func RawFunc(name, description string, inputSchema json.RawMessage, f func(context.Context, json.RawMessage) (*Result, error)) (*Function, error) {
	if f == nil {
		return nil, fmt.Errorf("function %q: handler is nil", name)
	}
	in, err := parseInput(name, inputSchema)
	if err != nil {
		return nil, err
	}
	if typ, ok := typeOf(in.JSON()); !ok || typ != "object" {
		return nil, notOfObject(name)
	}
	if err := checkParams(in); err != nil {
		return nil, fmt.Errorf("function %q: %w", name, err)
	}
	return &Function{
		Name:        name,
		Description: description,
		input:       in,
		checked:     in,
		params:      newParams(in.Params()),
		stuck:       new(atomic.Int32),
		origin:      sourceLine(0),
		handler: func(ctx context.Context, c *Call) (*Result, error) {
			return f(ctx, c.Arguments)
		},
	}, nil
}

// parseInput reads the schema of the arguments of the function name.
func parseInput(name string, text json.RawMessage) (*schema.Schema, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return anyObject(), nil
	}
	in, err := schema.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("function %q: input schema: %w", name, err)
	}
	return in, nil
}

// typeOf returns what a schema says of its type, and whether it says anything;
// empty is something else than one type.
func typeOf(inputSchema json.RawMessage) (typ string, ok bool) {
	for key, value := range strictjson.Members(inputSchema) {
		if key == "type" {
			if strictjson.KindOf(value) == strictjson.String {
				typ = strictjson.Text(value)
			}
			return typ, true
		}
	}
	return "", false
}

func notOfObject(name string) error {
	return fmt.Errorf(`function %q: input schema must have "type": "object"`, name)
}

// checkParams refuses two parameters of one canonical form (R26).
func checkParams(in *schema.Schema) error {
	seen := make(map[string]string)
	for _, p := range in.Params() {
		c, ok := Canonical(p.Name)
		if !ok {
			continue // such a name matches only itself
		}
		if other, dup := seen[c]; dup {
			return fmt.Errorf("parameters %q and %q have the same canonical form %q", other, p.Name, c)
		}
		seen[c] = p.Name
	}
	return nil
}
