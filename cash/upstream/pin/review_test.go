package upstream_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/upstream"
)

// define makes definitions of names, or of a name and a description.
func define(tools ...string) []*upstream.Definition {
	var list []*upstream.Definition
	for _, tool := range tools {
		name, description, _ := strings.Cut(tool, "=")
		list = append(list, &upstream.Definition{Name: name, Description: description})
	}
	return list
}

func byName(list []*upstream.Definition) map[string]*upstream.Definition {
	definitions := make(map[string]*upstream.Definition)
	for _, d := range list {
		definitions[d.Name] = d
	}
	return definitions
}

// tell spells definitions as define takes them.
func tell(list []*upstream.Definition) string {
	var words []string
	for _, d := range list {
		words = append(words, strings.TrimSuffix(d.Name+"="+d.Description, "="))
	}
	return strings.Join(words, " ")
}

func TestW37Review(t *testing.T) {
	none := []string(nil)
	empty := []string{}
	for _, test := range []struct {
		name            string
		mode            upstream.PinMode
		pinned, current []string
		served          string
		quarantined     []string
		pin             string
	}{
		{"off", upstream.PinOff, none, []string{"b", "a"}, "b a", nil, ""},
		{"off, changed", upstream.PinOff, []string{"a=1"}, []string{"a=2", "b"}, "a=2 b", nil, ""},
		{"off, duplicate", upstream.PinOff, none, []string{"a=1", "b", "a=2"}, "b", []string{`duplicate a description: "1" -> "2"`}, ""},
		{"first use", upstream.PinFirstUse, none, []string{"b=2", "a=1"}, "b=2 a=1", nil, "a=1 b=2"},
		{"first use of nothing", upstream.PinFirstUse, none, nil, "", nil, ""},
		{"first use, duplicate", upstream.PinFirstUse, none, []string{"a=1", "b", "a=1", "a=3"}, "b", []string{"duplicate a "}, "b"},
		{"first use, duplicates alone", upstream.PinFirstUse, none, []string{"a", "a"}, "", []string{"duplicate a "}, ""},
		{"later, same", upstream.PinFirstUse, []string{"a=1", "b=2"}, []string{"b=2", "a=1"}, "b=2 a=1", nil, ""},
		{"later, changed", upstream.PinFirstUse, []string{"a=1", "b=2"}, []string{"a=1", "b=3"}, "a=1", []string{`changed b description: "2" -> "3"`}, ""},
		{"later, new", upstream.PinFirstUse, []string{"a=1"}, []string{"new=x", "a=1"}, "a=1", []string{`new new description: added "x"`}, ""},
		{"later, gone", upstream.PinFirstUse, []string{"a=1", "b=2"}, []string{"a=1"}, "a=1", nil, ""},
		{"later, nothing was accepted", upstream.PinFirstUse, empty, []string{"a=1"}, "", []string{`new a description: added "1"`}, ""},
		{"later, duplicate of the pinned one", upstream.PinFirstUse, []string{"a=1"}, []string{"a=1", "a=2"}, "", []string{`duplicate a description: "1" -> "2"`}, ""},
		{"locked", upstream.PinLocked, []string{"a=1", "b=2"}, []string{"b=2", "a=2", "c"}, "b=2", []string{`changed a description: "1" -> "2"`, "new c "}, ""},
		{"locked, nothing pinned", upstream.PinLocked, none, []string{"a", "b"}, "", []string{"new a ", "new b "}, ""},
		{"look-alike", upstream.PinLocked, []string{"pay"}, []string{"p\u0430y", "pay\u200b", "Pay"}, "", []string{"new p\u0430y ", "new pay\u200b ", "new Pay "}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var pinned map[string]*upstream.Definition
			if test.pinned != nil {
				pinned = byName(define(test.pinned...))
			}
			served, quarantined, pin := upstream.Review(test.mode, pinned, define(test.current...))
			if got := tell(served); got != test.served {
				t.Errorf("served %q, want %q", got, test.served)
			}
			var lines []string
			for _, q := range quarantined {
				lines = append(lines, fmt.Sprintf("%s %s %s", q.Reason, q.Tool, q.Difference))
				if accepts := q.Definition != nil && q.Definition.Name == q.Tool; accepts == (q.Reason == upstream.ReasonDuplicate) {
					t.Errorf("%s tool has the definition %v", q.Reason, q.Definition)
				}
			}
			if !slices.Equal(lines, test.quarantined) {
				t.Errorf("quarantined %q, want %q", lines, test.quarantined)
			}
			if got := tell(sorted(pin)); got != test.pin || (pin == nil) != (test.pin == "") {
				t.Errorf("pins %q, want %q", got, test.pin)
			}
		})
	}
}

