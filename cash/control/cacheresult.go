package control

import (
	"encoding/json"
	"slices"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// keepable returns a copy of res that is pure data, and its approximate size in bytes. ok is false if the result may
// not be cached.
func keepable(res *registry.Result) (own *registry.Result, bytes int, ok bool) {
	if res.IsError || res.Ungated || res.InputRequests != nil || res.RequestState != "" {
		return nil, 0, false
	}
	if res.Structured != nil && !strictjson.Valid(res.Structured) {
		return nil, 0, false
	}
	const overhead = 512 // of an entry, and of each content
	bytes = overhead + len(res.Structured)
	for _, c := range res.Content {
		n, ok := contentBytes(c)
		if !ok {
			return nil, 0, false
		}
		bytes += overhead + n
	}
	kept := *res
	if res.Count != nil {
		n := *res.Count
		kept.Count = &n
	}
	kept.Omitted = slices.Clone(res.Omitted)
	for _, path := range res.Omitted {
		bytes += len(path)
	}
	if res.Meta != nil {
		kept.Meta = make(map[string]any, len(res.Meta))
	}
	for key, value := range res.Meta {
		data, err := json.Marshal(value)
		if err != nil {
			return nil, 0, false
		}
		kept.Meta[key] = json.RawMessage(data)
		bytes += len(key) + len(data)
	}
	return &kept, bytes, true
}

// contentBytes returns the approximate size of a content. ok is false if it is not a type of the SDK, or holds foreign
// values.
func contentBytes(c mcp.Content) (n int, ok bool) {
	switch c := c.(type) {
	case *mcp.TextContent:
		if c != nil && c.Meta == nil {
			return len(c.Text), true
		}
	case *mcp.ImageContent:
		if c != nil && c.Meta == nil {
			return len(c.Data), true
		}
	case *mcp.AudioContent:
		if c != nil && c.Meta == nil {
			return len(c.Data), true
		}
	case *mcp.EmbeddedResource:
		if c != nil && c.Meta == nil && c.Resource != nil && c.Resource.Meta == nil {
			return len(c.Resource.URI) + len(c.Resource.Text) + len(c.Resource.Blob), true
		}
	case *mcp.ResourceLink:
		if c != nil && c.Meta == nil {
			data, err := c.MarshalJSON()
			return len(data), err == nil
		}
	}
	return 0, false
}
