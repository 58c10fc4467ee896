package files_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"

	"github.com/cash-mcp/go-sdk/cash/facade/files"
	"github.com/cash-mcp/go-sdk/registry"
)

// oneEdit is a change of a file by one edit.
func oneEdit(p, old, new string, all bool) object {
	return object{"path": p, "edits": []object{{"old": old, "new": new, "all": all}}}
}

func TestF16Edits(t *testing.T) {
	w := newWorld(t, nil, "a", "one two one\n", "b", "x\r\ny\r\n", "bin", "\x00\xff")
	id := w.start("a", "b", "bin", "new")
	for name, test := range map[string]struct {
		change object
		words  string
	}{
		"twice":    {oneEdit("a", "one", "1", false), "2 times"},
		"not":      {oneEdit("a", "three", "3", false), "old of edit 1 is not there"},
		"ends":     {oneEdit("b", "x\ny", "z", false), `end in \r\n`},
		"binary":   {oneEdit("bin", "a", "b", false), "not text"},
		"no file":  {oneEdit("new", "a", "b", false), "no file `new`"},
		"nothing":  {object{"path": "a"}, "either content, edits or diff"},
		"two ways": {object{"path": "a", "content": "x", "diff": "x"}, "either content, edits or diff"},
		"base64":   {object{"path": "a", "encoding": "base64", "diff": "x"}, "not base64"},
	} {
		for _, function := range []string{"roundtrip_commit", "roundtrip_preview", "put"} {
			args := object{"manifestId": id, "mode": "replace", "changes": []object{test.change}}
			if function == "put" {
				args = test.change
			}
			_, err := call(t.Context(), w.pipe, function, args)
			if err == nil || !strings.Contains(err.Error(), test.words) || strings.Contains(err.Error(), "three") {
				t.Errorf("%s, %s: %v", name, function, err)
			}
		}
	}
	w.want("a", "one two one\n", "b", "x\r\ny\r\n", "bin", "\x00\xff")
	// One that cannot be applied leaves the others alone.
	w.refuse(registry.Failed, "roundtrip_commit", object{"manifestId": id, "mode": "replace", "changes": []object{
		oneEdit("a", "two", "2", false), oneEdit("b", "no", "", false)}}, "`b`")
	w.call("roundtrip_commit", object{"manifestId": id, "mode": "replace", "changes": []object{
		{"path": "a", "edits": []object{{"old": "one", "new": "1", "all": true}, {"old": "1 two", "new": "2"}}},
		{"path": "b", "diff": "@@ -1,2 +1,2 @@\n x\r\n-y\r\n+z\r\n"},
		{"path": "new", "diff": "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+n\n\\ No newline at end of file\n"}}})
	w.want("a", "2 1\n", "b", "x\r\nz\r\n", "bin", "\x00\xff", "new", "n")
	w.call("put", oneEdit("a", "2 1", "3", false))
	w.want("a", "3\n", "b", "x\r\nz\r\n", "bin", "\x00\xff", "new", "n")
}

func TestF16EditsAreBounded(t *testing.T) {
	w := newWorld(t, &files.Options{MaxFileBytes: 1000, MaxBytes: 1500}, "a", strings.Repeat("a", 100), "b", strings.Repeat("b", 100))
	w.refuse(registry.Failed, "put", oneEdit("a", "a", strings.Repeat("x", 100), true), "too large")
	id := w.start("a", "b")
	w.refuse(registry.InvalidArguments, "roundtrip_commit", object{"manifestId": id, "mode": "replace", "changes": []object{
		oneEdit("a", "a", "123456789", true), oneEdit("b", "b", "123456789", true)}}, "at most 1500")
	edits := make([]object, 1001)
	for i := range edits {
		edits[i] = object{"old": "a", "new": "a", "all": true}
	}
	w.refuse(registry.InvalidArguments, "put", object{"path": "a", "edits": edits}, "at most 1000")
	w.want("a", strings.Repeat("a", 100), "b", strings.Repeat("b", 100))
}

