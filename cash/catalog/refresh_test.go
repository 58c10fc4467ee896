package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/internal/clean"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// What is the same stays the same function, and the rest does not (W37).
func TestW37RefreshKeepsWhatIsTheSame(t *testing.T) {
	functions := func(c *catalog.Catalog) map[string]*registry.Function {
		all := make(map[string]*registry.Function)
		for f := range c.Tools().All() {
			all[f.Tool()] = f
		}
		return all
	}
	c, report := load(t, nil, `[{"name":"a.same","result":1},{"name":"a.changed","result":1},{"name":"a.gone","result":1}]`)
	if report.Added != 3 || report.Changed+report.Removed != 0 {
		t.Errorf("got %s", report)
	}
	before := functions(c)
	report, err := c.Load([]byte(`{"tools": [ {"name":"new","result":2}, {"name":"a.changed","result":2}, {"name":"a.same","result":1} ]}`))
	if err != nil || report.Added != 1 || report.Changed != 1 || report.Removed != 1 || report.Tools != 3 {
		t.Errorf("got %s, %v", report, err)
	}
	after := functions(c)
	if before["a.same"] != after["a.same"] || before["a.changed"] == after["a.changed"] {
		t.Error("what is the same was made anew, or what is not was not")
	}
	if got := said(t, c.Tools(), before["a.changed"].Primitive().String(), `{}`); got != "2" {
		t.Errorf("got %q", got)
	}
	if _, err := call(t, c.Tools(), before["a.gone"].Primitive().String(), `{}`); !errors.Is(err, registry.UnknownFunction) {
		t.Errorf("what is gone: %v", err)
	}
}

// A call that was prepared before a load goes on with what it began.
func TestW37CallsInFlight(t *testing.T) {
	c, _ := load(t, nil, `[{"name":"f","result":"old"}]`)
	p := registry.NewPipeline(c.Tools(), nil)
	prepared, err := p.Prepare(t.Context(), &registry.Request{Namespace: "mcp", Function: "f"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Load([]byte(`[]`)); err != nil {
		t.Fatal(err)
	}
	if r, err := p.Call(t.Context(), &registry.Request{Find: registry.Found(prepared.Function), Arguments: prepared.Arguments}); err != nil || r.Text() != "old" {
		t.Errorf("%v, %v", r, err)
	}
	if _, err := p.Prepare(t.Context(), &registry.Request{Namespace: "mcp", Function: "f"}); err == nil {
		t.Error("the function is still there")
	}
}

// The text of a document is the caller's again after the load.
func TestDataMayChange(t *testing.T) {
	data := []byte(`{"tools":[{"name":"f","inputSchema":{"type":"object","properties":{"a":{}}},"result":{"content":[{"type":"text","text":"here"}]}}],
		"resources":[{"uri":"u:v","text":"text"}],"prompts":[{"name":"p","messages":[{"content":"say"}]}]}`)
	c := catalog.New(nil)
	if _, err := c.Load(data); err != nil {
		t.Fatal(err)
	}
	for i := range data {
		data[i] = 'x'
	}
	if got := said(t, c.Tools(), id(t, c.Tools(), "f"), `{"a":1}`); got != "here" {
		t.Errorf("got %q", got)
	}
	if got := said(t, c.Prompts(), id(t, c.Prompts(), "p"), `{}`); got != "user: say" {
		t.Errorf("got %q", got)
	}
}

// TestW6ReadersSeeOneEdition holds that nobody sees half of a load.
func TestW6ReadersSeeOneEdition(t *testing.T) {
	edition := func(n int) []byte {
		var defs []string
		for i := range 30 {
			defs = append(defs, fmt.Sprintf(`{"name":"e%d.n%d","description":"Edition %d.","result":%d}`, i%3, i*(n+1), n, n))
		}
		return []byte("[" + strings.Join(defs, ",") + "]")
	}
	c := catalog.New(nil)
	if _, err := c.Load(edition(0)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for ctx.Err() == nil {
				l, err := c.Tools().List(ctx, "")
				if err != nil || len(l.Namespaces) != 3 {
					t.Errorf("in the middle of a load: %+v, %v", l, err)
					return
				}
				editions := make(map[string]bool)
				n := 0
				for f := range c.Tools().All() {
					editions[f.Description()] = true
					n++
				}
				if len(editions) != 1 || n != 30 {
					t.Errorf("a mixture is seen: %d functions of %v", n, editions)
					return
				}
			}
		})
	}
	for n := range 200 {
		if _, err := c.Load(edition(n % 2)); err != nil {
			t.Error(err)
		}
	}
	cancel()
	readers.Wait()
}

