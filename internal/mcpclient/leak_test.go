package mcpclient_test

import (
	"context"
	"net"
	"net/http"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/mcpclient"
)

// TestW39Goroutines closes sessions, some of whose streams are refused and some of
// whose hang: nothing of them stays.
func TestW39Goroutines(t *testing.T) {
	f := newFaulty(t, false)
	old := newOld(t)
	transport := &http.Transport{DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	before := runtime.NumGoroutine()
	for _, get := range []http.HandlerFunc{
		nil,
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusMethodNotAllowed) },
		func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		f.setGet(get)
		for _, tr := range []mcp.Transport{
			mcpclient.HTTP(f.URL, client, small), mcpclient.SSE(old.URL, client, small),
		} {
			cs, err := mcp.NewClient(&mcp.Implementation{Name: "c"}, nil).Connect(deadline(t), tr, &mcp.ClientSessionOptions{ProtocolVersion: legacy})
			if err != nil {
				t.Fatal(err)
			}
			wantFine(t, cs)
			if err := cs.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	settle(t, before)
}

// settle waits until there are no more goroutines than before.
func settle(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, then %d:\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// TestW34KeepsConnections has calls share a connection.
func TestW34KeepsConnections(t *testing.T) {
	f := newFaulty(t, true)
	var dials atomic.Int32
	transport := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		dials.Add(1)
		return new(net.Dialer).DialContext(ctx, network, addr)
	}, MaxConnsPerHost: 1}
	defer transport.CloseIdleConnections()
	cs := connect(t, mcpclient.HTTP(f.URL, &http.Client{Transport: transport}, small), "", nil)
	for range 10 {
		wantFine(t, cs)
	}
	if n := dials.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}
