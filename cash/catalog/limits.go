package catalog

import (
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// check flags d if the schema exceeds the limits, and reports whether it is an object. The schema may be empty.
func (l *Limits) check(d *definition, member string, schema []byte) bool {
	if len(schema) == 0 {
		return false
	}
	if kind := strictjson.KindOf(schema); kind != strictjson.Object {
		d.flag("%s is not used: want an object, got type %s", member, kind)
		return false
	}
	is := measure(schema)
	for _, m := range []struct {
		what     string
		is, most int
	}{{"bytes", is.Bytes, l.Bytes}, {"levels", is.Depth, l.Depth}, {"properties", is.Properties, l.Properties}} {
		if m.is > m.most {
			d.flag("%s has %d %s; more than %d are not expected", member, m.is, m.what, m.most)
		}
	}
	return true
}

// measure returns the size of a schema, in one pass.
func measure(schema []byte) Limits {
	type level struct{ object, properties bool } // it is an object; it is the value of a member properties
	var is Limits
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
