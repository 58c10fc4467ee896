package files_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/internal/durable/durabletest"
	"github.com/cash-mcp/go-sdk/registry"
)

// everywhere calls each function that takes a path with it, and wants a refusal.
func everywhere(w *world, id string, kind registry.Kind, p string, words ...string) {
	w.t.Helper()
	w.refuse(kind, "get", object{"path": p}, words...)
	edits(w, id, kind, p, words...)
}

func edits(w *world, id string, kind registry.Kind, p string, words ...string) {
	w.t.Helper()
	w.refuse(kind, "put", object{"path": p, "content": "x"}, words...)
	w.refuse(kind, "delete", object{"path": p}, words...)
	w.refuse(kind, "roundtrip_start", object{"paths": []string{p}}, words...)
	for _, mode := range []string{"replace", "add_only", "update_only"} {
		w.refuse(kind, "roundtrip_commit", commitArgs(id, mode, p, "x"), words...)
	}
	w.refuse(kind, "roundtrip_preview", object{"manifestId": id, "changes": changes(p, "x")}, words...)
}

func TestF17PathsStayBelowTheRoot(t *testing.T) {
	w := newWorld(t, nil, "a", "A", "dir/b", "B")
	id := w.start("a")
	for _, p := range []string{
		"", ".", "./", "./.", "/", "//", "..", "../x", "a/../../x", "dir/../a", "dir/..", "/etc/passwd", "//a", "dir/../../x",
		`C:\x`, "C:/x", "c:x", `..\x`, `dir\b`, `\\server\share`, "a\x00", "a\x00/../..", "a\nb", "dir/", "dir/b/", "a\u202eb", "a\x1b[31m", "a\u200b",
		strings.Repeat("a", 1025), strings.Repeat("a/", 64) + "a", strings.Repeat("../", 100) + "etc/passwd",
		".cash-files", ".cash-files/lock", ".Cash-Files/x", "./.CASH-FILES//record", ".ca\u017fh-files/x", ".cash\uff0dfiles/x",
	} {
		everywhere(w, id, registry.InvalidArguments, p)
		if p == "" || p == "." || p == "./" || p == "./." || p == "dir/" {
			continue // folders may be listed
		}
		if p != "dir/b/" && p != "/" && p != "//" && p != "//a" {
			w.refuse(registry.InvalidArguments, "list", object{"path": p})
		}
	}
	w.refuse(registry.InvalidArguments, "get", object{"path": "x\x1b]0;t\a" + strings.Repeat("y", 500)}, "`xyyy", "…`")
	w.want("a", "A", "dir/b", "B")
}

func TestF17Folders(t *testing.T) {
	w := newWorld(t, nil, "a", "A", "dir/b", "B")
	id := w.start("a")
	everywhere(w, id, registry.Failed, "dir", "`dir` is a folder")
	everywhere(w, id, registry.Failed, "a/x", "`a` is not a folder")
	w.refuse(registry.Failed, "get", object{"path": "none"}, "no file `none`", "`list`")
	w.refuse(registry.Failed, "get", object{"path": "none/none"}, "no file `none/none`")
	w.refuse(registry.Failed, "delete", object{"path": "none"}, "no file `none`")
	w.refuse(registry.Failed, "list", object{"path": "none"}, "no folder `none`")
	w.refuse(registry.Failed, "list", object{"path": "a"}, "`a` is not a folder")
	w.want("a", "A", "dir/b", "B")
}

func symlink(t *testing.T, w *world, target, p string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(w.dir, p)); err != nil {
		t.Fatal(err)
	}
}

func TestF17SymbolicLinks(t *testing.T) {
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, nil, "a", "A", "dir/.sub/b", "B")
	id := w.start("a")
	for target, p := range map[string]string{
		"a": "good", "dir": "goodDir", "../../a": "dir/.sub/up", "dir/.sub/../../a": "dots", "dir/.sub/": "slash", "goodDir/.sub/up": "twice",
		outside: "out", filepath.Join(outside, "secret"): "outFile", "../": "above", "../" + filepath.Base(outside) + "/secret": "relative",
		"dir/../../x": "around", "loop": "loop", "loop2": "loop1", "loop1": "loop2", "none": "dangling", "none/../a": "through", ".cash-files/lock": "lock", ".cash-files": "journal",
	} {
		symlink(t, w, target, p)
	}
	for p, content := range map[string]string{"good": "A", "goodDir/.sub/b": "B", "dir/.sub/up": "A", "dots": "A", "slash/b": "B", "goodDir/.sub/up": "A", "twice": "A"} {
		if out := w.call("get", object{"path": p}); out["content"] != content || out["path"] != p {
			t.Errorf("%s: %v", p, out)
		}
	}
	for p, words := range map[string]string{
		"out/secret": "leads out", "outFile": "leads out", "above/x": "leads out", "relative": "leads out", "around": "leads out",
		"loop": "do not end", "loop1": "do not end", "dangling": "no file", "through": "no file", "lock": "reserved", "journal/lock": "reserved",
	} {
		kind := registry.Failed
		if words == "reserved" {
			kind = registry.InvalidArguments
		}
		w.refuse(kind, "get", object{"path": p}, words)
	}
	for _, p := range []string{"good", "goodDir/.sub/b", "goodDir/new", "dir/.sub/up", "out/secret", "outFile", "relative", "loop", "dangling", "lock", "journal/x"} {
		edits(w, id, registry.Failed, p, "symbolic link")
	}
	for _, p := range []string{"out", "above", "around", "loop", "dangling", "journal"} {
		if _, err := call(t.Context(), w.pipe, "list", object{"path": p}); err == nil {
			t.Errorf("%s is listed", p)
		}
	}
	if out := w.call("list", object{"path": "goodDir", "recursive": true}); out["total"] != 3.0 {
		t.Errorf("goodDir has %v", out)
	}
	// Links are shown, and not followed.
	for _, e := range w.call("list", object{"recursive": true})["entries"].([]any) {
		e := e.(object)
		if p := e["path"].(string); strings.HasPrefix(p, "good") && (e["type"] != "link" || strings.Contains(p, "/")) || strings.Contains(p, "secret") {
			t.Errorf("listed: %v", e)
		}
	}
	if got, _ := os.ReadFile(filepath.Join(outside, "secret")); string(got) != "secret" {
		t.Errorf("the file outside is %q", got)
	}
}

