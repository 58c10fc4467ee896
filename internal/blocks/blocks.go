// Package blocks cleans the content blocks of foreign results. It cleans text as [clean.Content] does:
//
//	blocks.Clean(result.Content) // in place
//
// It cleans texts, URIs, names, media types, annotations and metadata, also in embedded resources. Binary data stays as
// it is, even if it is text.
package blocks

import (
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// Clean cleans blocks in place; they must belong to the caller. It allocates only for text that changes.
func Clean(list []mcp.Content) {
	for i, block := range list {
		switch c := block.(type) {
		case *mcp.TextContent:
			texts(&c.Text)
			extras(c.Meta, c.Annotations)
		case *mcp.ImageContent:
			texts(&c.MIMEType)
			extras(c.Meta, c.Annotations)
		case *mcp.AudioContent:
			texts(&c.MIMEType)
			extras(c.Meta, c.Annotations)
		case *mcp.ResourceLink:
			texts(&c.URI, &c.Name, &c.Title, &c.Description, &c.MIMEType)
			extras(c.Meta, c.Annotations)
			icons(c.Icons)
		case *mcp.EmbeddedResource:
			if r := c.Resource; r != nil {
				texts(&r.URI, &r.MIMEType, &r.Text)
				Meta(r.Meta)
			}
			extras(c.Meta, c.Annotations)
		default:
			list[i] = other(block)
		}
	}
}

func texts(list ...*string) {
	for _, text := range list {
		*text = clean.Content(*text)
	}
}

// extras cleans the metadata and annotations of a block. Either may be nil.
func extras(meta map[string]any, a *mcp.Annotations) {
	Meta(meta)
	if a == nil {
		return
	}
	texts(&a.LastModified)
	for i, role := range a.Audience {
		a.Audience[i] = mcp.Role(clean.Content(string(role)))
	}
}

func icons(list []mcp.Icon) {
	for i := range list {
		icon := &list[i]
		texts(&icon.Source, &icon.MIMEType)
		icon.Theme = mcp.IconTheme(clean.Content(string(icon.Theme)))
		for j := range icon.Sizes {
			texts(&icon.Sizes[j])
		}
	}
}

// other cleans a block of another type by way of its JSON. It returns a text block if there is no JSON form, or none
// after cleaning.
func other(block mcp.Content) mcp.Content {
	if block == nil {
		return nil
	}
	data, err := block.MarshalJSON()
	if err != nil {
		return &mcp.TextContent{Text: "(content that cannot be read)"}
	}
	cleaned := clean.ContentJSON(data)
	if string(cleaned) == string(data) {
		return block
	}
	var r mcp.CallToolResult
	if r.UnmarshalJSON(slices.Concat([]byte(`{"content":[`), cleaned, []byte(`]}`))) == nil && len(r.Content) == 1 {
		return r.Content[0]
	}
	return &mcp.TextContent{Text: string(cleaned)}
}

// Meta cleans keys and values of metadata in place; it must belong to the caller. An entry whose key changes is
// dropped.
func Meta(meta map[string]any) {
	for key, v := range meta {
		meta[key] = value(v)
	}
	var hostile []string
	for key := range meta {
		if clean.Content(key) != key {
			hostile = append(hostile, key)
		}
	}
	slices.Sort(hostile)
	for _, key := range hostile {
		if name := clean.Content(key); meta[name] == nil {
			meta[name] = meta[key]
		}
		delete(meta, key)
	}
}

// value returns a cleaned JSON value. Maps and slices are changed in place.
func value(v any) any {
	switch is := v.(type) {
	case string:
		if cleaned := clean.Content(is); cleaned != is {
			return cleaned
		}
	case json.RawMessage:
		if cleaned := clean.ContentJSON(is); len(cleaned) != len(is) || string(cleaned) != string(is) {
			return json.RawMessage(cleaned)
		}
	case map[string]any:
		Meta(is)
	case []any:
		for i := range is {
			is[i] = value(is[i])
		}
	}
	return v
}
