//go:build unix

package mcpclient_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/mcpclient"
)

// TestW34RawResults has results come through exactly, over all transports and
// with both generations of the protocol.
func TestW34RawResults(t *testing.T) {
	s := newServer()
	get := func(*http.Request) *mcp.Server { return s }
	stateful := httptest.NewServer(mcp.NewStreamableHTTPHandler(get, nil))
	stateless := httptest.NewServer(mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true}))
	inJSON := httptest.NewServer(mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
	events := httptest.NewServer(mcp.NewSSEHandler(get, nil))
	for _, h := range []*httptest.Server{stateful, stateless, inJSON, events} {
		t.Cleanup(func() {
			h.CloseClientConnections()
			h.Close()
		})
	}
	for name, tr := range map[string]func() mcp.Transport{
		"stateful":  func() mcp.Transport { return mcpclient.HTTP(stateful.URL, nil, mcpclient.Options{}) },
		"stateless": func() mcp.Transport { return mcpclient.HTTP(stateless.URL, nil, mcpclient.Options{}) },
		"json":      func() mcp.Transport { return mcpclient.HTTP(inJSON.URL, nil, mcpclient.Options{}) },
		"events":    func() mcp.Transport { return mcpclient.SSE(events.URL, nil, mcpclient.Options{}) },
		"memory":    func() mcp.Transport { return inMemory(t, s) },
		"command":   func() mcp.Transport { return mcpclient.Stdio(child("proper"), mcpclient.Options{}) },
	} {
		for _, version := range []string{legacy, ""} {
			t.Run(name+" "+version, func(t *testing.T) {
				cs := connect(t, tr(), version, nil)
				wantFine(t, cs)
				ctx, x := mcpclient.WithExchange(deadline(t))
				if _, err := cs.ListTools(ctx, nil); err != nil || len(x.Result()) == 0 {
					t.Errorf("%v, result %s", err, x.Result())
				}
				o := call(deadline(t), cs, "absent")
				var rpc *jsonrpc.Error
				if !errors.As(o.err, &rpc) || rpc.Code != jsonrpc.CodeInvalidParams || o.x.Result() != nil || o.x.Err() != nil || !o.x.Sent() {
					t.Errorf("absent: %v, %s, %v", o.err, o.x.Result(), o.x.Err())
				}
			})
		}
	}
}

func inMemory(t *testing.T, s *mcp.Server) mcp.Transport {
	ours, theirs := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Run(ctx, theirs)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return mcpclient.Tap(ours, mcpclient.Options{})
}

// TestW34TapLost has the connection under a tap end.
func TestW34TapLost(t *testing.T) {
	ours, theirs := mcp.NewInMemoryTransports()
	end := &ending{Transport: theirs, closer: make(chan mcp.Connection, 1)}
	go func() { _ = newServer().Run(context.Background(), end) }()
	cs := connect(t, mcpclient.Tap(ours, mcpclient.Options{}), "", nil)
	wantFine(t, cs)
	_ = (<-end.closer).Close()
	ctx, x := mcpclient.WithExchange(deadline(t))
	if _, err := cs.ListTools(ctx, nil); err == nil {
		t.Error("a call over no connection succeeded")
	}
	if x.Result() != nil {
		t.Errorf("result %s", x.Result())
	}
}

// ending is a transport whose connection a test can close.
type ending struct {
	mcp.Transport
	closer chan mcp.Connection
}

func (e *ending) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := e.Transport.Connect(ctx)
	e.closer <- c
	return c, err
}

// TestExchange has what follows nothing, and what follows nothing any more.
func TestExchange(t *testing.T) {
	x := new(mcpclient.Exchange)
	if x.Sent() || x.Result() != nil || x.Err() != nil {
		t.Error("the zero value is not empty")
	}
	cs := connect(t, inMemory(t, newServer()), "", nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if o := call(ctx, cs, "exact"); o.x.Sent() || o.err == nil {
		t.Errorf("%v, sent %v", o.err, o.x.Sent())
	}
	wantFine(t, cs)
}

func TestClassString(t *testing.T) {
	seen := make(map[string]bool)
	for c := mcpclient.Unreachable; c <= mcpclient.Flooded; c++ {
		if s := c.String(); s == "" || seen[s] || strings.HasPrefix(s, "Class") {
			t.Errorf("class %d is %q", int(c), s)
		}
		seen[c.String()] = true
	}
	if s := mcpclient.Class(0).String() + mcpclient.Class(99).String(); s != "Class(0)Class(99)" {
		t.Error(s)
	}
}
