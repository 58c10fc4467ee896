package main

import (
	"context"
	"fmt"

	"github.com/cash-mcp/go-sdk/cash/cost"
)

// A counting selects one of the two totals.
type counting func(cost.Price) int

func countOnce(p cost.Price) int  { return p.Once }
func countInput(p cost.Price) int { return p.Input }

// growth has the costs of each face for growing numbers of tools or steps, from one on.
type growth [][]cost.Price // by number less one, and face

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
		bills, err := bills(ctx, s, &one, faces, recorded(s))
		if err != nil {
			return nil, fmt.Errorf("with %d tools: %w", n+1, err)
		}
		row := make([]cost.Price, len(bills))
		for i, b := range bills {
			row[i] = b.Whole()
		}
		g = append(g, row)
	}
	return g, nil
}

// bySteps returns the costs of a task after each of its steps.
func bySteps(bills []*cost.Bill) growth {
	g := make(growth, len(bills[0].Steps))
	for n := range g {
		for _, b := range bills {
			g[n] = append(g[n], b.After(b.Steps[n]))
		}
	}
	return g
}
