package config_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/config"
	"github.com/cash-mcp/go-sdk/cash/upstream"
)

// A dispatcher is a gateway of a configuration, before a server in this process with a clock of the test's.
type dispatcher struct {
	t      *testing.T
	server *config.Server
	client *cashtest.Client
	behind *mcp.Server
	calls  atomic.Int64 // that reached the server
	hangs  atomic.Int64 // calls of slow that still get no answer
	log    lines
}

// lines is a log that several goroutines write.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// dispatched runs a test of a gateway with the server a and these blocks.
func dispatched(t *testing.T, name, blocks string, test func(d *dispatcher)) {
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			d := &dispatcher{t: t, behind: mcp.NewServer(&mcp.Implementation{Name: "a", Version: "1"}, nil)}
			for _, tool := range []string{"get_order", "get_broken", "refund", "slow"} {
				d.add(tool)
			}
			f := load(t, "face: gateway\n"+blocks+"\nupstreams: [{label: a, endpoint: 'http://a.example', timeout: 1s}]\n")
			f.Upstreams[0].Endpoint = upstream.InMemory{Server: d.behind}
			var err error
			if d.server, err = config.Start(t.Context(), f, &config.Options{Logger: slog.New(slog.NewTextHandler(&d.log, nil))}); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := d.server.Close(context.Background()); err != nil {
					t.Error(err)
				}
			})
			d.client = cashtest.Connect(t, d.server)
			test(d)
		})
	})
}

// add adds a tool: get_ is read-only, broken fails, slow hangs for a while.
func (d *dispatcher) add(name string) {
	destructive := name == "refund"
	d.behind.AddTool(&mcp.Tool{
		Name: name, InputSchema: map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer"}, "m": map[string]any{"type": "integer"}}},
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: strings.HasPrefix(name, "get"), DestructiveHint: &destructive},
	}, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		n := d.calls.Add(1)
		if name == "slow" && d.hangs.Add(-1) >= 0 {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return &mcp.CallToolResult{IsError: name == "get_broken", Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf("%s, call %d", name, n)}}}, nil
	})
}

// execute calls a tool with a member of tool_execute besides args, and returns the answer, the calls that reached the
// server, and the time that it took.
func (d *dispatcher) execute(name, args, more string) (answer string, calls int64, took time.Duration) {
	d.t.Helper()
	f, err := d.server.Registry().Function(d.t.Context(), "a", name)
	if err != nil {
		d.t.Fatal(err)
	}
	before, begun := d.calls.Load(), time.Now()
	answer = d.client.Tool("tool_execute", json.RawMessage(fmt.Sprintf(`{"tool_id": %q, "args": %s%s}`, f.ID(), args, more))).Text
	return answer, d.calls.Load() - before, time.Since(begun)
}

// want checks a call: the calls that reach the server, and what the answer has.
func (d *dispatcher) want(name, args, more string, calls int64, parts ...string) time.Duration {
	d.t.Helper()
	answer, n, took := d.execute(name, args, more)
	if n != calls {
		d.t.Errorf("%s %s%s: %d calls reach the server, want %d", name, args, more, n, calls)
	}
	for _, part := range parts {
		absent, unwanted := strings.CutPrefix(part, "!")
		if strings.Contains(answer, absent) == unwanted {
			d.t.Errorf("%s %s%s: want %s in %s", name, args, more, part, answer)
		}
	}
	return took
}

func (d *dispatcher) logged(part string) {
	d.t.Helper()
	synctest.Wait()
	if !strings.Contains(d.log.String(), part) {
		d.t.Errorf("the log has no %s:\n%s", part, d.log.String())
	}
}

const dry = `, "dry_run": true`

