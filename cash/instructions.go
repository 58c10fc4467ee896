package cash

import (
	"context"

	"github.com/cash-mcp/go-sdk/cash/serve"
)

// Instructions implements [serve.Face]. The text tells a connecting model what the server has, as
// far as this caller may see it, and how to begin.
func (f face) Instructions(ctx context.Context) string {
	l, err := f.source.List(ctx, "")
	if err != nil || !l.HasFunctions && !l.HasSkills {
		return ""
	}
	var names []string
	what := "Namespaces: "
	for _, c := range l.Namespaces {
		if c.HasFunctions {
			names = append(names, c.Name)
		}
	}
	if names == nil {
		what = "Functions: "
		for _, fn := range l.Functions {
			names = append(names, fn.Name())
		}
	}
	line := "Start with help()."
	if l.HasSkills || f.guide != nil {
		line = "Start with help(); skill() lists instructions for longer tasks."
	}
	if names == nil {
		return line
	}
	return serve.Index(line+" "+what, names)
}
