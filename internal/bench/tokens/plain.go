package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/registry"
)

// recordedList lists all tools as their servers do.
type recordedList struct{ set *set }

func newPlain(s *set) face { return recordedList{s} }

func (p recordedList) server() runner {
	srv := mcp.NewServer(&mcp.Implementation{Name: "plain", Version: "1.0.0"}, nil)
	pipeline := registry.NewPipeline(p.set.registry, &registry.PipelineOptions{ExactKeys: true})
	for _, t := range p.set.tools {
		f := p.set.functions[t.path()]
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

// do calls at once, because everything is known from the list.
func (p recordedList) do(t *talk, s *step) error {
	_, name, _ := strings.Cut(s.tool, ".")
	_, err := t.must(name, json.RawMessage(s.args))
	return err
}

// plainList lists every function as a tool, as package plain does. It stands for recordedList where there are no
// recorded servers.
type plainList struct{ set *set }

func newPlainList(s *set) face { return plainList{s} }

func (l plainList) server() runner { return plain.NewServer(l.set.registry, nil) }

// do calls at once, like that of recordedList.
func (l plainList) do(t *talk, s *step) error {
	f, err := l.set.function(s.tool)
	if err != nil {
		return err
	}
	_, err = t.must(f.FlatName(), json.RawMessage(s.args))
	return err
}
