package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
)

var update = flag.Bool("update", false, "write testdata")

func TestMain(m *testing.M) {
	if os.Getenv("FILES_MAIN") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestWalk(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), "", &out); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join("testdata", "walk.txt")
	if *update {
		if err := os.WriteFile(name, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("the walk differs from %s (run with -update to accept it):\n%s", name, out.Bytes())
	}
}

// TestServe holds that a folder is served by a process, and that it is left as it
// was found.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("alpha"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Run("process", func(t *testing.T) {
		cmd := exec.Command(os.Args[0], "-dir", dir)
		cmd.Env = append(os.Environ(), "FILES_MAIN=1")
		client := cashtest.ConnectCommand(t, cmd)
		r := client.Tool("FilesExecute", map[string]any{"cmd": "GET", "params": map[string]any{"path": "a.txt"}})
		if want := `"content":"alpha"`; r.IsError || !bytes.Contains([]byte(r.Text), []byte(want)) {
			t.Errorf("get answers %s", r.Text)
		}
	})
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}
