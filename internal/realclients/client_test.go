//go:build realclients

package realclients

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// client is a client of the SDK that keeps what came over the wire: the SDK
// reads schemas and structured content by way of maps and float64s.
type client struct {
	*mcp.ClientSession
	tap *tap

	mu       sync.Mutex
	progress []float64
	//lint:ignore SA1019 deprecated in the newest protocol, and what servers up to 2025-11-25 send
	logs   []*mcp.LoggingMessageParams
	asked  []*mcp.ElicitParams
	answer *mcp.ElicitResult // to every question
}

// connect connects a client that can be asked questions, and does nothing else
// for a server.
func connect(t *testing.T, transport mcp.Transport, version string) *client {
	t.Helper()
	c := &client{answer: &mcp.ElicitResult{Action: "decline"}}
	c.connect(t, transport, version)
	return c
}

// connect connects the client; without an answer it cannot be asked.
func (c *client) connect(t *testing.T, transport mcp.Transport, version string) {
	t.Helper()
	c.tap = &tap{Transport: transport}
	opts := &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{},
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.progress = append(c.progress, req.Params.Progress)
		},
		//lint:ignore SA1019 as above
		LoggingMessageHandler: func(_ context.Context, req *mcp.LoggingMessageRequest) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.logs = append(c.logs, req.Params)
		},
	}
	if c.answer != nil {
		opts.ElicitationHandler = func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.asked = append(c.asked, req.Params)
			return c.answer, nil
		}
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "realclients", Version: "1"}, opts).Connect(t.Context(), c.tap, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatalf("connecting: %v", err)
	}
	t.Cleanup(func() { session.Close() })
	c.ClientSession = session
}

// call calls a tool that may fail, but has to answer.
func (c *client) call(t *testing.T, params *mcp.CallToolParams) *result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := c.CallTool(ctx, params); err != nil {
		t.Fatalf("calling %s: %v", params.Name, err)
	}
	r := new(result)
	if err := json.Unmarshal(c.tap.result(), r); err != nil {
		t.Fatalf("reading the result of %s: %v", params.Name, err)
	}
	return r
}

// function calls a function behind the three tools.
func (c *client) function(t *testing.T, namespace, name, kwargs string) *result {
	t.Helper()
	return c.call(t, functionCall(namespace, name, kwargs))
}

func functionCall(namespace, name, kwargs string) *mcp.CallToolParams {
	return toolCall("call", fmt.Sprintf(`{"namespace":%q,"function":%q,"kwargs":%s}`, namespace, name, kwargs))
}

func toolCall(tool, arguments string) *mcp.CallToolParams {
	return &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)}
}

// result is the result of a tool as it is on the wire.
type result struct {
	Content    []map[string]any `json:"content"`
	Structured json.RawMessage  `json:"structuredContent"`
	IsError    bool             `json:"isError"`
}

// text is that of the blocks that have one.
func (r *result) text() string {
	var all string
	for _, block := range r.Content {
		text, _ := block["text"].(string)
		all += text
	}
	return all
}

// tap is a transport that keeps the last result.
type tap struct {
	mcp.Transport
	mu   sync.Mutex
	last json.RawMessage
}

func (p *tap) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := p.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &tapped{conn, p}, nil
}

func (p *tap) result() json.RawMessage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

type tapped struct {
	mcp.Connection
	tap *tap
}

func (c *tapped) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if res, ok := m.(*jsonrpc.Response); ok && err == nil {
		c.tap.mu.Lock()
		c.tap.last = res.Result
		c.tap.mu.Unlock()
	}
	return m, err
}
