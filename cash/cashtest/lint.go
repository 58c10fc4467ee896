package cashtest

import (
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

// LintClean reports everything that registry.Lint finds in src: what is legal
// but costs models attempts or context. callers are those through whose eyes
// to look; see registry.Lint.
func LintClean(t testing.TB, src registry.Source, callers ...*registry.Caller) {
	t.Helper()
	findings, err := registry.Lint(t.Context(), src, callers...)
	if err != nil {
		t.Errorf("linting: %v", err)
	}
	for _, f := range findings {
		t.Errorf("%s", f)
	}
}
