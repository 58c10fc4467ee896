package skillext_test

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/cash/plain"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/cash/upstream"
	"github.com/cash-mcp/go-sdk/registry"
)

// cashServer is a CaSH server as an upstream.
func cashServer(src registry.Source, label string) upstream.Server {
	return upstream.Server{Label: label, Endpoint: upstream.InMemory{Server: cash.NewServer(src, nil)}}
}

// Skills of a mounted CaSH server come through with their files, digests and front matter, on every face. The paths of
// functions in their texts are those of this tree.
func TestMountedCaSHSkills(t *testing.T) {
	reg, agg := mount(t, cashServer(shop(t), "eu.shop"))
	eachFace(t, func(t *testing.T, make func(registry.Source, serve.Options) http.Handler, modern bool) {
		h := connect(t, make(reg, serve.Options{}), modern, nil)
		entries := h.list()
		want := []string{
			"skill://eu.shop.orders/create/SKILL.md", "skill://eu.shop.orders/export/SKILL.md", "skill://eu.shop.orders/greet/SKILL.md",
			"skill://eu.shop.orders/refund-order/SKILL.md", "skill://eu.shop.shop_floor.sub/count/SKILL.md", "skill://eu.shop/orders/SKILL.md",
		}
		if got := slices.Sorted(maps.Keys(entries)); !slices.Equal(got, want) {
			t.Fatalf("the skills are %q; %v", got, agg.Status()[0].Notes)
		}
		for uri, e := range entries {
			text := h.load(e)
			switch {
			case strings.Contains(uri, "refund-order"):
				moved := strings.ReplaceAll(refunds, `namespace="orders"`, `namespace="eu.shop.orders"`)
				if _, body, _ := strings.Cut(moved, "\n---\n"); !strings.HasSuffix(text, strings.TrimLeft(body, "\n")) {
					t.Errorf("%s is %q", uri, text)
				}
				h.files(e)
			case strings.Contains(uri, "greet"):
				if !e.dynamic() || !strings.Contains(text, "Greet nobody.") {
					t.Errorf("%s is %s: %q", uri, e.Resources, text)
				}
			case e.dynamic() != strings.HasSuffix(uri, "shop/orders/SKILL.md"): // it has greet below it
				t.Errorf("%s is dynamic: %v", uri, e.dynamic())
			}
		}
		if e := entries[want[3]]; e.FrontMatter["license"] != "Apache-2.0" || e.FrontMatter["compatibility"] != nil {
			t.Errorf("the front matter is %v", e.FrontMatter)
		}
		if s := agg.Status()[0]; s.Skills != len(want) || len(s.Notes) > 0 {
			t.Errorf("the status counts %d skills: %q", s.Skills, s.Notes)
		}
	})
}

