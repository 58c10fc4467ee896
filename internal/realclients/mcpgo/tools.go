package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// dot is an image of one pixel.
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="

var tools = []server.ServerTool{
	{Tool: mcp.NewTool("echo-text", mcp.WithDescription("Echo a text."), mcp.WithString("text", mcp.Required())), Handler: echo},
	{Tool: mcp.NewTool("dot", mcp.WithDescription("Return an image of one pixel.")),
		Handler: func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultImage("a dot", dot, "image/png"), nil
		}},
	{Tool: mcp.NewTool("row", mcp.WithDescription("Return structured content."), mcp.WithOutputSchema[row]()),
		Handler: func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultStructured(row{Z: 1<<53 + 1, A: "x"}, "a row"), nil
		}},
	{Tool: mcp.NewToolWithRawSchema("chain", "Take an object in an object.", json.RawMessage(`{"type":"object",`+
		`"$defs":{"link":{"type":"object","properties":{"value":{"type":"integer"},"next":{"$ref":"#/$defs/link"}}}},`+
		`"properties":{"first":{"$ref":"#/$defs/link"}},"required":["first"]}`)),
		Handler: func(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultJSON(req.GetRawArguments())
		}},
	{Tool: mcp.NewTool("no", mcp.WithDescription("Fail.")),
		Handler: func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultError("it said no"), nil
		}},
	{Tool: mcp.NewTool("broken", mcp.WithDescription("Fail as an error of the protocol.")),
		Handler: func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return nil, errors.New("something broke")
		}},
	{Tool: mcp.NewTool("wait", mcp.WithDescription("Report progress until the call is cancelled.")), Handler: wait},
	{Tool: mcp.NewTool("given-up", mcp.WithDescription("Count the calls of wait that were cancelled.")),
		Handler: func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(fmt.Sprint(givenUp.Load())), nil
		}},
	{Tool: mcp.NewTool("ask", mcp.WithDescription("Ask for a word.")), Handler: ask},
	{Tool: mcp.NewTool("grow", mcp.WithDescription("Add the tool grown.")),
		Handler: func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			server.ServerFromContext(ctx).AddTool(mcp.NewTool("grown", mcp.WithString("text")), echo)
			return mcp.NewToolResultText("done"), nil
		}},
}

// row has a number that no float64 can hold, and keys that are not sorted.
type row struct {
	Z int64  `json:"z"`
	A string `json:"a"`
}

func echo(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return mcp.NewToolResultText(req.GetString("text", "")), nil
}

var givenUp atomic.Int64

// wait reports progress with pauses, because mcp-go loses some of it without them.
func wait(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if req.Params.Meta == nil {
		return nil, errors.New("nobody wants to know")
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for i := 1; ; i++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			givenUp.Add(1)
			return nil, ctx.Err()
		}
		if err := server.ServerFromContext(ctx).SendNotificationToClient(ctx, "notifications/progress",
			map[string]any{"progressToken": req.Params.Meta.ProgressToken, "progress": i}); err != nil && ctx.Err() == nil {
			return nil, err
		}
	}
}

// ask asks the client in its result. mcp-go turns that into a request for clients older than 2026-07-28.
func ask(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if a := server.ElicitationResponse(req.Params.InputResponses, "word"); a != nil {
		content, _ := a.Content.(map[string]any)
		return mcp.NewToolResultText(fmt.Sprintf("%s %v %s", a.Action, content["word"], req.Params.RequestState)), nil
	}
	return server.NewInputRequestBuilder("a state").Elicit("word", mcp.ElicitationParams{
		Mode: mcp.ElicitationModeForm, Message: "Which word?",
		RequestedSchema: json.RawMessage(`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`),
	}).ToolResult(), nil
}
