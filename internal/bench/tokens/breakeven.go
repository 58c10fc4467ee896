package main

import (
	"context"
	"fmt"
)

// costs are a bill in the two ways to add it up.
type costs struct{ fresh, input int }

// after returns the costs of the first turns.
func (b *bill) after(turns int) costs { return costs{b.fresh(turns), b.input(turns)} }

func (b *bill) whole() costs { return b.after(len(b.turns)) }

// A way is one of the two.
type way func(costs) int

func once(c costs) int  { return c.fresh }
func input(c costs) int { return c.input }

// growth is what each face costs, by the number of something that grows from
// one.
type growth [][]costs // by number less one, and face

// since is the number from which on, to the end, a face costs less than the
// first; 0 if it does not at the end.
func (g growth) since(face int, w way) int {
	n := len(g)
	for n > 0 && w(g[n-1][face]) < w(g[n-1][0]) {
		n--
	}
	if n == len(g) {
		return 0
	}
	return n + 1
}

// until is the number up to which, from the beginning, a face costs less than
// the first.
func (g growth) until(face int, w way) int {
	n := 0
	for n < len(g) && w(g[n][face]) < w(g[n][0]) {
		n++
	}
	return n
}

// byTools measures one call, by the number of tools that there are: the one that
// is called, and then the others in their order.
func byTools(ctx context.Context, tools []tool) (growth, error) {
	one := task{name: "one call", steps: []step{readNote}}
	tools = beginningWith(tools, readNote.tool)
	var g growth
	for n := range tools {
		s, err := newSet(tools[:n+1])
		if err != nil {
			return nil, err
		}
		bills, err := bills(ctx, s, &one)
		if err != nil {
			return nil, fmt.Errorf("with %d tools: %w", n+1, err)
		}
		row := make([]costs, len(bills))
		for i, b := range bills {
			row[i] = b.whole()
		}
		g = append(g, row)
	}
	return g, nil
}

// bySteps takes the bills of a task apart, by the number of its steps.
func bySteps(bills []*bill) growth {
	g := make(growth, len(bills[0].steps))
	for n := range g {
		for _, b := range bills {
			g[n] = append(g[n], b.after(b.steps[n]))
		}
	}
	return g
}
