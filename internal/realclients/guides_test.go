//go:build realclients

package realclients

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/config"
	"github.com/cash-mcp/go-sdk/internal/guidetest"
)

// TestAggregatorGuide goes through the guide of examples/aggregator. Its commands are built by the guide. In place of
// local.yaml, it has the same servers with a start that waits until they are compiled.
func TestAggregatorGuide(t *testing.T) {
	const local = "examples/aggregator/local.yaml"
	patient := patientCopy(t, filepath.FromSlash("../../"+local))
	(&guidetest.Guide{
		Page:  "../../examples/aggregator/README.md",
		Input: func(page string) string { return strings.ReplaceAll(page, local, patient) },
	}).Test(t)
}

// patientCopy returns a copy of a configuration two folders below the root, with [startTimeout].
func patientCopy(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	text := startTimeout + strings.ReplaceAll(string(data), "dir: ../..", fmt.Sprintf("dir: %q", root))
	patient := filepath.Join(t.TempDir(), filepath.Base(file))
	if err := os.WriteFile(patient, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want, err := config.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := config.Load(patient)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Upstreams, want.Upstreams) {
		t.Fatalf("the copy has the servers %+v, want %+v", got.Upstreams, want.Upstreams)
	}
	return patient
}
