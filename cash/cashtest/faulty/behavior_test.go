package faulty_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/cashtest/faulty"
)

func TestFaultsAreDescribed(t *testing.T) {
	faults := faulty.Faults()
	for i, f := range faults {
		if d := f.Description(); d == "" || strings.Contains(d, "\n") || slices.Index(faults, f) != i {
			t.Errorf("%q is described as %q, and is first at %d of %d", f, d, slices.Index(faults, f), i)
		}
	}
	for _, f := range []faulty.Fault{"", "nope"} {
		if f.Description() != "" || f.HTTPOnly() {
			t.Errorf("%q is described as %q", f, f.Description())
		}
	}
}

// wired are the ways to a Server.
var wired = map[string]func(t *testing.T, f *faulty.Server) func() mcp.Transport{
	"http": func(t *testing.T, f *faulty.Server) func() mcp.Transport {
		url := f.HTTP(t)
		return func() mcp.Transport { return &mcp.StreamableClientTransport{Endpoint: url} }
	},
	"stdio": func(t *testing.T, f *faulty.Server) func() mcp.Transport {
		cmd := f.Command(t)
		return func() mcp.Transport {
			return &mcp.CommandTransport{Command: exec.Command(cmd.Path, cmd.Args[1:]...)}
		}
	},
}

// TestSound: without a fault all tools work, in both generations.
func TestSound(t *testing.T) {
	for wire, dial := range wired {
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			t.Run(wire+" "+version, func(t *testing.T) {
				f := new(faulty.Server)
				var progress, logs atomic.Int64
				d := &cashtest.Dialer{Version: version, Client: &mcp.ClientOptions{
					ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"word": "sesame"}}, nil
					},
					ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { progress.Add(1) },
					//lint:ignore SA1019 deprecated in the newest protocol, and what the tool log is for
					LoggingMessageHandler: func(context.Context, *mcp.LoggingMessageRequest) { logs.Add(1) },
				}}
				c := d.Dial(t, dial(t, f)())
				if version < "2026" {
					//lint:ignore SA1019 what clients of this version do
					if err := c.Session.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "debug"}); err != nil {
						t.Fatal(err)
					}
				}
				for _, call := range []struct {
					tool string
					args map[string]any
					want string
				}{
					{"echo", map[string]any{"text": "hello"}, "hello"},
					{"slow", map[string]any{"ms": 1}, "done"},
					{"big", map[string]any{"chars": 5}, "xxxxx"},
					{"big", map[string]any{"chars": -5}, ""},
					{"count", nil, "1"},
					{"count", nil, "2"},
					{"ask", nil, "sesame"},
					{"log", nil, "done"},
					{"anything", map[string]any{"text": "else"}, "else"},
				} {
					if got := c.Tool(call.tool, call.args).OK().Text; got != call.want {
						t.Errorf("%s answers %q, want %q", call.tool, got, call.want)
					}
				}
				p := &mcp.CallToolParams{Name: "progress", Arguments: map[string]any{"n": 3}}
				p.SetProgressToken("mine")
				if _, err := c.Session.CallTool(t.Context(), p); err != nil {
					t.Fatal(err)
				}
				eventually(t, "three reports of progress", func() bool { return progress.Load() == 3 })
				if version < "2026" {
					eventually(t, "a log message", func() bool { return logs.Load() == 1 })
				}
				if _, err := c.Session.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": 7}}); err == nil {
					t.Error("a number is taken for a text")
				}
			})
		}
	}
}

