package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// Members of the object around a result that is none; see [Function.OutputSchema].
const (
	wrapValue = "value"
	wrapText  = "text"
)

// An output describes the structured content of results.
type output struct {
	text  json.RawMessage    // the schema, with the wrapper
	wrap  string             // the member that has the result; empty if results are objects
	shape *jsonschema.Schema // the schema without the wrapper if it is inferred, else nil

	compile  sync.Once
	compiled *schema.Schema
	unusable error
}

// OutputSchema returns the JSON Schema of the result as structured content ([Function.Typed]): that of
// the option [OutputSchema], else that of the type Out, inferred as mcp.AddTool does. Nil is not known:
// the function was not made by [Func] or [StreamFunc], or Out has its own form, contains itself, or has
// no form that can be told from the type.
//
// Structured content is an object. A result that is none is wrapped, and so is its schema: {"text": ...}
// if Out is a string, {"value": ...} for everything else. The schema of another server is as that server
// has it.
func (f *Function) OutputSchema() json.RawMessage {
	if o := f.described(); o != nil {
		return o.text
	}
	return nil
}

// described returns the description of the structured content, nil if it is not known.
func (f *Function) described() *output {
	switch {
	case f.output != nil:
		return f.output
	case f.out == nil:
		return nil
	}
	return inferredOutput(f.out)
}

// Typed returns r as a face sends it that shows the function's [Function.OutputSchema]: its structured
// content is what the schema describes, or absent. An error result has none. The error says why a
// successful result has none; it shows no values. Without a schema, r is returned as it is.
func (f *Function) Typed(ctx context.Context, r *Result) (*Result, error) {
	o := f.described()
	if o == nil || r.InputRequests != nil {
		return r, nil
	}
	if r.IsError {
		return r.AsText(), nil
	}
	structured, err := o.structured(ctx, r)
	if err != nil {
		return r.AsText(), err
	}
	typed := *r
	typed.Structured = structured
	return &typed, nil
}

// maxStructured bounds the nesting of structured content that is made from a text.
const maxStructured = 500

// structured returns the structured content of a successful result.
func (o *output) structured(ctx context.Context, r *Result) (json.RawMessage, error) {
	value := r.Structured
	if value == nil {
		text, ok := onlyText(r)
		switch {
		case !ok:
			return nil, errors.New("the result is not one text, and has no structured content")
		case o.wrap == wrapText:
			value = strictjson.MustMarshal(text)
		default:
			value = json.RawMessage(text)
		}
	}
	if strictjson.CheckDepth(value, maxStructured) != nil {
		return nil, errors.New("the result is not JSON")
	}
	err := o.check(ctx, o.wrapped(value))
	if err != nil && o.shape != nil {
		value = o.withoutNilMaps(o.shape, value)
		err = o.check(ctx, o.wrapped(value))
	}
	if err != nil {
		return nil, fmt.Errorf("the result does not fit its output schema: %w", err)
	}
	return o.wrapped(value), nil
}

func onlyText(r *Result) (string, bool) {
	if len(r.Content) != 1 {
		return "", false
	}
	t, ok := r.Content[0].(*mcp.TextContent)
	if !ok {
		return "", false
	}
	return t.Text, true
}

// wrapped returns a result as an object.
func (o *output) wrapped(value json.RawMessage) json.RawMessage {
	if o.wrap == "" {
		return value
	}
	var b strictjson.Builder
	b.Add(o.wrap, value)
	return b.Object()
}

func (o *output) check(ctx context.Context, data json.RawMessage) error {
	o.compile.Do(func() { o.compiled, o.unusable = schema.Parse(o.text) })
	if o.unusable != nil {
		return o.unusable
	}
	return o.compiled.Check(ctx, data)
}

// withoutNilMaps returns JSON with {} in place of null where its schema requires an object: encoding/json
// writes nil maps as null.
func (o *output) withoutNilMaps(s *jsonschema.Schema, data []byte) []byte {
	kind := strictjson.KindOf(data)
	if s != nil && s.Type == "object" && kind == strictjson.Null {
		return []byte("{}")
	}
	if s != nil && s.Ref != "" {
		s = o.shape.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
	}
	switch {
	case s == nil:
	case kind == strictjson.Object:
		var b strictjson.Builder
		for key, value := range strictjson.RawMembers(data) {
			member := s.Properties[strictjson.Text(key)]
			if member == nil {
				member = s.AdditionalProperties
			}
			b.AddRaw(key, o.withoutNilMaps(member, value))
		}
		return b.Object()
	case kind == strictjson.Array && s.Items != nil:
		list := []byte{'['}
		for i, value := range strictjson.Elements(data) {
			if i > 0 {
				list = append(list, ',')
			}
			list = append(list, o.withoutNilMaps(s.Items, value)...)
		}
		return append(list, ']')
	}
	return data
}

// declare sets the declared schema of the result, and its summary unless the type of the result has one.
func (f *Function) declare(text json.RawMessage, summary string) (err error) {
	f.output = &output{text: text}
	if f.derived == "" {
		f.derived = summary
	}
	typ, known := typeOf(text)
	if f.remote || !known || typ == "object" {
		return nil
	}
	f.output.wrap = wrapValue
	if f.out != nil && isString(f.out) || f.out == nil && typ == "string" {
		f.output.wrap = wrapText
	}
	f.output.text, err = wrapSchema(f.output.wrap, text)
	return err
}

// wrapSchema returns the schema of an object with one member, whose schema is text.
func wrapSchema(member string, text json.RawMessage) (json.RawMessage, error) {
	moved, err := schema.At(text, "/properties/"+member)
	if err != nil {
		return nil, err
	}
	var inner, properties, outer strictjson.Builder
	outer.AddText("type", "object")
	for key, value := range strictjson.Members(moved) {
		if key == "$schema" { // stands at the top
			outer.Add(key, value)
		} else {
			inner.Add(key, value)
		}
	}
	properties.Add(member, inner.Object())
	outer.Add("properties", properties.Object())
	outer.Add("required", strictjson.MustMarshal([]string{member}))
	outer.Add("additionalProperties", []byte("false"))
	return outer.Object(), nil
}

// isString reports whether results of type t are texts, not JSON; see [encoderFor].
func isString(t reflect.Type) bool { return t.Kind() == reflect.String && !isMarshaler(t) }
