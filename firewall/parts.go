package firewall

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/gate"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A piece is a block of a result without its secrets: text, or something else.
type piece struct {
	kind  string // text, image, ...
	text  string
	block mcp.Content // nil for text
}

const structuredKind = "structured content"

// pieces returns what a result consists of. Structured content is in the place
// of the text that says the same, or at the end.
func (w *washer) pieces(r Result) []piece {
	var all []piece
	for _, block := range r.Content {
		if p, ok := w.piece(block); ok {
			all = append(all, p)
		}
	}
	structured := string(strictjson.Trim(r.Structured))
	if structured == "" || structured == "null" {
		return all
	}
	p := piece{kind: structuredKind, text: w.text(structured)}
	if i := same(all, p.text); i >= 0 {
		all[i] = p
		return all
	}
	return append(all, p)
}

func (w *washer) piece(block mcp.Content) (p piece, ok bool) {
	switch c := block.(type) {
	case nil:
	case *mcp.TextContent:
		if c != nil && c.Text != "" {
			return piece{kind: "text", text: w.text(c.Text)}, true
		}
	case *mcp.ImageContent:
		return w.beside("image", c, c != nil)
	case *mcp.AudioContent:
		return w.beside("audio", c, c != nil)
	case *mcp.EmbeddedResource:
		return w.beside("resource", c, c != nil)
	case *mcp.ResourceLink:
		return w.beside("link", c, c != nil)
	default:
		return w.unknown(c)
	}
	return piece{}, false
}

func (w *washer) beside(kind string, block mcp.Content, ok bool) (piece, bool) {
	if !ok {
		return piece{}, false
	}
	block = w.block(block)
	return piece{kind: kind, block: block}, block != nil
}

// unknown returns the wire form of a block that does not belong into a result,
// as text: faces cannot send it as what it is.
func (w *washer) unknown(block mcp.Content) (piece, bool) {
	wire, err := rescue(block.MarshalJSON)
	if err != nil || len(wire) == 0 {
		return piece{kind: "text", text: "[a block that has no wire form]"}, true
	}
	return piece{kind: "text", text: w.text(string(wire))}, true
}

// comparable is how large JSON may be that is compared by what it says. Larger
// JSON is kept twice instead, if its spelling is not the same.
const comparable = 4 << 20

// same returns the index of the text that says the same as JSON, or -1.
func same(all []piece, structured string) int {
	var canonical []byte
	for i, p := range all {
		text := strings.TrimSpace(p.text)
		switch {
		case p.block != nil || text == "" || text[0] != structured[0]:
			continue
		case text == structured:
			return i
		case len(text) > comparable || len(structured) > comparable || strictjson.Check([]byte(text)) != nil:
			continue
		}
		if canonical == nil {
			if strictjson.Check([]byte(structured)) != nil {
				return -1
			}
			canonical = strictjson.Canonical([]byte(structured))
		}
		if bytes.Equal(canonical, strictjson.Canonical([]byte(text))) {
			return i
		}
	}
	return -1
}

// size returns the characters of a piece, those of its _meta included.
func (p *piece) size() int {
	if p.block == nil {
		return utf8.RuneCountInString(p.text)
	}
	size := gate.Length([]mcp.Content{p.block}, nil)
	switch c := p.block.(type) {
	case *mcp.ImageContent:
		size += metaLength(c.Meta)
	case *mcp.AudioContent:
		size += metaLength(c.Meta)
	case *mcp.ResourceLink:
		size += metaLength(c.Meta)
	case *mcp.EmbeddedResource:
		size += metaLength(c.Meta) + metaLength(c.Resource.Meta)
	}
	return size
}

func metaLength(m mcp.Meta) int {
	if len(m) == 0 {
		return 0
	}
	return jsonLength(m)
}

// parts returns what is to be stored: the first pieces, and if there are more
// than most, the others as the JSON of their blocks in one part. What clients
// alone see, _meta and annotations, is in that one only.
func (w *washer) parts(all []piece, most int) []Part {
	var parts []Part
	for i, p := range all {
		if i == most-1 && len(all) > most {
			return append(parts, rest(all[i:], i+1))
		}
		label := p.kind
		if len(all) > 1 {
			label = fmt.Sprintf("%s, part %d of %d", p.kind, i+1, len(all))
		}
		part := w.part(p)
		if part.Label == "" {
			part.Label = label
		}
		parts = append(parts, part)
	}
	return parts
}

const labelLength = 60

func (w *washer) part(p piece) Part {
	switch c := p.block.(type) {
	case *mcp.ImageContent:
		return Part{Data: c.Data, MediaType: orUnknown(c.MIMEType)}
	case *mcp.AudioContent:
		return Part{Data: c.Data, MediaType: orUnknown(c.MIMEType)}
	case *mcp.EmbeddedResource:
		return w.resourcePart(c.Resource)
	case *mcp.ResourceLink:
		raw, err := c.MarshalJSON()
		if err != nil {
			raw = []byte("{}")
		}
		return Part{Data: raw, MediaType: "application/json", Label: w.line("link "+orElse(c.Name, c.URI), labelLength)}
	}
	return Part{Data: []byte(p.text), MediaType: mediaType(p.text)}
}

func (w *washer) resourcePart(r *mcp.ResourceContents) Part {
	part := Part{Data: []byte(r.Text), MediaType: r.MIMEType, Label: w.line(r.URI, labelLength)}
	switch {
	case len(r.Blob) > 0:
		part.Data, part.MediaType = r.Blob, orUnknown(r.MIMEType)
	case r.MIMEType == "":
		part.MediaType = mediaType(r.Text)
	}
	return part
}

// rest returns the blocks of pieces in one array of JSON. The first of them is
// number n of the result.
func rest(pieces []piece, n int) Part {
	data := []byte{'['}
	for i, p := range pieces {
		if i > 0 {
			data = append(data, ',')
		}
		block := p.block
		if block == nil {
			block = &mcp.TextContent{Text: p.text}
		}
		raw, err := block.MarshalJSON()
		if err != nil {
			raw = []byte("null")
		}
		data = append(data, raw...)
	}
	return Part{
		Data: append(data, ']'), MediaType: "application/json",
		Label: fmt.Sprintf("parts %d to %d, as blocks", n, n+len(pieces)-1),
	}
}

func orUnknown(mediaType string) string { return orElse(mediaType, "application/octet-stream") }

func orElse(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// mediaType says what a text is, by the look of it.
func mediaType(text string) string {
	switch {
	case isJSON(text), len(text) > 0 && text[0] == '"' && json.Valid([]byte(text)):
		return "application/json"
	case looksLikeTable(text, ','):
		return "text/csv; charset=utf-8"
	case looksLikeTable(text, '\t'):
		return "text/tab-separated-values; charset=utf-8"
	}
	return "text/plain; charset=utf-8"
}

// looksLikeTable reports whether the first three lines of text or more have the same
// number of separators outside of quotes, one or more.
func looksLikeTable(text string, separator byte) bool {
	first, n, lines, quoted := 0, 0, 0, false
	for i := 0; i < min(len(text), 1<<14) && lines < 10; i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == separator:
			n++
		case c == '\n':
			if lines == 0 {
				first = n
			}
			if n == 0 || n != first {
				return false
			}
			lines, n = lines+1, 0
		}
	}
	return lines >= 3
}
