package manifest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// An Error says why a document is not a manifest, or why a Manifest cannot be
// written. Its text is short, and shows of the document no more than a few
// cleaned words.
type Error struct {
	Line, Column int    // in the document, counted from 1 in lines and characters; 0 if there is none, or none is known
	Field        string // such as namespaces[0].description; empty if it is about no field
	Reason       string // such as: missing; it is required
}

// Error returns place, field and reason, as in:
//
//	line 7, column 5: namespaces[0].description: missing; it is required
func (e *Error) Error() string { return e.place() + e.Reason }

// place returns what comes before the reason: nothing in it is a stranger's.
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

// maxQuote bounds what messages show of a text from outside, in characters.
const maxQuote = 48

// quote shows a text from outside.
func quote(text string) string {
	return strconv.Quote(clean.Line(text, maxQuote))
}
