package faulty

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// newHealthy returns the sound server behind the faults. life bounds the waiting of its tools.
func newHealthy(f *Server, life context.Context) *mcp.Server {
	h := &healthy{f, life}
	srv := mcp.NewServer(&mcp.Implementation{Name: "faulty", Version: "1.0.0"}, &mcp.ServerOptions{
		Instructions: "A server for tests.",
		//lint:ignore SA1019 deprecated in the newest protocol, and what the tool log needs
		Capabilities: &mcp.ServerCapabilities{Logging: &mcp.LoggingCapabilities{}, Tools: &mcp.ToolCapabilities{ListChanged: true}},
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" },
	})
	for _, tool := range healthyTools {
		srv.AddTool(&mcp.Tool{Name: tool.name, Description: tool.description, InputSchema: json.RawMessage(tool.schema)}, h.handler(tool.run))
	}
	srv.AddReceivingMiddleware(h.answerToAnyName)
	return srv
}

// healthy is the shared state of the sound tools.
type healthy struct {
	f    *Server
	life context.Context
}

// A healthyTool is a sound tool.
type healthyTool struct {
	name, description, schema string
	run                       func(*healthy, context.Context, *mcp.CallToolRequest, healthyArgs) (*mcp.CallToolResult, error)
}

// healthyArgs are the arguments of all sound tools.
type healthyArgs struct {
	Text         string
	MS, Chars, N int
}

var healthyTools = []healthyTool{
	{"echo", "Answers with the text.", `{"type":"object","properties":{"text":{"type":"string"}}}`, (*healthy).echo},
	{"slow", "Answers after a time.", `{"type":"object","properties":{"ms":{"type":"integer","minimum":0}}}`, (*healthy).slow},
	{"big", "Answers with many characters.", `{"type":"object","properties":{"chars":{"type":"integer","minimum":0}}}`, (*healthy).big},
	{"count", "Counts its calls.", `{"type":"object"}`, (*healthy).count},
	{"progress", "Reports progress.", `{"type":"object","properties":{"n":{"type":"integer","minimum":0}}}`, (*healthy).progress},
	{"ask", "Asks the user for a word.", `{"type":"object"}`, (*healthy).ask},
	{"log", "Sends a log message.", `{"type":"object"}`, (*healthy).log},
}

// handler returns the SDK handler of a tool.
func (h *healthy) handler(run func(*healthy, context.Context, *mcp.CallToolRequest, healthyArgs) (*mcp.CallToolResult, error)) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		h.f.ran.Add(1)
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(h.life, cancel)()
		var args healthyArgs
		if len(req.Params.Arguments) > 0 {
			if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the arguments have the wrong types"}
			}
		}
		return run(h, ctx, req, args)
	}
}

// answerToAnyName lets clients call tools that only a faulty list names.
func (h *healthy) answerToAnyName(next mcp.MethodHandler) mcp.MethodHandler {
	known := make(map[string]bool)
	for _, tool := range healthyTools {
		known[tool.name] = true
	}
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if call, ok := req.(*mcp.CallToolRequest); ok && !known[call.Params.Name] {
			call.Params.Name = "echo"
		}
		return next(ctx, method, req)
	}
}

// text returns a result with one text.
func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

func (h *healthy) echo(_ context.Context, _ *mcp.CallToolRequest, args healthyArgs) (*mcp.CallToolResult, error) {
	return text(args.Text), nil
}

func (h *healthy) slow(ctx context.Context, _ *mcp.CallToolRequest, args healthyArgs) (*mcp.CallToolResult, error) {
	timer := time.NewTimer(time.Duration(args.MS) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return text("done"), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (h *healthy) big(_ context.Context, _ *mcp.CallToolRequest, args healthyArgs) (*mcp.CallToolResult, error) {
	return text(strings.Repeat("x", min(max(args.Chars, 0), 64<<20))), nil
}

func (h *healthy) count(context.Context, *mcp.CallToolRequest, healthyArgs) (*mcp.CallToolResult, error) {
	return text(fmt.Sprint(h.f.counted.Add(1))), nil
}

func (h *healthy) progress(ctx context.Context, req *mcp.CallToolRequest, args healthyArgs) (*mcp.CallToolResult, error) {
	n := min(args.N, 10_000)
	for i := range n {
		p := &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: float64(i + 1), Total: float64(n)}
		if p.ProgressToken == nil {
			break
		}
		if err := req.Session.NotifyProgress(ctx, p); err != nil {
			return nil, err
		}
	}
	return text("done"), nil
}

// question returns the elicitation of the tool ask.
func question() *mcp.ElicitParams {
	return &mcp.ElicitParams{Message: "Which word?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`)}
}

func (h *healthy) ask(ctx context.Context, req *mcp.CallToolRequest, _ healthyArgs) (*mcp.CallToolResult, error) {
	answer, _ := req.Params.InputResponses["word"].(*mcp.ElicitResult)
	switch {
	case answer != nil:
	case req.ProtocolVersion() >= statelessVersion:
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"word": question()}}, nil
	default:
		var err error
		if answer, err = req.Session.Elicit(ctx, question()); err != nil {
			return nil, err
		}
	}
	if word, ok := answer.Content["word"].(string); ok {
		return text(word), nil
	}
	return text(answer.Action), nil
}

func (h *healthy) log(ctx context.Context, req *mcp.CallToolRequest, _ healthyArgs) (*mcp.CallToolResult, error) {
	//lint:ignore SA1019 deprecated in the newest protocol, and what servers do all the same
	err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "warning", Logger: "faulty", Data: "a message"})
	return text("done"), err
}
