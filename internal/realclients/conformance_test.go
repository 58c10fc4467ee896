//go:build realclients

package realclients

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// check is one line of the suite's report.
type check struct {
	ID      string `json:"id"`
	Status  string `json:"status"` // SUCCESS, FAILURE, WARNING, SKIPPED or INFO
	Message string `json:"errorMessage"`
}

// An aggregator of the shop is a server like the shop (R120).
func TestConformance(t *testing.T) {
	config := writeConfig(t, fmt.Sprintf("  - {label: shop, command: [%q, -stdio]}\n", shop))
	for _, server := range []struct {
		name string
		args []string
	}{
		{"shop", []string{shop}},
		{"plain", []string{shop, "-face", "plain"}},
		{"disclosure", []string{shop, "-face", "disclosure"}},
		{"facade", []string{shop, "-face", "facade"}},
		{"aggregator", []string{aggregator, "-config", config}},
	} {
		for _, rev := range revisions {
			t.Run(server.name+" "+rev.version, func(t *testing.T) {
				report := runSuite(t, serveHTTP(t, server.args[0], server.args[1:]...), rev)
				t.Log("\n" + table(rev, report))
				for _, problem := range judge(rev, report) {
					t.Error(problem)
				}
			})
		}
	}
}

// startTimeout is a line of a configuration: the start waits for all servers, however slow their processes are.
const startTimeout = "start_timeout: 2m\n"

// writeConfig makes a configuration file of the aggregator.
func writeConfig(t *testing.T, upstreams ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte(startTimeout+"upstreams:\n"+strings.Join(upstreams, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// runSuite returns the checks of every scenario that was run. The suite's own
// exit code says only that something failed, which judge decides anew.
func runSuite(t *testing.T, url string, rev revision) map[string][]check {
	t.Helper()
	dir := t.TempDir()
	cmd := partner(t, "conformance", "server", "--url", url,
		"--suite", rev.suite, "--spec-version", rev.version, "--output-dir", dir)
	out, runErr := cmd.CombinedOutput()
	if cmd.ProcessState == nil || !cmd.ProcessState.Exited() { // not started, or killed
		t.Fatalf("running the conformance suite: %v:\n%s", runErr, out)
	}
	report, err := readReport(dir)
	if err != nil {
		t.Fatalf("reading the report of the conformance suite: %v:\n%s", err, out)
	}
	return report
}

// scenarioDir is the folder of one scenario: its name between a prefix and the
// time at which it was run.
var scenarioDir = regexp.MustCompile(`^server-(.+)-\d{4}-\d{2}-\d{2}T[-0-9]+Z$`)

func readReport(dir string) (map[string][]check, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	report := make(map[string][]check)
	for _, e := range entries {
		name := scenarioDir.FindStringSubmatch(e.Name())
		if name == nil {
			return nil, fmt.Errorf("%q is not named like a scenario", e.Name())
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name(), "checks.json"))
		if err != nil {
			return nil, err
		}
		var checks []check
		if err := json.Unmarshal(data, &checks); err != nil {
			return nil, fmt.Errorf("%s: %w", name[1], err)
		}
		report[name[1]] = checks
	}
	return report, nil
}

// judge compares a report with what is expected of it and returns what is
// wrong, in the order of the scenarios' names.
func judge(rev revision, report map[string][]check) []string {
	var problems []string
	add := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	for _, name := range slices.Sorted(maps.Keys(rev.scenarios)) {
		checks, ok := report[name]
		if !ok {
			add("%s: the suite did not run it", name)
			continue
		}
		want := rev.scenarios[name]
		if want.must() && !passed(checks) {
			add("%s: nothing was checked", name)
		}
		failed := failures(checks)
		for _, id := range slices.Sorted(maps.Keys(failed)) {
			if !slices.Contains(want.excused, id) {
				add("%s: %s failed: %s", name, id, failed[id])
			}
		}
		for _, id := range want.excused {
			if _, ok := failed[id]; !ok {
				add("%s: %s is excused but does not fail: remove the excuse", name, id)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(report)) {
		if _, ok := rev.scenarios[name]; !ok {
			add("%s: a scenario that nobody has decided about", name)
		}
	}
	return problems
}

// wireCheck is made in every scenario, whether or not it found what to test.
const wireCheck = "wire-schema-valid"

func passed(checks []check) bool {
	return slices.ContainsFunc(checks, func(c check) bool {
		return c.Status == "SUCCESS" && c.ID != wireCheck
	})
}

// failures returns the message of each check that failed; several have the
// same id where one rule is tried in several ways.
func failures(checks []check) map[string]string {
	failed := make(map[string]string)
	for _, c := range checks {
		if c.Status == "FAILURE" {
			failed[c.ID] = c.Message
		}
	}
	return failed
}

func table(rev revision, report map[string][]check) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-46s %4s %4s  %s\n", rev.version, "pass", "fail", "excuse")
	for _, name := range slices.Sorted(maps.Keys(report)) {
		pass, fail := 0, 0
		for _, c := range report[name] {
			switch c.Status {
			case "SUCCESS":
				pass++
			case "FAILURE":
				fail++
			}
		}
		fmt.Fprintf(&b, "%-46s %4d %4d  %s\n", name, pass, fail, rev.scenarios[name].needs)
	}
	return b.String()
}
