package registry

import (
	"reflect"
	"sync"

	"github.com/cash-mcp/go-sdk/internal/schema"
)

// An outputType describes how a Go type is written at a level of detail. There is one per type,
// cached. The trimmer uses it.
type outputType struct {
	// plain types are the same at every level, so encoding/json writes them.
	plain  bool
	fields []outputField // of a struct
	err    error         // of a tag, in the type or in a type inside it
}

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
	o.plain, o.err = survey(t, make(map[reflect.Type]bool))
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

// checkOutput returns the error of a tag in the output type of a function, or nil.
func checkOutput(t reflect.Type) error {
	if t == reflect.TypeFor[*Result]() || t.Implements(contentType) {
		return nil
	}
	return outputOf(t).err
}

// survey reports whether t and all types inside it are the same at every level. The value in an
// interface is known only when it is written, so interfaces are not plain.
func survey(t reflect.Type, seen map[reflect.Type]bool) (plain bool, err error) {
	switch {
	case seen[t]:
		return true, nil
	case isDetailer(t):
		plain = false
	case isMarshaler(t):
		return true, nil
	default:
		plain = t.Kind() != reflect.Interface
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		below, err := survey(t.Elem(), seen)
		return plain && below, err
	case reflect.Struct:
		below, err := surveyFields(t, seen)
		return plain && below, err
	}
	return plain, nil
}

func surveyFields(t reflect.Type, seen map[reflect.Type]bool) (plain bool, err error) {
	fields, err := schema.OutputFields(t)
	if err != nil {
		return false, err
	}
	plain = true
	for _, f := range fields {
		below, err := survey(f.Type, seen)
		if err != nil {
			return false, err
		}
		plain = plain && below && f.Detail == "" && f.Excerpt == 0
	}
	return plain, nil
}

// isDetailer reports whether values of type t, or pointers to them, are [Detailer]s.
func isDetailer(t reflect.Type) bool {
	return t.Implements(detailerType) || t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface && reflect.PointerTo(t).Implements(detailerType)
}
