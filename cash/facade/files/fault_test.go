//go:build unix || windows

package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/facade/files"
	"github.com/cash-mcp/go-sdk/internal/durable/durabletest"
	"github.com/cash-mcp/go-sdk/registry"
)

// Each step on the disk fails once: a commit is done, or it says why not and
// nothing has changed. Nothing lies about.
func TestF15StepFailsOnce(t *testing.T) {
	durabletest.EachFault(t, durabletest.Once, 40, func(t *testing.T, cause error, fault durabletest.Fault) bool {
		dir := filepath.Join(oldFolder(t), "root")
		open, commit, end := live(dir, fault)
		want := newFiles
		if open != nil || commit != nil {
			want = oldFiles
		}
		if commit != nil && !errors.Is(commit, cause) {
			t.Errorf("%v, %v", commit, end)
		}
		wantTidied(t, dir, want)
		return open != nil || commit != nil
	})
}

// wantTidied checks the files after something went wrong: what lies about then is
// gone with the next opening.
func wantTidied(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	before := tree(t, dir)
	for p := range before {
		if strings.HasPrefix(p, ".cash-files/") {
			delete(before, p)
		}
	}
	if !reflect.DeepEqual(before, want) {
		t.Errorf("the files are %q", before)
	}
	_, _, _ = live(dir, func(op, name string) error {
		if op == "create" {
			return syscall.EIO // no commit
		}
		return nil
	})
	if after := tree(t, dir); !reflect.DeepEqual(after, want) {
		t.Errorf("then the files are %q", after)
	}
}

// From one step on all fail, as on a disk that has gone bad: when it is replaced,
// what was said is true.
func TestF15DiskFailsForGood(t *testing.T) {
	durabletest.EachFault(t, durabletest.Forever(), 40, func(t *testing.T, _ error, fault durabletest.Fault) bool {
		dir := oldFolder(t)
		open, commit, _ := live(filepath.Join(dir, "root"), fault)
		want := "new"
		if open != nil || commit != nil {
			want = "old"
		}
		if state := settled(t, dir); state != want {
			t.Errorf("%s, want %s: %v", state, want, commit)
		}
		return want == "old"
	})
}

// A commit that can neither go on nor back lets nobody read a half of it, until it
// has been put back.
func TestF15HalfOfACommitIsNotRead(t *testing.T) {
	w := &world{t: t, dir: durabletest.Scratch(t)}
	w.write("a", "A")
	w.write("b", "B")
	var broken, half bool
	w.serve(nil, func(op, name string) error {
		if op == "rename" && strings.HasSuffix(name, "\x00b") {
			broken = true
		}
		half = half || op == "rename" && strings.HasSuffix(name, "\x00a")
		if broken && op != "lock" {
			return syscall.EIO
		}
		return nil
	})
	id := w.start("a", "b")
	w.refuse(registry.Failed, "roundtrip_commit", commitArgs(id, "replace", "a", "1", "b", "2"), "`b`", "input/output error", "tried again")
	if !half {
		t.Error("a was not renamed")
	}
	w.refuse(registry.Unavailable, "get", object{"path": "a"}, "put back")
	w.refuse(registry.Unavailable, "put", object{"path": "c", "content": "C"}, "put back")
	broken = false
	if out := w.call("get", object{"path": "a"}); out["content"] != "A" {
		t.Errorf("a is %q", out["content"])
	}
	w.want("a", "A", "b", "B")
	w.call("put", object{"path": "c", "content": "C"})
}

// Where a file system has no second names for files, the old ones are copied.
func TestF15WithoutLinks(t *testing.T) {
	for _, fails := range []bool{false, true} {
		dir := oldFolder(t)
		_, commit, _ := live(filepath.Join(dir, "root"), func(op, name string) error {
			if op == "link" || fails && op == "rename" && strings.HasSuffix(name, "\x00x/two") {
				return syscall.EPERM
			}
			return nil
		})
		want := "new"
		if fails {
			want = "old"
		}
		if state := settled(t, dir); state != want || (commit != nil) != fails {
			t.Errorf("%s, %v", state, commit)
		}
	}
}

