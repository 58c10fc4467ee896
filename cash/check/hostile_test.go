package check_test

import (
	"bytes"
	"context"
	"encoding/json"
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

// struck is a method that nothing but the product sends, often enough.
const struck = "completion/complete"

// on returns a fault that strikes requests of a method which nothing but the
// product sends.
func on(method string, wrong func(data []byte, right []string) []string) func([]byte, string, []string) []string {
	return func(data []byte, m string, right []string) []string {
		if m != method || len(right) == 1 && right[0] == invalid {
			return right
		}
		return wrong(data, right)
	}
}

// says returns a fault that answers with a text in an error.
func says(text string) func([]byte, string, []string) []string {
	return on(struck, func(_ []byte, right []string) []string {
		for i := range right {
			right[i] = strings.Replace(right[i], `"there is no such method"`, toJSON(text), 1)
		}
		return right
	})
}

// first returns a fault that strikes the first time that it could.
func first(fault func([]byte, string, []string) []string) func([]byte, string, []string) []string {
	done := false
	return func(data []byte, method string, right []string) []string {
		if done {
			return right
		}
		wrong := fault(data, method, slices.Clone(right))
		done = !slices.Equal(wrong, right)
		return wrong
	}
}

func toJSON(text string) string {
	data, _ := json.Marshal(text) // a string can be encoded
	return string(data)
}

// TestHostileFaults: each fault fails the row that is about it, and no other.
func TestHostileFaults(t *testing.T) {
	again := ""
	notes := 0
	for _, tt := range []struct {
		row   string
		fault func(data []byte, method string, right []string) []string
	}{
		{"answered", first(on(struck, func([]byte, []string) []string { return nil }))},
		{"once", on(struck, func(_ []byte, right []string) []string { return append(right, right...) })},
		{"silent", on("notifications/message", func(_ []byte, right []string) []string {
			return []string{`{"jsonrpc":"2.0","id":"x","result":{}}`}
		})},
		{"id", on(struck, func([]byte, []string) []string { return []string{failed([]byte(`"other"`), -32601, "no")} })},
		{"odd-id", func(data []byte, method string, right []string) []string {
			if method != "ping" && method != "" && len(right) == 1 && right[0] == invalid {
				return []string{failed([]byte("1"), -32601, "no")}
			}
			return right
		}},
		{"unreadable", first(func(data []byte, method string, right []string) []string {
			if len(right) == 1 && right[0] == invalid && bytes.Contains(data, []byte(`,"params":{"uri"`)) {
				return nil
			}
			return right
		})},
		{"form", on(struck, func(_ []byte, right []string) []string { return append([]string{"a line of a log"}, right...) })},
		{"error", says("no\x1b[31m")},
		{"error", says(strings.Repeat("x", 2001))},
		{"error", on(struck, func(_ []byte, right []string) []string {
			for i := range right {
				right[i] = strings.Replace(right[i], "-32601", "0", 1)
			}
			return right
		})},
		{"inside", says("cannot unmarshal into *mcp.GetTaskParams")},
		{"inside", says("runtime error: invalid memory address or nil pointer dereference")},
		{"inside", says("bad value %!q(int=1)")},
		{"alive", first(func(data []byte, method string, right []string) []string {
			if method != "ping" && strings.Contains(string(data), `\u001b`) {
				return hang
			}
			return right
		})},
		{"up", on(struck, func([]byte, []string) []string { return exit })},
		{"broken", func(data []byte, _ string, right []string) []string {
			if string(data) == "{" {
				return nil
			}
			return right
		}},
		{"envelope", func(data []byte, _ string, right []string) []string {
			if string(data) == "null" {
				return nil
			}
			return right
		}},
		{"twice", func(data []byte, method string, right []string) []string {
			if strings.Contains(string(data), `"i\u0064":`) {
				return append(right, right...)
			}
			return right
		}},
		{"edge-ids", func(data []byte, method string, right []string) []string {
			if strings.Contains(string(data), `"id":9223372036854775807`) {
				return []string{`{"jsonrpc":"2.0","id":9223372036854775808,"result":{}}`}
			}
			return right
		}},
		{"reused-id", func(data []byte, method string, right []string) []string {
			if method == "tools/list" && len(right) == 1 && right[0] == again {
				return nil
			}
			if method != "" {
				again = ""
			}
			if method == "tools/list" && len(right) == 1 {
				again = right[0]
			}
			return right
		}},
		{"batch", func(data []byte, method string, right []string) []string {
			if n := bytes.Count(data, []byte("jsonrpc")); n == 1000 {
				return slices.Repeat([]string{`{"jsonrpc":"2.0","id":"s20","result":{}}`}, n)
			}
			return right
		}},
		{"flood", func(data []byte, method string, right []string) []string {
			if !strings.HasPrefix(method, "notifications/") && len(right) > 0 {
				notes = 0
			}
			if notes++; notes%100 == 0 {
				return []string{invalid}
			}
			return right
		}},
		{"deep", func(data []byte, _ string, right []string) []string {
			if strings.Contains(string(data), strings.Repeat("[", 50_000)) {
				return exit
			}
			return right
		}},
		{"large", func(data []byte, _ string, right []string) []string {
			if len(data) > 500_000 && data[0] == 'x' {
				return exit
			}
			return right
		}},
		{"wide", func(data []byte, _ string, right []string) []string {
			if strings.Contains(string(data), strings.Repeat("{},", 1000)) {
				return exit
			}
			return right
		}},
	} {
		t.Run(tt.row, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { // what is not answered takes no time
				f := &fake{fault: tt.fault}
				got := attack(t, check.HostileTarget{Serve: f.serve, Versions: both[:1], Requests: 100, Seed: 3})
				if want := []string{tt.row}; !slices.Equal(got, want) {
					t.Errorf("failed rows %q, want %q", got, want)
				}
			})
		})
	}
}

// TestHostileWebFaults is the same over HTTP.
func TestHostileWebFaults(t *testing.T) {
	for _, tt := range []struct {
		row    string
		fault  func(data []byte, method string, right []string) []string
		status func(r *http.Request, method string) int
	}{
		{"answered", on(struck, func([]byte, []string) []string { return nil }), nil},
		{"once", on(struck, func(_ []byte, right []string) []string { return append(right, right...) }), nil},
		{"inside", says("http.Error"), nil},
		{"up", on(struck, func([]byte, []string) []string { return exit }), nil},
		{"answered", nil, func(_ *http.Request, method string) int {
			if method == struck {
				return http.StatusInternalServerError
			}
			return 0
		}},
		{"header", nil, func(r *http.Request, _ string) int {
			if r.Method == "BREW" {
				return http.StatusTeapot + 100
			}
			return 0
		}},
	} {
		t.Run(tt.row, func(t *testing.T) {
			web := httptest.NewServer(&fake{fault: tt.fault, status: tt.status})
			defer web.Close()
			got := attack(t, check.HostileTarget{URL: web.URL, Versions: both[1:], Requests: 100, Timeout: time.Minute})
			if want := []string{tt.row}; !slices.Equal(got, want) {
				t.Errorf("failed rows %q, want %q", got, want)
			}
		})
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
