//go:build realclients

package realclients

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// server is a server from npm that is started as a process. Of what it keeps,
// each value has its own.
type server struct {
	label string
	line  []string // the program and its arguments
	env   []string
	root  string // the folder of files; empty is none
}

func everything() server { return server{label: "everything", line: []string{"mcp-server-everything"}} }

func files(t *testing.T) server {
	root := t.TempDir()
	return server{label: "files", line: []string{"mcp-server-filesystem", root}, root: root}
}

func memory(t *testing.T) server {
	return server{label: "memory", line: []string{"mcp-server-memory"},
		env: []string{"MEMORY_FILE_PATH=" + filepath.Join(t.TempDir(), "memory.jsonl")}}
}

// args are the arguments of Node.js.
func (s server) args() []string {
	return append([]string{filepath.Join(programs, s.line[0])}, s.line[1:]...)
}

func (s server) endpoint() upstream.Endpoint {
	return upstream.Command{Path: filepath.Join(programs, "node"), Args: s.args(), Env: s.env}
}

// entry is the server in a configuration file.
func (s server) entry() string {
	var line strings.Builder
	for _, arg := range append([]string{filepath.Join(programs, "node")}, s.args()...) {
		fmt.Fprintf(&line, "%q, ", arg)
	}
	var env strings.Builder
	for _, pair := range s.env {
		key, value, _ := strings.Cut(pair, "=")
		fmt.Fprintf(&env, "%s: %q", key, value)
	}
	return fmt.Sprintf("  - {label: %s, description: Of npm., command: [%s], env: {%s}}\n", s.label, line.String(), env.String())
}

// direct connects to a process of the server, with what the aggregator can do
// as its client.
func (s server) direct(t *testing.T) *client {
	t.Helper()
	cmd := exec.Command(filepath.Join(programs, "node"), s.args()...)
	cmd.Env = append(os.Environ(), s.env...)
	return connect(t, &mcp.CommandTransport{Command: cmd}, "2025-11-25")
}

// overHTTP starts the everything server as a service and returns its port:
// streamableHttp at /mcp, or sse at /sse.
func overHTTP(t *testing.T, transport string) string {
	t.Helper()
	cmd := partner(t, "mcp-server-everything", transport)
	// The server prints the port that it was told, which is 0. The script prints the one that it has got.
	cmd.Env = append(cmd.Env, "PORT=0", fmt.Sprintf("NODE_OPTIONS=--require %q", testScript(t, "port.cjs")))
	return started(t, cmd, regexp.MustCompile(`bound to port (\d+)\s`))
}

// mounted is an aggregator in this process.
type mounted struct {
	reg *registry.Registry
	agg *upstream.Aggregator
	srv *cash.Server
}

// mount returns an aggregator that is connected to its servers.
func mount(t *testing.T, servers ...upstream.Server) *mounted {
	t.Helper()
	reg := registry.New(nil)
	m := &mounted{reg: reg, agg: upstream.New(reg, nil)}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := m.agg.Close(ctx); err != nil {
			t.Errorf("closing the aggregator: %v", err)
		}
	})
	for _, s := range servers {
		if err := m.agg.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.agg.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, s := range m.agg.Status() {
		if s.State != upstream.Connected {
			t.Fatalf("upstream %v is %v: %v", s.Labels, s.State, s.Err)
		}
	}
	m.srv = cash.NewServer(reg, &cash.Options{SizeLimit: 1 << 20, Serve: serve.Options{Logging: true}})
	return m
}

// connect connects a client of the aggregator.
func (m *mounted) connect(t *testing.T, version string) *client {
	t.Helper()
	return connect(t, cashtest.InMemory(m.srv), version)
}

// ways are how the aggregator reaches the everything server. Each starts it.
var ways = []struct {
	name  string
	reach func(t *testing.T) upstream.Endpoint
}{
	{"stdio", func(*testing.T) upstream.Endpoint { return everything().endpoint() }},
	{"streamable HTTP", func(t *testing.T) upstream.Endpoint {
		return upstream.HTTP{URL: "http://127.0.0.1:" + overHTTP(t, "streamableHttp") + "/mcp"}
	}},
	{"SSE", func(t *testing.T) upstream.Endpoint {
		return upstream.SSE{URL: "http://127.0.0.1:" + overHTTP(t, "sse") + "/sse"}
	}},
	{"SSE that is found out", func(t *testing.T) upstream.Endpoint {
		return upstream.HTTP{URL: "http://127.0.0.1:" + overHTTP(t, "sse") + "/sse"}
	}},
}
