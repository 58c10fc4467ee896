package upstream_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// counting notes how often a server was connected to, and can end the
// connections.
type counting struct {
	upstream.InMemory
	connections atomic.Int32
	mu          sync.Mutex
	open        []mcp.Connection
}

func (c *counting) Run(ctx context.Context, tr mcp.Transport) error {
	c.connections.Add(1)
	return c.Server.Run(ctx, noting{tr, c})
}

type noting struct {
	mcp.Transport
	in *counting
}

func (n noting) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := n.Transport.Connect(ctx)
	n.in.mu.Lock()
	defer n.in.mu.Unlock()
	n.in.open = append(n.in.open, conn)
	return conn, err
}

func (c *counting) hangUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.open {
		_ = conn.Close()
	}
	c.open = nil
}

func counted(srv *mcp.Server) *counting { return &counting{InMemory: upstream.InMemory{Server: srv}} }

// endless is a tool that ends with its call, and one that answers.
func endless(began chan<- struct{}) *mcp.Server {
	return tools(map[string]mcp.ToolHandler{
		"wait": func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			began <- struct{}{}
			<-ctx.Done()
			return text("late"), nil
		},
		"run": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return text("done"), nil },
	})
}

// A closed aggregator starts nothing any more.
func TestUpdateOfAClosedAggregator(t *testing.T) {
	_, agg, _ := aggregate(t, nil, memory("a", silentTools()))
	if err := agg.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := counted(silentTools())
	if err := agg.Update(memory("a", again)); !errors.Is(err, upstream.ErrClosed) {
		t.Errorf("updating is answered with %v", err)
	}
	if n := len(agg.Status()); n != 0 {
		t.Errorf("%d servers run", n)
	}
}

// What was removed or replaced before is cut off with all the rest when the time
// for closing has passed.
func TestCloseCutsOffWhatWasRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := make(chan struct{})
		srv, agg, _ := aggregate(t, nil, memory("a", endless(began)), memory("b", endless(began)))
		for _, label := range []string{"a", "b"} {
			go func() {
				_, _ = srv.Call(context.Background(), &cash.CallRequest{Namespace: label, Function: "wait"})
			}()
			<-began
		}
		if err := agg.Remove("a"); err != nil {
			t.Error(err)
		}
		if err := agg.Update(memory("b", silentTools())); err != nil {
			t.Error(err)
		}
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := agg.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("closing is answered with %v", err)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("closing took %v", took)
		}
	})
}

// Closing an unused connection never hits a call that has just begun.
func TestIdleConnectionsAreNotClosedUnderCalls(t *testing.T) {
	s := memory("a", endless(nil))
	s.Idle = 10 * time.Millisecond
	srv := serving(t, s)
	var callers sync.WaitGroup
	for n := range 4 {
		callers.Go(func() {
			for i := range 40 {
				time.Sleep(10*time.Millisecond + time.Duration((i*7+n*3)%10)*100*time.Microsecond)
				if _, err := srv.Call(t.Context(), &cash.CallRequest{Namespace: "a", Function: "run"}); err != nil {
					t.Errorf("a call is answered with %v", err)
				}
			}
		})
	}
	callers.Wait()
}

// A connection that nobody uses is closed, and stays so until the next call.
func TestIdleStaysIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := counted(endless(nil))
		s := memory("a", host)
		s.Idle = time.Minute
		srv, agg, _ := aggregate(t, nil, s)
		idle := func() {
			time.Sleep(90 * time.Second)
			synctest.Wait()
			if st := agg.Status()[0].State; st != upstream.Idle {
				t.Errorf("the server is %v", st)
			}
		}
		idle()
		var callers sync.WaitGroup
		for range 10 {
			callers.Go(func() {
				if _, err := srv.Call(t.Context(), &cash.CallRequest{Namespace: "a", Function: "run"}); err != nil {
					t.Error(err)
				}
			})
		}
		callers.Wait()
		idle()
		idle()
		if n := host.connections.Load(); n != 2 {
			t.Errorf("it was connected to %d times", n)
		}
	})
}

