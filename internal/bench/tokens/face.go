package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/cash-mcp/go-sdk/cash/cost"
)

// A column is a face in a table.
type column struct {
	name  string
	face  cost.Face
	typed bool // output schemas and structured content count too
}

// faces are the columns of the first table. The first, of the recorded servers, is what the others are compared with.
var faces = []column{
	{name: "full tools/list", face: cost.Plain},
	{name: "call, help, skill", face: cost.CaSH},
	{name: "gateway", face: cost.Gateway},
	{name: "proxy", face: cost.Proxy},
	{name: "disclosure", face: cost.Disclosure},
	{name: "facade", face: cost.Facade},
}

// steps returns the steps of a task for the functions of the set.
func (s *set) steps(list []step) ([]cost.Step, error) {
	task := make([]cost.Step, len(list))
	for i := range list {
		one, err := s.step(&list[i])
		if err != nil {
			return nil, err
		}
		task[i] = *one
	}
	return task, nil
}

func (s *set) step(st *step) (*cost.Step, error) {
	f, err := s.function(st.tool)
	if err != nil {
		return nil, err
	}
	one := &cost.Step{Function: f.Path(), Args: json.RawMessage(st.args), Query: st.query, Want: st.want, Look: st.look}
	if st.narrow != nil {
		if one.Narrow, err = s.step(st.narrow); err != nil {
			return nil, err
		}
	}
	return one, nil
}

// bills plays a task behind each face.
func bills(ctx context.Context, s *set, t *task, columns []column, o *cost.PlayOptions) ([]*cost.Bill, error) {
	steps, err := s.steps(t.steps)
	if err != nil {
		return nil, err
	}
	list := make([]*cost.Bill, len(columns))
	for i, f := range columns {
		var own cost.PlayOptions
		if o != nil {
			own = *o
		}
		own.Typed = f.typed
		if list[i], err = cost.Play(ctx, f.face, s.registry, steps, &own); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return list, nil
}
