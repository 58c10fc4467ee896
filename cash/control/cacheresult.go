package control

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

// keepable returns res in a form that has nothing in it but data, and about how
// many bytes it takes; ok is false for a result that may not be kept.
func keepable(res *registry.Result) (own *registry.Result, bytes int, ok bool) {
	if res.IsError || res.Ungated || res.InputRequests != nil || res.RequestState != "" {
		return nil, 0, false
	}
	if res.Structured != nil && !json.Valid(res.Structured) {
		return nil, 0, false
	}
	const overhead = 512 // of an entry, and of a content
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

// contentBytes returns about how many bytes a content takes, if it is of the
// SDK's and has no values of others in it.
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
