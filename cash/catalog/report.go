package catalog

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/toolid"
)

// maxFindings bounds the findings that a report lists.
const maxFindings = 1000

// A Report says what a load took from a document. It is for operators.
type Report struct {
	Tools, Resources, Prompts int // number of served ones

	// Changes since the last load, of all kinds, by name or, for resources, by URI.
	Added, Changed, Removed int

	// Findings are the notes about definitions, by kind and position: the first 1,000.
	Findings []Finding
	// Counts is the number of findings of each status, unlisted ones included.
	Counts map[Status]int
}

// A Status is the result for one definition.
type Status string

// The statuses of a finding. A definition that is served unchanged has no finding.
const (
	Refused   Status = "refused"   // not served
	Mapped    Status = "mapped"    // its id was made to fit
	Flagged   Status = "flagged"   // served, but a part of it is invalid
	Duplicate Status = "duplicate" // it repeats an earlier one
)

// A Finding is a note about one definition. Its texts are clean, bounded and on one line.
type Finding struct {
	Kind   toolid.Kind
	Name   string // the document's name for it; empty if it has none
	Line   int    // in the document, counted from 1
	Status Status
	Reason string
}

// String returns the finding on one line.
func (f Finding) String() string {
	return fmt.Sprintf("line %d: %s %q is %s: %s", f.Line, f.Kind, f.Name, f.Status, f.Reason)
}

// String returns the report as text: a line of numbers, then a line for each finding.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d tools, %d resources, %d prompts; %d added, %d changed, %d removed",
		r.Tools, r.Resources, r.Prompts, r.Added, r.Changed, r.Removed)
	total := 0
	for _, s := range []Status{Refused, Mapped, Flagged, Duplicate} {
		if n := r.Counts[s]; n > 0 {
			fmt.Fprintf(&b, "; %d %s", n, s)
			total += n
		}
	}
	for _, f := range r.Findings {
		b.WriteString("\n" + f.String())
	}
	if more := total - len(r.Findings); more > 0 {
		fmt.Fprintf(&b, "\nand %d more", more)
	}
	return b.String()
}

// Limits of texts in a finding, in characters.
const (
	maxFindingName   = 64
	maxFindingReason = 300
)

func (r *Report) add(kind toolid.Kind, name string, line int, status Status, reason string) {
	if r.count(status, 1); len(r.Findings) >= maxFindings {
		return
	}
	r.Findings = append(r.Findings, Finding{kind, clean.Line(name, maxFindingName), line, status, clean.Line(reason, maxFindingReason)})
}

func (r *Report) count(status Status, n int) {
	if r.Counts == nil {
		r.Counts = make(map[Status]int)
	}
	r.Counts[status] += n
}

// beyond reports the elements over the limit.
func (r *Report) beyond(k kind, l list) {
	r.add(k.kind, "", l.line, Refused, fmt.Sprintf("%d %s beyond the first %d are not read", l.beyond, k.member, maxDefinitions))
	r.count(Refused, l.beyond-1)
}

// compare counts the changes.
func (r *Report) compare(old, now *content) {
	for key, s := range now.served {
		switch was := old.served[key]; {
		case was == nil:
			r.Added++
		case was.definition != s.definition:
			r.Changed++
		}
	}
	for key := range old.served {
		if now.served[key] == nil {
			r.Removed++
		}
	}
}

// err returns an error that names the findings; nil if there are none.
func (r *Report) err() error {
	if len(r.Findings) == 0 {
		return nil
	}
	const most = 10
	var told []string
	for _, f := range r.Findings[:min(len(r.Findings), most)] {
		told = append(told, f.String())
	}
	total := 0
	for _, n := range r.Counts {
		total += n
	}
	if total > len(told) {
		told = append(told, fmt.Sprintf("and %d more", total-len(told)))
	}
	return errors.New("the catalog is refused: " + strings.Join(told, "; "))
}
