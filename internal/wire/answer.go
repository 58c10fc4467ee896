package wire

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/blocks"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// An Answer is the result of tools/call as the server sent it.
type Answer struct {
	*mcp.CallToolResult
	Structured json.RawMessage            // with the server's order of keys and spelling of numbers; nil if none
	Extra      map[string]json.RawMessage // members that the protocol does not have
	Instance   string                     // the answering server's instance, if it gives one
}

// NewAnswer combines the SDK's result with the raw JSON. The SDK decodes structured content into float64s and maps,
// which loses precision and order.
func NewAnswer(res *mcp.CallToolResult, raw json.RawMessage) *Answer {
	a := &Answer{CallToolResult: res}
	for key, value := range strictjson.Members(raw) {
		switch {
		case key == "structuredContent" && strictjson.KindOf(value) != strictjson.Null:
			a.Structured = strictjson.Trim(value)
		case key == "_meta" && strictjson.KindOf(value) == strictjson.Object:
			a.readMeta(value)
		}
	}
	return a
}

// maxBlocks bounds the blocks that are parsed one by one.
const maxBlocks = 1000

// Readable parses the readable parts of a result that the SDK refuses. A block of an unknown kind becomes a text
// with its JSON. It returns nil if the result has no content.
func Readable(raw json.RawMessage) *mcp.CallToolResult {
	var head struct {
		Content []json.RawMessage `json:"content"`
		IsError bool              `json:"isError"`
	}
	if json.Unmarshal(raw, &head) != nil || head.Content == nil || len(head.Content) > maxBlocks {
		return nil
	}
	res := &mcp.CallToolResult{IsError: head.IsError}
	for _, block := range head.Content {
		res.Content = append(res.Content, readableBlock(block))
	}
	return res
}

// readableBlock parses one block of content. An unreadable one becomes a text with its JSON.
func readableBlock(block json.RawMessage) mcp.Content {
	var one mcp.CallToolResult
	if one.UnmarshalJSON(slices.Concat([]byte(`{"content":[`), block, []byte(`]}`))) == nil && len(one.Content) == 1 {
		return one.Content[0]
	}
	return &mcp.TextContent{Text: string(block)}
}

// maxInstance bounds a server's instance name, in bytes. Those of this module are shorter.
const maxInstance = 64

// reserved is the prefix of metadata keys that only a server and its direct client understand.
const reserved = "io.modelcontextprotocol/"

func (a *Answer) readMeta(data []byte) {
	for key, value := range strictjson.Members(data) {
		if key == registry.MetaInstance && strictjson.KindOf(value) == strictjson.String {
			if len(value) <= maxInstance {
				a.Instance = strictjson.Text(value)
			}
			continue
		}
		if strings.HasPrefix(key, reserved) {
			continue
		}
		if a.Extra == nil {
			a.Extra = make(map[string]json.RawMessage)
		}
		a.Extra[key] = strictjson.Trim(value)
	}
}

// ownMeta is the prefix of metadata keys of this module. They are passed on one by one, or not at all.
const ownMeta = "cash/"

// Result returns the answer for callers: without invisible characters and terminal escapes ([clean.Content]),
// otherwise byte for byte. It changes the blocks of the answer.
func (a *Answer) Result() *registry.Result {
	blocks.Clean(a.Content)
	r := &registry.Result{Content: a.Content, Structured: clean.ContentJSON(a.Structured), IsError: a.IsError}
	r.Meta = make(map[string]any, len(a.Extra))
	for key, value := range a.Extra {
		if !strings.HasPrefix(key, ownMeta) {
			r.Meta[key] = value
		}
	}
	blocks.Meta(r.Meta)
	return r
}

// Text returns the text of a page as the server sent it. Clean it when it is shown, after its names have been
// parsed.
func (a *Answer) Text() string { return (&registry.Result{Content: a.Content}).Text() }
