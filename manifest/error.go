package manifest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// An Error says why a document is not a manifest, or why a Manifest cannot be written. Its text is short and shows
// only a few cleaned words of the document.
type Error struct {
	Line, Column int    // position in the document, counted from 1 in lines and characters; 0 if unknown
	Field        string // such as namespaces[0].description; empty if no field is concerned
	Reason       string // such as: missing; it is required
}

// Error returns place, field and reason, as in:
//
//	line 7, column 5: namespaces[0].description: missing; it is required
func (e *Error) Error() string { return e.place() + e.Reason }

// place returns the text before the reason. It contains nothing of a stranger.
func (e *Error) place() string {
	var b strings.Builder
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d", e.Line)
		if e.Column > 0 {
			fmt.Fprintf(&b, ", column %d", e.Column)
		}
		b.WriteString(": ")
	}
	if e.Field != "" {
		b.WriteString(e.Field + ": ")
	}
	return b.String()
}

// maxQuote bounds the quoted part of a foreign text, in characters.
const maxQuote = 48

// quote quotes a foreign text.
func quote(text string) string {
	return strconv.Quote(clean.Line(text, maxQuote))
}
