package cash_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/registry"
)

// manyIn adds n functions to a namespace of reg.
func manyIn(reg *registry.Registry, path string, n int, opts ...registry.FuncOption) {
	list := make([]*registry.Function, n)
	for i := range list {
		list[i] = registry.Func(fmt.Sprintf("f%04d", i), fmt.Sprintf("Does what number %d does, in some seventy characters or so.", i), nothing, opts...)
	}
	reg.Namespace(path, "").Add(list...)
}

var (
	listedName = regexp.MustCompile(`(?m)^- \*\*([\w.]+)\*\*`)
	goesOn     = regexp.MustCompile(`go on with .*kwargs=(\{[^}]*\})`)
)

// follow returns the names on all pages that begin with first, and the number of pages.
func follow(t *testing.T, budget int, first string, page func(kwargs string) string) (names []string, pages int) {
	t.Helper()
	for kwargs := first; ; pages++ {
		text := page(kwargs)
		if n := utf8.RuneCountInString(text); n > budget {
			t.Fatalf("Z1: a page of %d characters, with a budget of %d", n, budget)
		}
		for _, m := range listedName.FindAllStringSubmatch(text, -1) {
			names = append(names, m[1])
		}
		next := goesOn.FindStringSubmatch(strings.ReplaceAll(text, "Go on", "go on"))
		if next == nil {
			return names, pages + 1
		}
		kwargs = next[1]
	}
}

func checkNames(t *testing.T, names []string, want int) {
	t.Helper()
	if sorted := slices.Sorted(slices.Values(names)); len(slices.Compact(sorted)) != len(names) || len(names) != want {
		t.Errorf("Z1: %d names, %d different ones, want %d", len(names), len(slices.Compact(sorted)), want)
	}
}

// TestZ1Pages holds that a page of help stays within its budget, tells the counts, and leads to all the rest.
func TestZ1Pages(t *testing.T) {
	for _, tt := range []struct{ namespaces, functions, limit int }{
		{0, 9000, 0}, {3, 9000, 0}, {3, 9000, 2000}, {3000, 2000, 0}, {2, 1, 1}, {70, 200, 5000},
	} {
		for _, path := range []string{"", "orders"} {
			t.Run(fmt.Sprintf("%q %+v", path, tt), func(t *testing.T) {
				reg := registry.New(nil)
				manyIn(reg, path, tt.functions)
				for i := range tt.namespaces {
					below := strings.TrimPrefix(fmt.Sprintf("%s.sub%04d", path, i), ".")
					reg.Namespace(below, strings.Repeat("x", 150)).Add(registry.Func("f", "F.", nothing))
				}
				srv := cash.NewServer(reg, &cash.Options{SizeLimit: tt.limit})
				budget := max(tt.limit, 1000)
				if tt.limit == 0 {
					budget = 10_000
				}
				first := help(t, srv, path, "", "")
				names, pages := follow(t, budget, `{}`, func(kwargs string) string { return help(t, srv, path, "", kwargs) })
				checkNames(t, names, tt.namespaces+tt.functions)
				if tt.functions+tt.namespaces < 10 {
					return
				}
				for _, want := range []string{
					fmt.Sprintf("(%d namespaces, %d functions)", tt.namespaces, tt.functions),
					`kwargs={"search": "..."}`, fmt.Sprintf(`of %d`, tt.namespaces+tt.functions),
				} {
					if !strings.Contains(first, want) || pages < 2 {
						t.Errorf("Z1: the first of %d pages lacks %q:\n%s", pages, want, first)
					}
				}
				if tt.namespaces < 100 {
					for i := range tt.namespaces {
						if !strings.Contains(first, fmt.Sprintf("- **sub%04d**", i)) {
							t.Errorf("Z1: the first page does not name sub%04d", i)
						}
					}
				}
				if whole := help(t, srv, path, "", `{"format":"json"}`); strings.Count(whole, `"name"`) != tt.functions+tt.namespaces || strings.Contains(whole, `"next"`) {
					t.Errorf("Z1: JSON is not whole: %.300s", whole)
				}
			})
		}
	}
}

