package schema

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A schemer is a type that brings its own schema.
type schemer interface{ JSONSchema() *jsonschema.Schema }

// brought returns the shape of a type with a schema of its own, from its method or from ForArguments. It is nil for
// other types. A value that passes the schema must also decode.
func (in *inferrer) brought(t reflect.Type) *shape {
	if !in.brings(t) {
		return nil
	}
	raw := in.given[t].Schema
	source := "its method JSONSchema"
	if raw != nil {
		source = "the option TypeSchema"
		in.used[t] = true
	}
	switch t.Kind() {
	case reflect.Interface, reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		if before := len(in.faults); selfDecoding(t) == nil && in.kindShape(t) != nil && len(in.faults) > before {
			return &shape{} // no value would decode
		}
	}
	s := &shape{facts: &facts{decode: t}}
	var err error
	if raw == nil {
		raw, err = ask(t)
	}
	if err == nil {
		err = s.bring(raw)
	}
	if err != nil {
		in.fault("type %s: its schema: %w; correct %s", t, err, source)
		return &shape{}
	}
	return s
}

// brings reports whether a type has a schema of its own.
func (in *inferrer) brings(t reflect.Type) bool {
	return in.given[t].Schema != nil || t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(reflect.TypeFor[schemer]())
}

// Own returns the schema that a type brings by its method. It is nil for other types, and for a schema with references,
// which has its meaning in a document of its own.
func Own(t reflect.Type) *jsonschema.Schema {
	if !reflect.PointerTo(t).Implements(reflect.TypeFor[schemer]()) {
		return nil
	}
	raw, err := ask(t)
	if err != nil || bytes.Contains(raw, []byte(`"$`)) {
		return nil
	}
	own := new(jsonschema.Schema)
	if json.Unmarshal(raw, own) != nil {
		return nil
	}
	return own
}

// ask calls the method on a zero value.
func ask(t reflect.Type) (raw json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("JSONSchema panics: %v", p)
		}
	}()
	s := reflect.New(t).Interface().(schemer).JSONSchema()
	if s == nil {
		return nil, errors.New("JSONSchema returns nil")
	}
	return json.Marshal(s)
}

// bring imports a schema. Keywords that tags can express move into the shape. The rest stays in the tree, which is
// written after them.
func (s *shape) bring(raw json.RawMessage) (err error) {
	if _, s.own, err = parse(raw, false); err != nil {
		return err
	}
	if s.own.kind == strictjson.Bool {
		if s.own.raw[0] == 'f' {
			return errors.New("it accepts nothing")
		}
		return nil
	}
	if err := s.own.movable(); err != nil {
		return err
	}
	for _, m := range s.own.members {
		if take := taken[m.name]; take != nil && take(s, m.value) {
			continue
		}
		if m.name != "$schema" {
			s.rest = append(s.rest, m)
		}
	}
	return nil
}

// taken are the keywords that move into a shape if their values have the usual form.
var taken = map[string]func(s *shape, v *tree) bool{
	"type": func(s *shape, v *tree) bool {
		if v.kind == strictjson.String {
			s.types = []string{v.text}
		}
		for _, word := range v.elems {
			s.types = append(s.types, word.text)
		}
		return true // parse accepts no other form
	},
	"enum": func(s *shape, v *tree) bool {
		s.enum = []json.RawMessage{}
		for _, value := range v.elems {
			s.enum = append(s.enum, json.RawMessage(value.raw))
		}
		return true
	},
	"default":         func(s *shape, v *tree) bool { s.def = json.RawMessage(v.raw); return true },
	"description":     func(s *shape, v *tree) bool { return v.textInto(&s.description) },
	"format":          func(s *shape, v *tree) bool { return v.textInto(&s.format) },
	"pattern":         func(s *shape, v *tree) bool { return v.textInto(&s.pattern) },
	"contentEncoding": func(s *shape, v *tree) bool { return v.textInto(&s.encoding) },
	"minimum":         takenBound, "maximum": takenBound, "minLength": takenBound, "maxLength": takenBound, "minItems": takenBound,
}

func takenBound(s *shape, v *tree) bool {
	if v.kind == strictjson.Number {
		s.bound(v.token, string(v.raw))
	}
	return v.kind == strictjson.Number
}

// textInto stores a string, and reports whether the value is one.
func (t *tree) textInto(field *string) bool {
	if t.kind == strictjson.String {
		*field = t.text
	}
	return t.kind == strictjson.String
}

// immovable are keywords that change their meaning, or become ambiguous, in another document.
var immovable = []string{"$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor", "$schema"}