// Each statement of the gateway surface, section 4.5, from the file alone; TestControlsOfTheGateway has the rest.
func TestDispatchOfTheGateway(t *testing.T) {
	dispatched(t, "off by default", "", func(d *dispatcher) {
		for range 100 {
			d.want("get_order", `{"n": 1}`, "", 1, `"status":"ok"`, "!cache_hit", "!RATE_LIMITED")
		}
		d.hangs.Store(1)
		if took := d.want("slow", `{}`, "", 1, `"UPSTREAM_TIMEOUT"`, `"retryable":true`, "!attempts"); took != time.Second {
			t.Errorf("one attempt takes %v", took)
		}
	})

	const retry = "retry: {max_attempts: 4, base_delay: 2s, max_delay: 5s, jitter: false, idempotent: [a.slow]"
	dispatched(t, "retry", retry+"}", func(d *dispatcher) {
		d.hangs.Store(3) // a second each, and waits of 2, 4 and 5 seconds
		if took := d.want("slow", `{}`, "", 4, `"status":"ok"`, "slow, call 4"); took != 14*time.Second {
			t.Errorf("the fourth attempt succeeds after %v", took)
		}
		d.logged("msg=execute.completed")
		d.logged("attempts=4")
		d.hangs.Store(9)
		if took := d.want("slow", `{}`, "", 4, `"UPSTREAM_TIMEOUT"`, `"attempts":4`); took != 15*time.Second {
			t.Errorf("the attempts end after %v", took)
		}
		d.hangs.Store(0)
		d.want("get_broken", `{}`, "", 1, "get_broken, call", "!attempts") // a result with isError is an answer
		d.want("slow", `{"n": "x"}`, "", 0, `"ARGS_INVALID"`, "!attempts")
	})
	dispatched(t, "retry of other codes", retry+", retryable_codes: [UPSTREAM_UNAVAILABLE, RATE_LIMITED]}", func(d *dispatcher) {
		d.hangs.Store(1)
		d.want("slow", `{}`, "", 1, `"UPSTREAM_TIMEOUT"`, "!attempts")
	})
	dispatched(t, "retry with jitter", strings.Replace(retry, "jitter: false, ", "", 1)+"}", func(d *dispatcher) {
		d.hangs.Store(3)
		if took := d.want("slow", `{}`, "", 4, `"status":"ok"`); took < 3*time.Second || took > 14*time.Second {
			t.Errorf("it takes %v", took)
		}
	})

	const cache = "cache: {read_only: true, ttl: 1m, max_entries: 2}"
	dispatched(t, "cache", cache, func(d *dispatcher) {
		d.want("get_order", `{"n": 1, "m": 2}`, "", 1, "!cache_hit")
		d.want("get_order", `{"m": 2, "n": 1}`, "", 0, `"cache_hit":true`)
		d.logged("cache_hit=true")
		for range 2 { // never cached
			d.want("refund", `{"n": 1}`, "", 1, "!cache_hit")
			d.want("get_broken", `{"n": 1}`, "", 1, "!cache_hit")
		}
		time.Sleep(61 * time.Second)
		d.want("get_order", `{"n": 1, "m": 2}`, "", 1, "!cache_hit")

		d.want("get_order", `{"n": 2}`, "", 1)
		d.want("get_order", `{"n": 1, "m": 2}`, "", 0, "cache_hit")
		d.want("get_order", `{"n": 3}`, "", 1) // in the place of the least recently used
		d.want("get_order", `{"n": 1, "m": 2}`, "", 0, "cache_hit")
		d.want("get_order", `{"n": 2}`, "", 1)

		d.want("get_order", `{"n": 2}`, "", 0, "cache_hit")
		d.add("get_invoice") // the catalog changes
		time.Sleep(10 * time.Second)
		d.want("get_invoice", `{}`, "", 1)
		d.want("get_order", `{"n": 2}`, "", 1, "!cache_hit")
	})
	dispatched(t, "cache with a list", "cache: {read_only: true, allow: [a.get_broken]}", func(d *dispatcher) {
		for range 2 {
			d.want("get_order", `{}`, "", 1, "!cache_hit")
		}
	})
	dispatched(t, "cache that trusts no hints", "cache: {read_only: false}", func(d *dispatcher) {
		for range 2 {
			d.want("get_order", `{}`, "", 1, "!cache_hit")
		}
	})

	const limits = "rate_limits:\n  meta_tools: {tool_execute: {max_calls_per_session: 8}, tool_view: {max_calls_per_session: 1}}\n  tools: {a.refund: {max_calls_per_minute: 1}}"
	dispatched(t, "dry run and quota", limits, func(d *dispatcher) {
		for range 20 { // uses up nothing
			d.want("refund", `{"n": 1}`, dry, 0, `"dry_run":true`, `"upstream_name":"refund"`, `"args_valid":true`, `"destructiveHint":true`, `"verified":false`,
				`{"name":"schema_validation","status":"pass"}`, `{"name":"rate_limit","status":"pass"}`)
		}
		d.want("refund", `{"n": "x"}`, dry, 0, `"ARGS_INVALID"`)
		d.logged("msg=execute.dry_run")
		d.want("refund", `{"n": 1}`, "", 1, `"status":"ok"`)
		d.want("refund", `{"n": 1}`, "", 0, `"RATE_LIMITED"`, `"retryable":true`, `"scope":"a:refund#`, `"retry_after":60`)
		d.want("get_order", `{"n": 1}`, "", 1, `"status":"ok"`)
		time.Sleep(60 * time.Second) // the window slides
		d.want("refund", `{"n": 1}`, "", 1, `"status":"ok"`)
		for range 5 {
			d.want("get_order", `{"n": 1}`, "", 1, `"status":"ok"`)
		}
		time.Sleep(2 * time.Minute) // the session's count stays
		d.want("get_order", `{"n": 1}`, "", 0, `"RATE_LIMITED"`, `"scope":"tool_execute"`)
		for _, limited := range []bool{false, true} {
			text := d.client.Tool("tool_view", json.RawMessage(`{"handle": "none", "selector": {"type": "head"}}`)).Text
			if strings.Contains(text, `"RATE_LIMITED"`) != limited {
				t.Errorf("viewing: %s, want a limit: %t", text, limited)
			}
		}
		d.client = cashtest.Connect(d.t, d.server) // another session
		d.want("get_order", `{"n": 1}`, "", 1, `"status":"ok"`)
	})
}
