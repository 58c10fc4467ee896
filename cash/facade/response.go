package facade

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// A Response is the answer of a domain, in the specification's envelope. Its JSON has the members ok, cmd, data, count
// and error, in this order; absent ones are omitted. A success has no error. A failure has neither data nor count.
type Response struct {
	OK bool `json:"ok"`
	// Cmd is the command as sent, as JSON. Nil if no text was sent. A long one is cut.
	Cmd json.RawMessage `json:"cmd,omitempty"`
	// Data is the result. Nil if there is none, or if it is null.
	Data json.RawMessage `json:"data,omitempty"`
	// Count is the number of items before a limit. Nil if the result is not a list.
	Count *int `json:"count,omitempty"`
	// Error says what went wrong, and the next step. Empty after a success.
	Error string `json:"error,omitempty"`

	// Content has the parts of the result that are not text, such as images. Data has a placeholder for each of them.
	Content []mcp.Content `json:"-"`
	// Meta is for programs: the metadata of the result, or, after a failure, its [registry.Kind] under
	// [registry.MetaCode].
	Meta map[string]any `json:"-"`
	// InputRequests ask the client for input instead of an answer; see [registry.Result]. All other fields are then
	// empty, except for RequestState, Cmd and Meta.
	InputRequests mcp.InputRequestMap `json:"-"`
	RequestState  string              `json:"-"`
	// TextOnly leaves out the structured content ([Options.TextOnly], [registry.TextOnly]).
	TextOnly bool `json:"-"`
	// Err is the cause of a failure: a [*registry.Error], or nil if the function returned a result with isError.
	Err error `json:"-"`
}

// result returns the response as the result of a tool (F21).
func (r *Response) result() *registry.Result {
	if r.InputRequests != nil {
		return &registry.Result{InputRequests: r.InputRequests, RequestState: r.RequestState, Meta: r.Meta}
	}
	envelope := strictjson.MustMarshal(r)
	res := &registry.Result{
		Content: append([]mcp.Content{&mcp.TextContent{Text: string(envelope)}}, r.Content...),
		IsError: !r.OK,
		Meta:    r.Meta,
	}
	if !r.TextOnly {
		res.Structured = envelope
	}
	return res
}

// respond is the response that a result makes.
func respond(echo json.RawMessage, res *registry.Result) *Response {
	r := &Response{OK: !res.IsError, Cmd: echo, Meta: res.Meta}
	if res.InputRequests != nil {
		r.OK, r.InputRequests, r.RequestState = false, res.InputRequests, res.RequestState
		return r
	}
	r.Content = slices.DeleteFunc(slices.Clone(res.Content), isText)
	if res.IsError {
		r.Error = errorText(res)
		return r
	}
	r.Count = res.Count
	if len(res.Structured) > 0 {
		r.Data = jsonOrText(string(res.Structured))
		r.Content = append(r.Content, unrepeated(res)...)
	} else {
		r.Data = dataOf(res)
	}
	if string(r.Data) == "null" {
		r.Data = nil
	}
	return r
}

func isText(c mcp.Content) bool {
	_, ok := c.(*mcp.TextContent)
	return ok
}

// dataOf combines the contents of a result into one value; nil if there are none.
func dataOf(res *registry.Result) json.RawMessage {
	items := make([]json.RawMessage, len(res.Content))
	further := 0
	for i, c := range res.Content {
		switch text, ok := c.(*mcp.TextContent); {
		case !ok:
			further++
			items[i] = strictjson.MustMarshal(placeOf(c, further))
		case len(items) == 1 && (res.JSON || isNested(text.Text)):
			return jsonOrText(text.Text)
		default:
			items[i] = strictjson.MustMarshal(text.Text)
		}
	}
	switch len(items) {
	case 0:
		return nil
	case 1:
		return items[0]
	}
	return strictjson.MustMarshal(items)
}

// maxDepth is the deepest nesting of data. Clients accept a few levels more.
const maxDepth = 500

// jsonOrText returns the JSON that a text spells, or the text as a JSON string.
func jsonOrText(text string) json.RawMessage {
	if data := []byte(text); strictjson.CheckDepth(data, maxDepth) == nil && !strictjson.HasHugeNumber(data) {
		return strictjson.MustMarshal(json.RawMessage(data)) // without white space
	}
	return strictjson.MustMarshal(text)
}

// isNested reports whether a text may be a JSON object or array.
func isNested(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
}

// unrepeated returns the texts that do not repeat the structured content. Servers repeat it for clients that read only
// text.
func unrepeated(res *registry.Result) (list []mcp.Content) {
	var said map[string]bool
	for _, c := range res.Content {
		text, ok := c.(*mcp.TextContent)
		if !ok || strictjson.CheckDepth([]byte(text.Text), maxDepth) == nil {
			continue
		}
		if said == nil {
			said = stringsIn(res.Structured)
		}
		if !said[text.Text] {
			list = append(list, c)
		}
	}
	return list
}

// stringsIn returns the set of strings in JSON. Searching the JSON once per text would be quadratic.
func stringsIn(data []byte) map[string]bool {
	set := make(map[string]bool)
	for i := 0; i < len(data); {
		if data[i] != '"' {
			i++
			continue
		}
		end := strictjson.Skip(data, i)
		set[strictjson.Text(data[i:end])] = true
		i = end
	}
	return set
}

// place is the placeholder in data for a content that follows the envelope.
type place struct {
	Type     string `json:"type"`
	URI      string `json:"uri,omitempty"`
	MIMEType string `json:"mimeType,omitempty"`
	Content  int    `json:"content"` // its position after the envelope, from 1 on
}

func placeOf(c mcp.Content, n int) place {
	switch c := c.(type) {
	case *mcp.ImageContent:
		return place{"image", "", c.MIMEType, n}
	case *mcp.AudioContent:
		return place{"audio", "", c.MIMEType, n}
	case *mcp.ResourceLink:
		return place{"resource_link", c.URI, c.MIMEType, n}
	case *mcp.EmbeddedResource:
		if c.Resource != nil {
			return place{"resource", c.Resource.URI, c.Resource.MIMEType, n}
		}
		return place{"resource", "", "", n}
	}
	return place{"other", "", "", n}
}

// errorText returns the text of a result with isError.
func errorText(res *registry.Result) string {
	text := cleanError(res.Text())
	if text == "" && len(res.Structured) > 0 {
		text = cleanError(string(res.Structured))
	}
	if text == "" {
		text = "The command failed without saying why."
	}
	return text
}
