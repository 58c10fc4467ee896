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

// An Answer is the result of a tool as the server sent it.
type Answer struct {
	*mcp.CallToolResult
	Structured json.RawMessage            // with its key order and spelling of numbers; nil is none
	Extra      map[string]json.RawMessage // what is not of the protocol
	Instance   string                     // of the server that answers, if it says so
}

// NewAnswer joins what the SDK has read with what was on the wire: it reads
// structured content by way of float64s and maps.
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

// maxBlocks bounds the blocks of a result that are read one by one.
const maxBlocks = 1000

// Readable reads of a result what can be read: a block of a kind that is not
// known becomes a text with its JSON. It returns nil if the result has no
// content.
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

// readableBlock reads one block of content; what cannot be read becomes a text
// with its JSON.
func readableBlock(block json.RawMessage) mcp.Content {
	var one mcp.CallToolResult
	if one.UnmarshalJSON(slices.Concat([]byte(`{"content":[`), block, []byte(`]}`))) == nil && len(one.Content) == 1 {
		return one.Content[0]
	}
	return &mcp.TextContent{Text: string(block)}
}

// maxInstance bounds the name of a server, in bytes; those of this module are
// shorter.
const maxInstance = 64

// reserved begins the keys of metadata that mean something between a server and
// its own client only.
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

// ownMeta begins the keys of metadata by which servers of this module understand
// one another; they are handed on one by one, or not at all.
const ownMeta = "cash/"

// Result is the answer as callers get it: without what steers a terminal or a
// reader unseen ([clean.Content]), and to the byte what the server sent otherwise.
// It changes the blocks of the answer.
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

// Text is the text of a page, as the server sent it: it is cleaned where it is
// shown, and not before its names are read.
func (a *Answer) Text() string { return (&registry.Result{Content: a.Content}).Text() }
