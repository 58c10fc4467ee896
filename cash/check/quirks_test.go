package check

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A recorder is a reporter that remembers.
type recorder struct {
	mu     sync.Mutex
	errors []string
	logs   []string
}

func (r *recorder) Helper() {}

func (r *recorder) Logf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.logs = append(r.logs, fmt.Sprintf(format, args...))
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// outcome is what Compliance would report.
type outcome struct {
	ran     []string            // rows
	failed  map[string][]string // errors by row
	logs    []string
	shoulds int
}

func comply(t *testing.T, target Target) outcome {
	t.Helper()
	top := &recorder{}
	s, end, err := newSuite(top, target)
	if err != nil {
		t.Fatal(err)
	}
	s.huge, s.times = 200_000, 3
	o := outcome{failed: make(map[string][]string)}
	s.run(top, func(name string, run func(reporter)) {
		row, _, _ := strings.Cut(name, " ")
		o.ran = append(o.ran, row)
		r := &recorder{}
		done := make(chan struct{})
		go func() {
			defer close(done)
			run(r)
		}()
		<-done
		if len(r.errors) > 0 {
			o.failed[row] = r.errors
		}
		for _, l := range r.logs {
			if strings.HasPrefix(l, "should: ") {
				o.shoulds++
			}
		}
	})
	o.logs = top.logs
	if err := end(); err != nil {
		t.Error(err)
	}
	return o
}

func (o outcome) rows() []string {
	var rows []string
	for _, row := range o.ran {
		if o.failed[row] != nil {
			rows = append(rows, row)
		}
	}
	return rows
}

func quirkyTarget(quirk string, strict bool) Target {
	q := &quirky{quirk: quirk}
	find := "find"
	if quirk == "R20" {
		find = "find-it"
	}
	target := Target{
		Transport: func() mcp.Transport { return InMemory(q) },
		Strict:    strict,
		Read:      &Sample{Namespace: "shop", Function: find, Kwargs: map[string]any{"item": "tea"}},
		Echo:      &Echo{"util", "echo", "value"},
		Large:     &Sample{Namespace: "util", Function: "rows"},
		Sized: func(chars int) Sample {
			return Sample{Namespace: "util", Function: "text", Kwargs: map[string]int{"chars": chars}}
		},
		Stream:     &Sample{Namespace: "util", Function: "stream"},
		Media:      &Sample{Namespace: "util", Function: "image"},
		LargeError: &Sample{Namespace: "util", Function: "rant"},
		Fails:      []Sample{{Namespace: "util", Function: "fail"}},
		Effect: &Effect{
			Sample: Sample{Namespace: "shop", Function: "put", Kwargs: map[string]any{"item": "tea"}},
			Runs:   func() int { q.mu.Lock(); defer q.mu.Unlock(); return q.runs },
		},
		Skill: &SkillSample{Namespace: "shop", Name: "restock", Inputs: map[string]string{"item": "tea"},
			Keeps: []string{`call(namespace="shop", function="find")`}},
		Hidden: &Hidden{
			Sample:    Sample{Namespace: "vault", Function: "open"},
			Transport: func() mcp.Transport { return InMemory(&quirky{quirk: quirk, admin: true}) },
		},
	}
	switch quirk {
	case "R48":
		target.Read = &Sample{Function: "now"}
	case "R52":
		target.SizeLimit = 20_000
	}
	return target
}

// TestSearchShowsHidden: a function that only a search shows is shown.
func TestSearchShowsHidden(t *testing.T) {
	o := comply(t, quirkyTarget("R53 search", true))
	if got := strings.Join(o.failed["R53"], "\n"); !strings.Contains(got, "shows vault.open") {
		t.Errorf("R53 fails with %q", got)
	}
}

// TestChecksFail proves of each row that its check can fail, and that it fails
// for nobody else's mistake.
func TestChecksFail(t *testing.T) {
	all := map[string]bool{}
	for _, c := range checks {
		all[c.row] = true
	}
	// Some mistakes break more than one row, by their nature.
	also := map[string][]string{
		"R97": {"R93", "R99"}, // which ask for the same result after others have
	}
	for _, row := range strings.Fields("none R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R14 R15 R20 R21 R22 R23 R24 R25 R26 R28 R29 R30 R31 " +
		"R40 R41 R42 R43 R44 R45 R45a R46 R47 R48 R49 R50 R51 R52 R53 R54 R56 R60 R61 R62 R63 R64 R65 R67 R68 " +
		"R80 R81 R83 R92 R93 R94 R95 R97 R98 R99 R100 R101 R102 R103 R104 R105 R106") {
		t.Run(row, func(t *testing.T) {
			t.Parallel()
			o := comply(t, quirkyTarget(row, true))
			want := []string{row}
			if row == "none" {
				want = nil
			}
			for _, c := range checks {
				if slices.Contains(also[row], c.row) {
					want = append(want, c.row)
				}
			}
			got := o.rows()
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("failed rows: %q, want %q", got, want)
				for row, errors := range o.failed {
					t.Logf("%s: %s", row, errors[0])
				}
			}
		})
	}
}
