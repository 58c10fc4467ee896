package wrong

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// FacadeRows are the rows that a [Facade] breaks.
var FacadeRows = strings.Fields("F1 F2 F3 F4 F5 F6")

// A Facade is a server with one domain, whose only command is get.
type Facade struct {
	Row string // that it breaks
	// Answers, if not empty, are given to every command in place of the right ones.
	Answers string
}

// Run serves one connection.
func (f *Facade) Run(ctx context.Context, t mcp.Transport) error { return f.New().Run(ctx, t) }

// New returns the server of one connection.
func (f *Facade) New() *mcp.Server {
	tool := &mcp.Tool{Name: "OrdersExecute", Description: "Commands: get.", InputSchema: json.RawMessage(
		`{"type":"object","required":["cmd"],"properties":{"cmd":{"type":"string"},"params":{"type":"object"},` +
			`"detail":{"enum":["minimal","standard","full"]}}}`)}
	srv := mcp.NewServer(&mcp.Implementation{Name: "wrong", Version: "1.0.0"}, nil)
	answer := func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in struct{ Cmd string }
		if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
			return nil, err
		}
		if f.Answers != "" {
			return spoken(f.Answers), nil
		}
		return spoken(f.answer(in.Cmd)), nil
	}
	switch f.Row {
	case "F1":
		further := *tool
		further.Name = "orders"
		srv.AddTool(&further, answer)
	case "F2":
		tool.InputSchema = json.RawMessage(`{"type":"object"}`)
	case "F3":
		tool.Description = ""
	}
	srv.AddTool(tool, answer)
	return srv
}

func (f *Facade) answer(cmd string) string {
	switch {
	case cmd == "get" && f.Row == "F6":
		return `{"ok":true,"cmd":"other","data":1}`
	case cmd == "get":
		return `{"ok":true,"cmd":"get","data":{"id":"A"}}`
	case cmd == "" && f.Row == "F5":
		return `{"ok":true,"cmd":"","data":1}`
	case cmd == "":
		return `{"ok":false,"cmd":"","error":"A command is missing."}`
	case f.Row == "F4":
		return `{"ok":false,"cmd":"` + cmd + `"}`
	}
	return `{"ok":false,"cmd":"` + cmd + `","error":"Unknown command."}`
}
