package files_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cash-mcp/go-sdk/cash/facade/files"
	"github.com/cash-mcp/go-sdk/registry"
)

func TestF12Commands(t *testing.T) {
	w := newWorld(t, nil)
	l, err := w.pipe.Source().List(t.Context(), "files")
	if err != nil {
		t.Fatal(err)
	}
	facts := make(map[string]string)
	for _, f := range l.Functions {
		facts[f.Name()] = fmt.Sprint(f.ReadOnly(), f.Destructive(), f.Idempotent())
	}
	want := map[string]string{
		"list": "true false true", "get": "true false true", "put": "false true true", "delete": "false true true",
		"search": "true false true", "move": "false false false", "roundtrip_start": "false false false", "roundtrip_preview": "true false true", "roundtrip_commit": "false true false",
	}
	if !reflect.DeepEqual(facts, want) {
		t.Errorf("functions %v, want %v", facts, want)
	}
}

func paths(out object) (all []string) {
	for _, e := range out["entries"].([]any) {
		all = append(all, e.(object)["path"].(string))
	}
	return all
}

func TestF9List(t *testing.T) {
	w := newWorld(t, nil, "b", "BB", "a/x", "1", "a.b", "2", "a/sub/y", "3")
	for _, test := range []struct {
		args  object
		want  string
		total float64
	}{
		{object{}, "a a.b b", 3},
		{object{"path": "."}, "a a.b b", 3},
		{object{"recursive": true}, "a a.b a/sub a/sub/y a/x b", 6},
		{object{"recursive": true, "limit": 2}, "a a.b", 6},
		{object{"path": "a"}, "a/sub a/x", 2},
		{object{"path": "./a/", "recursive": true}, "a/sub a/sub/y a/x", 3},
		{object{"path": "a/sub", "limit": 1}, "a/sub/y", 1},
	} {
		out := w.call("list", test.args)
		if got := strings.Join(paths(out), " "); got != test.want || out["total"] != test.total {
			t.Errorf("list %v: %s of %v", test.args, got, out["total"])
		}
	}
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(w.dir, "b"), at, at); err != nil {
		t.Fatal(err)
	}
	b := w.call("list", object{})["entries"].([]any)[2]
	if want := (object{"path": "b", "type": "file", "size": 2.0, "modified": "2026-02-03T04:05:06Z"}); !reflect.DeepEqual(b, want) {
		t.Errorf("listed %v", b)
	}
	w.refuse(registry.InvalidArguments, "list", object{"limit": 0})
	for _, p := range []string{"/", "//", "/a", "..", "a/..", "a/../.."} {
		w.refuse(registry.InvalidArguments, "list", object{"path": p}, "`"+p+"`")
	}
	if out := newWorld(t, nil).call("list", object{}); out["total"] != 0.0 || len(paths(out)) != 0 {
		t.Errorf("an empty root has %v", out)
	}
}

func TestF9ListIsBounded(t *testing.T) {
	w := newWorld(t, nil, strings.Repeat("d/", 70)+"x", "deep")
	out := w.call("list", object{"recursive": true, "limit": 5000})
	if out["total"] != 64.0 || out["incomplete"] != true {
		t.Errorf("%v entries of a deep folder, incomplete: %v", out["total"], out["incomplete"])
	}
	if out := w.call("list", object{"path": strings.Repeat("d/", 64)}); out["total"] != 1.0 || out["left_out"] != nil {
		t.Errorf("the deepest folder has %v", out)
	}
	for i := range 20 { // what is too deep leaves out nothing else
		w.write(fmt.Sprintf("%d/x", i), "")
	}
	if out := w.call("list", object{"recursive": true, "limit": 5000}); out["total"] != 104.0 || out["incomplete"] != true {
		t.Errorf("%v entries, incomplete: %v", out["total"], out["incomplete"])
	}
}

// Calls of all kinds at once leave each file as one of them has written it.
func TestF12Concurrent(t *testing.T) {
	w := newWorld(t, nil, "a", "0")
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for j := range 10 {
				content := strings.Repeat(fmt.Sprint(i), 1000+j)
				for function, args := range map[string]object{
					"put": {"path": "a", "content": content}, "get": {"path": "a"}, "list": {"recursive": true},
					"delete": {"path": fmt.Sprint("b", j)}, "roundtrip_start": {"paths": []string{"a", "c/d"}},
				} {
					out, err := call(t.Context(), w.pipe, function, args)
					if err != nil && function != "delete" {
						t.Errorf("%s: %v", function, err)
					}
					if c, _ := out["content"].(string); c != "" && (strings.Trim(c, c[:1]) != "" || hash(c) != out["sha256"]) {
						t.Errorf("got %v", out)
					}
				}
			}
		})
	}
	group.Wait()
}

