package main

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// before is the server as it was: a tool for each thing, with the SDK alone.
func before(b *book) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1.0.0"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "notes-add", Description: "Write a note."}, b.addTool)
	mcp.AddTool(s, &mcp.Tool{
		Name: "notes-find", Description: "Find notes that contain a word.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, b.findTool)
	return s
}

func (b *book) addTool(ctx context.Context, req *mcp.CallToolRequest, in note) (*mcp.CallToolResult, saved, error) {
	out, err := b.add(ctx, in)
	return nil, out, err
}

func (b *book) findTool(ctx context.Context, req *mcp.CallToolRequest, in word) (*mcp.CallToolResult, found, error) {
	out, err := b.find(ctx, in)
	return nil, out, err
}
