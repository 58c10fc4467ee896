package firewall

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/firewall/view"
	"github.com/cash-mcp/go-sdk/gate"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A piece is one redacted block of a result: text, or a block of another type.
type piece struct {
	kind  string // text, image, ...
	text  string
	block mcp.Content // nil for text
}

const structuredKind = "structured content"

// pieces splits a result into redacted pieces. Structured content replaces the text that repeats it, or comes last.
func (w *washer) pieces(r Result) []piece {
	var all []piece
	for _, block := range r.Content {
		for _, block := range halves(block) {
			if p, ok := w.piece(block); ok {
				all = append(all, p)
			}
		}
	}
	structured := string(strictjson.Trim(r.Structured))
	if structured == "" || structured == "null" {
		return all
	}
	if w.repeats(all, structured) {
		return all
	}
	p := piece{kind: structuredKind, text: w.text(structured)}
	if i := same(all, p.text); i >= 0 {
		all[i] = p
		return all
	}
	return append(all, p)
}

// repeats reports whether structured content is an object with one member that equals one of the texts. Servers whose
// tools must return structured content wrap their text like this.
func (w *washer) repeats(all []piece, structured string) bool {
	longest := 0
	for _, p := range all {
		longest = max(longest, len(p.text))
	}
	raw := []byte(structured)
	if raw[0] != '{' || len(raw) > 7*longest+100 || strictjson.Check(raw) != nil { // an escape takes six bytes for one
		return false
	}
	members := 0
	var only []byte
	for _, value := range strictjson.Members(raw) {
		members, only = members+1, value
	}
	if members != 1 || strictjson.KindOf(only) != strictjson.String {
		return false
	}
	text, _ := w.filter.Text(strictjson.Text(only))
	return slices.ContainsFunc(all, func(p piece) bool { return p.block == nil && p.text == text })
}

// halves splits a resource with both text and a blob into two blocks. Any other block stays one.
func halves(block mcp.Content) []mcp.Content {
	c, ok := block.(*mcp.EmbeddedResource)
	if !ok || c == nil || c.Resource == nil || c.Resource.Text == "" || len(c.Resource.Blob) == 0 {
		return []mcp.Content{block}
	}
	text, blob := *c.Resource, *c.Resource
	text.Blob, blob.Text = nil, ""
	return []mcp.Content{
		&mcp.EmbeddedResource{Resource: &text, Meta: c.Meta, Annotations: c.Annotations},
		&mcp.EmbeddedResource{Resource: &blob, Meta: c.Meta, Annotations: c.Annotations},
	}
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

// unknown returns the wire form of a block of an unknown type, as text: no face can send the block itself.
func (w *washer) unknown(block mcp.Content) (piece, bool) {
	wire, err := rescue(block.MarshalJSON)
	if err != nil || len(wire) == 0 {
		return piece{kind: "text", text: "[a block that has no wire form]"}, true
	}
	return piece{kind: "text", text: w.text(string(wire))}, true
}

// comparable is the largest JSON that is compared by value. Larger JSON is compared by spelling, so it may be stored
// twice.
const comparable = 4 << 20

// same returns the index of the text with the same JSON value, or -1.
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

// size returns the characters of a piece, including metadata that only clients see, because nothing else bounds it.
func (p *piece) size() int {
	switch c := p.block.(type) {
	case *mcp.ImageContent:
		return gate.Length([]mcp.Content{c}, nil) + asideLength(c.Meta, c.Annotations)
	case *mcp.AudioContent:
		return gate.Length([]mcp.Content{c}, nil) + asideLength(c.Meta, c.Annotations)
	case *mcp.ResourceLink:
		bare := *c
		bare.Icons = nil
		size := gate.Length([]mcp.Content{&bare}, nil) + asideLength(c.Meta, c.Annotations)
		if len(c.Icons) > 0 {
			size += jsonLength(c.Icons)
		}
		return size
	case *mcp.EmbeddedResource:
		return gate.Length([]mcp.Content{c}, nil) + asideLength(c.Meta, c.Annotations) + asideLength(c.Resource.Meta, nil)
	}
	return utf8.RuneCountInString(p.text)
}

// asideLength returns the characters of the metadata and annotations of a block.
func asideLength(meta mcp.Meta, annotations *mcp.Annotations) (n int) {
	if len(meta) > 0 {
		n += jsonLength(meta)
	}
	if annotations != nil {
		n += jsonLength(annotations)
	}
	return n
}

// parts returns the parts to store: the first pieces, and the JSON of all other blocks as one last part if there are
// more than most. Only that last part holds _meta and annotations.
func (w *washer) parts(all []piece, most int) []Part {
	var parts []Part
	labels := max(labelLength, allLabels/max(len(all), 1))
	for i, p := range all {
		if i == most-1 && len(all) > most {
			return append(parts, rest(all[i:], i+1))
		}
		label := p.kind
		if len(all) > 1 {
			label = fmt.Sprintf("%s, part %d of %d", p.kind, i+1, len(all))
		}
		part := w.part(p, labels)
		if part.Label == "" {
			part.Label = label
		}
		parts = append(parts, part)
	}
	return parts
}

// Bounds of labels, in characters of JSON: of one label among many, and of all together. The URI of a resource is kept
// in its label only.
const (
	labelLength = 60
	allLabels   = 600
)

// part converts a piece to a part. Its own label, if it has one, is cut to most characters.
func (w *washer) part(p piece, most int) Part {
	switch c := p.block.(type) {
	case *mcp.ImageContent:
		return Part{Data: c.Data, MediaType: orUnknown(c.MIMEType)}
	case *mcp.AudioContent:
		return Part{Data: c.Data, MediaType: orUnknown(c.MIMEType)}
	case *mcp.EmbeddedResource:
		return w.resourcePart(c.Resource, most)
	case *mcp.ResourceLink:
		raw, err := c.MarshalJSON()
		if err != nil {
			raw = []byte("{}")
		}
		return Part{Data: raw, MediaType: "application/json", Label: w.label("link "+cmp.Or(c.Name, c.URI), most)}
	}
	data := []byte(p.text)
	return Part{Data: data, MediaType: view.MediaType(data)}
}

func (w *washer) resourcePart(r *mcp.ResourceContents, most int) Part {
	part := Part{Data: []byte(r.Text), MediaType: r.MIMEType, Label: w.label(r.URI, most)}
	switch {
	case len(r.Blob) > 0:
		part.Data, part.MediaType = r.Blob, orUnknown(r.MIMEType)
	case r.MIMEType == "":
		part.MediaType = view.MediaType(part.Data)
	}
	return part
}

// rest returns the blocks of pieces as one JSON array. Its first element is block n of the result.
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

func orUnknown(mediaType string) string { return cmp.Or(mediaType, "application/octet-stream") }
