package check_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cash-mcp/go-sdk/cash/check"
)

var both = []string{"2025-11-25", "2026-07-28"}

// attack returns the names of the rows that failed, without what they were
// checked over.
func attack(t *testing.T, target check.HostileTarget) []string {
	t.Helper()
	report, err := check.Hostile(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	var failed []string
	for _, row := range report.Failed() {
		t.Logf("%s: %s: %q", row.Name, row.Title, row.Evidence)
		failed = append(failed, path.Base(row.Name))
	}
	return failed
}

// TestHostileSound: a server that does everything right fails nowhere.
func TestHostileSound(t *testing.T) {
	f := new(fake)
	web := httptest.NewServer(f)
	defer web.Close()
	report, err := check.Hostile(t.Context(), check.HostileTarget{
		Serve: f.serve, URL: web.URL, Versions: both, Requests: soundMessages, Timeout: time.Minute,
		Calls:  []string{`{"name":"echo","arguments":{"text":"t","n":1}}`},
		Memory: func() uint64 { return 1 << 20 },
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range report.Rows {
		rare := row.Status == check.NotChecked && soundMessages < 1000
		if !rare && (row.Status != check.Passed || row.Checks == 0 || row.Failures != 0) {
			t.Errorf("%s: %v, %d of %d: %q", row.Name, row.Status, row.Failures, row.Checks, row.Evidence)
		}
	}
	if report.Requests < soundMessages {
		t.Errorf("%d messages were sent", report.Requests)
	}
}

// TestHostileSessionLost: a server that forgets a session fails its row.
func TestHostileSessionLost(t *testing.T) {
	f := new(fake)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.ServeHTTP(w, r)
		if r.Header.Get("Mcp-Session-Id") == "session-1" && forgets.Add(1) == 50 {
			f.forget("session-1")
		}
	}))
	defer web.Close()
	got := attack(t, check.HostileTarget{URL: web.URL, Versions: both[:1], Requests: 200, Timeout: time.Minute})
	if want := []string{"session"}; !slices.Equal(got, want) {
		t.Errorf("failed rows %q, want %q", got, want)
	}
}

var forgets atomic.Int64

// TestHostileMemory: a server that keeps a megabyte for each message fails the
// row of memory; one that gives back what it took does not.
func TestHostileMemory(t *testing.T) {
	for _, leaks := range []bool{true, false} {
		var messages atomic.Uint64
		f := &fake{fault: func(_ []byte, _ string, right []string) []string {
			messages.Add(1)
			return right
		}}
		memory := func() uint64 {
			n := messages.Load()
			if !leaks && n > 700 {
				n = 10
			}
			return n << 20
		}
		got := attack(t, check.HostileTarget{Serve: f.serve, Versions: both[:1], Requests: 300, Memory: memory})
		if leaks != slices.Equal(got, []string{"memory"}) || !leaks && got != nil {
			t.Errorf("leaks %t: failed rows %q", leaks, got)
		}
	}
}

// TestHostileProcess: a process is attacked, and started again when it has ended.
func TestHostileProcess(t *testing.T) {
	for what, want := range map[string][]string{"sound": nil, "panics": {"up"}} {
		report, err := check.Hostile(t.Context(), check.HostileTarget{
			Command:  func() *exec.Cmd { return command(t, "fake/"+what) },
			Versions: both[:1], Requests: 100, Seed: 3, Timeout: time.Minute,
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, row := range report.Failed() {
			got = append(got, path.Base(row.Name))
			if e := strings.Join(row.Evidence, "\n"); !strings.Contains(e, "exit status 2, standard error: panic: a fault") {
				t.Errorf("%s: %s", row.Name, e)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: failed rows %q, want %q", what, got, want)
		}
		i := slices.IndexFunc(report.Rows, func(r check.Row) bool { return path.Base(r.Name) == "memory" })
		if runtime.GOOS == "linux" && want == nil && report.Rows[i].Status != check.Passed {
			t.Errorf("%s: memory: %v, %q", what, report.Rows[i].Status, report.Rows[i].Evidence)
		}
	}
}

// TestHostileGivenUp: a server that ends at everything is not started for ever.
func TestHostileGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		starts := 0
		f := &fake{fault: func(data []byte, method string, right []string) []string {
			if method != "ping" && !bytes.Contains(data, []byte("check-")) && len(right) > 0 {
				return exit
			}
			return right
		}}
		report, err := check.Hostile(t.Context(), check.HostileTarget{
			Serve: func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
				starts++
				return f.serve(ctx, in, out)
			},
			Versions: both[:1],
		})
		if err != nil || starts > 25 || report.Requests > 100 {
			t.Errorf("%d starts, %d messages, error %v", starts, report.Requests, err)
		}
		for _, row := range report.Rows {
			switch base := path.Base(row.Name); {
			case base == "up" && row.Status != check.Failed,
				base == "wide" && (row.Status != check.NotChecked || len(row.Evidence) != 1):
				t.Errorf("%s: %v, %q", row.Name, row.Status, row.Evidence)
			}
		}
	})
}

// TestHostileStops: when the context ends, so does everything.
func TestHostileStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		seen := 0
		f := &fake{fault: func(_ []byte, _ string, right []string) []string {
			if seen++; seen == 100 {
				cancel()
				return nil
			}
			return right
		}}
		start := time.Now()
		report, err := check.Hostile(ctx, check.HostileTarget{Serve: f.serve})
		if !errors.Is(err, context.Canceled) || report == nil || report.Requests == 0 {
			t.Errorf("report %v, error %v, want that of the context", report, err)
		}
		if passed := time.Since(start); passed != 0 {
			t.Errorf("it took %v", passed)
		}
	})
}

// TestHostileErrors: what cannot be checked at all is an error.
func TestHostileErrors(t *testing.T) {
	for name, target := range map[string]check.HostileTarget{
		"nothing":     {},
		"no program":  {Command: func() *exec.Cmd { return exec.Command("/nonexistent/server") }, Versions: both},
		"no endpoint": {URL: "http://127.0.0.1:1/", Versions: both},
		"no calls":    {Serve: new(fake).serve, Calls: []string{"[]"}},
		"a version":   {Serve: new(fake).serve, Versions: []string{"2024-11-05"}},
		"none":        {URL: "http://127.0.0.1:1/"},
	} {
		if _, err := check.Hostile(t.Context(), target); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := check.Hostile(ctx, check.HostileTarget{Serve: new(fake).serve}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}
