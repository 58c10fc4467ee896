package files_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/facade/files"
	"github.com/cash-mcp/go-sdk/registry"
)

func hash(data string) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:])
}

func TestF13StartReturnsHashesAndContents(t *testing.T) {
	w := newWorld(t, nil, "a.ts", "one\n", "dir/b.bin", "\xff\x00\xfe", "empty", "")
	out := w.call("roundtrip_start", object{"paths": []string{"a.ts", "./dir//b.bin", "dir/none", "no/folder", "empty", "a.ts"}})
	if id := out["manifestId"].(string); !regexp.MustCompile(`^[A-Z2-7]{26,}$`).MatchString(id) || id == w.start("a.ts") {
		t.Errorf("manifestId %q", id)
	}
	want := object{"a.ts": hash("one\n"), "dir/b.bin": hash("\xff\x00\xfe"), "dir/none": nil, "no/folder": nil, "empty": hash("")}
	if !reflect.DeepEqual(out["manifest"], want) {
		t.Errorf("manifest %v, want %v", out["manifest"], want)
	}
	wantFiles := []any{
		object{"path": "a.ts", "exists": true, "size": 4.0, "encoding": "utf-8", "content": "one\n"},
		object{"path": "dir/b.bin", "exists": true, "size": 3.0, "encoding": "base64", "content": "/wD+"},
		object{"path": "dir/none", "exists": false, "size": 0.0, "content": ""},
		object{"path": "no/folder", "exists": false, "size": 0.0, "content": ""},
		object{"path": "empty", "exists": true, "size": 0.0, "encoding": "utf-8", "content": ""},
	}
	if !reflect.DeepEqual(out["files"], wantFiles) {
		t.Errorf("files %v", out["files"])
	}
	w.refuse(registry.Failed, "roundtrip_start", object{"paths": []string{"a.ts", "dir"}}, "`dir`", "folder")
	w.refuse(registry.InvalidArguments, "roundtrip_start", object{"paths": []string{}})
}

func TestF13StartIsBounded(t *testing.T) {
	w := newWorld(t, &files.Options{MaxFiles: 2, MaxFileBytes: 10, MaxBytes: 12}, "a", "123456", "b", "1234567", "c", "12345678901")
	w.refuse(registry.InvalidArguments, "roundtrip_start", object{"paths": []string{"x", "y", "z"}}, "at most 2")
	w.refuse(registry.InvalidArguments, "roundtrip_start", object{"paths": []string{"a", "b"}}, "at most 12")
	w.refuse(registry.Failed, "roundtrip_start", object{"paths": []string{"c"}}, "`c`", "at most 10")
	id := w.start("a")
	w.refuse(registry.InvalidArguments, "roundtrip_commit", commitArgs(id, "replace", "a", "12345678901"), "`a`", "at most 10")
	w.refuse(registry.InvalidArguments, "roundtrip_commit", commitArgs(id, "replace", "a", "1234567890", "x", "123"), "at most 12")
	w.refuse(registry.InvalidArguments, "roundtrip_commit", commitArgs(id, "replace", "a", "", "x", "", "y", ""), "at most 2")
	w.want("a", "123456", "b", "1234567", "c", "12345678901")
}

