package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/manifest"
	"github.com/cash-mcp/go-sdk/registry"
)

var protocolVersions = []string{"2025-11-25", "2026-07-28"}

func dial(ctx context.Context, t *testing.T, transport mcp.Transport, version string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatalf("connecting: %v", err)
	}
	return session
}

// talkTo checks that the shop is behind the server at the other end.
func talkTo(ctx context.Context, t *testing.T, session *mcp.ClientSession, namespace string) {
	t.Helper()
	res, err := session.CallTool(ctx, &mcp.CallToolParams{
		Name:      "call",
		Arguments: json.RawMessage(fmt.Sprintf(`{"namespace":%q,"function":"get","kwargs":{"order_id":"ORD-1001"}}`, namespace)),
	})
	if err != nil {
		t.Fatalf("call: %v", err)
	}
	if text := (&registry.Result{Content: res.Content}).Text(); res.IsError || !strings.HasPrefix(text, `{"order_id":"ORD-1001"`) {
		t.Errorf("call: %s, want the order", text)
	}
}

func TestStdioProcess(t *testing.T) {
	file := write(t, entry())
	for _, tt := range []struct {
		name, file, namespace string
		processes             int // besides the aggregator that the test starts
	}{
		{"shop", file, "shop.orders", 1},
		{"aggregator of an aggregator", write(t, nested(t, file)), "inner.shop.orders", 2},
	} {
		for _, version := range protocolVersions {
			t.Run(tt.name+" "+version+" ends with its input", func(t *testing.T) {
				session := dial(t.Context(), t, &mcp.CommandTransport{Command: command(t, "-config", tt.file, "-stdio")}, version)
				talkTo(t.Context(), t, session, tt.namespace)
				wantProcesses(t, tt.processes+1)
				if err := session.Close(); err != nil {
					t.Errorf("closing: %v", err)
				}
				wantProcesses(t, 0)
			})
			t.Run(tt.name+" "+version+" ends with SIGTERM", func(t *testing.T) {
				cmd := command(t, "-config", tt.file, "-stdio")
				session := dial(t.Context(), t, &mcp.CommandTransport{Command: cmd}, version)
				talkTo(t.Context(), t, session, tt.namespace)
				if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
				session.Wait() // nothing more comes out of it; the error is the pipe's
				session.Close()
				if code := cmd.ProcessState.ExitCode(); code != 0 {
					t.Errorf("exit code %d, want 0", code)
				}
				wantProcesses(t, 0)
			})
		}
	}
}

func TestHTTPProcess(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run("ends with "+signal.String(), func(t *testing.T) {
			cmd, url := listen(t, command(t, "-config", write(t, entry(), missing()), "-http", "127.0.0.1:0"))
			for _, version := range protocolVersions {
				session := dial(t.Context(), t, &mcp.StreamableClientTransport{Endpoint: url}, version)
				defer session.Close() // after the process: open sessions must not hold it up
				talkTo(t.Context(), t, session, "shop.orders")
			}
			res, err := http.Get(strings.TrimSuffix(url, "/mcp") + manifest.WellKnownPath)
			if err != nil {
				t.Fatal(err)
			}
			if res.Body.Close(); res.StatusCode != http.StatusOK {
				t.Errorf("the manifest: %s", res.Status)
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("the process ended with %v, want exit code 0", err)
			}
			wantProcesses(t, 0)
		})
	}
}

// listen starts a program that serves HTTP and returns its endpoint.
func listen(t *testing.T, cmd *exec.Cmd) (*exec.Cmd, string) {
	t.Helper()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() }) // in case the test did not end it
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if url, found := strings.CutPrefix(lines.Text(), "listening on "); found {
			return cmd, url
		}
	}
	t.Fatal("the program does not say where it listens")
	return nil, ""
}
