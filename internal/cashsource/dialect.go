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

// A dialect maps, for each tool, canonical argument names to the spelling of the server's own schema. Servers of
// other makers spell them differently. A tool that declares none takes the RFC's.
type dialect map[string]map[string]string

// dialectOf returns the dialect of a server with these tools.
func dialectOf(defs []*pin.Definition) dialect {
	d := make(dialect)
	for _, def := range defs {
		if wire.IsCore(def.Name) {
			d[def.Name] = properties(def.InputSchema)
		}
	}
	return d
}

// hasCore reports whether call, help and skill are all there.
func hasCore(defs []*pin.Definition) bool { return len(dialectOf(defs)) == 3 }

// Is reports whether these are the tools of a CaSH server: call, help and skill with their essential arguments.
func Is(defs []*pin.Definition) bool {
	d := dialectOf(defs)
	return len(d) == 3 && d["call"]["function"] != "" && d.takes("help", "namespace") && d.takes("help", "function") &&
		(d.takes("skill", "kwargs") || d.spell("skill", "skillname") != "")
}

// properties returns the declared properties of a schema, by canonical name.
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

// takes reports whether a tool has the argument with a canonical name.
func (d dialect) takes(tool, name string) bool {
	return len(d[tool]) == 0 || d[tool][name] != ""
}

// spell returns a tool's spelling of an argument; "" if it has no such argument.
func (d dialect) spell(tool, name string) string {
	switch declared := d[tool]; {
	case len(declared) == 0:
		return name
	case declared[name] != "" || name != "skillname":
		return declared[name]
	default: // the name used by Agent Skills
		return declared["name"]
	}
}

// arguments returns the arguments of help or skill in the server's spelling. For a tool without kwargs they become
// arguments of their own. Unknown ones are left out: a page for fewer arguments is better than none.
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

// withLimit adds the size limit to the keyword arguments of a call, which is another place for it (RFC 7.3).
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

// spellCall returns the arguments of call in the server's spelling, in the order of the RFC.
func (d dialect) spellCall(a *callArguments) json.RawMessage {
	if a.limit != nil && !d.takes("call", "sizelimit") {
		if a.asked {
			a.kwargs = withLimit(a.kwargs, *a.limit)
		}
		a.limit = nil
	}
	var b strictjson.Builder
	add := func(name string, value any) {
		text, err := json.Marshal(value)
		if err != nil { // kwargs are checked, and all else always encodes
			return
		}
		b.AddRaw(strictjson.AppendText(nil, cmp.Or(d.spell("call", name), name)), text)
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
	if a.planToken != "" {
		add("plan_token", a.planToken)
	}
	return b.Object()
}

// callArguments are the arguments of the tool call.
type callArguments struct {
	namespace, function string
	kwargs              json.RawMessage
	limit               *int // of the gate; nil is the server's default
	asked               bool // the caller asked for limit
	replay, planToken   string
}
