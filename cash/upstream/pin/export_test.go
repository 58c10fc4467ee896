package upstream

import (
	"os"

	"github.com/cash-mcp/go-sdk/internal/cashtext"
)

// What the tests of pinning use of the inside.
var (
	ParseDefinitions = parseDefinitions
	Review           = review
	DecodePins       = decodePins
	EncodePins       = encodePins
)

// FunctionDefinition returns the definition of a function of which help says
// line, and its page the rest; ok is whether there is a page.
func FunctionDefinition(path, name, line, page string) (d *Definition, ok bool) {
	d = defineFunction(path, cashtext.Entry{Name: name, Description: line})
	f, err := cashtext.ParseFunction(page)
	return d, err == nil && d.addPage(f, true)
}

// Hunks returns hunks as slices of both lists.
func Hunks(x, y []string) (before, after [][]string, starts []int) {
	for _, h := range hunks(x, y) {
		before, after, starts = append(before, x[h.x:h.endX]), append(after, y[h.y:h.endY]), append(starts, h.x)
	}
	return before, after, starts
}

// ReplaceFile replaces the file of pins at path.
func ReplaceFile(path string, write func(*os.File) error) (os.FileInfo, error) {
	return (&PinFile{path: path}).replace(write)
}

// SetFault makes f ask fault before each step that it does with its folder.
func (f *PinFile) SetFault(fault func(op, name string) error) { f.fault = fault }