func TestF14PreviewShowsDiffsAndConflictsAndWritesNothing(t *testing.T) {
	w := newWorld(t, nil, "a", "1\n2\n3\n", "b", "b\n", "bin", "\x00", "same", "same\n", "gone", "gone\n")
	id := w.start("a", "b", "new", "bin", "same", "gone")
	w.write("b", "B\n")
	if err := os.Remove(filepath.Join(w.dir, "gone")); err != nil {
		t.Fatal(err)
	}
	before, stats := tree(t, w.dir), statsOf(t, w.dir)
	args := object{"manifestId": id, "changes": changes("a", "1\nTwo\n3\n", "b", "bee\n", "new", "n", "bin", "text", "same", "same\n", "gone", "x\n", "other", "o\n")}
	out := w.call("roundtrip_preview", args)
	got := make(map[string]object)
	for _, f := range out["files"].([]any) {
		f := f.(object)
		got[f["path"].(string)] = f
	}
	want := map[string]object{
		"a":     {"path": "a", "action": "overwrite", "diff": "--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n 1\n-2\n+Two\n 3\n"},
		"b":     {"path": "b", "action": "overwrite", "conflict": "changed since roundtrip_start", "diff": "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-B\n+bee\n"},
		"new":   {"path": "new", "action": "create", "diff": "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+n\n\\ No newline at end of file\n"},
		"bin":   {"path": "bin", "action": "overwrite", "note": "No diff: the content is not text."},
		"same":  {"path": "same", "action": "overwrite", "note": "No difference."},
		"gone":  {"path": "gone", "action": "create", "conflict": "removed since roundtrip_start", "diff": "--- /dev/null\n+++ b/gone\n@@ -0,0 +1 @@\n+x\n"},
		"other": {"path": "other", "action": "create", "diff": "--- /dev/null\n+++ b/other\n@@ -0,0 +1 @@\n+o\n"},
	}
	for p, f := range want {
		if !reflect.DeepEqual(got[p], f) {
			t.Errorf("%s: %q, want %q", p, got[p], f)
		}
	}
	if !reflect.DeepEqual(out["conflicts"], []any{"b", "gone"}) || len(got) != len(want) {
		t.Errorf("conflicts %v of %d files", out["conflicts"], len(got))
	}
	if after := tree(t, w.dir); !reflect.DeepEqual(after, before) || !reflect.DeepEqual(statsOf(t, w.dir), stats) {
		t.Errorf("the folder is %v, was %v", after, before)
	}
	args["mode"] = "add_only" // the conflicts of what is skipped are none
	if out := w.call("roundtrip_preview", args); !reflect.DeepEqual(out["conflicts"], []any{"gone"}) {
		t.Errorf("conflicts %v", out["conflicts"])
	}
}

// statsOf returns names and times of change of all in a folder.
func statsOf(t *testing.T, dir string) (all []string) {
	t.Helper()
	for p := range tree(t, dir) {
		info, err := os.Lstat(filepath.Join(dir, p))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p+" "+info.ModTime().Format(time.RFC3339Nano))
	}
	slices.Sort(all)
	return all
}

func TestF14DiffsAreBounded(t *testing.T) {
	many := strings.Repeat("line\n", 10_001)
	large := strings.Repeat("x", 256<<10+1)
	w := newWorld(t, nil, "many", many, "large", large)
	content := []string{"many", "", "large", ""}
	for i := range 20 { // 5 MB of diffs
		content = append(content, fmt.Sprint("new", i), strings.Repeat("y", 250_000))
	}
	out := w.call("roundtrip_preview", object{"manifestId": w.start("many", "large"), "changes": changes(content...)})
	total := 0
	for _, f := range out["files"].([]any) {
		d, _ := f.(object)["diff"].(string)
		note, _ := f.(object)["note"].(string)
		if total += len(d); (d == "") != strings.HasPrefix(note, "No diff") {
			t.Errorf("%v: note %q with %d bytes", f.(object)["path"], note, len(d))
		}
	}
	if total == 0 || total > 1<<20 {
		t.Errorf("%d bytes of diffs", total)
	}
}

