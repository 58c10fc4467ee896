package main

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cost"
	"github.com/cash-mcp/go-sdk/registry"
)

// recorded lets the first face list all tools as their own servers do.
func recorded(s *set) *cost.PlayOptions {
	return &cost.PlayOptions{Server: func(f cost.Face) cost.Runner {
		if f != cost.Plain {
			return nil
		}
		return s.recordedServer()
	}}
}

// recordedServer is a server that lists all tools as their own servers do.
func (s *set) recordedServer() *mcp.Server {
	srv := mcp.NewServer(&mcp.Implementation{Name: "plain", Version: "1.0.0"}, nil)
	pipeline := registry.NewPipeline(s.registry, &registry.PipelineOptions{ExactKeys: true})
	for _, t := range s.tools {
		f := s.functions[t.path()]
		srv.AddTool(t.definition(), func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			r, err := pipeline.Call(ctx, &registry.Request{
				Find: registry.Found(f), Arguments: req.Params.Arguments,
			})
			if err != nil {
				return nil, err
			}
			return &mcp.CallToolResult{Content: r.Content, StructuredContent: r.Structured, IsError: r.IsError}, nil
		})
	}
	return srv
}

// definition returns the tool for the SDK, with its schemas byte for byte.
func (t tool) definition() *mcp.Tool {
	var schemas struct{ InputSchema, OutputSchema json.RawMessage }
	def := new(mcp.Tool)
	for _, to := range []any{def, &schemas} {
		if err := json.Unmarshal(t.recorded, to); err != nil {
			panic("tokens: " + err.Error()) // cannot happen: the set was made from it
		}
	}
	def.InputSchema = schemas.InputSchema
	if schemas.OutputSchema != nil {
		def.OutputSchema = schemas.OutputSchema
	}
	return def
}
