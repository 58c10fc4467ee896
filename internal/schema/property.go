package schema

import (
	"encoding/json"
	"slices"
)

// A Property is a parameter in a list of parameters.
type Property struct {
	Name        string
	Type        string // a type of JSON Schema; empty is any
	Description string // for a model; empty is left out
	Required    bool
}

// Object returns the schema of an object with these properties in order. If closed is set, it allows no others. Names
// must be distinct.
func Object(list []Property, closed bool) json.RawMessage {
	out, required := []byte(`{"type":"object","properties":{`), []byte{}
	for i, p := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(p.append(append(appendQuoted(out, p.Name), ':', '{')), '}')
		if p.Required {
			if len(required) > 0 {
				required = append(required, ',')
			}
			required = appendQuoted(required, p.Name)
		}
	}
	out = slices.Concat(out, []byte(`},"required":[`), required, []byte(`]`))
	if closed {
		out = append(out, `,"additionalProperties":false`...)
	}
	return append(out, '}')
}

// append appends the members of the property's schema.
func (p *Property) append(out []byte) []byte {
	if p.Type != "" {
		out = appendQuoted(append(out, `"type":`...), p.Type)
	}
	if p.Description == "" {
		return out
	}
	if p.Type != "" {
		out = append(out, ',')
	}
	return appendQuoted(append(out, `"description":`...), p.Description)
}
