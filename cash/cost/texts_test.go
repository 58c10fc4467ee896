package cost_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/cost"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestTexts: a bill has what the model reads, if that is asked for, and costs the same.
func TestTexts(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("tides", "Tides.").Add(registry.Func("high", "Time of the next high tide.",
		func(context.Context, struct{}) (string, error) { return "at noon", nil }, registry.ReadOnly))
	task := []cost.Step{{Function: "tides.high", Query: "tides high"}}
	for _, face := range cost.Faces() {
		silent, err := cost.Play(t.Context(), face, reg, task, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := cost.Play(t.Context(), face, reg, task, &cost.PlayOptions{Texts: true})
		if err != nil {
			t.Fatal(err)
		}
		if silent.Defined != nil || len(b.Defined) == 0 || b.Whole() != silent.Whole() {
			t.Errorf("%s: %d texts for %+v, without them %d for %+v", face, len(b.Defined), b.Whole(), len(silent.Defined), silent.Whole())
		}
		last := len(b.Turns) - 1
		if !strings.Contains(b.Turns[last].Reply, "at noon") || silent.Turns[last].Reply != "" {
			t.Errorf("%s: the model reads %q, without texts %q", face, b.Turns[last].Reply, silent.Turns[last].Reply)
		}
	}
}
