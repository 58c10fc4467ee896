package schema

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A Schema is a compiled JSON Schema. ForType and Parse make one; the zero
// value is of no use. It never changes and is safe for concurrent use.
type Schema struct {
	raw     json.RawMessage
	root    *node
	notes   []string
	typed   bool   // from a Go type
	dynamic bool   // has a $dynamicRef
	goType  string // of ForType, for errors

	describe sync.Once
	params   []Param
}

// types caches the outcome of ForType: reflect.Type to typeResult.
var types sync.Map

type typeResult struct {
	schema *Schema
	err    error
}

// ForType returns the schema of what encoding/json decodes into t, with the
// rules of its struct tags; a pointer at the top counts as what it points to.
// The error names the Go type and field that have no JSON form or carry a
// wrong tag. Results are cached by type.
func ForType(t reflect.Type) (*Schema, error) {
	if r, ok := types.Load(t); ok {
		return r.(typeResult).schema, r.(typeResult).err
	}
	s, err := inferSchema(t, nil)
	r, _ := types.LoadOrStore(t, typeResult{s, err})
	return r.(typeResult).schema, r.(typeResult).err
}

// ForTypeWith is ForType with schemas for types that do not bring their own. They
// hold wherever such a type occurs in t, but as the key of a map. A schema of a
// type that does not occur is an error. The outcome is not cached.
func ForTypeWith(t reflect.Type, given map[reflect.Type]json.RawMessage) (*Schema, error) {
	return inferSchema(t, given)
}

// Parse compiles a schema that others wrote, in the spelling of draft 2020-12
// or of drafts 04 to 07. It refuses text that strictjson refuses, references
// that leave the document, keywords with values of a wrong form, subschemas
// that apply themselves to the same value without end, and whatever exceeds a
// limit of this package, by name. It keeps a copy of nothing: raw must not be
// changed afterwards.
func Parse(raw []byte) (*Schema, error) {
	s, _, err := parse(raw)
	return s, err
}

// parse is Parse with the tree of the document.
func parse(raw []byte) (*Schema, *tree, error) {
	if len(raw) > maxSize {
		return nil, nil, fmt.Errorf("schema has %d bytes; at most %d are accepted", len(raw), maxSize)
	}
	if err := strictjson.Check(raw); err != nil {
		return nil, nil, fmt.Errorf("reading schema: %w", err)
	}
	root := grow(raw, nil, "")
	s, err := compileTree(root, nil)
	if err != nil {
		return nil, nil, err
	}
	s.raw = raw
	markTop(s.root.target())
	return s, root, nil
}

// JSON returns the schema as text, to be published: for Parse as it was given,
// for ForType compact, with properties in field order. It must not be changed.
func (s *Schema) JSON() json.RawMessage {
	return s.raw
}

// Params describes the properties of an object in order: that of the Go fields,
// or of the document. It is nil when the schema is not one of an object or
// names no property. The result must not be changed.
func (s *Schema) Params() []Param {
	s.describe.Do(func() {
		d := describer{left: maxFields}
		s.params = d.params(s.root, maxLevels)
	})
	return s.params
}

// Closed reports whether unknown parameters are refused: additionalProperties
// is false.
func (s *Schema) Closed() bool {
	n := s.root.target()
	return n.object != nil && n.object.additional != nil && n.object.additional.never
}

// Notes says which rules of a foreign schema are not enforced, one line each,
// at most 20 of them: patterns that RE2 does not know. It must not be changed.
func (s *Schema) Notes() []string {
	return s.notes
}

// Check validates data, which strictjson.Check accepted. It returns nil or an
// *Error, whose messages never show values of data. The work is bounded by
// about a million steps and two more for every byte of data; the context is
// looked at as it goes.
func (s *Schema) Check(ctx context.Context, data []byte) error {
	_, err := s.check(ctx, s.root, data)
	return err
}

// Summary says in one line of bounded length what a value is, for the returns
// of a function: Object with `order_id`, `status`, `items` and `total`.
func (s *Schema) Summary() string {
	return summary(s.root)
}
