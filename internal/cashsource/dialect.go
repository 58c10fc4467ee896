package cashsource

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
	"github.com/cash-mcp/go-sdk/internal/wire"
	"github.com/cash-mcp/go-sdk/registry"
)

// A dialect is how a CaSH server spells the arguments of its three tools, where
// other hands than ours have written their schemas: properties by tool and
// canonical name. A tool that declares none takes those of the RFC.
type dialect map[string]map[string]string

// dialectOf returns that of a server with these tools.
func dialectOf(defs []*pin.Definition) dialect {
	d := make(dialect)
	for _, def := range defs {
		if wire.IsCore(def.Name) {
			d[def.Name] = properties(def.InputSchema)
		}
	}
	return d
}

// hasCore reports whether there are the three tools of a CaSH server.
func hasCore(defs []*pin.Definition) bool { return len(dialectOf(defs)) == 3 }

// Is reports whether these are the tools of a CaSH server: call, help and
// skill, with the arguments that make them so.
func Is(defs []*pin.Definition) bool {
	d := dialectOf(defs)
	return len(d) == 3 && d["call"]["function"] != "" && d.takes("help", "namespace") && d.takes("help", "function") &&
		(d.takes("skill", "kwargs") || d.spell("skill", "skillname") != "")
}

// properties returns the properties that a schema declares, by canonical name.
func properties(inputSchema json.RawMessage) map[string]string {
	declared := make(map[string]string)
	for key, value := range strictjson.Members(inputSchema) {
		if key != "properties" {
			continue
		}
		for name := range strictjson.Members(value) {
			if c, ok := registry.Canonical(name); ok {
				declared[c] = name
			}
		}
	}
	return declared
}

// takes reports whether a tool has an argument of that canonical name.
func (d dialect) takes(tool, name string) bool {
	return len(d[tool]) == 0 || d[tool][name] != ""
}

// spell returns the name by which a tool knows an argument, "" if it has none of
// that kind.
func (d dialect) spell(tool, name string) string {
	switch declared := d[tool]; {
	case len(declared) == 0:
		return name
	case declared[name] != "" || name != "skillname":
		return declared[name]
	default: // as in Agent Skills
		return declared["name"]
	}
}

// arguments spells the arguments of help or skill. Those of kwargs stand beside
// the others in a tool that has no kwargs; what it does not take is left out: a
// page for other arguments is better than none.
func (d dialect) arguments(tool string, args map[string]any) map[string]any {
	spelt := make(map[string]any, len(args))
	for name, value := range args {
		if as := d.spell(tool, name); as != "" {
			spelt[as] = value
		}
	}
	kwargs, ok := args["kwargs"].(json.RawMessage)
	if !ok || d.takes(tool, "kwargs") {
		return spelt
	}
	for name, value := range strictjson.Members(kwargs) {
		c, _ := registry.Canonical(name)
		if as := d[tool][c]; as != "" && spelt[as] == nil {
			spelt[as] = json.RawMessage(slices.Clone(value))
		}
	}
	return spelt
}

// withLimit adds the size limit to the keyword arguments of a call: the RFC
// calls it one of them, too (7.3).
func withLimit(kwargs json.RawMessage, limit int) json.RawMessage {
	for name := range strictjson.Members(kwargs) {
		if key(name) == "sizelimit" {
			return kwargs
		}
	}
	added := fmt.Appendf(nil, `{"sizelimit":%d`, limit)
	rest, _ := bytes.CutPrefix(strictjson.Trim(orEmpty(kwargs)), []byte("{"))
	if rest = strictjson.Trim(rest); len(rest) > 1 {
		added = append(added, ',')
	}
	return append(added, rest...)
}

// callArguments spells the arguments of call, in the order of the RFC.
func (d dialect) callArguments(a *callArguments) json.RawMessage {
	if a.limit != nil && !d.takes("call", "sizelimit") {
		if a.asked {
			a.kwargs = withLimit(a.kwargs, *a.limit)
		}
		a.limit = nil
	}
	data := []byte("{")
	add := func(name string, value any) {
		text, err := json.Marshal(value)
		if err != nil { // kwargs have been checked, and all else has a JSON form
			return
		}
		if len(data) > 1 {
			data = append(data, ',')
		}
		data = fmt.Appendf(data, "%s:%s", wire.Quote(cmp.Or(d.spell("call", name), name)), text)
	}
	if a.namespace != "" {
		add("namespace", a.namespace)
	}
	add("function", a.function)
	if len(a.kwargs) > 0 {
		add("kwargs", a.kwargs)
	}
	if a.limit != nil {
		add("sizelimit", *a.limit)
	}
	if a.replay != "" {
		add("replay", a.replay)
	}
	return append(data, '}')
}

// callArguments are the arguments of call.
type callArguments struct {
	namespace, function string
	kwargs              json.RawMessage
	limit               *int // of the gate; nil leaves it to the server
	asked               bool // the caller has asked for limit
	replay              string
}
