package serve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tolerant returns a transport that survives malformed messages. It replaces the SDK's stdio and IO
// transports, which end the session at the first malformed line; other transports are returned as
// they are. Lines have at most limit bytes, unless the transport has a limit of its own.
func tolerant(transport mcp.Transport, limit int64) mcp.Transport {
	switch t := transport.(type) {
	case *mcp.StdioTransport:
		return newLines(os.Stdin, os.Stdout, nil, t.MaxLineLength, limit)
	case *mcp.IOTransport:
		return newLines(t.Reader, t.Writer, t.Writer, t.MaxLineLength, limit)
	}
	return transport
}

func newLines(in io.ReadCloser, out io.Writer, closer io.Closer, own int, limit int64) *lines {
	switch {
	case own < 0:
		limit = math.MaxInt32
	case own > 0:
		limit = int64(own)
	}
	return &lines{in: in, out: out, closer: closer, reader: reader{maxBytes: limit, anyNumber: true}}
}

// lines is a transport with one message per line.
type lines struct {
	in     io.ReadCloser
	out    io.Writer
	closer io.Closer // closes out; nil if out stays open
	reader reader
	told   func(f *refusal, bytes int) // of each refused message; nil tells nobody
}

func (t *lines) Connect(context.Context) (mcp.Connection, error) {
	c := &lineConn{lines: *t, messages: make(chan jsonrpc.Message), closed: make(chan struct{})}
	// Some systems cannot interrupt a read of standard input. This goroutine may therefore outlive
	// the connection until the next line or the end of input.
	go c.read()
	return c, nil
}

type lineConn struct {
	lines
	messages chan jsonrpc.Message // closed at the end of input
	readErr  error                // why the input ended; set before messages is closed

	writing   sync.Mutex
	closeOnce sync.Once
	closeErr  error
	closed    chan struct{}
}

// SessionID implements mcp.Connection. There is none.
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
	data, err := encode(msg)
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

// read delivers messages until the input ends. It answers and skips malformed ones.
func (c *lineConn) read() {
	defer close(c.messages)
	r := bufio.NewReader(c.in)
	for {
		line, fits, err := readLine(r, c.reader.maxBytes)
		if !fits {
			c.refuse(c.reader.tooLarge(line), len(line))
		} else if len(line) > 0 && !c.deliver(line) {
			return
		}
		if err != nil {
			c.readErr = err
			return
		}
	}
}

// readLine returns the next line without white space around it. A line of more than limit bytes is
// read to its end, but only its beginning is kept.
func readLine(r *bufio.Reader, limit int64) (line []byte, fits bool, err error) {
	fits = true
	for {
		part, err := r.ReadSlice('\n')
		switch {
		case !fits:
		case int64(len(line)+len(part)) > limit:
			line, fits = append(line, part...)[:min(maxHead, len(line)+len(part))], false
		default:
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), fits, err
		}
	}
}

// deliver passes on the message of a line, or those of a batch one by one. It reports false if the
// connection is closed.
func (c *lineConn) deliver(line []byte) bool {
	messages, _, refused := c.reader.read(line)
	if refused != nil {
		c.refuse(refused, len(line))
		return true
	}
	for _, m := range messages {
		msg, refused := m.decoded()
		if refused != nil {
			c.refuse(refused, len(m.raw))
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

// decoded returns a message in the SDK's form.
func (m *message) decoded() (jsonrpc.Message, *refusal) {
	switch {
	case m.method == "":
		answer, err := jsonrpc.DecodeMessage(m.raw)
		if err != nil {
			return nil, refuse(jsonrpc.CodeInvalidRequest, "the answer cannot be read")
		}
		return answer, nil
	case m.method == listen && !sdkKeeps(m.id): // the SDK repeats the id in every notification
		return nil, &refusal{id: m.id, method: m.method, code: jsonrpc.CodeInvalidRequest, reason: "a subscription's id must be a string, or an integer between -(2^53-1) and 2^53-1"}
	}
	req := &jsonrpc.Request{Method: m.method, Params: m.params, ID: exactID(m.id)}
	if m.method == cancelled {
		req.Params = withExactID(m.params)
	}
	return req, nil
}

// refuse answers a refused message, unless it is a notification. A write error shows again at the
// next answer.
func (c *lineConn) refuse(f *refusal, bytes int) {
	if c.told != nil {
		c.told(f, bytes)
	}
	if !f.notice {
		_ = c.writeLine(f.answer())
	}
}
