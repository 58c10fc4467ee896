package files_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/facade/files"
	"github.com/cash-mcp/go-sdk/registry"
)

func TestF9ListPages(t *testing.T) {
	var content []string
	for _, p := range []string{"a", "a.b/x", "a/sub/deep/y", "a/z", "a-b", "b/x", "B", "é", "a/sub.c", "c/d/e/f/g"} {
		if p != "a" {
			content = append(content, p, "")
		}
	}
	w := newWorld(t, nil, content...)
	if err := os.MkdirAll(filepath.Join(w.dir, "empty", "too"), 0o755); err != nil {
		t.Fatal(err)
	}
	all := w.listed(object{})
	if len(all) != 20 || !slices.IsSorted(all) {
		t.Fatalf("%d: %q", len(all), all)
	}
	for limit := 1; limit <= len(all); limit++ {
		if got := w.listed(object{"limit": limit}); !reflect.DeepEqual(got, all) {
			t.Fatalf("pages of %d: %q, want %q", limit, got, all)
		}
	}
	for _, cursor := range append([]string{"", "a/", "a/sub/", "zzz", "..", "\x00"}, all...) {
		out := w.call("list", object{"recursive": true, "cursor": cursor})
		i, found := slices.BinarySearch(all, cursor)
		if found {
			i++
		}
		if got := paths(out); !slices.Equal(got, all[i:]) || (out["total"] == nil) != (cursor != "") || out["next"] != nil {
			t.Errorf("behind %q: %v", cursor, out)
		}
	}
	for _, test := range []struct {
		args object
		want string
	}{
		{object{"prefix": "a/s"}, "a/sub a/sub.c a/sub/deep a/sub/deep/y"},
		{object{"path": "a", "prefix": "sub/"}, "a/sub/deep a/sub/deep/y"},
		{object{"glob": "x"}, "a.b/x b/x"},
		{object{"glob": "/a*"}, "a a-b a.b"},
		{object{"glob": "a/**"}, "a/sub a/sub.c a/sub/deep a/sub/deep/y a/z"},
		{object{"glob": "*.b/"}, "a.b"},
		{object{"path": "a", "glob": "sub/*"}, "a/sub/deep"},
	} {
		for limit := range 3 {
			test.args["limit"] = limit + 1
			if got := strings.Join(w.listed(test.args), " "); got != test.want {
				t.Errorf("%v: %s", test.args, got)
			}
		}
	}
	for _, glob := range []string{"[a", "/", "!x", strings.Repeat("x", 2000)} {
		w.refuse(registry.InvalidArguments, "list", object{"glob": glob}, "not a pattern")
	}
	for _, glob := range []string{"[b-a]", "#x", "**"} {
		w.call("list", object{"glob": glob})
	}
}

// lines are the matches of a search, as path:line:text.
func lines(out object) (list []string) {
	for _, m := range out["matches"].([]any) {
		m := m.(object)
		list = append(list, fmt.Sprintf("%v:%v:%v", m["path"], m["line"], m["text"]))
	}
	return list
}

// found returns all matches of a search over its pages.
func (w *world) found(args object) []string {
	w.t.Helper()
	return w.allPages("search", args, lines)
}

// allPages calls a command until its last page, and returns what of gives for each page.
func (w *world) allPages(cmd string, args object, of func(object) []string) []string {
	w.t.Helper()
	list := []string{}
	for {
		out := w.call(cmd, args)
		list = append(list, of(out)...)
		if args["cursor"] = out["next"]; out["next"] == nil {
			delete(args, "cursor")
			return list
		}
	}
}