// TestStages: only the requests that At and Tool name go wrong.
func TestStages(t *testing.T) {
	tests := []struct {
		name                string
		f                   *faulty.Server
		connect, list, call bool // which of them work
	}{
		{"call is the default", &faulty.Server{Fault: "null-result"}, true, true, false},
		{"list", &faulty.Server{Fault: "not-rpc", At: faulty.AtList}, true, false, true},
		{"connect", &faulty.Server{Fault: "exit", At: faulty.AtConnect}, false, false, false},
		{"everywhere", &faulty.Server{Fault: "exit", At: everywhere}, false, false, false},
		{"another tool", &faulty.Server{Fault: "exit", Tool: "count"}, true, true, true},
		{"this tool", &faulty.Server{Fault: "exit", Tool: "echo"}, true, true, false},
		{"a fault of the list", &faulty.Server{Fault: "colliding-names", At: faulty.AtConnect}, true, true, true},
	}
	for _, tt := range tests {
		for wire, dial := range wired {
			t.Run(tt.name+"/"+wire, func(t *testing.T) {
				f := &faulty.Server{Fault: tt.f.Fault, At: tt.f.At, Tool: tt.f.Tool}
				connect, list, call := try(t, dial(t, f))
				if connect != tt.connect || list != tt.list || call != tt.call {
					t.Errorf("works: connecting %v, list %v, call %v; want %v, %v, %v", connect, list, call, tt.connect, tt.list, tt.call)
				}
			})
		}
	}
}

// try connects, lists and calls echo, each of the last two on a connection of
// its own, and reports which succeeds within the time.
func try(t *testing.T, transport func() mcp.Transport) (connect, list, call bool) {
	t.Helper()
	do := func(f func(context.Context, *mcp.ClientSession) bool) bool {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		client := mcp.NewClient(&mcp.Implementation{Name: "try", Version: "1"}, nil)
		session, err := client.Connect(ctx, transport(), nil)
		if err != nil {
			return false
		}
		defer session.Close()
		return f(ctx, session)
	}
	connect = do(func(context.Context, *mcp.ClientSession) bool { return true })
	list = do(func(ctx context.Context, s *mcp.ClientSession) bool {
		res, err := s.ListTools(ctx, nil)
		return err == nil && len(res.Tools) >= 7
	})
	call = do(func(ctx context.Context, s *mcp.ClientSession) bool {
		res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "hello"}})
		return err == nil && len(res.Content) == 1
	})
	return connect, list, call
}

// TestFlapping: every other one works.
func TestFlapping(t *testing.T) {
	for wire, dial := range wired {
		t.Run(wire, func(t *testing.T) {
			f := &faulty.Server{Fault: "flapping", At: faulty.AtList}
			transport := dial(t, f)
			var got []bool
			for range 4 {
				client := mcp.NewClient(&mcp.Implementation{Name: "try", Version: "1"}, nil)
				session, err := client.Connect(t.Context(), transport(), nil)
				if err != nil {
					t.Fatal(err)
				}
				_, err = session.ListTools(t.Context(), nil)
				got = append(got, err == nil)
				session.Close()
			}
			if want := []bool{false, true, false, true}; !slices.Equal(got, want) {
				t.Errorf("works %v, want %v", got, want)
			}
		})
	}
}

// TestRecovers: one connection sees the server break and recover.
func TestRecovers(t *testing.T) {
	f := new(faulty.Server)
	c := cashtest.ConnectHTTP(t, f.HTTP(t))
	echo := func() error {
		_, err := c.Session.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "hello"}})
		return err
	}
	for round := range 3 {
		if err := echo(); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		f.SetFault("unavailable")
		if err := echo(); err == nil || !strings.Contains(err.Error(), "Service Unavailable") {
			t.Errorf("round %d: error %v, want status 503", round, err)
		}
		f.Heal()
	}
	if f.Calls() != 6 || f.Ran() != 3 {
		t.Errorf("%d calls, %d have run, want 6 and 3", f.Calls(), f.Ran())
	}
}

