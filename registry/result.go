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
	// IsError marks the answer as a failure that the model should read.
	IsError bool
	// Meta is attached as the protocol's _meta. Nil attaches nothing.
	Meta map[string]any
}

// TextResult returns a result of one text.
func TextResult(text string) *Result {
	return &Result{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
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