// TestZ1Window holds what offset and limit do, in both formats, and that nonsense does nothing (R46).
func TestZ1Window(t *testing.T) {
	reg := registry.New(nil)
	manyIn(reg, "orders", 30)
	reg.Namespace("orders.retail", "Retail.").Add(registry.Func("f", "F.", nothing))
	srv := cash.NewServer(reg, nil)
	for _, tt := range []struct{ kwargs, first, last, position, next string }{
		{`{"offset":0,"limit":2}`, "retail", "f0000", "Entries 1 to 2 of 31 (1 namespace, 30 functions), by name.", `kwargs={"offset": 2, "limit": 2}`},
		{`{"offset":"29","limit":"5"}`, "f0028", "f0029", "Entries 30 to 31 of 31", ""},
		{`{"Off_Set":1,"LIMIT":1}`, "f0000", "f0000", "Entries 2 to 2 of 31", `kwargs={"offset": 2, "limit": 1}`},
		{`{"limit":100}`, "retail", "f0029", "", ""},
		{`{"offset":31}`, "", "", "No entries from offset 31 on: there are 31", ""},
		{`{"offset":1e30}`, "", "", "No entries from offset", ""},
	} {
		text := help(t, srv, "orders", "", tt.kwargs)
		var names []string
		for _, m := range listedName.FindAllStringSubmatch(text, -1) {
			names = append(names, m[1])
		}
		if tt.first == "" && names != nil || tt.first != "" && (len(names) == 0 || names[0] != tt.first || names[len(names)-1] != tt.last) ||
			!strings.Contains(text, tt.position) || !strings.Contains(text, tt.next) || tt.next == "" && strings.Contains(text, "go on") {
			t.Errorf("%s:\n%s", tt.kwargs, text)
		}
		var page struct {
			Namespaces, Functions []struct{ Name string }
			Total, Next           int
		}
		kwargs := strings.Replace(tt.kwargs, "{", `{"format":"json",`, 1)
		if err := json.Unmarshal([]byte(help(t, srv, "orders", "", kwargs)), &page); err != nil || page.Total != 31 || (page.Next > 0) != (tt.next != "") ||
			len(page.Namespaces)+len(page.Functions) != len(names) {
			t.Errorf("%s: %+v, %v", kwargs, page, err)
		}
	}
	if got := help(t, srv, "", "", `{"offset":5}`); !strings.HasPrefix(got, "No entries from offset 5 on: there are 1 (1 namespace, 0 functions), and the first has offset 0.\n\nSupported") {
		t.Errorf("beyond the end of the root:\n%s", got)
	}
	for _, format := range []string{"markdown", "json"} {
		plain := help(t, srv, "orders", "", `{"format":"`+format+`"}`)
		for _, nonsense := range []string{`"offset":-1`, `"offset":1.5`, `"offset":"x"`, `"offset":[1]`, `"offset":null`, `"limit":0`, `"limit":-3`, `"limit":true`, `"limit":""`} {
			if got := help(t, srv, "orders", "", `{"format":"`+format+`",`+nonsense+`}`); got != plain {
				t.Errorf("R46: %s changes the page to\n%s", nonsense, got)
			}
		}
	}
}

// TestZ1Hidden holds that pages of a caller count and list what that caller sees, as if there were nothing else.
func TestZ1Hidden(t *testing.T) {
	some, all := registry.New(nil), registry.New(nil)
	for _, reg := range []*registry.Registry{some, all} {
		manyIn(reg, "orders", 4000)
		reg.Namespace("orders.retail", "Retail.").Add(registry.Func("f", "F.", nothing))
	}
	admins := registry.VisibleTo(registry.Roles("admin"))
	for i := range 4000 {
		all.Namespace("orders", "").Add(registry.Func(fmt.Sprintf("f%04d_hidden", i), "Hidden.", nothing, admins))
	}
	all.Namespace("orders.secret", "Secret.", admins).Add(registry.Func("f", "F.", nothing))
	a, b := cash.NewServer(some, nil), cash.NewServer(all, nil)
	for _, kwargs := range []string{`{}`, `{"offset":90}`, `{"limit":7}`, `{"offset":3999}`, `{"offset":4002}`, `{"format":"json","limit":3}`, `{"format":"json"}`} {
		if x, y := help(t, a, "orders", "", kwargs), help(t, b, "orders", "", kwargs); x != y {
			t.Errorf("Z1 %s: hidden functions change the page from\n%.500s\nto\n%.500s", kwargs, x, y)
		}
	}
}

