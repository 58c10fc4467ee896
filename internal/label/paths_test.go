package label_test

import (
	"testing"

	"github.com/cash-mcp/go-sdk/internal/label"
)

func TestPaths(t *testing.T) {
	p := label.NewPaths()
	p.Add("a.b.c")
	p.Add("x")
	for path, want := range map[string][3]bool{ // overlap, above, below
		"a": {true, true, false}, "a.b": {true, true, false}, "a.b.c": {true, false, false}, "a.b.c.d": {true, false, true}, "a.b.cd": {}, "a.c": {},
		"x": {true, false, false}, "x.y.z": {true, false, true}, "": {},
	} {
		if got := [3]bool{p.Overlap(path), p.Above(path), p.Below(path)}; got != want {
			t.Errorf("%q: %v, want %v", path, got, want)
		}
	}
}
