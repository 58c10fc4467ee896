package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
)

const introduction = `A %s with %d functions, and a model that knows %s.
What the model sends (>) and gets (<), sizes in characters. [...] is cut on this page only.
`

const comparison = `
What the definitions of the tools cost, in every conversation, before the first question:
%6d characters for %s
%6d characters for the same %d functions as ordinary MCP tools
This model read %d characters of %s on top, because it needed them.
`

// walk holds the conversation of a model with a face over a real MCP connection,
// and writes it down.
func walk(ctx context.Context, g *goods, name string, f face, out io.Writer) error {
	plain, err := plainTools(ctx, g.tools)
	if err != nil {
		return err
	}
	session, err := connect(ctx, f)
	if err != nil {
		return err
	}
	defer session.Close()
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		return err
	}

	s := scripts[name]
	what, play := "shop", s.shop
	if !g.shop {
		what, play = "catalog", s.catalog
	}
	fmt.Fprintf(out, introduction, what, len(plain), s.knows)
	t := &talk{ctx: ctx, session: session, out: out, learns: s.learns}
	play(t, g)
	fmt.Fprintf(out, comparison, jsonSize(tools.Tools), fmt.Sprintf(s.costs, what), jsonSize(plain), len(plain), t.learnt, s.reads)
	return t.err
}

// connect starts the face on one end of a pipe, and a client on the other.
func connect(ctx context.Context, f face) (*mcp.ClientSession, error) {
	here, there := mcp.NewInMemoryTransports()
	go f.Run(ctx, there) // ends with the session
	client := mcp.NewClient(&mcp.Implementation{Name: "walk", Version: "1.0.0"}, nil)
	return client.Connect(ctx, here, nil)
}

// plainTools returns the functions as tools of an ordinary MCP server.
func plainTools(ctx context.Context, src registry.Source) ([]*mcp.Tool, error) {
	var tools []*mcp.Tool
	err := registry.Walk(ctx, src, "", func(l *registry.Listing) error {
		for _, f := range l.Functions {
			tools = append(tools, &mcp.Tool{
				Name:        strings.ReplaceAll(f.Path(), ".", "_"),
				Description: f.Description,
				InputSchema: f.InputSchema(),
				Annotations: &mcp.ToolAnnotations{ReadOnlyHint: f.ReadOnly, IdempotentHint: f.Idempotent},
			})
		}
		return nil
	})
	return tools, err
}

func jsonSize(v any) int {
	data, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return utf8.RuneCount(data)
}