func TestF16DiffsApplyExactly(t *testing.T) {
	text := "a\nb\nc\nd\ne\nf\na\nb\nx\n"
	for name, test := range map[string]struct{ diff, want string }{
		"at its line":         {"@@ -1,2 +1,2 @@\n a\n-b\n+B\n", "a\nB\nc\nd\ne\nf\na\nb\nx\n"},
		"moved lines":         {"@@ -1,2 +1,2 @@\n d\n-e\n+E\n", "a\nb\nc\nd\nE\nf\na\nb\nx\n"},
		"drift":               {"@@ -3,1 +3,3 @@\n c\n+1\n+2\n@@ -9 +11 @@\n-x\n+X\n", "a\nb\nc\n1\n2\nd\ne\nf\na\nb\nX\n"},
		"several places":      {"@@ -3,2 +3,2 @@\n a\n-b\n+B\n", "error: matches at lines 1 and 7"},
		"other context":       {"@@ -1,2 +1,2 @@\n A\n-b\n+B\n", "error: does not match"},
		"blank at the end":    {"@@ -1,2 +1,2 @@\n a \n-b\n+B\n", "error: does not match"},
		"wrong count":         {"@@ -1,3 +1,3 @@\n a\n-b\n+B\n", "error: other than its head says"},
		"more than the count": {"@@ -1,1 +1,1 @@\n-a\n+A\n b\n", "error: more lines"},
		"two files":           {"@@ -1 +1 @@\n-a\n+A\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-b\n+B\n", "error: several files"},
		"no hunk":             {"--- a/x\n+++ b/x\n", "error: no hunk"},
		"bad head":            {"@@ something @@\n-a\n", "error: @@ -1,3 +1,4 @@"},
		"out of order":        {"@@ -9 +9 @@\n-x\n+X\n@@ -1 +1 @@\n-c\n+C\n", "error: hunk 2"},
		"no newline":          {"@@ -9 +9 @@\n-x\n+x\n\\ No newline at end of file\n", strings.TrimSuffix(text, "\n")},
		"newline that is":     {"@@ -9 +9 @@\n-x\n\\ No newline at end of file\n+x\n", "error: does not match"},
		"newline inside":      {"@@ -8,2 +8,2 @@\n-b\n+b\n\\ No newline at end of file\n x\n", "error: without an end"},
		"insertion":           {"@@ -0,0 +1 @@\n+0\n", "0\n" + text},
		"after the end":       {"@@ -99,0 +100 @@\n+0\n", "error: begins behind"},
		"second one fails":    {"@@ -1 +1 @@\n-a\n+A\n@@ -3 +3 @@\n-no\n+No\n", "error: hunk 2"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil, "f", text)
			out, err := call(t.Context(), w.pipe, "put", object{"path": "f", "diff": test.diff})
			got := tree(t, w.dir)["f"]
			if words, fails := strings.CutPrefix(test.want, "error: "); fails {
				if err == nil || !strings.Contains(err.Error(), words) || got != text {
					t.Errorf("%v; %q", err, got)
				}
			} else if err != nil || got != test.want {
				t.Errorf("%q, %v, %v", got, out, err)
			}
		})
	}
}

// FuzzDiff applies the difference of two texts to the first one, as our own previews, and git where there is one, write
// it.
func FuzzDiff(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nB\nc\n")
	f.Add("", "x")
	f.Add("a\nb", "a\nb\n")
	f.Add(strings.Repeat("l\n", 30), strings.Repeat("l\n", 12)+"x\r\n"+strings.Repeat("l\n", 17))
	w := newWorld(f, nil)
	f.Fuzz(func(t *testing.T, before, after string) {
		before, after = strings.ToValidUTF8(before, "?"), strings.ToValidUTF8(after, "?")
		if len(before)+len(after) > 2000 || before == after {
			return
		}
		diff := udiff.Unified("a/f", "b/f", before, after)
		if _, err := call(t.Context(), w.pipe, "put", object{"path": "f", "content": before}); err != nil {
			t.Fatal(err)
		}
		if _, err := call(t.Context(), w.pipe, "put", object{"path": "f", "diff": diff}); err != nil {
			t.Fatalf("%v: %q", err, diff)
		}
		if got := tree(t, w.dir)["f"]; got != after {
			t.Errorf("%q after %q, want %q", got, diff, after)
		}
	})
}

