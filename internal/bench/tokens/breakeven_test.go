package main

import (
	"testing"

	"github.com/cash-mcp/go-sdk/cash/cost"
)

func TestGrowth(t *testing.T) {
	for _, tt := range []struct {
		first, other []int
		since, until int
	}{
		{[]int{1, 2, 3, 4}, []int{2, 2, 2, 2}, 3, 0},
		{[]int{1, 2, 3, 4}, []int{0, 0, 0, 0}, 1, 4},
		{[]int{1, 2, 3, 4}, []int{0, 1, 4, 5}, 0, 2},
		{[]int{5, 5, 5, 5}, []int{4, 6, 4, 4}, 3, 1},
		{[]int{5}, []int{5}, 0, 0},
		{[]int{5}, []int{4}, 1, 1},
	} {
		var g growth
		for i := range tt.first {
			g = append(g, []cost.Price{{Once: tt.first[i], Input: 1}, {Once: tt.other[i], Input: 1}})
		}
		if since, until := g.cheaperFrom(1, countOnce), g.cheaperUpTo(1, countOnce); since != tt.since || until != tt.until {
			t.Errorf("%v against %v: since %d, until %d; want %d, %d", tt.other, tt.first, since, until, tt.since, tt.until)
		}
		if since, until := g.cheaperFrom(1, countInput), g.cheaperUpTo(1, countInput); since != 0 || until != 0 {
			t.Errorf("what is the same is not less: since %d, until %d", since, until)
		}
	}
}

func TestCells(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{thousands(0), "0"},
		{thousands(999), "999"},
		{thousands(1000), "1,000"},
		{thousands(1234567), "1,234,567"},
		{compared(0, 1234, 1234), "1,234"},
		{compared(1, 500, 1000), "50 %"},
		{compared(1, 1000, 1000), "100 %"},
		{compared(1, 1500, 1000), "**150 %**"},
		{from(0), "never"},
		{from(7), "from 7 tools on"},
		{upTo(0, 9), "never"},
		{upTo(3, 9), "as long as at most 3 are called"},
		{upTo(9, 9), "even if all are called"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}
