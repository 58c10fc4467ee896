package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// tiny is an effort for tests.
var tiny = effort{budget: time.Millisecond, rounds: 5}

// TestMeasure holds what is counted for subjects whose costs are known.
func TestMeasure(t *testing.T) {
	var sink []byte
	closed := 0
	kept := make([][]byte, 0, 1)
	c := chart{name: "c", axis: "tools", sizes: []int{1, 2}, subjects: []subject{
		{name: "allocates", setup: func(t *trial) (func(int) error, error) {
			kept = append(kept[:0], make([]byte, 1<<20))
			t.cleanup(func() { closed++ })
			return func(int) error {
				sink = make([]byte, 4096)
				return nil
			}, nil
		}},
		{name: "times itself", setup: func(t *trial) (func(int) error, error) {
			return func(int) error {
				sink = make([]byte, 1<<20) // not measured
				return t.timed(func() error { return nil })
			}, nil
		}},
		{name: "tells", most: 1, setup: func(t *trial) (func(int) error, error) {
			return func(int) error {
				t.tell(time.Hour)
				return nil
			}, nil
		}},
	}}
	all, err := measure(t.Context(), []chart{c}, tiny, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	_ = sink
	if len(all) != 5 || closed != 2 || all.of("c", "tells", 2) != nil {
		t.Fatalf("%d figures, closed %d times", len(all), closed)
	}
	f := all.of("c", "allocates", 1)
	if f.bytes < 4096 || f.bytes > 20_000 || f.allocs < 1 || f.allocs > 20 {
		t.Errorf("%.0f bytes, %.1f allocations", f.bytes, f.allocs)
	}
	if f.heap < 1<<20 || f.heap > 2<<20 || f.setup <= 0 {
		t.Errorf("the setup keeps %d bytes, and takes %v", f.heap, f.setup)
	}
	if f := all.of("c", "times itself", 1); f.bytes > 1<<19 || f.median() > 1e8 {
		t.Errorf("%.0f bytes in %.0f ns", f.bytes, f.median())
	}
	if f := all.of("c", "tells", 1); f.median() != float64(time.Hour) || f.allocs >= 0 {
		t.Errorf("%.0f ns, %.0f allocations", f.median(), f.allocs)
	}
}

// TestTurns holds that each round measures all, and that another subject is first.
func TestTurns(t *testing.T) {
	var turns []string
	c := chart{name: "c", sizes: []int{1}}
	for _, name := range []string{"a", "b", "c"} {
		c.subjects = append(c.subjects, subject{name: name, setup: func(t *trial) (func(int) error, error) {
			return func(int) error {
				turns = append(turns, name)
				return t.timed(func() error {
					time.Sleep(2 * time.Millisecond) // longer than the budget
					return nil
				})
			}, nil
		}})
	}
	if _, err := measure(t.Context(), []chart{c}, tiny, io.Discard); err != nil {
		t.Fatal(err)
	}
	// One each to warm up, and then the fewest rounds.
	if got := strings.Join(turns, ""); got != "abc"+"abc"+"bca"+"cab" {
		t.Errorf("turns %s", got)
	}
}

// TestClients holds that clients work at a time, each with its own number.
func TestClients(t *testing.T) {
	var meet, most atomic.Int64
	c := chart{name: "c", sizes: []int{8}, parallel: true, subjects: []subject{{name: "s", setup: func(*trial) (func(int) error, error) {
		seen := make([]int, 8) // the race detector sees two goroutines with one number
		return func(client int) error {
			seen[client]++
			now := meet.Add(1)
			for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
			}
			time.Sleep(time.Millisecond)
			meet.Add(-1)
			return nil
		}, nil
	}}}}
	all, err := measure(t.Context(), []chart{c}, tiny, io.Discard)
	if err != nil || most.Load() < 2 {
		t.Fatalf("at most %d at a time, %v", most.Load(), err)
	}
	if f := all[0]; f.median() > quantile(f.singles, 0.5) {
		t.Errorf("an operation of eight clients takes %.0f ns, a single one %.0f ns", f.median(), quantile(f.singles, 0.5))
	}
}

