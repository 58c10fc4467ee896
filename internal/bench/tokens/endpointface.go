package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cash-mcp/go-sdk/cash/endpoint"
)

// askEndpoint plays a step behind the command endpoint, as play does behind the faces that are MCP servers. The answer
// to list_tools has every description and schema, so the model calls without a search.
func askEndpoint(ctx context.Context, s *set, st *step) (*bill, error) {
	f, err := s.function(st.tool)
	if err != nil {
		return nil, err
	}
	e := endpoint.New(s.registry, nil)
	list, exit := e.Answer(ctx, []byte(`{"action":"list_tools"}`))
	if exit != 0 {
		return nil, fmt.Errorf("list_tools: %.300s", list)
	}
	call := asJSON(endpointCall{"call_tool", f.Path(), json.RawMessage(st.args)})
	reply, exit := e.Answer(ctx, call)
	for _, want := range st.want {
		if exit != 0 || !strings.Contains(string(reply), want) {
			return nil, fmt.Errorf("call_tool: %.300s", reply)
		}
	}
	b := &bill{definitions: count(string(list)), turns: []turn{{
		tool: "call_tool", args: string(call), sent: count(string(call)), got: count(string(reply)),
	}}}
	return b, nil
}

// An endpointCall is the request that calls a function.
type endpointCall struct {
	Action    string          `json:"action"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}