func TestF8DetailLevels(t *testing.T) {
	w := newWorld(t, nil, "a", strings.Repeat("word ", 2000))
	data := func(function, args string, level registry.Detail) (string, *int) {
		t.Helper()
		res, err := w.pipe.Call(t.Context(), &registry.Request{Namespace: "files", Function: function, Arguments: []byte(args), Detail: level})
		if err != nil {
			t.Fatal(err)
		}
		return res.Text(), res.Count
	}
	list, count := data("list", `{"limit":1}`, registry.Minimal)
	if list != `{"entries":[{"path":"a"}],"total":1}` || count == nil || *count != 1 {
		t.Errorf("minimal list: %s", list)
	}
	for _, call := range [][2]string{{"list", `{}`}, {"get", `{"path":"a"}`}, {"roundtrip_start", `{"paths":["a"]}`}, {"put", `{"path":"a","content":""}`}} {
		minimal, _ := data(call[0], call[1], registry.Minimal)
		standard, _ := data(call[0], call[1], registry.Standard)
		full, count := data(call[0], call[1], registry.Full)
		if len(minimal) >= len(standard) || len(standard) > len(full) {
			t.Errorf("%s: %d, %d, %d bytes", call[0], len(minimal), len(standard), len(full))
		}
		if begins := call[0] == "get" || call[0] == "roundtrip_start"; begins && (!strings.Contains(standard, `"next_offset":8000`) || !strings.Contains(full, strings.Repeat("word ", 2000))) {
			t.Errorf("%s: no excerpt with the way to go on: %.200s … %s", call[0], standard, standard[len(standard)-50:])
		}
		if (count != nil) != (call[0] == "list") {
			t.Errorf("%s: count %v", call[0], count)
		}
	}
}

// At the level that the facade has by default, a long diff ends with a whole line, and
// says that it is not all.
func TestF14LongDiffs(t *testing.T) {
	w := newWorld(t, nil, "long", strings.Repeat("old line\n", 1000), "short", "old\n")
	args := object{"manifestId": w.start("long", "short"), "changes": changes("long", strings.Repeat("new line\n", 1000), "short", "new\n")}
	data, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	at := make(map[registry.Detail][]struct{ Diff, Note string })
	for _, level := range []registry.Detail{registry.Standard, registry.Full} {
		res, err := w.pipe.Call(t.Context(), &registry.Request{Namespace: "files", Function: "roundtrip_preview", Arguments: data, Detail: level})
		if err != nil {
			t.Fatal(err)
		}
		var out struct{ Files []struct{ Diff, Note string } }
		if err := json.Unmarshal([]byte(res.Text()), &out); err != nil {
			t.Fatal(err)
		}
		at[level] = out.Files
	}
	all, cut := at[registry.Full], at[registry.Standard]
	if len(all[0].Diff) < 20_000 || all[0].Note != "" || all[1] != cut[1] || all[1].Diff == "" {
		t.Errorf("full: %+v", all)
	}
	if n := len(cut[0].Diff); n < 3000 || n > 4000 || !strings.HasPrefix(all[0].Diff, cut[0].Diff) || !strings.HasSuffix(cut[0].Diff, "\n") {
		t.Errorf("standard: %d bytes: %q", n, cut[0].Diff)
	}
	if note := fmt.Sprintf("the first %d of its %d bytes", len(cut[0].Diff), len(all[0].Diff)); !strings.Contains(cut[0].Note, note) {
		t.Errorf("the note is %q", cut[0].Note)
	}
}