// Many calls that fail at a time are one failure, and a call that its caller has
// given up says nothing about the server.
func TestBreakerCountsWhatCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := make(chan struct{}, 100)
		s := memory("a", endless(began))
		s.Timeout = time.Second
		srv, agg, _ := aggregate(t, nil, s)
		var callers sync.WaitGroup
		for range 16 {
			callers.Go(func() {
				_, _ = srv.Call(t.Context(), &cash.CallRequest{Namespace: "a", Function: "wait"})
			})
		}
		callers.Wait()
		synctest.Wait()
		st := agg.Status()[0]
		if st.State != upstream.Failing {
			t.Errorf("the server is %v", st.State)
		}
		time.Sleep(3 * time.Second)
		if _, err := srv.Call(t.Context(), &cash.CallRequest{Namespace: "a", Function: "run"}); err != nil {
			t.Errorf("a call after the pause is answered with %v", err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		began := make(chan struct{}, 100)
		s := memory("a", endless(began))
		s.Timeout = time.Second
		srv, agg, _ := aggregate(t, nil, s)
		for range 5 {
			_, _ = srv.Call(t.Context(), &cash.CallRequest{Namespace: "a", Function: "wait"})
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, errors.New("given up"))
			_, _ = srv.Call(ctx, &cash.CallRequest{Namespace: "a", Function: "wait"})
			cancel()
			synctest.Wait()
		}
		if st := agg.Status()[0].State; st != upstream.Failing {
			t.Errorf("the server is %v", st)
		}
	})
}

// Status says since when a server is as it is.
func TestStatusSince(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := &breakable{counting: counted(silentTools())}
		_, agg, _ := aggregate(t, nil, memory("a", host))
		time.Sleep(time.Hour)
		host.down.Store(true)
		host.hangUp()
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		st := agg.Status()[0]
		if st.State != upstream.Down || time.Since(st.Since) > time.Minute {
			t.Errorf("the server is %v since %v", st.State, time.Since(st.Since))
		}
	})
}

// breakable refuses connections while it is down.
type breakable struct {
	*counting
	down atomic.Bool
}

func (f *breakable) Run(ctx context.Context, tr mcp.Transport) error {
	if f.down.Load() {
		return refusing{}.Run(ctx, tr)
	}
	return f.counting.Run(ctx, tr)
}

// A restriction holds from the moment it is made, not from the next connection.
func TestUpdateRestrictsAtOnce(t *testing.T) {
	srv, agg, _ := aggregate(t, nil, memory("a", endless(nil)))
	s := memory("a", silent{})
	s.VisibleTo = registry.Roles("admin")
	for range 2 { // also if it takes over from one that has taken over
		if err := agg.Update(s); err != nil {
			t.Fatal(err)
		}
		if page, _ := srv.Help(t.Context(), nil); strings.Contains(page, "**a**") {
			t.Errorf("help() says:\n%s", page)
		}
		admin := registry.WithCaller(t.Context(), &registry.Caller{ID: "ada", Roles: []string{"admin"}})
		if page, _ := srv.Help(admin, &cash.HelpRequest{Namespace: "a"}); !strings.Contains(page, "**run**") {
			t.Errorf("an administrator reads\n%s", page)
		}
	}
}

// helpful is a CaSH server by other hands, whose pages of help are given by
// namespace and function. What is not there is an error.
func helpful(help map[string]string) *mcp.Server {
	srv := mcp.NewServer(&mcp.Implementation{Name: "helpful"}, nil)
	add := func(name string, answer func(args map[string]any) (string, bool)) {
		schema := json.RawMessage(`{"type":"object","properties":{"namespace":{},"function":{},"skillname":{},"kwargs":{},"sizelimit":{}}}`)
		srv.AddTool(&mcp.Tool{Name: name, InputSchema: schema}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var args map[string]any
			if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
				return nil, err
			}
			page, ok := answer(args)
			r := text(page)
			r.IsError = !ok
			return r, nil
		})
	}
	add("help", func(args map[string]any) (string, bool) {
		namespace, _ := args["namespace"].(string)
		if function, ok := args["function"].(string); ok {
			namespace += "/" + function
		}
		page, ok := help[namespace]
		return page, ok
	})
	add("skill", func(map[string]any) (string, bool) { return "", false })
	add("call", func(map[string]any) (string, bool) { return "called", true })
	return srv
}

