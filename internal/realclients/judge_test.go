//go:build realclients

package realclients

import (
	"slices"
	"strings"
	"testing"
)

// A judge that lets everything pass would make the suite worthless, so it is
// judged itself.
func TestJudge(t *testing.T) {
	rev := revision{scenarios: map[string]scenario{
		"must":    {},
		"fixture": without("a tool", "x"),
		"warning": without("a tool"),
		"partly":  {needs: "a tool", excused: []string{"x"}, partly: true},
	}}
	wire := check{ID: wireCheck, Status: "SUCCESS"}
	ok := []check{{ID: "a", Status: "SUCCESS"}, wire}
	excused := []check{{ID: "x", Status: "FAILURE", Message: "no tool"}, wire}
	// report is one that is as expected, but for one scenario.
	report := func(name string, checks ...check) map[string][]check {
		r := map[string][]check{
			"must": ok, "fixture": excused, "partly": slices.Concat(ok, excused),
			"warning": {{ID: "w", Status: "WARNING"}, wire},
		}
		if r[name] = checks; checks == nil {
			delete(r, name)
		}
		return r
	}
	tests := []struct {
		name   string
		report map[string][]check
		want   string // "" for no problem
	}{
		{"as expected", report("must", ok...), ""},
		{"a scenario is missing", report("must"), "must: the suite did not run it"},
		{"a fixture's scenario is missing", report("fixture"), "fixture: the suite did not run it"},
		{"a check fails", report("must", slices.Concat(ok, excused)...), "must: x failed: no tool"},
		{"one of several tries fails", report("must", check{ID: "a", Status: "FAILURE", Message: "one"}, check{ID: "a", Status: "SUCCESS"}), "must: a failed: one"},
		{"nothing is checked", report("must", wire), "must: nothing was checked"},
		{"nothing but the excused is checked", report("partly", excused...), "partly: nothing was checked"},
		{"a scenario has another failure", report("fixture", append(excused, check{ID: "y", Status: "FAILURE"})...), "fixture: y failed"},
		{"a warning becomes a failure", report("warning", check{ID: "w", Status: "FAILURE"}), "warning: w failed"},
		{"an excuse is not needed", report("fixture", ok...), "remove the excuse"},
		{"an unknown scenario", report("new", ok...), "new: a scenario that nobody"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.Join(judge(rev, tt.report), "\n")
			if got == "" != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("judge = %q, want %q in it", got, tt.want)
			}
		})
	}
}

// An excuse that covers nothing, or gives no reason, is a scenario that must
// pass in disguise.
func TestExcuses(t *testing.T) {
	for _, rev := range revisions {
		for name, s := range rev.scenarios {
			if len(s.excused) > 0 && s.needs == "" {
				t.Errorf("%s, %s: excused without a reason", rev.version, name)
			}
		}
	}
}
