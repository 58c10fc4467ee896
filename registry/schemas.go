package registry

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cash-mcp/go-sdk/internal/schema"
)

// A Schemer is a type of arguments that brings its own JSON Schema, such as one with an
// UnmarshalJSON. The method is called once, on a zero value. It may have a value or a pointer
// receiver. A struct that embeds a Schemer is one by Go's rules. It needs a method of its own if it
// has other fields.
//
//   - The schema replaces the inferred one wherever the type occurs. It is screened as that of
//     [RawFunc].
//   - Arguments that pass the schema are also decoded before the handler is called.
//   - References inside it ("#/$defs/...") are rewritten. $id, $anchor, $dynamicRef and older
//     drafts are refused.
//   - A pointer to the type also accepts null.
//   - The tags of a field add to the schema. They replace its description, default and examples.
//     [Func] panics if they contradict the schema or do not fit its type.
type Schemer interface {
	JSONSchema() *jsonschema.Schema
}

// TypeSchema gives a schema to a type of another package, which cannot be a [Schemer]: a
// [json.RawMessage] or a *[jsonschema.Schema]. It is an option of [Func] and [StreamFunc] and holds
// for that function alone. It applies wherever T occurs in In, except as the key of a map, and
// overrides a schema that T brings. A T that does not occur is a mistake.
func TypeSchema[T any](s any) FuncOption { return typeSchema{reflect.TypeFor[T](), s} }

// typeSchema is the option of [TypeSchema].
type typeSchema struct {
	typ    reflect.Type
	schema any
}

func (o typeSchema) applyFunction(*Function) error {
	return fmt.Errorf("%v is an option of Func and StreamFunc: the schema of this function is not inferred", o)
}

func (o typeSchema) String() string { return fmt.Sprintf("TypeSchema[%v]", o.typ) }

// text returns the schema as JSON.
func (o typeSchema) text() (json.RawMessage, error) {
	text, err := schemaText(o.schema)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%v: %w", o, err)
	case o.typ.Kind() == reflect.Pointer:
		return nil, fmt.Errorf("%v: give the schema of %v; a pointer to it accepts null as well", o, o.typ.Elem())
	case len(text) == 0:
		return nil, fmt.Errorf("%v: the schema is empty", o)
	}
	return text, nil
}

// typeSchemas splits the options of a typed function into the schemas for types and the rest.
func typeSchemas(opts []FuncOption) (given map[reflect.Type]json.RawMessage, rest []FuncOption, err error) {
	for _, opt := range opts {
		o, ok := opt.(typeSchema)
		if !ok {
			rest = append(rest, opt)
			continue
		}
		if given == nil {
			given = make(map[reflect.Type]json.RawMessage)
		}
		if given[o.typ] != nil {
			return nil, nil, fmt.Errorf("%v is given twice", o)
		}
		if given[o.typ], err = o.text(); err != nil {
			return nil, nil, err
		}
	}
	return given, rest, nil
}

// inputSchema returns the schema for arguments of type t. given are the schemas for types.
func inputSchema(t reflect.Type, given map[reflect.Type]json.RawMessage) (*schema.Schema, error) {
	elem := t
	for elem.Kind() == reflect.Pointer {
		elem = elem.Elem()
	}
	if k := elem.Kind(); k != reflect.Struct && k != reflect.Map {
		return nil, fmt.Errorf("type %v: arguments must be a struct or a map with string keys", t)
	}
	infer := schema.ForType
	if given != nil {
		infer = func(t reflect.Type) (*schema.Schema, error) { return schema.ForTypeWith(t, given) }
	}
	s, err := infer(elem)
	if err != nil {
		return nil, err
	}
	if typ, said := typeOf(s.JSON()); typ != "object" && (said || len(s.JSON()) > len("{}")) {
		return nil, fmt.Errorf(`type %v: its own schema must have "type": "object"`, t)
	}
	return s, s.CheckNames()
}

// Schemas returns the schemas of the arguments and of the result as values of jsonschema-go. They
// belong to the caller. output is nil if the result has no schema. jsonschema-go does not keep the
// order of keys, the spelling of numbers, digits beyond a float64, and the difference between {}
// and true. [Function.InputSchema] and [Function.OutputSchema] have the published text.
//
// The error: jsonschema-go cannot read a schema, such as one of an older draft. That cannot happen
// for the input of [Func].
func (f *Function) Schemas() (input, output *jsonschema.Schema, err error) {
	if err := json.Unmarshal(f.InputSchema(), &input); err != nil {
		return nil, nil, fmt.Errorf("function %q: input schema: %w", f.name, err)
	}
	text := f.OutputSchema()
	if text == nil {
		return input, nil, nil
	}
	if err := json.Unmarshal(text, &output); err != nil {
		return nil, nil, fmt.Errorf("function %q: output schema: %w", f.name, err)
	}
	return input, output, nil
}
