package registry

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A storedResult is the form of a result in a store. Texts are bytes, because they need not be UTF-8.
type storedResult struct {
	Content      []storedContent            `json:",omitempty"`
	Structured   []byte                     `json:",omitempty"`
	Count        *int                       `json:",omitempty"`
	Omitted      []string                   `json:",omitempty"`
	IsError      bool                       `json:",omitempty"`
	JSON         bool                       `json:",omitempty"`
	Ungated      bool                       `json:",omitempty"`
	Tagged       bool                       `json:",omitempty"`
	Meta         map[string]json.RawMessage `json:",omitzero"`
	RequestState []byte                     `json:",omitempty"`
}

// A storedContent is one content. Resource links are stored as the protocol has them.
type storedContent struct {
	Kind        string
	Data        []byte                     `json:",omitempty"`
	MIMEType    string                     `json:",omitempty"`
	URI         string                     `json:",omitempty"`
	Blob        bool                       `json:",omitempty"`
	Inner       map[string]json.RawMessage `json:",omitzero"` // metadata of the resource
	Link        json.RawMessage            `json:",omitempty"`
	Meta        map[string]json.RawMessage `json:",omitzero"`
	Annotations *mcp.Annotations           `json:",omitempty"`
}

// MarshalBinary implements [encoding.BinaryMarshaler], for stores outside of the process. UnmarshalBinary returns an
// equal result: texts, data and structured content have the same bytes, and metadata the same JSON. A result that asks
// for input, or has contents of a foreign type, is an error.
func (r *Result) MarshalBinary() ([]byte, error) {
	if r.InputRequests != nil {
		return nil, errors.New("encoding a result: it asks for input")
	}
	meta, err := rawMembers(r.Meta)
	if err != nil {
		return nil, fmt.Errorf("encoding a result: metadata: %w", err)
	}
	s := storedResult{
		Structured: r.Structured, Count: r.Count, Omitted: r.Omitted, IsError: r.IsError, JSON: r.JSON,
		Ungated: r.Ungated, Tagged: r.tagged, Meta: meta, RequestState: []byte(r.RequestState),
	}
	for i, c := range r.Content {
		stored, err := storeContent(c)
		if err != nil {
			return nil, fmt.Errorf("encoding a result: content %d: %w", i+1, err)
		}
		s.Content = append(s.Content, stored)
	}
	return json.Marshal(s)
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. It replaces all of r.
func (r *Result) UnmarshalBinary(data []byte) error {
	var s storedResult
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("decoding a result: %w", err)
	}
	*r = Result{
		Structured: s.Structured, Count: s.Count, Omitted: s.Omitted, IsError: s.IsError, JSON: s.JSON,
		Ungated: s.Ungated, tagged: s.Tagged, Meta: anyMembers(s.Meta), RequestState: string(s.RequestState),
	}
	for i := range s.Content {
		c, err := s.Content[i].content()
		if err != nil {
			return fmt.Errorf("decoding a result: content %d: %w", i+1, err)
		}
		r.Content = append(r.Content, c)
	}
	return nil
}

func storeContent(c mcp.Content) (s storedContent, err error) {
	var meta mcp.Meta
	switch c := c.(type) {
	case *mcp.TextContent:
		s, meta = storedContent{Kind: "text", Data: []byte(c.Text), Annotations: c.Annotations}, c.Meta
	case *mcp.ImageContent:
		s, meta = storedContent{Kind: "image", Data: c.Data, MIMEType: c.MIMEType, Annotations: c.Annotations}, c.Meta
	case *mcp.AudioContent:
		s, meta = storedContent{Kind: "audio", Data: c.Data, MIMEType: c.MIMEType, Annotations: c.Annotations}, c.Meta
	case *mcp.EmbeddedResource:
		s, meta = storedContent{Kind: "resource", Annotations: c.Annotations}, c.Meta
		if c.Resource == nil {
			return s, errors.New("a resource without contents")
		}
		s.URI, s.MIMEType, s.Data, s.Blob = c.Resource.URI, c.Resource.MIMEType, []byte(c.Resource.Text), c.Resource.Blob != nil
		if s.Blob {
			s.Data = c.Resource.Blob
		}
		if s.Inner, err = rawMembers(c.Resource.Meta); err != nil {
			return s, err
		}
	case *mcp.ResourceLink:
		link := *c
		link.Meta = nil
		s, meta = storedContent{Kind: "link"}, c.Meta
		if s.Link, err = link.MarshalJSON(); err != nil {
			return s, err
		}
	default:
		return s, fmt.Errorf("a %T", c)
	}
	s.Meta, err = rawMembers(meta)
	return s, err
}

func (s *storedContent) content() (mcp.Content, error) {
	meta := anyMembers(s.Meta)
	switch s.Kind {
	case "text":
		return &mcp.TextContent{Text: string(s.Data), Meta: meta, Annotations: s.Annotations}, nil
	case "image":
		return &mcp.ImageContent{Data: s.Data, MIMEType: s.MIMEType, Meta: meta, Annotations: s.Annotations}, nil
	case "audio":
		return &mcp.AudioContent{Data: s.Data, MIMEType: s.MIMEType, Meta: meta, Annotations: s.Annotations}, nil
	case "resource":
		inner := &mcp.ResourceContents{URI: s.URI, MIMEType: s.MIMEType, Meta: anyMembers(s.Inner)}
		if s.Blob {
			inner.Blob = append([]byte{}, s.Data...)
		} else {
			inner.Text = string(s.Data)
		}
		return &mcp.EmbeddedResource{Resource: inner, Meta: meta, Annotations: s.Annotations}, nil
	case "link":
		var link mcp.CallToolResult
		if err := json.Unmarshal([]byte(`{"content":[`+string(s.Link)+`]}`), &link); err != nil {
			return nil, err
		}
		if len(link.Content) == 1 {
			if c, ok := link.Content[0].(*mcp.ResourceLink); ok {
				c.Meta = meta
				return c, nil
			}
		}
	}
	return nil, fmt.Errorf("unknown kind %.20q", s.Kind)
}

// rawMembers returns the members of metadata as JSON; nil for nil.
func rawMembers(meta map[string]any) (map[string]json.RawMessage, error) {
	if meta == nil {
		return nil, nil
	}
	raw := make(map[string]json.RawMessage, len(meta))
	for key, value := range meta {
		data, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		raw[key] = data
	}
	return raw, nil
}

func anyMembers(raw map[string]json.RawMessage) map[string]any {
	if raw == nil {
		return nil
	}
	meta := make(map[string]any, len(raw))
	for key, value := range raw {
		meta[key] = value
	}
	return meta
}