// The tool skill and the extension agree on names and texts at every level of mounted servers, and the tool says what it
// says for a server without the extension.
func TestCaSHSkillsTwoLevels(t *testing.T) {
	first, _ := mount(t, cashServer(shop(t), "shop"))
	second, agg := mount(t, cashServer(first, "eu"))
	bare, _ := mount(t, upstream.Server{Label: "shop", Endpoint: upstream.InMemory{Server: bareCaSH(shop(t))}})
	for label, reg := range map[string]*registry.Registry{"": shop(t), "shop": first, "eu.shop": second} {
		server := cash.NewServer(reg, nil)
		h := connect(t, server.Handler(), true, nil)
		entries := h.list()
		if len(entries) != 6 {
			t.Errorf("%s has %q; %v", label, slices.Sorted(maps.Keys(entries)), agg.Status()[0].Notes)
		}
		listed := make(map[string]bool)
		for ns, about := range skillPages(t, server) {
			for _, name := range about {
				listed[ns+"/"+name] = true
			}
		}
		for uri, e := range entries {
			namespace, name, ok := strings.Cut(strings.TrimPrefix(e.root(), "skill://"), "/")
			if !ok {
				namespace, name = "", namespace
			}
			if !listed[namespace+"/"+strings.ReplaceAll(name, "-", "")] {
				t.Errorf("the tool does not list %s: %v", uri, listed)
			}
			text, err := server.Skill(t.Context(), &cash.SkillRequest{Namespace: namespace, Name: name})
			if got := h.load(e); err != nil || !strings.HasSuffix(got, "\n"+text) {
				t.Errorf("%s: the tool gives %q, %v; the extension %q", uri, text, err, got)
			}
		}
		if len(listed) != len(entries) {
			t.Errorf("the tool lists %v", listed)
		}
	}
	// Without the extension, all is read through the tool, and the tool says the same.
	with, without := cash.NewServer(first, nil), cash.NewServer(bare, nil)
	for ns, names := range skillPages(t, without) {
		for _, req := range []cash.SkillRequest{{Namespace: ns}, {Namespace: ns, Name: names[0]}} {
			a, errA := with.Skill(t.Context(), &req)
			b, errB := without.Skill(t.Context(), &req)
			if errA != nil || errB != nil || a != b {
				t.Errorf("skill%v: %q, %v; without the extension %q, %v", req, a, errA, b, errB)
			}
		}
	}
	for uri, e := range connect(t, without.Handler(), true, nil).list() {
		if !e.dynamic() {
			t.Errorf("%s is not dynamic", uri)
		}
	}
}

// bareCaSH is a CaSH server without the extension.
func bareCaSH(src registry.Source) *mcp.Server {
	face := cash.NewServer(src, nil)
	srv := mcp.NewServer(&mcp.Implementation{Name: "bare"}, nil)
	face.AddTo(srv)
	srv.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			if r, ok := res.(*mcp.InitializeResult); ok {
				r.Capabilities.Extensions = nil
			}
			if r, ok := res.(*mcp.DiscoverResult); ok {
				r.Capabilities.Extensions = nil
			}
			return res, err
		}
	})
	return srv
}

// skillPages returns the names in the lists of the tool skill, by namespace.
func skillPages(t *testing.T, server *cash.Server) map[string][]string {
	t.Helper()
	pages, queue := make(map[string][]string), []string{""}
	for len(queue) > 0 {
		ns := queue[0]
		queue = queue[1:]
		text, err := server.Skill(t.Context(), &cash.SkillRequest{Namespace: ns})
		if err != nil {
			t.Fatal(err)
		}
		own, below, _ := strings.Cut(text, "## Namespaces with skills")
		if list := names(own); len(list) > 0 {
			pages[ns] = list
		}
		for _, path := range names(below) {
			if _, known := pages[path]; !known && ns == "" {
				queue = append(queue, path)
			}
		}
	}
	return pages
}

// names returns what a list has in bold.
func names(text string) (list []string) {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "- **"); ok {
			name, _, _ := strings.Cut(rest, "**")
			list = append(list, name)
		}
	}
	return list
}

