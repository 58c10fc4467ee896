package registry

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// SchemaLimits bound one schema of another server (gateway surface, section 4.4). A schema over them is
// used, because validation has bounds of its own, and reported. A zero field has its default.
type SchemaLimits struct {
	Bytes      int // without white space; 64 KiB by default
	Depth      int // nesting of objects and arrays; 32 by default
	Properties int // at all levels; 512 by default
}

// Excess returns what of a schema, a JSON value, exceeds the limits: one line for each limit.
func (l SchemaLimits) Excess(schema json.RawMessage) []string {
	is := measure(schema)
	var lines []string
	for _, m := range []struct {
		what     string
		is, most int
	}{
		{"bytes", is.Bytes, cmp.Or(l.Bytes, 64<<10)},
		{"levels", is.Depth, cmp.Or(l.Depth, 32)},
		{"properties", is.Properties, cmp.Or(l.Properties, 512)},
	} {
		if m.is > m.most {
			lines = append(lines, fmt.Sprintf("has %d %s; more than %d are not expected", m.is, m.what, m.most))
		}
	}
	return lines
}

// measure returns the size of a schema, in one pass.
func measure(schema []byte) SchemaLimits {
	type level struct{ object, properties bool } // it is an object; it is the value of a member properties
	var is SchemaLimits
	var levels []level
	key := false     // the next string is a key
	opening := false // the next value is that of properties
	for i := strictjson.SkipSpace(schema, 0); i < len(schema); i = strictjson.SkipSpace(schema, i) {
		end := i + 1
		switch schema[i] {
		case '{', '[':
			levels = append(levels, level{schema[i] == '{', opening})
			is.Depth = max(is.Depth, len(levels))
			key, opening = schema[i] == '{', false
		case '}', ']':
			levels = levels[:len(levels)-1]
			key = false
		case ',':
			key = levels[len(levels)-1].object
		case ':':
			key = false
		case '"':
			end = strictjson.Skip(schema, i)
			if opening = false; key {
				opening = string(schema[i:end]) == `"properties"`
				if levels[len(levels)-1].properties {
					is.Properties++
				}
			}
		default:
			end = strictjson.Skip(schema, i)
			opening = false
		}
		is.Bytes += end - i
		i = end
	}
	return is
}
