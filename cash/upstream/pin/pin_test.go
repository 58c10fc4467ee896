package pin_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
)

// define makes definitions of names, or of a name and a description.
func define(tools ...string) []*pin.Definition {
	var list []*pin.Definition
	for _, tool := range tools {
		name, description, _ := strings.Cut(tool, "=")
		list = append(list, &pin.Definition{Name: name, Description: description})
	}
	return list
}

func byName(list []*pin.Definition) map[string]*pin.Definition {
	definitions := make(map[string]*pin.Definition)
	for _, d := range list {
		definitions[d.Name] = d
	}
	return definitions
}

// tell spells definitions as define takes them.
func tell(list []*pin.Definition) string {
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
		mode            pin.Mode
		pinned, current []string
		served          string
		quarantined     []string
		pin             string
	}{
		{"off", pin.Off, none, []string{"b", "a"}, "b a", nil, ""},
		{"off, changed", pin.Off, []string{"a=1"}, []string{"a=2", "b"}, "a=2 b", nil, ""},
		{"off, duplicate", pin.Off, none, []string{"a=1", "b", "a=2"}, "b", []string{`duplicate a description: "1" -> "2"`}, ""},
		{"first use", pin.FirstUse, none, []string{"b=2", "a=1"}, "b=2 a=1", nil, "a=1 b=2"},
		{"first use of nothing", pin.FirstUse, none, nil, "", nil, ""},
		{"first use, duplicate", pin.FirstUse, none, []string{"a=1", "b", "a=1", "a=3"}, "b", []string{"duplicate a "}, "b"},
		{"first use, duplicates alone", pin.FirstUse, none, []string{"a", "a"}, "", []string{"duplicate a "}, ""},
		{"later, same", pin.FirstUse, []string{"a=1", "b=2"}, []string{"b=2", "a=1"}, "b=2 a=1", nil, ""},
		{"later, changed", pin.FirstUse, []string{"a=1", "b=2"}, []string{"a=1", "b=3"}, "a=1", []string{`changed b description: "2" -> "3"`}, ""},
		{"later, new", pin.FirstUse, []string{"a=1"}, []string{"new=x", "a=1"}, "a=1", []string{`new new description: added "x"`}, ""},
		{"later, gone", pin.FirstUse, []string{"a=1", "b=2"}, []string{"a=1"}, "a=1", nil, ""},
		{"later, nothing was accepted", pin.FirstUse, empty, []string{"a=1"}, "", []string{`new a description: added "1"`}, ""},
		{"later, duplicate of the pinned one", pin.FirstUse, []string{"a=1"}, []string{"a=1", "a=2"}, "", []string{`duplicate a description: "1" -> "2"`}, ""},
		{"locked", pin.Locked, []string{"a=1", "b=2"}, []string{"b=2", "a=2", "c"}, "b=2", []string{`changed a description: "1" -> "2"`, "new c "}, ""},
		{"locked, nothing pinned", pin.Locked, none, []string{"a", "b"}, "", []string{"new a ", "new b "}, ""},
		{"look-alike", pin.Locked, []string{"pay"}, []string{"p\u0430y", "pay\u200b", "Pay"}, "", []string{"new p\u0430y ", "new pay\u200b ", "new Pay "}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var pinned map[string]*pin.Definition
			if test.pinned != nil {
				pinned = byName(define(test.pinned...))
			}
			served, quarantined, pinning := pin.Review(test.mode, pinned, define(test.current...))
			if got := tell(served); got != test.served {
				t.Errorf("served %q, want %q", got, test.served)
			}
			var lines []string
			for _, q := range quarantined {
				lines = append(lines, fmt.Sprintf("%s %s %s", q.Reason, q.Tool, q.Difference))
				if accepts := q.Definition != nil && q.Definition.Name == q.Tool; accepts == (q.Reason == pin.ReasonDuplicate) {
					t.Errorf("%s tool has the definition %v", q.Reason, q.Definition)
				}
			}
			if !slices.Equal(lines, test.quarantined) {
				t.Errorf("quarantined %q, want %q", lines, test.quarantined)
			}
			if got := tell(sorted(pinning)); got != test.pin || (pinning == nil) != (test.pin == "") {
				t.Errorf("pins %q, want %q", got, test.pin)
			}
		})
	}
}

