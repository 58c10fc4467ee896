package main

import (
	"math"
	"slices"
	"testing"
	"time"
)

// TestMetrics holds the figures of cases that were worked out by hand.
func TestMetrics(t *testing.T) {
	third := 1 / math.Log2(3) // what the second place is worth
	for _, tt := range []struct {
		name         string
		found, gold  []string
		k            int
		recall, gain float64
	}{
		{"nothing found", nil, []string{"a"}, 5, 0, 0},
		{"first", []string{"a", "b"}, []string{"a"}, 5, 1, 1},
		{"second", []string{"b", "a"}, []string{"a"}, 5, 1, third},
		{"second, one looked at", []string{"b", "a"}, []string{"a"}, 1, 0, 0},
		{"one of two", []string{"a", "x"}, []string{"a", "b"}, 5, 0.5, 1 / (1 + third)},
		{"two of two, apart", []string{"a", "x", "b"}, []string{"a", "b"}, 5, 1, 1.5 / (1 + third)},
		{"more gold than places", []string{"a"}, []string{"a", "b", "c", "d"}, 1, 0.25, 1},
		{"not known", []string{"a"}, []string{"a", "nobody"}, 5, 0.5, 1 / (1 + third)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			gold := distinct(tt.gold)
			if got := recall(tt.found, gold, tt.k); !near(got, tt.recall) {
				t.Errorf("recall %v, want %v", got, tt.recall)
			}
			if got := gain(tt.found, gold, tt.k); !near(got, tt.gain) {
				t.Errorf("gain %v, want %v", got, tt.gain)
			}
		})
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// TestMacroAverage: a query with much gold weighs as much as one with little.
func TestMacroAverage(t *testing.T) {
	rows := []figures{{recall: []float64{1, 1}, gain: 0.5}, {recall: []float64{0, 0.5}, gain: 0}}
	if m := mean(rows); !near(m.recall[0], 0.5) || !near(m.recall[1], 0.75) || !near(m.gain, 0.25) {
		t.Errorf("got %+v", m)
	}
	s := &set{
		tools: []tool{{Name: "mail/send"}, {Name: "mail/archive"}, {Name: "door/unlock"}},
		queries: []query{
			{"unlock", []string{"door/unlock"}},
			{"unlock", []string{"mail/send", "mail/archive", "nobody"}},
		},
	}
	got, err := measure(s, 10)
	if err != nil || !near(got.recall[0], 0.5) || got.unknown != 1 {
		t.Errorf("got %+v, %v; want a recall of 1/2", got, err)
	}
}

func TestCutoffs(t *testing.T) {
	for k, want := range map[int][]int{1: {1}, 3: {1, 3}, 5: {1, 5}, 10: {1, 5, 10}, 50: {1, 5, 10, 50}} {
		if got := cutoffs(k); !slices.Equal(got, want) {
			t.Errorf("%d: got %v, want %v", k, got, want)
		}
	}
}

func TestQuantile(t *testing.T) {
	times := make([]time.Duration, 100)
	for i := range times {
		times[i] = time.Duration(i + 1)
	}
	for _, tt := range []struct {
		n    int
		q    float64
		want time.Duration
	}{{100, 0.5, 50}, {100, 0.99, 99}, {100, 1, 100}, {100, 0, 1}, {1, 0.5, 1}, {1, 0.99, 1}, {3, 0.5, 2}} {
		if got := quantile(times[:tt.n], tt.q); got != tt.want {
			t.Errorf("%v of %d: got %d, want %d", tt.q, tt.n, got, tt.want)
		}
	}
}
