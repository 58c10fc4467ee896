package catalog

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/blocks"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// readResource reads a resource of resources/list, and its content.
func readResource(d *definition, _ *Limits) error {
	var contents, body []byte
	member := "" // the member that body comes from
	d.name = ""  // until a name is read, it may be the URI
	d.members(func(key string, value []byte) bool {
		switch key {
		case "uri":
			return strictjson.Take(&d.key, value)
		case "mimeType":
			return strictjson.Take(&d.mime, value)
		case "contents":
			contents = value
		case "text", "blob":
			member, body = key, value
		default:
			return d.common(key, value)
		}
		return true
	})
	if d.key == "" {
		return errors.New("no uri")
	}
	if d.name == "" {
		d.name = lastSegment(d.key)
	}
	d.hints = wire.ReadOnly()
	r := new(resource)
	if member != "" {
		r.add(d, &mcp.ResourceContents{URI: d.key, MIMEType: d.mime}, member, body)
	}
	if len(contents) > 0 && strictjson.KindOf(contents) != strictjson.Array {
		d.flag("contents: want an array, got type %s", strictjson.KindOf(contents))
	}
	for i, one := range strictjson.Elements(contents) {
		r.addContents(d, i, one, mcp.ResourceContents{URI: d.key, MIMEType: d.mime})
	}
	d.handler = r.read
	return nil
}

// lastSegment returns the name for a resource without one.
func lastSegment(uri string) string {
	trimmed := strings.TrimRight(uri, "/")
	if last := trimmed[strings.LastIndexByte(trimmed, '/')+1:]; last != "" {
		return last
	}
	return uri
}

// A resource is the handler of a resource's function: it returns the content.
type resource struct{ content []mcp.Content }

// addContents reads an element of contents. It starts with the resource's own URI and MIME type.
func (r *resource) addContents(d *definition, i int, one []byte, c mcp.ResourceContents) {
	var body []byte
	member := ""
	ok := object(one, func(key string, value []byte) {
		switch key {
		case "uri":
			strictjson.Take(&c.URI, value)
		case "mimeType":
			strictjson.Take(&c.MIMEType, value)
		case "text", "blob":
			member, body = key, value
		}
	})
	if !ok || member == "" {
		d.flag("contents: number %d has neither text nor blob", i+1)
		return
	}
	r.add(d, &c, member, body)
}

// add adds a content with the given text or blob.
func (r *resource) add(d *definition, c *mcp.ResourceContents, member string, body []byte) {
	if !strictjson.Take(&c.Text, body) {
		d.flag("%s: want a string, got type %s", member, strictjson.KindOf(body))
		return
	}
	if member == "blob" {
		blob, err := base64.StdEncoding.DecodeString(c.Text)
		if err != nil {
			d.flag("blob: %v", err)
			return
		}
		c.Text, c.Blob = "", blob
	}
	r.content = append(r.content, &mcp.EmbeddedResource{Resource: c})
	blocks.Clean(r.content[len(r.content)-1:])
}

// read is the [registry.Handler] of the resource.
func (r *resource) read(_ context.Context, c *registry.Call) (*registry.Result, error) {
	if len(r.content) == 0 {
		return nil, noContent(c)
	}
	return &registry.Result{Content: slices.Clip(r.content)}, nil
}
