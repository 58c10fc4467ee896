package lastknown

import (
	"context"
	"io"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// replayed is the protocol version of a replay, whatever the server's was: it asks for nothing but answers.
const replayed = "2025-11-25"

// Transport returns a transport to a server that gives the recorded answers. It refuses all other requests as unknown, and
// calls missing if one of them would have read something: what is read is not the whole then.
func (c *Catalog) Transport(missing func()) mcp.Transport { return replay{c, missing} }

type replay struct {
	*Catalog
	missing func()
}

// Connect implements [mcp.Transport].
func (r replay) Connect(context.Context) (mcp.Connection, error) {
	return &replaying{replay: r, out: make(chan jsonrpc.Message), closed: make(chan struct{})}, nil
}

// replaying is a connection to a server that only has a catalog.
type replaying struct {
	replay
	out    chan jsonrpc.Message
	closed chan struct{}
	once   sync.Once
}

// Read implements [mcp.Connection].
func (r *replaying) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-r.out:
		return m, nil
	case <-r.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements [mcp.Connection].
func (r *replaying) Write(ctx context.Context, m jsonrpc.Message) error {
	req, ok := m.(*jsonrpc.Request)
	if !ok || !req.IsCall() {
		return nil
	}
	select {
	case r.out <- r.answer(req):
		return nil
	case <-r.closed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *replaying) answer(req *jsonrpc.Request) *jsonrpc.Response {
	if req.Method == "initialize" {
		return &jsonrpc.Response{ID: req.ID, Result: r.server}
	}
	if key, err := requestKey(req.Method, req.Params); err == nil {
		result, ok := r.answers[key]
		switch {
		case len(result) > 0:
			return &jsonrpc.Response{ID: req.ID, Result: result}
		case !ok && reads(req.Method):
			r.missing()
		}
	}
	return &jsonrpc.Response{ID: req.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "not part of the catalog"}}
}

// reads reports whether a method reads something. Others, such as a subscription, are not part of a catalog.
func reads(method string) bool {
	_, verb, _ := strings.Cut(method, "/")
	return verb == "list" || verb == "call" || verb == "read" || verb == "get"
}

// Close implements [mcp.Connection].
func (r *replaying) Close() error {
	r.once.Do(func() { close(r.closed) })
	return nil
}

// SessionID implements [mcp.Connection].
func (r *replaying) SessionID() string { return "" }
