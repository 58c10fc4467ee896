package catalog

import (
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// check flags d if a schema exceeds the limits, and reports whether it is an object. The schema may be empty.
func (d *definition) check(limits *Limits, member string, schema []byte) bool {
	if len(schema) == 0 {
		return false
	}
	if kind := strictjson.KindOf(schema); kind != strictjson.Object {
		d.flag("%s is not used: want an object, got type %s", member, kind)
		return false
	}
	for _, line := range limits.Excess(schema) {
		d.flag("%s %s", member, line)
	}
	return true
}