// Skills of a mounted server that a caller may not see are absent from every request, for servers of both kinds.
func TestHiddenMountedSkills(t *testing.T) {
	admins := func(_ context.Context, c *registry.Caller) bool { return slices.Contains(c.Roles, "admin") }
	o := serve.Options{VerifyToken: byName, Token: &auth.RequireBearerTokenOptions{AllowMissingExpiration: true}}
	own := func() *registry.Registry {
		reg := registry.New(nil)
		reg.AddSkills(fstest.MapFS{"open/own/SKILL.md": {Data: []byte("Open.\n")}})
		return reg
	}
	f := new(foreign)
	one := f.add("skill://one", fields("one", "One."), map[string]string{"SKILL.md": skillMD("one", "One.", "x\n"), "a/b.md": "B.\n"})
	f.pages = []string{"[" + one + "]"}
	with := own()
	agg := upstream.New(with, nil)
	t.Cleanup(func() { _ = agg.Close(context.WithoutCancel(t.Context())) })
	for _, s := range []upstream.Server{cashServer(shop(t), "ours"), f.at("theirs")} {
		s.VisibleTo = admins
		if err := agg.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := agg.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	header := func(user string) http.Header { return http.Header{"Authorization": {"Bearer " + user}} }
	eachFace(t, func(t *testing.T, make func(registry.Source, serve.Options) http.Handler, modern bool) {
		handler := make(with, o)
		if got := connect(t, handler, modern, header("admin")).list(); len(got) != 1+6+1 {
			t.Errorf("an admin sees %q", slices.Sorted(maps.Keys(got)))
		}
		user, stranger := connect(t, handler, modern, header("user")), connect(t, make(own(), o), modern, header("user"))
		for _, request := range [][2]string{
			{"skills/list", ""},
			{"skills/get", "skill://ours.orders/refund-order/SKILL.md"}, {"skills/get", "skill://theirs/one/SKILL.md"},
			{"resources/read", "skill://ours.orders/refund-order/references/policy.md"}, {"resources/read", "skill://theirs/one/a/b.md"},
			{"resources/directory/read", "skill://ours.orders/refund-order"}, {"resources/directory/read", "skill://theirs/one/a"},
			{"resources/directory/read", "skill://theirs"}, {"resources/directory/read", "skill://open/own"},
		} {
			params := func() map[string]any {
				if request[1] == "" {
					return map[string]any{}
				}
				return map[string]any{"uri": request[1]}
			}
			got, gotErr := user.call(request[0], params())
			want, wantErr := stranger.call(request[0], params())
			if string(got) != string(want) || (gotErr == nil) != (wantErr == nil) || gotErr != nil && *gotErr != *wantErr {
				t.Errorf("%v: %s %+v, and without the servers %s %+v", request, got, gotErr, want, wantErr)
			}
		}
	})
}

// A dynamic skill of a mounted server keeps its name and its front matter, at every level. Only invisible characters are
// removed.
func TestMountedDynamicSkills(t *testing.T) {
	own := registry.New(nil)
	own.AddSkills(fstest.MapFS{"orders/say-hello/SKILL.md": {Data: []byte("---\nname: say-hello\ndescription: \"Say hello: to whom.\"\nlicense: MIT\n" +
		"\"odd key: {\": \"a: \\\"b\\\" # c\\u0001\\U0001F600\"\nmetadata:\n  weight: 1.50\n  since: \"2026-01-02\"\n  yes: true\n  none: null\n  list: [1, two]\n  hidden: \"x\\u202Ey\"\n---\n\nHello {{name|nobody}}.\n")}})
	for kind, server := range map[string]func(registry.Source) upstream.Server{
		"cash":  func(src registry.Source) upstream.Server { return cashServer(src, "far") },
		"plain": func(src registry.Source) upstream.Server { return plainServer(src, "far") },
	} {
		first, agg := mount(t, server(own))
		second, _ := mount(t, cashServer(first, "eu"))
		for label, reg := range map[string]*registry.Registry{"far": first, "eu.far": second} {
			for _, modern := range []bool{false, true} {
				h := connect(t, faces["gateway"](reg, serve.Options{}), modern, nil)
				entries := h.list()
				e := entries["skill://"+label+".orders/say-hello/SKILL.md"]
				if e == nil {
					t.Fatalf("%s: the skills are %q; %v", kind, slices.Sorted(maps.Keys(entries)), agg.Status()[0].Notes)
				}
				if text := h.load(e); !e.dynamic() || !strings.HasSuffix(text, "Hello nobody.\n") || strings.Contains(text, "\u202e") {
					t.Errorf("%s is %s: %q", e.URI, e.Resources, text)
				}
				meta, _ := e.FrontMatter["metadata"].(map[string]any)
				if e.FrontMatter["license"] != "MIT" || e.FrontMatter["description"] != "Say hello: to whom." || meta["weight"] != 1.5 ||
					meta["since"] != "2026-01-02" || meta["yes"] != true || meta["hidden"] != "xy" || e.FrontMatter["odd key: {"] != "a: \"b\" # c😀" {
					t.Errorf("%s %s has the front matter %v", kind, e.URI, e.FrontMatter)
				}
			}
			if text, err := cash.NewServer(reg, nil).Skill(t.Context(), &cash.SkillRequest{Namespace: label + ".orders", Name: "say-hello"}); err != nil || !strings.Contains(text, "Hello nobody.") {
				t.Errorf("%s: the tool gives %q, %v", kind, text, err)
			}
		}
	}
}

func plainServer(src registry.Source, label string) upstream.Server {
	return upstream.Server{Label: label, Endpoint: upstream.InMemory{Server: plain.NewServer(src, nil)}}
}

// A static skill of a mounted server says which of the functions that it records have changed, at every level of mounted
// servers and as long as that is so. Its bytes stay what they are.
func TestMountedSkillsRecordDefinitions(t *testing.T) {
	make := func(about string) *registry.Registry {
		reg := registry.New(nil)
		reg.Namespace("orders", "Orders.").Add(
			registry.Func("create", about, func(context.Context, struct{}) (string, error) { return "", nil }),
			registry.Func("get", "Get an order.", func(context.Context, struct{}) (string, error) { return "", nil }))
		return reg
	}
	var recorded []string
	for _, name := range []string{"create", "get"} {
		f, err := make("Create an order.").Function(t.Context(), "orders", name)
		if err != nil {
			t.Fatal(err)
		}
		recorded = append(recorded, f.Path()+"="+f.Definition()[:12])
	}
	file := "---\nname: buy\ndescription: Buy.\nmetadata:\n  " + registry.RecordKey + ": " + strings.Join(recorded, " ") + "\n---\nText.\n"
	for about, changed := range map[string]bool{"Create an order.": false, "Create another order.": true} {
		reg := make(about)
		reg.AddSkills(fstest.MapFS{"orders/buy/SKILL.md": {Data: []byte(file)}})
		first, _ := mount(t, cashServer(reg, "shop"))
		second, _ := mount(t, cashServer(first, "eu"))
		for label, reg := range map[string]*registry.Registry{"shop": first, "eu.shop": second} {
			namespace, want := label+".orders", "Text.\n"
			if changed {
				want = "> These functions have changed since the text below was written. Read them first: `help(namespace=\"" + namespace +
					"\", function=\"create\")`.\n\nText.\n"
			}
			server := cash.NewServer(reg, nil)
			text, err := server.Skill(t.Context(), &cash.SkillRequest{Namespace: namespace, Name: "buy"})
			if err != nil || text != want {
				t.Errorf("%s, %s: %q, %v; want %q", label, about, text, err, want)
			}
			h := connect(t, server.Handler(), true, nil)
			for uri, e := range h.list() {
				if got := h.load(e); e.dynamic() || got != file {
					t.Errorf("%s is dynamic: %v, %q", uri, e.dynamic(), got)
				}
			}
		}
	}
}

// Entries of any server may say that functions have changed. What is no path, or no function here, is left out.
func TestHostileChangedFunctions(t *testing.T) {
	f := new(foreign)
	one := f.add("skill://a", fields("a", "A."), map[string]string{"SKILL.md": skillMD("a", "A.", "Text.\n")})
	f.pages = []string{`[{"_meta":{"cash/changed":["ping",7,"","ping ping","../x","no.such","` + strings.Repeat("a.", 1000) + `a"]},` + one[1:] + `]`}
	reg, agg := mount(t, f.at("far"))
	text, err := cash.NewServer(reg, nil).Skill(t.Context(), &cash.SkillRequest{Namespace: "far", Name: "a"})
	if want := "`help(namespace=\"far\", function=\"ping\")`.\n\nText.\n"; err != nil || !strings.HasSuffix(text, "first: "+want) {
		t.Errorf("%q, %v; %v", text, err, agg.Status()[0].Notes)
	}
}
