package gateway_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/registry"
	"github.com/cash-mcp/go-sdk/toolid"
)

// house is a server of a registry in which some things are for the boss alone, or
// are not there at all.
func house(t testing.TB, mode gateway.Mode, hidden bool) (*gateway.Server, []string) {
	t.Helper()
	var secrets []string
	tools, resources, prompts := newShop().Registry, registry.New(nil), registry.New(nil)
	addResource(t, resources, "readme", "# Read me")
	boss := registry.Roles("boss")
	secret := func(reg *registry.Registry, path, name, about string, kind toolid.Kind) {
		remote := registry.Remote{Handler: answers(registry.TextResult("gold"))}
		var err error
		switch kind {
		case toolid.Resource:
			remote.ID, err = toolid.FromResource("docs", name, "file:///"+name)
		case toolid.Prompt:
			remote.ID, err = toolid.FromPrompt("docs", name, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		f, err := registry.RemoteFunc(name, about, remote, registry.VisibleTo(boss))
		if err != nil {
			t.Fatal(err)
		}
		secrets = append(secrets, f.In(path).Primitive().String())
		if hidden {
			reg.Namespace(path, "").Add(f)
		}
	}
	// Beside what is visible, like it, in its place in the numbering, alone, below and on top.
	secret(tools, "orders.archive", "create", "Create an order of old.", "")
	secret(tools, "orders.archive", "list", "List orders.", "")
	secret(tools, "orders.retail", "refunds", "Pay money back.", "")
	secret(tools, "stock.count", "deep", "Count what is in the warehouse.", "")
	secret(tools, "vault", "open", "Open the vault.", "")
	secret(tools, "vault.deep", "drain", "Drain the vault.", "")
	secret(tools, "", "panic_button", "Answer at once.", "")
	secret(resources, "docs", "vault_plan", "Where the vault is.", toolid.Resource)
	secret(prompts, "docs", "rob", "Rob the vault.", toolid.Prompt)
	sk := registry.NewSkill("rob-vault", "How to restock the vault.", "Dig.", registry.VisibleTo(boss))
	in, err := sk.In("orders")
	if err != nil {
		t.Fatal(err)
	}
	secrets = append(secrets, in.ID().String())
	if hidden {
		tools.Namespace("orders", "Create and manage customer orders.").AddSkill(sk)
	}
	return gateway.NewServer(tools, &gateway.Options{
		Mode: mode, Resources: resources, Prompts: prompts, CacheStable: mode == gateway.Gateway,
	}), secrets
}

// TestHiddenIsAbsent compares, byte for byte, all that somebody is told who may not
// see a thing with what a server says that does not have it (R54 at the gateway).
func TestHiddenIsAbsent(t *testing.T) {
	for mode, l := range map[gateway.Mode]cashtest.Link{gateway.Gateway: links[3], gateway.Proxy: links[0]} {
		t.Run(fmt.Sprintf("%d/%s", mode, l), func(t *testing.T) {
			with, secrets := house(t, mode, true)
			without, _ := house(t, mode, false)
			a, b := l.Connect(t, with, named("eve", "clerk"), nil), l.Connect(t, without, named("eve", "clerk"), nil)
			if x, y := toJSON(a.Session.InitializeResult().Instructions), toJSON(b.Session.InitializeResult().Instructions); x != y {
				t.Errorf("instructions\n%s\n%s", x, y)
			}
			if x, y := toJSON(a.Tools()), toJSON(b.Tools()); x != y {
				t.Errorf("tools/list\n%s\n%s", x, y)
			}
			for _, q := range probes(mode, secrets) {
				ra, errA := a.Session.CallTool(t.Context(), &mcp.CallToolParams{Name: q.tool, Arguments: q.args})
				rb, errB := b.Session.CallTool(t.Context(), &mcp.CallToolParams{Name: q.tool, Arguments: q.args})
				if fmt.Sprint(errA) != fmt.Sprint(errB) {
					t.Errorf("%s %v:\n%v\n%v", q.tool, q.args, errA, errB)
				}
				if x, y := spoken(ra), spoken(rb); x != y || strings.Contains(x, "gold") {
					t.Errorf("%s %v:\n%s\n%s", q.tool, q.args, x, y)
				}
			}
		})
	}
}

// TestHiddenIsThere holds that the test above would fail: the boss sees it all.
func TestHiddenIsThere(t *testing.T) {
	with, secrets := house(t, gateway.Gateway, true)
	c := inMemory(t, with, named("max", "boss"))
	for _, id := range secrets {
		tool, arg := "tool_execute", "tool_id"
		if kind, _, found := strings.Cut(id, "::"); found && kind != "skill" {
			tool, arg = map[string]string{"resource": "resource_read", "prompt": "prompt_get"}[kind], kind+"_id"
		}
		if e := envelopeOf(t, c.Tool(tool, object{arg: id}).OK()); e.Summary != "gold" && e.Summary != "Dig." {
			t.Errorf("%s: %+v", id, e)
		}
	}
}

// spoken is all that a result says, metadata aside.
func spoken(r *mcp.CallToolResult) string {
	if r == nil {
		return ""
	}
	return fmt.Sprint(toJSON(r.Content), toJSON(r.StructuredContent), r.IsError)
}

type probe struct {
	tool string
	args object
}

// probes are requests by which hidden things might be found out.
func probes(mode gateway.Mode, secrets []string) []probe {
	var list []probe
	add := func(tool string, args object) { list = append(list, probe{tool, args}) }
	var ids []string
	for _, id := range secrets {
		body, hash, _ := strings.Cut(id, "#")
		ids = append(ids, id, body+"#00000000", body+"x#"+hash, strings.ToUpper(body)+"#"+hash, body+"@1#"+hash, url.PathEscape(id), strings.NewReplacer(":", "_", "#", "_", ".", "_").Replace(id))
	}
	ids = append(ids, "orders:crate#00000000", "vault:open#00000000", "mcp:panic#00000000", "orders:refunds#00000000", "orders:refund#00000000", "stock:deep#00000000")
	for _, id := range ids {
		for _, dry := range []bool{false, true} {
			add("tool_execute", object{"tool_id": id, "dry_run": dry})
		}
		add("resource_read", object{"resource_id": id})
		add("prompt_get", object{"prompt_id": id})
		add("tool_hydrate", object{"tool_id": id})
		if mode == gateway.Proxy {
			add(id, object{})
		}
	}
	for _, kind := range []string{"tool", "resource", "prompt"} {
		for _, path := range []string{"/", "/*", "/orders", "/orders/archive", "/orders/archive/create", "/orders/archve", "/orders/retail", "/orders/retail/refunds", "/orders/retail/refuns",
			"/stock", "/stock/count", "/stock/count-2", "/stock/count/deep", "/vault", "/vault/deep", "/vault/deep/drain", "/vaul", "/mcp", "/mcp/panicbutton", "/mcp/panicbuton", "/docs", "/docs/vaultplan", "/docs/rob", "/orders/robvault"} {
			add(kind+"_browse", object{"path": path})
			add(kind+"_browse", object{"path": path, "top_k": 1})
		}
		for _, query := range []string{"vault", "open the vault", "orders", "create", "orders.archive.create", "refunds", "panic_button", "rob", "list orders of old", "count", "drain"} {
			add(kind+"_browse", object{"query": query})
			add(kind+"_browse", object{"query": query, "top_k": 2, "offset": 1})
		}
	}
	return list
}

// TestHiddenFromRefresh holds that what a refresh sees for the operator is shown to
// nobody else.
func TestHiddenFromRefresh(t *testing.T) {
	with, _ := house(t, gateway.Gateway, true)
	report, err := with.Refresh(context.Background())
	if err != nil || report.Tools != 13 || report.Resources != 2 || report.Prompts != 1 {
		t.Errorf("the operator is told %+v (%v)", report, err)
	}
	without, _ := house(t, gateway.Gateway, false)
	for _, path := range []string{"/", "/orders", "/stock"} {
		ctx := registry.WithCaller(context.Background(), named("eve"))
		a, errA := with.Browse(ctx, &gateway.BrowseRequest{Path: path})
		b, errB := without.Browse(ctx, &gateway.BrowseRequest{Path: path})
		if toJSON(a) != toJSON(b) || fmt.Sprint(errA) != fmt.Sprint(errB) {
			t.Errorf("%s:\n%s\n%s", path, toJSON(a), toJSON(b))
		}
	}
}
