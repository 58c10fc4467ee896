package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/upstream"
)

// asUpstream makes the test's binary be an upstream server on stdio. Its value is the label.
const asUpstream = "TEST_AS_SOAK_UPSTREAM"

func TestMain(m *testing.M) {
	if label := os.Getenv(asUpstream); label != "" {
		_ = newSoakServer(label).Run(context.Background(), &mcp.StdioTransport{}) // ends with its input
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// newSoakServer returns a server with the tools
//
//	echo     answers with the label and the nonce
//	turning  is like echo, and has another definition after each call of turn
//	turn     changes the definition of turning
//	die      ends the process
func newSoakServer(label string) *mcp.Server {
	srv := mcp.NewServer(&mcp.Implementation{Name: label, Version: "1"}, nil)
	echo := func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		r, err := soakAnswer(ctx, label, req.Params.Arguments)
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{Content: r.Content}, nil
	}
	var mu sync.Mutex
	turns := 0
	turning := func() {
		mu.Lock()
		defer mu.Unlock()
		turns++
		srv.AddTool(&mcp.Tool{Name: "turning", Description: fmt.Sprintf("Definition %d.", turns%8),
			InputSchema: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"nonce":{"type":"string"},"field%d":{"type":"string"}}}`, turns%8))}, echo)
	}
	turning()
	srv.AddTool(&mcp.Tool{Name: "echo", Description: "Answer.", InputSchema: json.RawMessage(
		`{"type":"object","properties":{"nonce":{"type":"string"},"size":{"type":"integer"},"pause":{"type":"integer"}}}`),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, echo)
	for name, act := range map[string]func(){"turn": turning, "die": func() { os.Exit(3) }} {
		srv.AddTool(&mcp.Tool{Name: name, Description: "For tests.", InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				act()
				return new(mcp.CallToolResult), nil
			})
	}
	return srv
}

// A soakUpstream is an upstream server that can die and come back.
type soakUpstream struct {
	label    string
	endpoint upstream.Endpoint
	die      func(w *soakWorld) // nil never dies
	comeBack func() error       // before it is connected to again; nil is nothing to do
	stop     func()
}

func (u *soakUpstream) settings() upstream.Server {
	return upstream.Server{Label: u.label, Endpoint: u.endpoint, Timeout: 30 * time.Second}
}

// newSoakUpstreams returns a child process, a server over each generation of HTTP, one in memory, and one that is
// replaced.
func newSoakUpstreams(t *testing.T) []*soakUpstream {
	memory := &cutServer{label: "memory", cut: make(map[int]context.CancelFunc)}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	nothing := func() {}
	return []*soakUpstream{
		{
			label: "child", stop: nothing,
			endpoint: upstream.Command{Path: program, Env: []string{asUpstream + "=child", "GORACE=atexit_sleep_ms=0"}},
			die:      func(w *soakWorld) { w.tell("child", "die") },
		},
		newSoakSite(t, "web", false), newSoakSite(t, "stateless", true),
		{label: "memory", stop: nothing, endpoint: upstream.InMemory{Server: memory}, die: func(*soakWorld) { memory.cutAll() }},
		{label: "swapped", stop: nothing, endpoint: upstream.InMemory{Server: newSoakServer("swapped")}},
	}
}

// tell calls a tool of an upstream, and ignores what comes of it.
func (w *soakWorld) tell(label, tool string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, _ = w.faces["cash"].(*cash.Server).Call(ctx, &cash.CallRequest{Namespace: label, Function: tool})
}

// newSoakSite returns a server over HTTP that dies with its connections and comes back at the same address.
func newSoakSite(t *testing.T, label string, stateless bool) *soakUpstream {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	var die func()
	start := func(l net.Listener) {
		srv := newSoakServer(label)
		web := &http.Server{Handler: mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, &mcp.StreamableHTTPOptions{Stateless: stateless})}
		served := make(chan struct{})
		go func() {
			defer close(served)
			_ = web.Serve(l)
		}()
		die = func() {
			web.Close()
			<-served
			for s := range srv.Sessions() {
				s.Close()
			}
		}
	}
	start(listener)
	comeBack := func() (err error) {
		for range 600 {
			var l net.Listener
			if l, err = net.Listen("tcp", address); err == nil {
				start(l)
				return nil
			}
			time.Sleep(50 * time.Millisecond)
		}
		return err
	}
	return &soakUpstream{
		label: label, endpoint: upstream.HTTP{URL: "http://" + address},
		die: func(*soakWorld) { die() }, comeBack: comeBack, stop: func() { die() },
	}
}

// A cutServer is an in-memory server whose connections can be cut. Each has a server of its own.
type cutServer struct {
	label string
	mu    sync.Mutex
	next  int
	cut   map[int]context.CancelFunc
}

func (s *cutServer) Run(ctx context.Context, t mcp.Transport) error {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	n := s.next
	s.next++
	s.cut[n] = cancel
	s.mu.Unlock()
	defer func() {
		cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.cut, n)
	}()
	return newSoakServer(s.label).Run(ctx, t)
}

func (s *cutServer) cutAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, cut := range s.cut {
		cut()
	}
}

// trouble lets servers die and come back, changes definitions, replaces a server, and lets functions come and go. An
// upstream that is back must answer.
func (w *soakWorld) trouble(ctx context.Context, t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	pause := 500 * time.Millisecond
	if w.pause > 0 {
		pause = 4 * time.Second
	}
	for turn := 1; ctx.Err() == nil && !t.Failed(); turn++ {
		u := w.upstreams[r.IntN(len(w.upstreams))]
		switch what := r.IntN(8); {
		case what == 0 && u.die != nil:
			w.deaths.Add(1)
			u.die(w)
			rest(ctx, pause)
			if u.comeBack != nil {
				if err := u.comeBack(); err != nil {
					t.Errorf("%s: %v", u.label, err)
					return
				}
			}
			w.back(t, u)
			w.returns.Add(1)
		case what == 1:
			w.replace(t, turn)
		case what < 5:
			w.changes.Add(1)
			w.tell(u.label, "turn")
		default:
			w.changes.Add(1)
			w.churn(turn)
		}
		rest(ctx, pause)
	}
}

// back waits until an upstream answers again.
func (w *soakWorld) back(t *testing.T, u *soakUpstream) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for {
		err := w.agg.Refresh(ctx, u.label)
		if err == nil {
			return
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			t.Errorf("%s does not come back: %v", u.label, err)
			return
		}
	}
}

// replace gives the place of the replaced server to another one, without a gap or with one.
func (w *soakWorld) replace(t *testing.T, turn int) {
	w.changes.Add(1)
	next := &soakUpstream{label: "swapped", endpoint: upstream.InMemory{Server: newSoakServer("swapped")}}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var err error
	switch turn % 3 {
	case 0:
		err = w.agg.Swap(ctx, next.settings())
	case 1:
		err = w.agg.Update(next.settings())
	default:
		if err = w.agg.Remove("swapped"); err == nil {
			err = w.agg.Add(next.settings())
		}
	}
	if err != nil {
		t.Errorf("replacing a server: %v", err)
	}
}

// randomPart returns a random part of a time.
func randomPart(most time.Duration) time.Duration { return time.Duration(rand.Int64N(int64(most))) }
