package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/build"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/internal/client"
)

// TestLevels pins what a server of another maker fails by, and what it is only
// told.
func TestLevels(t *testing.T) {
	tests := []struct {
		quirk string
		fails bool
	}{
		{"none", false}, {"R2", false}, {"R8", false}, {"R24", false}, {"R30", false}, {"R47", false}, {"R54", false}, {"R103", false},
		{"R3", true}, {"R21", true}, {"R41", true}, {"R46", true}, {"R63", true}, {"R80", true}, {"R95", true}, {"R100", true},
	}
	for _, tt := range tests {
		t.Run(tt.quirk, func(t *testing.T) {
			o := comply(t, quirkyTarget(tt.quirk, false))
			if got := slices.Contains(o.rows(), tt.quirk); got != tt.fails {
				t.Errorf("fails: %t, want %t", got, tt.fails)
			}
			if !tt.fails && tt.quirk != "none" && o.shoulds == 0 {
				t.Errorf("nothing was logged as recommended")
			}
			if tt.quirk == "none" && o.shoulds > 0 {
				t.Errorf("%d recommendations to a server that keeps them all", o.shoulds)
			}
		})
	}
}

// TestMissingTool is apart because a missing tool takes many rows with it.
func TestMissingTool(t *testing.T) {
	if o := comply(t, quirkyTarget("R1", true)); o.failed["R1"] == nil {
		t.Errorf("R1 does not fail without the tool skill")
	}
}

// TestNotChecked: without samples nothing is passed over in silence.
func TestNotChecked(t *testing.T) {
	o := comply(t, Target{Transport: quirkyTarget("none", true).Transport, Strict: true})
	if len(o.failed) > 0 {
		t.Errorf("failed: %v", o.failed)
	}
	for _, c := range checks {
		reason, unchecked := o.unchecked[c.row]
		if ran := slices.Contains(o.ran, c.row); ran == unchecked || unchecked && reason == "" {
			t.Errorf("%s: ran %t, reported as not checked %t, reason %q", c.row, ran, unchecked, reason)
		}
	}
	for row, want := range map[string]string{
		"R103": "Target.Effect is nil; set Target.Effect to a call", "R90": "Target.Sized is nil; set Target.Sized to a function", "R54": "Target.Hidden is nil; set Target.Hidden to a function", "R55": "a permission",
	} {
		if got := o.unchecked[row]; !strings.HasPrefix(got, want) {
			t.Errorf("%s is not checked because %q, want %q", row, got, want)
		}
	}
}

// TestEveryRowOnce: each row of the sections has one check, or a reason why not.
func TestEveryRowOnce(t *testing.T) {
	count := map[string]int{}
	for _, c := range checks {
		count[c.row]++
	}
	sections := [][2]int{{1, 15}, {20, 33}, {40, 56}, {60, 69}, {80, 84}, {90, 106}}
	for _, s := range sections {
		for n := s[0]; n <= s[1]; n++ {
			if row := fmt.Sprintf("R%d", n); count[row] != 1 {
				t.Errorf("%s has %d checks or reasons, want 1", row, count[row])
			}
		}
	}
}

func TestSuiteWithoutServer(t *testing.T) {
	if _, err := Compliance(t.Context(), Target{}); err == nil {
		t.Error("no error without a transport")
	}
	reason := errors.New("out of order")
	broken := runner(func(context.Context, mcp.Transport) error { return reason })
	if _, err := Compliance(t.Context(), Target{Transport: func() mcp.Transport { return inMemory(broken) }}); !errors.Is(err, reason) {
		t.Errorf("error %v, want the one of Run", err)
	}
}

// TestSuiteEndsWithContext: what was found before is reported.
func TestSuiteEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	target := quirkyTarget("none", true)
	sized := target.Sized
	target.Sized = func(chars int) Sample {
		cancel()
		return sized(chars)
	}
	report, err := Compliance(ctx, target)
	if !errors.Is(err, context.Canceled) || report == nil {
		t.Fatalf("report %v, error %v, want that of the context", report, err)
	}
	if len(report.Rows) == 0 || len(report.Failed()) > 0 || report.Requests == 0 {
		t.Errorf("%v", report)
	}
	if last := report.Rows[len(report.Rows)-1].Name; last == checks[len(checks)-1].row {
		t.Error("all rows are there")
	}
}

// TestKnowsNoTesting: the checks are for tools and pipelines, too.
func TestKnowsNoTesting(t *testing.T) {
	for _, dir := range []string{".", "../internal/client"} {
		p, err := build.ImportDir(dir, 0)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(p.Imports, "testing") {
			t.Errorf("%s imports testing", dir)
		}
	}
}

type runner func(context.Context, mcp.Transport) error

func (r runner) Run(ctx context.Context, t mcp.Transport) error { return r(ctx, t) }

// hostile is a server whose help and skill never end.
func hostile(text func(tool, namespace string) string) client.Runner {
	return runner(func(ctx context.Context, t mcp.Transport) error {
		srv := mcp.NewServer(&mcp.Implementation{Name: "hostile", Version: "1"}, nil)
		for _, name := range []string{"call", "help", "skill"} {
			srv.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
				func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					var in struct{ Namespace string }
					_ = json.Unmarshal(req.Params.Arguments, &in)
					return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text(req.Params.Name, in.Namespace)}}}, nil
				})
		}
		return srv.Run(ctx, t)
	})
}

func TestHostileServers(t *testing.T) {
	n := 0
	tests := []struct {
		name string
		cut  bool
		text func(tool, namespace string) string
	}{
		{"a tree without end", true, func(string, string) string { return "## Namespaces\n- a: A.\n- b: B.\n" }},
		{"paths that double", true, func(_, ns string) string { return "## Namespaces\n- " + join(ns, "a") + ": A.\n" }},
		{"unclassified entries", true, func(string, string) string {
			n++
			return strings.Repeat(fmt.Sprintf("- a%d: A.\n", n), 100)
		}},
		{"nothing", false, func(string, string) string { return "" }},
		{"broken JSON", false, func(string, string) string { return "format json {\"namespaces\":[" }},
		{"bad UTF-8", false, func(string, string) string { return "- **\xff**: \xfe\n```" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := hostile(tt.text)
			s, err := newSuite(t.Context(), Target{Transport: func() mcp.Transport { return inMemory(srv) }})
			if err != nil {
				t.Fatal(err)
			}
			if len(s.tree.places) > maxPages || len(s.skills) > maxSkills {
				t.Errorf("read %d pages and %d skills", len(s.tree.places), len(s.skills))
			}
			if s.tree.cut != tt.cut {
				t.Errorf("cut: %t, want %t", s.tree.cut, tt.cut)
			}
			if err := s.conn.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
