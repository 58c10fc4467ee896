package endpoint

import (
	"fmt"
	"strings"
)

// A Report says which tools of an endpoint are served, and how. It is for operators.
type Report struct {
	Tools    int // number of served tools
	Findings []Finding
}

// A Status is the result for one tool.
type Status string

// The statuses of a finding. A tool that is served unchanged has no finding.
const (
	Refused Status = "refused" // not served
	Mapped  Status = "mapped"  // served under another name
	Flagged Status = "flagged" // served, but a part of its descriptor is not used
)

// A Finding is a note about one tool. Its texts are clean, bounded and on one line.
type Finding struct {
	Tool   string // the endpoint's name for it, or "number 3" if it has none
	Status Status
	Reason string
}

// String returns the finding on one line.
func (f Finding) String() string {
	return fmt.Sprintf("tool %q is %s: %s", f.Tool, f.Status, f.Reason)
}

// String returns the report as text: the number of tools, then a line for each finding.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d tools", r.Tools)
	for _, f := range r.Findings {
		b.WriteString("\n" + f.String())
	}
	return b.String()
}
