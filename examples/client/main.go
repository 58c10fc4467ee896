// Command client lists and calls the tools of the command endpoint that MCP_ENDPOINT configures.
//
//	go build -o /tmp/shop ./examples/shop
//	printf '#!/bin/sh\nexec /tmp/shop -face endpoint -stdio -state /tmp/shop.json\n' > /tmp/tools
//	chmod +x /tmp/tools
//	export MCP_ENDPOINT=/tmp/tools
//
//	go run ./examples/client                                 what there is, a line for each tool
//	go run ./examples/client describe orders.get             a descriptor, as the endpoint gave it
//	go run ./examples/client call orders.get '{"order_id":"ORD-1001"}'
//
// The value of MCP_ENDPOINT is the path of one program, without arguments: a script holds those.
//
// # Limits
//
// Texts of the endpoint are printed without the characters that control a terminal, and are otherwise not checked.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"unicode"

	"github.com/cash-mcp/go-sdk/cash/endpoint"
)

const usage = `client [list]
client describe TOOL
client call TOOL [ARGUMENTS AS A JSON OBJECT]`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run returns the exit code: 0, 1 after a failure, 2 for wrong usage and without an endpoint.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	client, err := endpoint.FromEnv(nil)
	if err != nil {
		fmt.Fprintln(stderr, "client:", err)
		return 2
	}
	do := request(client, args)
	if do == nil {
		fmt.Fprintln(stderr, usage)
		return 2
	}
	text, err := do(ctx)
	if err != nil {
		fmt.Fprintln(stderr, "client:", err)
		return 1
	}
	fmt.Fprintln(stdout, printable(text))
	return 0
}

// request returns the request that the arguments ask for, or nil.
func request(c *endpoint.Client, args []string) func(context.Context) (string, error) {
	args = append(args, "list")[:max(len(args), 1)]
	switch verb, rest := args[0], args[1:]; {
	case verb == "list" && len(rest) == 0:
		return func(ctx context.Context) (string, error) { return list(ctx, c) }
	case verb == "describe" && len(rest) == 1:
		return func(ctx context.Context) (string, error) { return describe(ctx, c, rest[0]) }
	case verb == "call" && (len(rest) == 1 || len(rest) == 2):
		arguments := append(rest, "{}")[1]
		return func(ctx context.Context) (string, error) {
			result, err := c.Call(ctx, rest[0], json.RawMessage(arguments))
			return string(result), err
		}
	}
	return nil
}

func list(ctx context.Context, c *endpoint.Client) (string, error) {
	tools, err := c.List(ctx)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("%d tools", len(tools))
	for _, d := range tools {
		about, _, _ := strings.Cut(d.Description, "\n")
		text += "\n" + d.Name + "  " + about
	}
	return text, nil
}

func describe(ctx context.Context, c *endpoint.Client, tool string) (string, error) {
	d, err := c.Describe(ctx, tool)
	if err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(d, "", "  ")
	return string(text), err
}

// printable returns a text without characters that control a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || unicode.IsPrint(r) {
			return r
		}
		return -1
	}, text)
}
