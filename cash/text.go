package cash

import (
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// maxLine is the most characters of a description in a list.
const maxLine = 200

// oneLine returns the first line of a description, cleaned and bounded. An entry of a list is
// therefore always one line (R50).
func oneLine(text string) string { return clean.FirstLine(text, maxLine) }

// cleanText returns text without characters that are illegal on a page.
func cleanText(text string) string { return clean.Text(text) }

// flow returns text on one line.
func flow(text string) string { return clean.Flow(text) }

// cell returns text for a cell of a Markdown table.
func cell(text string) string {
	return strings.ReplaceAll(flow(text), "|", `\|`)
}
