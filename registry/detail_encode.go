package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/cash-mcp/go-sdk/internal/brief"
)

// marshalDetail returns the compact JSON of v at a level of detail, and whether v has tags or methods
// that choose what the level shows. The encoder of a function's output calls it (see encoderFor).
func marshalDetail(v any, level Detail) (text string, tagged bool, err error) {
	if level == "" || level == Full {
		text, err = marshal(v)
		return text, false, err
	}
	return trimmed(v, level)
}

// trimmed returns the JSON of v at a level below [Full].
func trimmed(v any, level Detail) (text string, tagged bool, err error) {
	buf := buffers.Get().(*bytes.Buffer)
	buf.Reset()
	t := trimmer{out: buf, json: json.NewEncoder(buf), level: level}
	t.json.SetEscapeHTML(false)
	err = t.value(reflect.ValueOf(v), nil)
	return takeText(buf), t.tagged, err
}

// A trimmer writes values as encoding/json does, without the fields that the level hides. It walks
// only values that may have such fields and leaves all others to encoding/json.
type trimmer struct {
	out    *bytes.Buffer
	json   *json.Encoder // writes to out
	level  Detail
	depth  int
	tagged bool // a tag or a method has chosen
}

// maxTrimmed bounds the depth of values, because a value may contain itself.
const maxTrimmed = 2000

var errTooDeep = errors.New("the value is nested too deep, or holds itself")

// shows reports whether the level shows a field whose lowest level is the given one.
func (t *trimmer) shows(lowest string) bool {
	return lowest == "" || t.level == Full || lowest == string(Minimal) || lowest == string(t.level)
}

// value writes v. It does not call the Detail method of a v of type asked: that method has returned
// v.
func (t *trimmer) value(v reflect.Value, asked reflect.Type) error {
	if !v.IsValid() {
		t.out.WriteString("null")
		return nil
	}
	o := outputOf(v.Type())
	if o.err != nil {
		return o.err
	}
	if o.plain() && v.CanInterface() {
		return t.plain(v)
	}
	if t.depth++; t.depth > maxTrimmed {
		return errTooDeep
	}
	defer func() { t.depth-- }()
	if d := t.detailer(v, asked); d != nil {
		t.tagged = true
		return t.value(reflect.ValueOf(d.Detail(t.level)), base(v.Type()))
	}
	if v.CanInterface() && marshals(v) {
		return t.plain(v)
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		return t.value(v.Elem(), asked) // a nil v has no element
	case reflect.Struct:
		return t.object(v, o.fields)
	case reflect.Map:
		return t.dictionary(v)
	case reflect.Slice, reflect.Array:
		return t.list(v)
	}
	return t.plain(v)
}

// plain writes v with encoding/json. It keeps v addressable, so that methods with a pointer
// receiver are called as encoding/json calls them.
func (t *trimmer) plain(v reflect.Value) error {
	if v.CanAddr() {
		v = v.Addr()
	}
	if err := t.json.Encode(v.Interface()); err != nil {
		return err
	}
	t.out.Truncate(t.out.Len() - 1) // the encoder's line break
	return nil
}

// detailer returns v as a Detailer, or nil if it is none or has type asked.
func (t *trimmer) detailer(v reflect.Value, asked reflect.Type) Detailer {
	typ := v.Type()
	if t.level == Full || !v.CanInterface() || !isDetailer(typ) || base(typ) == asked {
		return nil
	}
	switch {
	case v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer && v.IsNil():
		return nil
	case typ.Implements(detailerType):
	case v.CanAddr():
		v = v.Addr()
	default: // Detail has a pointer receiver
		p := reflect.New(typ)
		p.Elem().Set(v)
		v = p
	}
	return v.Interface().(Detailer)
}

// base returns the type at the end of a chain of pointers.
func base(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// marshals reports whether encoding/json calls a method of v.
func marshals(v reflect.Value) bool {
	t := v.Type()
	if v.Kind() == reflect.Interface { // the value inside decides
		return false
	}
	return isMarshaler(t) || v.Kind() != reflect.Pointer && v.CanAddr() && isMarshaler(reflect.PointerTo(t))
}

// object writes the fields of a struct that the level shows.
func (t *trimmer) object(v reflect.Value, fields []outputField) error {
	t.out.WriteByte('{')
	start := t.out.Len()
	for i := range fields {
		f := &fields[i]
		t.tagged = t.tagged || f.Detail != "" || f.Excerpt > 0
		if !t.shows(f.Detail) {
			continue
		}
		member, ok := fieldOf(v, f)
		if !ok {
			continue
		}
		if t.out.Len() > start {
			t.out.WriteByte(',')
		}
		t.out.WriteString(f.key)
		if err := t.field(member, f); err != nil {
			return err
		}
	}
	t.out.WriteByte('}')
	return nil
}

// field writes the value of a field.
func (t *trimmer) field(v reflect.Value, f *outputField) error {
	if f.Excerpt > 0 && t.level != Full {
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		if v.IsValid() {
			v = reflect.ValueOf(brief.Excerpt(v.String(), f.Excerpt))
		}
	}
	if f.Quoted {
		return t.quotedScalar(v)
	}
	return t.value(v, nil)
}

// quotedScalar writes a scalar as the option "string" of a json tag does.
func (t *trimmer) quotedScalar(v reflect.Value) error {
	if v.Kind() == reflect.Pointer && !marshals(v) {
		v = v.Elem()
	}
	if !v.IsValid() || marshals(v) {
		return t.value(v, nil)
	}
	start := t.out.Len()
	if err := t.plain(v); err != nil {
		return err
	}
	text := string(t.out.Bytes()[start:])
	t.out.Truncate(start)
	if v.Kind() != reflect.String || v.Type() == reflect.TypeFor[json.Number]() {
		t.out.WriteString(`"` + text + `"`)
		return nil
	}
	return t.plain(reflect.ValueOf(text))
}

// list writes a slice or an array.
func (t *trimmer) list(v reflect.Value) error {
	if v.Kind() == reflect.Slice && v.IsNil() {
		t.out.WriteString("null")
		return nil
	}
	t.out.WriteByte('[')
	for i := range v.Len() {
		if i > 0 {
			t.out.WriteByte(',')
		}
		if err := t.value(v.Index(i), nil); err != nil {
			return err
		}
	}
	t.out.WriteByte(']')
	return nil
}

// dictionary writes a map, in the order of its keys.
func (t *trimmer) dictionary(v reflect.Value) error {
	if v.IsNil() || !isKey(v.Type().Key()) {
		return t.plain(v)
	}
	entries, err := sortedEntries(v)
	if err != nil {
		return err
	}
	t.out.WriteByte('{')
	for i, e := range entries {
		if i > 0 {
			t.out.WriteByte(',')
		}
		if err := t.plain(reflect.ValueOf(e.name)); err != nil {
			return err
		}
		t.out.WriteByte(':')
		if err := t.value(e.value, nil); err != nil {
			return err
		}
	}
	t.out.WriteByte('}')
	return nil
}
