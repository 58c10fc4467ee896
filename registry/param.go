package registry

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/schema"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A Param describes one parameter for help.
type Param struct {
	Name string
	// Type is for display: "string", "array of {product_id, quantity}".
	Type        string
	Description string
	Required    bool
	Advanced    bool // left out of base help
	// Rules are the allowed values in words: "One of: low, high. Default: low." Empty if any value
	// of the type is allowed.
	Rules   string
	Enum    []string        // the allowed values, if they are a list
	Default json.RawMessage // nil if there is none
	Example json.RawMessage // nil if there is none
	// Fields are the members of an object, or of the objects in an array.
	Fields []Param

	sample string // a text that the type of the value, or of the items, accepts; empty if it has none of its own
}

func describeParams(list []schema.Param) []Param {
	if list == nil {
		return nil
	}
	described := make([]Param, len(list))
	for i, p := range list {
		described[i] = Param{
			Name: p.Name, Type: p.Type, Description: p.Description, Required: p.Required, Advanced: p.Advanced,
			Rules: p.Rules, Enum: p.Enum, Default: p.Default, Example: p.Example, Fields: describeParams(p.Fields), sample: p.Sample,
		}
	}
	return described
}

// params holds the parameters of a function and finds them by name. A name that is not a label
// matches its exact spelling only. So do two names with one canonical form, which functions of other
// servers may have.
type params struct {
	list      []Param
	exact     map[string]paramName // by spelling
	canonical map[string]int       // canonical form to index
	hyphens   bool                 // hyphens count as underscores
}

// A paramName is a declared name with its canonical form. The form is empty if only the exact
// spelling matches.
type paramName struct{ name, canonical string }

func newParams(list []schema.Param) *params { return newParamsWith(list, false) }

// newTypedParams is newParams for the names of Go fields, which may have hyphens.
func newTypedParams(list []schema.Param) *params {
	return newParamsWith(list, slices.ContainsFunc(list, func(p schema.Param) bool { return strings.Contains(p.Name, "-") }))
}

func newParamsWith(list []schema.Param, hyphens bool) *params {
	p := &params{describeParams(list), make(map[string]paramName, len(list)), make(map[string]int, len(list)), hyphens}
	spellings := make(map[string]int, len(list)) // by canonical form
	for _, param := range list {
		spellings[p.canonicalOf(param.Name)]++
	}
	for i, param := range p.list {
		c := p.canonicalOf(param.Name)
		if spellings[c] > 1 {
			c = "" // only the exact spelling matches
		}
		if c != "" {
			p.canonical[c] = i
		}
		p.exact[param.Name] = paramName{param.Name, c}
	}
	return p
}

// canonicalOf returns the canonical form of a spelling; empty is none.
func (p *params) canonicalOf(name string) string {
	c, ok := Canonical(name)
	if !ok && p.hyphens {
		c, _ = Canonical(strings.ReplaceAll(name, "-", "_"))
	}
	return c
}

// match returns the argument for a key, which is a JSON string in its quotes. A key spelled as
// declared costs no allocation.
func (p *params) match(key, value []byte) argument {
	if l, ok := p.exact[string(key[1:len(key)-1])]; ok {
		return argument{l.name, l.canonical, l.name, value}
	}
	a := argument{key: strictjson.Text(key), value: value}
	a.canonical = p.canonicalOf(a.key)
	if param, ok := p.find(a.key); ok {
		a.declared = param.Name
	}
	return a
}

// find returns the parameter for a spelling of its name.
func (p *params) find(name string) (Param, bool) {
	if c := p.canonicalOf(name); c != "" {
		if i, ok := p.canonical[c]; ok {
			return p.list[i], true
		}
	}
	if _, ok := p.exact[name]; !ok {
		return Param{}, false
	}
	for _, param := range p.list {
		if param.Name == name {
			return param, true
		}
	}
	return Param{}, false
}
