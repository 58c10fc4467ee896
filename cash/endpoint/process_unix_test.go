//go:build unix

package endpoint_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/endpoint"
	"github.com/cash-mcp/go-sdk/registry"
)

// watch returns the address at which a process says that it is there, what to do
// to wait until one has, and what to do to wait until it is gone.
func watch(t *testing.T) (address string, here, gone func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	var conn net.Conn
	here = func() {
		t.Helper()
		if conn, err = l.Accept(); err != nil {
			t.Fatal(err)
		}
		accepted := conn // what is referred to by nobody is closed when it is collected, and its process ends
		t.Cleanup(func() { _ = accepted.Close() })
		if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil {
			t.Fatal(line, err)
		}
	}
	gone = func() {
		t.Helper()
		_ = conn.SetReadDeadline(time.Now().Add(30 * time.Second))
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal("it is still there")
		}
		_ = conn.Close()
	}
	return l.Addr().String(), here, gone
}

func TestK19Hanging(t *testing.T) {
	for _, mode := range []string{"wait", "deaf wait"} {
		t.Run(mode, func(t *testing.T) {
			address, here, gone := watch(t)
			ctx, cancel := context.WithCancel(deadline(t))
			done := make(chan error)
			go func() {
				_, err := newClient(t, mode, address, nil).Call(ctx, "t", hi)
				done <- err
			}()
			here()
			cancel()
			err := <-done
			if e, _ := wantFailure(t, err, registry.Canceled, endpoint.Pipeline, false); e.Details["outcome"] != "unknown" || !errors.Is(err, context.Canceled) {
				t.Errorf("%v %v", e, e.Details)
			}
			gone()
		})
	}
}

func TestK19Deadline(t *testing.T) {
	address, _, _ := watch(t)
	_, err := newClient(t, "wait", address, &endpoint.ClientOptions{Timeout: time.Second}).Call(deadline(t), "t", hi)
	e, _ := wantFailure(t, err, registry.TimedOut, endpoint.Pipeline, false)
	if !strings.Contains(e.Message, "within 1s") || e.Details["outcome"] != "unknown" || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v %v", e, e.Details)
	}

	ended, cancel := context.WithCancel(deadline(t))
	cancel()
	_, err = newClient(t, "wait", address, nil).Call(ended, "t", hi)
	wantFailure(t, err, registry.Canceled, endpoint.Pipeline, true)
}

// TestK19Grandchild has a process that answers and ends, and leaves one behind
// that holds its pipes and hears no signal but the last.
func TestK19Grandchild(t *testing.T) {
	address, here, gone := watch(t)
	got, err := newClient(t, "fork", address, nil).Call(deadline(t), "t", hi)
	if err != nil || string(got) != `{"left":true}` {
		t.Fatalf("%s, %v", got, err)
	}
	here()
	gone()
}

// TestK19Escaped has one that leaves the group, too: it lives on, and is not
// waited for.
func TestK19Escaped(t *testing.T) {
	address, here, _ := watch(t)
	got, err := newClient(t, "fork away", address, nil).Call(deadline(t), "t", hi)
	if err != nil || string(got) != `{"left":true}` {
		t.Fatalf("%s, %v", got, err)
	}
	here()
}

func TestK19TooMuch(t *testing.T) {
	for _, mode := range []string{"huge", "huge errors"} {
		_, err := newClient(t, mode, "", nil).Call(deadline(t), "t", hi)
		if e, _ := wantFailure(t, err, registry.Failed, endpoint.Pipeline, false); !strings.Contains(e.Message, "8388608") {
			t.Errorf("%s: %v", mode, e)
		}
	}
	if _, err := newClient(t, "write", fine, &endpoint.ClientOptions{MaxAnswer: len(fine)}).Call(deadline(t), "t", hi); err != nil {
		t.Errorf("an answer at the limit: %v", err)
	}
	for range 20 { // it may have ended before anybody sees that it wrote too much
		_, err := newClient(t, "write", fine, &endpoint.ClientOptions{MaxAnswer: len(fine) - 1}).Call(deadline(t), "t", hi)
		wantFailure(t, err, registry.Failed, endpoint.Pipeline, false)
	}
}

