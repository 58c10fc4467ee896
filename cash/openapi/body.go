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
	if content, _, err = r.set.resolve(content); err != nil {
		return err
	}
	if media == anyMedia {
		media = "application/octet-stream"
		if schema := content.get("schema"); schema.is("object") || schema.is("array") || schema.get("$ref") != nil {
			media = "application/json"
		}
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
		in.add(b.Arg, r.form(in, schema), b.Required)
		return nil
	}
	required := make(map[string]bool)
	for _, name := range schema.texts("required") {
		required[name] = true
	}
	for i := range b.Members {
		m := &b.Members[i]
		m.Arg = in.take(m.Name, "body")
		in.add(m.Arg, in.schema(schema.get("properties").get(m.Name)), required[m.Name])
	}
	return nil
}

// anyMedia stands for a media type that is left open.
const anyMedia = "*/*"

// choose returns the media type to send: JSON, a form, text, and then any other.
func choose(content *node) (media string, n *node) {
	best := 9
	for _, name := range content.names() {
		if len(name) > maxMedia {
			continue
		}
		kind, params, err := mime.ParseMediaType(name)
		rank, sent := 5, name
		switch {
		case err != nil:
			continue
		case strings.HasPrefix(kind, "multipart/") && kind != mediaMultipart && params["boundary"] == "":
			continue // its parts cannot be told apart
		case kind == "application/json":
			rank = 0
		case isJSON(name) && strings.Contains(kind, "*"):
			rank, sent = 1, "application/json"
		case isJSON(name):
			rank = 1
		case kind == mediaMultipart:
			rank = 2
		case kind == mediaForm:
			rank = 3
		case kind == "text/*":
			rank, sent = 4, "text/plain"
		case strings.HasPrefix(kind, "text/"):
			rank = 4
		case strings.Contains(kind, "*"):
			rank, sent = 6, anyMedia
		}
		if rank < best {
			best, media, n = rank, sent, content.get(name)
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

// parts lists the members of a form, with their encoding (OpenAPI, "Encoding Object").
func (r *reader) parts(in *input, b *body, schema, encoding *node) error {
	known := make(map[string]bool) // whether a member is binary
	for _, one := range r.madeOf(schema) {
		properties := one.get("properties")
		for _, name := range properties.names() {
			p := properties.get(name)
			target, _, err := r.set.resolve(p)
			if err != nil || len(name) > maxName || in.dropped(p) {
				continue
			}
			m, err := r.encoded(b, name, target, encoding.get(name))
			if err != nil {
				return err
			}
			if m.Binary {
				in.instead[p] = func() []byte { return r.binaries(target) }
			}
			if binary, ok := known[name]; !ok {
				b.Members = append(b.Members, m)
			} else if binary != m.Binary {
				return fmt.Errorf("the member %.50q of the form has bytes in one of its schemas, and not in another", name)
			}
			known[name] = m.Binary
		}
	}
	return nil
}

// madeOf returns a schema, and those that it is made of by allOf, anyOf and oneOf. From 3.1 on, such a one has members
// beside a $ref too.
func (r *reader) madeOf(schema *node) []*node {
	list, seen := []*node{schema}, map[*node]bool{schema: true}
	for i := 0; i < len(list) && r.set.work.spend(64); i++ {
		for _, key := range []string{"allOf", "anyOf", "oneOf"} {
			for _, e := range list[i].get(key).elements() {
				n, _, err := r.set.resolve(e)
				if err != nil {
					continue
				}
				for _, one := range []*node{n, e} {
					if !seen[one] && (one == n || r.version >= "3.1") {
						seen[one] = true
						list = append(list, one)
					}
				}
			}
		}
	}
	return list
}

// encoded tells how a member of a form is written. Before 3.1, parts of multipart forms have no style.
func (r *reader) encoded(b *body, name string, p, e *node) (m member, err error) {
	multipart := strings.HasPrefix(strings.ToLower(b.Media), mediaMultipart)
	m = member{style: style{Name: name, Explode: true}}
	if (e.text("style") != "" || e.get("explode") != nil) && (!multipart || r.version >= "3.1") {
		m.style, err = r.style(e, name, inQuery)
		m.Reserved = m.Reserved && !multipart // nothing is encoded there
		return m, err
	}
	if format := p.text(collection); format != "" && format != "multi" {
		if m.Style = delimited[format]; m.Style == "" {
			return m, fmt.Errorf("a member of the form has the collectionFormat %.50q, which is not known", format)
		}
		m.Explode = false
		return m, nil
	}
	r.media(&m, e.text("contentType"), multipart)
	one, many := r.binary(p, 0)
	m.Binary = multipart && (m.Binary || one || many)
	return m, nil
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

// binary reports whether a schema describes bytes, or an array of them, and nothing else but null.
func (r *reader) binary(n *node, depth int) (one, many bool) {
	p, _, err := r.set.resolve(n)
	switch {
	case n == nil || err != nil || depth > 3 || !r.set.work.spend(64):
		return false, false
	case p.text("format") == "binary" || p.is("file") || p.text("contentMediaType") != "" && p.text("contentEncoding") == "":
		return true, false
	case p.get("items") != nil:
		one, _ = r.binary(p.get("items"), depth+1)
		return false, one
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		for _, e := range p.get(key).elements() {
			if e.text("type") == "null" {
				continue
			}
			a, b := r.binary(e, depth+1)
			if !a && !b {
				return false, false
			}
			one, many = one || a, many || b
		}
	}
	return one, many
}

// binaries returns the schema of a member of a form that is bytes, or an array of them.
func (r *reader) binaries(p *node) []byte {
	one, many := r.binary(p, 0)
	if !many && !p.is("array") {
		return r.bytes(p.about("description"))
	}
	list := fmt.Appendf(nil, `{"type":"array","items":%s}`, r.bytes(""))
	if one {
		return fmt.Appendf(nil, `{"anyOf":[%s,%s]}`, r.bytes(""), list)
	}
	return list
}

// form returns the schema of a form that is one argument.
func (r *reader) form(in *input, schema *node) []byte {
	made := in.schema(schema)
	if strictjson.KindOf(made) != strictjson.Object || schema.get("type") != nil {
		return made
	}
	var b strictjson.Builder
	b.AddText("type", "object")
	for key, value := range strictjson.Members(made) {
		b.Add(key, value)
	}
	return b.Object()
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
