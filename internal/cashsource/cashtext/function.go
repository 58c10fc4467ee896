package cashtext

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// A Function is the content of a page of help(namespace=..., function=...) (RFC 4.2). All texts are clean.
type Function struct {
	// Namespace and Name are the page's own subject; empty if it gives none, or an invalid one.
	Namespace, Name string
	// Description may have several lines.
	Description string
	// Parameters are those on the page, in order; the function may have more.
	Parameters []Parameter
	// Returns describes the result; may have several lines.
	Returns string
	// Safety describes the effects of a call, such as "Read-only."; empty if the page gives none.
	Safety string
	// Hints are the effects of a call in the page's annotations, as in MCP. Only JSON gives some. See [Function.Effects].
	Hints wire.Hints
	// Open says that further arguments are accepted, Closed that they are not. A page may leave both open.
	Open, Closed bool
	// Schema is the JSON Schema of the arguments; nil if the page gives none. It is not screened.
	Schema json.RawMessage
	// More is the keyword argument of help that shows more, such as params="full"; empty if the page gives none.
	More string
	// ID is the function's tool id on its server (gateway surface, section 1); empty if the page gives none, or an
	// invalid one. Only JSON gives one.
	ID string
}

// A Parameter is one argument of a [Function]. A nested parameter has a name such as items[].quantity.
type Parameter struct {
	// Name is one line, and not empty. It need not be a label.
	Name string
	// Type and Description are one line each; may be empty.
	Type, Description string
	Required          bool
	// Enum and Default are JSON; nil if the page has no such members.
	Enum, Default json.RawMessage
}

// maxParameters bounds the parameters of a function.
const maxParameters = 1000

// ParseFunction reads the page of help(namespace=..., function=...):
//   - in JSON (format="json"): the members name, namespace, description, parameters, returns, safety, annotations, open
//     and id, and the schema of the arguments as schema, inputSchema or parameters;
//   - in markdown, with the parameters in a table.
//
// It refuses pages of more than 1 MiB or 1,000 parameters, JSON that is not strict, and pages with neither
// parameters nor a description.
func ParseFunction(text string) (*Function, error) {
	return readPage("the page of a function", text, parseFunction)
}

func parseFunction(text string) (*Function, error) {
	read := functionMarkdown
	if strings.HasPrefix(Unfenced(text), "{") {
		read = functionJSON
	}
	f, err := read(text)
	switch {
	case err != nil:
		return nil, err
	case len(f.Parameters) > maxParameters:
		return nil, fmt.Errorf("%d parameters; at most %d are read", len(f.Parameters), maxParameters)
	}
	return f, nil
}

func functionJSON(text string) (*Function, error) {
	object, err := readObject(text, "")
	if err != nil {
		return nil, err
	}
	if object["parameters"] == nil && object["description"] == nil {
		return nil, errors.New("the JSON has neither parameters nor a description")
	}
	f := &Function{
		Description: paragraph(strictjson.Text(object["description"])),
		Returns:     paragraph(strictjson.Text(object["returns"])),
		Safety:      description(strictjson.Text(object["safety"])),
		Hints:       wire.ReadHints(object["annotations"]),
		Open:        string(object["open"]) == "true",
		Closed:      string(object["open"]) == "false",
		Schema:      schemaOf(object),
		More:        clean.Line(strictjson.Text(object["more"]), maxName),
	}
	if id, err := toolid.Parse(strictjson.Text(object["id"])); err == nil {
		f.ID = id.String()
	}
	f.setPath(joinPath(strictjson.Text(object["namespace"]), strictjson.Text(object["name"])))
	for _, v := range strictjson.Elements(object["parameters"]) {
		m := members(v)
		f.add(Parameter{
			Name: strictjson.Text(m["name"]), Type: strictjson.Text(m["type"]),
			Description: strictjson.Text(m["description"]), Required: string(m["required"]) == "true",
			Enum: listIn(m["enum"]), Default: slices.Clone(m["default"]),
		})
	}
	return f, nil
}

// schemaOf returns the schema of the arguments on a JSON page; nil if there is none.
func schemaOf(page map[string][]byte) json.RawMessage {
	for _, key := range []string{"schema", "inputschema", "parameters"} {
		value := page[key]
		if strictjson.KindOf(value) != strictjson.Object || key == "parameters" && strictjson.Member(value, "properties") == nil {
			continue
		}
		return slices.Clone(value) // the page is much larger
	}
	return nil
}

// listIn returns a copy of a JSON list; nil for anything else.
func listIn(value []byte) json.RawMessage {
	if strictjson.KindOf(value) != strictjson.Array {
		return nil
	}
	return slices.Clone(value)
}

