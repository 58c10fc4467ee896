package serve

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// codeBusy is the JSON-RPC code of a call beyond the limit.
const codeBusy = -32000

// counted is a transport for one connection. It counts calls from their arrival until their answers
// are written, and refuses calls beyond the limit, because a client may send without ever reading.
type counted struct {
	mcp.Transport
	pending  pending
	maxCalls int
	maxBytes int64 // of the parameters of all calls in flight
	watch    *watcher

	mu    sync.Mutex
	conn  mcp.Connection
	calls map[jsonrpc.ID]int64 // bytes of parameters, by calls without a written answer
	open  map[jsonrpc.ID]bool  // those of them that are subscriptions
	bytes int64
	once  sync.Once
	gone  chan struct{} // closed after the client's last message
}

// callsInFlight is the number of largest messages that may be in flight at a time.
const callsInFlight = 8

func newCounted(t mcp.Transport, opts *Options, watch *watcher) *counted {
	own := tolerant(t, opts.MaxBody)
	if l, ok := own.(*lines); ok {
		l.told = watch.refused
	}
	return &counted{
		Transport: own, gone: make(chan struct{}), watch: watch,
		maxCalls: opts.MaxCalls, maxBytes: callsInFlight * opts.MaxBody,
		calls: make(map[jsonrpc.ID]int64), open: make(map[jsonrpc.ID]bool),
	}
}

func (t *counted) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.conn = conn
	return countedConn{conn, t}, nil
}

// close closes the connection from below, so that blocked writes fail.
func (t *counted) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn != nil {
		_ = t.conn.Close()
	}
}

// admit counts a call, or returns the reason to refuse it.
func (t *counted) admit(req *jsonrpc.Request) *refusal {
	size := int64(len(req.Params))
	t.mu.Lock()
	defer t.mu.Unlock()
	flying := t.pending.count()
	if flying > len(t.calls) {
		flying-- // the client may have read this answer already
	}
	switch _, twice := t.calls[req.ID]; {
	case twice: // the answer would be taken for that of the other call
		return refuse(jsonrpc.CodeInvalidRequest, "a call with this id is in flight")
	case flying >= t.maxCalls:
		return refuse(codeBusy, "too many calls in flight on this connection: at most %d. Read answers first, then send it again", t.maxCalls)
	case t.bytes+size > t.maxBytes && t.bytes > 0:
		return refuse(codeBusy, "the calls in flight on this connection have more than %d bytes. Read answers first, then send it again", t.maxBytes)
	}
	t.calls[req.ID] = size
	if req.Method == listen {
		t.open[req.ID] = true
	}
	t.bytes += size
	t.pending.add(1)
	return nil
}

// answered frees the id of a call. Its client may use it again as soon as it has the answer. It
// reports whether the call is pending.
func (t *counted) answered(id jsonrpc.ID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	size, pending := t.calls[id]
	t.bytes -= size
	delete(t.calls, id)
	delete(t.open, id)
	return pending
}

// left ends the connection for a client that is gone. Its subscriptions are not pending any more:
// nobody waits for their answers.
func (t *counted) left() {
	t.once.Do(func() { close(t.gone) })
	t.mu.Lock()
	open := slices.Collect(maps.Keys(t.open))
	t.mu.Unlock()
	for _, id := range open {
		if t.answered(id) {
			t.pending.add(-1)
		}
	}
}

type countedConn struct {
	mcp.Connection
	transport *counted
}

func (c countedConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		msg, err := c.Connection.Read(ctx)
		if err != nil && ctx.Err() == nil {
			c.transport.left()
		}
		req, ok := msg.(*jsonrpc.Request)
		if err != nil || !ok || !req.IsCall() {
			return msg, err
		}
		refused := c.transport.admit(req)
		if refused == nil {
			c.transport.watch.came(req)
			return msg, nil
		}
		refused.method = known(req.Method)
		c.transport.watch.refused(refused, len(req.Params))
		// While the client does not read, this call waits and no further message is read.
		if err := c.refuse(ctx, req, refused); err != nil {
			return nil, err
		}
	}
}

// refuse answers a call that does not reach the SDK.
func (c countedConn) refuse(ctx context.Context, req *jsonrpc.Request, f *refusal) error {
	lines, ok := c.Connection.(*lineConn)
	if !ok {
		return c.Connection.Write(ctx, &jsonrpc.Response{ID: req.ID, Error: &jsonrpc.Error{Code: f.code, Message: f.reason}})
	}
	if f.code == codeBusy {
		f.id = spelling(req.ID)
	}
	if err := lines.writeLine(f.answer()); err != nil {
		return fmt.Errorf("%w: %v", io.EOF, err) // the client is gone
	}
	return nil
}

func (c countedConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	if answer, ok := msg.(*jsonrpc.Response); ok && c.transport.answered(answer.ID) {
		c.transport.watch.answered(answer)
		defer c.transport.pending.add(-1)
	}
	return c.Connection.Write(ctx, msg)
}
