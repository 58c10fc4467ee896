package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// frozen returns r in a form that is certain to have a JSON form: the SDK
// writes results where nobody recovers, and an answer that cannot be written is
// never sent. Plain results, which are most, are returned as they are. Others
// have methods or values of the embedder's in them; those are run once, here.
func frozen(r *Result) (*Result, error) {
	if r == nil {
		return nil, errors.New("nil result")
	}
	if r.Structured != nil && !json.Valid(r.Structured) {
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

// frozenRequests makes certain of the JSON form of what a result asks for.
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

// isPlain reports whether a content has nothing in it but text and bytes.
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

// frozenContent returns c with the values of the embedder's in it fixed. The
// SDK's own types are kept, for those who read them.
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
	if err != nil || !json.Valid(data) {
		return nil, fmt.Errorf("content without a JSON form: %T", c)
	}
	return &frozenBlock{Content: c, data: data}, nil
}

// frozenExtras fixes the metadata of a content, and checks its annotations, of
// which only the priority may have no JSON form.
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

// frozenBlock is a content of a type that the SDK does not have, with its JSON
// form fixed.
type frozenBlock struct {
	mcp.Content
	data []byte
}

func (f *frozenBlock) MarshalJSON() ([]byte, error) { return f.data, nil }
