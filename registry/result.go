package registry

import (
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Result is what a function answers. Faces deliver it as it is, or gate it.
// A Result is not modified once it has been returned.
type Result struct {
	// Content is what the model reads. Nil is empty.
	Content []mcp.Content
	// Structured is JSON for programs, delivered with its key order and its
	// spelling of numbers. It is paid for on top of Content; nil sends none.
	Structured json.RawMessage
	// Count is how many things the function found, before it applied a limit: as
	// a [Counter] says, else the length of the list that the answer is. Nil is an
	// answer that is no list. It is for faces that have a place for it.
	Count *int
	// IsError marks the answer as a failure that the model should read.
	IsError bool
	// JSON says that the content is one text and that the text is JSON: what the
	// function returned was a value. A face that puts the text into JSON of its
	// own checks it first, for anyone may have set this.
	JSON bool
	// Meta is attached as the protocol's _meta. Nil attaches nothing.
	Meta map[string]any

	// Ungated lets the result pass the gate: what is behind the function has
	// gated it already, or streams.
	Ungated bool
	// InputRequests asks the client for more, instead of an answer; see
	// [Client]. Nil asks nothing. A result that asks has no content.
	InputRequests mcp.InputRequestMap
	// RequestState is handed back by the client together with the answers. It
	// is for the client to read and to change: what must not be has to be
	// sealed, or kept behind an unguessable handle.
	RequestState string
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
