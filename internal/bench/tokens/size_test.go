package main

import (
	"os"
	"slices"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

// TestMadeTools: what is made up is what it is said to be.
func TestMadeTools(t *testing.T) {
	tools := madeTools(5000)
	spaces := make(map[string]int)
	for _, tool := range tools {
		spaces[tool.server]++
	}
	for name, n := range spaces {
		if n != len(verbs) {
			t.Errorf("%d functions in %s", n, name)
		}
	}
	if len(spaces) != 500 {
		t.Errorf("%d namespaces", len(spaces))
	}
	for _, v := range verbs {
		if n := len(v.fields); n < 3 || n > 6 {
			t.Errorf("%s has %d parameters", v.name, n)
		}
	}
	s, err := madeSize(5000).build()
	if err != nil {
		t.Fatal(err)
	}
	list, err := registry.Flat(t.Context(), s.registry)
	if err != nil || len(list) != 5000 {
		t.Errorf("%d functions, %v", len(list), err)
	}
	if again := madeTools(100); !slices.EqualFunc(again, tools[:100], func(a, b tool) bool { return string(a.recorded) == string(b.recorded) }) {
		t.Error("the first hundred are others among more")
	}
}

// TestSizes: the three tools cost the same for any number, and every other face
// costs less than a full list, but more and more.
func TestSizes(t *testing.T) {
	all := allMeasured(t).sizes
	last := all[len(all)-1]
	for j, f := range sizedFaces[1:6] {
		for i, bills := range all {
			if b := bills[j+1]; b.Definitions >= bills[0].Definitions {
				t.Errorf("%s of %s costs %d, and a full list %d", f.name, sizes[i].name, b.Definitions, bills[0].Definitions)
			}
		}
	}
	for j, most := range map[int]int{1: 450, 2: 600} {
		if last[j].Definitions > most {
			t.Errorf("%s costs %d tokens for 5,000 functions, want at most %d", sizedFaces[j].name, last[j].Definitions, most)
		}
	}
}

// TestShopRecording: the recording is the shop's own, which its tests compare
// with what it has.
func TestShopRecording(t *testing.T) {
	own, err := os.ReadFile("../../../examples/shop/testdata/catalog.json")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "catalogs/shop.json", string(own))
}

// TestShopTools: the recording has the shop's functions, one of which answers.
func TestShopTools(t *testing.T) {
	s, err := sizes[0].build()
	if err != nil {
		t.Fatal(err)
	}
	if len(s.tools) != 14 {
		t.Errorf("%d functions", len(s.tools))
	}
	for _, tool := range s.tools {
		if shopSpaces[tool.server] == "" {
			t.Errorf("nothing is said of the namespace %s", tool.server)
		}
	}
}