// What another program does between the check of a commit and its end is not lost.
func TestF15FileChangesDuringTheCommit(t *testing.T) {
	for name, change := range map[string]func(w *world){
		"changed": func(w *world) { w.write("b", "theirs") },
		"removed": func(w *world) { os.Remove(filepath.Join(w.dir, "b")) },
		"created": func(w *world) { w.write("new", "theirs") },
		"folder":  func(w *world) { os.Mkdir(filepath.Join(w.dir, "new"), 0o755) },
		"link":    func(w *world) { os.Symlink("a", filepath.Join(w.dir, "new")) },
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{t: t, dir: durabletest.Scratch(t)}
			w.write("a", "A")
			w.write("b", "B")
			armed, want := false, map[string]string(nil)
			w.serve(nil, func(op, name string) error {
				if armed && op == "rename" && strings.HasSuffix(name, "\x00a") {
					change(w)
					armed, want = false, tree(t, w.dir)
				}
				return nil
			})
			id := w.start("a", "b", "new")
			armed = true
			w.refuse(registry.Failed, "roundtrip_commit", commitArgs(id, "replace", "a", "1", "b", "2", "new", "3"), "Nothing was changed")
			for p := range want {
				if strings.HasPrefix(p, ".cash-files/") {
					delete(want, p)
				}
			}
			if got := tree(t, w.dir); !reflect.DeepEqual(got, want) {
				t.Errorf("the files are %q, want %q", got, want)
			}
		})
	}
}

// What somebody has changed after a crash is theirs.
func TestF15FileChangesAfterACrash(t *testing.T) {
	for name, test := range map[string]struct {
		change func(w *world)
		want   map[string]string
	}{
		"changed":      {func(w *world) { w.write("a", "theirs") }, map[string]string{"a": "theirs"}},
		"created":      {func(w *world) { w.write("x/y/one", "theirs") }, map[string]string{"x/": "", "x/y/": "", "x/y/one": "theirs"}},
		"beside":       {func(w *world) { w.write("x/three", "theirs") }, map[string]string{"x/": "", "x/three": "theirs"}},
		"removed":      {func(w *world) { os.Remove(filepath.Join(w.dir, "a")) }, nil},
		"folder gone":  {func(w *world) { os.RemoveAll(filepath.Join(w.dir, "x")) }, nil},
		"link instead": {func(w *world) { os.RemoveAll(filepath.Join(w.dir, "x")); os.Symlink("dir", filepath.Join(w.dir, "x")) }, map[string]string{"x": "L---------"}},
		"moved away": {func(w *world) {
			os.Rename(filepath.Join(w.dir, "dir"), filepath.Join(w.dir, "moved"))
			os.Symlink("moved", filepath.Join(w.dir, "dir"))
		}, map[string]string{"dir": "L---------", "moved/": "", "moved/b": "new b", "moved/new": "new"}},
		"file instead": {func(w *world) { os.RemoveAll(filepath.Join(w.dir, "x")); w.write("x", "theirs") }, map[string]string{"x": "theirs"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{t: t, dir: filepath.Join(oldFolder(t), "root")}
			broken := false
			_, commit, _ := live(w.dir, func(op, name string) error {
				if broken = broken || op == "rename" && strings.HasSuffix(name, "\x00x/two"); broken {
					return syscall.EIO
				}
				return nil
			})
			if commit == nil {
				t.Fatal("it commits")
			}
			test.change(w)
			w.serve(nil, nil)
			want := make(map[string]string)
			for _, m := range []map[string]string{oldFiles, test.want} {
				for p, content := range m {
					want[p] = content
				}
			}
			if name == "moved away" {
				delete(want, "dir/")
				delete(want, "dir/b")
			}
			if got := tree(t, w.dir); !reflect.DeepEqual(got, want) {
				t.Errorf("the files are %q, want %q", got, want)
			}
		})
	}
}

// Once files are put back, the record is gone for good before anything else is done.
func TestF15RecordIsGoneForGood(t *testing.T) {
	var steps []string
	failed := false
	_, commit, _ := live(filepath.Join(oldFolder(t), "root"), func(op, name string) error {
		steps = append(steps, op+" "+name)
		if op == "rename" && strings.HasSuffix(name, "\x00x/two") {
			failed = true
			return syscall.EIO
		}
		return nil
	})
	i := slices.Index(steps, "remove .cash-files/record")
	if !failed || commit == nil || i < 0 || steps[i+1] != "flush .cash-files" {
		t.Errorf("%v: %q", commit, steps)
	}
}