// Git takes the same diffs that we take.
func TestF16DiffsOfGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Log("there is no git to compare with")
		return
	}
	dir := t.TempDir()
	var before, after strings.Builder
	for i := range 300 {
		fmt.Fprintf(&before, "line %d\n", i%50)
		switch {
		case i%41 == 3:
			fmt.Fprintf(&after, "changed %d\n", i)
		case i%97 == 5:
		default:
			fmt.Fprintf(&after, "line %d\n", i%50)
		}
	}
	after.WriteString("the end without a newline")
	for name, text := range map[string]string{"before": before.String(), "after": after.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("git", "diff", "--no-index", "before", "after")
	cmd.Dir = dir
	diff, _ := cmd.Output() // it ends with 1, because there is a difference
	w := newWorld(t, nil, "f", before.String())
	w.call("put", object{"path": "f", "diff": string(diff)})
	w.want("f", after.String())
}

// What was previewed is committed by its id. After a conflict only what conflicts is sent again.
func TestF14CommitByPreview(t *testing.T) {
	w := newWorld(t, nil, "a", "one\n", "b", "one\n", "c", "one\n")
	id := w.start("a", "b", "c")
	out := w.call("roundtrip_preview", object{"manifestId": id, "changes": []object{
		oneEdit("a", "one", "1", false), oneEdit("b", "one", "1", false), {"path": "c", "content": "1\n"}}})
	preview := out["previewId"].(string)
	w.write("b", "one and more\n")
	e := w.refuse(registry.Failed, "roundtrip_commit", object{"previewId": preview}, "`b` (changed", preview)
	if e.Details["previewId"] != preview || strings.Contains(e.Message, "`a`") {
		t.Errorf("%v, %v", e, e.Details)
	}
	again := w.call("roundtrip_start", object{"manifestId": id, "paths": []string{"b"}})
	if again["manifestId"] != id || len(again["manifest"].(object)) != 1 {
		t.Errorf("started again: %v", again)
	}
	second := w.call("roundtrip_preview", object{"previewId": preview, "changes": []object{oneEdit("b", "one and more", "2", false)}})
	if n := len(second["files"].([]any)); n != 3 || second["previewId"] == preview {
		t.Errorf("previewed %d files", n)
	}
	w.call("roundtrip_commit", object{"previewId": second["previewId"]})
	w.want("a", "1\n", "b", "2\n", "c", "1\n")
	w.refuse(registry.Failed, "roundtrip_commit", object{"previewId": second["previewId"]}, "previewId")
	w.refuse(registry.Failed, "roundtrip_commit", object{"previewId": preview}, "manifestId")

	// The same without a preview: the conflict names the id.
	id = w.start("a", "b")
	w.write("a", "theirs\n")
	e = w.refuse(registry.Failed, "roundtrip_commit", commitArgs(id, "replace", "a", "A", "b", "B"), "`a`")
	w.call("roundtrip_start", object{"manifestId": id, "paths": []string{"a"}})
	w.refuse(registry.InvalidArguments, "roundtrip_commit", object{"previewId": e.Details["previewId"], "manifestId": "other"}, "another roundtrip")
	w.call("roundtrip_commit", object{"previewId": e.Details["previewId"]})
	w.want("a", "A", "b", "B", "c", "1\n")

	w.refuse(registry.InvalidArguments, "roundtrip_commit", object{"mode": "replace", "changes": changes("a", "x")}, "manifestId")
	w.refuse(registry.InvalidArguments, "roundtrip_commit", object{"mode": "replace", "manifestId": id}, "changes")
	w.refuse(registry.Failed, "roundtrip_start", object{"paths": []string{"a"}, "manifestId": id}, "no open roundtrip")
}

// The mode of a preview is that of its commit, and its id is the caller's.
func TestF18PreviewOfItsCaller(t *testing.T) {
	w := newWorld(t, nil, "a", "A")
	id := w.start("a")
	out := w.call("roundtrip_preview", object{"manifestId": id, "mode": "add_only", "changes": changes("a", "x", "new", "n")})
	ctx := registry.WithCaller(t.Context(), &registry.Caller{ID: "eve"})
	if _, err := call(ctx, w.pipe, "roundtrip_commit", object{"previewId": out["previewId"]}); err == nil || !strings.Contains(err.Error(), "no open roundtrip") {
		t.Errorf("a foreign preview: %v", err)
	}
	w.call("roundtrip_commit", object{"previewId": out["previewId"]})
	w.want("a", "A", "new", "n")
}

