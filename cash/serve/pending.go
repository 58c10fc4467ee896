package serve

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// deliverTimeout is how long answers may take to reach their clients after the
// last call has ended: a client that does not read holds nobody up.
const deliverTimeout = time.Second

// pending counts requests whose answer has not been written yet: that a
// handler has returned does not mean that its answer is on the wire, and the
// SDK drops what it has not written when a session is closed. The zero value
// is ready.
type pending struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed when n falls to zero; nil if nobody waits
}

func (p *pending) add(delta int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n += delta
	if p.n == 0 && p.idle != nil {
		close(p.idle)
		p.idle = nil
	}
}

// wait returns when nothing is pending, or after the time limit.
func (p *pending) wait(limit time.Duration) {
	p.mu.Lock()
	if p.n == 0 {
		p.mu.Unlock()
		return
	}
	if p.idle == nil {
		p.idle = make(chan struct{})
	}
	idle := p.idle
	p.mu.Unlock()
	select {
	case <-idle:
	case <-time.After(limit):
	}
}

// countPosts counts the POST requests that pass: each is answered before it
// ends. Streams are not counted, for they last as long as their session.
func (p *pending) countPosts(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			p.add(1)
			defer p.add(-1)
		}
		next.ServeHTTP(w, r)
	})
}

// counted is a transport, of one connection, that counts the calls read until
// their answers are written.
type counted struct {
	mcp.Transport
	pending pending

	mu   sync.Mutex
	conn mcp.Connection
	once sync.Once
	gone chan struct{} // closed when the client has sent its last message
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

// close closes the connection from below: writes that are stuck fail.
func (t *counted) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn != nil {
		_ = t.conn.Close()
	}
}

type countedConn struct {
	mcp.Connection
	transport *counted
}

func (c countedConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if req, ok := msg.(*jsonrpc.Request); ok && err == nil && req.IsCall() {
		c.transport.pending.add(1)
	}
	if err != nil && ctx.Err() == nil {
		c.transport.once.Do(func() { close(c.transport.gone) })
	}
	return msg, err
}

func (c countedConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	if _, ok := msg.(*jsonrpc.Response); ok {
		defer c.transport.pending.add(-1)
	}
	return c.Connection.Write(ctx, msg)
}