// TestRefusesAndReturns: the address is the same after a time without.
func TestRefusesAndReturns(t *testing.T) {
	for wire, dial := range wired {
		t.Run(wire, func(t *testing.T) {
			f := new(faulty.Server)
			transport := dial(t, f)
			client := mcp.NewClient(&mcp.Implementation{Name: "first", Version: "1"}, nil)
			first, err := client.Connect(t.Context(), transport(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer first.Close()
			for range 2 {
				f.SetFault("refused")
				if connect, _, _ := try(t, transport); connect {
					t.Error("a refused connection is made")
				}
				f.Heal()
				if connect, list, call := try(t, transport); !connect || !list || !call {
					t.Errorf("after healing: connecting %v, list %v, call %v", connect, list, call)
				}
			}
			if wire == "stdio" {
				if _, err := first.ListTools(t.Context(), nil); err == nil {
					t.Error("a process has outlived the refusal")
				}
			}
		})
	}
}

// TestEventStream: one message goes wrong as an event.
func TestEventStream(t *testing.T) {
	f := &faulty.Server{Fault: "wrong-id", EventStream: true}
	a := overHTTPRaw(t, http.DefaultClient, f.HTTP(t), faulty.AtCall, nil)
	hasStatus(200, "Content-Type", "text/event-stream")(t, "http", a)
	if !strings.HasPrefix(a.body, "event: message\ndata: {") || !strings.HasSuffix(a.body, "}\n\n") {
		t.Errorf("body %q", a.body)
	}
}

// TestHuge: a gigabyte comes, and is never there at once.
func TestHuge(t *testing.T) {
	f := &faulty.Server{Fault: "huge"}
	res, err := post(t.Context(), http.DefaultClient, f.HTTP(t), faulty.AtCall)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n, err := io.Copy(io.Discard, res.Body)
	runtime.ReadMemStats(&after)
	if n < 1<<30 || err != nil {
		t.Errorf("%d bytes, error %v", n, err)
	}
	if f.Taken() < 1<<30 || f.Taken() > n {
		t.Errorf("Taken is %d, %d bytes have been read", f.Taken(), n)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<20 {
		t.Errorf("%d bytes were allocated", grown)
	}
}

// TestHugeGivenUp: what a client does not take is not sent.
func TestHugeGivenUp(t *testing.T) {
	f := &faulty.Server{Fault: "huge"}
	res, err := post(t.Context(), http.DefaultClient, f.HTTP(t), faulty.AtCall)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, res.Body, 1<<20); err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if n := f.Taken(); n < 1<<19 || n > 256<<20 {
		t.Errorf("%d bytes were taken of which 1 MiB was read", n)
	}
}

// TestElsewhere: the other host sees who follows, and with what.
func TestElsewhere(t *testing.T) {
	for _, fault := range []faulty.Fault{"redirect-307", "redirect-308"} {
		f := &faulty.Server{Fault: fault}
		url := f.HTTP(t)
		careful := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		a := overHTTPRaw(t, careful, url, faulty.AtCall, nil)
		if want := map[faulty.Fault]int{"redirect-307": 307, "redirect-308": 308}[fault]; a.status != want || len(f.Elsewhere()) != 0 {
			t.Errorf("%s: status %d, %d requests elsewhere", fault, a.status, len(f.Elsewhere()))
		}
		if a := overHTTPRaw(t, http.DefaultClient, url, faulty.AtCall, nil); !strings.Contains(a.body, "hello") {
			t.Errorf("%s: the other host answers %q", fault, a.body)
		}
		seen := f.Elsewhere()
		if len(seen) != 1 || seen[0].Get("Secret") != "s3cret" {
			t.Errorf("%s: %d requests elsewhere: %v", fault, len(seen), seen)
		}
		if f.Ran() != 1 || f.Calls() != 2 {
			t.Errorf("%s: %d calls, %d have run", fault, f.Calls(), f.Ran())
		}
	}
}

// TestPages: the list does not end, and says so in two ways.
func TestPages(t *testing.T) {
	for fault, distinct := range map[faulty.Fault]int{"same-cursor": 1, "endless-cursors": 20} {
		for wire, dial := range wired {
			t.Run(string(fault)+"/"+wire, func(t *testing.T) {
				f := &faulty.Server{Fault: fault}
				c := cashtest.Dial(t, dial(t, f)())
				cursors := make(map[string]bool)
				params := new(mcp.ListToolsParams)
				for range 20 {
					res, err := c.Session.ListTools(t.Context(), params)
					if err != nil || res.NextCursor == "" {
						t.Fatalf("cursor %q, error %v", res.NextCursor, err)
					}
					cursors[res.NextCursor] = true
					params = &mcp.ListToolsParams{Cursor: res.NextCursor}
				}
				if len(cursors) != distinct {
					t.Errorf("%d cursors, want %d", len(cursors), distinct)
				}
			})
		}
	}
}

// TestListChanging: a call brings a thousand notifications.
func TestListChanging(t *testing.T) {
	for wire, dial := range wired {
		t.Run(wire, func(t *testing.T) {
			f := &faulty.Server{Fault: "list-changing"}
			var told atomic.Int64
			d := &cashtest.Dialer{Version: "2025-11-25", Client: &mcp.ClientOptions{
				ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told.Add(1) },
			}}
			c := d.Dial(t, dial(t, f)())
			first, second := c.Tools(), c.Tools()
			if len(first) != 8 || len(second) != 8 || first[7].Name == second[7].Name {
				t.Errorf("lists of %d and %d tools", len(first), len(second))
			}
			if got := c.Tool(second[7].Name, map[string]any{"text": "hello"}).OK().Text; got != "hello" {
				t.Errorf("answer %q", got)
			}
			// The SDK debounces what it hands on.
			eventually(t, "a notification", func() bool { return told.Load() > 0 })
		})
	}
}

// TestFloods: a client of the SDK comes through a flood.
func TestFloods(t *testing.T) {
	for _, fault := range []faulty.Fault{"notification-flood", "request-flood", "duplicate"} {
		for wire, dial := range wired {
			for _, version := range []string{"2025-11-25", "2026-07-28"} {
				t.Run(fmt.Sprint(fault, "/", wire, " ", version), func(t *testing.T) {
					f := &faulty.Server{Fault: fault}
					c := (&cashtest.Dialer{Version: version}).Dial(t, dial(t, f)())
					if got := c.Tool("echo", map[string]any{"text": "hello"}).OK().Text; got != "hello" {
						t.Errorf("answer %q", got)
					}
				})
			}
		}
	}
}

// TestAtConnect: clients with a session get the fault as well.
func TestAtConnect(t *testing.T) {
	for wire, dial := range wired {
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			t.Run(wire+" "+version, func(t *testing.T) {
				f := &faulty.Server{Fault: "huge-instructions"}
				c := (&cashtest.Dialer{Version: version}).Dial(t, dial(t, f)())
				if n := len(c.Session.InitializeResult().Instructions); n < 3_900_000 {
					t.Errorf("instructions of %d bytes", n)
				}
				if got := c.Tool("echo", map[string]any{"text": "hello"}).OK().Text; got != "hello" {
					t.Errorf("answer %q", got)
				}
			})
		}
	}
}

