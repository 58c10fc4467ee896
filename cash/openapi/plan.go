package openapi

import (
	"errors"
	"fmt"
	"mime"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/label"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A plan says how arguments become a request.
type plan struct {
	Base   string // of the URL
	Place  string // the path that the document has for the base
	Params []param
	Body   *body
	Accept []string // media types of the response

	output *node
}

// A param is a parameter. The style's name is its name in the request.
type param struct {
	Arg      string // the argument's name
	In       string
	Required bool
	style
}

// A body is the body of a request. Either Arg is the argument that holds it, or its members are arguments.
type body struct {
	Arg      string
	Media    string
	Required bool
	Members  []member // of forms, and of a body whose members are arguments
}

// A member is one member of a body. Only forms have its style, and only multipart bodies its media type.
type member struct {
	Arg    string
	Media  string // of the part; empty follows from the value
	Binary bool
	style
}

// The kinds of bodies, by their media type.
const (
	mediaForm      = "application/x-www-form-urlencoded"
	mediaMultipart = "multipart/form-data"
)

func isJSON(media string) bool {
	kind, _, err := mime.ParseMediaType(media)
	return err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
}

func (p *plan) count() int {
	n := len(p.Params)
	if p.Body != nil {
		n += max(1, len(p.Body.Members))
	}
	return n
}

// An input collects the input schema of a function.
type input struct {
	*translator
	properties strictjson.Builder
	required   []string
	taken      map[string]bool // canonical names
}

// take returns a name for an argument that no other one has.
func (in *input) take(name, where string) string {
	if !plain(name) {
		name = label.From(name, where)
	}
	for _, try := range []string{name, name + "_" + where} {
		if key := label.Fold(try); !in.taken[key] {
			in.taken[key] = true
			return try
		}
	}
	for i := 2; ; i++ {
		try := fmt.Sprintf("%s_%s_%d", name, where, i)
		if key := label.Fold(try); !in.taken[key] {
			in.taken[key] = true
			return try
		}
	}
}

// plain reports whether model APIs take a name for a member of arguments.
func plain(name string) bool {
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("_.-", c)
	})
}

func (in *input) add(arg string, schema []byte, required bool) {
	in.properties.Add(arg, schema)
	if required {
		in.required = append(in.required, arg)
	}
}

// object returns the input schema.
func (in *input) object() []byte {
	var b strictjson.Builder
	b.AddText("type", "object")
	b.Add("properties", in.properties.Object())
	if len(in.required) > 0 {
		b.Add("required", strictjson.MustMarshal(in.required))
	}
	b.Add("additionalProperties", []byte("false"))
	if defs := in.definitions(); defs != nil {
		b.Add("$defs", defs)
	}
	return b.Object()
}

// plan reads parameters and body.
func (r *reader) plan(s *source, item, n *node) error {
	if r.set.work.over() {
		return errWork
	}
	if r.spent > maxSchemas {
		return fmt.Errorf("the schemas of the operations before it have more than %d MiB", maxSchemas>>20)
	}
	if err := r.server(s, item, n); err != nil {
		return err
	}
	in := &input{translator: newTranslator(r.set, r.version, "readOnly"), taken: make(map[string]bool)}
	params, err := r.params(item, n)
	if err != nil {
		return err
	}
	if err := r.variables(s, params); err != nil {
		return err
	}
	places := []string{inPath, inQuery, inHeader, inCookie}
	for _, p := range params {
		if where := p.get("in").line(50); !slices.Contains(places, where) {
			return fmt.Errorf("a parameter is in %q, which is no place to send one in", where)
		}
	}
	for _, where := range places {
		for _, p := range params {
			if p.text("in") == where {
				if err := r.param(s, in, p); err != nil {
					return err
				}
			}
		}
	}
	if n.get("requestBody") != nil {
		if err := r.body(s, in, n.get("requestBody")); err != nil {
			return fmt.Errorf("request body: %w", err)
		}
	}
	s.Input, s.Partly = in.object(), in.cut
	r.spent += max(len(s.Input), in.size)
	if in.problem != nil {
		return in.problem
	}
	if r.set.work.over() {
		return errWork
	}
	if in.cut {
		r.report.note(s.Key, "its input schema has more than %d KiB: a part of it accepts any value", maxSchema>>10)
	}
	return nil
}

// Limits of parameters and bodies.
const (
	maxParams = 1000
	maxName   = 200 // bytes
	maxMedia  = 100 // bytes of a media type
)

// params returns the parameters of an operation. Its own replace those of the path item (OpenAPI, "Path Item Object").
func (r *reader) params(item, n *node) ([]*node, error) {
	var list []*node
	at := make(map[string]int)
	for _, from := range []*node{item, n} {
		for i, e := range from.get("parameters").elements() {
			r.set.work.spend(500)
			p, _, err := r.set.resolve(e)
			if err != nil {
				return nil, fmt.Errorf("parameters[%d]: %w", i, err)
			}
			key := p.text("in") + " " + p.text("name")
			if p.text("in") == inHeader {
				key = strings.ToLower(key) // a header has a name in any letter case
			}
			if old, ok := at[key]; ok {
				list[old] = p
				continue
			}
			if at[key] = len(list); len(list) == maxParams {
				return nil, fmt.Errorf("it has more than %d parameters", maxParams)
			}
			list = append(list, p)
		}
	}
	return list, nil
}

