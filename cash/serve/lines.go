package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sturdy returns transport, or one in its place that survives what is not a
// message: the SDK's ends the session with the first malformed line, and a
// process that serves standard input with it.
func sturdy(transport mcp.Transport) mcp.Transport {
	switch t := transport.(type) {
	case *mcp.StdioTransport:
		return &lines{os.Stdin, os.Stdout, nil, t.MaxLineLength}
	case *mcp.IOTransport:
		return &lines{t.Reader, t.Writer, t.Writer, t.MaxLineLength}
	}
	return transport
}

// lines is a transport of messages on lines of their own.
type lines struct {
	in     io.ReadCloser
	out    io.Writer
	closer io.Closer // of out; nil if it stays open
	max    int       // bytes of a line; zero is the SDK's default, negative is none
}

func (t *lines) Connect(context.Context) (mcp.Connection, error) {
	c := &lineConn{lines: *t, messages: make(chan jsonrpc.Message), closed: make(chan struct{})}
	switch {
	case c.max == 0:
		c.max = mcp.DefaultMaxLineLength
	case c.max < 0:
		c.max = int(^uint(0) >> 1)
	}
	// Reads of standard input cannot be interrupted on every system, so this
	// goroutine may outlive the connection: until the next line, or the end.
	go c.read()
	return c, nil
}

type lineConn struct {
	lines
	messages chan jsonrpc.Message // closed at the end of input
	readErr  error                // why it ended; set before messages is closed

	writing   sync.Mutex
	closeOnce sync.Once
	closeErr  error
	closed    chan struct{}
}

// SessionID implements mcp.Connection: such a connection has none.
func (c *lineConn) SessionID() string { return "" }

// Read implements mcp.Connection.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case msg, ok := <-c.messages:
		if !ok {
			return nil, c.readErr
		}
		return msg, nil
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements mcp.Connection.
func (c *lineConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	return c.writeLine(data)
}

func (c *lineConn) writeLine(data []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(data, '\n'))
	return err
}

// Close implements mcp.Connection.
func (c *lineConn) Close() error {
	c.closeOnce.Do(func() {
		close(c.closed)
		c.closeErr = c.in.Close()
		if c.closer != nil {
			c.closeErr = errors.Join(c.closeErr, c.closer.Close())
		}
	})
	return c.closeErr
}

// read delivers messages until the input ends. What is not a message is
// answered and passed over.
func (c *lineConn) read() {
	defer close(c.messages)
	r := bufio.NewReader(c.in)
	for {
		line, fits, err := readLine(r, c.max)
		if !fits {
			c.refuse(jsonrpc.CodeInvalidRequest, "the message is too large")
		} else if len(line) > 0 && !c.deliver(line) {
			return
		}
		if err != nil {
			c.readErr = err
			return
		}
	}
}

// readLine returns the next line without white space around it. One of more
// than limit bytes is read to its end and not kept.
func readLine(r *bufio.Reader, limit int) (line []byte, fits bool, err error) {
	fits = true
	for {
		part, err := r.ReadSlice('\n')
		switch {
		case !fits:
		case len(line)+len(part) > limit:
			line, fits = nil, false
		default:
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), fits, err
		}
	}
}

// deliver passes on the message of a line, or those of a batch, one by one. It
// reports false when the connection is closed.
func (c *lineConn) deliver(line []byte) bool {
	if !json.Valid(line) {
		c.refuse(jsonrpc.CodeParseError, "the message is not valid JSON")
		return true
	}
	batch := []json.RawMessage{line}
	if line[0] == '[' {
		batch = nil
		if err := json.Unmarshal(line, &batch); err != nil || len(batch) == 0 {
			c.refuse(jsonrpc.CodeInvalidRequest, "the batch is empty")
			return true
		}
	}
	for _, data := range batch {
		msg, err := jsonrpc.DecodeMessage(data)
		if err != nil {
			c.refuse(jsonrpc.CodeInvalidRequest, "the message is not a JSON-RPC 2.0 message")
			continue
		}
		select {
		case c.messages <- msg:
		case <-c.closed:
			return false
		}
	}
	return true
}

// refuse answers what cannot be answered by its id, as JSON-RPC has it. That
// the answer cannot be written shows when the next one is.
func (c *lineConn) refuse(code int64, reason string) {
	data, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": reason},
	})
	if err == nil {
		_ = c.writeLine(data)
	}
}