// A fakeTB is a test that may fail.
type fakeTB struct {
	testing.TB
	errors   []string
	cleanups []func()
}

func (f *fakeTB) Helper()           {}
func (f *fakeTB) Cleanup(fn func()) { f.cleanups = append(f.cleanups, fn) }
func (f *fakeTB) Errorf(format string, args ...any) {
	f.errors = append(f.errors, fmt.Sprintf(format, args...))
}

func (f *fakeTB) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	runtime.Goexit()
}

// failures runs a test and its cleanups, and returns what it reports.
func failures(t *testing.T, test func(testing.TB)) string {
	f := &fakeTB{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			for i := len(f.cleanups) - 1; i >= 0; i-- {
				f.cleanups[i]()
			}
		}()
		test(f)
	}()
	<-done
	return strings.Join(f.errors, "\n")
}

// TestMisuse: what cannot be is said at once.
func TestMisuse(t *testing.T) {
	panics := func(f func()) (message string) {
		defer func() { message = fmt.Sprint(recover()) }()
		f()
		return ""
	}
	tests := []struct {
		name string
		test func(testing.TB) string
		want string
	}{
		{"an unknown fault", func(t testing.TB) string { return panics(func() { new(faulty.Server).SetFault("nope") }) }, `no fault "nope"`},
		{"an unknown fault at first, HTTP", func(t testing.TB) string { (&faulty.Server{Fault: "nope"}).HTTP(t); return "" }, `no fault "nope"`},
		{"an unknown fault at first, stdio", func(t testing.TB) string { (&faulty.Server{Fault: "nope"}).Command(t); return "" }, `no fault "nope"`},
		{"HTTP over stdio", func(t testing.TB) string { (&faulty.Server{Fault: "forbidden"}).Command(t); return "" }, "over HTTP only"},
		{"HTTP over stdio later", func(t testing.TB) string {
			f := new(faulty.Server)
			f.Command(t)
			return panics(func() { f.SetFault("forbidden") })
		}, "over HTTP only"},
		{"TLS too late", func(t testing.TB) string {
			f := new(faulty.Server)
			f.HTTP(t)
			return panics(func() { f.SetFault("certificate") })
		}, "needs HTTPS"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			said := ""
			said = failures(t, func(t testing.TB) { said = tt.test(t) }) + said
			if !strings.Contains(said, tt.want) {
				t.Errorf("it is said %q, want %q", said, tt.want)
			}
		})
	}
}

