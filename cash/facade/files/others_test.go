//go:build unix || windows

package files_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/facade/files"
	"github.com/cash-mcp/go-sdk/internal/durable/durabletest"
	"github.com/cash-mcp/go-sdk/registry"
)

// TestF15OthersAtEachStep has another program write a file before each step of a
// commit, which goes on then or is killed. What it has written stays, and the other
// files are all old or all new. It may only be lost in the moment before the rename,
// and if it writes the same as the commit does just after.
func TestF15OthersAtEachStep(t *testing.T) {
	for _, p := range []string{"a", "dir/new"} {
		for _, content := range []string{"theirs", newFiles[p]} {
			for _, killed := range []bool{false, true} {
				t.Run(fmt.Sprint(p, " ", content, " ", killed), func(t *testing.T) {
					t.Parallel()
					for n := 1; otherAtStep(t, p, content, killed, n); n++ {
						if t.Failed() {
							t.Fatalf("at step %d", n)
						}
					}
				})
			}
		}
	}
}

// otherAtStep returns false if there is no such step.
func otherAtStep(t *testing.T, p, content string, killed bool, n int) bool {
	dir := filepath.Join(oldFolder(t), "root")
	var steps int
	var begun, placed, excused bool
	open, commit, _ := live(dir, func(op, name string) error {
		steps++
		renames := op == "rename" && strings.HasSuffix(name, "\x00"+p)
		if steps == n {
			excused = !begun || renames || placed && content == newFiles[p]
			replaceFile(t, dir, p, content)
		}
		begun = begun || op == "create" // the start and the check are over
		placed = placed || renames
		if killed && steps >= n {
			return syscall.EIO
		}
		return nil
	})
	if steps < n {
		return false
	}
	if err, _, _ := live(dir, func(op, _ string) error {
		if op == "create" {
			return syscall.EIO // no commit
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if excused {
		return true
	}
	got := tree(t, dir)
	want := oldFiles
	if open == nil && commit == nil {
		want = newFiles
	}
	for _, files := range []map[string]string{oldFiles, newFiles} {
		for name := range files {
			if _, there := got[name]; name != p && !strings.HasSuffix(name, "/") && (got[name] != want[name] || there != (want[name] != "")) {
				t.Errorf("%s is %q after %v", name, got[name], commit)
			}
		}
	}
	if got[p] != content {
		t.Errorf("%s is %q, and they had written %q; %v", p, got[p], content, commit)
	}
	return true
}

// replaceFile writes a file at once, as editors do.
func replaceFile(t *testing.T, dir, p, content string) {
	t.Helper()
	from, to := filepath.Join(filepath.Dir(dir), "theirs"), filepath.Join(dir, filepath.FromSlash(p))
	if err := errors.Join(os.WriteFile(from, []byte(content), 0o644), os.Rename(from, to)); err != nil {
		t.Error(err)
	}
}

// A change that leaves size and time as they were is noticed, too: many file systems
// have coarse clocks.
func TestF15ChangeWithTheSameTime(t *testing.T) {
	w := &world{t: t, dir: durabletest.Scratch(t)}
	w.write("a", "A")
	w.serve(nil, func(op, name string) error {
		if op != "create" || name != ".cash-files/record.tmp" {
			return nil
		}
		path := filepath.Join(w.dir, "a")
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		w.write("a", "X")
		return os.Chtimes(path, info.ModTime(), info.ModTime())
	})
	w.refuse(registry.Failed, "roundtrip_commit", commitArgs(w.start("a"), "replace", "a", "B"), "`a` was changed")
	w.want("a", "X")
}

// A folder that another program makes just before is as good as our own.
func TestF15OthersMakeTheFolder(t *testing.T) {
	w := &world{t: t, dir: durabletest.Scratch(t)}
	w.serve(nil, func(op, name string) error {
		if op == "mkdir" && name == "x/y" {
			return os.Mkdir(filepath.Join(w.dir, "x", "y"), 0o755)
		}
		return nil
	})
	w.call("put", object{"path": "x/y/a", "content": "A"})
	w.want("x/y/a", "A")
}

// Who closes the files removes the journal, maybe while another opens them.
func TestF17OpenWhileOthersClose(t *testing.T) {
	w := &world{t: t, dir: durabletest.Scratch(t)}
	removed := false
	w.serve(nil, func(op, name string) error {
		if op == "lock" && !removed {
			removed = true
			return os.Remove(filepath.Join(w.dir, ".cash-files"))
		}
		return nil
	})
	w.call("put", object{"path": "a", "content": "A"})
	w.want("a", "A")
}

// A logger that panics leaves nothing locked.
func TestF15LoggerPanics(t *testing.T) {
	w := &world{t: t, dir: durabletest.Scratch(t)}
	w.write("a", "A")
	broken, o := false, &files.Options{Logger: slog.New(panicky{slog.DiscardHandler})}
	w.serve(o, func(op, name string) error {
		if broken = broken || op == "rename" && strings.HasSuffix(name, "\x00a"); broken && op != "lock" {
			return syscall.EIO
		}
		return nil
	})
	w.refuse(registry.Internal, "put", object{"path": "a", "content": "B"})
	w.refuse(registry.Internal, "get", object{"path": "a"})
	broken = false
	if out := w.call("get", object{"path": "a"}); out["content"] != "A" {
		t.Errorf("a is %q", out["content"])
	}
}

// panicky is a handler of logs that panics.
type panicky struct{ slog.Handler }

func (panicky) Enabled(context.Context, slog.Level) bool  { return true }
func (panicky) Handle(context.Context, slog.Record) error { panic("no log") }

// A record that would be too large to be read again is not followed.
func TestF15RecordIsBounded(t *testing.T) {
	w := newWorld(t, &files.Options{MaxFiles: 500})
	id := w.start("none")
	var content []string
	for i := range 400 { // with 64 folders each, and in JSON six bytes for one
		content = append(content, fmt.Sprintf("%03d%s", i, strings.Repeat("<<<<<<<<<<<<<</", 63)+"f"), "x")
	}
	w.refuse(registry.Failed, "roundtrip_commit", commitArgs(id, "replace", content...), "too many folders", "Nothing was changed")
	w.call("roundtrip_commit", commitArgs(id, "replace", "a", "A"))
	w.want("a", "A")
}
