package check

import (
	"path"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/internal/wrong"
)

// reportSkills returns what a check of the extension says.
func reportSkills(t *testing.T, o *wrong.Skills, version string, strict bool) findings {
	t.Helper()
	report, err := Skills(t.Context(), Target{Transport: func() mcp.Transport { return inMemory(o) }, Version: version, Strict: strict})
	if err != nil {
		t.Fatal(err)
	}
	return findingsOf(report)
}

// TestSkillChecksFail proves of each row of the extension that its check can fail, and that it fails for no other
// mistake.
func TestSkillChecksFail(t *testing.T) {
	rows := []string{"none"}
	for _, c := range extensionChecks {
		rows = append(rows, path.Base(c.row))
	}
	if !slices.Equal(rows[1:], wrong.SkillsRows) {
		t.Errorf("rows %q, wrong servers for %q", rows[1:], wrong.SkillsRows)
	}
	for _, version := range []string{"2025-11-25", sessionless} {
		for _, row := range rows {
			if row == "cached" && version < sessionless {
				continue
			}
			t.Run(version+" "+row, func(t *testing.T) {
				t.Parallel()
				f := reportSkills(t, &wrong.Skills{Row: row}, version, true)
				want := []string{"skills/" + row}
				if row == "none" {
					want = []string{}
				}
				if got := f.rows(); !slices.Equal(got, want) {
					t.Errorf("failed rows: %q, want %q: %q", got, want, f.failed)
				}
				if n := len(f.unchecked); n > 0 && version >= sessionless {
					t.Errorf("not checked: %q", f.unchecked)
				}
			})
		}
	}
}

// TestSkillsUndeclared: without the extension no row is checked, and each says why.
func TestSkillsUndeclared(t *testing.T) {
	f := reportSkills(t, &wrong.Skills{Row: "undeclared"}, "", true)
	if len(f.ran) > 0 || len(f.unchecked) != len(extensionChecks) {
		t.Errorf("%+v", f)
	}
}
