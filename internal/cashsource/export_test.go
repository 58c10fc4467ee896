package cashsource

import (
	"encoding/json"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
)

// Input returns the schema of the arguments that a page tells, and what of them is not known.
func Input(page string) (json.RawMessage, string) {
	f, err := cashtext.ParseFunction(page)
	if err != nil {
		f = nil
	}
	in := inputOf(f)
	return in.Schema, in.Partial
}

// FunctionDefinition returns the definition of a function of which help says
// line, and its page the rest; ok is whether there is a page.
func FunctionDefinition(path, name, line, page string) (d *pin.Definition, ok bool) {
	d = defineFunction(path, cashtext.Entry{Name: name, Description: line})
	f, err := cashtext.ParseFunction(page)
	return d, err == nil && addPage(d, f, true)
}

// Declared returns the number of declared definitions that are kept until the trees are planted.
func Declared(s *Source) (n int) {
	s.root.each(func(p *place) { n += len(p.declared) })
	return n
}