// TestZ1FunctionPage holds that the page of a function stays within its budget, shows what is required, and says how
// to get the rest.
func TestZ1FunctionPage(t *testing.T) {
	properties := make(map[string]any)
	for i := range 3000 {
		properties[fmt.Sprintf("p%04d", i)] = map[string]any{"type": "string", "description": "Parameter " + strings.Repeat("x ", i%10)}
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": []string{"p2999", "p1500"}})
	if err != nil {
		t.Fatal(err)
	}
	never := func(context.Context, json.RawMessage) (*registry.Result, error) { return nil, nil }
	for _, description := range []string{"Wide.", strings.Repeat("A long text. ", 5000), strings.Repeat("x", 100_000)} {
		f, err := registry.RawFunc("wide", description, schema, never, registry.Returns(strings.Repeat("Much. ", 4000)))
		if err != nil {
			t.Fatal(err)
		}
		srv := serverOf(f)
		for _, kwargs := range []string{``, `{"params":"full"}`, `{"examples":true}`} {
			text := help(t, srv, "", "wide", kwargs)
			if n := utf8.RuneCountInString(text); n > 10_000 || n < 5000 {
				t.Errorf("Z1 %s: a page of %d characters", kwargs, n)
			}
			for _, want := range []string{"# wide\n", "| p1500 | string | yes |", "| p2999 | string | yes |", " of 3000 parameters are shown.", `help(function="wide", kwargs={"format": "json"`} {
				if !strings.Contains(text, want) {
					t.Errorf("Z1 %s: the page lacks %q:\n%s", kwargs, want, text)
				}
			}
		}
		var page struct{ Parameters []any }
		if err := json.Unmarshal([]byte(help(t, srv, "", "wide", `{"format":"json"}`)), &page); err != nil || len(page.Parameters) != 3000 {
			t.Errorf("Z1: %d parameters in JSON, %v", len(page.Parameters), err)
		}
	}
}

// TestZ1OtherPages holds that pages of other servers are cut at the end of a line, JSON excepted.
func TestZ1OtherPages(t *testing.T) {
	text := "# remote\n\n```\n" + strings.Repeat("A line of that page.\n", 2000)
	page := func(_ context.Context, kwargs json.RawMessage) (string, error) {
		if strings.Contains(string(kwargs), "json") {
			return `{"name":"` + strings.Repeat("x", 20_000) + `"}`, nil
		}
		return text, nil
	}
	f, err := registry.RemoteFunc("remote", "Remote.", registry.Remote{Page: page, Handler: func(context.Context, *registry.Call) (*registry.Result, error) { return nil, nil }})
	if err != nil {
		t.Fatal(err)
	}
	reg := registry.New(nil)
	reg.Namespace("far", "Far.").Page(page).Add(f)
	srv := cash.NewServer(reg, nil)
	for name, want := range map[string]string{
		"":       "This is the beginning of a page of 42014 characters. Search with `help(namespace=\"far\", kwargs={\"search\": \"...\"})`",
		"remote": "This is the beginning of a page of 42014 characters. All of it: `help(namespace=\"far\", function=\"remote\", kwargs={\"format\": \"json\"})`.",
	} {
		got := help(t, srv, "far", name, `{"model":"small"}`)
		if n := utf8.RuneCountInString(got); n > 10_000 || n < 9000 || !strings.Contains(got, "A line of that page.\n```\n\n"+want) {
			t.Errorf("Z1 %q: %d characters, ending with\n%s", name, n, got[max(0, len(got)-300):])
		}
		if got := help(t, srv, "far", name, `{"model":"small","format":"json"}`); len(got) < 20_011 {
			t.Errorf("Z1 %q: JSON of %d bytes", name, len(got))
		}
	}
}

// TestZ1Skills holds the same of lists of skills.
func TestZ1Skills(t *testing.T) {
	for _, tt := range []struct{ skills, namespaces int }{{1500, 0}, {0, 700}, {300, 300}} {
		for _, path := range []string{"", "orders"} {
			reg := registry.New(nil)
			for i := range tt.skills {
				reg.Namespace(path, "").AddSkill(registry.NewSkill(fmt.Sprintf("s%04d", i), strings.Repeat("y", i%150), "Do it."))
			}
			for i := range tt.namespaces {
				reg.Namespace(strings.TrimPrefix(fmt.Sprintf("%s.n%04d", path, i), "."), "").AddSkill(registry.NewSkill("s", "", "Do it."))
			}
			srv := cash.NewServer(reg, nil)
			read := func(kwargs string) string {
				text, err := srv.Skill(t.Context(), &cash.SkillRequest{Namespace: path, Kwargs: json.RawMessage(kwargs)})
				if err != nil {
					t.Fatal(err)
				}
				return text
			}
			names, pages := follow(t, 10_000, `{}`, read)
			checkNames(t, names, tt.skills+tt.namespaces)
			wide, fewer := follow(t, 10_000, `{"limit":500}`, read)
			if checkNames(t, wide, tt.skills+tt.namespaces); fewer >= pages {
				t.Errorf("X2: %d pages with a limit of 500, %d without one", fewer, pages)
			}
			count := fmt.Sprintf("of %d (%d skills here, %d namespaces with skills)", tt.skills+tt.namespaces, tt.skills, tt.namespaces)
			if text := read(`{}`); !strings.Contains(text, count) {
				t.Errorf("Z1: the list lacks %q:\n%s", count, text)
			}
		}
	}
}

// TestZ1Arguments holds that the root documents all that pages take (R45).
func TestZ1Arguments(t *testing.T) {
	srv := exampleServer()
	var page struct{ Arguments map[string]any }
	if err := json.Unmarshal([]byte(help(t, srv, "", "", `{"format":"json"}`)), &page); err != nil {
		t.Fatal(err)
	}
	text := help(t, srv, "", "", "")
	for _, name := range []string{"format", "examples", "params", "search", "offset", "limit"} {
		if !strings.Contains(text, "`"+name+"`") || page.Arguments[name] == nil {
			t.Errorf("R45: %s is not documented in\n%s\nor %v", name, text, slices.Sorted(maps.Keys(page.Arguments)))
		}
	}
}

// TestFlatHeading holds that the page of a server without namespaces has one heading.
func TestFlatHeading(t *testing.T) {
	if got := help(t, serverOf(registry.Func("ping", "# Ping\nMore.", nothing)), "", "", ""); !strings.HasPrefix(got, "# Available Functions\n\n- **ping** — Ping\n\nSupported") {
		t.Errorf("got\n%s", got)
	}
}
