package serve_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
)

// slowTransport is a transport whose answers take a while to be written, and
// are lost when it is closed meanwhile.
type slowTransport struct {
	mcp.Transport
	writing chan struct{} // gets a value when an answer is being written
}

func (t slowTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	return &slowConn{Connection: conn, writing: t.writing, closed: make(chan struct{})}, err
}

type slowConn struct {
	mcp.Connection
	writing chan struct{}
	once    sync.Once
	closed  chan struct{}
}

func (c *slowConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	if _, ok := msg.(*jsonrpc.Response); ok {
		c.writing <- struct{}{}
		select {
		case <-time.After(500 * time.Millisecond):
		case <-c.closed:
			return io.ErrClosedPipe
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return c.Connection.Write(ctx, msg)
}

func (c *slowConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Connection.Close()
}

// TestRunDeliversAnswers holds that an answer which is on its way when Run's
// context ends arrives, although the call itself has ended.
func TestRunDeliversAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := mcp.NewInMemoryTransports()
		writing := make(chan struct{}, 10)
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- cash.NewServer(whoami(), nil).Run(ctx, slowTransport{far, writing}) }()
		s, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(context.Background(), near, nil)
		if err != nil {
			t.Fatal(err)
		}
		for len(writing) > 0 { // of connecting
			<-writing
		}
		answer := callAside(s, "whoami")
		<-writing
		cancel()
		if r := <-answer; r.text != "nobody" || r.err != nil {
			t.Errorf("the client got %+v", r)
		}
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Run: %v", err)
		}
		s.Close()
	})
}
