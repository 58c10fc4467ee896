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
		if m := reg.Search(t.Context(), f.Path(), 3); len(m) == 0 || m[0].Namespace != f.Namespace() || m[0].Name != f.Name {
			t.Fatalf("%q finds %v", f.Path(), m)
		}
	}
	if n != want {
		t.Errorf("there are %d tools, want %d", n, want)
	}
	top, err := registry.Browse(t.Context(), reg, "/")
	if err != nil {
		t.Fatal(err)
	}
	for _, ns := range top {
		nodes, err := registry.Browse(t.Context(), reg, ns.Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, node := range nodes {
			if browsed[node.Path] {
				t.Fatalf("%s is there twice", node.Path)
			}
			browsed[node.Path] = true
		}
	}
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