func TestF12Get(t *testing.T) {
	text := "one\r\ntwo\nthree é\n\nfive"
	w := newWorld(t, &files.Options{MaxFileBytes: 100}, "t", text, "bin", "\x80\x00", "nul", "a\x00b", "none", "", "large", strings.Repeat("x", 101))
	out := w.call("get", object{"path": "./t"})
	if out["path"] != "t" || out["content"] != text || out["encoding"] != "utf-8" || out["sha256"] != hash(text) || out["size"] != float64(len(text)) {
		t.Errorf("got %v", out)
	}
	if out := w.call("get", object{"path": "bin"}); out["content"] != "gAA=" || out["encoding"] != "base64" || out["sha256"] != hash("\x80\x00") {
		t.Errorf("got %v", out)
	}
	if out := w.call("get", object{"path": "nul"}); out["content"] != "a\x00b" {
		t.Errorf("got %v", out)
	}
	for _, test := range []struct {
		args  object
		want  string
		total float64
	}{
		{object{"path": "t", "start_line": 2}, "two\nthree é\n\nfive", 5},
		{object{"path": "t", "lines": 1}, "one\r\n", 5},
		{object{"path": "t", "start_line": 3, "lines": 2}, "three é\n\n", 5},
		{object{"path": "t", "start_line": 5, "lines": 9}, "five", 5},
		{object{"path": "t", "start_line": 6}, "", 5},
		{object{"path": "t", "start_line": 1 << 60, "lines": 1 << 60}, "", 5},
		{object{"path": "none", "lines": 3}, "", 0},
	} {
		if out := w.call("get", test.args); out["content"] != test.want || out["total_lines"] != test.total {
			t.Errorf("get %v: %v", test.args, out)
		}
	}
	w.refuse(registry.InvalidArguments, "get", object{"path": "bin", "lines": 1}, "not text")
	w.refuse(registry.InvalidArguments, "get", object{"path": "t", "start_line": 0})
	if out := w.call("get", object{"path": "large"}); out["content"] != strings.Repeat("x", 100) || out["next_offset"] != 100.0 || out["sha256"] != nil {
		t.Errorf("got %v", out)
	}
	w.refuse(registry.InvalidArguments, "get", object{"path": "t", "lines": 1, "bytes": 1}, "both")
	w.refuse(registry.Failed, "get", object{"path": " two  spaces "}, "` two  spaces `")
}

func TestF12Put(t *testing.T) {
	w := newWorld(t, &files.Options{MaxFileBytes: 10}, "a", "A")
	if err := os.Chmod(filepath.Join(w.dir, "a"), 0o750); err != nil {
		t.Fatal(err)
	}
	out := w.call("put", object{"path": "a", "content": "new é"})
	if want := (object{"path": "a", "result": "written", "sha256": hash("new é"), "size": 6.0}); !reflect.DeepEqual(out, want) {
		t.Errorf("put %v", out)
	}
	if info, _ := os.Stat(filepath.Join(w.dir, "a")); os.PathSeparator == '/' && info.Mode().Perm() != 0o750 {
		t.Errorf("the mode is %v", info.Mode())
	}
	out = w.call("put", object{"path": "./x/y//b", "content": "gAA=", "encoding": "base64"})
	if out["result"] != "created" || out["path"] != "x/y/b" {
		t.Errorf("put %v", out)
	}
	w.call("put", object{"path": "e", "content": ""})
	w.want("a", "new é", "x/y/b", "\x80\x00", "e", "")
	for _, content := range []string{"gAA", "gA==A", "g B=", "gAB="} {
		w.refuse(registry.InvalidArguments, "put", object{"path": "z", "content": content, "encoding": "base64"}, "not base64")
	}
	w.refuse(registry.InvalidArguments, "put", object{"path": "z", "content": "", "encoding": "latin1"})
	w.refuse(registry.InvalidArguments, "put", object{"path": "z", "content": "12345678901"}, "at most 10")
	w.write("a", strings.Repeat("large", 10)) // may be replaced all the same
	w.call("put", object{"path": "a", "content": "small"})
	w.want("a", "small", "x/y/b", "\x80\x00", "e", "")
}

func TestF12Expect(t *testing.T) {
	w := newWorld(t, nil, "a", "A")
	w.refuse(registry.Failed, "put", object{"path": "a", "content": "B", "expect": "absent"}, "exists")
	w.refuse(registry.Failed, "put", object{"path": "a", "content": "B", "expect": hash("X")}, "has changed")
	w.refuse(registry.Failed, "put", object{"path": "b", "content": "B", "expect": hash("A")}, "does not exist")
	w.refuse(registry.InvalidArguments, "put", object{"path": "a", "content": "B", "expect": "A"})
	w.refuse(registry.Failed, "delete", object{"path": "a", "expect": hash("X")}, "has changed")
	w.refuse(registry.InvalidArguments, "delete", object{"path": "a", "expect": "absent"})
	w.want("a", "A")
	w.call("put", object{"path": "a", "content": "B", "expect": strings.ToUpper(hash("A"))})
	w.call("put", object{"path": "b", "content": "B", "expect": "absent"})
	w.call("delete", object{"path": "a", "expect": hash("B")})
	w.want("b", "B")
	if out := w.call("delete", object{"path": "./b"}); !reflect.DeepEqual(out, object{"path": "b", "deleted": true}) {
		t.Errorf("delete %v", out)
	}
	w.want()
}
