package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// frozen returns r in a form that surely has JSON. The pipeline calls it for every result, because
// the SDK does not recover from a panic during encoding and does not send a result that it cannot
// encode. Plain results, the majority, are returned as they are. Other results hold methods or
// values of the embedder. Those are encoded once, here.
func frozen(r *Result) (*Result, error) {
	if r == nil {
		return nil, errors.New("nil result")
	}
	if r.Structured != nil && !strictjson.Valid(r.Structured) {
		return nil, errors.New("structured content is not JSON")
	}
	if r.InputRequests != nil {
		return frozenRequests(r)
	}
	plainContent := true
	for _, c := range r.Content {
		if isNil(c) {
			return nil, errors.New("nil content")
		}
		plainContent = plainContent && isPlain(c)
	}
	if plainContent && r.Meta == nil {
		return r, nil
	}
	copied := *r
	if !plainContent {
		copied.Content = make([]mcp.Content, len(r.Content))
		for i, c := range r.Content {
			f, err := frozenContent(c)
			if err != nil {
				return nil, err
			}
			copied.Content[i] = f
		}
	}
	var err error
	if copied.Meta, err = frozenMeta(r.Meta); err != nil {
		return nil, err
	}
	return &copied, nil
}

// frozenRequests checks that the input requests of a result have a JSON form.
func frozenRequests(r *Result) (*Result, error) {
	if len(r.Content) > 0 || r.Structured != nil {
		return nil, errors.New("a result that asks for input has no content")
	}
	if _, err := json.Marshal(r.InputRequests); err != nil {
		return nil, errors.New("input requests without a JSON form")
	}
	copied := *r
	var err error
	copied.Meta, err = frozenMeta(r.Meta)
	return &copied, err
}

// isPlain reports whether a content holds only text and bytes.
func isPlain(c mcp.Content) bool {
	switch c := c.(type) {
	case *mcp.TextContent:
		return c.Meta == nil && c.Annotations == nil
	case *mcp.ImageContent:
		return c.Meta == nil && c.Annotations == nil
	case *mcp.AudioContent:
		return c.Meta == nil && c.Annotations == nil
	}
	return false
}

// frozenContent returns c with the embedder's values in it encoded. The SDK's own types stay, for
// code that reads them.
func frozenContent(c mcp.Content) (mcp.Content, error) {
	switch c := c.(type) {
	case *mcp.TextContent:
		d := *c
		return &d, frozenExtras(&d.Meta, d.Annotations)
	case *mcp.ImageContent:
		d := *c
		return &d, frozenExtras(&d.Meta, d.Annotations)
	case *mcp.AudioContent:
		d := *c
		return &d, frozenExtras(&d.Meta, d.Annotations)
	case *mcp.ResourceLink:
		d := *c
		return &d, frozenExtras(&d.Meta, d.Annotations)
	case *mcp.EmbeddedResource:
		d := *c
		if c.Resource != nil {
			r := *c.Resource
			d.Resource = &r
			if err := frozenExtras(&r.Meta, nil); err != nil {
				return nil, err
			}
		}
		return &d, frozenExtras(&d.Meta, d.Annotations)
	}
	data, err := c.MarshalJSON()
	if err != nil || !strictjson.Valid(data) {
		return nil, fmt.Errorf("content without a JSON form: %T", c)
	}
	return &frozenBlock{Content: c, data: data}, nil
}

// frozenExtras encodes the metadata of a content and checks its annotations. Only their priority
// may have no JSON form.
func frozenExtras(meta *mcp.Meta, a *mcp.Annotations) error {
	if a != nil && (math.IsNaN(a.Priority) || math.IsInf(a.Priority, 0)) {
		return errors.New("annotations without a JSON form")
	}
	m, err := frozenMeta(*meta)
	*meta = m
	return err
}

func frozenMeta(meta map[string]any) (map[string]any, error) {
	if meta == nil {
		return nil, nil
	}
	fixed := make(map[string]any, len(meta))
	for key, value := range meta {
		data, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("metadata without a JSON form: %T", value)
		}
		fixed[key] = json.RawMessage(data)
	}
	return fixed, nil
}

// frozenBlock is an encoded content of a type that the SDK does not have.
type frozenBlock struct {
	mcp.Content
	data []byte
}

func (f *frozenBlock) MarshalJSON() ([]byte, error) { return f.data, nil }
