// Command move takes a server from the MCP SDK to a registry, step by step. It shows what a client sees at each step:
//
//	go run ./examples/move
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// A server is any step.
type server interface {
	Run(ctx context.Context, t mcp.Transport) error
}

func run(ctx context.Context, out io.Writer) error {
	for _, step := range []struct {
		name string
		srv  server
		tool string
		args string
	}{
		{"before", before(new(book)), "notes-add", `{"text":"buy bread"}`},
		{"same", same(new(book)), "notes-add", `{"text":"buy bread"}`},
		{"both", both(new(book)), "call", `{"namespace":"notes","function":"add","kwargs":{"text":"buy bread"}}`},
		{"after", after(new(book)), "call", `{"namespace":"notes","function":"add","kwargs":{"text":"buy bread"}}`},
	} {
		if err := show(ctx, out, step.name, step.srv, step.tool, step.args); err != nil {
			return fmt.Errorf("showing %s: %w", step.name, err)
		}
	}
	return nil
}

// show connects a client, lists the tools, and calls one.
func show(ctx context.Context, out io.Writer, name string, srv server, tool, args string) error {
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	defer func() { stop(); <-ended }()
	client, transport := mcp.NewInMemoryTransports()
	go func() { ended <- srv.Run(ctx, transport) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1.0.0"}, nil).Connect(ctx, client, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	var names []string
	for _, t := range list.Tools {
		names = append(names, t.Name)
	}
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil {
		return err
	}
	text := res.Content[0].(*mcp.TextContent).Text
	fmt.Fprintf(out, "%-7s tools: %s\n        %s %s\n        %s\n", name, strings.Join(names, ", "), tool, args, text)
	return nil
}
