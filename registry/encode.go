package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/schema"
)

// An encoder turns a handler's output into a result.
type encoder func(*Call, any) (*Result, error)

var contentType = reflect.TypeFor[mcp.Content]()

// encoderFor returns the encoder for an output type, and the line that describes such output.
func encoderFor(t reflect.Type) (encoder, string) {
	switch {
	case t == reflect.TypeFor[*Result]():
		return encodeResult, ""
	case t == reflect.TypeFor[*mcp.CallToolResult]():
		return encodeToolResult, ""
	case t == reflect.TypeFor[[]mcp.Content]():
		return encodeContents, ""
	case t.Implements(contentType):
		return encodeContent, ""
	case t == reflect.TypeFor[json.RawMessage]():
		return encodeRaw, ""
	case isString(t):
		return encodeString, "Text."
	}
	return encodeJSON, describe(t)
}

func isMarshaler(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[json.Marshaler]()) ||
		t.Implements(reflect.TypeFor[interface{ MarshalText() ([]byte, error) }]())
}

// describe returns the summary of an output type. A type without a schema, such as a recursive one,
// may still have a JSON form. Its summary is empty.
func describe(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s, err := schema.ForType(t)
	if err != nil {
		return ""
	}
	if !s.Converts() {
		return s.Summary()
	}
	o := inferredOutput(t) // a result has another form than an argument
	if o == nil {          // a recursive type
		return s.Summary()
	}
	shape := *o.shape
	if len(shape.Types) == 2 && shape.Types[0] == "null" { // a nil list is an empty one
		shape.Type, shape.Types = shape.Types[1], nil
	}
	if s, err = schema.Parse(strictjson.MustMarshal(&shape)); err != nil {
		return ""
	}
	return s.Summary()
}

func encodeResult(_ *Call, out any) (*Result, error) { return out.(*Result), nil }

func encodeToolResult(c *Call, out any) (*Result, error) {
	r := out.(*mcp.CallToolResult)
	if r == nil {
		return nil, nil
	}
	res := &Result{Content: r.Content, IsError: r.IsError, Meta: r.Meta}
	switch s := r.StructuredContent.(type) {
	case nil:
	case json.RawMessage:
		res.Structured = s
	default:
		text, err := marshal(s)
		if err != nil {
			return nil, noJSON(c, err)
		}
		res.Structured = json.RawMessage(text)
	}
	return res, nil
}

func encodeContents(_ *Call, out any) (*Result, error) {
	return &Result{Content: out.([]mcp.Content)}, nil
}

func encodeContent(_ *Call, out any) (*Result, error) {
	c, _ := out.(mcp.Content)
	return &Result{Content: []mcp.Content{c}}, nil
}

func encodeRaw(c *Call, out any) (*Result, error) {
	raw := out.(json.RawMessage)
	if raw == nil {
		return nil, nil
	}
	r := jsonResult(c, string(raw))
	if r.JSON = strictjson.Valid(raw); r.JSON {
		r.Count = countElements(raw)
	}
	return r, nil
}

func encodeString(_ *Call, out any) (*Result, error) {
	if s, ok := out.(string); ok {
		return TextResult(s), nil
	}
	return TextResult(reflect.ValueOf(out).String()), nil
}

func encodeJSON(c *Call, out any) (*Result, error) {
	switch v := reflect.ValueOf(out); v.Kind() {
	case reflect.Invalid:
		return nil, nil
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil, nil
		}
	case reflect.Slice, reflect.Map: // a nil list is an empty list, not a missing answer
		if v.IsNil() && !isMarshaler(v.Type()) {
			r := jsonResult(c, empty(v.Type()))
			r.Count = countOf(out)
			return r, nil
		}
	}
	text, tagged, err := marshalDetail(out, c.Detail)
	if err != nil {
		return nil, noJSON(c, err)
	}
	r := jsonResult(c, text)
	r.tagged = tagged
	if r.Count = countOf(out); r.Count == nil && text[0] == '[' { // a MarshalJSON method may write a list
		r.Count = countElements([]byte(text))
	}
	return r, nil
}

// empty is the JSON of a slice or map without elements.
func empty(t reflect.Type) string {
	switch {
	case t.Kind() == reflect.Map:
		return "{}"
	case isBytes(t):
		return `""` // bytes are text in base64
	}
	return "[]"
}

// isBytes reports whether encoding/json writes a slice type as text.
func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && !isMarshaler(reflect.PointerTo(t.Elem()))
}

func jsonResult(c *Call, text string) *Result {
	r := TextResult(text)
	r.JSON = true
	if c.Function.structured {
		r.Structured = json.RawMessage(text)
	}
	return r
}

func noJSON(c *Call, err error) error {
	return &Error{
		Kind: Internal, Namespace: c.Function.namespace, Name: c.Function.name,
		Message: fmt.Sprintf("The function `%s` ran, but its result could not be written as JSON.", c.Function.name) + consequence(c.Function),
		Err:     err,
	}
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxPooled is the largest buffer that goes back to the pool.
const maxPooled = 1 << 16

// marshal is json.Marshal without HTML escapes: a model would pay for six characters instead of
// one.
func marshal(v any) (string, error) {
	buf := buffers.Get().(*bytes.Buffer)
	buf.Reset()
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return takeText(buf), err
}

// takeText returns the text in a buffer without its last line break, and puts the buffer back.
func takeText(buf *bytes.Buffer) string {
	text := string(bytes.TrimSuffix(buf.Bytes(), []byte("\n")))
	if buf.Cap() <= maxPooled {
		buffers.Put(buf)
	}
	return text
}
