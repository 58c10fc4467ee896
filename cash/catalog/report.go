package catalog

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/toolid"
)

// maxFindings is how many findings a report tells.
const maxFindings = 1000

// A Report says what a load made of a document. It is for operators.
type Report struct {
	Tools, Resources, Prompts int // that are served

	// What has changed, of all three kinds: by name or, for resources, URI.
	Added, Changed, Removed int

	// Findings are what there is to say of definitions, by kind and place: the
	// first 1,000 of them.
	Findings []Finding
	// Counts has the number of findings of each status, of those too that are
	// not told.
	Counts map[Status]int
}

// A Status says what became of a definition.
type Status string

// What a finding may say. Of a definition that was taken as it is, nothing is
// said.
const (
	Refused   Status = "refused"   // it is not served
	Mapped    Status = "mapped"    // its id was made to fit
	Flagged   Status = "flagged"   // it is served, but part of it is in error
	Duplicate Status = "duplicate" // it repeats an earlier one
)

// A Finding is what there is to say of one definition. Its texts are clean and
// bounded, and stand on one line.
type Finding struct {
	Kind   toolid.Kind
	Name   string // as in the document; empty if it has none
	Line   int    // of the document, counted from 1
	Status Status
	Reason string
}

// String returns the finding on one line.
func (f Finding) String() string {
	return fmt.Sprintf("line %d: %s %q is %s: %s", f.Line, f.Kind, f.Name, f.Status, f.Reason)
}

// String returns the report as text: a line of numbers, and one for each
// finding.
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

// Limits of the texts of a finding, in characters.
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

// beyond notes what was not even read.
func (r *Report) beyond(k kind, l list) {
	r.add(k.kind, "", l.line, Refused, fmt.Sprintf("%d %s beyond the first %d are not read", l.beyond, k.member, maxDefinitions))
	r.count(Refused, l.beyond-1)
}

// compare counts what is new.
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

// err returns an error that names what was found, if anything was.
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
