package schema

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A Schema is a compiled JSON Schema. Make one with ForType or Parse; the zero value is not usable. It is immutable and
// safe for concurrent use.
type Schema struct {
	raw     json.RawMessage
	root    *node
	notes   []string
	problem error // of ParseForeign
	picky   bool
	typed   bool   // from a Go type
	dynamic bool   // has a $dynamicRef
	goType  string // of ForType, for errors

	describe sync.Once
	params   []Param
}

// types caches the results of ForType: reflect.Type to typeResult.
var types sync.Map

type typeResult struct {
	schema *Schema
	err    error
}

// ForType returns the schema of the JSON that encoding/json decodes into t, with the rules of its struct tags. A
// pointer at the top counts as its target. The error is all [Mistakes] of the type, such as a field without a JSON form
// or with a wrong tag. Results are cached by type.
func ForType(t reflect.Type) (*Schema, error) {
	if r, ok := types.Load(t); ok {
		return r.(typeResult).schema, r.(typeResult).err
	}
	s, err := inferSchema(t, nil)
	r, _ := types.LoadOrStore(t, typeResult{s, err})
	return r.(typeResult).schema, r.(typeResult).err
}

// Given is what is known of a type besides its declaration: its schema, or else the named values of an integer type.
type Given struct {
	Schema json.RawMessage
	Values []Value
}

// ForArguments is [ForType] for the arguments of a function: an object, whose members can be told apart by their names.
// What is given holds wherever such a type occurs in t; a type that does not occur is a mistake. Results are cached if
// nothing is given. The error is all [Mistakes].
func ForArguments(t reflect.Type, given map[reflect.Type]Given) (*Schema, error) {
	var all Mistakes
	elem, _ := pointed(t)
	if k := elem.Kind(); k != reflect.Struct && k != reflect.Map {
		all.Add(fmt.Errorf("type %v: arguments must be a struct or a map with string keys; put the value into a struct with one field", t))
		return nil, all
	}
	s, err := ForType(elem)
	if given != nil {
		s, err = inferSchema(elem, given)
	}
	all.Add(err)
	if s == nil {
		return nil, all
	}
	if n := s.root; n.types != typeOf(strictjson.Object) && (n.types != 0 || len(s.raw) > len("{}")) {
		all.Add(fmt.Errorf(`type %v: its own schema must have "type": "object"; put the value into a struct with one field`, t))
	}
	if inner := promotedFrom(elem); inner != nil && len(s.raw) == len("{}") {
		all.Add(fmt.Errorf("type %v: it embeds %v, whose UnmarshalJSON decodes the whole of it and refuses objects; give the field a name", elem, inner))
	}
	all.Add(s.CheckNames())
	return s, all.Err()
}

// Parse compiles a foreign schema of draft 2020-12 or of drafts 04 to 07. It rejects
//
//   - text that strictjson rejects, and references that leave the document
//   - keywords with malformed values
//   - subschemas that apply themselves to the same value endlessly
//   - schemas that exceed a limit of this package; the error names the limit
//
// Parse keeps raw, which must not be changed afterwards.
func Parse(raw []byte) (*Schema, error) {
	s, _, err := parse(raw, false)
	return s, err
}

// ParseForeign is Parse for a schema that may have type words that are none, such as str, int and float, which real
// catalogs send. They accept every value and are shown as they are. All other rules hold. [Schema.Problem] names the
// first.
func ParseForeign(raw []byte) (*Schema, error) {
	s, _, err := parse(raw, true)
	return s, err
}

// parse is Parse or ParseForeign that also returns the tree of the document.
func parse(raw []byte, foreign bool) (*Schema, *tree, error) {
	if len(raw) > maxSize {
		return nil, nil, fmt.Errorf("schema has %d bytes; at most %d are accepted", len(raw), maxSize)
	}
	if err := strictjson.Check(raw); err != nil {
		return nil, nil, fmt.Errorf("reading schema: %w", err)
	}
	root := grow(raw, nil, "")
	s, err := compileTree(root, nil, foreign)
	if err != nil {
		return nil, nil, err
	}
	s.raw = raw
	markTop(s.root.target())
	return s, root, nil
}

// JSON returns the schema as text. After Parse it is the original; after ForType it is compact, with properties in
// field order. It must not be changed.
func (s *Schema) JSON() json.RawMessage {
	return s.raw
}

// Params describes the properties of an object, in the order of the Go fields or of the document. It is nil if the
// schema is not an object or has no properties. The result must not be changed.
func (s *Schema) Params() []Param {
	s.describe.Do(func() {
		d := describer{left: maxFields}
		s.params = d.params(s.root, maxLevels)
	})
	return s.params
}

// Closed reports whether unknown parameters are rejected: additionalProperties is false.
func (s *Schema) Closed() bool {
	n := s.root.target()
	return s.Enforceable() && n.object != nil && n.object.additional != nil && n.object.additional.never
}

// Notes lists the rules of a foreign schema that are not enforced, at most 20, one line each: patterns that RE2 does
// not support. It must not be changed.
func (s *Schema) Notes() []string {
	return s.notes
}

// Problem returns why the document is not a valid schema; nil if it is ([ParseForeign]).
func (s *Schema) Problem() error {
	return s.problem
}

// Enforceable reports whether the valid rules of a document with a Problem can be enforced. Under oneOf, not and if, a
// type that accepts every value would reject valid ones. Check accepts everything if they cannot.
func (s *Schema) Enforceable() bool {
	return s.problem == nil || !s.picky
}

// Check validates data, which strictjson.Check must have accepted. It returns nil or an *Error, whose messages never
// show values of data. The work is bounded by about a million steps plus two per byte of data. The context is checked
// regularly.
func (s *Schema) Check(ctx context.Context, data []byte) error {
	if !s.Enforceable() {
		return nil
	}
	_, err := s.check(ctx, s.root, data)
	return err
}

// Summary describes a value in one bounded line, for the returns of a function: Object with `order_id`, `status`,
// `items` and `total`.
func (s *Schema) Summary() string {
	return summary(s.root)
}
