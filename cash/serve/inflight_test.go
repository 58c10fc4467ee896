package serve_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/registry"
)

func callOf(id, function string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"call","arguments":{"function":%q}}}`, id, function)
}

// TestCallsInFlight holds that a connection has a bound on its calls, that who is
// refused is told so by the id of the call, and that answers make room.
func TestCallsInFlight(t *testing.T) {
	release := make(chan struct{})
	reg := registry.New(nil)
	reg.Namespace("", "").Add(
		registry.Func("wait", "Wait.", func(context.Context, struct{}) (string, error) { <-release; return "waited", nil }),
		registry.Func("go", "Go.", func(context.Context, struct{}) (string, error) { return "gone", nil }),
	)
	srv := cash.NewServer(reg, &cash.Options{Serve: serve.Options{MaxCalls: 3}})
	serverIn, out := io.Pipe()
	in, serverOut := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- srv.Run(context.Background(), &mcp.IOTransport{Reader: serverIn, Writer: serverOut})
	}()
	r := bufio.NewReader(in)
	read := func() string {
		t.Helper()
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	send := func(line string) { io.WriteString(out, line+"\n") }
	send(initialize)
	read()
	send(initialized)
	for _, id := range []string{"1", `"two"`, "9007199254740993"} {
		send(callOf(id, "wait"))
	}
	send(callOf("1", "wait"))
	if got := read(); !strings.Contains(got, `"id":null`) || !strings.Contains(got, "a call with this id is in flight") {
		t.Errorf("an id twice: %s", got)
	}
	send(callOf("1.5", "go"))
	if got := read(); !strings.Contains(got, `"id":1.5`) || !strings.Contains(got, "at most 3") {
		t.Errorf("one too many: %s", got)
	}
	send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9007199254740993}}`)
	if got := read(); !strings.Contains(got, `"id":9007199254740993`) {
		t.Errorf("cancelled: %s", got)
	}
	send(callOf("4", "go"))
	if got := read(); !strings.Contains(got, `"id":4`) || !strings.Contains(got, "gone") {
		t.Errorf("with room again: %s", got)
	}
	close(release)
	got := read() + read()
	for _, id := range []string{`"id":1,`, `"id":"two"`} {
		if strings.Count(got, id) != 1 {
			t.Errorf("%s is not answered once: %s", id, got)
		}
	}
	send(callOf("1", "go")) // the id is free again
	if got := read(); !strings.Contains(got, "gone") {
		t.Errorf("an id once more: %s", got)
	}
	out.Close()
	if err := <-ended; err != nil {
		t.Errorf("Run: %v", err)
	}
}

// TestNobodyReads holds that a client that only sends is not listened to for ever.
func TestNobodyReads(t *testing.T) {
	for name, message := range map[string]func(i int) string{
		"calls":       func(i int) string { return callOf(fmt.Sprint(i+10), "whoami") },
		"not JSON":    func(int) string { return "x" },
		"unknown":     func(i int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"x"}`, i+10) },
		"large lines": func(int) string { return strings.Repeat("x", 2_000) },
	} {
		t.Run(name, func(t *testing.T) {
			srv := cash.NewServer(whoami(), &cash.Options{Serve: serve.Options{MaxCalls: 8, MaxBody: 1_000}})
			near, far := net.Pipe()
			ended := make(chan error, 1)
			go func() {
				ended <- srv.Run(context.Background(), &mcp.IOTransport{Reader: far, Writer: far})
			}()
			r := bufio.NewReader(near)
			io.WriteString(near, initialize+"\n")
			if _, err := r.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			io.WriteString(near, initialized+"\n")
			near.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
			taken := 0
			for ; taken < 1_000; taken++ {
				if _, err := io.WriteString(near, message(taken)+"\n"); err != nil {
					break
				}
			}
			if taken > 100 {
				t.Errorf("%d messages were taken", taken)
			}
			near.Close()
			if err := <-ended; err != nil {
				t.Errorf("Run: %v", err)
			}
		})
	}
}
