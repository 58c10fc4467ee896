package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// maxDepth bounds how deep a definition is nested, its results included.
const maxDepth = 1000

// A definition is a tool, resource or prompt as the document has it. It does not
// change once it is read.
type definition struct {
	raw  string // all of it, as spelled
	data []byte // the same while it is read, and nil afterwards

	// key is what it is known by: the URI of a resource, else the name.
	key                               string
	name, title, description, version string
	tags                              []string
	input                             json.RawMessage // as spelled, whatever it is; empty if there is none
	returns                           string
	readOnly, idempotent, destructive bool
	arguments                         []string // names, of a prompt
	mime                              string   // type of a resource
	handler                           registry.Handler

	flags   []string // what is in error and costs no more than itself
	refused error    // why the definition is not served; nil if it is
}

// newDefinition reads a definition. It keeps a copy of raw, because the document
// may be many times larger than what is kept of it.
func newDefinition(k kind, raw []byte, limits *Limits) *definition {
	d := &definition{raw: string(raw), data: bytes.Clone(raw)}
	defer func() { d.data = nil }() // all that is kept of it is copied
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

// members gives the members of a definition to read, which reports false for a
// value of a type that it does not take.
func (d *definition) members(read func(key string, value []byte) bool) {
	for key, value := range strictjson.Members(d.data) {
		if strictjson.KindOf(value) != strictjson.Null && !read(key, value) {
			d.flag("%s: a value of type %s is of no use", key, strictjson.KindOf(value))
		}
	}
}

// flag notes what is in error.
func (d *definition) flag(format string, args ...any) {
	const most = 20
	if len(d.flags) < most {
		d.flags = append(d.flags, fmt.Sprintf(format, args...))
	}
}

// common reads the members that definitions of all kinds have.
func (d *definition) common(key string, value []byte) bool {
	switch key {
	case "name":
		return strictjson.Take(&d.name, value)
	case "title":
		return strictjson.Take(&d.title, value)
	case "description":
		return strictjson.Take(&d.description, value)
	case "version":
		return strictjson.Take(&d.version, value)
	case "tags":
		return texts(&d.tags, value)
	case "_meta":
		return object(value, func(key string, value []byte) {
			switch key {
			case "version":
				if d.version == "" && !strictjson.Take(&d.version, value) {
					d.flag("_meta: version: a value of type %s is of no use", strictjson.KindOf(value))
				}
			case "tags":
				if !texts(&d.tags, value) {
					d.flag("_meta: tags: want an array of strings")
				}
			}
		})
	}
	return true
}

// named finishes a definition that is known by its name.
func (d *definition) named() error {
	if d.key = d.name; d.name == "" {
		return errors.New("no name")
	}
	return nil
}

// texts appends, and reports whether value is an array of strings.
func texts(to *[]string, value []byte) bool {
	ok := strictjson.KindOf(value) == strictjson.Array
	for _, v := range strictjson.Elements(value) {
		var t string
		if ok = ok && strictjson.Take(&t, v); ok {
			*to = append(*to, t)
		}
	}
	return ok
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
