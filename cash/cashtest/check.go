package cashtest

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/cash/check"
	"github.com/cash-mcp/go-sdk/registry"
)

// Compliance checks a server against the CaSH RFC with [check.Compliance]. Each row is a subtest with its name,
// such as R40. Unchecked rows are logged.
func Compliance(t *testing.T, target check.Target) {
	t.Helper()
	report, err := check.Compliance(t.Context(), target)
	subtests(t, report, err)
}

// Disclosure checks a server against the specification of progressive disclosure with [check.Disclosure], and
// reports like Compliance.
func Disclosure(t *testing.T, target check.DisclosureTarget) {
	t.Helper()
	report, err := check.Disclosure(t.Context(), target)
	subtests(t, report, err)
}

// Skills checks a server against the skills extension of MCP with [check.Skills], and reports like Compliance.
func Skills(t *testing.T, target check.Target) {
	t.Helper()
	report, err := check.Skills(t.Context(), target)
	subtests(t, report, err)
}

// Hostile attacks a server with thousands of odd, broken or oversized messages ([check.Hostile]), and reports like
// Compliance.
func Hostile(t *testing.T, target check.HostileTarget) {
	t.Helper()
	report, err := check.Hostile(t.Context(), target)
	subtests(t, report, err)
}

// Budget reports an error for each cost above b; see [check.Budget].
func Budget(t testing.TB, c *Client, b check.Budget) {
	t.Helper()
	report, err := b.Check(t.Context(), c.Session)
	tell(t, report, func(_ string, run func(reporter)) { run(t) })
	if err != nil {
		t.Errorf("checking the budget: %v", err)
	}
}

func subtests(t *testing.T, report *check.Report, err error) {
	t.Helper()
	if report != nil {
		tell(t, report, func(name string, run func(reporter)) {
			t.Run(name, func(t *testing.T) { run(t) })
		})
	}
	if err != nil {
		t.Fatalf("checking the target: %v", err)
	}
}

// reporter is the part of *testing.T that reports need.
type reporter interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
}

// tell reports the rows through sub, and logs unchecked rows to t.
func tell(t reporter, report *check.Report, sub func(name string, run func(reporter))) {
	t.Helper()
	for _, row := range report.Rows {
		if row.Status == check.NotChecked {
			t.Logf("not checked: %s, %s: %s", row.Name, row.Title, strings.Join(row.Evidence, "; "))
			continue
		}
		sub(row.Name, func(r reporter) {
			r.Helper()
			for _, note := range row.Notes {
				r.Logf("%s", note)
			}
			if row.Status == check.Failed {
				r.Errorf("%s: not so %d times of %d\n%s", row.Title, row.Failures, row.Checks, strings.Join(row.Evidence, "\n"))
			}
		})
	}
}

// MaxTokens reports an error if count returns more than most for text, for instance more tokens of a model. A nil
// count counts characters. what names the text in the message.
func MaxTokens(t testing.TB, what, text string, most int, count func(string) int) {
	t.Helper()
	name := "tokens"
	if count == nil {
		count, name = utf8.RuneCountInString, "characters"
	}
	if n := count(text); n > most {
		t.Errorf("%s has %d %s, more than %d", what, n, name, most)
	}
}

// LintClean reports all findings of registry.Lint in src: things that are legal but cost models attempts or
// context. callers are the callers whose views are checked; see registry.Lint.
func LintClean(t testing.TB, src registry.Source, callers ...*registry.Caller) {
	t.Helper()
	findings, err := registry.Lint(t.Context(), src, callers...)
	if err != nil {
		t.Errorf("linting: %v", err)
	}
	for _, f := range findings {
		t.Errorf("%s", f)
	}
}
