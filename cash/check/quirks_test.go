package check

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/internal/client"
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
	q := &quirky{quirk: quirk}
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
			Runs:   func() int { q.mu.Lock(); defer q.mu.Unlock(); return q.runs },
		},
		Skill: &SkillSample{Namespace: "shop", Name: "restock", Inputs: map[string]string{"item": "tea"},
			Keeps: []string{`call(namespace="shop", function="find")`}},
		Hidden: &Hidden{
			Sample:    Sample{Namespace: "vault", Function: "open"},
			Transport: func() mcp.Transport { return inMemory(&quirky{quirk: quirk, admin: true}) },
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
