package registry

import (
	"encoding/json"
	"errors"
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
//   - It also describes results, if the type writes its own JSON and the schema has no references.
//   - The tags of a field add to the schema. They replace its description, default and examples.
//     [Func] panics if they contradict the schema or do not fit its type.
type Schemer interface {
	JSONSchema() *jsonschema.Schema
}

// TypeSchema gives a schema to a type of another package, which cannot be a [Schemer]: a
// [json.RawMessage] or a *[jsonschema.Schema]. It is an option of [Func] and [StreamFunc] and holds
// for that function alone. It applies wherever T occurs in In, except as the key of a map, and
// overrides a schema that T brings. A T that does not occur is a mistake.
func TypeSchema[T any](s any) FuncOption {
	return typeOption{"TypeSchema", reflect.TypeFor[T](), func(given *schema.Given) (err error) {
		given.Schema, err = schemaText(s)
		switch {
		case err != nil:
			return err
		case reflect.TypeFor[T]().Kind() == reflect.Pointer:
			return fmt.Errorf("give the schema of %v; a pointer to it accepts null as well", reflect.TypeFor[T]().Elem())
		case len(given.Schema) == 0:
			return errors.New("the schema is empty")
		}
		return nil
	}}
}

// Enum gives names to an integer type: those that String returns for its values. Arguments of type T
// are one of the names, or the number that encoding/json decodes. It is an option of [Func] and
// [StreamFunc] and applies wherever T occurs in In; the keys of a map are the numbers. A type with
// UnmarshalText needs no Enum: it takes its names already.
func Enum[T enumerable](values ...T) FuncOption {
	return typeOption{"Enum", reflect.TypeFor[T](), func(given *schema.Given) error {
		seen := make(map[string]bool)
		for _, v := range values {
			name, number := v.String(), fmt.Sprintf("%d", v)
			if name == "" || seen[name] || seen[number] {
				return fmt.Errorf("the value %s has no name, the name of another, or stands twice: %q; correct its String method, or leave it out", number, name)
			}
			seen[name], seen[number] = true, true
			given.Values = append(given.Values, schema.Value{Name: name, Number: number})
		}
		if len(values) == 0 {
			return errors.New("it has no values; pass each of them")
		}
		return nil
	}}
}

// enumerable are the types of [Enum].
type enumerable interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
	String() string
}

// typeOption is the option of [TypeSchema] and [Enum].
type typeOption struct {
	name string
	typ  reflect.Type
	give func(*schema.Given) error
}

func (o typeOption) applyFunction(*Function) error {
	return fmt.Errorf("%v is an option of Func and StreamFunc: the schema of this function is not inferred", o)
}

func (o typeOption) String() string { return fmt.Sprintf("%s[%v]", o.name, o.typ) }

// typeOptions splits the options of a typed function into what they give to types and the rest.
func typeOptions(opts []FuncOption) (given map[reflect.Type]schema.Given, rest []FuncOption, err error) {
	for _, opt := range opts {
		o, ok := opt.(typeOption)
		if !ok {
			rest = append(rest, opt)
			continue
		}
		if given == nil {
			given = make(map[reflect.Type]schema.Given)
		}
		if _, twice := given[o.typ]; twice {
			return nil, nil, fmt.Errorf("%v is given twice", o)
		}
		var g schema.Given
		if err := o.give(&g); err != nil {
			return nil, nil, fmt.Errorf("%v: %w", o, err)
		}
		given[o.typ] = g
	}
	return given, rest, nil
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