// TestW7Reachable holds that every tool is found by path, by id and by a query
// of its path, in catalogs of any size.
func TestW7Reachable(t *testing.T) {
	for _, n := range []int{1, 20, 21, 400, 10_000} {
		c, report := load(t, nil, tools(n))
		if report.Tools != n || len(report.Findings) > 0 {
			t.Fatalf("%d tools: %s", n, report)
		}
		top, err := registry.Browse(t.Context(), c.Tools(), "/")
		if err != nil || len(top) != (n+99)/100 {
			t.Fatalf("%d tools: %d namespaces, %v", n, len(top), err)
		}
		seen := make(map[string]bool)
		for _, ns := range top {
			nodes, err := registry.Browse(t.Context(), c.Tools(), ns.Path)
			if err != nil {
				t.Fatal(err)
			}
			for i, node := range nodes {
				f := node.Function
				seen[f.Tool()] = true
				if n > 1000 && i%50 != 0 {
					continue // a look-up of every one takes too long
				}
				one, err := registry.Browse(t.Context(), c.Tools(), node.Path)
				if err != nil || len(one) != 1 || one[0].Function != f {
					t.Fatalf("%s: %v, %v", node.Path, one, err)
				}
				for _, query := range []string{f.Path(), f.Tool(), f.Namespace() + " " + f.Name()} {
					got := c.Tools().Search(t.Context(), query, 3)
					if len(got) == 0 || got[0].Namespace != f.Namespace() || got[0].Name != f.Name() {
						t.Fatalf("%q finds %v, not %s", query, got, f.Path())
					}
				}
			}
		}
		for name, id := range ids(c.Tools()) {
			p, err := toolid.ParsePrimitive(id)
			if err != nil || !seen[name] {
				t.Fatalf("%s is not listed: %v", name, err)
			}
			if f, err := registry.Find(t.Context(), c.Tools(), p); err != nil || f.Tool() != name {
				t.Fatalf("%s: %v", id, err)
			}
		}
	}
}

// Names of any kind are kept for the server, and clean where they are shown.
func TestW5HostileNames(t *testing.T) {
	names := []string{
		"\x1b[31mred", "a\nb", "\u202egnp.exe", "日本語", "日本人", "x", "X", "x_", "__", "___", ".", "..", "/", "a.", ".a", "a/", "-", "🦀.🦀",
		strings.Repeat("long", 5000), "A.b", "UPPER/Case", "a:b#c@d", "<b>", "constructor", "tool::x", " ", "\u00e9t\u00e9", "mcp.x", "mcp", "9lives", "ns9.9",
	}
	var defs []string
	for _, n := range names {
		defs = append(defs, `{"name":`+quote(n)+`,"result":`+quote(n)+`}`)
	}
	c, report := load(t, nil, "["+strings.Join(defs, ",")+"]")
	all := ids(c.Tools())
	for _, n := range names {
		if all[n] == "" {
			t.Errorf("%.20q is gone: %s", n, report)
		} else if got := said(t, c.Tools(), all[n], `{}`); got != clean.Content(n) {
			t.Errorf("%.20q answers %.20q", n, got)
		}
	}
	paths := make(map[string]bool)
	for f := range c.Tools().All() {
		path, ok := registry.CanonicalPath(f.Path())
		if !ok || paths[path] {
			t.Errorf("%.20q is at %q, which is no path or not its own", f.Tool(), f.Path())
		}
		paths[path] = true
		for _, text := range append(slices.Clone(f.Aliases()), f.Description()) {
			if strings.ContainsAny(text, "\x1b\n\u202e") || len(text) > 1000 {
				t.Errorf("%q shows %q", f.Tool(), text)
			}
		}
	}
	if text := report.String(); strings.ContainsAny(text, "\x1b\u202e") || strings.Count(text, "\n") != len(report.Findings) || len(text) > 20_000 {
		t.Errorf("the report is\n%s", text)
	}
}

// A document of very many definitions is read as far as the limit, in time that
// grows with it.
func TestW6VeryMany(t *testing.T) {
	if testing.Short() {
		t.Skip("in full without -short")
	}
	var b strings.Builder
	b.WriteString("[\n")
	for i := range 60_000 {
		fmt.Fprintf(&b, "{\"name\":\"t.n%d\"},\n7,", i)
	}
	b.WriteString("0]")
	c, report := load(t, nil, b.String())
	if report.Tools != 50_000 || report.Counts[catalog.Refused] != 10_000+60_001 || len(report.Findings) != 1000 || len(report.String()) > 100_000 {
		t.Errorf("%d served, %d findings, %v", report.Tools, len(report.Findings), report.Counts)
	}
	if !strings.HasSuffix(report.String(), "\nand 69001 more") {
		t.Errorf("the report ends %q", report.String()[len(report.String())-50:])
	}
	if _, err := c.Tools().Function(t.Context(), "t", "n49999"); err != nil {
		t.Error(err)
	}
	same := "[" + strings.Repeat(`{"name":"same"},`, 99_999) + `{"name":"last"}]`
	if _, report := load(t, nil, same); report.Tools != 2 || report.Counts[catalog.Duplicate] != 99_998 {
		t.Errorf("%d served, %v", report.Tools, report.Counts)
	}
	var odd strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&odd, `{"name":"x.%s"},`, strings.Repeat("é", i%300)+fmt.Sprint(i))
	}
	if _, report := load(t, nil, "["+odd.String()+`{"name":"last"}]`); report.Tools != 20_001 {
		t.Errorf("%d served", report.Tools)
	}
}
