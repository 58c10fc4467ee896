package openapi

import (
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
)

// maxFindings bounds the findings that a report lists.
const maxFindings = 1000

// A Report says what was made of a document. It is for operators.
type Report struct {
	Operations int // that are served
	// Built counts the functions that were made. The others are those of the document before.
	Built int
	// Left counts the operations and paths that are left out. Findings give the reasons.
	Left int
	// Findings are the first 1,000.
	Findings []Finding
}

// A Finding is a note about one place in a document. Its texts are clean, bounded and on one line.
type Finding struct {
	Place  string // such as GET /orders, or a path
	Left   bool   // the operation or path is left out
	Reason string
}

// String returns the finding on one line.
func (f Finding) String() string {
	if f.Left {
		return f.Place + " is left out: " + f.Reason
	}
	return f.Place + ": " + f.Reason
}

// String returns the report as text: a line of numbers, then a line for each finding.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d operations, %d built, %d left out", r.Operations, r.Built, r.Left)
	for _, f := range r.Findings {
		b.WriteString("\n" + f.String())
	}
	return b.String()
}

func (r *Report) add(place string, left bool, format string, args ...any) {
	if left {
		r.Left++
	}
	if len(r.Findings) < maxFindings {
		r.Findings = append(r.Findings, Finding{clean.Line(place, 200), left, clean.Line(fmt.Sprintf(format, args...), 300)})
	}
}

func (r *Report) leave(place, format string, args ...any) { r.add(place, true, format, args...) }
func (r *Report) note(place, format string, args ...any)  { r.add(place, false, format, args...) }