func sorted(definitions map[string]*pin.Definition) []*pin.Definition {
	var list []*pin.Definition
	for _, d := range definitions {
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b *pin.Definition) int { return strings.Compare(a.Name, b.Name) })
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
		mode := pin.Mode(1 + r.IntN(2))
		var pinned map[string]*pin.Definition
		for range 5 {
			current := define(tools()...)
			served, quarantined, pinning := pin.Review(mode, pinned, current)
			if pinning != nil {
				if pinned != nil || mode == pin.Locked {
					t.Fatal("pinned without being asked to")
				}
				pinned = pinning
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
	var current []*pin.Definition
	for i := range 1003 {
		current = append(current, &pin.Definition{Name: fmt.Sprint(i), Description: "x"})
	}
	_, quarantined, _ := pin.Review(pin.Locked, nil, current)
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
	got := fmt.Sprint(pin.Off, pin.FirstUse, pin.Locked, pin.Mode(-1))
	if want := "off first-use locked Mode(-1)"; got != want || pin.Mode(0) != pin.Off {
		t.Errorf("got %q, want %q", got, want)
	}
}

// load and save read and replace what is pinned, whatever its revision is.
func load(ctx context.Context, pins pin.Store, label string) (map[string]*pin.Definition, error) {
	p, err := pins.Load(ctx, label)
	if (p.Revision == "") != (p.Definitions == nil) {
		return nil, fmt.Errorf("%v is at the revision %q", p.Definitions, p.Revision)
	}
	return p.Definitions, err
}

func save(ctx context.Context, pins pin.Store, label string, definitions map[string]*pin.Definition) error {
	p, err := pins.Load(ctx, label)
	if err != nil {
		return err
	}
	next, err := pins.Swap(ctx, label, p.Revision, definitions)
	if err == nil && (next == "") != (definitions == nil) {
		return fmt.Errorf("%v is at the revision %q", definitions, next)
	}
	return err
}

// TestW37Pins holds both stores to what the interface says.
func TestW37Pins(t *testing.T) {
	for name, pins := range stores(t) {
		t.Run(name, func(t *testing.T) { testPins(t, pins) })
	}
}

func stores(t *testing.T) map[string]pin.Store {
	return map[string]pin.Store{"memory": pin.NewMemory(), "file": openPins(t, filepath.Join(t.TempDir(), "pins.json"))}
}

func testPins(t *testing.T, pins pin.Store) {
	ctx := context.Background()
	load := func(label string) map[string]*pin.Definition {
		t.Helper()
		definitions, err := load(ctx, pins, label)
		if err != nil {
			t.Fatal(err)
		}
		return definitions
	}
	keep := func(label string, definitions map[string]*pin.Definition) {
		t.Helper()
		if err := save(ctx, pins, label, definitions); err != nil {
			t.Fatal(err)
		}
	}
	if got := load("shop"); got != nil {
		t.Errorf("at first: %v", got)
	}
	definitions := byName(define("a=1", "b=2"))
	keep("shop", definitions)
	keep("files", byName(define("c=3")))
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

	for _, bad := range []map[string]*pin.Definition{{"a": nil}, {"a": {Name: "b"}}, {"": {}}} {
		if err := save(ctx, pins, "shop", bad); err == nil {
			t.Errorf("saved %v", bad)
		}
	}
	for _, label := range []string{"", "\xff"} {
		if err := save(ctx, pins, label, byName(define("a"))); err == nil {
			t.Errorf("saved for the label %q", label)
		}
	}
	if got := tell(sorted(load("shop"))); got != "a=1 b=2" {
		t.Errorf("after errors: %s", got)
	}

	keep("shop", byName(define("b=3")))
	if got := tell(sorted(load("shop"))); got != "b=3" {
		t.Errorf("replaced: %s", got)
	}
	keep("shop", byName(nil))
	if got := load("shop"); got == nil || len(got) != 0 {
		t.Errorf("pinned as empty: %v", got)
	}
	keep("shop", nil)
	if got := load("shop"); got != nil {
		t.Errorf("forgotten: %v", got)
	}
	if got := tell(sorted(load("files"))); got != "c=3" {
		t.Errorf("the other one: %s", got)
	}
}

// Of two who change what both have read, one is told so, and what the other has
// pinned stays.
func TestW37SwapOfTheLastRevision(t *testing.T) {
	for name, pins := range stores(t) {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			if _, err := pins.Swap(ctx, "shop", "other", byName(define("a"))); !errors.Is(err, pin.ErrChanged) {
				t.Errorf("at a revision that never was: %v", err)
			}
			first, err := pins.Swap(ctx, "shop", "", byName(define("a=1")))
			if err != nil || first == "" {
				t.Fatalf("revision %q, %v", first, err)
			}
			if _, err := pins.Swap(ctx, "shop", "", byName(define("a=2"))); !errors.Is(err, pin.ErrChanged) {
				t.Errorf("the second: %v", err)
			}
			if _, err := pins.Swap(ctx, "files", "", byName(define("c"))); err != nil {
				t.Errorf("another upstream: %v", err)
			}
			p, err := pins.Load(ctx, "shop")
			if err != nil || p.Revision != first || tell(sorted(p.Definitions)) != "a=1" {
				t.Errorf("%+v, %v", p, err)
			}
			second, err := pins.Swap(ctx, "shop", first, byName(define("a=2")))
			if err != nil || second == first {
				t.Errorf("revision %q after %q, %v", second, first, err)
			}
			if next, err := pins.Swap(ctx, "shop", second, nil); err != nil || next != "" {
				t.Errorf("forgotten: revision %q, %v", next, err)
			}
		})
	}
}

