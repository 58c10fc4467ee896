package openapi

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// maxBody bounds the body of a request, and one file in it.
const maxBody = 16 << 20

// maxURL bounds the address of a request, and each of its headers.
const maxURL = 64 << 10

// tooLong is the error of what has more than maxURL.
func tooLong() error {
	return invalid("The arguments make an address or a header of more than %d KiB: give less.", maxURL>>10)
}

// A maker makes requests of arguments.
type maker struct {
	files  fs.FS           // may be nil
	secret map[string]bool // parameters that no argument sets
	routes *atomic.Pointer[routes]
}

// request returns the request for arguments, which are valid for the schema. Its URL is below the plan's base.
func (m *maker) request(ctx context.Context, s *source, arguments json.RawMessage) (*http.Request, error) {
	args := make(map[string]json.RawMessage)
	for key, value := range strictjson.Members(arguments) {
		args[key] = value
	}
	target, err := m.url(s, args)
	if err != nil {
		return nil, err
	}
	body, media, err := m.body(s.Plan.Body, args)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, s.Method, target, bytes.NewReader(body))
	if err != nil {
		return nil, &registry.Error{Kind: registry.Internal, Message: "The request cannot be made.", Err: err, NotRun: true}
	}
	if media == "" {
		r.Body, r.GetBody, r.ContentLength = http.NoBody, nil, 0
	} else {
		r.Header.Set("Content-Type", media)
	}
	accept := "*/*"
	if len(s.Plan.Accept) > 0 {
		accept = strings.Join(s.Plan.Accept, ", ") + ", */*;q=0.1"
	}
	r.Header.Set("Accept", accept)
	if err := m.headers(r, s, args); err != nil {
		return nil, err
	}
	return r, nil
}

func invalid(format string, args ...any) error {
	return &registry.Error{Kind: registry.InvalidArguments, Message: fmt.Sprintf(format, args...), NotRun: true}
}

// literal are the characters of a path that stay as they are.
const literal = "/:@!$&'()*+,;=%"

