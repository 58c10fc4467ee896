package registry

import (
	"encoding/json"
	"reflect"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/brief"
	"github.com/cash-mcp/go-sdk/internal/schema"
)

// An outputType describes how a Go type is written at a level of detail. There is one per type,
// cached. The trimmer uses it.
type outputType struct {
	shape
	fields []outputField // of a struct
	err    error         // of a tag, in the type or in a type inside it
}

// A shape describes what levels of detail do to the values of a type.
type shape struct {
	tags   bool // there are tags or Detail methods
	open   bool // there are interfaces: what is in them is known only when it is written
	shrink bool // without tags, a lower level may be shorter
}

func (s *shape) add(inside shape) {
	s.tags, s.open, s.shrink = s.tags || inside.tags, s.open || inside.open, s.shrink || inside.shrink
}

// plain reports whether no tag decides, so that encoding/json writes the values.
func (s shape) plain() bool { return !s.tags && !s.open }

// An outputField is a field of a struct. Its key is the name as JSON with a colon.
type outputField struct {
	schema.OutputField
	key string
}

var (
	outputTypes  sync.Map // reflect.Type to *outputType
	detailerType = reflect.TypeFor[Detailer]()
)

// outputOf returns the outputType of t, from the cache or made.
func outputOf(t reflect.Type) *outputType {
	if known, ok := outputTypes.Load(t); ok {
		return known.(*outputType)
	}
	o := new(outputType)
	o.shape, o.err = survey(t, make(map[reflect.Type]bool))
	if t.Kind() == reflect.Struct && o.err == nil {
		o.fields, o.err = outputFields(t)
	}
	known, _ := outputTypes.LoadOrStore(t, o)
	return known.(*outputType)
}

func outputFields(t reflect.Type) ([]outputField, error) {
	found, err := schema.OutputFields(t)
	var fields []outputField
	for _, f := range found {
		name, _ := marshal(f.Name) // a string always has a JSON form
		fields = append(fields, outputField{f, name + ":"})
	}
	return fields, err
}

// checkOutput returns all mistakes in the output type of a function.
func checkOutput(t reflect.Type) error {
	if isWritten(t) {
		return nil
	}
	return schema.CheckOutput(t)
}

// survey returns the shape of t with all types inside it.
func survey(t reflect.Type, seen map[reflect.Type]bool) (s shape, err error) {
	switch {
	case seen[t]:
		return s, nil
	case isDetailer(t):
		s.tags = true
	case isMarshaler(t):
		return shape{shrink: t != reflect.TypeFor[time.Time]()}, nil
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Interface:
		s.add(shape{open: true, shrink: true})
	case reflect.String:
		s.shrink = t != reflect.TypeFor[json.Number]()
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		below, err := survey(t.Elem(), seen)
		s.add(below)
		s.shrink = s.shrink || isBytes(t) || t.Kind() != reflect.Map && hidesMembers(t.Elem())
		return s, err
	case reflect.Struct:
		below, err := surveyFields(t, seen)
		s.add(below)
		return s, err
	}
	return s, nil
}

func surveyFields(t reflect.Type, seen map[reflect.Type]bool) (s shape, err error) {
	fields, err := schema.OutputFields(t)
	for _, f := range fields {
		below, err := survey(f.Type, seen)
		if err != nil {
			return s, err
		}
		s.add(below)
		s.tags = s.tags || f.Detail != "" || f.Excerpt > 0
	}
	s.shrink = s.shrink || isMarshaler(reflect.PointerTo(t))
	return s, err
}

// hidesMembers reports whether [Minimal] leaves out members of elements of type t.
func hidesMembers(t reflect.Type) bool {
	t = base(t)
	if t.Kind() != reflect.Struct {
		return false
	}
	fields, _ := schema.OutputFields(t)
	identified, hides := false, false
	for _, f := range fields {
		shown, identifies := brief.Keeps(f.Name)
		kind := base(f.Type).Kind()
		scalar := kind < reflect.Array || kind == reflect.String
		identified, hides = identified || identifies && scalar, hides || !shown || !scalar
	}
	return identified && hides
}

// outputShape returns the shape of the results of a function with output type t. A text is the same
// at every level, also as the only member of a struct.
func outputShape(t reflect.Type) shape {
	if isWritten(t) {
		return shape{shrink: true}
	}
	s := outputOf(t).shape
	text := base(t)
	if fields := outputOf(text).fields; len(fields) == 1 {
		text = fields[0].Type
	}
	if text.Kind() == reflect.String && !isMarshaler(text) {
		s.shrink = false
	}
	return s
}

// isWritten reports whether outputs of type t are results already, or JSON.
func isWritten(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[*Result](), reflect.TypeFor[*mcp.CallToolResult](), reflect.TypeFor[[]mcp.Content](), reflect.TypeFor[json.RawMessage]():
		return true
	}
	return t.Implements(contentType)
}

// isDetailer reports whether values of type t, or pointers to them, are [Detailer]s.
func isDetailer(t reflect.Type) bool {
	return t.Implements(detailerType) || t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface && reflect.PointerTo(t).Implements(detailerType)
}
