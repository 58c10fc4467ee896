package check_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/check"
	"github.com/cash-mcp/go-sdk/cash/internal/wrong"
)

func endpointReport(t *testing.T, answer string, strict bool) *check.Report {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	report, err := check.Endpoint(t.Context(), check.EndpointTarget{Strict: strict, Timeout: time.Minute, Command: func() *exec.Cmd {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), asServer+"=endpoint/"+answer)
		return cmd
	}})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestEndpoint: a sound endpoint passes, and each wrong one fails its row.
func TestEndpoint(t *testing.T) {
	type test struct{ wrong, row string }
	tests := []test{{"", ""}}
	for _, row := range wrong.EndpointRows {
		for i, answer := range wrong.EndpointAnswers[row] {
			if i == 0 || !testing.Short() { // each starts seven processes
				tests = append(tests, test{answer, row})
			}
		}
	}
	for _, test := range tests {
		report := endpointReport(t, test.wrong, true)
		var failed []string
		for _, row := range report.Failed() {
			failed = append(failed, row.Name)
			if len(row.Evidence) == 0 {
				t.Errorf("%s: %s has no evidence", test.wrong, row.Name)
			}
		}
		if test.row == "" && len(failed) > 0 || test.row != "" && !strings.Contains(strings.Join(failed, " "), test.row) {
			t.Errorf("%q: failed %v, want %s\n%s", test.wrong, failed, test.row, report)
		}
		if len(report.Rows) != 7 || report.Requests < 7 {
			t.Errorf("%q: %d rows, %d requests", test.wrong, len(report.Rows), report.Requests)
		}
	}
}

func TestEndpointNotStarted(t *testing.T) {
	_, err := check.Endpoint(context.Background(), check.EndpointTarget{Command: func() *exec.Cmd { return exec.Command("/nonexistent/program") }})
	if err == nil || !strings.Contains(err.Error(), "starting the endpoint") {
		t.Errorf("%v", err)
	}
	if _, err := check.Endpoint(context.Background(), check.EndpointTarget{}); err == nil {
		t.Error("no error without a command")
	}
}
