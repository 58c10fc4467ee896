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

// repeats reports whether structured content is nothing but one of the texts, as
// the only member of an object: so do servers that have to give some.
func (w *washer) repeats(all []piece, structured string) bool {
	longest := 0
	for _, p := range all {
		longest = max(longest, len(p.text))
	}
	raw := []byte(structured)
	if raw[0] != '{' || len(raw) > 7*longest+100 || strictjson.Check(raw) != nil { // a byte takes six in an escape
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

// halves splits a resource that has both text and a blob, which are two things to
// keep. Every other block is the only one.
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

// size returns the characters of a piece, those included that only clients see:
// none of them is bounded.
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

// asideLength returns the characters of what stands beside the contents of a
// block.
func asideLength(meta mcp.Meta, annotations *mcp.Annotations) (n int) {
	if len(meta) > 0 {
		n += jsonLength(meta)
	}
	if annotations != nil {
		n += jsonLength(annotations)
	}
	return n
}

// parts returns what is to be stored: the first pieces, and if there are more
// than most, the others as the JSON of their blocks in one part. What clients
// alone see, _meta and annotations, is in that one only.
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

// Characters of labels as JSON: of one if there are many, and of all. The address
// of a resource stands nowhere else.
const (
	labelLength = 60
	allLabels   = 600
)

// part is a piece as it is stored, with a label of at most most characters if it
// has one of its own.
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

func orUnknown(mediaType string) string { return cmp.Or(mediaType, "application/octet-stream") }
