package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cost"
	"github.com/cash-mcp/go-sdk/registry"
)

const introduction = `A %s with %d functions, and a model that knows %s.
What the model sends (>) and gets (<), sizes in characters. [...] is cut on this page only.
`

const comparison = `
What the definitions of the tools cost, in every conversation, before the first question:
%6d characters for %s
%6d characters for the same %d functions as ordinary MCP tools
`

const learning = "This model read %d characters of %s on top, because it needed them.\n"

// walk holds a model's conversation with a face over a real MCP connection, and prints it.
func walk(ctx context.Context, g *goods, name string, f face, out io.Writer) error {
	ordinary, err := plainTools(ctx, g.tools)
	if err != nil {
		return err
	}
	session, err := connect(ctx, f)
	if err != nil {
		return err
	}
	defer session.Close()
	s := scripts[name]
	paid, err := s.paid(ctx, session)
	if err != nil {
		return err
	}
	what, play := "shop", s.shop
	if !g.shop {
		what, play = "catalog", s.catalog
	}
	fmt.Fprintf(out, introduction, what, len(ordinary), s.knows)
	t := &talk{ctx: ctx, session: session, out: out, learns: s.learns}
	play(t, g)
	fmt.Fprintf(out, comparison, paid, fmt.Sprintf(s.costs, what), jsonSize(ordinary), len(ordinary))
	if t.err != nil {
		return t.err
	}
	if s.learns != "" {
		fmt.Fprintf(out, learning, t.learnt, s.reads)
		return nil
	}
	r, err := cost.Measure(ctx, g.tools, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "What each face costs, in tokens (each once / input of all requests):\n\n%v\n%s\n", r, r.Advice())
	return nil
}

// paid returns the size of the texts that every conversation pays for.
func (s script) paid(ctx context.Context, session *mcp.ClientSession) (int, error) {
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		return 0, err
	}
	size := jsonSize(tools.Tools)
	if s.learns == readResource {
		resources, err := session.ListResources(ctx, nil)
		if err != nil {
			return 0, err
		}
		size += jsonSize(resources.Resources)
	}
	return size, nil
}

// connect starts the face on one end of a pipe and a client on the other.
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
				Description: f.Description(),
				InputSchema: f.InputSchema(),
				Annotations: &mcp.ToolAnnotations{ReadOnlyHint: f.ReadOnly(), IdempotentHint: f.Idempotent()},
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
