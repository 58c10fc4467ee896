package cashsource

import (
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
)

// FunctionDefinition returns the definition of a function of which help says
// line, and its page the rest; ok is whether there is a page.
func FunctionDefinition(path, name, line, page string) (d *pin.Definition, ok bool) {
	d = defineFunction(path, cashtext.Entry{Name: name, Description: line})
	f, err := cashtext.ParseFunction(page)
	return d, err == nil && addPage(d, f, true)
}
