package upstream

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/mcpclient"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// parseResource reads an entry of a list of resources.
func parseResource(raw []byte) (*primitive, error) {
	p, err := parsePrimitive(raw, (*primitive).setResource)
	if err == nil && p.key == "" {
		err = errors.New("no URI")
	}
	return p, err
}

func (p *primitive) setResource(key string, value []byte) error {
	switch key {
	case "uri":
		return setText(&p.key, key, value)
	case "name":
		return setText(&p.name, key, value)
	case "title":
		return setText(&p.title, key, value)
	case "description":
		return setText(&p.description, key, value)
	case "mimeType":
		return setText(&p.mime, key, value)
	}
	return nil
}

// lastSegment returns what stands at the end of a URI, without its query.
func lastSegment(uri string) string {
	if i := strings.IndexAny(uri, "?#"); i > 0 {
		uri = uri[:i]
	}
	uri = strings.TrimRight(uri, "/")
	return uri[strings.LastIndexAny(uri, "/:")+1:]
}

var noArguments = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)

// maxMIME bounds what is shown of a MIME type, in characters.
const maxMIME = 100

func withMIME(about, mime string) string {
	if mime = clean.Line(mime, maxMIME); mime == "" {
		return about
	}
	return strings.TrimSpace(about + " (" + mime + ")")
}

// reader reads a resource, as long as it is in the list.
func (u *upstream) reader(b *branch, d *primitive) registry.Handler {
	return func(ctx context.Context, c *registry.Call) (*registry.Result, error) {
		return u.invoke(ctx, c, &request{
			meta:    u.via(ctx),
			current: func() *CallError { return b.current(d) },
			ask: func(ctx context.Context, s *session, p *mcp.CallToolParams, wire *mcpclient.Exchange) (*mcp.CallToolResult, error) {
				return s.readResource(ctx, &mcp.ReadResourceParams{
					URI: d.key, Meta: p.Meta, InputResponses: p.InputResponses, RequestState: p.RequestState,
				}, wire)
			},
			result: u.plainResult(c),
		})
	}
}

// plainResult is the result of what is no tool: it has no structured content.
func (u *upstream) plainResult(c *registry.Call) func(*answer, bool) (*registry.Result, error) {
	return func(a *answer, _ bool) (*registry.Result, error) {
		if a.InputRequests != nil {
			return u.asking(a, c)
		}
		a.structured = nil
		return a.result(), nil
	}
}

// readResource reads a resource. Its contents are read from the wire: what is odd
// with one of them does not cost the others.
func (s *session) readResource(ctx context.Context, p *mcp.ReadResourceParams, wire *mcpclient.Exchange) (*mcp.CallToolResult, error) {
	res, err := s.client.ReadResource(ctx, p)
	// The SDK keeps what is read, of every URI. Whether anything is kept is decided elsewhere.
	_, _ = s.receive(ctx, "notifications/resources/updated", &mcp.ResourceUpdatedNotificationRequest{
		Session: s.client, Params: &mcp.ResourceUpdatedNotificationParams{URI: p.URI},
	})
	if err == nil && res.InputRequests != nil {
		return &mcp.CallToolResult{InputRequests: res.InputRequests, RequestState: res.RequestState}, nil
	}
	raw := wire.Result()
	if raw == nil && err == nil { // another call has just read the same
		raw, err = json.Marshal(res)
	}
	if raw == nil || ctx.Err() != nil {
		return nil, err
	}
	return resourceContents(raw, p.URI), nil
}

// maxContents bounds the contents of one resource.
const maxContents = 10_000

// resourceContents reads the contents of a resource, a block of content each,
// text and bytes as they are. It returns nil if there is no list of them, or too
// long a one.
func resourceContents(raw json.RawMessage, uri string) *mcp.CallToolResult {
	return blocksOf(raw, "contents", maxContents, func(one json.RawMessage) []mcp.Content { return contentBlocks(one, uri) })
}

// blocksOf reads a member that is a list of at most so many, by what read makes
// of each; nil if there is none.
func blocksOf(raw json.RawMessage, member string, most int, read func(one json.RawMessage) []mcp.Content) *mcp.CallToolResult {
	res, found := new(mcp.CallToolResult), false
	for key, value := range strictjson.Members(raw) {
		if key != member || strictjson.KindOf(value) != strictjson.Array {
			continue
		}
		found = true
		for i, one := range strictjson.Elements(value) {
			if i >= most {
				return nil
			}
			res.Content = append(res.Content, read(one)...)
		}
	}
	if !found {
		return nil
	}
	return res
}

// contentBlocks returns the blocks of one of the contents of a resource: one, or
// one each for text and bytes. What has neither becomes a text with its JSON.
func contentBlocks(raw json.RawMessage, uri string) []mcp.Content {
	var blocks []mcp.Content
	head := mcp.ResourceContents{URI: uri}
	for key, value := range strictjson.Members(raw) {
		switch kind := strictjson.KindOf(value); {
		case key == "uri" && kind == strictjson.String:
			head.URI = strictjson.Text(value)
		case key == "mimeType" && kind == strictjson.String:
			head.MIMEType = strictjson.Text(value)
		case key == "_meta" && kind == strictjson.Object:
			_ = json.Unmarshal(value, &head.Meta) // what is no object is none
		}
	}
	for key, value := range strictjson.Members(raw) {
		if strictjson.KindOf(value) != strictjson.String {
			continue
		}
		block := head
		switch key {
		case "text":
			block.Text = strictjson.Text(value)
		case "blob":
			data, err := base64.StdEncoding.DecodeString(strictjson.Text(value))
			if err != nil {
				continue
			}
			block.Blob = data
		default:
			continue
		}
		blocks = append(blocks, &mcp.EmbeddedResource{Resource: &block})
	}
	if blocks == nil {
		return []mcp.Content{&mcp.TextContent{Text: string(raw)}}
	}
	return blocks
}
