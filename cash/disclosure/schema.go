package disclosure

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/registry"
)

// compare returns the file description of a function. It logs once if the file's schema differs from the function's.
func (s *Server) compare(f *registry.Function) description {
	if s.opts.Descriptions == nil {
		return description{}
	}
	d := s.opts.Descriptions.of(f.FlatName())
	if d.schema == nil {
		return d
	}
	key := "schema " + f.FlatName() + " " + f.Definition() + " " + d.modified.String()
	s.mu.Lock()
	fresh := !s.noted[key] && len(s.noted) < maxNoted
	s.noted[key] = s.noted[key] || fresh
	s.mu.Unlock()
	if fresh {
		if at := differences(d.schema, f.InputSchema()); len(at) > 0 {
			s.opts.Serve.Logger.Warn("the schema in a description differs from the function's, which is the one that is shown",
				"file", f.FlatName()+extension, "at", strings.Join(at, ", "))
		}
	}
	return d
}

// maxDifferences bounds the places that a log line names.
const maxDifferences = 10

// differences returns where a schema in a file differs from that of the function, as JSON pointers. What the file says
// of a schema must be so in the function's, and both must have the same parameters, of which the same are required. What
// the file leaves out otherwise is no difference.
func differences(file, own json.RawMessage) []string {
	var d differ
	d.schemas("", file, own)
	return d.at
}

type differ struct{ at []string }

func (d *differ) add(path string) {
	if path = clean.Line(path, maxMessage); len(d.at) < maxDifferences && !slices.Contains(d.at, path) {
		d.at = append(d.at, path)
	}
}

// schemas compares two schemas.
func (d *differ) schemas(path string, file, own []byte) {
	if strictjson.KindOf(file) != strictjson.Object || strictjson.KindOf(own) != strictjson.Object {
		d.values(path, file, own)
		return
	}
	for key, value := range strictjson.Members(file) {
		switch theirs := strictjson.Member(own, key); key {
		case "properties", "required": // below
		case "items", "additionalProperties":
			d.schemas(path+"/"+key, value, theirs)
		default:
			d.values(path+"/"+key, value, theirs)
		}
	}
	d.properties(path+"/properties", strictjson.Member(file, "properties"), strictjson.Member(own, "properties"))
	if !slices.Equal(sortedTexts(strictjson.Member(file, "required")), sortedTexts(strictjson.Member(own, "required"))) {
		d.add(path + "/required")
	}
}

// properties compares the parameters of two schemas.
func (d *differ) properties(path string, file, own []byte) {
	for name, value := range strictjson.Members(file) {
		d.schemas(path+"/"+name, value, strictjson.Member(own, name))
	}
	for name := range strictjson.Members(own) {
		if strictjson.Member(file, name) == nil {
			d.add(path + "/" + name)
		}
	}
}

// values compares any JSON.
func (d *differ) values(path string, file, own []byte) {
	if own == nil || !bytes.Equal(strictjson.Canonical(file), strictjson.Canonical(own)) {
		d.add(path)
	}
}

// sortedTexts returns the texts of an array.
func sortedTexts(array []byte) []string {
	var list []string
	for _, value := range strictjson.Elements(array) {
		list = append(list, strictjson.Text(value))
	}
	slices.Sort(list)
	return list
}
