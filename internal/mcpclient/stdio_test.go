//go:build unix

package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/mcpclient"
)

// bounded is small with a proper clock.
var bounded = mcpclient.Options{Limits: small.Limits}

// TestW34CommandFaults has faults that the process, and its session, survive.
func TestW34CommandFaults(t *testing.T) {
	cs := connect(t, mcpclient.Stdio(child("scripted"), bounded), legacy, nil)
	for tool, class := range map[string]mcpclient.Class{
		"noise": 0, "crlf": 0, "array": 0, "twice": 0, "unknown": 0, "stderr": 0,
		"large": mcpclient.TooLarge, "large last": mcpclient.TooLarge, "large unknown": mcpclient.TooLarge,
		"deep": mcpclient.Malformed, "truncated": mcpclient.Malformed, "duplicate": mcpclient.Malformed, "no result": mcpclient.Malformed,
	} {
		o := call(deadline(t), cs, tool)
		t.Run(tool, func(t *testing.T) {
			switch {
			case class != 0:
				wantClass(t, o, class, true)
			case o.err != nil || !strings.Contains(string(o.x.Result()), exact):
				if tool != "noise" { // whose large line may have been the answer
					t.Fatalf("%v, result %s", o.err, o.x.Result())
				}
				wantClass(t, o, mcpclient.TooLarge, true)
			}
		})
		wantFine(t, cs)
	}
}

// TestW34CommandEnds has faults with which the process ends: all calls fail at once.
func TestW34CommandEnds(t *testing.T) {
	for tool, want := range map[string]struct {
		class  mcpclient.Class
		reason string
	}{
		"exit":          {mcpclient.Lost, "the process ended with status 3"},
		"killed":        {mcpclient.Lost, "the process was ended by a signal"},
		"close":         {mcpclient.Lost, "the process closed its output"},
		"leave":         {mcpclient.Lost, "the process ended with status 0"},
		"endless line":  {mcpclient.TooLarge, "the answer has more than 64 KiB"},
		"endless noise": {mcpclient.Malformed, "it sends no messages, but other things without end"},
	} {
		t.Run(tool, func(t *testing.T) {
			o := bounded
			o.After = func(d time.Duration) <-chan time.Time {
				if d == 2*time.Second { // which the endless ones would take to be ended
					return atOnce(d)
				}
				return time.After(d)
			}
			cs := connect(t, mcpclient.Stdio(child("scripted"), o), legacy, nil)
			other := make(chan outcome, 1)
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // noise takes long under the race detector
			defer cancel()
			go func() { other <- call(ctx, cs, "hang") }()
			wantFine(t, cs)
			got := call(ctx, cs, tool)
			wantClass(t, got, want.class, true)
			if got.wire.Reason != want.reason || got.wire.Ended != (want.class != mcpclient.Lost) {
				t.Errorf("reason %q, because of what was sent: %v", got.wire.Reason, got.wire.Ended)
			}
			wantClass(t, <-other, want.class, true)
			if o := call(ctx, cs, "exact"); !errors.Is(o.err, mcp.ErrConnectionClosed) || o.x.Sent() {
				t.Errorf("afterwards: %v, sent %v", o.err, o.x.Sent())
			}
		})
	}
}

// TestW34CommandClosed closes the connection under a call.
func TestW34CommandClosed(t *testing.T) {
	tr := &ending{Transport: mcpclient.Stdio(child("scripted"), bounded), closer: make(chan mcp.Connection, 1)}
	cs := connect(t, tr, legacy, nil)
	ctx, x := mcpclient.WithExchange(deadline(t))
	done := make(chan error, 1)
	go func() {
		_, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "hang"})
		done <- err
	}()
	for !x.Sent() && ctx.Err() == nil {
		runtime.Gosched()
	}
	if err := (<-tr.closer).Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err == nil {
		t.Error("the call succeeded")
	}
	var e *mcpclient.Error
	if !errors.As(x.Err(), &e) || e.Class != mcpclient.Lost || !x.Sent() {
		t.Errorf("error %v", x.Err())
	}
}

// TestW34CommandLastWords has an answer arrive that a process wrote before it ended.
func TestW34CommandLastWords(t *testing.T) {
	cs := connect(t, mcpclient.Stdio(child("scripted"), bounded), legacy, nil)
	if o := call(deadline(t), cs, "exit last"); o.err != nil || !strings.Contains(string(o.x.Result()), exact) {
		t.Fatalf("%v, result %s", o.err, o.x.Result())
	}
}

