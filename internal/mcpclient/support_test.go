package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/mcpclient"
)

// exact is a result that does not survive a detour through any.
const exact = `{"z":9007199254740993,"a":{"y":1.0,"b":[1e2]}}`

// newServer returns a server with the tool "exact", and "wait", which hangs.
func newServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	schema := json.RawMessage(`{"type":"object"}`)
	s.AddTool(&mcp.Tool{Name: "exact", InputSchema: schema}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{}, StructuredContent: json.RawMessage(exact)}, nil
	})
	s.AddTool(&mcp.Tool{Name: "wait", InputSchema: schema}, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	return s
}

// deadline bounds everything in tests that should not take time.
func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// connect connects a client, for the newest version of the protocol if version is
// empty, and closes it at the end of the test.
func connect(t *testing.T, tr mcp.Transport, version string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, o).
		Connect(deadline(t), tr, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cs.Close() })
	return cs
}

// outcome is how a call went.
type outcome struct {
	err  error
	x    *mcpclient.Exchange
	wire *mcpclient.Error
}

// call calls a tool.
func call(ctx context.Context, cs *mcp.ClientSession, tool string) outcome {
	ctx, x := mcpclient.WithExchange(ctx)
	_, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: tool})
	o := outcome{err: err, x: x}
	if !errors.As(x.Err(), &o.wire) {
		errors.As(err, &o.wire)
	}
	return o
}

// abandon calls a tool, and gives up as soon as ready says so.
func abandon(t *testing.T, cs *mcp.ClientSession, tool string, ready func(*mcpclient.Exchange) bool) outcome {
	t.Helper()
	ctx, cancel := context.WithCancel(deadline(t))
	defer cancel()
	ctx, x := mcpclient.WithExchange(ctx)
	done := make(chan error, 1)
	go func() {
		_, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: tool})
		done <- err
	}()
	for !ready(x) && ctx.Err() == nil {
		runtime.Gosched()
	}
	cancel()
	return outcome{err: <-done, x: x}
}

// wantRefusal checks that a call was answered with the error "locked".
func wantRefusal(t *testing.T, o outcome) {
	t.Helper()
	var e *jsonrpc.Error
	if o.err == nil || !errors.As(o.x.Refusal(), &e) || e.Code != -32004 || e.Message != "locked" || o.x.Err() != nil || !o.x.Sent() {
		t.Fatalf("%v, refusal %v, error %v, sent %v", o.err, o.x.Refusal(), o.x.Err(), o.x.Sent())
	}
}

// wantFine checks that a session still works.
func wantFine(t *testing.T, cs *mcp.ClientSession) {
	t.Helper()
	o := call(deadline(t), cs, "exact")
	if o.err != nil {
		t.Fatalf("the session does not go on: %v", o.err)
	}
	if got := string(o.x.Result()); !strings.Contains(got, exact) || !o.x.Sent() || o.x.Err() != nil {
		t.Fatalf("result %s, sent %v, err %v", got, o.x.Sent(), o.x.Err())
	}
}

// wantClass checks the class of a failure.
func wantClass(t *testing.T, o outcome, class mcpclient.Class, sent bool) {
	t.Helper()
	if o.err == nil {
		t.Fatal("the call succeeded")
	}
	if o.wire == nil {
		t.Fatalf("not typed: %v", o.err)
	}
	if o.wire.Class != class || o.x.Sent() != sent {
		t.Fatalf("class %v (%s), sent %v; want %v, %v", o.wire.Class, o.wire.Reason, o.x.Sent(), class, sent)
	}
	if o.x.Result() != nil {
		t.Errorf("a result: %s", o.x.Result())
	}
	if reason := o.wire.Reason; reason == "" || len(reason) > 120 || strings.Contains(reason, "127.0.0.1") || strings.Contains(reason, "secret") {
		t.Errorf("reason %q", reason)
	}
}

// faulty is a streamable server whose tool calls go wrong: fault is the handler
// for them while it is set. Everything else is handled by a proper server.
type faulty struct {
	*httptest.Server
	mu    sync.Mutex
	fault func(w http.ResponseWriter, r *http.Request, id string)
	named func(w http.ResponseWriter, tool, id string) bool // answers calls by the name of the tool, or does not; nil does not
	get   http.HandlerFunc                                  // of the standalone stream and of resumed ones
	calls int
}

func (f *faulty) set(fault func(http.ResponseWriter, *http.Request, string)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = fault
}

func (f *faulty) setGet(get http.HandlerFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.get = get
}

func newFaulty(t *testing.T, stateless bool) *faulty {
	f := new(faulty)
	s := newServer()
	proper := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: stateless})
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		fault, get := f.fault, f.get
		f.mu.Unlock()
		if r.Method == http.MethodGet && get != nil {
			get(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		var m struct {
			Method string
			ID     json.RawMessage
			Params struct{ Name string }
		}
		_ = json.Unmarshal(body, &m)
		if m.Method == "tools/call" {
			if f.named != nil && f.named(w, m.Params.Name, string(m.ID)) {
				return
			}
			f.mu.Lock()
			f.calls++
			f.mu.Unlock()
			if fault != nil {
				fault(w, r, string(m.ID))
				return
			}
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		proper.ServeHTTP(w, r)
	}))
	f.Config.ErrorLog = nil
	t.Cleanup(func() {
		f.CloseClientConnections()
		f.Close()
	})
	return f
}

// write answers with a body.
func write(contentType, body string) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, _ *http.Request, id string) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, strings.ReplaceAll(body, "ID", id))
	}
}

// status answers with a status.
func status(code int, header http.Header, body string) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, _ *http.Request, id string) {
		for k, v := range header {
			w.Header()[k] = v
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, strings.ReplaceAll(body, "ID", id))
	}
}

// at once is a clock without waiting.
func atOnce(time.Duration) <-chan time.Time {
	c := make(chan time.Time, 1)
	c <- time.Time{}
	return c
}

// notify writes messages of the server's own before an answer and after it.
func notify(w io.Writer, form string, before int, answer string, after int) {
	for i := range before + after {
		if i == before {
			fmt.Fprintf(w, form, answer)
		}
		message := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":%d}}`, i)
		if i%100 == 99 {
			message = fmt.Sprintf(`{"jsonrpc":"2.0","id":"ping %d","method":"ping"}`, i)
		}
		fmt.Fprintf(w, form, message)
	}
	if after == 0 {
		fmt.Fprintf(w, form, answer)
	}
}

// answer is a result as JSON-RPC.
func answer(id any) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"result":{"content":[],"structuredContent":%s}}`, id, exact)
}

func TestMain(m *testing.M) {
	if mode := os.Getenv("MCPCLIENT_TEST_SERVER"); mode != "" {
		serve(mode)
		return
	}
	os.Exit(m.Run())
}
