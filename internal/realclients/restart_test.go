//go:build realclients

package realclients

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/upstream"
)

// script says which process it is, becomes the server, and does not while there
// is a file "down".
const script = `echo $$ >pid.new && mv pid.new pid
[ ! -e down ] || exit 1
exec "$@"`

// A server whose process is killed is unavailable, and is there again when it
// can be started again (R132, W39). The other one notices nothing.
func TestR132KilledServer(t *testing.T) {
	dir := t.TempDir()
	s := everything()
	node := s.endpoint().(upstream.Command)
	m := mount(t,
		upstream.Server{Label: "everything", Endpoint: upstream.Command{
			Path: "/bin/sh", Args: append([]string{"-c", script, "sh", node.Path}, node.Args...), Dir: dir,
		}},
		upstream.Server{Label: "memory", Endpoint: memory(t).endpoint()},
	)
	c := m.connect(t, "")
	const unavailable = "available: false"
	top := func() string { return c.call(t, toolCall("help", `{}`)).text() }
	echo := func() *result { return c.function(t, "everything", "echo", `{"message":"hello"}`) }
	if got := echo(); got.IsError || strings.Contains(top(), unavailable) {
		t.Fatalf("before: %q, %s", got.text(), top())
	}

	down := filepath.Join(dir, "down")
	if err := os.WriteFile(down, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	kill(t, filepath.Join(dir, "pid"))
	eventually(t, "help() says that it is unavailable", func() bool { return strings.Contains(top(), unavailable) })
	if n := strings.Count(top(), unavailable); n != 1 {
		t.Errorf("%d servers are unavailable:\n%s", n, top())
	}
	if got := echo(); !got.IsError || !strings.Contains(got.text(), "unavailable") {
		t.Errorf("a call while it is down: %q, error %t, want that it is unavailable", got.text(), got.IsError)
	}
	if got := c.function(t, "memory", "read_graph", `{}`); got.IsError {
		t.Errorf("a call of the other server: %q", got.text())
	}

	if err := os.Remove(down); err != nil {
		t.Fatal(err)
	}
	eventually(t, "help() says so no more", func() bool { return !strings.Contains(top(), unavailable) })
	if got := echo(); got.IsError || got.text() != "Echo: hello" {
		t.Errorf("afterwards: %q, error %t", got.text(), got.IsError)
	}
}

// kill kills the process whose number is in a file.
func kill(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 1 {
		t.Fatalf("the process is %q", text)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// eventually waits for what another process has to do first.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	if !inTime(ok) {
		t.Fatalf("waited in vain: %s", what)
	}
}

// inTime waits until ok holds, and reports whether it does.
func inTime(ok func() bool) bool {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	timeout := time.After(patience)
	for !ok() {
		select {
		case <-tick.C:
		case <-timeout:
			return false
		}
	}
	return true
}
