package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// maxDepth bounds the nesting of a definition, results included.
const maxDepth = 1000

// A definition is a tool, resource or prompt as the document has it. It is immutable once read.
type definition struct {
	raw  string // the whole text
	data []byte // the same text during reading; nil afterwards

	// key identifies it: the URI of a resource, otherwise the name.
	key                      string
	name, title, description string
	facts                    wire.Facts
	server                   string                // server_name; empty is that of the document
	id                       toolid.ID             // if it is stated
	input                    json.RawMessage       // raw, even if invalid; empty if there is none
	display                  wire.Display          // of a tool, during reading
	shown                    []registry.FuncOption // made from display
	hints                    wire.Hints
	arguments                []string // names of a prompt's arguments
	mime                     string   // MIME type of a resource
	handler                  registry.Handler
	limits                   *Limits

	flags   []string // problems that affect only a part
	refused error    // why the definition is not served; nil if it is
}

// newDefinition reads a definition. It copies raw, because the document may be much larger than what is kept.
func newDefinition(k kind, raw []byte, limits *Limits) *definition {
	d := &definition{raw: string(raw), data: bytes.Clone(raw), limits: limits}
	defer func() { d.data, d.display = nil, wire.Display{} }() // frees the document
	if kind := strictjson.KindOf(raw); kind != strictjson.Object {
		d.refused = fmt.Errorf("want an object, got type %s", kind)
		return d
	}
	for key, value := range strictjson.Members(raw) { // it is shown by it, whatever else is wrong
		if key == "name" || key == "uri" && d.name == "" {
			strictjson.Take(&d.name, value)
		}
	}
	if d.refused = strictjson.CheckDepth(raw, maxDepth); d.refused == nil {
		d.refused = k.read(d, limits)
	}
	return d
}

// members calls read for each member of a definition. read reports false for a value of a wrong type.
func (d *definition) members(read func(key string, value []byte) bool) {
	for key, value := range strictjson.Members(d.data) {
		if strictjson.KindOf(value) != strictjson.Null && !read(key, value) {
			d.flag("%s: a value of type %s is of no use", key, strictjson.KindOf(value))
		}
	}
}

// flag notes a problem.
func (d *definition) flag(format string, args ...any) {
	const most = 20
	if len(d.flags) < most {
		d.flags = append(d.flags, fmt.Sprintf(format, args...))
	}
}

// common reads the members that all kinds have.
func (d *definition) common(key string, value []byte) bool {
	switch key {
	case "name":
		return strictjson.Take(&d.name, value)
	case "title":
		return strictjson.Take(&d.title, value)
	case "description":
		return strictjson.Take(&d.description, value)
	case "_meta":
		d.display.Meta = d.shownMeta(value)
		return object(value, d.meta)
	}
	known, ok := d.facts.Set(key, value)
	return ok || !known
}

// shownMeta returns _meta without what a document adds to it.
func (d *definition) shownMeta(meta []byte) json.RawMessage {
	if strictjson.Check(meta) != nil { // reported by object, or nested too deep
		return nil
	}
	var b strictjson.Builder
	for key, value := range strictjson.Members(meta) {
		if key != "server_name" && key != "id" {
			b.Add(key, value)
		}
	}
	return b.Object()
}

// meta reads a member of _meta.
func (d *definition) meta(key string, value []byte) {
	known, ok := d.facts.Set(key, value)
	switch key {
	case "server_name":
		known, ok = true, strictjson.Take(&d.server, value)
	case "id":
		id, err := toolid.Parse(strictjson.Text(value))
		d.id, known, ok = id, true, err == nil
	}
	if known && !ok {
		d.flag("_meta: %s: a value of type %s is of no use", key, strictjson.KindOf(value))
	}
}

// named completes a definition that is identified by its name.
func (d *definition) named() error {
	if d.key = d.name; d.name == "" {
		return errors.New("no name")
	}
	return nil
}

// object reads the members that are not null, and reports whether value is an object.
func object(value []byte, read func(key string, value []byte)) bool {
	for key, v := range strictjson.Members(value) {
		if strictjson.KindOf(v) != strictjson.Null {
			read(key, v)
		}
	}
	return strictjson.KindOf(value) == strictjson.Object
}
