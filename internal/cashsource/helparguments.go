package cashsource

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// ours reports whether servers of this module take a keyword argument of help.
func ours(name string) bool {
	switch key(name) {
	case "format", "examples", "params", "search", "offset", "limit":
		return true
	}
	return false
}

var (
	codeName = regexp.MustCompile("`([A-Za-z0-9_]{1,64})`")
	// elsewhere is what a server of ours says of the servers that it mounts.
	elsewhere = regexp.MustCompile(" ?In `([\\w.]+)` also: ((?:`\\w+`(?:, )?)+)\\.")
)

// maxFurther bounds the names that are considered.
const maxFurther = 50

// addArguments names the further keyword arguments of help in the tree: those of the server, and those of servers that
// it mounts. They are passed on (R45, R139).
func (v view) addArguments(t *registry.Registry) {
	text := v.root.page.Arguments
	below := elsewhere.FindAllStringSubmatch(text, maxFurther)
	if text = elsewhere.ReplaceAllString(text, ""); v.dialect.takesAll(further(text)) {
		if note := furtherNote(text); note != "" {
			t.Namespace("", "").Note(note).Arguments(further(text)...)
		}
	}
	for _, m := range below {
		path, ok := v.within(m[1])
		names := further(m[2])
		if !ok || len(names) == 0 || !t.Exists(path) {
			continue
		}
		if ns, err := t.TryNamespace(path, ""); err == nil {
			ns.Note("Help takes further arguments here: " + clean.Line(m[2], maxReason) + ".").Arguments(names...)
		}
	}
}

// within returns a path of the server as it is below the mount, "" for the mount itself; false if it is elsewhere.
func (v view) within(path string) (string, bool) {
	if v.text.From == "" {
		return path, wire.CanonicalPath(path) != ""
	}
	rest, ok := strings.CutPrefix(wire.CanonicalPath(path)+".", wire.CanonicalPath(v.text.From)+".")
	return strings.TrimSuffix(rest, "."), ok
}

// takesAll reports whether the tool help takes arguments of these names, in kwargs or beside them.
func (d dialect) takesAll(names []string) bool {
	return d.takes("help", "kwargs") || !slices.ContainsFunc(names, func(name string) bool { return !d.takes("help", key(name)) })
}

// further returns the names of the arguments in a text or in JSON that servers of ours do not take.
func further(arguments string) (names []string) {
	add := func(name string) {
		if len(names) < maxFurther && key(name) != "" && !ours(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if data := []byte(arguments); strictjson.Check(data) == nil && strictjson.KindOf(data) == strictjson.Object {
		for name := range strictjson.Members(data) {
			add(name)
		}
		return names
	}
	for _, m := range codeName.FindAllStringSubmatch(arguments, maxFurther) {
		add(m[1])
	}
	return names
}

// furtherNote describes the further arguments in the server's words. Empty if there are none.
func furtherNote(arguments string) string {
	names := further(arguments)
	if len(names) == 0 {
		return ""
	}
	if data := []byte(arguments); strictjson.Check(data) == nil && strictjson.KindOf(data) == strictjson.Object {
		var found []string
		for name, value := range strictjson.Members(data) {
			if slices.Contains(names, name) {
				found = append(found, "`"+name+"`: "+string(value))
			}
		}
		arguments = strings.Join(found, ", ")
	}
	return "Help takes further arguments here. " + clean.Line(arguments, maxReason)
}

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
