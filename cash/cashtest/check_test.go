package cashtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/check"
)

// A recorder is a reporter that remembers.
type recorder struct{ errors, logs []string }

func (r *recorder) Helper() {}
func (r *recorder) Logf(format string, args ...any) {
	r.logs = append(r.logs, fmt.Sprintf(format, args...))
}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// TestTell: rows become subtests, and what was not checked is said.
func TestTell(t *testing.T) {
	report := &check.Report{Rows: []check.Row{
		{Name: "stdio/v/alive", Title: "it answers", Status: check.Passed, Checks: 2, Notes: []string{"should: be quick"}},
		{Name: "stdio/v/id", Title: "ids stay", Status: check.Failed, Checks: 3, Failures: 2, Evidence: []string{"sent 1", "sent 2"}},
		{Name: "stdio/v/memory", Title: "it is flat", Evidence: []string{"unknown"}},
	}}
	top, failed := &recorder{}, map[string]*recorder{}
	var ran []string
	tell(top, report, func(name string, run func(reporter)) {
		ran = append(ran, name)
		failed[name] = &recorder{}
		run(failed[name])
	})
	if want := []string{"stdio/v/alive", "stdio/v/id"}; !slices.Equal(ran, want) {
		t.Errorf("ran %q, want %q", ran, want)
	}
	if len(top.errors) != 0 || !slices.Equal(top.logs, []string{"not checked: stdio/v/memory, it is flat: unknown"}) {
		t.Errorf("errors %q, logs %q", top.errors, top.logs)
	}
	if len(failed["stdio/v/alive"].errors) != 0 {
		t.Errorf("a row that passed has errors %q", failed["stdio/v/alive"].errors)
	}
	if logs := failed["stdio/v/alive"].logs; !slices.Equal(logs, []string{"should: be quick"}) {
		t.Errorf("a row with a note has logs %q", logs)
	}
	errors := failed["stdio/v/id"].errors
	if len(errors) != 1 || !strings.Contains(errors[0], "2 times of 3") || !strings.Contains(errors[0], "sent 2") {
		t.Errorf("errors %q", errors)
	}
}
