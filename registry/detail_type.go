package registry

import (
	"reflect"
	"sync"

	"github.com/cash-mcp/go-sdk/internal/schema"
)

// An outputType is what is known of a Go type that is written at some level of
// detail.
type outputType struct {
	// plain types are the same at every level, so that encoding/json writes them.
	plain  bool
	fields []outputField // of a struct
	err    error         // of a tag, in the type or in what it holds
}

// An outputField is a field of a struct, with its name as JSON and a colon.
type outputField struct {
	schema.OutputField
	key string
}

var (
	outputTypes  sync.Map // by reflect.Type: *outputType
	detailerType = reflect.TypeFor[Detailer]()
)

// outputOf returns what is known of t.
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
		name, _ := marshal(f.Name) // text always has a form
		fields = append(fields, outputField{f, name + ":"})
	}
	return fields, err
}

// checkOutput returns the error of a tag in the output type of a function.
func checkOutput(t reflect.Type) error {
	if t == reflect.TypeFor[*Result]() || t.Implements(contentType) {
		return nil
	}
	return outputOf(t).err
}

// survey reports whether t and all that it can hold is the same at every level.
// What an interface holds is known only when it is written.
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
