package registry

import (
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Result is the answer of a function. Faces send it, or gate it. It must not be modified after it
// was returned.
type Result struct {
	// Content is the part that the model reads. Nil is empty.
	Content []mcp.Content
	// Structured is JSON for programs. Its key order and its spelling of numbers are kept. The
	// model pays for it in addition to Content. Nil sends none.
	Structured json.RawMessage
	// Count is the number of things that the function found, before a limit: that of a [Counter],
	// else the length of a list. Faces with levels of detail get it for every answer in JSON that is
	// an array, or an object whose only member is one. Nil if the answer is no list.
	Count *int
	// Omitted are the paths of the members that the level of detail has left out, such as
	// issues[].body; see [Request.Detail]. The last one is "…" if there are more. Nil if none was
	// left out, or if tags chose. Some faces show it.
	Omitted []string
	// IsError marks the answer as a failure that the model should read.
	IsError bool
	// JSON reports that the content is one text of JSON, made from a returned value. Anyone can set
	// it, so a face checks the text before it inserts it into JSON of its own.
	JSON bool
	// Meta is sent as the protocol's _meta. Nil sends none.
	Meta map[string]any

	// Ungated lets the result pass the gate: the server behind the function has gated it, or it
	// streams.
	Ungated bool
	// InputRequests asks the client for input in place of an answer; see [Client]. Such a result
	// has no content. Nil asks nothing.
	InputRequests mcp.InputRequestMap
	// RequestState comes back from the client with the answers. The client can read and change it.
	// Protect it with a seal, or store it under an unguessable handle.
	RequestState string

	tagged bool // tags or methods have chosen what the level of detail shows
}

// TextResult returns a result of one text.
func TextResult(text string) *Result {
	made := new(struct {
		Result
		content [1]mcp.Content
		text    mcp.TextContent
	})
	made.text.Text = text
	made.content[0] = &made.text
	made.Content = made.content[:]
	return &made.Result
}

// AsText returns r without structured content. If r has nothing else, that becomes its text.
func (r *Result) AsText() *Result {
	if r.Structured == nil {
		return r
	}
	own := *r
	own.Structured = nil
	if len(r.Content) == 0 {
		own.Content = []mcp.Content{&mcp.TextContent{Text: string(r.Structured)}}
	}
	return &own
}

// Text returns the texts of r's content, joined by line breaks.
func (r *Result) Text() string {
	var text strings.Builder
	for _, c := range r.Content {
		t, ok := c.(*mcp.TextContent)
		if !ok || t == nil {
			continue
		}
		if text.Len() > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(t.Text)
	}
	return text.String()
}

// Size returns the number of bytes of r's contents. Nil has none, and so have contents of a kind that the protocol does
// not have.
func (r *Result) Size() int {
	if r == nil {
		return 0
	}
	n := len(r.Structured)
	for _, c := range r.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			if c != nil {
				n += len(c.Text)
			}
		case *mcp.ImageContent:
			if c != nil {
				n += len(c.Data)
			}
		case *mcp.AudioContent:
			if c != nil {
				n += len(c.Data)
			}
		case *mcp.EmbeddedResource:
			if c != nil && c.Resource != nil {
				n += len(c.Resource.Text) + len(c.Resource.Blob)
			}
		}
	}
	return n
}