func TestF15ConflictOnOneFileWritesNone(t *testing.T) {
	for name, test := range map[string]struct {
		change func(w *world)
		reason string
	}{
		"changed": {func(w *world) { w.write("b", "other") }, "changed since"},
		"removed": {func(w *world) { os.Remove(filepath.Join(w.dir, "b")) }, "removed since"},
		"created": {func(w *world) { w.write("new", "other") }, "created since"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil, "a", "A", "b", "B", "c", "C")
			id := w.start("a", "b", "c", "new")
			test.change(w)
			before := tree(t, w.dir)
			args := commitArgs(id, "replace", "a", "1", "b", "2", "c", "3", "new", "4")
			e := w.refuse(registry.Failed, "roundtrip_commit", args, test.reason, "roundtrip_start")
			if after := tree(t, w.dir); !reflect.DeepEqual(after, before) {
				t.Errorf("the folder is %v, was %v", after, before)
			}
			named := "`b`"
			if name == "created" {
				named = "`new`"
			}
			if !strings.Contains(e.Message, named) || strings.Contains(e.Message, "`a`") || e.Details["conflicts"] == nil {
				t.Errorf("%q, details %v", e.Message, e.Details)
			}
			// The manifest is still there for the others.
			if out := w.call("roundtrip_commit", commitArgs(id, "replace", "a", "1", "c", "3")); out["written"] != 2.0 {
				t.Errorf("committed %v", out)
			}
		})
	}
}

// Modes are the matrix of F16: what is there, what the manifest knows, and the mode.
func TestF16Modes(t *testing.T) {
	for _, test := range []struct {
		mode            string
		existing, fresh string
		content         []string
	}{
		{"replace", "written", "created", []string{"old", "new", "dir/fresh", "new", "keep", "keep"}},
		{"add_only", "skipped", "created", []string{"old", "old", "dir/fresh", "new", "keep", "keep"}},
		{"update_only", "written", "skipped", []string{"old", "new", "keep", "keep"}},
	} {
		t.Run(test.mode, func(t *testing.T) {
			w := newWorld(t, nil, "old", "old", "keep", "keep")
			id := w.start("old", "dir/fresh", "keep")
			out := w.call("roundtrip_commit", commitArgs(id, test.mode, "old", "new", "dir/fresh", "new"))
			w.want(test.content...)
			results := make(map[string]any)
			for _, f := range out["files"].([]any) {
				f := f.(object)
				results[f["path"].(string)] = f["result"]
				if sum := f["sha256"]; (sum == hash("new")) == (f["result"] == "skipped") {
					t.Errorf("%v has the hash %v", f["path"], sum)
				}
			}
			if want := (object{"old": test.existing, "dir/fresh": test.fresh}); !reflect.DeepEqual(results, want) {
				t.Errorf("results %v, want %v", results, want)
			}
		})
	}
	w := newWorld(t, nil, "a", "a")
	id := w.start("a")
	w.refuse(registry.InvalidArguments, "roundtrip_commit", object{"manifestId": id, "changes": changes("a", "b")}, "mode")
	w.refuse(registry.InvalidArguments, "roundtrip_commit", commitArgs(id, "delete", "a", "b"), "mode")
	w.refuse(registry.InvalidArguments, "roundtrip_commit", object{"manifestId": id, "changes": []object{}, "mode": "replace"})
}

