package registry

import (
	"context"
	"encoding/json"
	"strings"
)

// Example returns arguments that a call of the function would take: every
// required parameter, and those that have an example in their tags; advanced
// ones with an example only if full is set. The values are the examples, else the
// defaults, else made up from the types. It returns nil where none can be made
// up that [Function.Check] accepts: then only examples in the tags can help.
func (f *Function) Example(full bool) json.RawMessage {
	arguments := json.RawMessage(exampleObject(f.Params(), full))
	if f.Check(context.Background(), arguments) != nil {
		return nil
	}
	return arguments
}

func exampleObject(params []Param, full bool) string {
	var members []string
	for _, p := range params {
		if !p.Required && (p.Example == nil || p.Advanced && !full) {
			continue
		}
		members = append(members, quoted(p.Name)+": "+exampleValue(p, full))
	}
	return "{" + strings.Join(members, ", ") + "}"
}

func exampleValue(p Param, full bool) string {
	switch {
	case p.Example != nil:
		return string(p.Example)
	case p.Default != nil:
		return string(p.Default)
	case len(p.Enum) > 0:
		return quoted(p.Enum[0])
	case strings.HasPrefix(p.Type, "array"):
		if len(p.Fields) > 0 {
			return "[" + exampleObject(p.Fields, full) + "]"
		}
		return "[" + exampleScalar(strings.TrimPrefix(p.Type, "array of "), p.Name) + "]"
	case len(p.Fields) > 0:
		return exampleObject(p.Fields, full)
	}
	return exampleScalar(p.Type, p.Name)
}

func exampleScalar(typ, name string) string {
	switch typ {
	case "integer", "number":
		return "1"
	case "boolean":
		return "true"
	case "object":
		return "{}"
	}
	return quoted("<" + name + ">")
}

// quoted is text as a string of JSON.
func quoted(text string) string {
	data, _ := marshal(text) // text always has a form
	return data
}
