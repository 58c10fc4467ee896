package check

import (
	"context"
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/internal/client"
	"github.com/cash-mcp/go-sdk/cash/internal/wrong"
)

// findings are what a report says, by row.
type findings struct {
	ran       []string            // rows
	failed    map[string][]string // evidence
	unchecked map[string]string   // reasons
	shoulds   int
}

func findingsOf(report *Report) findings {
	f := findings{failed: make(map[string][]string), unchecked: make(map[string]string)}
	for _, row := range report.Rows {
		switch row.Status {
		case NotChecked:
			f.unchecked[row.Name] = strings.Join(row.Evidence, "; ")
			continue
		case Failed:
			f.failed[row.Name] = row.Evidence
		}
		f.ran = append(f.ran, row.Name)
		for _, n := range row.Notes {
			if strings.HasPrefix(n, "should: ") {
				f.shoulds++
			}
		}
	}
	return f
}

// comply checks a target with less work.
func comply(t *testing.T, target Target) findings {
	t.Helper()
	s, err := newSuite(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	s.huge, s.times = 200_000, 3
	report, err := s.end(s.run(checks))
	if err != nil {
		t.Error(err)
	}
	return findingsOf(report)
}

func (f findings) rows() []string {
	return slices.DeleteFunc(slices.Clone(f.ran), func(row string) bool { return f.failed[row] == nil })
}

func inMemory(srv client.Runner) mcp.Transport { return client.InMemory(context.Background(), srv) }

func quirkyTarget(quirk string, strict bool) Target {
	q := &wrong.CaSH{Row: quirk}
	find := "find"
	if quirk == "R20" {
		find = "find-it"
	}
	target := Target{
		Transport: func() mcp.Transport { return inMemory(q) },
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
			Runs:   q.Runs,
		},
		Skill: &SkillSample{Namespace: "shop", Name: "restock", Inputs: map[string]string{"item": "tea"},
			Keeps: []string{`call(namespace="shop", function="find")`}},
		Hidden: &Hidden{
			Sample:    Sample{Namespace: "vault", Function: "open"},
			Transport: func() mcp.Transport { return inMemory(&wrong.CaSH{Row: quirk, Admin: true}) },
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

var everyRow = flag.Bool("rows", false, "TestChecksFail tries the wrong server of every row, not of every sixth")

// TestChecksFail proves of each row that its check can fail, and that it fails
// for nobody else's mistake.
func TestChecksFail(t *testing.T) {
	for _, c := range checks {
		if c.run != nil && !slices.Contains(wrong.CaSHRows, c.row) {
			t.Errorf("there is no wrong server for %s", c.row)
		}
	}
	for i, row := range append(wrong.CaSHRows[1:], "none") { // TestMissingTool has R1
		if i%6 > 0 && !*everyRow {
			continue
		}
		t.Run(row, func(t *testing.T) {
			t.Parallel()
			o := comply(t, quirkyTarget(row, true))
			want := []string{row}
			if row == "none" {
				want = nil
			}
			for _, c := range checks {
				if slices.Contains(wrong.CaSHAlso[row], c.row) {
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
