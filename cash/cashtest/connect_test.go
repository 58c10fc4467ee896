package cashtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/check"
	"github.com/cash-mcp/go-sdk/registry"
)

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

func TestConnections(t *testing.T) {
	fx := fixture{filepath.Join(t.TempDir(), "runs")}
	srv := fx.server()
	web := httptest.NewServer(srv.Handler())
	t.Cleanup(web.Close)
	old := &cashtest.Dialer{Version: "2025-11-25"}
	tests := map[string]*cashtest.Client{
		"memory":     cashtest.Connect(t, srv),
		"memory old": old.Connect(t, srv),
		"http":       cashtest.ConnectHTTP(t, web.URL),
		"http old":   old.ConnectHTTP(t, web.URL),
		"command":    cashtest.ConnectCommand(t, command("fixture", "", fx)),
		"dial":       cashtest.Dial(t, cashtest.InMemory(srv)),
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			want := "2026-07-28"
			if strings.Contains(name, "old") {
				want = "2025-11-25"
			}
			if got := c.Session.InitializeResult().ProtocolVersion; got != want {
				t.Errorf("protocol version %q, want %q", got, want)
			}
			if n := len(c.Tools()); n != 3 {
				t.Errorf("%d tools, want 3", n)
			}
			if got := c.Call("", "ping", nil).OK().Text; got != "pong" {
				t.Errorf("ping answers %q", got)
			}
			if page := c.Help("order_mgmt", "get").OK(); !strings.Contains(page.Text, "order_id") || page.Chars() != len([]rune(page.Text)) {
				t.Errorf("help of get is %q", page.Text)
			}
			if list := c.Skill("order_mgmt", ""); list.IsError || !strings.Contains(list.Text, "Order_With_Check") {
				t.Errorf("skills are %q", list.Text)
			}
			if r := c.Skill("", "nope"); !r.IsError || r.Raw == nil {
				t.Errorf("an unknown skill is %q", r.Text)
			}
			var o order
			c.Call("order_mgmt", "get", json.RawMessage(`{"order_id":"ORD-9"}`)).Decode(&o)
			if o.OrderID != "ORD-9" {
				t.Errorf("order %q", o.OrderID)
			}
			if r := c.Tool("call", json.RawMessage(`{"function":"ping","sizelimit":1}`)); !r.IsError {
				t.Errorf("a size limit of 1 lets %q through", r.Text)
			}
		})
	}
}

// TestServeEnds: a server ends with the test, whatever is still open.
func TestServeEnds(t *testing.T) {
	srv := fixture{}.server()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		open := make(chan struct{})
		left := make(chan struct{})
		handler := srv.Handler()
		got := failures(t, func(t testing.TB) {
			url := cashtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/stream" {
					handler.ServeHTTP(w, r)
					return
				}
				close(open)
				<-r.Context().Done()
				close(left)
			}))
			(&cashtest.Dialer{Version: version}).ConnectHTTP(t, url).Help("", "").OK()
			go func() {
				if resp, err := http.Get(url + "/stream"); err == nil {
					resp.Body.Close()
				}
			}()
			<-open
			t.Fatalf("the test fails")
		})
		if <-left; got != "the test fails" {
			t.Errorf("%s: failures %q", version, got)
		}
	}
}

// TestServeEndsBesideReconnects: a client that comes back at once does not keep the server open.
func TestServeEndsBesideReconnects(t *testing.T) {
	stop := make(chan struct{})
	defer close(stop)
	got := failures(t, func(t testing.TB) {
		open := make(chan struct{}, 1)
		url := cashtest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case open <- struct{}{}:
			default:
			}
			<-r.Context().Done()
		}))
		for range 8 {
			go func() {
				for client := new(http.Client); ; {
					select {
					case <-stop:
						return
					default:
						if resp, err := client.Get(url); err == nil {
							resp.Body.Close()
						}
					}
				}
			}()
		}
		<-open
	})
	if got != "" {
		t.Error(got)
	}
}

// TestUncheckedInWords: what a check without samples leaves out, it asks for in words.
func TestUncheckedInWords(t *testing.T) {
	srv := fixture{}.server()
	report, err := check.Compliance(t.Context(), check.Target{Transport: func() mcp.Transport { return cashtest.InMemory(srv) }})
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, row := range report.Rows {
		if why := strings.Join(row.Evidence, "; "); row.Status == check.NotChecked && strings.Contains(why, "Target.") {
			if asked++; !strings.Contains(why, "set Target.") {
				t.Errorf("%s does not say what to pass: %s", row.Name, why)
			}
		}
	}
	if asked < 10 {
		t.Errorf("%d rows ask for a sample", asked)
	}
}

func TestCallerInMemory(t *testing.T) {
	srv := fixture{}.server()
	if r := cashtest.Connect(t, srv).Call("admin", "report", nil); !r.IsError {
		t.Errorf("an anonymous caller gets %q", r.Text)
	}
	d := &cashtest.Dialer{Context: registry.WithCaller(context.Background(), caller("admin"))}
	d.Connect(t, srv).Call("admin", "report", nil).OK()
}

type runFunc func(context.Context, mcp.Transport) error

func (f runFunc) Run(ctx context.Context, t mcp.Transport) error { return f(ctx, t) }

// TestFailures: what goes wrong fails the embedder's test.
func TestFailures(t *testing.T) {
	srv := fixture{}.server()
	lost := runFunc(func(ctx context.Context, transport mcp.Transport) error {
		return errors.Join(srv.Run(ctx, transport), errors.New("the log could not be closed"))
	})
	broken := runFunc(func(context.Context, mcp.Transport) error { return errors.New("no disk") })
	stuck := runFunc(func(context.Context, mcp.Transport) error { select {} })
	tests := []struct {
		name string
		test func(testing.TB)
		want string // "" for no failure
	}{
		{"nothing", func(t testing.TB) { cashtest.Connect(t, srv).Help("", "").OK() }, ""},
		{"the error of Run", func(t testing.TB) { cashtest.Connect(t, lost) }, "the log could not be closed"},
		{"a server that does not start", func(t testing.TB) { cashtest.Connect(t, broken) }, "no disk"},
		{"a server that does not answer", func(t testing.TB) { (&cashtest.Dialer{Timeout: 1}).Connect(t, stuck) }, "no answer within"},
		{"an unknown tool", func(t testing.TB) { cashtest.Connect(t, srv).Tool("nope", nil) }, "nope"},
		{"an error result", func(t testing.TB) { cashtest.Connect(t, srv).Call("", "nope", nil).OK() }, "No function"},
		{"text that is not JSON", func(t testing.TB) {
			var v any
			cashtest.Connect(t, srv).Call("", "ping", nil).Decode(&v)
		}, "not the JSON"},
		{"the wrong JSON type", func(t testing.TB) {
			var v []int
			cashtest.Connect(t, srv).Call("order_mgmt", "get", map[string]any{"order_id": "x"}).Decode(&v)
		}, "not the JSON"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := failures(t, tt.test)
			if !strings.Contains(got, tt.want) || (tt.want == "") != (got == "") {
				t.Errorf("failures %q, want %q", got, tt.want)
			}
		})
	}
}
