package schema

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// A shape is the schema of a Go type before it is written as JSON.
type shape struct {
	types       []string // empty accepts everything
	description string
	hint        string // follows the description
	enum        []json.RawMessage
	bounds      []shapeBound // minimum, maxLength and so on
	format      string
	pattern     string
	encoding    string
	items       *shape
	fields      []shapeField // of an object
	additional  *shape       // of a map; nil beside isStruct closes the object
	keys        *shape       // of a map whose keys are not plain strings
	isStruct    bool
	ref         string       // of a shared type: nothing else describes it
	defs        []definition // of the root
	def         json.RawMessage
	example     json.RawMessage
	facts       *facts

	// Of a type that brings its own schema.
	own     *tree
	rest    []branch // members that have no field above
	notNull *shape   // the other form of a value that may be null
}

// A shapeField is a property of an object.
type shapeField struct {
	name     string
	shape    *shape
	required bool
}

// A shapeBound is a keyword whose value is a number.
type shapeBound struct{ keyword, value string }

// A definition is the shape of a shared type, in the $defs of the root.
type definition struct {
	name  string
	shape *shape
}

const defsRef = "#/$defs/"

// is reports whether the type is word, or word with null.
func (s *shape) is(word string) bool {
	return slices.Contains(s.types, word)
}

// bound sets a keyword.
func (s *shape) bound(keyword, value string) {
	for i := range s.bounds {
		if s.bounds[i].keyword == keyword {
			s.bounds[i].value = value
			return
		}
	}
	s.bounds = append(s.bounds, shapeBound{keyword, value})
}

// known returns the facts, and creates them if needed.
func (s *shape) known() *facts {
	if s.facts == nil {
		s.facts = new(facts)
	}
	return s.facts
}

// A shapeWriter writes shapes as JSON, and records the pointers of their facts.
type shapeWriter struct {
	out   []byte
	facts map[string]*facts // by JSON Pointer
}

// write appends a shape at pointer.
func (w *shapeWriter) write(s *shape, pointer string) {
	if s.facts != nil {
		w.facts[pointer] = s.facts
	}
	w.out = append(w.out, '{')
	if s.ref != "" {
		w.key("$ref", quoteJSON(s.ref))
	}
	switch len(s.types) {
	case 0:
	case 1:
		w.key("type", quoteJSON(s.types[0]))
	default:
		types, _ := json.Marshal(s.types) // strings always have a form
		w.key("type", types)
	}
	w.texts(s)
	w.values(s)
	for _, b := range s.bounds {
		w.key(b.keyword, []byte(b.value))
	}
	w.brought(s, pointer)
	w.children(s, pointer)
	w.out = append(w.out, '}')
}

// key appends the name of a member, and the beginning of its value.
func (w *shapeWriter) key(name string, value []byte) {
	if w.out[len(w.out)-1] != '{' {
		w.out = append(w.out, ',')
	}
	w.out = append(appendQuoted(w.out, name), ':')
	w.out = append(w.out, value...)
}

func (w *shapeWriter) texts(s *shape) {
	for _, t := range []struct{ keyword, text string }{
		{"description", s.told()}, {"format", s.format}, {"contentEncoding", s.encoding}, {"pattern", s.pattern},
	} {
		if t.text != "" {
			w.key(t.keyword, quoteJSON(t.text))
		}
	}
}

// told returns the description and what the type adds to it.
func (s *shape) told() string {
	if s.description == "" || s.hint == "" {
		return s.description + s.hint
	}
	if strings.HasSuffix(s.description, ".") {
		return s.description + " " + s.hint
	}
	return s.description + ". " + s.hint
}

func (w *shapeWriter) values(s *shape) {
	if s.enum != nil {
		w.key("enum", jsonList(s.enum))
	}
	if s.def != nil {
		w.key("default", s.def)
	}
	if s.example != nil {
		w.key("examples", jsonList([]json.RawMessage{s.example}))
	}
}

// brought appends the parts that only the type's own schema has.
func (w *shapeWriter) brought(s *shape, pointer string) {
	for _, m := range s.rest {
		if s.example == nil || m.name != "examples" && m.name != "example" {
			w.key(m.name, s.own.appendMember(nil, m, pointer))
		}
	}
	if s.notNull != nil {
		w.key("anyOf", []byte{'['})
		w.write(s.notNull, pointer+"/anyOf/0")
		w.out = append(w.out, `,{"type":"null"}]`...)
	}
}

// children appends nested shapes.
func (w *shapeWriter) children(s *shape, pointer string) {
	if s.items != nil {
		w.key("items", nil)
		w.write(s.items, pointer+"/items")
	}
	if len(s.fields) > 0 {
		w.key("properties", []byte{'{'})
		for _, f := range s.fields {
			w.key(f.name, nil)
			w.write(f.shape, pointer+"/properties/"+escapePointer(f.name))
		}
		w.out = append(w.out, '}')
	}
	w.required(s.fields)
	if s.keys != nil {
		w.key("propertyNames", nil)
		w.write(s.keys, pointer+"/propertyNames")
	}
	if s.additional != nil {
		w.key("additionalProperties", nil)
		w.write(s.additional, pointer+"/additionalProperties")
	} else if s.isStruct {
		w.key("additionalProperties", []byte("false"))
	}
	if len(s.defs) > 0 {
		w.key("$defs", []byte{'{'})
		for _, d := range s.defs {
			w.key(d.name, nil)
			w.write(d.shape, pointer+"/$defs/"+escapePointer(d.name))
		}
		w.out = append(w.out, '}')
	}
}

func (w *shapeWriter) required(fields []shapeField) {
	var names []json.RawMessage
	for _, f := range fields {
		if f.required {
			names = append(names, quoteJSON(f.name))
		}
	}
	if names != nil {
		w.key("required", jsonList(names))
	}
}

// quoteJSON returns a JSON string.
func quoteJSON(text string) json.RawMessage {
	return appendQuoted(nil, text)
}

// jsonList returns a JSON array.
func jsonList(values []json.RawMessage) []byte {
	out := []byte{'['}
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']')
}

func intText(n int) string {
	return strconv.Itoa(n)
}