// TestK19TooMany has one request more than a client runs processes for: it ends
// without one.
func TestK19TooMany(t *testing.T) {
	const most = 32
	address, here, _ := watch(t)
	c := newClient(t, "wait", address, nil)
	ctx, cancel := context.WithCancel(deadline(t))
	var running sync.WaitGroup
	for range most {
		running.Go(func() { _, _ = c.Call(ctx, "t", hi) })
	}
	for range most {
		here()
	}
	soon, stop := context.WithTimeout(ctx, 50*time.Millisecond)
	defer stop()
	_, err := c.Call(soon, "t", hi)
	wantFailure(t, err, registry.TimedOut, endpoint.Pipeline, true)
	cancel()
	running.Wait()
}

// TestK19LargeRequest is more than a pipe holds, to one that does not read it.
func TestK19LargeRequest(t *testing.T) {
	args := []byte(`{"x":"` + strings.Repeat("x", 1<<20) + `"}`)
	if _, err := newClient(t, "write early", fine, nil).Call(deadline(t), "t", args); err != nil {
		t.Error(err)
	}
	if _, err := newClient(t, "write", fine, nil).Call(deadline(t), "t", args); err != nil {
		t.Error(err)
	}
}

// TestK19Nothing counts what stays of requests of every kind.
func TestK19Goroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	address, here, gone := watch(t)
	ctx, cancel := context.WithCancel(deadline(t))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = newClient(t, "wait", address, nil).Call(ctx, "t", hi)
	}()
	here()
	cancel()
	<-done
	gone()
	for _, mode := range []string{"write", "huge", "write early", "fail"} {
		_, _ = newClient(t, mode, fine, nil).Call(deadline(t), "t", hi)
	}
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); { // what has been told to end is scheduled at last
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	buf := make([]byte, 1<<16)
	t.Errorf("%d goroutines before, %d now\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
}

// TestK3K19Command is ended at its deadline, with what it has started.
func TestK3K19Command(t *testing.T) {
	address, here, gone := watch(t)
	reg := registry.New(nil)
	reg.Namespace("", "").Add(endpoint.Tool("wait", "Wait.", program("wait", address)))
	ctx, cancel := context.WithCancel(deadline(t))
	done := make(chan int)
	go func() {
		var out strings.Builder
		done <- endpoint.New(reg, nil).Run(ctx, strings.NewReader(`{"action":"call_tool","tool":"wait","arguments":{"query":""}}`), &out)
	}()
	here()
	cancel()
	if exit := <-done; exit != 1 {
		t.Errorf("status %d", exit)
	}
	gone()
}

// TestK3Signal has a command that is ended by a signal.
func TestK3Signal(t *testing.T) {
	members, exit := ask(t, endpoint.New(toolOf(program("kill", "")), nil), callTool(""))
	if exit != 137 || string(members["result"]) != `{"stdout":"last","exit_code":137}` {
		t.Errorf("%d %s", exit, members)
	}
	_, err := newClient(t, "kill", "", nil).Call(deadline(t), "t", hi)
	if _, said := wantFailure(t, err, registry.Failed, endpoint.Pipeline, false); !strings.Contains(said.Message, "137") {
		t.Errorf("%+v", said)
	}
}

func TestK9NotStarted(t *testing.T) {
	c, err := endpoint.NewClient(endpoint.Command{Path: "./testdata"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Call(deadline(t), "t", hi)
	if e, _ := wantFailure(t, err, registry.Unavailable, endpoint.Pipeline, true); !strings.Contains(e.Message, "may not be started") {
		t.Errorf("%v", e)
	}
}

// TestK19OursIsEnded ends our endpoint while it runs a command.
func TestK19OursIsEnded(t *testing.T) {
	address, here, gone := watch(t)
	ctx, cancel := context.WithCancel(deadline(t))
	done := make(chan error)
	go func() {
		_, err := newClient(t, "ours waiting", address, nil).Call(ctx, "wait", []byte(`{"query":""}`))
		done <- err
	}()
	here()
	cancel()
	wantFailure(t, <-done, registry.Canceled, endpoint.Pipeline, false)
	gone()
}
