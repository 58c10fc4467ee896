package cashtest

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Reply is the result of a tool.
type Reply struct {
	// Text is the text content, blocks joined by line breaks.
	Text string
	// IsError says that the result is one that tells of an error.
	IsError bool
	// Raw is the result as the SDK's client decoded it: the texts are exact,
	// numbers in structured content may be rounded.
	Raw *mcp.CallToolResult

	t reporter
}

func newReply(t reporter, res *mcp.CallToolResult) *Reply {
	var texts []string
	for _, c := range res.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return &Reply{Text: strings.Join(texts, "\n"), IsError: res.IsError, Raw: res, t: t}
}

// OK ends the test if r is an error, and returns r.
func (r *Reply) OK() *Reply {
	r.t.Helper()
	if r.IsError {
		r.t.Fatalf("the reply is an error: %s", excerpt(r.Text))
	}
	return r
}

// Decode reads the text as JSON into v, and ends the test if that is not
// possible, or if r is an error.
func (r *Reply) Decode(v any) {
	r.t.Helper()
	if err := json.Unmarshal([]byte(r.OK().Text), v); err != nil {
		r.t.Fatalf("the reply is not the JSON that was asked for: %v: %s", err, excerpt(r.Text))
	}
}

// Chars returns the number of characters of the text.
func (r *Reply) Chars() int { return utf8.RuneCountInString(r.Text) }

// same reports whether two replies say the same, metadata aside.
func same(a, b *Reply) bool {
	return a.IsError == b.IsError && a.form() == b.form()
}

// form is all that a reply says, as JSON.
func (r *Reply) form() string {
	return toJSON(r.Raw.Content) + toJSON(r.Raw.StructuredContent)
}

// plain reports whether r is one text and nothing else, so that its length is
// not a matter of opinion.
func (r *Reply) plain() bool {
	return len(r.Raw.Content) == 1 && r.onlyText()
}

func (r *Reply) onlyText() bool {
	for _, c := range r.Raw.Content {
		if _, ok := c.(*mcp.TextContent); !ok {
			return false
		}
	}
	return r.Raw.StructuredContent == nil
}

func toJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "!" + err.Error()
	}
	return string(data)
}

// excerpt shortens a text for a message.
func excerpt(text string) string {
	const most = 400
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + " [...]"
}
