//go:build realclients

package realclients

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

const (
	shopPackage = "github.com/cash-mcp/go-sdk/examples/shop"
	patience    = 2 * time.Minute // for any one process
)

// One build of the shop and one folder of clients serve all tests.
var shop, clients string

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
	clients = filepath.Join(root, "node_modules", ".bin")
	for _, program := range []string{"node", "mcp-inspector", "conformance"} {
		if _, err := os.Stat(filepath.Join(clients, program)); err != nil {
			return 0, fmt.Errorf("CASH_NPM_DIR lacks a package of .ci/package.json: %w", err)
		}
	}
	dir, err := os.MkdirTemp("", "realclients")
	if err != nil {
		return 0, fmt.Errorf("making a folder for the shop: %w", err)
	}
	defer os.RemoveAll(dir)
	shop = filepath.Join(dir, "shop")
	if out, err := exec.Command("go", "build", "-o", shop, shopPackage).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("building the shop: %w\n%s", err, out)
	}
	return m.Run(), nil
}

// partner returns the command that runs an installed client, with the Node.js
// of the same folder and a home of its own.
func partner(t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, filepath.Join(clients, program), args...)
	cmd.WaitDelay = 5 * time.Second // a child of a killed client may hold its pipes
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(),
		"PATH="+clients+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"HOME="+t.TempDir(),
		"NO_COLOR=1")
	return cmd
}

// serveHTTP runs the shop for the length of the test and returns the address
// of its MCP endpoint, on a port of the system's choice.
func serveHTTP(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), shop, "-http", "127.0.0.1:0")
	cmd.WaitDelay = 5 * time.Second
	log := &logBuffer{ready: make(chan string, 1)}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting the shop: %v", err)
	}
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		_ = cmd.Wait() // killed at the end of the test
	}()
	// The context of a test ends before its cleanups run.
	t.Cleanup(func() {
		<-exited
		if t.Failed() {
			t.Logf("the shop wrote:\n%s", log)
		}
	})
	select {
	case url := <-log.ready:
		return url
	case <-exited:
		t.Fatal("the shop ended before it said where it listens")
	case <-time.After(patience):
		t.Fatal("the shop does not say where it listens")
	}
	return ""
}