func TestW34CommandDoesNotStart(t *testing.T) {
	plain := t.TempDir() + "/secret"
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"no-such-program", "/no/such/program", plain, t.TempDir()} {
		before := runtime.NumGoroutine()
		_, err := mcpclient.Stdio(func() *exec.Cmd { return exec.Command(path) }, bounded).Connect(deadline(t))
		var e *mcpclient.Error
		if !errors.As(err, &e) || e.Class != mcpclient.Unreachable || strings.Contains(e.Error(), "secret") {
			t.Errorf("%s: %v", path, err)
		}
		n := runtime.NumGoroutine()
		for end := time.Now().Add(30 * time.Second); n > before+1 && time.Now().Before(end); n = runtime.NumGoroutine() {
			time.Sleep(time.Millisecond)
		}
		if n > before+1 { // that of the deadline
			t.Errorf("%s: %d goroutines, then %d", path, before, n)
		}
	}
}

// TestW34CommandDeaf has a process that does not read: calls end with their
// deadlines, and those that were not begun are known not to be sent.
func TestW34CommandDeaf(t *testing.T) {
	tr := &ending{Transport: mcpclient.Stdio(child("deaf"), mcpclient.Options{After: atOnce}), closer: make(chan mcp.Connection, 1)}
	cs := connect(t, tr, legacy, nil)
	conn := <-tr.closer
	t.Cleanup(func() { _ = conn.Close() })
	o := abandon(t, cs, strings.Repeat("x", 1<<20), (*mcpclient.Exchange).Sent)
	if !errors.Is(o.err, context.Canceled) || !o.x.Sent() {
		t.Errorf("%v, sent %v", o.err, o.x.Sent())
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if o := call(ctx, cs, "exact"); !errors.Is(o.err, context.DeadlineExceeded) || o.x.Sent() {
		t.Errorf("%v, sent %v", o.err, o.x.Sent())
	}
}

// TestW34CommandShut has a process that closes its input and lives on: nothing is
// sent to it, and calls do not wait for its end.
func TestW34CommandShut(t *testing.T) {
	ready, over := make(chan bool, 1), make(chan struct{})
	o := mcpclient.Options{
		Stderr: func(string) { ready <- true },
		After: func(d time.Duration) <-chan time.Time {
			if d != 2*time.Second { // which the process would be given to end
				return atOnce(d)
			}
			c := make(chan time.Time)
			go func() { <-over; close(c) }()
			return c
		},
	}
	cs := connect(t, mcpclient.Stdio(child("shut"), o), legacy, nil)
	t.Cleanup(sync.OnceFunc(func() { close(over) }))
	<-ready
	ctx, done := deadline(t), make(chan outcome, 2)
	go func() {
		done <- call(ctx, cs, "exact")
		done <- call(ctx, cs, "exact")
	}()
	for i := range 2 {
		select {
		case o := <-done:
			if i == 0 {
				wantClass(t, o, mcpclient.Lost, false)
			} else if !errors.Is(o.err, mcp.ErrConnectionClosed) || o.x.Sent() {
				t.Errorf("afterwards: %v, sent %v", o.err, o.x.Sent())
			}
		case <-ctx.Done():
			t.Fatal("a call waits for the end of the process")
		}
	}
}

// TestW34CommandRefused has a JSON-RPC error with a code that the SDK takes for
// the end of the connection.
func TestW34CommandRefused(t *testing.T) {
	cs := connect(t, mcpclient.Stdio(child("scripted"), bounded), legacy, nil)
	o := call(deadline(t), cs, "refused")
	wantRefusal(t, o)
	wantFine(t, cs)
}

// TestW10CommandUnread has a server ask without reading the answers: they wait, but
// not more than may be open.
func TestW10CommandUnread(t *testing.T) {
	waiting := make(chan int, 1)
	o := mcpclient.Options{Notified: func(method string, _ json.RawMessage) bool {
		if method == "notifications/asked" {
			waiting <- runtime.NumGoroutine()
		}
		return true
	}}
	cs := connect(t, mcpclient.Stdio(child("scripted"), o), legacy, nil)
	before := runtime.NumGoroutine()
	if o := call(deadline(t), cs, "flood unread"); o.err != nil {
		t.Fatal(o.err)
	}
	if n := <-waiting; n > before+4*64 {
		t.Errorf("%d goroutines, then %d", before, n)
	}
}

// TestW10CommandFlood has a server ask more than may be open.
func TestW10CommandFlood(t *testing.T) {
	release := make(chan struct{})
	var asked atomic.Int32
	cs := connect(t, mcpclient.Stdio(child("scripted"), bounded), legacy, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked.Add(1)
			<-release
			return &mcp.ElicitResult{Action: "decline"}, nil
		},
	})
	if o := call(deadline(t), cs, "flood"); o.err != nil {
		t.Fatal(o.err)
	}
	close(release)
	if n := asked.Load(); n > 64 {
		t.Errorf("%d requests at a time", n)
	}
	wantFine(t, cs)
}