// JSON returns the page in JSON, in the form of our own servers.
func (f *Function) JSON() string {
	type parameter struct {
		Name        string `json:"name"`
		Type        string `json:"type,omitempty"`
		Required    bool   `json:"required"`
		Description string `json:"description,omitempty"`
	}
	page := struct {
		Namespace   string      `json:"namespace,omitempty"`
		Name        string      `json:"name"`
		Description string      `json:"description,omitempty"`
		Safety      string      `json:"safety,omitempty"`
		Parameters  []parameter `json:"parameters"`
		Open        bool        `json:"open,omitempty"`
		Returns     string      `json:"returns,omitempty"`
		More        string      `json:"more,omitempty"`
		ID          string      `json:"id,omitempty"`
	}{f.Namespace, f.Name, f.Description, f.Safety, make([]parameter, 0, len(f.Parameters)), f.Open, f.Returns, f.More, f.ID}
	for _, p := range f.Parameters {
		page.Parameters = append(page.Parameters, parameter{p.Name, p.Type, p.Required, p.Description})
	}
	return string(strictjson.MustMarshal(page))
}

// setPath sets namespace and name from the subject of the page.
func (f *Function) setPath(path string) {
	if _, ok := registry.CanonicalPath(path); !ok {
		return
	}
	i := strings.LastIndexByte(path, '.')
	f.Namespace, f.Name = path[:max(i, 0)], path[i+1:]
}

func (f *Function) add(p Parameter) {
	p.Name = clean.Line(p.Name, maxName)
	p.Type = clean.Line(p.Type, maxDescription)
	p.Description = description(p.Description)
	if p.Name != "" {
		f.Parameters = append(f.Parameters, p)
	}
}

// Effects returns what the page says of the effects of a call: its annotations, and what they leave out from the safety
// line.
func (f *Function) Effects() wire.Hints {
	h, said, yes := f.Hints, strings.ToLower(f.Safety), true
	if h.ReadOnly == nil && strings.HasPrefix(said, "read-only") {
		h.ReadOnly = &yes
	}
	if h.Destructive == nil && strings.HasPrefix(said, "destructive") {
		h.Destructive = &yes
	}
	if h.Idempotent == nil && strings.Contains(said, "safe to repeat") {
		h.Idempotent = &yes
	}
	return h
}

// paragraph returns a text of several lines, cleaned.
func paragraph(text string) string { return strings.TrimSpace(clean.Text(text)) }

// safeties are the safety lines of our own server.
var safeties = map[string]bool{
	"Read-only.": true, "Destructive.": true, "Destructive; safe to repeat.": true, "Safe to repeat.": true,
}

// moreWith begins the line that tells how to get more parameters.
const moreWith = "Additional parameters available with "

// functionMarkdown reads a page like the RFC's examples (8.3).
func functionMarkdown(text string) (*Function, error) {
	f := new(Function)
	var about, returns []string
	to := &about
	var head []string // heads of the table of parameters
	lines := readLines(text)
	for i, l := range lines {
		switch {
		case l.kind == headingLine:
			head, to = nil, sectionText(l, &about, &returns)
			if m := pathTitle.FindStringSubmatch(l.text); m != nil && l.level == 1 && f.Name == "" {
				f.setPath(m[1] + m[2])
				to = &about
			}
		case l.kind == rowLine && i+1 < len(lines) && lines[i+1].kind == ruleLine:
			head = columns(cells(l.text))
		case l.kind == rowLine && head != nil:
			f.row(head, cells(l.text))
		case safeties[l.text]:
			f.Safety = l.text
		case l.text == "Takes any arguments; none are declared.", l.text == "Other arguments are accepted too.":
			f.Open = true
		case strings.HasPrefix(l.text, moreWith):
			f.More = clean.Line(strings.Trim(strings.TrimPrefix(l.text, moreWith), "`. "), maxName)
		case l.text == "No parameters.":
			f.Closed = true
		case to != nil:
			*to = append(*to, l.raw)
		}
	}
	f.Closed = f.Closed && len(f.Parameters) == 0 && f.More == ""
	f.Description, f.Returns = paragraph(strings.Join(about, "\n")), paragraph(strings.Join(returns, "\n"))
	if f.Description == "" && f.Parameters == nil {
		return nil, errors.New("the page has neither a description nor a table of parameters")
	}
	return f, nil
}

// sectionText returns which text the lines below a heading extend; nil for none.
func sectionText(l line, about, returns *[]string) *[]string {
	switch title := strings.ToLower(l.text); {
	case strings.HasPrefix(title, "return"):
		return returns
	case l.level == 1, title == "description":
		return about
	}
	return nil
}

// columns returns the lower-case heads of a table whose first column is a name.
func columns(head []string) []string {
	for i, h := range head {
		head[i] = strings.ToLower(h)
	}
	if len(head) < 2 || head[0] != "name" && head[0] != "parameter" && head[0] != "argument" {
		return nil
	}
	return head
}

func (f *Function) row(head, cells []string) {
	var p Parameter
	for i, c := range cells[:min(len(head), len(cells))] {
		switch head[i] {
		case "type":
			p.Type = c
		case "required":
			p.Required = strings.EqualFold(c, "yes") || strings.EqualFold(c, "true")
		case "description":
			p.Description = c
		case head[0]:
			p.Name = strings.Trim(c, "`*")
		}
	}
	f.add(p)
}
