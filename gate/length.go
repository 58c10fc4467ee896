package gate

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"reflect"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Length returns the size of a result in characters: the sum over its content, or the structured
// content if that is longer, since clients show a model one of the two.
//
//   - Text counts in Unicode code points.
//   - Images, audio and blobs count as their transferred base64.
//   - Resources and links count with their addresses and descriptions.
//   - Nil blocks count nothing.
//
// The sum stops at the largest int. Length allocates nothing for the content that a tool may
// return.
func Length(content []mcp.Content, structured json.RawMessage) int {
	return max(contentLength(content), clean.Runes(structured))
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

// Icons count, because a data: address may hold a whole picture.
func linkLength(l *mcp.ResourceLink) int {
	sum := runes(l.URI, l.Name, l.Title, l.Description, l.MIMEType)
	for _, icon := range l.Icons {
		sum = add(sum, utf8.RuneCountInString(icon.Source))
	}
	return sum
}

// otherLength returns the length of the wire form of unexpected kinds of content. They must count,
// or they would bypass the gate. Content without a wire form cannot be sent.
func otherLength(c mcp.Content) int {
	if v := reflect.ValueOf(c); v.Kind() == reflect.Pointer && v.IsNil() {
		return 0
	}
	wire, err := c.MarshalJSON()
	if err != nil {
		return 0
	}
	return clean.Runes(wire)
}

func runes(texts ...string) int {
	sum := 0
	for _, text := range texts {
		sum = add(sum, utf8.RuneCountInString(text))
	}
	return sum
}

// add adds two lengths and stops at the largest int. An overflow would let the largest result pass.
// It takes 32-bit ints or one text repeated by reference to reach it.
func add(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

// Suggest returns the sizelimit to propose for a result of the given length (RFC section 7.2, item 3, and 7.3). It is 4
// % more, because the data may grow until the repeated call, rounded up to a short number of at most 5 % more. Below
// 100 it is the most that 5 % allow. It is at most the largest int, and 0 for lengths of 0 and below.
func Suggest(length int) int {
	if length <= 0 {
		return 0
	}
	most := add(length, length/20)
	least := add(length, (length-1)/25+1)
	for step := stepOf(length); step > 0 && least < math.MaxInt-step; step /= 10 {
		if n := (least + step - 1) / step * step; n <= most {
			return n
		}
	}
	return min(least, most)
}

// stepOf returns the largest power of ten that is at most n, and 0 below 1.
func stepOf(n int) int {
	if n < 1 {
		return 0
	}
	step := 1
	for step <= n/10 {
		step *= 10
	}
	return step
}