func TestF18ManifestServesOneCommitOfItsCaller(t *testing.T) {
	w := newWorld(t, &files.Options{MaxAge: time.Minute}, "a", "A")
	as := func(id, function string, args object) error {
		_, err := call(registry.WithCaller(t.Context(), &registry.Caller{ID: id}), w.pipe, function, args)
		return err
	}
	unknown := w.refuse(registry.Failed, "roundtrip_commit", commitArgs("nonsense", "replace", "a", "x"), "roundtrip_start")
	same := func(err error) {
		t.Helper()
		if err == nil || err.Error() != unknown.Error() {
			t.Errorf("%v; want %v", err, unknown)
		}
	}
	used := w.start("a")
	w.call("roundtrip_commit", commitArgs(used, "replace", "a", "1"))
	_, err := call(t.Context(), w.pipe, "roundtrip_commit", commitArgs(used, "replace", "a", "2"))
	same(err)
	_, err = call(t.Context(), w.pipe, "roundtrip_preview", object{"manifestId": used, "changes": changes("a", "2")})
	same(err)
	anonymous := w.start("a")
	same(as("eve", "roundtrip_commit", commitArgs(anonymous, "replace", "a", "2")))
	out, err := call(registry.WithCaller(t.Context(), &registry.Caller{ID: "ann"}), w.pipe, "roundtrip_start", object{"paths": []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	ann := out["manifestId"].(string)
	same(as("eve", "roundtrip_commit", commitArgs(ann, "replace", "a", "2")))
	same(as("eve", "roundtrip_preview", object{"manifestId": ann, "changes": changes("a", "2")}))
	same(as("", "roundtrip_commit", commitArgs(ann, "replace", "a", "2")))
	w.now = w.now.Add(time.Minute - 1)
	if err := as("ann", "roundtrip_commit", commitArgs(ann, "replace", "a", "3")); err != nil {
		t.Error(err)
	}
	w.now = w.now.Add(1)
	_, err = call(t.Context(), w.pipe, "roundtrip_commit", commitArgs(anonymous, "replace", "a", "4"))
	same(err)
	w.want("a", "3")
}

func TestF18OfTwoManifestsTheFirstWins(t *testing.T) {
	w := newWorld(t, nil, "a", "A", "b", "B")
	first, second := w.start("a", "b"), w.start("a", "b")
	w.call("roundtrip_commit", commitArgs(second, "replace", "a", "2"))
	w.refuse(registry.Failed, "roundtrip_commit", commitArgs(first, "replace", "b", "1", "a", "1"), "`a` (changed")
	w.want("a", "2", "b", "B")
}

func TestF18ManifestsAreBounded(t *testing.T) {
	w := newWorld(t, &files.Options{MaxManifests: 8}, "a", "A")
	ctx := func(id string) context.Context { return registry.WithCaller(t.Context(), &registry.Caller{ID: id}) }
	start := func(id string) string {
		out, err := call(ctx(id), w.pipe, "roundtrip_start", object{"paths": []string{"a"}})
		if err != nil {
			t.Fatal(err)
		}
		return out["manifestId"].(string)
	}
	open := func(caller, id string) bool {
		_, err := call(ctx(caller), w.pipe, "roundtrip_preview", object{"manifestId": id, "changes": changes("a", "x")})
		return err == nil
	}
	ann := start("ann")
	var eve []string
	for range 10 {
		eve = append(eve, start("eve"))
	}
	if !open("ann", ann) || open("eve", eve[7]) || !open("eve", eve[8]) || !open("eve", eve[9]) {
		t.Error("who opens many takes those of others")
	}
	for i := range 8 {
		start(fmt.Sprint("caller", i))
	}
	if open("ann", ann) || open("eve", eve[9]) {
		t.Error("there is no end of manifests")
	}
}

func TestF19PathsOfChanges(t *testing.T) {
	w := newWorld(t, nil, "a", "A", "b", "B", "dir/c", "C")
	for name, test := range map[string]struct {
		content []string
		words   []string
	}{
		"duplicate":                {[]string{"a", "1", "b", "2", "a", "1"}, []string{"`a`", "more than once"}},
		"duplicate after cleaning": {[]string{"a", "1", "./a", "2"}, []string{"`a`", "more than once"}},
		"duplicate in a folder":    {[]string{"dir/c", "1", "dir//./c", "2"}, []string{"`dir/c`", "more than once"}},
		"file and folder":          {[]string{"new", "1", "new/x/y", "2"}, []string{"`new`", "folder"}},
		"out of the root":          {[]string{"a", "1", "../a", "2"}, []string{"`../a`"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil, "a", "A", "b", "B", "dir/c", "C")
			id := w.start("a", "b", "dir/c")
			w.refuse(registry.InvalidArguments, "roundtrip_commit", commitArgs(id, "replace", test.content...), test.words...)
			w.refuse(registry.InvalidArguments, "roundtrip_preview", object{"manifestId": id, "changes": changes(test.content...)}, test.words...)
			w.want("a", "A", "b", "B", "dir/c", "C")
		})
	}
	id := w.start("a")
	w.refuse(registry.Failed, "roundtrip_commit", commitArgs(id, "replace", "a", "1", "b", "2"), "`b`", "not in the manifest")
	w.refuse(registry.Failed, "roundtrip_commit", commitArgs(id, "update_only", "b", "2"), "`b`", "not in the manifest")
	w.refuse(registry.Failed, "roundtrip_commit", commitArgs(id, "replace", "a/x", "2"), "`a` is not a folder")
	w.refuse(registry.Failed, "roundtrip_commit", commitArgs(id, "replace", "dir", "2"), "`dir` is a folder")
	w.want("a", "A", "b", "B", "dir/c", "C")
	w.call("roundtrip_commit", commitArgs(id, "add_only", "b", "2", "new", "3")) // b is skipped
	w.want("a", "A", "b", "B", "dir/c", "C", "new", "3")
}

func TestF19SkippedIsNeverAConflict(t *testing.T) {
	w := newWorld(t, nil, "a", "A", "gone", "G")
	id := w.start("a", "gone", "new")
	w.write("a", "other")
	w.write("new", "other")
	if err := os.Remove(filepath.Join(w.dir, "gone")); err != nil {
		t.Fatal(err)
	}
	w.refuse(registry.Failed, "roundtrip_commit", commitArgs(id, "add_only", "a", "1", "gone", "2"), "`gone` (removed")
	w.refuse(registry.Failed, "roundtrip_commit", commitArgs(id, "update_only", "new", "1", "gone", "2"), "`new` (created")
	if out := w.call("roundtrip_commit", commitArgs(id, "add_only", "a", "1", "new", "2")); out["skipped"] != 2.0 {
		t.Errorf("committed %v", out)
	}
	w.call("roundtrip_commit", commitArgs(w.start("none"), "update_only", "none", "1"))
	w.want("a", "other", "new", "other")
}

// A name of the same file in another case is the same file. A second name of the file
// stands for a file system that does not mind case.
func TestF19PathsThatAreOneFile(t *testing.T) {
	w := newWorld(t, nil, "read.me", "A")
	if err := os.Link(filepath.Join(w.dir, "read.me"), filepath.Join(w.dir, "READ.me")); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
	id := w.start("read.me", "READ.me")
	w.refuse(registry.InvalidArguments, "roundtrip_commit", commitArgs(id, "replace", "read.me", "1", "READ.me", "2"), "the same file")
	if got := tree(t, w.dir)["read.me"]; got != "A" {
		t.Errorf("it is %q", got)
	}
}

func TestF18ConcurrentRoundtripsOfWhichOneWins(t *testing.T) {
	w := newWorld(t, nil, "a", "0", "b", "0", "c", "0")
	for round := range 5 {
		const n = 8
		ids := make([]string, n)
		for i := range ids {
			ids[i] = w.start("a", "b", "c")
		}
		var group sync.WaitGroup
		won := make([]bool, n)
		done := make(chan struct{})
		for i, id := range ids {
			group.Go(func() {
				v := fmt.Sprint(round, "-", i)
				_, err := call(t.Context(), w.pipe, "roundtrip_commit", commitArgs(id, "replace", "a", v, "b", v, "c", v))
				won[i] = err == nil
			})
		}
		var readers sync.WaitGroup
		readers.Go(func() {
			ctx := registry.WithCaller(t.Context(), &registry.Caller{ID: "reader"}) // whose manifests push out no others
			for {
				out, err := call(ctx, w.pipe, "roundtrip_start", object{"paths": []string{"a", "b", "c"}})
				if err != nil {
					t.Error(err)
					return
				}
				m := out["manifest"].(object)
				if m["a"] != m["b"] || m["b"] != m["c"] {
					t.Errorf("a part of a commit is seen: %v", m)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
		group.Wait()
		close(done)
		readers.Wait()
		wins := 0
		for i, ok := range won {
			if v := fmt.Sprint(round, "-", i); ok {
				wins++
				w.want("a", v, "b", v, "c", v)
			}
		}
		if wins != 1 {
			t.Errorf("%d commits won", wins)
		}
	}
}