func TestF9Search(t *testing.T) {
	w := newWorld(t, nil, "a.go", "func One() {\r\n\treturn\r\n}\r\n", "sub/b.go", "package b\n\nfunc Two() {}\nfunc two(){}", "sub/c.txt", "one\nfunc\ntwo\n", "bin", "\x00func", "empty", "", "latin", "fonction \xe9t\xe9\n")
	for _, test := range []struct {
		args object
		want []string
	}{
		{object{"text": "func"}, []string{"a.go:1:func One() {", "sub/b.go:3:func Two() {}", "sub/b.go:4:func two(){}", "sub/c.txt:2:func"}},
		{object{"pattern": `func \w+\(\)`}, []string{"a.go:1:func One() {", "sub/b.go:3:func Two() {}", "sub/b.go:4:func two(){}"}},
		{object{"pattern": `\{$`}, []string{"a.go:1:func One() {"}},
		{object{"pattern": `^func$`}, []string{"sub/c.txt:2:func"}},
		{object{"pattern": `\Afunc\z`}, []string{"sub/c.txt:2:func"}},
		{object{"pattern": `one\s+func`}, nil},
		{object{"pattern": `(?s)one.func|two`}, []string{"sub/b.go:4:func two(){}", "sub/c.txt:3:two"}},
		{object{"text": "TWO", "ignore_case": true}, []string{"sub/b.go:3:func Two() {}", "sub/b.go:4:func two(){}", "sub/c.txt:3:two"}},
		{object{"text": "func", "glob": "*.go", "path": "sub"}, []string{"sub/b.go:3:func Two() {}", "sub/b.go:4:func two(){}"}},
		{object{"text": "func", "path": "a.go"}, []string{"a.go:1:func One() {"}},
		{object{"text": "été"}, []string{"latin:1:fonction été"}},
		{object{"text": "(){"}, []string{"sub/b.go:4:func two(){}"}},
		{object{"pattern": "x*", "path": "sub/c.txt"}, []string{"sub/c.txt:1:one", "sub/c.txt:2:func", "sub/c.txt:3:two"}},
	} {
		for _, limit := range []int{1, 2, 50} {
			test.args["limit"] = limit
			if got := w.found(test.args); !slices.Equal(got, test.want) {
				t.Errorf("%v: %q, want %q", test.args, got, test.want)
			}
		}
	}
	out := w.call("search", object{"text": "func two", "context": 2})
	if want := []any{object{"path": "sub/b.go", "line": 4.0, "text": "func two(){}", "before": []any{"", "func Two() {}"}}}; !reflect.DeepEqual(out["matches"], want) || out["skipped"] != 1.0 {
		t.Errorf("found %v", out)
	}
	out = w.call("search", object{"text": "One", "context": 1})
	if m := out["matches"].([]any)[0].(object); m["before"] != nil || !reflect.DeepEqual(m["after"], []any{"\treturn"}) {
		t.Errorf("found %v", m)
	}
	for name, args := range map[string]object{
		"either":      {},
		"either ":     {"text": "a", "pattern": "b"},
		"RE2":         {"pattern": "a(?=b)"},
		"not a reg":   {"pattern": "a)(b"},
		"too complex": {"pattern": strings.Repeat("(a{500}b{500})", 3)},
		"line break":  {"text": "a\nb"},
		"cursor":      {"text": "a", "cursor": "x"},
		"cursor ":     {"text": "a", "cursor": "0:1:../x"},
		"not a patt":  {"text": "a", "glob": "[a"},
	} {
		w.refuse(registry.InvalidArguments, "search", args, strings.TrimSpace(name))
	}
	res, err := w.pipe.Call(t.Context(), &registry.Request{Namespace: "files", Function: "search", Arguments: []byte(`{"text":"func"}`)})
	if err != nil || res.Count == nil || *res.Count != 4 {
		t.Errorf("count: %v, %v", res, err)
	}
	res, err = w.pipe.Call(t.Context(), &registry.Request{Namespace: "files", Function: "search", Arguments: []byte(`{"text":"func","limit":3}`)})
	if err != nil || res.Count != nil {
		t.Errorf("count: %v, %v", res, err)
	}
}

// Long lines, and many, are searched in parts and shown in parts.
func TestF9SearchIsBounded(t *testing.T) {
	long := strings.Repeat("é", 100_000) + "needle" + strings.Repeat("é", 100_000)
	w := newWorld(t, nil, "long", long+"\nneedle\n", "many", strings.Repeat("a line with a needle "+strings.Repeat("x", 200)+"\n", 3000))
	out := w.call("search", object{"text": "needle", "path": "long"})
	for _, m := range out["matches"].([]any) {
		if text := m.(object)["text"].(string); !strings.Contains(text, "needle") || len(text) > 250 {
			t.Errorf("found %q", text)
		}
	}
	if n := len(out["matches"].([]any)); n != 2 || out["matches"].([]any)[1].(object)["line"] != 2.0 {
		t.Errorf("%d matches", n)
	}
	res, err := w.pipe.Call(t.Context(), &registry.Request{Namespace: "files", Function: "search", Arguments: []byte(`{"text":"needle","limit":1000,"context":20}`)})
	if err != nil || len(res.Text()) > 100_000 {
		t.Errorf("%d bytes, %v", len(res.Text()), err)
	}
	if got := w.found(object{"text": "needle", "limit": 1000}); len(got) != 3002 || !slices.Equal(got, slices.Compact(got)) {
		t.Errorf("%d matches", len(got))
	}
}

