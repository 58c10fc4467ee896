package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Marshal is [json.Marshal] without the escapes that only HTML needs: a model would pay for six characters
// where one does.
func Marshal(v any) ([]byte, error) {
	return encoded(v, "")
}

// MustMarshal is [Marshal] of what always has a JSON form. It panics if v has none.
func MustMarshal(v any) []byte {
	data, err := Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("strictjson: %v", err))
	}
	return data
}

// MarshalFile is [Marshal] for a file that people read: indented, with a line end.
func MarshalFile(v any) ([]byte, error) {
	data, err := encoded(v, "  ")
	if err != nil {
		return nil, err
	}
	return append(data, '\n'), nil
}

func encoded(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}

// Compact returns data without the white space between its tokens, and nil if data is not JSON.
func Compact(data []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, data) != nil {
		return nil
	}
	return b.Bytes()
}

// A Builder writes an object member by member. The zero value is an empty object.
type Builder struct{ buf []byte }

// Add writes a member whose value is JSON already.
func (b *Builder) Add(name string, value []byte) { b.AddRaw(MustMarshal(name), value) }

// AddText writes a member that is a text, unless it is empty.
func (b *Builder) AddText(name, text string) {
	if text != "" {
		b.Add(name, MustMarshal(text))
	}
}

// AddRaw is [Builder.Add] with the name as it is spelled, in quotes.
func (b *Builder) AddRaw(name, value []byte) {
	b.buf = append(b.buf, ',')
	b.buf = append(append(append(b.buf, name...), ':'), value...)
}

// Len returns the number of bytes written so far. It is 0 if there is no member.
func (b *Builder) Len() int { return len(b.buf) }

// Object returns the object. The builder must not be used again.
func (b *Builder) Object() []byte {
	if b.buf == nil {
		return []byte("{}")
	}
	b.buf[0] = '{'
	return append(b.buf, '}')
}
