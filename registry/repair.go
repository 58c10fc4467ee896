package registry

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// A Repair records one change made to arguments (gateway surface, section 4.4).
type Repair struct {
	Path string `json:"path"` // $ for the whole object, $.limit for one member
	Rule string `json:"rule"` // parse_stringified_object, str_to_integer, str_to_number, str_to_boolean or str_to_null
}

// repairObject returns the object in arguments that are a JSON string of an object. It returns
// other arguments unchanged.
func repairObject(data []byte) ([]byte, []Repair) {
	if strictjson.KindOf(data) != strictjson.String || strictjson.Check(data) != nil {
		return data, nil
	}
	object := []byte(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(strictjson.Text(data)), "\ufeff")))
	if strictjson.Check(object) != nil || strictjson.KindOf(object) != strictjson.Object {
		return data, nil
	}
	return object, []Repair{{"$", "parse_stringified_object"}}
}

// repairValues rewrites top-level strings to the type in the schema: "42" becomes 42 where the
// schema takes an integer and no string. It renames, drops and guesses nothing. Other strings stay,
// and validation refuses them.
func repairValues(inputSchema json.RawMessage, data []byte) ([]byte, []Repair) {
	types := sync.OnceValue(func() map[string][]string { return typesOf(inputSchema) })
	var repairs []Repair
	b := append(make([]byte, 0, len(data)), '{')
	for key, value := range strictjson.RawMembers(data) {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(b, key...), ':')
		name := strictjson.Text(key)
		if rule, better := repairValue(func() []string { return types()[name] }, value); rule != "" {
			repairs = append(repairs, Repair{"$." + name, rule})
			value = better
		}
		b = append(b, value...)
	}
	if repairs == nil {
		return data, nil
	}
	return append(b, '}'), repairs
}

// repairValue returns the repaired value and the rule applied, for the types that the schema
// allows. rule is empty if no rule applies. Ordinary text needs no types.
func repairValue(types func() []string, value []byte) (rule string, better []byte) {
	if strictjson.KindOf(value) != strictjson.String {
		return "", nil
	}
	text := strings.TrimSpace(strictjson.Text(value))
	isNumber := strictjson.Check([]byte(text)) == nil && strictjson.KindOf([]byte(text)) == strictjson.Number
	for _, r := range []struct {
		wanted, rule string
		fits         bool
	}{
		{"integer", "str_to_integer", isNumber && !strings.ContainsAny(text, ".eE")},
		{"number", "str_to_number", isNumber},
		{"boolean", "str_to_boolean", text == "true" || text == "false"},
		{"null", "str_to_null", text == "null"},
	} {
		if r.fits && slices.Contains(types(), r.wanted) && !slices.Contains(types(), "string") {
			return r.rule, []byte(text)
		}
	}
	return "", nil
}

// typesOf returns the types that a schema allows for its top-level properties.
func typesOf(inputSchema json.RawMessage) map[string][]string {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(inputSchema, &s) != nil {
		return nil
	}
	types := make(map[string][]string, len(s.Properties))
	for name, property := range s.Properties {
		var one struct {
			Type string `json:"type"`
		}
		var several struct {
			Type []string `json:"type"`
		}
		if json.Unmarshal(property, &one) == nil && one.Type != "" {
			types[name] = []string{one.Type}
		} else if json.Unmarshal(property, &several) == nil {
			types[name] = several.Type
		}
	}
	return types
}
