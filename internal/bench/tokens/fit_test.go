package main

import (
	"math"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/cash/cost"
)

// TestAdviceAgrees holds that what package cost advises for made-up tasks costs at most 15 % more for the real ones than
// the cheapest.
func TestAdviceAgrees(t *testing.T) {
	all := allMeasured(t).sizes
	for i, z := range sizes {
		s, err := z.build()
		if err != nil {
			t.Fatal(err)
		}
		r, err := cost.Measure(t.Context(), s.registry, nil)
		if err != nil {
			t.Fatal(err)
		}
		least, advised := math.MaxInt, math.MaxInt
		for j, f := range sizedFaces {
			if f.face == cost.Disclosure || f.face == cost.Endpoint || f.typed {
				continue // not every client can use them, or is so
			}
			n := all[i][j].Whole().Input
			if least = min(least, n); r.Best().Face == f.face {
				advised = n
			}
			for _, e := range r.Faces {
				if e.Face == f.face && e.Definitions != all[i][j].Definitions {
					t.Errorf("%s: %s has definitions of %d tokens, and of %d for the task", z.name, f.name, e.Definitions, all[i][j].Definitions)
				}
			}
		}
		if t.Logf("%s: %d tokens behind what is advised, and at least %d", z.name, advised, least); advised*100 > least*115 {
			t.Errorf("%s: %s is advised, which costs %d tokens, and the cheapest %d\n%v", z.name, r.Best().Face, advised, least, r)
		}
	}
}

// TestAdviceByCalls holds that what is advised for a small server depends on how many of its tools are called.
func TestAdviceByCalls(t *testing.T) {
	c := catalog.New(nil)
	if _, err := c.LoadFile("catalogs/memory.json"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		calls int
		want  cost.Face
	}{{0, cost.Facade}, {-5, cost.Facade}, {9, cost.Plain}, {math.MaxInt, cost.Plain}} {
		r, err := cost.Measure(t.Context(), c.Tools(), &cost.Client{Calls: tt.calls})
		if err != nil || r.Best().Face != tt.want || r.Functions != 9 {
			t.Errorf("%d calls: %v, %v; want %s", tt.calls, r, err, tt.want)
		}
	}
}