// TestW34CommandStderr has lines cleaned and cut, and a slow reader that stops
// nobody.
func TestW34CommandStderr(t *testing.T) {
	lines := make(chan string, 1000)
	release := make(chan struct{})
	o := bounded
	o.Stderr = func(line string) {
		<-release
		lines <- line
	}
	cs := connect(t, mcpclient.Stdio(child("scripted"), o), legacy, nil)
	if o := call(deadline(t), cs, "stderr"); o.err != nil {
		t.Fatal(o.err)
	}
	close(release)
	for line := range lines {
		if n := len([]rune(line)); n > 1000 || strings.ContainsAny(line, "\x1b\u200b\n") {
			t.Fatalf("%d characters: %.100q", n, line)
		}
		if strings.HasPrefix(line, "red ") {
			return
		}
	}
}

// gone waits until a process does not exist, or fails.
func gone(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; runtime.Gosched() {
		if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) || zombie(pid) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("process %d is still there", pid)
		}
	}
}

// zombie reports whether a process that is not ours to wait for has ended.
func zombie(pid int) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, ok := strings.Cut(string(data), ") ")
	return err == nil && ok && strings.HasPrefix(rest, "Z")
}

// TestW34CommandGroup ends grandchildren with the process.
func TestW34CommandGroup(t *testing.T) {
	pid := make(chan int, 1)
	o := bounded
	o.Stderr = func(line string) {
		var n int
		if _, err := fmt.Sscanf(line, "pid %d", &n); err == nil {
			pid <- n
		}
	}
	cs := connect(t, mcpclient.Stdio(child("scripted"), o), legacy, nil)
	wantClass(t, call(deadline(t), cs, "leave"), mcpclient.Lost, true)
	gone(t, <-pid)
}

// TestW34CommandClose ends processes that do not want to, in the order of the
// specification: end of input, SIGTERM, SIGKILL.
func TestW34CommandClose(t *testing.T) {
	for mode, want := range map[string]struct {
		waits int
		said  []string
	}{
		"proper":   {0, nil},
		"asked":    {1, []string{"ready", "asked"}},
		"stubborn": {2, []string{"ready"}},
	} {
		t.Run(mode, func(t *testing.T) {
			before := runtime.NumGoroutine()
			var waits atomic.Int32
			var mu sync.Mutex
			var said []string
			ready := make(chan struct{}, 10)
			var cmd *exec.Cmd
			conn, err := mcpclient.Stdio(func() *exec.Cmd {
				cmd = child(mode)()
				return cmd
			}, mcpclient.Options{
				Stderr: func(line string) {
					mu.Lock()
					defer mu.Unlock()
					said = append(said, line)
					ready <- struct{}{}
				},
				After: func(d time.Duration) <-chan time.Time {
					if d == 2*time.Second && int(waits.Add(1)) <= want.waits {
						return atOnce(d)
					}
					return nil // never
				},
			}).Connect(deadline(t))
			if err != nil {
				t.Fatal(err)
			}
			if mode != "proper" {
				<-ready
			}
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
			if cmd.ProcessState == nil {
				t.Fatal("the process was not waited for")
			}
			gone(t, cmd.Process.Pid)
			mu.Lock()
			defer mu.Unlock()
			if fmt.Sprint(said) != fmt.Sprint(want.said) {
				t.Errorf("said %q", said)
			}
			settle(t, before+1) // that of the deadline
		})
	}
}