// Many who accept at a time lose nothing of each other's.
func TestW37KeepersTogether(t *testing.T) {
	for name, pins := range stores(t) {
		t.Run(name, func(t *testing.T) {
			var all sync.WaitGroup
			for i := range 4 {
				all.Go(func() {
					k := &pin.Keeper{Store: pins, Mode: pin.Locked, Label: "shop"}
					o, err := k.Review(t.Context(), define(fmt.Sprint("tool", i)))
					if err == nil {
						err = k.AcceptTool(t.Context(), o.Quarantined, "")
					}
					if err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			if got, err := load(t.Context(), pins, "shop"); len(got) != 4 || err != nil {
				t.Errorf("pinned are %s, %v", tell(sorted(got)), err)
			}
		})
	}
}

// Whoever watches is told of the changes of others, and a keeper knows its own.
func TestW37ChangesAreNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "pins.json")
		memory := pin.NewMemory()
		for name, two := range map[string][2]pin.Store{"memory": {memory, memory}, "file": {openPins(t, path), openPins(t, path)}} {
			mine, theirs := &pin.Keeper{Store: two[0], Mode: pin.FirstUse, Label: "shop"}, &pin.Keeper{Store: two[1], Mode: pin.FirstUse, Label: "shop"}
			ctx, cancel := context.WithCancel(t.Context())
			var told []string
			ended := make(chan error)
			go func() {
				ended <- two[0].Watch(ctx, func(label string) { told = append(told, label) })
			}()
			synctest.Wait()
			if _, err := mine.Review(ctx, define("a=1")); err != nil || mine.Stale(ctx) {
				t.Errorf("%s: %v, or its own change is that of somebody else", name, err)
			}
			synctest.Wait()
			o, err := theirs.Review(ctx, define("a=2"))
			if err == nil {
				err = theirs.AcceptRead(ctx, o.Quarantined, o.Quarantined)
			}
			time.Sleep(3 * time.Second)
			synctest.Wait()
			if err != nil || !slices.Equal(told, []string{"shop", "shop"}) || !mine.Stale(ctx) || mine.Stale(ctx) {
				t.Errorf("%s: %v, told of %q", name, err, told)
			}
			if err := save(ctx, two[1], "shop", nil); err != nil {
				t.Error(err)
			}
			time.Sleep(3 * time.Second)
			synctest.Wait()
			if len(told) != 3 || !mine.Stale(ctx) {
				t.Errorf("%s: told of %q", name, told)
			}
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// Which functions are seen for the first time is decided by what is pinned.
func TestW37FirstUseOfFunctions(t *testing.T) {
	functions := func(names ...string) []*pin.Definition {
		list := define(names...)
		for _, d := range list {
			d.Function = true
		}
		return list
	}
	core := define("call", "help", "skill")
	for _, test := range []struct {
		name            string
		pinned, current []*pin.Definition
		served          string
		first           bool
	}{
		{"tools alone", core, functions("ping", "a.b"), "ping a.b", true},
		{"one named as a tool", core, functions("ping", "help"), "ping", true},
		{"one is pinned", append(functions("gone"), core...), functions("ping"), "", false},
		{"one is pinned as a tool", append(define("ping"), core...), functions("ping", "pong"), "", false},
		{"one is pinned as nothing", append(define("other"), core...), functions("ping"), "ping", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			served, _, pinning := pin.Review(pin.FirstUse, byName(test.pinned), slices.Concat(core, test.current))
			if got := tell(served); got != strings.TrimSpace("call help skill "+test.served) {
				t.Errorf("served %q", got)
			}
			if want := len(test.pinned) + len(strings.Fields(test.served)); (pinning != nil) != test.first || pinning != nil && len(pinning) != want {
				t.Errorf("pins %d, want %d", len(pinning), want)
			}
			if served, _, pinning := pin.Review(pin.Locked, byName(test.pinned), slices.Concat(core, test.current)); len(served) != 3 || pinning != nil {
				t.Errorf("locked, served are %q", tell(served))
			}
		})
	}
}
