package mcpclient

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/cash-mcp/go-sdk/internal/apart"
)

// A link carries the bytes of messages. A conn reads and writes over it: a process, or an SSE stream with its
// mailbox.
type link interface {
	// next returns the next message. It may be called again after an *oversize, but not after any other error.
	next() ([]byte, error)
	// send sends a message. It calls sent(true) when a part may have been sent, and sent(false) if nothing was
	// after all. It returns when ctx is done.
	send(ctx context.Context, data []byte, sent func(bool)) error
	// trySend sends a message that may be lost. It does not wait long.
	trySend(data []byte)
	// ended turns a foreign error of next into an *Error.
	ended(err error) *Error
	close() error
}

// conn is an [mcp.Connection] over one link.
type conn struct {
	link      link
	options   Options
	calls     calls
	questions questions
	drops     drops
	noise     int // bytes since the last valid message

	messages  chan jsonrpc.Message // closed at the end
	err       error                // why it ended; set before messages is closed
	broken    atomic.Bool          // no further reading or writing is possible
	closeOnce sync.Once
	closed    chan struct{} // closed by Close
	gone      chan struct{} // closed when the link is closed
	closeErr  error         // set before gone is closed
}

func newConn(l link, o Options) *conn {
	c := &conn{
		link: l, options: o, drops: drops{logger: o.Logger},
		messages: make(chan jsonrpc.Message), closed: make(chan struct{}), gone: make(chan struct{}),
	}
	go c.read()
	return c
}

// SessionID implements [mcp.Connection]. There is none.
func (*conn) SessionID() string { return "" }

// Read implements [mcp.Connection].
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m, ok := <-c.messages:
		if !ok {
			return nil, c.err
		}
		return m, nil
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements [mcp.Connection].
func (c *conn) Write(ctx context.Context, m jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	sent := func(bool) {}
	switch m := m.(type) {
	case *jsonrpc.Response:
		defer c.questions.answered(m.ID) // afterwards, because a server may ask without reading
	case *jsonrpc.Request:
		if !m.IsCall() {
			break
		}
		x := c.calls.begin(ctx, m.ID)
		before := x.Sent()
		sent = func(now bool) { x.setSent(before || now) }
		defer func() {
			if err != nil {
				c.forget(m.ID, x, err)
			}
		}()
	}
	err = c.link.send(ctx, data, sent)
	if _, ended := err.(*Error); ended {
		c.broken.Store(true)
	}
	return err
}

// forget ends a call that could not be written.
func (c *conn) forget(id jsonrpc.ID, x *Exchange, err error) {
	c.calls.take(id)
	var e *Error
	if errors.As(err, &e) {
		x.fail(e)
	}
}

// Close implements [mcp.Connection]. If the connection is broken, the first Close does not wait for the end: the
// SDK makes it under a lock that all calls need.
func (c *conn) Close() error {
	wait := true
	c.closeOnce.Do(func() {
		wait = !c.broken.Load()
		c.calls.failAll(lost("the connection was closed", nil))
		close(c.closed)
		go func() {
			defer close(c.gone)
			c.closeErr = c.link.close()
		}()
	})
	if !wait {
		return nil
	}
	<-c.gone
	return c.closeErr
}

// read delivers messages until the link ends.
func (c *conn) read() {
	err := apart.Guard(c.readAll)
	var e *Error
	if errors.As(err, &e) {
		ended := *e
		ended.Ended, e = true, &ended
	} else {
		e = c.link.ended(err)
	}
	c.broken.Store(true)
	c.calls.failAll(e)
	c.err = e
	close(c.messages)
}

func (c *conn) readAll() error {
	for {
		data, err := c.link.next()
		var large *oversize
		switch {
		case errors.As(err, &large):
			if !c.tooLarge(large) {
				return io.EOF
			}
		case err != nil:
			return err
		case !c.take(data):
			return io.EOF
		case c.noise > maxNoise:
			return errNoise
		case c.calls.flooded(c.options.Unanswered):
			return flooded(c.options.Unanswered)
		}
	}
}

// take delivers one incoming message. It reports false if the connection is closed.
func (c *conn) take(data []byte) bool {
	messages, err := parse(data)
	if err != nil {
		c.noise += len(data) + 1
		if len(data) > 0 {
			c.drops.report(err.Reason)
		}
		return true
	}
	c.noise = 0
	for _, m := range messages {
		if !c.deliver(m.Message) {
			return false
		}
	}
	return true
}

// tooLarge fails the call of an oversized answer, or all calls if it is unknown.
func (c *conn) tooLarge(large *oversize) bool {
	e := tooLarge(c.options.Message)
	c.drops.report(e.Reason)
	ids := c.calls.ids()
	if id, ok := sniff(large.head, large.tail); ok {
		ids = []jsonrpc.ID{id}
	}
	for _, id := range ids {
		if !c.deliver(&jsonrpc.Response{ID: id, Error: e}) {
			return false
		}
	}
	return true
}

func (c *conn) deliver(m jsonrpc.Message) bool {
	c.calls.hear(m)
	if c.options.takes(m) {
		return true
	}
	switch m := m.(type) {
	case *jsonrpc.Response:
		c.calls.settle(m)
	case *jsonrpc.Request:
		if m.IsCall() && !c.questions.ask(m.ID) {
			c.drops.report("too many requests of the server")
			c.link.trySend(refusal(m.ID))
			return true
		}
	}
	select {
	case c.messages <- m:
		return true
	case <-c.closed:
		return false
	}
}
