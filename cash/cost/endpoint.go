package cost

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/internal/strictjson"
)

// ask plays a task behind the command endpoint. The answer to list_tools has every description and schema, so the model
// calls without a search.
func (th *theatre) ask(ctx context.Context, task []Step, o *PlayOptions) (*Bill, error) {
	e := endpoint.New(th.src, &endpoint.Options{Middleware: o.Middleware})
	list, exit := e.Answer(ctx, []byte(`{"action":"list_tools"}`))
	if exit != 0 {
		return nil, fmt.Errorf("list_tools: %.300s", list)
	}
	b := &Bill{Definitions: count(string(list))}
	if o.Texts {
		b.Defined = []string{string(list)}
	}
	for i := range task {
		s := &task[i]
		f, err := th.function(s.Function)
		if err != nil {
			return nil, err
		}
		args := s.Args
		if args == nil {
			args = json.RawMessage("{}")
		}
		call := strictjson.MustMarshal(endpointCall{"call_tool", f.Path(), args})
		reply, exit := e.Answer(ctx, call)
		if exit != 0 {
			return nil, fmt.Errorf("%s: call_tool: %.300s", s.Function, reply)
		}
		for _, want := range s.Want {
			if !strings.Contains(string(reply), want) {
				return nil, fmt.Errorf("%s: the model has not read %q", s.Function, want)
			}
		}
		turn := Turn{Tool: "call_tool", Args: string(call), Sent: count(string(call)), Got: count(string(reply))}
		if o.Texts {
			turn.Reply = string(reply)
		}
		b.Turns = append(b.Turns, turn)
		b.Steps = append(b.Steps, len(b.Turns))
	}
	return b, nil
}

// An endpointCall is the request that calls a function.
type endpointCall struct {
	Action    string          `json:"action"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}
