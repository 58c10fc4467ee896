//go:build realclients

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/internal/mcpclient"
)

// patience is for all calls of one server, one of which takes a second.
const patience = time.Minute

// TestRecordings holds that the recordings are what the servers of
// .ci/package.json say. With -update it writes them; what is counted of them is
// to be updated after that, in a second run.
func TestRecordings(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range folder() {
		writeFile(t, filepath.Join(root, name), text)
	}
	graph := filepath.Join(t.TempDir(), "memory.jsonl")
	writeFile(t, graph, nodes)
	for label, line := range map[string][]string{
		"files":      {"mcp-server-filesystem", root},
		"memory":     {"mcp-server-memory"},
		"everything": {"mcp-server-everything"},
	} {
		t.Run(label, func(t *testing.T) {
			cmd := exec.Command(program(t, "node"), append([]string{program(t, line[0])}, line[1:]...)...)
			cmd.Env = []string{"LANG=C"} // and nothing else: one of the tools shows it
			if label == "memory" {
				cmd.Env = append(cmd.Env, "MEMORY_FILE_PATH="+graph)
			}
			r := connectRecorder(t, label, root, &mcp.CommandTransport{Command: cmd})
			golden(t, filepath.Join("catalogs", label+".json"), r.document())
		})
	}
}

// program returns the path of an installed program.
func program(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("CASH_NPM_DIR")
	if !filepath.IsAbs(dir) {
		t.Fatal("CASH_NPM_DIR must be the absolute path of a folder with the packages of .ci/package.json; .ci/run makes one")
	}
	return filepath.Join(dir, "node_modules", ".bin", name)
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A recorder asks one server.
type recorder struct {
	t       *testing.T
	ctx     context.Context
	session *mcp.ClientSession
	label   string
	root    string // stands for /data
}

func connectRecorder(t *testing.T, label, root string, transport mcp.Transport) *recorder {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	client := mcp.NewClient(&mcp.Implementation{Name: "tokens", Version: "1.0.0"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	session, err := client.Connect(ctx, mcpclient.Tap(transport, mcpclient.Options{}), &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return &recorder{t, ctx, session, label, root}
}

// document is the recording: the tools as the server sends them, each with its
// results at the end.
func (r *recorder) document() string {
	r.t.Helper()
	ctx, exchange := mcpclient.WithExchange(r.ctx)
	if _, err := r.session.ListTools(ctx, nil); err != nil {
		r.t.Fatal(err)
	}
	var list struct{ Tools []json.RawMessage }
	if err := json.Unmarshal(exchange.Result(), &list); err != nil {
		r.t.Fatal(err)
	}
	results := r.results()
	var doc strings.Builder
	doc.WriteString("{\"tools\":[")
	between := "\n"
	for _, raw := range list.Tools {
		var named struct{ Name string }
		if err := json.Unmarshal(raw, &named); err != nil {
			r.t.Fatal(err)
		}
		doc.WriteString(between)
		between = ",\n"
		doc.Write(bytes.TrimSuffix(raw, []byte("}")))
		doc.WriteString(",\"results\":[" + strings.Join(results[named.Name], ",") + "]}")
	}
	return doc.String() + "\n]}\n"
}

// results makes the calls of the tasks.
func (r *recorder) results() map[string][]string {
	list := make(map[string][]string)
	for _, c := range calls() {
		server, name, _ := strings.Cut(c.tool, ".")
		if server != r.label {
			continue
		}
		args := strings.ReplaceAll(c.args, "/data", r.root)
		ctx, exchange := mcpclient.WithExchange(r.ctx)
		if _, err := r.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(args)}); err != nil {
			r.t.Fatalf("%s: %v", c.tool, err)
		}
		var result bytes.Buffer
		if err := json.Compact(&result, exchange.Result()); err != nil {
			r.t.Fatal(err)
		}
		list[name] = append(list[name], "\n {\"arguments\":"+c.args+",\"result\":"+r.masked(result.String())+"}")
	}
	return list
}

// What is different each time.
var unlike = []struct {
	pattern *regexp.Regexp
	mask    string
}{
	{regexp.MustCompile(`created at [0-9:]+( [AP]M)?`), "created at 9:15:00 AM"},
	{regexp.MustCompile(`(created|modified|accessed): [^\n"\\]+`), "$1: Mon Aug 31 2026 09:15:00 GMT+0000 (Coordinated Universal Time)"},
}

func (r *recorder) masked(result string) string {
	result = strings.ReplaceAll(result, r.root, "/data")
	for _, u := range unlike {
		result = u.pattern.ReplaceAllString(result, u.mask)
	}
	return result
}

// calls are the calls of all tasks, each once, in the order in which they are
// made.
func calls() []step {
	var list []step
	seen := make(map[string]bool)
	add := func(s step) {
		if key := s.tool + " " + s.args; !seen[key] {
			seen[key] = true
			list = append(list, s)
		}
	}
	for _, t := range tasks {
		for _, s := range t.steps {
			add(s)
			if s.narrow != nil {
				add(*s.narrow)
			}
		}
	}
	return list
}
