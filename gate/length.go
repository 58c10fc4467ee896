package gate

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"reflect"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Length returns the size of a result in characters: the sum over its content,
// or the structured content where that is longer, since clients show a model
// one of the two.
//
// Text counts in Unicode code points; images, audio and blobs count as the
// base64 that is transferred; resources and links count with their addresses
// and descriptions. Nil blocks count nothing. The sum stops at the largest int
// instead of wrapping. Length allocates nothing for the kinds of content that a
// tool may return.
func Length(content []mcp.Content, structured json.RawMessage) int {
	return max(contentLength(content), utf8.RuneCount(structured))
}

func contentLength(content []mcp.Content) int {
	sum := 0
	for _, block := range content {
		sum = add(sum, blockLength(block))
	}
	return sum
}

func blockLength(block mcp.Content) int {
	switch c := block.(type) {
	case nil:
		return 0
	case *mcp.TextContent:
		if c != nil {
			return utf8.RuneCountInString(c.Text)
		}
	case *mcp.ImageContent:
		if c != nil {
			return base64.StdEncoding.EncodedLen(len(c.Data))
		}
	case *mcp.AudioContent:
		if c != nil {
			return base64.StdEncoding.EncodedLen(len(c.Data))
		}
	case *mcp.EmbeddedResource:
		if c != nil && c.Resource != nil {
			return resourceLength(c.Resource)
		}
	case *mcp.ResourceLink:
		if c != nil {
			return linkLength(c)
		}
	default:
		return otherLength(c)
	}
	return 0
}

func resourceLength(r *mcp.ResourceContents) int {
	return add(runes(r.URI, r.MIMEType, r.Text), base64.StdEncoding.EncodedLen(len(r.Blob)))
}

// Icons count because they may be whole pictures in data: addresses.
func linkLength(l *mcp.ResourceLink) int {
	sum := runes(l.URI, l.Name, l.Title, l.Description, l.MIMEType)
	for _, icon := range l.Icons {
		sum = add(sum, utf8.RuneCountInString(icon.Source))
	}
	return sum
}

// otherLength measures kinds of content that do not belong in a tool's result,
// or do not exist yet, by their wire form: counted as nothing, they would be a
// way around the gate. Those that have no wire form cannot be sent.
func otherLength(c mcp.Content) int {
	if v := reflect.ValueOf(c); v.Kind() == reflect.Pointer && v.IsNil() {
		return 0
	}
	wire, err := c.MarshalJSON()
	if err != nil {
		return 0
	}
	return utf8.RuneCount(wire)
}

func runes(texts ...string) int {
	sum := 0
	for _, text := range texts {
		sum = add(sum, utf8.RuneCountInString(text))
	}
	return sum
}

// add adds two lengths. Wrapping would turn the largest result into one that
// passes; it takes 32-bit ints or one text repeated by reference to get there.
func add(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

// Suggest returns the sizelimit to propose for a result of the given length: a
// tenth more, rounded up to full thousands, so that the repeated call passes
// although the data grew a little (RFC section 7.2, item 3). It is the largest
// int where that does not fit, and 0 for lengths of 0 and below.
func Suggest(length int) int {
	if length <= 0 {
		return 0
	}
	const step = 1000
	margin := (length-1)/10 + 1 // a tenth, rounded up
	if length > math.MaxInt-margin-step {
		return math.MaxInt
	}
	return (length + margin + step - 1) / step * step
}
