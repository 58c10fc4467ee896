package cash_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

// hanging is a registry with a function whose visibility nobody decides while it
// hangs.
type hanging struct {
	*registry.Registry
	hangs   atomic.Bool
	waiting atomic.Int32
	release chan struct{}
	id      string
}

func newHanging(t *testing.T) *hanging {
	t.Helper()
	h := &hanging{Registry: registry.New(nil), release: make(chan struct{})}
	f := registry.Func("get", "Get.", func(context.Context, struct{}) (string, error) { return "got", nil }, registry.VisibleTo(func(context.Context, *registry.Caller) bool {
		if h.hangs.Load() {
			h.waiting.Add(1)
			<-h.release
			h.waiting.Add(-1)
		}
		return true
	}))
	h.Namespace("shop", "A shop.").Add(f)
	h.id = f.ID().String()
	return h
}

// deadline is that of calls to every face below.
const deadline = 3 * time.Second

// ways are all that lead to a call, each as a function that makes one and returns
// what a model reads.
func (h *hanging) ways(t *testing.T) map[string]func() string {
	t.Helper()
	ways := make(map[string]func() string)
	for name, way := range map[string]struct {
		tool, args string
	}{
		"cash":       {"call", `{"namespace":"shop","function":"get"}`},
		"gateway":    {"tool_execute", `{"tool_id":"` + h.id + `"}`},
		"proxy":      {"tool_execute", `{"tool_id":"` + h.id + `"}`},
		"facade":     {"ShopExecute", `{"cmd":"get"}`},
		"plain":      {"shop-get", `{}`},
		"disclosure": {"shop-get", `{}`},
	} {
		client := cashtest.Connect(t, faces[name](h, serve.Options{Timeout: deadline}))
		ways[name] = func() string { return client.Tool(way.tool, json.RawMessage(way.args)).Text }
	}
	srv := cash.NewServer(h, &cash.Options{Serve: serve.Options{Timeout: deadline}})
	ways["Server.Call"] = func() string {
		r, err := srv.Call(context.Background(), &cash.CallRequest{Namespace: "shop", Function: "get"})
		if err != nil {
			return err.Error()
		}
		return r.Text()
	}
	command := endpoint.New(h, &endpoint.Options{Timeout: deadline})
	ways["endpoint"] = func() string {
		document, _ := command.Answer(context.Background(), []byte(`{"action":"call_tool","tool":"shop.get"}`))
		return string(document)
	}
	return ways
}

// TestHangingRule holds that a rule of visibility that never returns holds up no call
// for longer than its deadline, that further calls are refused once 64 hang, and
// that all is well when the rule returns.
func TestHangingRule(t *testing.T) {
	for _, name := range []string{"cash", "gateway", "proxy", "facade", "plain", "disclosure", "Server.Call", "endpoint"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHanging(t)
				call := h.ways(t)[name]
				before := call()
				h.hangs.Store(true)
				var calls sync.WaitGroup
				for range 64 {
					calls.Go(func() {
						began := time.Now()
						if text := call(); !strings.Contains(text, "out of time") || !strings.Contains(text, "The function was not run.") {
							t.Errorf("%s", text)
						}
						if took := time.Since(began); took > deadline+time.Second {
							t.Errorf("an answer after %v", took)
						}
					})
				}
				calls.Wait()
				began := time.Now()
				if text := call(); !strings.Contains(text, "not taking calls") || time.Since(began) > time.Second {
					t.Errorf("one more after %v: %s", time.Since(began), text)
				}
				if n := h.waiting.Load(); n != 64 {
					t.Errorf("%d calls hang", n)
				}
				h.hangs.Store(false)
				close(h.release)
				synctest.Wait()
				if n := h.waiting.Load(); n != 0 {
					t.Errorf("%d calls still hang", n)
				}
				if text := call(); text != before || strings.Contains(text, "not taking") {
					t.Errorf("afterwards %s, before %s", text, before)
				}
			})
		})
	}
}
