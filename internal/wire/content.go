package wire

import (
	"encoding/base64"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// maxContents bounds the contents of one resource.
const maxContents = 10_000

// ResourceContents parses the contents of a resource, one block each, with text and bytes unchanged. It returns nil
// if the list is missing or too long.
func ResourceContents(raw json.RawMessage, uri string) *mcp.CallToolResult {
	return blocksOf(raw, "contents", maxContents, func(one json.RawMessage) []mcp.Content { return contentBlocks(one, uri) })
}

// blocksOf parses a member that is a list of at most most elements, each with read; nil if it is missing.
func blocksOf(raw json.RawMessage, member string, most int, read func(one json.RawMessage) []mcp.Content) *mcp.CallToolResult {
	list := strictjson.Member(raw, member)
	if strictjson.KindOf(list) != strictjson.Array {
		return nil
	}
	res := new(mcp.CallToolResult)
	for i, one := range strictjson.Elements(list) {
		if i >= most {
			return nil
		}
		res.Content = append(res.Content, read(one)...)
	}
	return res
}

// contentBlocks returns one content of a resource as blocks: text, bytes, or both. A content with neither becomes a
// text with its JSON.
func contentBlocks(raw json.RawMessage, uri string) []mcp.Content {
	var blocks []mcp.Content
	head := mcp.ResourceContents{URI: uri}
	strictjson.Take(&head.URI, strictjson.Member(raw, "uri"))
	strictjson.Take(&head.MIMEType, strictjson.Member(raw, "mimeType"))
	if meta := strictjson.Member(raw, "_meta"); strictjson.KindOf(meta) == strictjson.Object {
		_ = json.Unmarshal(meta, &head.Meta) // its numbers may be too large
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

// PromptMessages parses the messages of a prompt. Each becomes a text that begins with the speaker's role. Other
// content becomes a block after a text with the role. It returns nil if the list is missing or too long.
func PromptMessages(raw json.RawMessage) *mcp.CallToolResult {
	return blocksOf(raw, "messages", maxBlocks, messageBlocks)
}

func messageBlocks(message json.RawMessage) []mcp.Content {
	role := First(clean.Line(strictjson.Text(strictjson.Member(message, "role")), maxRole), "message")
	content := message
	if c := strictjson.Member(message, "content"); c != nil {
		content = c
	}
	block := readableBlock(content)
	if t, ok := block.(*mcp.TextContent); ok {
		return []mcp.Content{&mcp.TextContent{Text: role + ": " + t.Text, Meta: t.Meta, Annotations: t.Annotations}}
	}
	return []mcp.Content{&mcp.TextContent{Text: role + ":"}, block}
}

// maxRole bounds the shown part of a role, in characters.
const maxRole = 20
