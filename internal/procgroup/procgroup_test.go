package procgroup_test

import (
	"slices"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/procgroup"
)

func TestK19Environ(t *testing.T) {
	t.Setenv("PATH", "/bin")
	t.Setenv("LC_TIME", "C")
	t.Setenv("PROCGROUP_SECRET", "s")
	t.Setenv("PROCGROUP_WANTED", "w")
	env := procgroup.Environ("PROCGROUP_WANTED")
	for v, want := range map[string]bool{
		"PATH=/bin": true, "LC_TIME=C": true, "PROCGROUP_WANTED=w": true, "PROCGROUP_SECRET=s": false,
	} {
		if slices.Contains(env, v) != want {
			t.Errorf("%s inherited: %v, want %v", v, !want, want)
		}
	}
}