// A file that changes while it is read is read again, a few times.
func TestF13FileChangesWhileItIsRead(t *testing.T) {
	for _, times := range []int{1, 2, 1000} {
		w := &world{t: t, dir: durabletest.Scratch(t)}
		w.write("a", "A")
		left := times
		w.serve(nil, func(op, name string) error {
			if op == "read" && name == "a" && left > 0 {
				left--
				w.write("a", strings.Repeat("B", 1+left%7))
			}
			return nil
		})
		if times == 1000 {
			w.refuse(registry.Failed, "get", object{"path": "a"}, "keeps changing")
			w.refuse(registry.Failed, "roundtrip_start", object{"paths": []string{"a"}}, "keeps changing")
		} else if out := w.call("get", object{"path": "a"}); out["content"] != "B" || out["sha256"] != hash("B") {
			t.Errorf("got %v", out)
		}
	}
}

func TestF12DeleteThatFails(t *testing.T) {
	for _, op := range []string{"remove", "flush"} {
		w := &world{t: t, dir: durabletest.Scratch(t)}
		w.write("a", "A")
		broken := false
		w.serve(nil, func(o, name string) error {
			if broken && o == op {
				return syscall.EIO
			}
			return nil
		})
		broken = true
		if op == "remove" {
			w.refuse(registry.Failed, "delete", object{"path": "a"}, "`a`")
			w.want("a", "A")
		} else {
			w.call("delete", object{"path": "a"})
			w.want()
		}
		broken = false
	}
}

func TestF15DamagedRecordIsNotFollowed(t *testing.T) {
	for name, data := range map[string]string{
		"nothing":   "",
		"no record": "{}",
		"half":      `{"files":[{"path":"a","si`,
		"outside":   `{"files":[{"path":"../a","size":1,"sum":"x"}]}`,
		"journal":   `{"files":[{"path":".cash-files/lock","size":0,"sum":"x"}]}`,
		"folder":    `{"files":[{"path":"a","size":1,"sum":"x"}],"folders":["/etc"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{t: t, dir: durabletest.Scratch(t)}
			w.write("a", "A")
			w.write(".cash-files/record", data)
			root, err := os.OpenRoot(w.dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			if _, err := files.Open(root, nil); err == nil || !strings.Contains(err.Error(), ".cash-files/record is damaged") {
				t.Errorf("Open: %v", err)
			}
			if err := os.Remove(filepath.Join(w.dir, ".cash-files/record")); err != nil {
				t.Fatal(err)
			}
			w.serve(nil, nil)
		})
	}
}

// FuzzRecord opens files with a record that may say anything: nothing outside of the
// root changes, and inside nothing but what the record can be about.
func FuzzRecord(f *testing.F) {
	sum := hash("new")
	for _, data := range []string{
		`{}`, `{"files":[{"path":"a","old":true,"size":3,"sum":"` + sum + `"}]}`, `{"files":[{"path":"a","size":3,"sum":"` + sum + `"}],"folders":["d","d/e"]}`,
		`{"files":[{"path":"../out","size":3,"sum":"` + sum + `"}]}`, `{"files":[{"path":"link","old":true,"size":3,"sum":"` + sum + `"}],"folders":["link"]}`,
		`{"files":[{"path":"d","size":-1,"sum":""}]}`, `{"files":[{"path":".cash-files/lock"}]}`,
	} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		above := durabletest.Scratch(t)
		w := &world{t: t, dir: filepath.Join(above, "root")}
		for p, content := range map[string]string{"../out": "new", "a": "new", "keep": "keep", "d/e/f": "new", ".cash-files/old-0": "old", ".cash-files/record": string(data)} {
			w.write(p, content)
		}
		if err := os.Symlink("../out", filepath.Join(w.dir, "link")); err != nil {
			t.Fatal(err)
		}
		open, _, _ := live(w.dir, func(op, name string) error {
			if op == "create" {
				return syscall.EIO
			}
			return nil
		})
		got := tree(t, above)
		if got["out"] != "new" || got["root/keep"] != "keep" || got["root/link"] != "L---------" {
			t.Errorf("the files are %q", got)
		}
		if a, ok := got["root/a"]; ok && a != "new" && a != "old" {
			t.Errorf("a is %q", a)
		}
		if _, stays := got["root/.cash-files/record"]; stays != (open != nil) {
			t.Errorf("Open: %v; the record stays: %v", open, stays)
		}
	})
}
