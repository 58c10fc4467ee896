package main

import (
	"os"
	"slices"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/plain"
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
			if b := bills[j+1]; b.definitions >= bills[0].definitions {
				t.Errorf("%s of %s costs %d, and a full list %d", f.name, sizes[i].name, b.definitions, bills[0].definitions)
			}
		}
	}
	for j, most := range map[int]int{1: 450, 2: 600} {
		if last[j].definitions > most {
			t.Errorf("%s costs %d tokens for 5,000 functions, want at most %d", sizedFaces[j].name, last[j].definitions, most)
		}
	}
}

// TestFit: what package plain advises agrees with what is measured, by the number
// of tools and by how many of them are called.
func TestFit(t *testing.T) {
	const cash = 1 // index of a face
	measured := allMeasured(t)
	tools, err := recordedTools(servers...)
	if err != nil {
		t.Fatal(err)
	}
	tools = beginningWith(tools, readNote.tool)
	advised := func(n int, c plain.Client) plain.Face {
		t.Helper()
		s, err := newSet(tools[:n])
		if err != nil {
			t.Fatal(err)
		}
		a, err := plain.Fit(t.Context(), s.registry, c)
		if err != nil {
			t.Fatal(err)
		}
		return a.Face
	}
	never, always := measured.tools.cheaperFrom(cash, countOnce), measured.tools.cheaperFrom(cash, countInput)
	for n := range len(tools) {
		is := advised(n+1, plain.Client{}) == plain.Plain
		if n+1 < never-1 && !is || n+1 > always && is {
			t.Errorf("for %d tools plain is advised: %t; three tools cost less from %d or %d on", n+1, is, never, always)
		}
	}
	calls := bySteps(measured.paid[len(tasks)-1])
	always, never = calls.cheaperUpTo(cash, countInput), calls.cheaperUpTo(cash, countOnce)
	for k := range len(calls) {
		is := advised(len(tools), plain.Client{Calls: k + 1}) == plain.Plain
		if k+1 < always-1 && is || k+1 > never && !is {
			t.Errorf("for %d calls plain is advised: %t; three tools cost less up to %d or %d", k+1, is, always, never)
		}
	}
}

// TestFitFacade: a facade is advised where it costs a call no more than three tools
// do, and nowhere that it costs a fifth more.
func TestFitFacade(t *testing.T) {
	all := []catalogSize{sizes[0], {"recorded", func() ([]tool, error) { return recordedTools(servers...) }, func(string) string { return "" }, readNote}}
	for n := 2 * len(verbs); n <= 100; n += len(verbs) {
		all = append(all, madeSize(n))
	}
	for _, z := range all {
		s, err := z.build()
		if err != nil {
			t.Fatal(err)
		}
		paid := make(map[string]int)
		for name, over := range map[string]func(*set) face{"cash": newCash, "facade": newFacade} {
			b, err := play(t.Context(), over, s, &task{steps: []step{z.step}})
			if err != nil {
				t.Fatal(err)
			}
			paid[name] = b.whole().input
		}
		a, err := plain.Fit(t.Context(), s.registry, plain.Client{})
		if err != nil {
			t.Fatal(err)
		}
		is := a.Face == plain.Facade
		if !is && paid["facade"] <= paid["cash"] || is && paid["facade"] > paid["cash"]*6/5 {
			t.Errorf("%s: %s is advised; a call costs %d behind a facade, %d behind three tools", z.name, a.Face, paid["facade"], paid["cash"])
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
