package main

import (
	"context"
	"fmt"
)

// costs are the two totals of a bill: every token once, and all input.
type costs struct{ fresh, input int }

// after returns the costs of the first turns.
func (b *bill) after(turns int) costs { return costs{b.fresh(turns), b.input(turns)} }

func (b *bill) whole() costs { return b.after(len(b.turns)) }

// A counting selects one of the two totals.
type counting func(costs) int

func countOnce(c costs) int  { return c.fresh }
func countInput(c costs) int { return c.input }

// growth has the costs of each face for growing numbers of tools or steps, from one on.
type growth [][]costs // by number less one, and face

// cheaperFrom returns the number from which on a face is always cheaper than the first face. It is 0 if the face is not
// cheaper at the end.
func (g growth) cheaperFrom(face int, by counting) int {
	n := len(g)
	for n > 0 && by(g[n-1][face]) < by(g[n-1][0]) {
		n--
	}
	if n == len(g) {
		return 0
	}
	return n + 1
}

// cheaperUpTo returns the number up to which a face is always cheaper than the first face.
func (g growth) cheaperUpTo(face int, by counting) int {
	n := 0
	for n < len(g) && by(g[n][face]) < by(g[n][0]) {
		n++
	}
	return n
}

// byTools measures one call with a growing number of tools: first only the called one, then the others in order.
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

// bySteps returns the costs of a task after each of its steps.
func bySteps(bills []*bill) growth {
	g := make(growth, len(bills[0].steps))
	for n := range g {
		for _, b := range bills {
			g[n] = append(g[n], b.after(b.steps[n]))
		}
	}
	return g
}
