//go:build unix && !illumos && !solaris

package files_test

import (
	"net"
	"os"
	"path/filepath"
	"reflect"
	"syscall"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/durable/durabletest"
	"github.com/cash-mcp/go-sdk/registry"
)

// What is no regular file is never opened: a FIFO would make the call wait.
func TestF17SpecialFiles(t *testing.T) {
	w := newWorld(t, nil, "a", "A")
	if err := syscall.Mkfifo(filepath.Join(w.dir, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(w.dir) // the paths of sockets are short
	socket, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	id := w.start("a")
	for _, p := range []string{"fifo", "socket"} {
		everywhere(w, id, registry.Failed, p, "no regular file")
	}
	for _, e := range w.call("list", object{})["entries"].([]any) {
		if e := e.(object); (e["type"] == "other") == (e["path"] == "a") {
			t.Errorf("listed %v", e)
		}
	}
}

func TestF17NamesThatCannotBeUsed(t *testing.T) {
	w := newWorld(t, nil, "a", "A")
	made := 0.0
	for _, name := range []string{"b\x1b[31m", "c\nd", "back\\slash", "bidi\u202e", "tag\U000e0041", "latin\xe9"} {
		if os.WriteFile(filepath.Join(w.dir, name), nil, 0o644) == nil {
			made++ // some systems take UTF-8 only
		}
	}
	out := w.call("list", object{"recursive": true})
	if !reflect.DeepEqual(paths(out), []string{"a"}) || made < 3 || out["left_out"] != made || out["total"] != 1.0 {
		t.Errorf("listed %v", out)
	}
}

func TestF17SystemRefuses(t *testing.T) {
	w := &world{t: t, dir: durabletest.Scratch(t)}
	w.write("dir/b", "B")
	w.serve(nil, func(op, name string) error {
		if op == "stat" && name == "dir/b" || op == "list" && name == "dir" {
			return &os.PathError{Op: op, Path: w.dir, Err: syscall.EACCES}
		}
		return nil
	})
	if out := w.call("list", object{"recursive": true}); out["incomplete"] != true || !reflect.DeepEqual(paths(out), []string{"dir"}) {
		t.Errorf("listed %v", out)
	}
	everywhere(w, w.start("a"), registry.Failed, "dir/b", "permission denied")
	w.refuse(registry.Failed, "list", object{"path": "dir"}, "`dir`", "permission denied")
	w.want("dir/b", "B")
}

func TestF12NewFilesHaveTheUsualMode(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o027))
	w := newWorld(t, nil)
	w.call("put", object{"path": "dir/a", "content": "A"})
	for p, want := range map[string]os.FileMode{"dir/a": 0o640, "dir": 0o750 | os.ModeDir, ".cash-files": 0o700 | os.ModeDir} {
		if info, err := os.Stat(filepath.Join(w.dir, p)); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", p, info.Mode(), err)
		}
	}
}
