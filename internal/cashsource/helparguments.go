package cashsource

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// ours reports whether servers of this module take a keyword argument of help.
func ours(name string) bool {
	switch key(name) {
	case "format", "examples", "params", "search", "offset", "limit":
		return true
	}
	return false
}

var codeName = regexp.MustCompile("`([A-Za-z0-9_]+)`")

// furtherArguments describes the other keyword arguments that help takes in a server's namespaces, from its own
// page: they are passed on (R45, R139). Empty if there are none.
func furtherArguments(arguments string) string {
	var found []string
	if strictjson.Check([]byte(arguments)) == nil && strictjson.KindOf([]byte(arguments)) == strictjson.Object {
		for name, value := range strictjson.Members([]byte(arguments)) {
			if !ours(name) {
				found = append(found, "`"+name+"`: "+string(value))
			}
		}
		arguments = strings.Join(found, ", ")
	} else {
		for _, m := range codeName.FindAllStringSubmatch(arguments, maxFurther) {
			if !ours(m[1]) {
				found = append(found, m[1])
			}
		}
	}
	if len(found) == 0 {
		return ""
	}
	return "Help takes further arguments here. " + clean.Line(arguments, maxReason)
}

// maxFurther bounds the names that are considered.
const maxFurther = 50

// commonArguments returns the keyword arguments of help that every server of ours knows.
func commonArguments(kwargs json.RawMessage) json.RawMessage {
	var b strictjson.Builder
	for raw, value := range strictjson.RawMembers(kwargs) {
		if ours(strictjson.Text(raw)) {
			b.AddRaw(raw, value)
		}
	}
	return b.Object()
}
