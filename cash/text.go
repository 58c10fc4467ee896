package cash

import (
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// maxLine bounds a description in a list, in characters.
const maxLine = 200

// oneLine returns the first line of a description, cleaned and bounded: an
// entry of a list is one line whatever was registered (R50).
func oneLine(text string) string { return clean.FirstLine(text, maxLine) }

// cleanText returns text as a page may hold it.
func cleanText(text string) string { return clean.Text(text) }

// flow returns text on one line.
func flow(text string) string { return clean.Flow(text) }

// cell returns text for a cell of a markdown table.
func cell(text string) string {
	return strings.ReplaceAll(flow(text), "|", `\|`)
}
