package upstream_test

import (
	"context"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/cash/upstream/pin"
	"github.com/cash-mcp/go-sdk/registry"
)

// patience is how long a test waits for what must happen at once.
const patience = 20 * time.Second

// serving returns the CaSH face of an aggregator of servers, which are connected
// or known not to be.
func serving(t testing.TB, servers ...upstream.Server) *cash.Server {
	srv, _, _ := aggregate(t, nil, servers...)
	return srv
}

// large is for tests of sizes in which little runs side by side. With the race detector they take minutes.
func large(t *testing.T) {
	if testing.Short() {
		t.Skip("in full without -short")
	}
}

func aggregate(t testing.TB, opts *upstream.Options, servers ...upstream.Server) (*cash.Server, *upstream.Aggregator, *registry.Registry) {
	t.Helper()
	return aggregateWithin(t, patience, opts, servers...)
}

// aggregateWithin is aggregate for servers that take longer to read.
func aggregateWithin(t testing.TB, within time.Duration, opts *upstream.Options, servers ...upstream.Server) (*cash.Server, *upstream.Aggregator, *registry.Registry) {
	t.Helper()
	reg := registry.New(nil)
	agg := upstream.New(reg, opts)
	for _, s := range servers {
		if err := agg.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := agg.Close(ctx); err != nil {
			t.Errorf("closing the aggregator: %v", err)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	if err := agg.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	return cash.NewServer(reg, nil), agg, reg
}

// refusing ends every connection.
type refusing struct{}

func (refusing) Run(ctx context.Context, tr mcp.Transport) error {
	conn, err := tr.Connect(ctx)
	if err != nil {
		return err
	}
	return conn.Close()
}

// runPrepared runs a call that was prepared earlier: what was looked up then is not
// looked up again.
func runPrepared(ctx context.Context, p *registry.Pipeline, c *registry.Call) (*registry.Result, error) {
	return p.Call(ctx, &registry.Request{Find: registry.Found(c.Function), Arguments: c.Arguments})
}

func openPins(t *testing.T, path string) *pin.File {
	t.Helper()
	pins, err := pin.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return pins
}
