package cash

import (
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/registry"
)

// A param is one parameter on a page of help. Nested ones have dotted names: items[].quantity.
type param struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Required    bool   `json:"required"`
	Description string `json:"description,omitempty"`
}

// shownParams returns the parameters for a page. hidden reports whether params="full" shows more:
// advanced parameters, and nested ones.
func shownParams(f *registry.Function, o helpOptions) (shown []param, hidden bool) {
	for _, p := range f.Params() {
		// A required parameter is always shown.
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

// described returns a parameter's description and its rules as one text.
func described(p registry.Param) string {
	text := flow(p.Description)
	if text != "" && !strings.HasSuffix(text, ".") && p.Rules != "" {
		text += "."
	}
	return strings.TrimSpace(text + " " + p.Rules)
}

// exampleCall returns an invocation of f with the arguments of [registry.Function.Example], or ""
// if there are none.
func exampleCall(f *registry.Function, o helpOptions) string {
	kwargs := f.Example(o.full)
	if kwargs == nil {
		return ""
	}
	var args []string
	if f.Namespace() != "" {
		args = append(args, fmt.Sprintf("namespace=%q", f.Namespace()))
	}
	args = append(args, fmt.Sprintf("function=%q", f.Name()))
	if string(kwargs) != "{}" {
		args = append(args, "kwargs="+string(kwargs))
	}
	return "call(" + strings.Join(args, ", ") + ")"
}
