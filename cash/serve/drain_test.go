package serve_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// slow is a registry with a function that says when it has begun, and ends
// when it is told to, or when its context does.
func slow() (reg *registry.Registry, begun, end chan struct{}) {
	begun, end = make(chan struct{}, 1), make(chan struct{})
	reg = registry.New(nil)
	reg.Namespace("", "").Add(
		registry.Func("slow", "Take a while.", func(ctx context.Context, _ struct{}) (string, error) {
			begun <- struct{}{}
			select {
			case <-end:
				return "done", nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}),
		registry.Func("quick", "Take no while.", func(context.Context, struct{}) (string, error) { return "quick", nil }))
	return reg, begun, end
}

type reply struct {
	text    string
	isError bool
	err     error
}

func callAside(s *mcp.ClientSession, function string) <-chan reply {
	c := make(chan reply, 1)
	go func() {
		res, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: "call", Arguments: map[string]any{"function": function}})
		if err != nil {
			c <- reply{err: err}
			return
		}
		c <- reply{res.Content[0].(*mcp.TextContent).Text, res.IsError, nil}
	}()
	return c
}

func TestShutdownLetsCallsFinish(t *testing.T) {
	for _, v := range generations {
		t.Run(v, func(t *testing.T) {
			before := runtime.NumGoroutine()
			reg, begun, end := slow()
			srv := cash.NewServer(reg, nil)
			ts := httptest.NewServer(srv.Handler())
			s := dial(t, ts.URL, v, nil)
			other := dial(t, ts.URL, v, nil)
			inFlight := callAside(s, "slow")
			<-begun
			stopped := make(chan error, 1)
			go func() { stopped <- srv.Shutdown(context.Background()) }()
			refused := false
			for !refused { // until the shutdown has begun
				text, isErr := call(t, other, "quick")
				refused = isErr && strings.Contains(text, "shutting down")
			}
			close(end)
			if r := <-inFlight; r.text != "done" || r.err != nil {
				t.Errorf("the call in flight got %+v: %v", r, r.err)
			}
			if err := <-stopped; err != nil {
				t.Errorf("Shutdown: %v", err)
			}
			s.Close()
			other.Close()
			ts.Close()
			waitForGoroutines(t, before)
		})
	}
}

func TestShutdownCancelsAtItsDeadline(t *testing.T) {
	reg, begun, _ := slow()
	srv := cash.NewServer(reg, nil)
	ts := httptest.NewServer(srv.Handler())
	defer ts.Close()
	// Stateless, so that closing the sessions cannot overtake the answer.
	inFlight := callAside(dial(t, ts.URL, generations[1], nil), "slow")
	<-begun
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := srv.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Shutdown: %v", err)
	}
	if r := <-inFlight; !r.isError || !strings.Contains(r.text, "shutting down") || !strings.Contains(r.text, "may have taken effect") {
		t.Errorf("the call in flight got %+v: %v", r, r.err)
	}
}

// TestRunDrains holds that the end of Run's context lets calls in flight
// finish, and ends one connection only.
func TestRunDrains(t *testing.T) {
	before := runtime.NumGoroutine()
	reg, begun, end := slow()
	srv := cash.NewServer(reg, &cash.Options{Serve: serve.Options{DrainTimeout: time.Minute}})
	first, stopFirst := runInMemory(t, srv)
	second, stopSecond := runInMemory(t, srv)
	inFlight := callAside(first, "slow")
	<-begun
	ended := make(chan error, 1)
	go func() { ended <- stopFirst() }()
	if r := <-callAside(second, "quick"); r.text != "quick" {
		t.Errorf("the other connection got %+v", r)
	}
	close(end)
	if r := <-inFlight; r.text != "done" {
		t.Errorf("the call in flight got %+v: %v", r, r.err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Run: %v", err)
	}
	first.Close()
	second.Close()
	stopSecond()
	waitForGoroutines(t, before)
}

// runInMemory serves a client in memory; stop ends the server's side and
// returns what Run returns.
func runInMemory(t *testing.T, srv *cash.Server) (s *mcp.ClientSession, stop func() error) {
	t.Helper()
	near, far := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- srv.Run(ctx, far) }()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(context.Background(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, func() error {
		cancel()
		return <-ended
	}
}
