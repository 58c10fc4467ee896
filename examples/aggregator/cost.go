package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid/card"
)

// A cost is the size of text that a model reads.
type cost struct{ tokens, characters int }

func (c *cost) add(text string) {
	c.tokens += card.CL100K().Count(text, math.MaxInt)
	c.characters += utf8.RuneCountInString(text)
}

func (c cost) String() string {
	return fmt.Sprintf("%6d tokens, %6d characters", c.tokens, c.characters)
}

// compare prints the cost of the tools that the client lists, and that of a full list of all
// functions.
func (t *talk) compare(way manner) error {
	listed, err := t.session.ListTools(t.ctx, nil)
	if err != nil {
		return err
	}
	tools, err := plainTools(t.ctx, t.tools)
	if err != nil {
		return err
	}
	var ours, all cost
	ours.add(asJSON(listed.Tools))
	if way.learns == readResource {
		resources, err := t.session.ListResources(t.ctx, nil)
		if err != nil {
			return err
		}
		ours.add(asJSON(resources.Resources))
	}
	all.add(asJSON(tools))
	fmt.Fprintf(t.out, `
What the definitions of the tools cost, in every conversation, before the first question:
%v for %s
%v for the same %d functions as ordinary MCP tools
This model read %d tokens of %s.
`, ours, way.costs, all, len(tools), t.learnt.tokens, way.reads)
	return nil
}

// plainTools returns the functions as tools of an ordinary MCP server. Their own servers send
// longer definitions, with output schemas too.
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

func asJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error() // a tool always has a JSON form
	}
	return string(data)
}
