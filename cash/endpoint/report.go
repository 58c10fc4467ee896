package endpoint

import (
	"fmt"
	"strings"
)

// A Report says what became of the tools of an endpoint. It is for operators.
type Report struct {
	Tools    int // that are served
	Findings []Finding
}

// A Status says what became of a tool.
type Status string

// What a finding may say. Of a tool that was taken as it is, nothing is said.
const (
	Refused Status = "refused" // it is not served
	Mapped  Status = "mapped"  // it has another name here
	Flagged Status = "flagged" // it is served, but part of what it says is not used
)

// A Finding is what there is to say of one tool. Its texts are clean and bounded,
// and stand on one line.
type Finding struct {
	Tool   string // as the endpoint names it, or "number 3" if it has no name
	Status Status
	Reason string
}

// String returns the finding on one line.
func (f Finding) String() string {
	return fmt.Sprintf("tool %q is %s: %s", f.Tool, f.Status, f.Reason)
}

// String returns the report as text: the number of tools, and a line for each
// finding.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d tools", r.Tools)
	for _, f := range r.Findings {
		b.WriteString("\n" + f.String())
	}
	return b.String()
}
