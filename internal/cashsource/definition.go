package cashsource

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
)

// Functions of a CaSH server as definitions that can be pinned.

// defineFunction returns the definition from a function's entry in help.
func defineFunction(path string, e cashtext.Entry) *pin.Definition {
	return &pin.Definition{Name: wire.Join(path, e.Name), Description: e.Description, Function: true}
}

// addPage adds a function's page to its definition. Of a JSON page (declared) the description is included; on
// another page it may be any prose. It reports false, and adds nothing, if the page is too large or too deep.
func addPage(d *pin.Definition, f *cashtext.Function, declared bool) bool {
	input := parameters(f)
	if f.Schema != nil {
		input["schema"] = f.Schema
	}
	if declared && f.Description != d.Description {
		input["description"] = f.Description
	}
	in, out, notes := asJSON(input), json.RawMessage(nil), json.RawMessage(nil)
	if f.Returns != "" {
		out = asJSON(map[string]any{"description": f.Returns})
	}
	said := make(map[string]any)
	for name, hint := range strictjson.Members(f.Hints.JSON()) {
		said[name] = json.RawMessage(hint)
	}
	if f.Safety != "" {
		said["safety"] = f.Safety
	}
	if f.ID != "" {
		said["id"] = f.ID
	}
	if len(said) > 0 {
		notes = asJSON(said)
	}
	if len(in)+len(out)+len(notes) > wire.MaxEntrySize || strictjson.Check(in) != nil { // that is too deep
		return false
	}
	d.InputSchema, d.OutputSchema, d.Annotations = in, out, notes
	return true
}

// parameters returns the parameters as a schema, with the page's wording of types. Repeated names are numbered, so
// that none hides another.
func parameters(f *cashtext.Function) map[string]any {
	properties, required := make(map[string]any, len(f.Parameters)), []string{}
	times := make(map[string]int)
	for _, p := range f.Parameters {
		name := p.Name
		for times[p.Name]++; properties[name] != nil; times[p.Name]++ {
			name = fmt.Sprintf("%s (%d)", p.Name, times[p.Name])
		}
		property := make(map[string]any)
		if p.Type != "" {
			property["type"] = p.Type
		}
		if p.Description != "" {
			property["description"] = p.Description
		}
		if p.Enum != nil {
			property["enum"] = p.Enum
		}
		if p.Default != nil {
			property["default"] = p.Default
		}
		properties[name] = property
		if p.Required {
			required = append(required, name)
		}
	}
	slices.Sort(required)
	schema := map[string]any{"type": "object", "properties": properties, "required": required}
	if f.Open || f.Closed {
		schema["additionalProperties"] = f.Open
	}
	return schema
}

func asJSON(v map[string]any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic("cashsource: " + err.Error()) // texts and booleans always encode
	}
	return data
}

// allDefinitions returns the definitions of the functions at the place and below.
func (p *place) allDefinitions() []*pin.Definition {
	var list []*pin.Definition
	p.each(func(p *place) { list = append(list, p.definitions...) })
	return list
}

// keep removes the functions at the place and below that are not served, and the unserved parts of the others.
func (p *place) keep(served []*pin.Definition) {
	as := make(map[string]*pin.Definition, len(served))
	for _, d := range served {
		as[d.Name] = d
	}
	p.each(func(p *place) {
		if p.page == nil {
			return
		}
		functions, details := p.page.Functions[:0], p.details[:0]
		for i, e := range p.page.Functions {
			d := as[p.definitions[i].Name]
			if d == nil {
				continue
			}
			detail := p.details[i]
			if !d.Paged() {
				detail = nil
			}
			functions, details = append(functions, e), append(details, detail)
		}
		p.page.Functions, p.details = functions, details
	})
}
