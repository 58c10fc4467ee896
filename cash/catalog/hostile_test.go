package catalog_test

import (
	"fmt"
	"maps"
	"runtime"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/registry"
)

func list(n int, one func(int) string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = one(i)
	}
	return "[" + strings.Join(all, ",") + "]"
}

// A document costs what its size says, and not the product of two of its parts:
// what is allocated tells, the same on every machine.
func TestHostileDocumentsCostTheirSize(t *testing.T) {
	long := strings.Repeat("x", 110)
	for name, doc := range map[string]string{
		"names that fit the same": `{"prompts":` + list(20_000, func(i int) string {
			return fmt.Sprintf(`{"name":"%s%06d%s"}`, long, i/2, []string{"?", "!"}[i%2])
		}) + `}`,
		"arguments and messages": `{"prompts":[{"name":"p","arguments":` + list(20_000, func(i int) string { return fmt.Sprintf(`{"name":"a%d"}`, i) }) +
			`,"messages":` + list(20_000, func(i int) string { return fmt.Sprintf(`{"content":"{{a%d}}"}`, i) }) + `}]}`,
		"defaults and results": `{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"p":{"default":"` + strings.Repeat(long, 1000) +
			`"}}},"results":` + list(10_000, func(i int) string { return fmt.Sprintf(`{"arguments":{"x":%d},"result":%d}`, i, i) }) + `}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, report := load(t, nil, doc)
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 300*uint64(len(doc)) {
				t.Errorf("%d bytes take %d to load", len(doc), took)
			}
			if n := report.Tools + report.Prompts; n != 1 && n != 20_000 {
				t.Errorf("%d are served: %.500s", n, report)
			}
			if name == "defaults and results" && !strings.Contains(report.String(), "results: those with arguments are not used from number ") {
				t.Errorf("that results are left out is not said: %.500s", report)
			}
		})
	}
}

// checkReachable holds that every tool is found by path, by id, and by a query of
// its path (W7), and that no two have the same of any.
func checkReachable(t *testing.T, reg *registry.Registry, want, step int) {
	t.Helper()
	paths, browsed, n := make(map[string]bool), make(map[string]bool), 0
	for f := range reg.All() {
		path, ok := registry.CanonicalPath(f.Path())
		if !ok || paths[path] {
			t.Fatalf("%q is at %q, which is no path or not its own", f.Tool(), f.Path())
		}
		paths[path] = true
		if n++; n%step != 0 {
			continue
		}
		if found, err := registry.Find(t.Context(), reg, f.Primitive()); found != f {
			t.Fatalf("%s leads to %v, %v", f.Primitive(), found, err)
		}
		if m := reg.Search(t.Context(), f.Path(), 3); len(m) == 0 || m[0].Namespace != f.Namespace() || m[0].Name != f.Name() {
			t.Fatalf("%q finds %v", f.Path(), m)
		}
	}
	if n != want {
		t.Errorf("there are %d tools, want %d", n, want)
	}
	var browse func(path string)
	browse = func(path string) {
		nodes, err := registry.Browse(t.Context(), reg, path)
		if err != nil {
			t.Fatal(err)
		}
		for _, node := range nodes {
			switch {
			case node.Namespace != nil:
				browse(node.Path)
			case browsed[node.Path]:
				t.Fatalf("%s is there twice", node.Path)
			default:
				browsed[node.Path] = true
			}
		}
	}
	browse("/")
	if len(browsed) != want {
		t.Errorf("%d tools are browsed, want %d", len(browsed), want)
	}
}

// Names that are alike in every way lead to tools of their own.
func TestW7NamesThatAreAlike(t *testing.T) {
	punctuation := "-._/ !\"#$%&'()*+,:;<=>?@[]^`{|}~"
	for name, tt := range map[string]struct {
		n    int
		name func(int) string
	}{
		"punctuation alone": {len(punctuation) * len(punctuation), func(i int) string {
			return string([]byte{punctuation[i%len(punctuation)], punctuation[i/len(punctuation)]})
		}},
		"separators and case": {10_000, func(i int) string {
			return fmt.Sprintf("one.%s%s%04d", []string{"get-it", "get_it", "get.it", "GetIt", "getit"}[i%5], []string{"-", "_", ".", ""}[i/5%4], i/20)
		}},
		"namespaces alike": {300, func(i int) string {
			return []string{"a-b", "a_b", "ab", "A-B", "AB"}[i%5] + fmt.Sprintf("%d.f", i/5)
		}},
		"numbers of others": {300, func(i int) string {
			return fmt.Sprintf("x.f%s%d", []string{"_", ".", "-"}[i%3], i/3)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			seen := make(map[string]bool)
			var defs []string
			for i := range tt.n {
				if name := tt.name(i); !seen[name] {
					seen[name] = true
					defs = append(defs, `{"name":`+quote(name)+`,"result":`+quote(name)+`}`)
				}
			}
			c, report := load(t, nil, "["+strings.Join(defs, ",")+"]")
			if report.Tools != len(defs) {
				t.Fatalf("%d of %d are served: %.1000s", report.Tools, len(defs), report)
			}
			checkReachable(t, c.Tools(), len(defs), max(len(defs)/300, 1))
			before := ids(c.Tools())
			again, err := c.Load([]byte("[" + strings.Join(append(defs[1:], defs[0]), ",") + "]"))
			if err != nil || again.Added+again.Changed+again.Removed > 0 || !maps.Equal(before, ids(c.Tools())) {
				t.Errorf("in another order: %.500s, %v", again, err)
			}
		})
	}
}

// Nothing that a document has recorded steers who reads it, and the rest of it is
// what the document says.
func TestHostileResults(t *testing.T) {
	for _, hidden := range []string{`\u001b[31m`, `\u202e`, `\udb40\udc41`, `\u0007`, `\u0000`} {
		doc := strings.ReplaceAll(`{"tools":[
			{"name":"text","result":"aX\r\nb"},
			{"name":"record","result":{"bX":9007199254740993,"a":"\u00e9X"}},
			{"name":"called","result":{"content":[{"type":"text","text":"aX"},{"type":"resource_link","uri":"a:bX","name":"nX"}],"structuredContent":{"z":1.0,"aX":"bX"},"isError":true}}
		],"resources":[{"uri":"a:b","name":"r","text":"aX\r\nb"},{"uri":"c:d","name":"s","contents":[{"uri":"c:dX","mimeType":"tX","text":"aX"}]}],
		"prompts":[{"name":"p","arguments":[{"name":"x"}],"messages":[{"role":"user","content":"aX{{x}}"},{"role":"user","content":{"type":"resource_link","uri":"a:bX","name":"nX"}}]}]}`, "X", hidden)
		c, _ := load(t, nil, doc)
		got := func(src *registry.Registry, name, args string) string {
			r, err := call(t, src, id(t, src, name), args)
			if err != nil {
				t.Fatal(err)
			}
			return quote(r.Content) + string(r.Structured)
		}
		for name, want := range map[string]string{
			"text":   `[{"type":"text","text":"a\r\nb"}]`,
			"record": `[{"type":"text","text":"{\"b\":9007199254740993,\"a\":\"é\"}"}]`,
			"called": `[{"type":"text","text":"a"},{"type":"resource_link","uri":"a:b","name":"n"}]{"z":1.0,"a":"b"}`,
		} {
			if got := got(c.Tools(), name, `{}`); got != want {
				t.Errorf("with %s %s answers %s, want %s", hidden, name, got, want)
			}
		}
		if got := got(c.Resources(), "a:b", `{}`) + got(c.Resources(), "c:d", `{}`); got !=
			`[{"type":"resource","resource":{"uri":"a:b","text":"a\r\nb"}}][{"type":"resource","resource":{"uri":"c:d","mimeType":"t","text":"a"}}]` {
			t.Errorf("with %s the resources are %s", hidden, got)
		}
		if got := got(c.Prompts(), "p", `{"x":"\u001b"}`); got !=
			`[{"type":"text","text":"user: a\u001b"},{"type":"text","text":"user:"},{"type":"resource_link","uri":"a:b","name":"n"}]` {
			t.Errorf("with %s the prompt is %s", hidden, got)
		}
	}
}