// FuzzPath puts and gets a file of any path: nothing appears outside of the root or
// in the journal, and what was put is there by the path that the answer names.
func FuzzPath(f *testing.F) {
	for _, p := range []string{"a", "a/b", "../a", "/a", `a\b`, "C:a", "a//./b", ".cash-files/x", "é\u0301", "a\x00", "..a", "a/..", "\xff"} {
		f.Add(p)
	}
	above := durabletest.Scratch(f)
	w := &world{t: f, dir: filepath.Join(above, "root")}
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		f.Fatal(err)
	}
	w.serve(nil, nil)
	f.Fuzz(func(t *testing.T, p string) {
		if !utf8.ValidString(p) {
			p = strings.ToValidUTF8(p, "?")
		}
		out, err := call(context.Background(), w.pipe, "put", object{"path": p, "content": p})
		if err == nil {
			put := out["path"].(string)
			out, err := call(context.Background(), w.pipe, "get", object{"path": p})
			if err != nil || out["content"] != p || out["path"] != put {
				t.Errorf("put %q, got %v, %v", p, out, err)
			}
			if all := tree(t, w.dir); all[put] != p {
				t.Errorf("put %q: %q", p, all)
			}
			if _, err := call(context.Background(), w.pipe, "delete", object{"path": p}); err != nil {
				t.Error(err)
			}
		} else if k := registry.AsError(err).Kind; k != registry.InvalidArguments && k != registry.Failed {
			t.Errorf("%q: %v", p, err)
		}
		for p := range tree(t, above) {
			below, inside := strings.CutPrefix(p, "root/")
			folder := strings.HasSuffix(p, "/")
			if !inside || !folder && below != ".cash-files/lock" && below != ".cash-files/turn" {
				t.Errorf("%q is there", p)
			}
		}
		entries, err := os.ReadDir(w.dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries { // folders stay
			if e.Name() != ".cash-files" {
				os.RemoveAll(filepath.Join(w.dir, e.Name()))
			}
		}
	})
}

// Two Files on one root, as two processes have them, see the commits of each other.
func TestF15TwoFilesOnOneRoot(t *testing.T) {
	w := newWorld(t, nil, "a", "A")
	other := &world{t: t, dir: w.dir}
	o := other.serve(nil, nil)
	id := w.start("a")
	other.call("put", object{"path": "a", "content": "theirs"})
	w.refuse(registry.Failed, "roundtrip_commit", commitArgs(id, "replace", "a", "ours"), "`a` (changed")
	w.call("put", object{"path": "b", "content": "B"})
	if out := other.call("get", object{"path": "b"}); out["content"] != "B" {
		t.Errorf("got %v", out)
	}
	if err := o.Close(); err != nil { // removes the journal, which comes back
		t.Error(err)
	}
	w.call("put", object{"path": "a", "content": "ours"})
	w.want("a", "ours", "b", "B")
}

func TestF12CloseLeavesNothingBehind(t *testing.T) {
	w := &world{t: t, dir: durabletest.Scratch(t)}
	for range 2 {
		f := w.serve(nil, nil)
		w.call("put", object{"path": "a", "content": "A"})
		for range 2 {
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
		w.refuse(registry.Unavailable, "get", object{"path": "a"}, "closed")
		w.refuse(registry.Unavailable, "put", object{"path": "a", "content": "B"}, "closed")
		w.refuse(registry.Unavailable, "roundtrip_start", object{"paths": []string{"a"}}, "closed")
		w.refuse(registry.Unavailable, "list", object{}, "closed")
		entries, err := os.ReadDir(w.dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if os.PathSeparator == '/' && !reflect.DeepEqual(names, []string{"a"}) {
			t.Errorf("left: %v", names)
		}
	}
}
