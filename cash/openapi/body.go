package openapi

import (
	"errors"
	"fmt"
	"mime"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// body adds the request body. Its members are arguments where that changes nothing; otherwise it is one argument.
func (r *reader) body(s *source, in *input, n *node) error {
	n, _, err := r.set.resolve(n)
	if err != nil {
		return err
	}
	media, content := choose(n.get("content"))
	if media == "" {
		return errors.New("no media type that can be sent")
	}
	b := &body{Media: media}
	b.Required, _ = n.yes("required")
	s.Plan.Body = b
	schema, _, err := r.set.resolve(content.get("schema"))
	if err != nil {
		return err
	}
	alone := in.alone(content.get("schema"))
	switch kind, _, _ := mime.ParseMediaType(media); {
	case kind == mediaForm || kind == mediaMultipart:
		if !alone {
			return errors.New("the schema of a form has keywords beside a $ref")
		}
		if err := r.parts(in, b, schema, content.get("encoding")); err != nil {
			return err
		}
	case isJSON(media) && (!alone || !r.spread(in, b, schema)):
		fallthrough
	case !isJSON(media):
		b.Arg = in.take("body", "request")
		in.add(b.Arg, r.whole(in, media, content.get("schema"), n), b.Required)
		return nil
	}
	if !isJSON(media) && !r.fits(in, b, schema) {
		b.Arg = in.take("body", "request")
		in.add(b.Arg, r.form(in, b, schema), b.Required)
		return nil
	}
	required := make(map[string]bool)
	for _, name := range schema.texts("required") {
		required[name] = true
	}
	for i := range b.Members {
		m := &b.Members[i]
		m.Arg = in.take(m.Name, "body")
		in.add(m.Arg, r.member(in, m, schema), required[m.Name])
	}
	return nil
}

// choose returns the media type to send: JSON, a form, text, and then any other.
func choose(content *node) (media string, n *node) {
	best := 9
	for _, name := range content.names() {
		if len(name) > maxMedia {
			continue
		}
		kind, _, err := mime.ParseMediaType(name)
		rank := 5
		switch {
		case err != nil:
			continue
		case kind == "application/json":
			rank = 0
		case isJSON(name):
			rank = 1
		case kind == mediaMultipart:
			rank = 2
		case kind == mediaForm:
			rank = 3
		case strings.HasPrefix(kind, "text/"):
			rank = 4
		case strings.Contains(kind, "*"):
			rank = 6
		}
		if rank < best {
			best, media, n = rank, name, content.get(name)
		}
	}
	if best == 6 {
		media = "application/octet-stream"
		if schema := n.get("schema"); schema.is("object") || schema.is("array") || schema.get("$ref") != nil {
			media = "application/json"
		}
	}
	return media, n
}

// shape are the keywords of an object whose members can be arguments beside others.
const shape = " type properties required title description example examples additionalProperties deprecated externalDocs xml "

// spread lists the members of a body in JSON if they can be arguments, and reports whether they can.
func (r *reader) spread(in *input, b *body, schema *node) bool {
	b.Members = nil
	properties := schema.get("properties")
	for _, name := range properties.names() {
		if p := properties.get(name); !in.dropped(p) {
			b.Members = append(b.Members, member{style: style{Name: name}})
		}
	}
	if r.fits(in, b, schema) {
		return true
	}
	b.Members = nil
	return false
}

// fits reports whether members can be arguments: nothing else is said of the object, no name is taken, and a body that
// may be missing requires none of them.
func (r *reader) fits(in *input, b *body, schema *node) bool {
	if len(b.Members) == 0 || !b.Required && len(in.translator.required(schema)) > 0 {
		return false
	}
	for _, key := range schema.names() {
		if !strings.Contains(shape, " "+key+" ") && !strings.HasPrefix(key, "x-") {
			return false
		}
	}
	if kind := schema.text("type"); kind != "object" && (kind != "" || schema.get("type") != nil) {
		return false
	}
	if more := schema.get("additionalProperties"); more != nil && string(more.raw) != "false" {
		return false
	}
	mine := make(map[string]bool)
	for _, m := range b.Members {
		key := label.Fold(m.Name)
		if !plain(m.Name) || in.taken[key] || mine[key] {
			return false
		}
		mine[key] = true
	}
	for _, name := range in.translator.required(schema) {
		if !mine[label.Fold(name)] {
			return false // required, and not described
		}
	}
	return true
}

// parts lists the members of a form, with their encoding (OpenAPI, "Encoding Object"). Before 3.1, parts of multipart
// forms have no style.
func (r *reader) parts(in *input, b *body, schema, encoding *node) error {
	multipart := strings.HasPrefix(strings.ToLower(b.Media), mediaMultipart)
	properties := schema.get("properties")
	for _, name := range properties.names() {
		if len(name) > maxName {
			continue
		}
		p, _, err := r.set.resolve(properties.get(name))
		if err != nil || in.dropped(properties.get(name)) {
			continue
		}
		e := encoding.get(name)
		m := member{style: style{Name: name, Explode: true}}
		if (e.text("style") != "" || e.get("explode") != nil) && (!multipart || r.version >= "3.1") {
			if m.style, err = r.style(e, name, inQuery); err != nil {
				return err
			}
			m.Reserved = m.Reserved && !multipart // nothing is encoded there
		} else if format := p.text(collection); format != "" && format != "multi" {
			if m.Style = delimited[format]; m.Style == "" {
				return fmt.Errorf("a member of the form has the collectionFormat %.50q, which is not known", format)
			}
			m.Explode = false
		} else {
			r.media(&m, e.text("contentType"), multipart)
			m.Binary = multipart && (m.Binary || r.binary(p) || r.binary(p.get("items")))
		}
		b.Members = append(b.Members, m)
	}
	return nil
}

// delimited are the styles of the formats of arrays in Swagger 2.
var delimited = map[string]string{"csv": "form", "ssv": "spaceDelimited", "pipes": "pipeDelimited"}

// media sets how a member is encoded. A list of media types leaves the choice to the value.
func (r *reader) media(m *member, list string, multipart bool) {
	media, _, several := strings.Cut(list, ",")
	kind, _, err := mime.ParseMediaType(media)
	if err != nil || len(media) > maxMedia || strings.ContainsFunc(media, func(c rune) bool { return c < ' ' || c > '~' }) {
		return
	}
	m.JSON = isJSON(media) && !several
	m.Binary = !isJSON(media) && !strings.HasPrefix(kind, "text/")
	if multipart && !several && !strings.Contains(media, "*") {
		m.Media = media
	}
}

// binary reports whether a schema describes bytes.
func (r *reader) binary(n *node) bool {
	if n == nil {
		return false
	}
	p, _, err := r.set.resolve(n)
	return err == nil && (p.text("format") == "binary" || p.is("file") || p.text("contentMediaType") != "" && p.text("contentEncoding") == "")
}

// member returns the schema of a member that is an argument.
func (r *reader) member(in *input, m *member, schema *node) []byte {
	p := schema.get("properties").get(m.Name)
	if !m.Binary {
		return in.schema(p)
	}
	target, _, err := r.set.resolve(p)
	if err == nil && target.is("array") {
		var b strictjson.Builder
		b.AddText("type", "array")
		b.Add("items", r.bytes(""))
		return b.Object()
	}
	return r.bytes(p.about("description"))
}

// form returns the schema of a form that is one argument.
func (r *reader) form(in *input, b *body, schema *node) []byte {
	if len(b.Members) == 0 {
		return in.schema(schema)
	}
	var properties, made strictjson.Builder
	for i := range b.Members {
		m := &b.Members[i]
		properties.Add(m.Name, r.member(in, m, schema))
	}
	for _, name := range schema.get("properties").names() {
		if in.dropped(schema.get("properties").get(name)) {
			properties.Add(name, []byte("false"))
		}
	}
	made.AddText("type", "object")
	made.Add("properties", properties.Object())
	if list := in.translator.required(schema); len(list) > 0 {
		made.Add("required", strictjson.MustMarshal(list))
	}
	return made.Object()
}

// whole returns the schema of a body that is one argument.
func (r *reader) whole(in *input, media string, schema, described *node) []byte {
	kind, _, _ := mime.ParseMediaType(media)
	switch {
	case isJSON(media):
		return in.described(schema, described)
	case strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "xml"):
		var b strictjson.Builder
		b.AddText("type", "string")
		b.AddText("description", strings.TrimSpace("A text of type "+kind+". "+described.about("description")))
		return b.Object()
	}
	return r.bytes(described.about("description"))
}

// bytes returns the schema of binary data.
func (r *reader) bytes(about string) []byte {
	s := `"text":{"type":"string","description":"The data, if it is a text."},"base64":{"type":"string","description":"The data in base64."},`
	one := "Give one of text and base64."
	if r.uploads {
		s += `"file":{"type":"string","description":"The name of a file of this server."},`
		one = "Give one of text, base64 and file."
	}
	var b strictjson.Builder
	b.AddText("type", "object")
	b.AddText("description", strings.TrimSpace(about+" "+one))
	b.Add("properties", []byte("{"+s+`"filename":{"type":"string"},"content_type":{"type":"string"}}`))
	b.Add("additionalProperties", []byte("false"))
	return b.Object()
}