// A file of any size is read in parts.
func TestF12GetParts(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "line %d é\n", i+1)
	}
	text := b.String()
	w := newWorld(t, &files.Options{MaxFileBytes: 1000}, "large", text, "small", text[:900], "one", strings.Repeat("x", 5000), "latin", strings.Repeat("\xe9\n", 2000), "wide", "\xff\xfe"+strings.Repeat("a\x00\n\x00", 1000))
	for _, test := range []struct {
		args object
		want string
		next any
	}{
		{object{"path": "large", "start_line": 4000, "lines": 2}, "line 4000 é\nline 4001 é\n", 4002.0},
		{object{"path": "large", "start_line": 5000}, "line 5000 é\n", nil},
		{object{"path": "large", "start_line": 5001}, "", nil},
		{object{"path": "large", "start_line": 3, "lines": 1}, "line 3 é\n", 4.0},
		{object{"path": "small", "start_line": 3, "lines": 1}, "line 3 é\n", 4.0},
		{object{"path": "latin", "start_line": 1999, "lines": 2}, "é\né\n", nil},
	} {
		out := w.call("get", test.args)
		if out["content"] != test.want || out["next_line"] != test.next {
			t.Errorf("%v: %v", test.args, out)
		}
	}
	if out := w.call("get", object{"path": "large", "start_line": 9999}); out["total_lines"] != 5000.0 {
		t.Errorf("beyond the end: %v", out)
	}
	if out := w.call("get", object{"path": "one", "start_line": 2}); out["total_lines"] != 1.0 {
		t.Errorf("beyond the end: %v", out)
	}
	w.refuse(registry.Failed, "get", object{"path": "wide", "start_line": 2}, "UTF-16")
	// Whoever goes on as the answers say gets all, whatever is asked for.
	for p, want := range map[string]string{"large": text, "small": text[:900], "one": strings.Repeat("x", 5000), "latin": strings.Repeat("é\n", 2000), "wide": strings.Repeat("a\n", 1000)} {
		for _, args := range []object{{}, {"lines": 7}, {"bytes": 101}, {"offset": 0, "bytes": 64}} {
			if p == "wide" && args["lines"] != nil {
				continue
			}
			for _, level := range []registry.Detail{registry.Standard, registry.Full} {
				if got := w.gotten(p, args, level); got != want {
					t.Errorf("%s, %v: %d bytes, want %d", p, args, len(got), len(want))
				}
			}
		}
	}
}

// gotten gets a file in the parts that answers lead to.
func (w *world) gotten(p string, args object, level registry.Detail) string {
	w.t.Helper()
	asked := object{"path": p}
	for k, v := range args {
		asked[k] = v
	}
	var b strings.Builder
	for range 10_000 {
		data := fmt.Sprint(toJSON(asked))
		res, err := w.pipe.Call(w.t.Context(), &registry.Request{Namespace: "files", Function: "get", Arguments: []byte(data), Detail: level})
		if err != nil {
			w.t.Fatalf("%v: %v", asked, err)
		}
		out := fromJSON(res.Text())
		if out["encoding"] == "base64" {
			w.t.Fatalf("%v: %v", asked, out)
		}
		b.WriteString(out["content"].(string))
		delete(asked, "start_line")
		delete(asked, "offset")
		switch {
		case out["next_line"] != nil:
			asked["start_line"] = out["next_line"]
		case out["next_offset"] != nil:
			asked["offset"] = out["next_offset"]
			delete(asked, "lines")
		default:
			return b.String()
		}
	}
	w.t.Fatalf("%v: no end", asked)
	return ""
}