// variables checks that the path's variables are the path parameters.
func (r *reader) variables(s *source, params []*node) error {
	if !strings.HasPrefix(s.Path, "/") || strings.ContainsAny(s.Path, "?#\\") || strings.ContainsFunc(s.Path, func(c rune) bool { return c < ' ' }) {
		return errors.New("its path does not begin with a slash, or has a query or a fragment")
	}
	if dots(s.Path) {
		return errors.New("its path has a segment of dots, or a percent sign without digits")
	}
	described := make(map[string]bool)
	for _, p := range params {
		if p.text("in") == inPath {
			described[p.text("name")] = true
		}
	}
	var err error
	rest := eachVariable(s.Path, func(name string) string {
		if !described[name] || strings.Contains(name, "/") {
			err = fmt.Errorf("no parameter describes the variable {%s} of its path", name)
		}
		return ""
	})
	if err == nil && strings.ContainsAny(rest, "{}") {
		err = errors.New("its path has a brace without the other one")
	}
	return err
}

// ignored are headers that a parameter cannot set: OpenAPI ignores the first three, and the others belong to the
// connection or to the login.
var ignored = []string{"accept", "content-type", "authorization", "host", "content-length", "transfer-encoding", "connection",
	"upgrade", "te", "trailer", "cookie", "proxy-authorization", "proxy-connection", "keep-alive", "expect"}

// param adds one parameter.
func (r *reader) param(s *source, in *input, p *node) error {
	name, where := p.text("name"), p.text("in")
	required, _ := p.yes("required")
	token := where != inHeader && where != inCookie || isToken(name)
	switch lower := strings.ToLower(name); {
	case name == "" || !token || len(name) > maxName:
		return fmt.Errorf("a parameter of the %s has no name, or one that cannot be sent", where)
	case r.secret[secret(where, name)]:
		return nil
	case where == inHeader && slices.Contains(ignored, lower):
		r.report.note(s.Key, "the header %q is not an argument", name)
		return nil
	case where == inPath && !strings.Contains(s.Path, "{"+name+"}"):
		r.report.note(s.Key, "its path has no variable {%s}", name)
		return nil
	}
	made := param{In: where, Required: required || where == inPath}
	var err error
	if made.style, err = r.style(p, name, where); err != nil {
		return err
	}
	if yes, _ := p.yes("allowReserved"); yes && where == inPath && r.version >= "3.2" {
		s.Slashes = append(s.Slashes, name)
	}
	schema := p.get("schema")
	if content := p.get("content"); content != nil && len(content.names()) > 0 {
		media := content.names()[0]
		described, _, err := r.set.resolve(content.get(media))
		if err != nil {
			return err
		}
		schema, made.JSON = described.get("schema"), isJSON(media)
	}
	made.Arg = in.take(name, where)
	in.add(made.Arg, in.described(schema, p), made.Required)
	s.Plan.Params = append(s.Plan.Params, made)
	return nil
}

// described returns a schema with the description of the parameter that has it.
func (in *input) described(schema, p *node) []byte {
	made := in.schema(schema)
	about := p.about("description")
	if yes, _ := p.yes("deprecated"); yes {
		about = strings.TrimSpace("Deprecated. " + about)
	}
	if about == "" || strictjson.KindOf(made) != strictjson.Object {
		return made
	}
	var b strictjson.Builder
	for key, value := range strictjson.Members(made) {
		if key != "description" {
			b.Add(key, value)
		}
	}
	b.AddText("description", about)
	return b.Object()
}

// style reads how a parameter is written, with the defaults of its place (OpenAPI, "Parameter Object").
func (r *reader) style(p *node, name, where string) (style, error) {
	s := style{Name: name, Style: p.text("style")}
	if s.Style == "" {
		s.Style = "simple"
		if where == inQuery || where == inCookie {
			s.Style = "form"
		}
	}
	if !styles[s.Style] || s.Style == inCookie && where != inCookie {
		return s, fmt.Errorf("the style %.50q of a parameter is not known", s.Style)
	}
	if format := p.text(collection); format != "" {
		return s, fmt.Errorf("a parameter has the collectionFormat %.50q, which is not sent there", format)
	}
	explode, said := p.yes("explode")
	s.Explode = explode || !said && (s.Style == "form" || s.Style == inCookie)
	s.Reserved, _ = p.yes("allowReserved")
	s.Reserved = s.Reserved && where == inQuery
	return s, nil
}

// styles are those of OpenAPI ("Style Values").
var styles = map[string]bool{
	"matrix": true, "label": true, "simple": true, "form": true, "spaceDelimited": true, "pipeDelimited": true,
	"deepObject": true, inCookie: true,
}

// isToken reports whether a text is a token of HTTP.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return c <= ' ' || c > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c)
	})
}