// TestEnds: nothing outlives the test, though its clients go on waiting.
func TestEnds(t *testing.T) {
	for _, fault := range []faulty.Fault{"", "hang-before", "hang-after", "drip", "huge", "refused"} {
		t.Run(string(fault), func(t *testing.T) {
			client := &http.Client{Transport: new(http.Transport)}
			posted, finished := make(chan *http.Response, 1), make(chan struct{})
			var child *exec.Cmd
			if got := failures(t, func(t testing.TB) {
				f := &faulty.Server{Fault: fault}
				url := f.HTTP(t)
				go func() {
					defer close(finished)
					res, _ := post(context.Background(), client, url, faulty.AtCall)
					posted <- res
				}()
				child = f.Command(t)
				stdin, err := child.StdinPipe() // which stays open
				if err != nil {
					t.Fatalf("%v", err)
				}
				if _, err := child.StdoutPipe(); err != nil { // which nobody reads
					t.Fatalf("%v", err)
				}
				if err := child.Start(); err != nil {
					t.Fatalf("%v", err)
				}
				_, _ = io.WriteString(stdin, request(faulty.AtCall)+"\n")
				eventuallyCalled(t, f, fault)
				if fault != "refused" && !running() { // which may have nothing to run
					t.Errorf("no goroutine of the server is found while it runs")
				}
			}); got != "" {
				t.Error(got)
			}
			eventually(t, "no goroutine of the server is left", func() bool { return !running() })
			<-finished
			if res := <-posted; res != nil {
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
			_ = child.Wait()
		})
	}
}

// eventuallyCalled waits until both wires have carried a call.
func eventuallyCalled(t testing.TB, f *faulty.Server, fault faulty.Fault) {
	want := 2
	if fault == "refused" {
		want = 0
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for f.Calls() < want {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatalf("%d calls have arrived", f.Calls())
		}
	}
}

// running reports whether there is a goroutine of a faulty server.
func running() bool {
	buf := make([]byte, 4<<20)
	stacks := string(buf[:runtime.Stack(buf, true)])
	return slices.ContainsFunc([]string{"site", "stdioServer", "stdioConn", "healthy"}, func(kind string) bool {
		return strings.Contains(stacks, "faulty.(*"+kind+").")
	})
}

// In a real test it comes from testing.
var t *testing.T

func ExampleServer() {
	f := &faulty.Server{Fault: "hang-after"}
	url := f.HTTP(t)

	// ... mount url as an upstream of the service, and call its tool echo ...
	_ = url

	if f.Calls() != 1 {
		t.Errorf("a call whose outcome is unknown was sent %d times", f.Calls())
	}
	f.Heal() // the service should recover
}

func ExampleServer_Command() {
	// func init() { faulty.Main() } stands in a test file.
	f := &faulty.Server{Fault: "noise"}
	client := cashtest.ConnectCommand(t, f.Command(t))
	client.Tool("echo", map[string]any{"text": "hello"})
}

func ExampleFaults() {
	for _, fault := range faulty.Faults()[:3] {
		fmt.Printf("%s: %s\n", fault, fault.Description())
	}
	// Output:
	// refused: connections are refused; a process exits at once
	// certificate: the certificate is signed by itself
	// hang-before: the request is taken and nothing is done, for ever
}

// TestDoc: the package comment has every fault.
func TestDoc(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(strings.ReplaceAll(string(doc), "//", " ")), " ")
	for _, f := range faulty.Faults() {
		if line := string(f) + " " + f.Description(); !strings.Contains(text, line) {
			t.Errorf("the package comment lacks %q", line)
		}
	}
}
