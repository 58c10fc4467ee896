package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var protocolVersions = []string{"2025-11-25", "2026-07-28"}

// asShop makes the test's binary be the shop: it has the same main, and need
// not be built a second time.
const asShop = "TEST_AS_SHOP"

func TestMain(m *testing.M) {
	if name := os.Getenv(asStand); name != "" {
		os.Exit(serveStand(name))
	}
	if os.Getenv(asShop) != "" {
		main()
	}
	os.Exit(m.Run())
}

// command returns the shop as a process of its own.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), asShop+"=1", "GORACE=atexit_sleep_ms=0")
	return cmd
}

func dial(ctx context.Context, t *testing.T, transport mcp.Transport, version string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatalf("connecting: %v", err)
	}
	return session
}

// talkTo checks that the shop is at the other end.
func talkTo(ctx context.Context, t *testing.T, session *mcp.ClientSession) {
	t.Helper()
	tools, err := session.ListTools(ctx, nil)
	if err != nil || len(tools.Tools) != 3 {
		t.Fatalf("tools/list: %+v, %v, want three tools", tools, err)
	}
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "call", Arguments: map[string]any{
		"namespace": "orders", "function": "get", "kwargs": map[string]any{"order_id": "ORD-1001"},
	}})
	if err != nil || res.IsError {
		t.Fatalf("call: %+v, %v", res, err)
	}
	if text, ok := res.Content[0].(*mcp.TextContent); !ok || !strings.HasPrefix(text.Text, `{"order_id":"ORD-1001"`) {
		t.Errorf("call: %+v, want the order", res.Content[0])
	}
}

func TestStdioProcess(t *testing.T) {
	for _, version := range protocolVersions {
		t.Run(version+" ends with its input", func(t *testing.T) {
			session := dial(t.Context(), t, &mcp.CommandTransport{Command: command(t, "-stdio")}, version)
			talkTo(t.Context(), t, session)
			if err := session.Close(); err != nil {
				t.Errorf("closing: %v", err)
			}
		})
		t.Run(version+" ends with SIGTERM", func(t *testing.T) {
			cmd := command(t, "-stdio")
			session := dial(t.Context(), t, &mcp.CommandTransport{Command: cmd}, version)
			talkTo(t.Context(), t, session)
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			session.Wait() // nothing more comes out of it; the error is the pipe's
			session.Close()
			if code := cmd.ProcessState.ExitCode(); code != 0 {
				t.Errorf("exit code %d, want 0", code)
			}
		})
	}
}

func TestHTTPProcess(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run("ends with "+signal.String(), func(t *testing.T) {
			cmd, url := listen(t, "-http", "127.0.0.1:0")
			for _, version := range protocolVersions {
				session := dial(t.Context(), t, &mcp.StreamableClientTransport{Endpoint: url}, version)
				defer session.Close() // after the process: open sessions must not hold it up
				talkTo(t.Context(), t, session)
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("the process ended with %v, want exit code 0", err)
			}
		})
	}
}

// listen starts the program, which serves HTTP, and returns its endpoint.
func listen(t *testing.T, args ...string) (*exec.Cmd, string) {
	t.Helper()
	cmd := command(t, args...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() }) // in case the test did not end it
	line, err := bufio.NewReader(stderr).ReadString('\n')
	url, found := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !found || !strings.HasPrefix(url, "http://127.0.0.1:") || !strings.HasSuffix(url, "/mcp") {
		t.Fatalf("first line on stderr: %q, %v", line, err)
	}
	return cmd, url
}
