package cash

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/registry"
)

// A param is one parameter as a page shows it. Nested ones have dotted names:
// items[].quantity.
type param struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Required    bool   `json:"required"`
	Description string `json:"description,omitempty"`
}

// shownParams returns the parameters for a page, and whether params="full"
// would show more: advanced ones, and those inside of others.
func shownParams(f *registry.Function, o helpOptions) (shown []param, hidden bool) {
	for _, p := range f.Params() {
		// What a call cannot do without is shown whatever it is marked as.
		advanced := p.Advanced && !p.Required
		hidden = hidden || !o.full && (advanced || len(p.Fields) > 0)
		if advanced && !o.full {
			continue
		}
		shown = appendParam(shown, "", p, o.full)
	}
	return shown, hidden
}

func appendParam(list []param, prefix string, p registry.Param, full bool) []param {
	name := prefix + flow(p.Name)
	list = append(list, param{name, p.Type, p.Required, described(p)})
	if !full {
		return list
	}
	inner := name + "."
	if strings.HasPrefix(p.Type, "array") {
		inner = name + "[]."
	}
	for _, field := range p.Fields {
		list = appendParam(list, inner, field, full)
	}
	return list
}

// described joins what a parameter means and which values it takes.
func described(p registry.Param) string {
	text := flow(p.Description)
	if text != "" && !strings.HasSuffix(text, ".") && p.Rules != "" {
		text += "."
	}
	return strings.TrimSpace(text + " " + p.Rules)
}

// exampleCall writes an invocation of f with every required parameter, and
// with those that have an example. It returns "" where one cannot be made up
// that the function would take: then only examples in the tags can help.
func exampleCall(f *registry.Function, o helpOptions) string {
	kwargs := exampleObject(f.Params(), o.full)
	if f.Check(context.Background(), json.RawMessage(kwargs)) != nil {
		return ""
	}
	var args []string
	if f.Namespace() != "" {
		args = append(args, fmt.Sprintf("namespace=%q", f.Namespace()))
	}
	args = append(args, fmt.Sprintf("function=%q", f.Name))
	if kwargs != "{}" {
		args = append(args, "kwargs="+kwargs)
	}
	return "call(" + strings.Join(args, ", ") + ")"
}

func exampleObject(params []registry.Param, full bool) string {
	var members []string
	for _, p := range params {
		if !p.Required && (p.Example == nil || p.Advanced && !full) {
			continue
		}
		members = append(members, jsonText(p.Name)+": "+exampleValue(p, full))
	}
	return "{" + strings.Join(members, ", ") + "}"
}

func exampleValue(p registry.Param, full bool) string {
	switch {
	case p.Example != nil:
		return string(p.Example)
	case p.Default != nil:
		return string(p.Default)
	case len(p.Enum) > 0:
		return jsonText(p.Enum[0])
	case strings.HasPrefix(p.Type, "array"):
		if len(p.Fields) > 0 {
			return "[" + exampleObject(p.Fields, full) + "]"
		}
		return "[" + scalarExample(strings.TrimPrefix(p.Type, "array of "), p.Name) + "]"
	case len(p.Fields) > 0:
		return exampleObject(p.Fields, full)
	}
	return scalarExample(p.Type, p.Name)
}

func scalarExample(typ, name string) string {
	switch typ {
	case "integer", "number":
		return "1"
	case "boolean":
		return "true"
	case "object":
		return "{}"
	}
	return jsonText("<" + name + ">")
}

func jsonText(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "null"
	}
	return strings.TrimSuffix(b.String(), "\n")
}
