// Package client connects to servers for the checks of cash/check and the clients of cash/cashtest. Every request
// ends by its deadline, whatever its transport does.
//
//	c, err := client.Dial(ctx, client.InMemory(ctx, srv), nil)
//	reply, err := c.Tool("help", nil)
//	...
//	err = c.Close()
//
// # Limits
//
// A request that is stuck in its transport is abandoned. Its goroutine ends with the connection.
package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/apart"
)

// Options configure a connection. Nil is the zero value.
type Options struct {
	Version string             // protocol version; empty is the SDK's newest
	Client  *mcp.ClientOptions // nil is a client without capabilities
	Timeout time.Duration      // of each request; zero is 30 seconds
}

// A Conn is a connection to a server.
type Conn struct {
	Session *mcp.ClientSession
	Sent    atomic.Int64 // requests for the list of tools, and calls

	ctx       context.Context // parent of all requests
	timeout   time.Duration
	transport mcp.Transport
	sdk       *mcp.Client
}

// Dial connects over transport, which must be new. ctx ends all requests.
func Dial(ctx context.Context, transport mcp.Transport, opts *Options) (*Conn, error) {
	if opts == nil {
		opts = new(Options)
	}
	c := Over(ctx, nil, opts.Timeout)
	c.transport = transport
	abilities := opts.Client
	if abilities == nil {
		abilities = &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
	}
	sdk := mcp.NewClient(&mcp.Implementation{Name: "cashtest", Version: "1"}, abilities)
	c.sdk = sdk
	var err error
	c.Session, err = Do(c, func(ctx context.Context) (*mcp.ClientSession, error) {
		return sdk.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: opts.Version})
	})
	if err != nil { // the server's own error may tell more
		return nil, errors.Join(err, c.ended())
	}
	return c, nil
}

// Over sends requests over an existing session. A timeout of zero is 30 seconds.
func Over(ctx context.Context, session *mcp.ClientSession, timeout time.Duration) *Conn {
	if timeout == 0 {
		timeout = 30 * time.Second
	}
	return &Conn{Session: session, ctx: ctx, timeout: timeout}
}

// Close closes the connection. The error may be that of an in-memory server.
func (c *Conn) Close() error {
	_, err := Do(c.unbound(), func(context.Context) (any, error) { return nil, c.Session.Close() })
	return errors.Join(err, c.ended())
}

// ended waits for the end of an in-memory server.
func (c *Conn) ended() error {
	l, ok := c.transport.(*local)
	if !ok {
		return nil
	}
	_, err := Do(c.unbound(), func(context.Context) (any, error) { return nil, l.wait() })
	return err
}

// unbound returns c for requests after its context has ended.
func (c *Conn) unbound() *Conn {
	return &Conn{ctx: context.WithoutCancel(c.ctx), timeout: c.timeout}
}

// Do runs f and abandons it at the deadline of a request. A transport that is stuck in a write ignores its context.
func Do[T any](c *Conn, f func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(c.ctx, c.timeout)
	defer cancel()
	v, err := apart.Do(ctx, 0, func() (T, error) { return f(ctx) }, nil)
	if errors.Is(err, apart.ErrLeft) {
		err = ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %v: %w", c.timeout, err)
	}
	return v, err
}

// A Reply is the result of a tool.
type Reply struct {
	Text    string // texts of all blocks, joined by line breaks
	IsError bool
	Raw     *mcp.CallToolResult
}

// Tool calls a tool with arguments that encode to JSON.
func (c *Conn) Tool(name string, args any) (*Reply, error) {
	c.Sent.Add(1)
	res, err := Do(c, func(ctx context.Context) (*mcp.CallToolResult, error) {
		return c.Session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	})
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, block := range res.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return &Reply{strings.Join(texts, "\n"), res.IsError, res}, nil
}

// Params are parameters of methods that the SDK does not know. Empty ones are left out.
type Params struct {
	mcp.ParamsBase
	URI    string `json:"uri,omitempty"`
	Cursor string `json:"cursor,omitempty"`
}

// raw is a result of any form.
type raw struct {
	mcp.ResultBase
	data json.RawMessage
}

// UnmarshalJSON implements [json.Unmarshaler].
func (r *raw) UnmarshalJSON(data []byte) error {
	r.data = bytes.Clone(data)
	return nil
}

// Custom sends a request that the SDK does not know. It is for connections that Dial made.
func (c *Conn) Custom(method string, params *Params) (json.RawMessage, error) {
	c.Sent.Add(1)
	if err := mcp.AddSendingCustomMethod[*Params, *raw](c.sdk, method); err != nil {
		return nil, err
	}
	return Do(c, func(ctx context.Context) (json.RawMessage, error) {
		res, err := mcp.CallCustomMethod[*Params, *raw](ctx, c.Session, method, params)
		if err != nil {
			return nil, err
		}
		return res.data, nil
	})
}

// maxPages bounds the pages of a list: an endless list is an error.
const maxPages = 100

// Tools returns the server's tools, and the number of pages.
func (c *Conn) Tools() (tools []*mcp.Tool, pages int, err error) {
	params := &mcp.ListToolsParams{}
	for pages < maxPages {
		c.Sent.Add(1)
		res, err := Do(c, func(ctx context.Context) (*mcp.ListToolsResult, error) { return c.Session.ListTools(ctx, params) })
		if err != nil {
			return nil, pages, err
		}
		tools = append(tools, res.Tools...)
		pages++
		if res.NextCursor == "" {
			break
		}
		params = &mcp.ListToolsParams{Cursor: res.NextCursor}
	}
	return tools, pages, nil
}

// Named returns arguments from name-text pairs, without empty texts.
func Named(pairs ...string) map[string]any {
	args := make(map[string]any)
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			args[pairs[i]] = pairs[i+1]
		}
	}
	return args
}

// A Runner serves one connection until its client disconnects.
type Runner interface {
	Run(context.Context, mcp.Transport) error
}

// InMemory returns a transport to srv in the same process. Connecting starts srv.Run with ctx; it ends when the
// client closes the connection.
func InMemory(ctx context.Context, srv Runner) mcp.Transport {
	near, far := net.Pipe()
	return &local{srv: srv, ctx: ctx, near: near, far: far, ended: make(chan error, 1)}
}

// local is a transport that starts its server on Connect.
type local struct {
	srv       Runner
	ctx       context.Context
	near, far net.Conn
	ended     chan error
}

// Connect implements mcp.Transport.
func (l *local) Connect(ctx context.Context) (mcp.Connection, error) {
	go func() {
		err := l.srv.Run(l.ctx, &mcp.IOTransport{Reader: l.far, Writer: l.far, MaxLineLength: -1})
		l.far.Close() // so that the client notices, whatever Run left open
		l.ended <- err
	}()
	t := &mcp.IOTransport{Reader: l.near, Writer: l.near, MaxLineLength: -1}
	return t.Connect(ctx)
}

// wait returns the error of the server's Run, except for the usual ends: a disconnected client, or an ended
// context.
func (l *local) wait() error {
	l.near.Close()
	err := <-l.ended
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || l.ctx.Err() != nil {
		return nil
	}
	return err
}

// ReadLine reads a line with its line end. A line longer than limit bytes is cut, with [bufio.ErrTooLong].
func ReadLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > limit:
			return line, bufio.ErrTooLong
		case err != bufio.ErrBufferFull:
			return line, err
		}
	}
}
