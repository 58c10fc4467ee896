package check

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Status is the result of a [Row].
type Status int

// The statuses.
const (
	NotChecked Status = iota // no sample or message could show it
	Passed
	Failed
)

// String returns passed, failed or not checked.
func (s Status) String() string {
	switch s {
	case Passed:
		return "passed"
	case Failed:
		return "failed"
	}
	return "not checked"
}

// A Row is one statement about a server, with its result.
type Row struct {
	// Name identifies the row in its report: a scope and a word, such as stdio/2025-11-25/answered.
	Name string
	// Title is the statement.
	Title  string
	Status Status
	// Checks is how often the statement was checked, Failures how often it failed.
	Checks, Failures int
	// Evidence has at most 20 failures of different sorts: what was sent and received, shortened, in printable
	// ASCII. An unchecked row may have the reason here.
	Evidence []string
	// Notes has at most 20 notes: recommendations that are not followed ("should: ..."), and parts that could not
	// be checked.
	Notes []string

	sorts []string // sorts of the failures in Evidence
}

// maxEvidence bounds [Row.Evidence].
const maxEvidence = 20

// A Report is the result of a check.
type Report struct {
	// Rows are in the order of the checks.
	Rows []Row
	// Requests is the number of messages sent, without pings.
	Requests int
}

// Failed returns the rows that failed.
func (r *Report) Failed() []Row {
	return slices.DeleteFunc(slices.Clone(r.Rows), func(row Row) bool { return row.Status != Failed })
}

// String returns one line for each row, followed by its evidence.
func (r *Report) String() string {
	var b strings.Builder
	for _, row := range r.Rows {
		fmt.Fprintf(&b, "%-11s %s: %s (%d of %d)\n", row.Status, row.Name, row.Title, row.Failures, row.Checks)
		for _, e := range slices.Concat(row.Evidence, row.Notes) {
			fmt.Fprintf(&b, "            %s\n", e)
		}
	}
	fmt.Fprintf(&b, "%d messages, %d rows, %d failed\n", r.Requests, len(r.Rows), len(r.Failed()))
	return b.String()
}

// A ledger collects the rows of one link.
type ledger struct {
	prefix string // of the rows' names
	rows   []*Row
}

// row returns the row of a statement, and creates it on first use.
func (l *ledger) row(s statement) *Row {
	name := l.prefix + "/" + s.name
	if i := slices.IndexFunc(l.rows, func(r *Row) bool { return r.Name == name }); i >= 0 {
		return l.rows[i]
	}
	r := &Row{Name: name, Title: s.title}
	l.rows = append(l.rows, r)
	return r
}

// hold counts a success.
func (r *Row) hold() {
	r.Checks++
	if r.Status == NotChecked {
		r.Status = Passed
	}
}

// fail counts a failure. The first failure of each sort becomes evidence.
func (r *Row) fail(sort, evidence string) {
	r.Checks++
	r.Failures++
	if r.Status != Failed {
		r.Status, r.Evidence = Failed, nil
	}
	if len(r.Evidence) < maxEvidence && !slices.Contains(r.sorts, sort) {
		r.sorts = append(r.sorts, sort)
		r.Evidence = append(r.Evidence, evidence)
	}
}

// note adds a note, which does not change the result.
func (r *Row) note(text string) {
	if len(r.Notes) < maxEvidence && !slices.Contains(r.Notes, text) {
		r.Notes = append(r.Notes, text)
	}
}

// skip sets the reason why the row is not checked.
func (r *Row) skip(reason string) {
	if r.Status == NotChecked && r.Evidence == nil {
		r.Evidence = []string{reason}
	}
}

// maxExcerpt bounds an excerpt, in bytes.
const maxExcerpt = 200

// excerpt shows data in printable ASCII: <U+001B> is a character, <ff> is an invalid byte. Of long data it shows
// both ends.
func excerpt[T ~string | ~[]byte](text T) string {
	const head, tail = 120, 40
	data := []byte(text)
	shown := printable(data, maxExcerpt)
	if len(shown) <= maxExcerpt {
		return shown
	}
	end := data[max(0, len(data)-tail):]
	for len(end) > 1 && !utf8.RuneStart(end[0]) {
		end = end[1:]
	}
	last := printable(end, tail)
	return fmt.Sprintf("%s ...%d bytes... %s", shown[:min(len(shown), head)], len(data), last[max(0, len(last)-tail):])
}

// printable escapes data until the text exceeds limit.
func printable(data []byte, limit int) string {
	var b strings.Builder
	for len(data) > 0 && b.Len() <= limit {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size <= 1:
			fmt.Fprintf(&b, "<%02x>", data[0])
		case r < 0x20 || r > 0x7e:
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteByte(byte(r))
		}
		data = data[size:]
	}
	return b.String()
}
