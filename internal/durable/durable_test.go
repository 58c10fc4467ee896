package durable_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/durable"
	"github.com/cash-mcp/go-sdk/internal/durable/durabletest"
)

func TestMain(m *testing.M) {
	durabletest.Main(m, "folder", func(dir string, fault durabletest.Fault, _ []string) {
		if err := write(dir, "new", fault); err != nil {
			panic(err)
		}
		fmt.Println("done")
	})
}

// write replaces the file of a folder.
func write(dir, data string, fault func(op, name string) error) error {
	f, err := durable.Open(dir, fault)
	if err != nil {
		return err
	}
	defer f.Root.Close()
	info, err := f.Replace("temp", "file", 0o600, func(file *os.File) error {
		_, err := file.WriteString(data)
		return err
	})
	if err == nil && info.Size() != int64(len(data)) {
		err = errors.New("the information is of another file")
	}
	return err
}

// oldFolder is a folder with a file, below one that a power may keep copies in.
func oldFolder(t *testing.T) (above, dir string) {
	t.Helper()
	above = durabletest.Scratch(t)
	dir = filepath.Join(above, "folder")
	if err := write(dir, "old", nil); err != nil {
		t.Fatal(err)
	}
	return above, dir
}

func content(t *testing.T, dir string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	f, err := durable.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Root.Close()
	if err := f.Names(".", func(e fs.DirEntry) bool { list = append(list, e.Name()); return true }); err != nil {
		t.Fatal(err)
	}
	return list
}

// The file is the old one or the new one wherever a process ends, and the new one once
// it was said to be done. What is left over has the temporary name.
func TestReplaceSurvivesTheEndOfItsProcess(t *testing.T) {
	durabletest.EachKill(t, durabletest.Modes, func(t *testing.T, mode string, n int) bool {
		above, dir := oldFolder(t)
		out, finished := durabletest.Run(t, mode, n, above)
		got := content(t, dir)
		if got != "new" && (got != "old" || len(out) > 0) {
			t.Errorf("%q after %q", got, out)
		}
		for _, name := range names(t, dir) {
			if name != "file" && name != "temp" {
				t.Errorf("%s lies about", name)
			}
		}
		if finished && n != 6 { // create, write, sync, rename, flush
			t.Errorf("%d steps", n-1)
		}
		return finished
	})
}

// A step that fails leaves the old file and nothing else, or after the rename the new
// one. The error says which step and why, and not where the folder is.
func TestReplaceStepFails(t *testing.T) {
	cause := errors.New("broken")
	for n, want := range []string{"old", "old", "old", "old", "new", "new"} {
		_, dir := oldFolder(t)
		steps := 0
		err := write(dir, "new", func(string, string) error {
			if steps++; steps == n+1 {
				return cause
			}
			return nil
		})
		if got := content(t, dir); got != want || errors.Is(err, cause) != (n < 5) {
			t.Errorf("step %d: %q, %v", n+1, got, err)
		}
		if err != nil && strings.Contains(err.Error(), dir) {
			t.Errorf("%v names the folder", err)
		}
		if list := names(t, dir); !slices.Equal(list, []string{"file"}) {
			t.Errorf("step %d of %d: %q", n+1, steps, list)
		}
	}
}

func TestOpenMakesFolders(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b", "c")
	if err := write(dir, "x", nil); err != nil {
		t.Fatal(err)
	}
	if err := write(filepath.Join(dir, "file", "below"), "x", nil); err == nil {
		t.Error("a folder is made below a file")
	}
}

func TestRead(t *testing.T) {
	_, dir := oldFolder(t)
	f, err := durable.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Root.Close()
	if err := f.Mkdir("sub", 0o700); err != nil {
		t.Fatal(err)
	}
	if data, err := f.Read("file", 3); string(data) != "old" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	for name, want := range map[string]error{"file": durable.ErrDamaged, "sub": durable.ErrDamaged, "none": fs.ErrNotExist, "../out": nil} {
		if _, err := f.Read(name, 2); err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	stopped := 0
	if err := f.Names(".", func(fs.DirEntry) bool { stopped++; return false }); err != nil || stopped != 1 {
		t.Errorf("Names goes on: %d, %v", stopped, err)
	}
}

// Create takes no file that is there; Write writes into it.
func TestCreateAndWrite(t *testing.T) {
	_, dir := oldFolder(t)
	f, err := durable.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Root.Close()
	put := func(file *os.File) error { _, err := file.WriteString("x"); return err }
	if err := f.Create("file", 0o600, put); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Create: %v", err)
	}
	if err := f.Write("file", 0, 0o600, put); err != nil || content(t, dir) != "xld" {
		t.Errorf("Write: %v, %q", err, content(t, dir))
	}
	if err := f.Discard("none"); err != nil {
		t.Errorf("Discard: %v", err)
	}
	if err := f.Link("file", "none/below"); err == nil || errors.Unwrap(err) != durable.Cause(err) || strings.Contains(err.Error(), "\x00") {
		t.Errorf("Link: %v", err)
	}
}
