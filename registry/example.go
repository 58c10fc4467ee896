package registry

import (
	"context"
	"encoding/json"
	"strings"
)

// Example returns arguments that a call of the function accepts. Help shows them.
//
//   - They hold every required parameter, and the optional ones with an example in their tags.
//     Advanced ones need full as well.
//   - A value is the example, else the default, else made up from the type.
//
// It returns nil if [Function.Check] refuses the made-up arguments. Only examples in the tags help
// then.
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
		members = append(members, jsonString(p.Name)+": "+exampleValue(p, full))
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
		return jsonString(p.Enum[0])
	case strings.HasPrefix(p.Type, "array"):
		if len(p.Fields) > 0 {
			return "[" + exampleObject(p.Fields, full) + "]"
		}
		if strings.HasPrefix(p.Type, "array of {") { // of a recursive type
			return "[]"
		}
		if p.sample != "" {
			return "[" + jsonString(p.sample) + "]"
		}
		return "[" + exampleScalar(strings.TrimPrefix(p.Type, "array of "), p.Name) + "]"
	case len(p.Fields) > 0:
		return exampleObject(p.Fields, full)
	case p.sample != "":
		return jsonString(p.sample)
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
	return jsonString("<" + name + ">")
}

// jsonString returns text as a JSON string.
func jsonString(text string) string {
	data, _ := marshal(text) // a string always has a JSON form
	return data
}