func TestF14KeptChangesAreBounded(t *testing.T) {
	w := newWorld(t, &files.Options{MaxBytes: 1000, MaxManifests: 8}, "a", "A")
	first := w.call("roundtrip_preview", object{"manifestId": w.start("a"), "changes": changes("a", strings.Repeat("x", 900))})
	for range 4 {
		w.call("roundtrip_preview", object{"manifestId": w.start("b"), "changes": changes("b", strings.Repeat("x", 900))})
	}
	w.refuse(registry.Failed, "roundtrip_commit", object{"previewId": first["previewId"]}, "no open roundtrip")
}

// Contents keep their encoding, and are text for the model.
func TestF13Encodings(t *testing.T) {
	utf16 := func(text string, big bool) string {
		var b strings.Builder
		for _, c := range "\ufeff" + text {
			if big {
				b.WriteString(string([]byte{byte(c >> 8), byte(c)}))
			} else {
				b.WriteString(string([]byte{byte(c), byte(c >> 8)}))
			}
		}
		return b.String()
	}
	for encoding, old := range map[string]string{
		"latin-1": "caf\xe9\r\nna\xefve\r\n", "utf-16le": utf16("café\r\nnaïve\r\n", false), "utf-16be": utf16("café\r\nnaïve\r\n", true), "utf-8": "café\r\nnaïve\r\n",
	} {
		w := newWorld(t, nil, "f", old)
		out := w.call("get", object{"path": "f"})
		if out["content"] != "café\r\nnaïve\r\n" || out["encoding"] != encoding || out["sha256"] != hash(old) {
			t.Errorf("%s: got %v", encoding, out)
		}
		if out := w.call("get", object{"path": "f", "start_line": 2}); out["content"] != "naïve\r\n" {
			t.Errorf("%s: line 2 is %v", encoding, out)
		}
		found := w.call("search", object{"text": "naïve"})["matches"].([]any)
		if len(found) != 1 || found[0].(object)["line"] != 2.0 || found[0].(object)["text"] != "naïve" {
			t.Errorf("%s: found %v", encoding, found)
		}
		w.call("put", oneEdit("f", "naïve", "naïvest", false))
		w.call("put", object{"path": "f", "content": "café\r\nnaïvest\r\n", "expect": hash(tree(t, w.dir)["f"])})
		w.call("put", oneEdit("f", "naïvest", "naïve", false))
		w.want("f", old)
		id := w.start("f")
		preview := w.call("roundtrip_preview", object{"manifestId": id, "changes": []object{oneEdit("f", "café", "thé", false)}})
		if d := preview["files"].([]any)[0].(object)["diff"].(string); !strings.Contains(d, "-café\r\n+thé\r\n") {
			t.Errorf("%s: diff %q", encoding, d)
		}
		w.call("roundtrip_commit", object{"previewId": preview["previewId"]})
		if got := w.call("get", object{"path": "f"}); got["encoding"] != encoding || got["content"] != "thé\r\nnaïve\r\n" {
			t.Errorf("%s: then %v", encoding, got)
		}
		if encoding == "latin-1" {
			w.refuse(registry.InvalidArguments, "put", object{"path": "f", "content": "€"}, "Latin-1", "utf-8")
		}
		w.call("put", object{"path": "f", "content": "€", "encoding": "utf-8"})
		w.want("f", "€")
	}
	w := newWorld(t, nil, "odd", "\xff\xfea", "surrogate", "\xff\xfe\x00\xd8a\x00", "control", "a\xe9\x01", "c1", "a\x93b\xe9")
	for _, p := range []string{"odd", "surrogate", "control", "c1"} {
		if out := w.call("get", object{"path": p}); out["encoding"] != "base64" && p != "odd" {
			t.Errorf("%s: %v", p, out)
		}
	}
	w.call("put", object{"path": "new", "content": "é", "encoding": "utf-16be"})
	if got := tree(t, w.dir)["new"]; got != utf16("é", true) {
		t.Errorf("new is %q", got)
	}
}