// TestErrors holds that an error names where it comes from, and that everything is cleaned up.
func TestErrors(t *testing.T) {
	broken, cleaned := errors.New("broken"), 0
	for name, setup := range map[string]func(*trial) (func(int) error, error){
		"setup": func(t *trial) (func(int) error, error) {
			t.cleanup(func() { cleaned++ })
			return nil, broken
		},
		"operation": func(t *trial) (func(int) error, error) {
			t.cleanup(func() { cleaned++ })
			return func(int) error { return broken }, nil
		},
	} {
		c := chart{name: "c", axis: "tools", sizes: []int{3}, subjects: []subject{{name: name, setup: setup}}}
		_, err := measure(t.Context(), []chart{c}, tiny, io.Discard)
		if !errors.Is(err, broken) || err.Error() != "c, 3 tools: "+name+": broken" {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if cleaned != 2 {
		t.Errorf("cleaned up %d times", cleaned)
	}
}

// made figures with the given times.
func grown(times ...float64) figures {
	var line figures
	for i, v := range times {
		line = append(line, &figure{chart: "c", subject: "s", size: int(math.Pow10(i + 1)), rounds: []float64{v}, setup: 1, heap: 1})
	}
	return line
}

func TestGrowth(t *testing.T) {
	c := chart{name: "c", title: "C", axis: "tools", subjects: []subject{{name: "s"}}}
	for _, tt := range []struct {
		name  string
		times []float64
		want  string
	}{
		{"constant", []float64{5, 5, 5}, ""},
		{"linear", []float64{10, 100, 1000}, ""},
		{"n log n", []float64{1e3, 2e4, 2.6e5}, ""},
		{"square", []float64{10, 1000, 100_000}, "C, s: the time of an operation grows as n^2.00 from 100 to 1,000 tools."},
		{"square at the end", []float64{1, 1, 10, 1000, 100_000}, "C, s: the time of an operation grows as n^2.00 from 10,000 to 100,000 tools."},
		{"linear in the end", []float64{1, 1000, 10_000}, ""},
		{"a step only", []float64{100, 100, 2000}, ""},
		{"two sizes", []float64{1, 1000}, ""},
	} {
		if got := strings.Join(growing([]chart{c}, grown(tt.times...)), "\n"); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	c.parallel = true
	if got := growing([]chart{c}, grown(10, 1000, 100_000)); got != nil {
		t.Errorf("clients: %q", got)
	}
}

// TestBounds holds that a bound fails above it, for what is missing, and for what is no number.
func TestBounds(t *testing.T) {
	b := bound{"c", "s", 1, "p", (*figure).fastest, "time", 1.2}
	of := func(is, other float64) figures {
		return figures{{chart: "c", subject: "s", size: 1, rounds: []float64{is}}, {chart: "c", subject: "p", size: 1, rounds: []float64{other}}}
	}
	for _, tt := range []struct {
		figures figures
		want    string
	}{
		{of(120, 100), ""},
		{of(121, 100), `c at 1: time of s is 1.21× that of "p", and may be 1.20×`},
		{of(0, 0), "NaN"},
		{of(1, 1)[:1], "p was not measured"},
		{nil, "s was not measured"},
	} {
		err := b.check(tt.figures)
		if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
	if err := check(nil); err == nil || strings.Count(err.Error(), "\n") != len(bounds)-1 {
		t.Errorf("error %v", err)
	}
}

// TestConfirm holds that a broken bound is measured again, and fails only if it stays broken.
func TestConfirm(t *testing.T) {
	measured := 0
	list := []chart{{name: "direct", sizes: []int{1}, short: []int{1}}}
	for _, name := range []string{handlerByHand, serverCall} {
		list[0].subjects = append(list[0].subjects, subject{name: name, setup: func(t *trial) (func(int) error, error) {
			measured++
			return func(int) error {
				t.tell(time.Second)
				return nil
			}, nil
		}})
	}
	slower := figures{{chart: "direct", subject: serverCall, size: 1, rounds: []float64{1000}}, {chart: "direct", subject: handlerByHand, size: 1, rounds: []float64{1}}}
	err := confirm(t.Context(), list, slower, effort{short: true, budget: time.Millisecond, rounds: 1}, io.Discard)
	if measured != 2 || err == nil || strings.Contains(err.Error(), "direct") {
		t.Errorf("measured %d subjects, error %v", measured, err)
	}
	list[0].subjects = list[0].subjects[:1] // the other one stays as it was
	err = confirm(t.Context(), list, slower, effort{short: true, budget: time.Nanosecond, rounds: 1}, io.Discard)
	if measured != 2+1 || err == nil || strings.Contains(err.Error(), "direct") {
		t.Errorf("measured %d subjects, error %v", measured, err)
	}
	slower[1].rounds[0] = 1
	list[0].subjects = nil
	if err := confirm(t.Context(), list, slower, brief, io.Discard); err == nil || !strings.Contains(err.Error(), "direct at 1: time of Server.Call") {
		t.Errorf("error %v", err)
	}
}

// TestLost holds that a subject is called slower only beyond the spreads.
func TestLost(t *testing.T) {
	of := func(ours, theirs []float64) *page {
		return &page{charts: []chart{{name: "c", title: "C", axis: "tools", subjects: []subject{{name: "s"}, {name: "p", kind: peer}}}},
			figures: figures{{chart: "c", subject: "s", size: 1000, rounds: ours}, {chart: "c", subject: "p", size: 1000, rounds: theirs}}}
	}
	for _, tt := range []struct {
		ours, theirs []float64
		want         []string
	}{
		{[]float64{200, 200, 200, 200}, []float64{100, 100, 100, 100}, []string{"C, s: p, 2.00× at 1,000 tools."}},
		{[]float64{100, 100, 100, 100}, []float64{200, 200, 200, 200}, nil},
		{[]float64{90, 110, 130, 150}, []float64{80, 100, 120, 140}, nil},
	} {
		if got := of(tt.ours, tt.theirs).lost(); !slices.Equal(got, tt.want) {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestWords(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{duration(0.4), "0.4 ns"}, {duration(12), "12 ns"}, {duration(1234), "1.2 µs"}, {duration(999_600), "1.0 ms"}, {duration(45.6e6), "46 ms"}, {duration(1234e9), "1,234 s"},
		{size(12), "12 B"}, {size(1234), "1.2 KB"}, {size(480_000), "480 KB"}, {size(999_600), "1.0 MB"},
		{brieflyTime(1e6), "1 ms"}, {thousands(1_234_567), "1,234,567"},
		{wrapped("- " + strings.Repeat("word ", 30) + "\n"), "- " + strings.TrimSpace(strings.Repeat("word ", 23)) + "\n  " + strings.Repeat("word ", 7) + "\n"},
		{wrapped("| " + strings.Repeat("word ", 30) + "|\n"), "| " + strings.Repeat("word ", 30) + "|\n"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}

func TestTable(t *testing.T) {
	old := "Before.\n\n" + tableHead + "\n|---|---|---|\n| old | 1 | 2 |\n\nAfter.\n"
	got, err := withTable(old, tableHead+"\n| new |\n")
	if want := "Before.\n\n" + tableHead + "\n| new |\n\nAfter.\n"; got != want || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := withTable("No table.", ""); !errors.Is(err, errNoTable) {
		t.Errorf("error %v", err)
	}
}

// TestPeers holds that the peers of search find what is there, so that they are measured at work.
func TestPeers(t *testing.T) {
	tools := made(300)
	index, err := newBleve(t.TempDir(), tools)
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	plain := newBM25(tools)
	for i := 0; i < len(tools); i += 50 {
		if n, err := bleveSearch(index, tools[i].name, 10); err != nil || n == 0 {
			t.Errorf("Bleve finds %d for %q, %v", n, tools[i].name, err)
		}
		hits := plain.search(tools[i].space+" "+tools[i].name+" "+tools[i].description, 10)
		if len(hits) == 0 || hits[0].doc != i {
			t.Errorf("BM25 finds %v for tool %d", hits, i)
		}
	}
}

// TestMade holds that more tools begin with the same, and that no two of a namespace have one name.
func TestMade(t *testing.T) {
	few := slices.Clone(made(60))
	names := make(map[string]bool)
	for i, tool := range made(500) {
		if i < len(few) && fmt.Sprint(few[i]) != fmt.Sprint(tool) {
			t.Errorf("tool %d is another", i)
		}
		if path := tool.space + "." + tool.name; names[path] {
			t.Errorf("two tools are %s", path)
		} else {
			names[path] = true
		}
	}
}
