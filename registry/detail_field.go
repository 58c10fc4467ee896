package registry

import "reflect"

// fieldOf returns the field of a struct; ok is false if encoding/json leaves it
// out, because it is empty or behind a pointer that is nil.
func fieldOf(v reflect.Value, f *outputField) (member reflect.Value, ok bool) {
	for _, i := range f.Index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v, !(f.OmitEmpty && isEmpty(v) || f.OmitZero && isZero(v))
}

// isEmpty is what the json option omitempty leaves out.
func isEmpty(v reflect.Value) bool {
	switch k := v.Kind(); k {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Interface, reflect.Pointer:
		return v.IsNil()
	default:
		return reflect.Bool <= k && k <= reflect.Float64 && v.IsZero()
	}
}

type zeroer interface{ IsZero() bool }

var zeroerType = reflect.TypeFor[zeroer]()

// isZero is what the json option omitzero leaves out.
func isZero(v reflect.Value) bool {
	t := v.Type()
	switch {
	case !v.CanInterface():
		return v.IsZero()
	case t.Implements(zeroerType):
		return isNilInside(v) || v.Interface().(zeroer).IsZero()
	case reflect.PointerTo(t).Implements(zeroerType):
		p := reflect.New(t)
		p.Elem().Set(v)
		return p.Interface().(zeroer).IsZero()
	}
	return v.IsZero()
}

// isNilInside reports whether v is nil, or an interface that holds a nil pointer.
func isNilInside(v reflect.Value) bool {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}
