package cashtest

import (
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/check"
)

// Hostile attacks a server with [check.Hostile]: thousands of messages that are
// odd, broken or too large. Each row is a subtest of its name; rows that were not
// checked are logged.
func Hostile(t *testing.T, target check.HostileTarget) {
	t.Helper()
	report, err := check.Hostile(t.Context(), target)
	if report != nil {
		tell(t, report, func(name string, run func(reporter)) {
			t.Run(name, func(t *testing.T) { run(t) })
		})
	}
	if err != nil {
		t.Fatalf("attacking the target: %v", err)
	}
}

// tell reports the rows through sub, and logs to t what is not checked.
func tell(t reporter, report *check.Report, sub func(name string, run func(reporter))) {
	t.Helper()
	for _, row := range report.Rows {
		if row.Status == check.NotChecked {
			t.Logf("not checked: %s (%s)", row.Name, strings.Join(row.Evidence, "; "))
			continue
		}
		sub(row.Name, func(r reporter) {
			r.Helper()
			if row.Status == check.Failed {
				r.Errorf("%s: not so %d times of %d\n%s", row.Title, row.Failures, row.Checks, strings.Join(row.Evidence, "\n"))
			}
		})
	}
}
