//go:build unix

package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/upstream/config"
)

// A file of configuration that is a pipe is read as far as somebody has written to
// it, and not waited for.
func TestLoadPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load(pipe); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("a pipe without a writer: %v", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString("name: piped\n"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if c, err := config.Load(fmt.Sprintf("/dev/fd/%d", r.Fd())); err != nil || c.Name != "piped" {
		t.Errorf("a pipe: %v", err)
	}
}
