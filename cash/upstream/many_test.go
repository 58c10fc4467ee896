package upstream_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

var manyUpstreams = flag.Int("upstreams", 40, "how many servers TestManyUpstreams mounts, with 50 tools each")

// toolsEach is the number of tools of each of many servers.
const toolsEach = 50

// many is an aggregator of many servers in memory.
type many struct {
	servers []*mcp.Server
	agg     *upstream.Aggregator
	reg     *registry.Registry
	srv     *cash.Server
	added   int
}

func mountMany(t *testing.T, n int) (m *many, took time.Duration, bytesPerTool int64) {
	t.Helper()
	m = new(many)
	for i := range n {
		srv := mcp.NewServer(&mcp.Implementation{Name: label4(i), Version: "1"}, nil)
		for j := range toolsEach {
			srv.AddTool(&mcp.Tool{Name: fmt.Sprintf("tool_%d", j), Description: fmt.Sprintf("Does thing %d of service %d for an order.", j, i), InputSchema: json.RawMessage(
				`{"type":"object","properties":{"order_id":{"type":"string","description":"Unique order identifier."},"limit":{"type":"integer","minimum":1,"maximum":100}},"required":["order_id"]}`)},
				saying("done"))
		}
		m.servers = append(m.servers, srv)
	}
	before := liveBytes()
	began := time.Now()
	servers := make([]upstream.Server, n)
	for i, srv := range m.servers {
		servers[i] = upstream.Server{Label: label4(i), Endpoint: upstream.InMemory{Server: srv}, ConnectTimeout: 2 * time.Minute}
	}
	m.srv, m.agg, m.reg = aggregateWithin(t, 2*time.Minute, nil, servers...)
	took = time.Since(began)
	m.read(t, 1)
	return m, took, (liveBytes() - before) / int64(n*toolsEach)
}

func label4(i int) string { return fmt.Sprintf("s%04d", i) }

func liveBytes() int64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.GC() // pools live through one
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// read reads what depends on all functions: help, an id, and a search.
func (m *many) read(t *testing.T, i int) {
	t.Helper()
	m.help(t, i)
	m.byID(t, i)
	if len(m.reg.Search(t.Context(), "thing 7 of a service", 10)) == 0 {
		t.Error("nothing is found")
	}
}

func (m *many) help(t *testing.T, i int) {
	t.Helper()
	page, err := m.srv.Help(t.Context(), &cash.HelpRequest{Namespace: label4(i)})
	if err != nil || !strings.Contains(page, "tool_49") {
		t.Errorf("help: %v: %.300s", err, page)
	}
}

func (m *many) byID(t *testing.T, i int) {
	t.Helper()
	f, err := m.reg.Function(t.Context(), label4(i), "tool_7")
	if err != nil {
		t.Fatal(err)
	}
	if g, err := m.reg.FunctionByID(t.Context(), f.Primitive()); err != nil || g != f {
		t.Errorf("%s: %v", f.Primitive(), err)
	}
}

// change changes the tools of one server, waits until the tree shows that, and reads help and an id: what must not
// depend on the number of servers. It returns the bytes that this has allocated.
func (m *many) change(t *testing.T) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m.added++
	m.servers[0].AddTool(&mcp.Tool{Name: fmt.Sprintf("new_%d", m.added%2), Description: fmt.Sprint("Version ", m.added), InputSchema: json.RawMessage(`{"type":"object"}`)}, saying("new"))
	if err := m.agg.Refresh(t.Context(), label4(0)); err != nil {
		t.Fatal(err)
	}
	m.help(t, 1)
	m.byID(t, 1)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestManyUpstreams holds that a change of one server costs what that one costs, however many there are, and that nobody
// waits while a server is read.
func TestManyUpstreams(t *testing.T) {
	m, took, perTool := mountMany(t, *manyUpstreams)
	t.Logf("%d servers with %d tools each: read in %v, %d bytes of memory for each tool, %d goroutines",
		len(m.servers), toolsEach, took.Round(time.Millisecond), perTool, runtime.NumGoroutine())
	cheapest := func(m *many) uint64 {
		least := m.change(t)
		for range 5 {
			least = min(least, m.change(t))
		}
		return least
	}
	few, _, _ := mountMany(t, 8)
	one, all := cheapest(few), cheapest(m)
	t.Logf("a change of one server allocates %d bytes among 8 servers, %d bytes among %d", one, all, len(m.servers))
	// 500 bytes for each server are its places in the lists of the top level.
	if all > 2*one+500*uint64(len(m.servers)) {
		t.Error("it costs more with more servers")
	}

	reading, release := make(chan struct{}, 1), make(chan struct{})
	m.servers[0].AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "tools/list" {
				select {
				case reading <- struct{}{}:
				default: // it is read again because of the notice of a change
				}
				<-release
			}
			return next(ctx, method, req)
		}
	})
	refreshed := make(chan error)
	go func() { refreshed <- m.agg.Refresh(context.Background(), label4(0)) }()
	<-reading
	m.read(t, 0) // what is being read
	m.read(t, 2)
	if _, err := m.srv.Call(t.Context(), &cash.CallRequest{Namespace: label4(2), Function: "tool_1", Kwargs: json.RawMessage(`{"order_id":"A"}`)}); err != nil {
		t.Error(err)
	}
	select {
	case err := <-refreshed:
		t.Errorf("the server is not being read: %v", err)
	default:
	}
	close(release)
	if err := <-refreshed; err != nil {
		t.Error(err)
	}
}