// A namespace that cannot be understood, and one whose path is too long where it
// would stand, do not cost the others.
func TestR132OneBadNamespace(t *testing.T) {
	deep := strings.Repeat(strings.Repeat("d", 100)+".", 10)
	help := map[string]string{
		"":     `{"namespaces":[{"name":"bad","description":"Bad."},{"name":"good","description":"Good."},{"name":"` + deep[:100] + `","description":"Deep."}]}`,
		"bad":  `{"functions":[{`,
		"good": `{"namespace":"good","functions":[{"name":"run","description":"Run."}]}`,
	}
	for i := 100; i < len(deep); i += 101 {
		help[deep[:i]] = `{"namespace":"` + deep[:i] + `","functions":[{"name":"run","description":"Run."}],"namespaces":[{"name":"` + deep[:100] + `","description":"Deep."}]}`
	}
	s := memory(strings.Repeat("label.", 8)+"end", helpful(help))
	srv, agg, _ := aggregate(t, nil, s)
	st := agg.Status()[0]
	if st.State != upstream.Connected {
		t.Errorf("the server is %v: %v", st.State, st.Err)
	}
	if r, err := srv.Call(t.Context(), &cash.CallRequest{Namespace: s.Label + ".good", Function: "run"}); err != nil || r.Text() != "called" {
		t.Errorf("the call is answered with %v", err)
	}
	if notes := strings.Join(st.Notes, "\n"); !strings.Contains(notes, "bad") || !strings.Contains(notes, "too long") {
		t.Errorf("the notes are %q", notes)
	}
}

// A function that says of itself something else than when the call was prepared
// is not called, also if only its effects are others.
func TestW37EffectsOfACaSHFunction(t *testing.T) {
	help := map[string]string{
		"":     `{"functions":[{"name":"run","description":"Run."}]}`,
		"/run": `{"function":"run","description":"Run.","safety":"Read-only"}`,
	}
	_, agg, reg := aggregate(t, nil, memory("a", helpful(help)))
	p := registry.NewPipeline(reg, nil)
	prepare := func() *registry.Call {
		c, err := p.Prepare(t.Context(), &registry.Request{Namespace: "a", Function: "run"})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := prepare()
	if err := agg.Refresh(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := runPrepared(t.Context(), p, c); err != nil {
		t.Errorf("nothing has changed: %v", err)
	}
	c = prepare()
	help["/run"] = strings.Replace(help["/run"], "Read-only", "Destructive", 1)
	if err := agg.Refresh(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	var call *upstream.CallError
	if _, err := runPrepared(t.Context(), p, c); !errors.As(err, &call) || call.Class != upstream.Changed {
		t.Errorf("the call is answered with %v", err)
	}
	if !prepare().Function.Destructive() {
		t.Error("the function is not destructive")
	}
}

// The answer to a question finds its way back through two aggregators.
func TestW39ElicitationThroughTwo(t *testing.T) {
	for _, theirs := range versions {
		for _, ours := range versions {
			t.Run("server "+theirs+", client "+ours, func(t *testing.T) {
				inner := serving(t, memory("door", greeter(theirs)))
				outer := serving(t, memory("house", inner))
				d := cashtest.Dialer{Version: ours, Client: &mcp.ClientOptions{
					ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
					},
				}}
				if got := d.Connect(t, outer).Call("house.door", "greet", nil).OK().Text; got != "hello Ada" {
					t.Errorf("the answer is %q", got)
				}
			})
		}
	}
}

// A call that was given up may still be running on its server: what that asks
// then is not put to whoever happens to call next.
func TestW39QuestionsOfACallThatWasGivenUp(t *testing.T) {
	goOn, answer := make(chan struct{}), make(chan string, 1)
	began := make(chan struct{}, 2)
	srv := mcp.NewServer(&mcp.Implementation{Name: "slow"}, &mcp.ServerOptions{SupportedProtocolVersions: versions[:1]})
	srv.AddTool(&mcp.Tool{Name: "remove", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			began <- struct{}{}
			<-goOn // it does not hear that it is given up
			r, err := req.Session.Elicit(context.WithoutCancel(ctx), &mcp.ElicitParams{Message: "Remove Ada's file?", RequestedSchema: askSchema})
			if err != nil {
				answer <- err.Error()
				return nil, err
			}
			answer <- r.Action
			return text(r.Action), nil
		})
	leave := make(chan struct{})
	srv.AddTool(&mcp.Tool{Name: "stay", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			began <- struct{}{}
			<-leave
			return text("done"), nil
		})
	face := serving(t, memory("a", srv))
	ada, cancel := context.WithCancel(registry.WithCaller(t.Context(), &registry.Caller{ID: "ada"}))
	go func() {
		<-began
		cancel()
	}()
	if _, err := face.Call(ada, &cash.CallRequest{Namespace: "a", Function: "remove"}); err == nil {
		t.Fatal("the call was not given up")
	}
	bob := cashtest.Dialer{
		Version: versions[0], Context: registry.WithCaller(t.Context(), &registry.Caller{ID: "bob"}),
		Client: &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			t.Errorf("bob is asked %q", req.Params.Message)
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Bob"}}, nil
		}},
	}
	client := bob.Connect(t, face)
	done := make(chan struct{})
	go func() {
		defer close(done)
		client.Call("a", "stay", nil)
	}()
	<-began
	close(goOn)
	if got := <-answer; got != "cancel" {
		t.Errorf("the server is answered %q", got)
	}
	close(leave)
	<-done
}

