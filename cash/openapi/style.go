package openapi

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// The places of parameters.
const (
	inPath   = "path"
	inQuery  = "query"
	inHeader = "header"
	inCookie = "cookie"
)

// A style says how a value is written into a request (OpenAPI, "Style Values").
type style struct {
	Name     string `json:",omitempty"` // of the parameter in the request
	Style    string `json:",omitempty"` // empty in forms: objects are JSON
	Explode  bool   `json:",omitempty"`
	Reserved bool   `json:",omitempty"` // leaves reserved characters as they are
	JSON     bool   `json:",omitempty"` // the value is one text of JSON
}

// A pair is a name with a value, both encoded. A name without a value stands alone.
type pair struct{ name, value string }

// A field is one member of an object, or one element of an array, which has no name.
type field struct{ name, value string }

// text returns a value as a text of a parameter: that of a string, else its JSON.
func text(value json.RawMessage) string {
	switch strictjson.KindOf(value) {
	case strictjson.String:
		return strictjson.Text(value)
	case strictjson.Null:
		return ""
	case strictjson.Array, strictjson.Object:
		return string(strictjson.Compact(value))
	}
	return string(strictjson.Trim(value))
}

// text returns a value as the style writes one that has no parts.
func (s *style) text(value json.RawMessage) string {
	if s.JSON {
		return string(strictjson.Compact(value))
	}
	return text(value)
}

// fields returns the members or elements of a value that are not null.
func fields(value json.RawMessage) []field {
	var list []field
	for _, v := range strictjson.Elements(value) {
		if strictjson.KindOf(v) != strictjson.Null {
			list = append(list, field{value: text(v)})
		}
	}
	for key, v := range strictjson.Members(value) {
		if strictjson.KindOf(v) != strictjson.Null {
			list = append(list, field{key, text(v)})
		}
	}
	return list
}

// escaped percent-encodes everything but the unreserved characters of RFC 3986, and those that keep names.
func escaped(s, keep string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~"+keep, c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}

// reserved are the reserved characters that have no meaning of their own in a query.
const reserved = ":/?@!$'()*,;"

func (s *style) escape(text string) string {
	switch {
	case s.Reserved:
		return escaped(text, reserved)
	case s.Style == inCookie:
		return text
	}
	return escaped(text, "")
}

// escapeValue is escape for a value, which allowReserved leaves its percent-encoded triples (RFC 6570, section 3.2.3).
func (s *style) escapeValue(text string) string {
	if !s.Reserved || s.JSON {
		return s.escape(text)
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "%")
		b.WriteString(s.escape(before))
		switch {
		case !ok:
			return b.String()
		case len(rest) >= 2 && isHex(rest[0]) && isHex(rest[1]):
			b.WriteString("%" + rest[:2])
			text = rest[2:]
		default:
			b.WriteString("%25")
			text = rest
		}
	}
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }

// joined writes a value by a style whose parts are joined by sep: simple and label.
func (s *style) joined(value json.RawMessage, sep string, escape func(string) string) string {
	list := fields(value)
	switch kind := strictjson.KindOf(value); {
	case s.JSON || kind != strictjson.Array && kind != strictjson.Object:
		return escape(s.text(value))
	case kind == strictjson.Array:
		return join(list, sep, "", escape)
	case s.Explode:
		return join(list, sep, "=", escape)
	default:
		return join(list, sep, sep, escape)
	}
}

// join writes fields. between is what is between the name of a member and its value.
func join(list []field, sep, between string, escape func(string) string) string {
	var b strings.Builder
	for i, f := range list {
		if i > 0 {
			b.WriteString(sep)
		}
		if between != "" {
			b.WriteString(escape(f.name) + between)
		}
		b.WriteString(escape(f.value))
	}
	return b.String()
}

// empty reports whether a value is an array or an object of which nothing is sent.
func (s *style) empty(value json.RawMessage) bool {
	kind := strictjson.KindOf(value)
	return !s.JSON && (kind == strictjson.Array || kind == strictjson.Object) && len(fields(value)) == 0
}

// path returns a value as a part of a path, unless that takes more than room.
func (s *style) path(value json.RawMessage, room *int) (string, error) {
	switch s.Style {
	case "label":
		if s.empty(value) {
			return "", nil
		}
		if s.Explode {
			return "." + s.joined(value, ".", s.escape), nil
		}
		return "." + s.joined(value, ",", s.escape), nil
	case "matrix":
		var b strings.Builder
		list, err := s.pairs(value, room)
		for _, p := range list {
			b.WriteString(";" + p.name)
			if p.value != "" {
				b.WriteString("=" + p.value)
			}
		}
		return b.String(), err
	}
	return s.joined(value, ",", s.escape), nil
}

// pairs are pairs within room, in bytes: names that repeat make them far larger than the value.
type pairs struct {
	list []pair
	room *int
}

// errRoom says that there is no room for all pairs.
var errRoom = errors.New("the pairs take too much room")

// take reports whether there is room.
func (p *pairs) take(n int) bool {
	*p.room -= n
	return *p.room >= 0
}

func (p *pairs) add(name, value string) bool {
	p.list = append(p.list, pair{name, value})
	return p.take(len(name) + len(value) + 2)
}

// pairs returns a value as names with values, for queries, forms, cookies and the style matrix, and takes what they need
// from room. Nothing is sent of an empty array or object.
func (s *style) pairs(value json.RawMessage, room *int) ([]pair, error) {
	made := &pairs{room: room}
	if s.write(made, value); *room < 0 {
		return nil, errRoom
	}
	return made.list, nil
}

func (s *style) write(to *pairs, value json.RawMessage) {
	kind := strictjson.KindOf(value)
	if s.JSON || kind != strictjson.Array && (kind != strictjson.Object || s.Style == "") {
		to.add(s.escape(s.Name), s.escapeValue(s.text(value)))
		return
	}
	if s.Style == "deepObject" && kind == strictjson.Object {
		s.deep(to, s.Name, value)
		return
	}
	list := fields(value)
	if len(list) == 0 {
		return
	}
	if s.Explode {
		name := s.escape(s.Name)
		for _, f := range list {
			if kind == strictjson.Object {
				name = s.escape(f.name)
			}
			if !to.add(name, s.escapeValue(f.value)) {
				return
			}
		}
		return
	}
	sep := ","
	switch s.Style {
	case "spaceDelimited":
		sep = "%20"
	case "pipeDelimited":
		sep = "%7C"
	}
	to.add(s.escape(s.Name), s.joined(value, sep, s.escapeValue))
}

// deep writes the members of an object as name[member]. Objects in it nest in the same way, elements of arrays repeat
// the name: the specification leaves both open. It reports whether there is room.
func (s *style) deep(to *pairs, name string, value json.RawMessage) bool {
	if !to.take(len(name)) {
		return false
	}
	switch strictjson.KindOf(value) {
	case strictjson.Object:
		for key, v := range strictjson.Members(value) {
			if !s.deep(to, name+"["+key+"]", v) {
				return false
			}
		}
	case strictjson.Array:
		name = s.escape(name)
		for _, f := range fields(value) {
			if !to.add(name, s.escapeValue(f.value)) {
				return false
			}
		}
	case strictjson.Null:
	default:
		return to.add(s.escape(name), s.escapeValue(text(value)))
	}
	return true
}

// header returns a value for a header, which has no encoding.
func (s *style) header(value json.RawMessage) string {
	return s.joined(value, ",", func(text string) string { return text })
}

// query writes pairs as a query or as a form.
func query(pairs []pair) string {
	var b strings.Builder
	for i, p := range pairs {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(p.name + "=" + p.value)
	}
	return b.String()
}