func sorted(definitions map[string]*upstream.Definition) []*upstream.Definition {
	var list []*upstream.Definition
	for _, d := range definitions {
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b *upstream.Definition) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// TestW37ReviewProperties lets servers change at random: what is served is what
// is pinned, and every tool is either served or in quarantine.
func TestW37ReviewProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	tools := func() []string {
		list := make([]string, r.IntN(6))
		for i := range list {
			list[i] = fmt.Sprintf("%c=%d", 'a'+rune(r.IntN(5)), r.IntN(2))
		}
		return list
	}
	for range 500 {
		mode := upstream.PinMode(1 + r.IntN(2))
		var pinned map[string]*upstream.Definition
		for range 5 {
			current := define(tools()...)
			served, quarantined, pin := upstream.Review(mode, pinned, current)
			if pin != nil {
				if pinned != nil || mode == upstream.PinLocked {
					t.Fatal("pinned without being asked to")
				}
				pinned = pin
			}
			names := make(map[string]int)
			for _, d := range served {
				names[d.Name]++
				if p := pinned[d.Name]; p == nil || p.Hash() != d.Hash() {
					t.Fatalf("served %v, pinned is %v", d, p)
				}
			}
			for _, q := range quarantined {
				names[q.Tool]++
			}
			for name, n := range names {
				if n != 1 {
					t.Fatalf("%d times: tool %s", n, name)
				}
			}
			if len(names) != len(byName(current)) {
				t.Fatalf("%d tools of %d", len(names), len(byName(current)))
			}
		}
	}
}

func TestW37ReviewMany(t *testing.T) {
	var current []*upstream.Definition
	for i := range 1003 {
		current = append(current, &upstream.Definition{Name: fmt.Sprint(i), Description: "x"})
	}
	_, quarantined, _ := upstream.Review(upstream.PinLocked, nil, current)
	if n := len(quarantined); n != 1003 {
		t.Fatalf("%d in quarantine", n)
	}
	if got := quarantined[999].Difference; got != `description: added "x"` {
		t.Errorf("got %q", got)
	}
	if got := quarantined[1002]; got.Difference != "not compared: there are 1000 before it" || got.Definition == nil {
		t.Errorf("got %+v", got)
	}
}

func TestPinModeString(t *testing.T) {
	got := fmt.Sprint(upstream.PinOff, upstream.PinFirstUse, upstream.PinLocked, upstream.PinMode(-1))
	if want := "off first-use locked PinMode(-1)"; got != want || upstream.PinMode(0) != upstream.PinOff {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestW37Pins holds both stores to what the interface says.
func TestW37Pins(t *testing.T) {
	file, err := upstream.OpenPinFile(filepath.Join(t.TempDir(), "pins.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, pins := range map[string]upstream.Pins{"memory": upstream.NewMemoryPins(), "file": file} {
		t.Run(name, func(t *testing.T) { testPins(t, pins) })
	}
}

func testPins(t *testing.T, pins upstream.Pins) {
	ctx := context.Background()
	load := func(label string) map[string]*upstream.Definition {
		t.Helper()
		definitions, err := pins.Load(ctx, label)
		if err != nil {
			t.Fatal(err)
		}
		return definitions
	}
	save := func(label string, definitions map[string]*upstream.Definition) {
		t.Helper()
		if err := pins.Save(ctx, label, definitions); err != nil {
			t.Fatal(err)
		}
	}
	if got := load("shop"); got != nil {
		t.Errorf("at first: %v", got)
	}
	definitions := byName(define("a=1", "b=2"))
	save("shop", definitions)
	save("files", byName(define("c=3")))
	delete(definitions, "a")
	got := load("shop")
	if tell(sorted(got)) != "a=1 b=2" {
		t.Errorf("got %s", tell(sorted(got)))
	}
	delete(got, "a")
	if got := tell(sorted(load("shop"))); got != "a=1 b=2" {
		t.Errorf("after a change of the map: %s", got)
	}
	if got := load("Shop"); got != nil {
		t.Errorf("another label: %v", got)
	}

	for _, bad := range []map[string]*upstream.Definition{{"a": nil}, {"a": {Name: "b"}}, {"": {}}} {
		if err := pins.Save(ctx, "shop", bad); err == nil {
			t.Errorf("saved %v", bad)
		}
	}
	for _, label := range []string{"", "\xff"} {
		if err := pins.Save(ctx, label, byName(define("a"))); err == nil {
			t.Errorf("saved for the label %q", label)
		}
	}
	if got := tell(sorted(load("shop"))); got != "a=1 b=2" {
		t.Errorf("after errors: %s", got)
	}

	save("shop", byName(define("b=3")))
	if got := tell(sorted(load("shop"))); got != "b=3" {
		t.Errorf("replaced: %s", got)
	}
	save("shop", byName(nil))
	if got := load("shop"); got == nil || len(got) != 0 {
		t.Errorf("pinned as empty: %v", got)
	}
	save("shop", nil)
	if got := load("shop"); got != nil {
		t.Errorf("forgotten: %v", got)
	}
	if got := tell(sorted(load("files"))); got != "c=3" {
		t.Errorf("the other one: %s", got)
	}
}
