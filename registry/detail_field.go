package registry

import "reflect"

// fieldOf returns the value of a struct's field. ok is false if encoding/json leaves the field out:
// it is empty, or it is behind a nil pointer. The trimmer calls it for each field.
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

// isEmpty reports whether the json option omitempty leaves v out.
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

// isZero reports whether the json option omitzero leaves v out.
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
