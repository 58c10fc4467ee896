package registry

import (
	"encoding"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/big"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// inferredOutputs caches [inferOutput]: reflect.Type to *output, which may be nil.
var inferredOutputs sync.Map

func inferredOutput(t reflect.Type) *output {
	if o, ok := inferredOutputs.Load(t); ok {
		return o.(*output)
	}
	o, _ := inferredOutputs.LoadOrStore(t, inferOutput(t))
	return o.(*output)
}

// inferOutput returns the description of results of type t, or nil if the type does not tell it.
func inferOutput(t reflect.Type) *output {
	switch t {
	case reflect.TypeFor[*Result](), reflect.TypeFor[*mcp.CallToolResult](), reflect.TypeFor[[]mcp.Content]():
		return nil
	}
	if t.Implements(contentType) {
		return nil
	}
	text := isString(t)
	t = base(t)
	m := misread{types: make(map[reflect.Type]*jsonschema.Schema), seen: make(map[reflect.Type]bool), embedded: make(map[reflect.Type]bool)}
	m.find(t)
	if m.types[t] == anyJSON || t.Kind() == reflect.Interface {
		return nil
	}
	s, err := m.schema(t)
	if err != nil {
		return nil
	}
	described, err := strictjson.Marshal(s)
	if err != nil {
		return nil
	}
	o := &output{text: described, shape: s}
	switch {
	case text:
		o.wrap = wrapText
	case s.Type != "object":
		o.wrap = wrapValue
	}
	if o.wrap != "" {
		if o.text, err = wrapSchema(o.wrap, described); err != nil {
			return nil
		}
	}
	return o
}

// Schemas of types that jsonschema-go takes for another one. anyJSON has types because a pointer would
// otherwise make it one of null.
var (
	anyJSON    = &jsonschema.Schema{Types: []string{"null", "boolean", "number", "string", "array", "object"}}
	anyObjects = &jsonschema.Schema{Type: "object"}
	textJSON   = &jsonschema.Schema{Type: "string"}
	numberJSON = &jsonschema.Schema{Type: "number"}

	integerJSON     = &jsonschema.Schema{Type: "integer"}
	nanosecondsJSON = &jsonschema.Schema{Type: "integer", Description: "Nanoseconds."}
	bytesJSON       = &jsonschema.Schema{Types: []string{"null", "string"}, ContentEncoding: "base64"}
)

// misread collects the types inside a type whose JSON jsonschema-go would describe wrongly:
//
//   - those with a MarshalJSON or MarshalText
//   - []byte, json.Number, big.Int, and time.Duration, whose unit it does not tell
//   - integers with names, whose names it does not tell, and maps whose keys are not strings
//   - structs with the json option string, embedded structs with a name or by pointer, and two fields of
//     one name
type misread struct {
	types    map[reflect.Type]*jsonschema.Schema
	seen     map[reflect.Type]bool
	embedded map[reflect.Type]bool // structs whose fields are promoted
}

// maxOutput bounds the subschemas of a result.
const maxOutput = 10_000

// schema returns the schema of t. Structs at several places of a large one stand in its $defs. There they may be null, as
// a pointer to them; jsonschema-go adds that to a reference itself.
func (m *misread) schema(t reflect.Type) (*jsonschema.Schema, error) {
	sharing := schema.Share(t, m.inside, func(t reflect.Type) bool { return m.embedded[t] })
	if sharing.Recursive || sharing.Size > maxOutput {
		return nil, fmt.Errorf("type %s contains itself, or has too many fields", t)
	}
	defs := make(map[string]*jsonschema.Schema)
	for shared, ref := range sharing.Refs {
		m.types[shared] = &jsonschema.Schema{Type: "object", Ref: ref}
	}
	for shared, ref := range sharing.Refs {
		own := m.types[shared]
		delete(m.types, shared)
		def, err := m.inline(reflect.PointerTo(shared))
		if err != nil {
			return nil, err
		}
		m.types[shared], defs[strings.TrimPrefix(ref, "#/$defs/")] = own, def
	}
	s, err := m.inline(t)
	if len(defs) > 0 && err == nil {
		s.Defs = defs
	}
	return s, err
}

func (m *misread) inline(t reflect.Type) (*jsonschema.Schema, error) {
	return jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: m.types})
}

// inside returns the types of the values directly inside a type, as jsonschema-go finds them.
func (m *misread) inside(t reflect.Type) (types []reflect.Type) {
	if m.types[t] != nil {
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return []reflect.Type{t.Elem()}
	case reflect.Struct:
		fields, _ := schema.OutputFields(t)
		for _, f := range fields {
			types = append(types, f.Type)
		}
	}
	return types
}

func (m *misread) find(t reflect.Type) {
	if m.seen[t] || t.Kind() == reflect.Interface {
		return
	}
	m.seen[t] = true
	switch t {
	case reflect.TypeFor[time.Duration]():
		m.types[t] = nanosecondsJSON
		return
	case reflect.TypeFor[big.Int]():
		m.types[t] = integerJSON
		return
	case reflect.TypeFor[time.Time](), reflect.TypeFor[slog.Level](), reflect.TypeFor[big.Rat](), reflect.TypeFor[big.Float]():
		return // jsonschema-go knows them
	case reflect.TypeFor[json.Number]():
		m.types[t] = numberJSON
		return
	}
	switch {
	case t.Kind() == reflect.Pointer:
		m.find(t.Elem())
		return
	case isMarshaler(reflect.PointerTo(t)):
		m.types[t] = anyJSON
		if own := schema.Own(t); own != nil {
			m.types[t] = own
		} else if !reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()) && t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
			m.types[t] = textJSON
		}
		return
	case isBytes(t):
		m.types[t] = bytesJSON
		return
	}
	switch t.Kind() {
	case reflect.Map:
		if m.find(t.Elem()); t.Key().Kind() != reflect.String {
			m.types[t] = anyObjects
		}
	case reflect.Slice, reflect.Array:
		m.find(t.Elem())
	case reflect.Struct:
		m.structure(t)
	default:
		if text := schema.Meanings(t); text != "" {
			m.types[t] = &jsonschema.Schema{Type: "integer", Description: text}
		}
	}
}

func (m *misread) structure(t reflect.Type) {
	fields, err := schema.OutputFields(t)
	if err != nil || !isReadRight(t, fields) {
		m.types[t] = anyObjects
		return
	}
	for _, f := range fields {
		m.find(f.Type)
	}
	for _, f := range reflect.VisibleFields(t) {
		m.embedded[f.Type] = m.embedded[f.Type] || f.Anonymous
	}
}

// isReadRight reports whether the fields of a struct are those that jsonschema-go sees: the visible ones
// that are not embedded.
func isReadRight(t reflect.Type, fields []schema.OutputField) bool {
	written := make(map[string]bool)
	for _, f := range fields {
		if written[f.Name] = true; f.Quoted {
			return false
		}
		for i := 1; i < len(f.Index); i++ {
			if t.FieldByIndex(f.Index[:i]).Type.Kind() == reflect.Pointer {
				return false
			}
		}
	}
	seen := make(map[string]bool)
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || f.Tag.Get("json") == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		if seen[name] || !written[name] {
			return false
		}
		seen[name] = true
	}
	return len(seen) == len(written)
}