// What was read of a server does not pile up, whatever it calls its pages.
func TestListsDoNotPileUp(t *testing.T) {
	large(t)
	srv := silentTools()
	var n atomic.Int32
	blank := strings.Repeat(" ", 1<<18)
	srv.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method != "tools/list" {
				return next(ctx, method, req)
			}
			list := &mcp.ListToolsResult{Tools: []*mcp.Tool{{
				Name: "a", InputSchema: json.RawMessage(`{"type":"object"}`), Description: fmt.Sprint(n.Add(1), blank),
			}}}
			if n.Load()%2 == 1 {
				list.NextCursor = fmt.Sprint("page", n.Load())
			}
			return list, nil
		}
	})
	_, agg, _ := aggregate(t, nil, memory("a", srv))
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc >> 20
	}
	before := heap()
	for range 60 {
		if err := agg.Refresh(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
	}
	if after := heap(); after > before+8 { // a list is half a MiB
		t.Errorf("the heap grew from %d to %d MiB", before, after)
	}
}

// Who asks to refresh gets what the server has now, whatever it has said of how
// long its list holds.
func TestRefreshAsks(t *testing.T) {
	srv := mcp.NewServer(&mcp.Implementation{Name: "cached"}, &mcp.ServerOptions{
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.TTLMs = 3_600_000 },
	})
	description := "First."
	srv.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			if list, ok := res.(*mcp.ListToolsResult); ok && err == nil {
				list.Tools = []*mcp.Tool{{Name: "run", InputSchema: json.RawMessage(`{"type":"object"}`), Description: description}}
			}
			return res, err
		}
	})
	face, agg, _ := aggregate(t, nil, memory("a", srv))
	description = "Second."
	if err := agg.Refresh(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if page, _ := face.Help(t.Context(), &cash.HelpRequest{Namespace: "a"}); !strings.Contains(page, "Second.") {
		t.Errorf("help says:\n%s", page)
	}
}

// However much a CaSH server says that it has, reading it ends soon, and what is
// left out is noted.
func TestCrawlIsBounded(t *testing.T) {
	var list strings.Builder
	help := make(map[string]string)
	for i := range 9000 {
		fmt.Fprintf(&list, `,{"name":"n%d","description":"N."}`, i)
		help[fmt.Sprint("n", i)] = `{"namespaces":[{"name":"below","description":"B."}],"functions":[{"name":"run","description":"Run."}]}`
	}
	help[""] = `{"namespaces":[` + list.String()[1:] + `]}`
	s := memory("a", helpful(help))
	s.ConnectTimeout = 6 * patience
	_, agg, _ := aggregateWithin(t, 6*patience, nil, s)
	st := agg.Status()[0]
	if st.State != upstream.Connected || st.Functions == 0 || st.Functions > 2000 {
		t.Errorf("the server is %v with %d functions: %v", st.State, st.Functions, st.Err)
	}
	if notes := strings.Join(st.Notes, "\n"); !strings.Contains(notes, "more than 2000 namespaces") {
		t.Errorf("the notes are %q", notes)
	}
}

// A server that has forgotten the session, having been started anew, is called
// over a new one: nobody notices, and nothing runs twice.
func TestForgottenSession(t *testing.T) {
	var ran atomic.Int32
	srv := mcp.NewServer(&mcp.Implementation{Name: "forgetful"}, &mcp.ServerOptions{SupportedProtocolVersions: versions[:1]})
	srv.AddTool(&mcp.Tool{Name: "run", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			ran.Add(1)
			return text("done"), nil
		})
	var handler atomic.Pointer[mcp.StreamableHTTPHandler]
	restart := func() {
		handler.Store(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, nil))
	}
	restart()
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.Load().ServeHTTP(w, r) }))
	t.Cleanup(host.Close)
	for range 20 {
		face := serving(t, upstream.Server{Label: "a", Endpoint: upstream.HTTP{URL: host.URL}})
		restart()
		if _, err := face.Call(t.Context(), &cash.CallRequest{Namespace: "a", Function: "run"}); err != nil {
			t.Errorf("the call is answered with %v", err)
		}
	}
	if n := ran.Load(); n != 20 {
		t.Errorf("20 calls ran %d times", n)
	}
}