// movable rejects schemas with immovable keywords.
func (t *tree) movable() (err error) {
	if draftOf(t, latest) != latest {
		return errors.New("$schema names an older draft; write it in draft 2020-12")
	}
	t.each(func(sub *tree, m branch) {
		if err == nil && sub.res != nil && slices.Contains(immovable, m.name) && (sub != t || m.name != "$schema") {
			err = fmt.Errorf("%s: it has no meaning inside of another schema; refer to #/$defs/... with $ref", place(m.value))
		}
	})
	return err
}

// recurs reports whether a subschema refers to the whole schema.
func (t *tree) recurs() (found bool) {
	t.each(func(sub *tree, m branch) {
		found = found || sub.isRef(m) && strings.Trim(m.value.text, "#") == ""
	})
	return found
}

// each calls f for the members of t and of everything below.
func (t *tree) each(f func(*tree, branch)) {
	for _, m := range t.members {
		f(t, m)
		m.value.each(f)
	}
	for _, elem := range t.elems {
		elem.each(f)
	}
}

// isRef reports whether a member of t is a reference and not data.
func (t *tree) isRef(m branch) bool {
	return m.name == "$ref" && t.res != nil
}

// appendAt appends the text of t, whose document is now at pointer.
func (t *tree) appendAt(dst []byte, pointer string) []byte {
	switch t.kind {
	case strictjson.Object:
		dst = append(dst, '{')
		for i, m := range t.members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = t.appendMember(append(appendQuoted(dst, m.name), ':'), m, pointer)
		}
		return append(dst, '}')
	case strictjson.Array:
		dst = append(dst, '[')
		for i, elem := range t.elems {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = elem.appendAt(dst, pointer)
		}
		return append(dst, ']')
	}
	return append(dst, t.raw...)
}

// appendMember appends the value of a member of t. JSON Pointers in references to the same document are adjusted.
func (t *tree) appendMember(dst []byte, m branch, pointer string) []byte {
	if text := m.value.text; t.isRef(m) && (text == "" || text == "#" || strings.HasPrefix(text, "#/")) {
		at := url.URL{Fragment: pointer}
		return appendQuoted(dst, "#"+at.EscapedFragment()+strings.TrimPrefix(text, "#"))
	}
	return m.value.appendAt(dst, pointer)
}

// At returns a schema as it is written at a JSON Pointer of another one. Its references "#/..." follow it there,
// unless it has an $id, by which they find it anywhere.
func At(raw []byte, pointer string) (json.RawMessage, error) {
	_, t, err := parse(raw, false)
	if err != nil || t.get("$id") != nil {
		return raw, err
	}
	return t.appendAt(nil, pointer), nil
}

// free rejects a keyword of a tag if the type's own schema already has it, or would have it at other places too.
func (s *shape) free(keyword string) error {
	switch {
	case s.own == nil || keyword == "":
		return nil
	case s.own.get(keyword) != nil:
		return fmt.Errorf("the schema of the type has %s already", keyword)
	case s.own.recurs():
		return errors.New("the schema of the type refers to itself as a whole; refer to #/$defs/... instead")
	}
	return nil
}

// orNull returns the shape of a pointer to s. It changes s.
func (s *shape) orNull() *shape {
	if s.ref != "" {
		return &shape{notNull: s}
	}
	if s.own == nil {
		if s.facts != nil && s.facts.decode != nil {
			s.facts.decode = reflect.PointerTo(s.facts.decode) // whose null no method sees
		}
		if len(s.types) > 0 && !s.is("null") {
			if s.types = append(s.types, "null"); s.enum != nil {
				s.enum = append(s.enum, json.RawMessage("null"))
			}
		}
		return s
	}
	s.facts.decode = reflect.PointerTo(s.facts.decode)
	if s.takesNull() {
		return s
	}
	types, enum := s.types, s.enum
	if s.types != nil {
		s.types = append(slices.Clip(types), "null")
	}
	if s.enum != nil {
		s.enum = append(slices.Clip(enum), json.RawMessage("null"))
	}
	if !s.own.recurs() && s.takesNull() {
		return s
	}
	or := &shape{description: s.description, def: s.def, facts: s.facts, own: s.own, notNull: s}
	s.types, s.enum, s.description, s.def, s.facts = types, enum, "", nil, nil
	return or
}

// takesNull reports whether the shape accepts null.
func (s *shape) takesNull() bool {
	w := shapeWriter{facts: map[string]*facts{}}
	w.write(s, "")
	compiled, err := compileDocument(w.out, nil)
	return err == nil && compiled.Check(context.Background(), []byte("null")) == nil
}
