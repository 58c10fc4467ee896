package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/cash/endpoint"
)

// newEndpoint returns the shop as a command: a process that answers one request.
func newEndpoint(g *goods) *endpoint.Endpoint {
	return endpoint.New(g.tools, &endpoint.Options{Name: "shop", Middleware: g.middleware})
}

// requested returns the reader of the request on standard input, or nil if there is none. Unless
// sure is set, it looks for piped input: programs that start endpoints pass no flags.
func requested(stdin *os.File, sure bool) io.Reader {
	if sure {
		return stdin
	}
	info, err := stdin.Stat()
	if err != nil || !info.Mode().IsRegular() && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return nil
	}
	first := make([]byte, 1)
	if n, _ := stdin.Read(first); n == 0 { // an error shows again when the rest is read
		return nil
	}
	return io.MultiReader(bytes.NewReader(first), stdin)
}

const endpointIntroduction = `A %s with %d functions, as a command that answers one request and ends.
What it reads (>) and writes (<), sizes in characters. [...] is cut on this page only.
`

const endpointComparison = `
What a client knows before the first question:
%6d characters in the answer to list_tools
%6d characters for the same %d functions as ordinary MCP tools
`

// walkEndpoint sends a client's requests to the command endpoint, in one process, and prints them.
func walkEndpoint(ctx context.Context, g *goods, out io.Writer) error {
	ordinary, err := plainTools(ctx, g.tools)
	if err != nil {
		return err
	}
	what := "shop"
	if !g.shop {
		what = "catalog"
	}
	fmt.Fprintf(out, endpointIntroduction, what, len(ordinary))
	t, e := &talk{ctx: ctx, out: out}, newEndpoint(g)
	ask := func(why, request string) string {
		data, exit := e.Answer(ctx, []byte(request))
		answer := string(data)
		t.head(why, len(request), utf8.RuneCountInString(answer))
		t.write("> ", request)
		t.write("< ", answer)
		if exit != 0 {
			fmt.Fprintf(out, "   and exits with %d\n", exit)
		}
		return answer
	}
	list := ask("What is there?", `{"action":"list_tools"}`)
	if g.shop {
		byActions(ask)
	} else {
		ask("How is one of them called?", fmt.Sprintf(`{"action":"describe_tool","tool":%q}`, found(list, `"name":"([^"]+)"`)))
	}
	fmt.Fprintf(out, endpointComparison, utf8.RuneCountInString(list), jsonSize(ordinary), len(ordinary))
	return nil
}

// byActions sends the requests for the shop.
func byActions(ask func(why, request string) string) {
	ask("How is one of them called?", `{"action":"describe_tool","tool":"orders.create"}`)
	ask("Call it.", `{"action":"call_tool","tool":"orders.create","arguments":{"customer_id":"C-42",`+
		`"items":[{"product_id":"P-7","quantity":3}]}}`)
	ask("Arguments that do not fit are an error.", `{"action":"call_tool","tool":"inventory.restock","arguments":{"product":"P-7"}}`)
	ask("What the shop refuses has a next step.", `{"action":"call_tool","tool":"orders.get","arguments":{"order_id":"ORD-1"}}`)
	ask("So has a name that is none.", `{"action":"describe_tool","tool":"orders.crate"}`)
}