// url returns the address of a request.
func (m *maker) url(s *source, args map[string]json.RawMessage) (string, error) {
	values := make(map[string]string)
	var pairs []pair
	room := maxURL
	for i := range s.Plan.Params {
		p := &s.Plan.Params[i]
		value, given := args[p.Arg]
		given = given && strictjson.KindOf(value) != strictjson.Null
		switch {
		case p.In == inPath && !given:
			return "", invalid("The argument %q is missing: it is a part of the path.", p.Arg)
		case p.In == inPath:
			text, err := p.path(value, &room)
			if err != nil {
				return "", tooLong()
			}
			if text == "" {
				return "", invalid("The argument %q is empty: it is a part of the path.", p.Arg)
			}
			if plain, _ := url.PathUnescape(text); strings.ContainsAny(plain, `/\`) && !slices.Contains(s.Slashes, p.Name) {
				return "", invalid("The argument %q has a slash or a backslash, which could lead to another path.", p.Arg)
			}
			values[escaped(p.Name, literal)] = text
		case p.In == inQuery && given:
			more, err := m.pairs(s, p, value, &room)
			if err != nil {
				return "", err
			}
			pairs = append(pairs, more...)
		}
	}
	template := escaped(s.Path, literal+"{}")
	full := eachVariable(template, func(name string) string { return values[name] })
	if len(full) > maxURL {
		return "", tooLong()
	}
	if err := segments(template, full); err != nil {
		return "", err
	}
	if full != template && m.routes.Load().another(s.Method, s.Plan.Place+template, s.Plan.Place+full) {
		return "", invalid("The arguments make a path that is not this function's.")
	}
	full = s.Plan.Base + full
	if len(pairs) > 0 {
		full += "?" + query(pairs)
	}
	return full, nil
}

// pairs writes a parameter as pairs. The members of an exploded object have names of their own: none may be that of
// another parameter.
func (m *maker) pairs(s *source, p *param, value json.RawMessage, room *int) ([]pair, error) {
	pairs, err := p.pairs(value, room)
	if err != nil {
		return nil, tooLong()
	}
	var others map[string]bool
	for _, one := range pairs {
		name, err := url.PathUnescape(one.name)
		if err == nil && name == p.Name {
			continue
		}
		if others == nil {
			others = make(map[string]bool)
			for i := range s.Plan.Params {
				if other := &s.Plan.Params[i]; other != p {
					others[secret(other.In, other.Name)] = true
				}
			}
		}
		if key := secret(p.In, name); err != nil || others[key] || m.secret[key] {
			return nil, invalid("A member of the argument %q has the name of another parameter.", p.Arg)
		}
	}
	return pairs, nil
}

// segments refuses values that would make another path by segments of dots.
func segments(template, full string) error {
	parts := strings.Split(full, "/")
	for i, segment := range strings.Split(template, "/") {
		if !strings.Contains(segment, "{") {
			continue
		}
		if dots(parts[i]) {
			return invalid("A part of the path is . or .., which would lead to another path.")
		}
	}
	return nil
}

// dots reports whether a path has a segment . or .., or cannot be read.
func dots(path string) bool {
	path, err := url.PathUnescape(path)
	for p := range strings.FieldsFuncSeq(path, func(c rune) bool { return c == '/' || c == '\\' }) {
		if p == "." || p == ".." {
			return true
		}
	}
	return err != nil
}

// headers sets the parameters in headers and cookies.
func (m *maker) headers(r *http.Request, s *source, args map[string]json.RawMessage) error {
	var cookies []string
	room := maxURL
	for i := range s.Plan.Params {
		p := &s.Plan.Params[i]
		value, given := args[p.Arg]
		if !given || strictjson.KindOf(value) == strictjson.Null {
			continue
		}
		switch p.In {
		case inHeader:
			if p.empty(value) {
				continue
			}
			text := p.header(value)
			if len(text) > maxURL {
				return tooLong()
			}
			if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
				return invalid("The argument %q has a control character, which a header cannot hold.", p.Arg)
			}
			r.Header.Set(p.Name, text)
		case inCookie:
			pairs, err := m.pairs(s, p, value, &room)
			if err != nil {
				return err
			}
			for _, c := range pairs {
				if p.Style == inCookie && (!isToken(c.name) || strings.ContainsFunc(c.value, noCookie)) {
					return invalid("The argument %q has a character that a cookie cannot hold.", p.Arg)
				}
				cookies = append(cookies, c.name+"="+c.value)
			}
		}
	}
	if len(cookies) > 0 {
		r.Header.Set("Cookie", strings.Join(cookies, "; "))
	}
	return nil
}

// noCookie reports whether a cookie cannot have a character in its value (RFC 6265, section 4.1.1). The comma joins
// elements.
func noCookie(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune(`";\`, c) }

// body returns the body and its media type, which is empty if there is none.
func (m *maker) body(b *body, args map[string]json.RawMessage) ([]byte, string, error) {
	if b == nil {
		return nil, "", nil
	}
	var value json.RawMessage
	if b.Arg != "" {
		value = args[b.Arg]
	} else {
		var object strictjson.Builder
		given := false
		for i := range b.Members {
			if v, ok := args[b.Members[i].Arg]; ok {
				object.Add(b.Members[i].Name, v)
				given = true
			}
		}
		if given || b.Required {
			value = object.Object()
		}
	}
	if value == nil {
		return nil, "", nil
	}
	data, media, err := m.encode(b, value)
	if err == nil && len(data) > maxBody {
		err = largeBody()
	}
	return data, media, err
}

// largeBody is the error of a body with more than maxBody.
func largeBody() error { return invalid("The body has more than %d MiB.", maxBody>>20) }

// encode writes a value by the body's media type.
func (m *maker) encode(b *body, value json.RawMessage) ([]byte, string, error) {
	kind, _, _ := mime.ParseMediaType(b.Media)
	switch {
	case isJSON(b.Media):
		return value, b.Media, nil
	case kind == mediaForm:
		var pairs []pair
		form := m.form(b, value)
		for key, v := range strictjson.Members(value) {
			if strictjson.KindOf(v) != strictjson.Null {
				more, err := form.written(form.named(key), v)
				if err != nil {
					return nil, "", err
				}
				pairs = append(pairs, more...)
			}
		}
		return []byte(query(pairs)), b.Media, nil
	case kind == mediaMultipart:
		return m.multipart(b, value)
	case strictjson.KindOf(value) == strictjson.String:
		return []byte(strictjson.Text(value)), b.Media, nil
	}
	f, err := m.file(value)
	if err != nil {
		return nil, "", err
	}
	if f.ContentType != "" && strings.Contains(b.Media, "*") || kind == "application/octet-stream" && f.ContentType != "" {
		return f.data, f.ContentType, nil
	}
	return f.data, b.Media, nil
}

// A form is the members of a body that is one, by their names.
type form struct {
	known  map[string]member // as the document describes them
	given  map[string]bool
	secret map[string]bool
	room   int // bytes of pairs
}

// form returns the form of a value.
func (m *maker) form(b *body, value json.RawMessage) *form {
	f := &form{make(map[string]member, len(b.Members)), make(map[string]bool), m.secret, maxBody}
	for _, one := range b.Members {
		f.known[one.Name] = one
	}
	for key := range strictjson.Members(value) {
		f.given[key] = true
	}
	return f
}

// named tells how a member is written. One that is not described has the defaults: without a style an object is JSON,
// and an array repeats the name.
func (f *form) named(name string) member {
	if m, ok := f.known[name]; ok {
		return m
	}
	return member{style: style{Name: name, Explode: true}}
}

// written returns a member as pairs, none of which has the name of another member.
func (f *form) written(part member, value json.RawMessage) ([]pair, error) {
	pairs, err := part.pairs(value, &f.room)
	if err != nil {
		return nil, largeBody()
	}
	for _, p := range pairs {
		name, err := url.PathUnescape(p.name)
		if err != nil || !f.open(name) {
			return nil, invalid(notOpen)
		}
		if _, known := f.known[name]; name != part.Name && (known || f.given[name]) {
			return nil, invalid("A member of %q in the body has the name of another member of the body.", part.Name)
		}
	}
	return pairs, nil
}

const notOpen = "A member of the body has the name of a parameter that is no argument."

// open reports whether a name may be sent: none that carries credentials in the query may, unless the form describes it,
// as services read both as one.
func (f *form) open(name string) bool {
	_, known := f.known[name]
	return known || !f.secret[secret(inQuery, name)]
}

// multipart writes a form of parts. Without a style, arrays are one part for each element.
func (m *maker) multipart(b *body, value json.RawMessage) ([]byte, string, error) {
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	form := m.form(b, value)
	for key, v := range strictjson.Members(value) {
		if !form.open(key) {
			return nil, "", invalid(notOpen)
		}
		part := form.named(key)
		if part.Style != "" && strictjson.KindOf(v) != strictjson.Null {
			pairs, err := form.written(part, v)
			if err != nil {
				return nil, "", err
			}
			for _, p := range pairs {
				name, _ := url.PathUnescape(p.name)
				text, _ := url.PathUnescape(p.value)
				one := member{style: style{Name: name}}
				if err := m.part(w, &one, strictjson.MustMarshal(text)); err != nil {
					return nil, "", err
				}
				if out.Len() > maxBody {
					return nil, "", largeBody()
				}
			}
			continue
		}
		list := []json.RawMessage{v}
		if strictjson.KindOf(v) == strictjson.Array && !part.JSON {
			list = nil
			for _, e := range strictjson.Elements(v) {
				list = append(list, e)
			}
		}
		for _, one := range list {
			if strictjson.KindOf(one) == strictjson.Null {
				continue
			}
			if err := m.part(w, &part, one); err != nil {
				return nil, "", err
			}
			if out.Len() > maxBody {
				return nil, "", largeBody()
			}
		}
	}
	if err := w.Close(); err != nil {
		return nil, "", err
	}
	return out.Bytes(), w.FormDataContentType(), nil
}

// part writes one part (RFC 7578).
func (m *maker) part(w *multipart.Writer, p *member, value json.RawMessage) error {
	data, media, name := []byte(p.text(value)), p.Media, ""
	switch kind := strictjson.KindOf(value); {
	case p.Binary:
		f, err := m.file(value)
		if err != nil {
			return err
		}
		data, name = f.data, f.Filename
		if name == "" {
			name = "file"
		}
		if f.ContentType != "" {
			media = f.ContentType
		}
		if media == "" || strings.Contains(media, "*") {
			media = "application/octet-stream"
		}
	case kind == strictjson.Object || kind == strictjson.Array:
		if media == "" {
			media = "application/json"
		}
	}
	if strings.ContainsFunc(p.Name+name, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		return invalid("The part %q or its filename has a name that cannot be sent.", p.Name)
	}
	disposition := multipart.FileContentDisposition(p.Name, name)
	if name == "" {
		disposition = strings.TrimSuffix(disposition, `; filename=""`)
	}
	header := make(textproto.MIMEHeader)
	header.Set("Content-Disposition", disposition)
	if media != "" {
		header.Set("Content-Type", media)
	}
	out, err := w.CreatePart(header)
	if err == nil {
		_, err = out.Write(data)
	}
	return err
}

// A file is binary data of a model, or a file that it names.
type file struct {
	Text        *string `json:"text"`
	Base64      *string `json:"base64"`
	File        *string `json:"file"`
	Filename    string  `json:"filename"`
	ContentType string  `json:"content_type"`

	data []byte
}

// file reads binary data.
func (m *maker) file(value json.RawMessage) (*file, error) {
	f := new(file)
	if err := json.Unmarshal(value, f); err != nil {
		return nil, invalid("Binary data is an object with one of text, base64 and file.")
	}
	if f.ContentType != "" {
		// The parser takes line breaks for blanks.
		if _, _, err := mime.ParseMediaType(f.ContentType); err != nil || strings.ContainsAny(f.ContentType, "\r\n") {
			return nil, invalid("The member content_type is no media type.")
		}
	}
	given := 0
	for _, s := range []*string{f.Text, f.Base64, f.File} {
		if s != nil {
			given++
		}
	}
	if given != 1 {
		return nil, invalid("Binary data needs exactly one of text, base64 and file.")
	}
	var err error
	switch {
	case f.Text != nil:
		f.data = []byte(*f.Text)
	case f.Base64 != nil:
		if f.data, err = base64.StdEncoding.DecodeString(*f.Base64); err != nil {
			return nil, invalid("The member base64 is not base64.")
		}
	default:
		if m.files == nil {
			return nil, invalid("This server has no files to send: give text or base64.")
		}
		if f.data, err = readFile(m.files, *f.File, maxBody); err != nil {
			return nil, &registry.Error{Kind: registry.InvalidArguments, Message: "The member file names no file that can be sent.", Err: err, NotRun: true}
		}
		if f.Filename == "" {
			f.Filename = path.Base(*f.File)
		}
	}
	return f, nil
}

// readFile reads a regular file of at most so many bytes.
func readFile(fsys fs.FS, name string, most int64) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, fmt.Errorf("%q is no path of a file", name)
	}
	info, err := fs.Stat(fsys, name) // before opening: opening a FIFO would wait for its other end
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", name)
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s has more than %d bytes", name, most)
	}
	return data, err
}
