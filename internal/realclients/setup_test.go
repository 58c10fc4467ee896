//go:build realclients

package realclients

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

const (
	examples = "github.com/cash-mcp/go-sdk/examples/"
	command  = "github.com/cash-mcp/go-sdk/cash/cmd/cash"
	suite    = "github.com/modelcontextprotocol/go-sdk/conformance/everything-server"
	patience = 2 * time.Minute // for any one process
)

// One build of each example, of the command, of the SDK's server for the conformance suite and of
// the one in mcpgo, and one folder of programs from npm serve all tests.
var shop, aggregator, cashCommand, suiteServer, goServer, programs string

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	root := os.Getenv("CASH_NPM_DIR")
	if !filepath.IsAbs(root) {
		return 0, errors.New("CASH_NPM_DIR must be the absolute path of a folder with the packages of .ci/package.json; .ci/run makes one")
	}
	programs = filepath.Join(root, "node_modules", ".bin")
	for _, program := range []string{
		"node", "mcp-inspector", "conformance", "mcp-server-everything", "mcp-server-filesystem", "mcp-server-memory",
		"../@olaservo/ext-skills",
	} {
		if _, err := os.Stat(filepath.Join(programs, program)); err != nil {
			return 0, fmt.Errorf("CASH_NPM_DIR lacks a package of .ci/package.json: %w", err)
		}
	}
	dir, err := os.MkdirTemp("", "realclients")
	if err != nil {
		return 0, fmt.Errorf("making a folder for the examples: %w", err)
	}
	defer os.RemoveAll(dir)
	shop, aggregator, suiteServer = filepath.Join(dir, "shop"), filepath.Join(dir, "aggregator"), filepath.Join(dir, "everything-server")
	cashCommand = filepath.Join(dir, "cash")
	if out, err := exec.Command("go", "build", "-o", dir, examples+"shop", examples+"aggregator", command, suite).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("building the servers: %w\n%s", err, out)
	}
	goServer = filepath.Join(dir, "mcpgo")
	if out, err := exec.Command("go", "build", "-C", "mcpgo", "-o", goServer).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("building the server in mcpgo: %w\n%s", err, out)
	}
	return m.Run(), nil
}

// partner returns the command that runs an installed program, with the Node.js
// of the same folder and a home of its own.
func partner(t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, filepath.Join(programs, program), args...)
	cmd.WaitDelay = 5 * time.Second // a child of a killed client may hold its pipes
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(),
		"PATH="+programs+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"HOME="+t.TempDir(),
		"NO_COLOR=1")
	return cmd
}

// serveHTTP runs an example for the length of the test and returns the address
// of its MCP endpoint, on a port of the system's choice.
func serveHTTP(t *testing.T, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, append(args, "-http", "127.0.0.1:0")...)
	return started(t, cmd, regexp.MustCompile(`(http://\S+/mcp)\s`))
}

// started runs a server for the length of the test, and returns the first
// submatch in what it writes when it is ready.
func started(t *testing.T, cmd *exec.Cmd, ready *regexp.Regexp) string {
	t.Helper()
	cmd.WaitDelay = 5 * time.Second
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	log := &logBuffer{pattern: ready, ready: make(chan string, 1)}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting a server: %v", err)
	}
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		_ = cmd.Wait() // ended with the test
	}()
	// The context of a test ends before its cleanups run.
	t.Cleanup(func() {
		<-exited
		if t.Failed() {
			t.Logf("the server wrote:\n%s", log)
		}
	})
	select {
	case found := <-log.ready:
		return found
	case <-exited:
		t.Fatal("the server ended before it was ready")
	case <-time.After(patience):
		t.Fatal("the server does not say that it is ready")
	}
	return ""
}
