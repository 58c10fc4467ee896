package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/registry"
)

const introduction = `A shop with %d functions, and a model that knows three tools: call, help and skill.
What the model sends (>) and gets (<), sizes in characters. [...] is cut on this page only.
`

const comparison = `
What the definitions of the tools cost, in every conversation, before the first question:
%6d characters for call, help and skill, and no more when the shop grows
%6d characters for the same %d functions as ordinary MCP tools
This model read %d characters of help on top, because it needed them.
`

// walk holds the conversation of a model with the server over a real MCP
// connection, and writes it down.
func walk(ctx context.Context, reg *registry.Registry, srv *cash.Server, out io.Writer) error {
	plain, err := plainTools(ctx, reg)
	if err != nil {
		return err
	}
	session, err := connect(ctx, srv)
	if err != nil {
		return err
	}
	defer session.Close()
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		return err
	}

	fmt.Fprintf(out, introduction, len(plain))
	t := &talk{ctx: ctx, session: session, out: out}
	t.say("What is there?", "help", `{}`)
	t.say("What is in there?", "help", `{"namespace":"orders"}`)
	t.say("Or straight to what is needed.", "help", `{"kwargs":{"search":"receive a delivery"}}`)
	t.say("How is it called?", "help", `{"namespace":"orders","function":"create"}`)
	t.say("Call it.", "call", `{"namespace":"orders","function":"create",`+
		`"kwargs":{"customer_id":"C-42","items":[{"product_id":"P-7","quantity":3}]}}`)
	gated := t.say("Ask for too much, and the gate says how to go on.", "call", `{"namespace":"orders","function":"list"}`)
	t.say("Ask for less.", "call", `{"namespace":"orders","function":"list",`+
		`"kwargs":{"customer_id":"C-42","status":"confirmed"}}`)
	t.say("Or insist.", "call", `{"namespace":"orders","function":"list","sizelimit":`+suggested(gated)+`}`)
	t.say("Which longer tasks are there instructions for?", "skill", `{"namespace":"orders"}`)
	t.say("Read one.", "skill", `{"namespace":"orders","skillname":"createorderwithcheck"}`)
	fmt.Fprintf(out, comparison, jsonSize(tools.Tools), jsonSize(plain), len(plain), t.helped)
	return t.err
}

// connect starts the server on one end of a pipe, and a client on the other.
func connect(ctx context.Context, srv *cash.Server) (*mcp.ClientSession, error) {
	here, there := mcp.NewInMemoryTransports()
	go srv.Run(ctx, there) // ends with the session
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

// suggested returns the limit that a gated reply proposes.
func suggested(reply string) string {
	found := regexp.MustCompile("sizelimit=([0-9]+)").FindStringSubmatch(reply)
	if found == nil {
		return "null" // leaves the server's
	}
	return found[1]
}

func jsonSize(v any) int {
	data, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return utf8.RuneCount(data)
}

// A talk writes turns until one fails.
type talk struct {
	ctx     context.Context
	session *mcp.ClientSession
	out     io.Writer
	turns   int
	helped  int // characters of help
	err     error
}

// say takes one turn and returns the reply.
func (t *talk) say(why, tool, arguments string) string {
	if t.err != nil {
		return ""
	}
	var res *mcp.CallToolResult
	res, t.err = t.session.CallTool(t.ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if t.err != nil {
		return ""
	}
	reply := (&registry.Result{Content: res.Content}).Text()
	size := utf8.RuneCountInString(reply)
	if tool == "help" {
		t.helped += size
	}
	t.turns++
	sizes := fmt.Sprintf("sent %d, got %d", len(tool)+len(arguments), size)
	title := fmt.Sprintf("%d. %s", t.turns, why)
	fmt.Fprintf(t.out, "\n%s%*s\n", title, width-len(title), sizes)
	t.write("> ", tool+" "+arguments)
	t.write("< ", reply)
	return reply
}

// The shape of the page.
const (
	width    = 100
	maxLines = 7 // of a text
	maxData  = 3 // of JSON
)

// write writes a text in lines that fit the page, without the empty ones and
// not too many.
func (t *talk) write(mark, text string) {
	const more = " [...]"
	most := maxLines
	if strings.HasPrefix(text, "{") {
		most = maxData
	}
	var shown []string
	for line := range lines(text, width-len("   > ")-len(more)) {
		if len(shown) == most {
			shown[most-1] += more
			break
		}
		shown = append(shown, line)
	}
	for _, line := range shown {
		fmt.Fprintf(t.out, "   %s%s\n", mark, line)
	}
}
