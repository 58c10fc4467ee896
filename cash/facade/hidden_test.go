package facade_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/facade"
	"github.com/cash-mcp/go-sdk/registry"
)

// secrets are functions for the boss alone: beside what is visible, like it,
// below it, in domains of their own, in the root, and where they would change a
// name or what a tool declares.
var secrets = []struct{ path, name string }{
	{"orders", "creat"}, {"orders", "help"}, {"stock.help", "help"}, {"orders", "crate"}, {"orders.retail", "refunds"}, {"orders.archive", "create"}, {"stock", "wipe"}, {"stock.count", "deep"},
	{"vault", "open"}, {"vault.deep", "drain"}, {"", "panic_button"}, {"mcp", "ping"}, {"mcp", "other"}, {"tools", "list"}, {"search", "web"}, {"aaa", "first"},
}

// house is a server in which there are secrets, or none.
func house(hidden bool) *facade.Server {
	s := newShop()
	for _, path := range []string{"orders.depot", "crm", "search.deep"} { // what cannot be had is as hidden
		if hidden {
			s.Namespace(path, "Secret.", registry.VisibleTo(registry.Roles("boss"))).Unavailable(&registry.Error{Kind: registry.Unavailable, Message: "The gold is gone."})
		}
	}
	for _, secret := range secrets {
		f := registry.Func(secret.name, "Open the vault.", func(context.Context, struct{}) (string, error) { return "gold", nil }, registry.Destructive(true), registry.VisibleTo(registry.Roles("boss")))
		if hidden {
			s.Namespace(secret.path, "").Add(f)
		}
	}
	return facade.NewServer(s, &facade.Options{Tools: true, Search: map[string]facade.SearchFunc{}})
}

type probe struct {
	tool string
	args object
}

// probes are requests by which hidden things might be found out.
func probes() (list []probe) {
	cmds := []string{"list", "creat", "crate", "creates", "ping", "ping-2", "other", "first", "open", "deep.drain", "count.deep", "archive.create", "retail.refunds", "wipe", "panic_button", "web", "depot.open", "no"}
	for _, tool := range []string{"OrdersExecute", "StockExecute", "McpExecute", "VaultExecute", "AaaExecute", "CrmExecute", "ToolsExecute", "SearchExecute", "ArchiveExecute"} {
		for _, cmd := range cmds {
			list = append(list, probe{tool, object{"cmd": cmd, "params": object{"query": "vault"}}}, probe{tool, object{"cmd": cmd}})
		}
		for _, params := range []object{nil, {"offset": 1, "limit": 2}, {"query": "open the vault"}, {"query": "creat"}, {"command": "creat"}, {"command": "open"}, {"command": "help"}, {"command": "list"}} {
			for _, cmd := range []string{"help", "help-2"} {
				list = append(list, probe{tool, object{"cmd": cmd, "params": params}}, probe{tool, object{"cmd": cmd, "detail": "full", "params": params}})
			}
		}
		list = append(list, probe{tool, object{}})
	}
	hidden := slices.Concat(secrets, []struct{ path, name string }{{"orders.depot", "open"}, {"crm", "find"}})
	for _, s := range hidden {
		name := strings.TrimPrefix(s.path+"."+s.name, ".")
		for _, cmd := range []string{"get", "validate", "execute"} {
			list = append(list, probe{"ToolsExecute", object{"cmd": cmd, "params": object{"name": name}}})
		}
		list = append(list, probe{"ToolsExecute", object{"cmd": "list", "params": object{"namespace": s.path}}})
	}
	for _, query := range []string{"open the vault", "order", "create", "refunds", "ping"} {
		list = append(list, probe{"ToolsExecute", object{"cmd": "list", "detail": "full", "params": object{"query": query, "limit": 2}}},
			probe{"SearchExecute", object{"cmd": "tools", "params": object{"query": query}}})
	}
	return list
}

// TestHiddenIsAbsent compares, byte for byte, all that somebody is told who may not
// see a thing with what a server says that does not have it.
func TestHiddenIsAbsent(t *testing.T) {
	for _, l := range []cashtest.Link{links[0], links[3]} {
		t.Run(l.String(), func(t *testing.T) {
			a, b := l.Connect(t, house(true), named("eve", "clerk"), nil), l.Connect(t, house(false), named("eve", "clerk"), nil)
			if x, y := a.Session.InitializeResult().Instructions, b.Session.InitializeResult().Instructions; x != y {
				t.Errorf("instructions\n%s\n%s", x, y)
			}
			if x, y := toJSON(a.Tools()), toJSON(b.Tools()); x != y {
				t.Errorf("tools/list\n%s\n%s", x, y)
			}
			for _, q := range probes() {
				ra, errA := a.Session.CallTool(t.Context(), &mcp.CallToolParams{Name: q.tool, Arguments: q.args})
				rb, errB := b.Session.CallTool(t.Context(), &mcp.CallToolParams{Name: q.tool, Arguments: q.args})
				if fmt.Sprint(errA) != fmt.Sprint(errB) {
					t.Errorf("%v:\n%v\n%v", q, errA, errB)
				}
				if x, y := toJSON(ra), toJSON(rb); x != y || strings.Contains(x, "gold") {
					t.Errorf("%v:\n%s\n%s", q, x, y)
				}
			}
		})
	}
}

// TestHiddenIsThere holds that the test above would fail: the boss sees it all.
func TestHiddenIsThere(t *testing.T) {
	c := inMemory(t, house(true), named("max", "boss"))
	for _, s := range secrets {
		label, cmd, _ := strings.Cut(strings.TrimPrefix(s.path+".", ".")+s.name, ".")
		if cmd == "" {
			label, cmd = "mcp", label
		}
		if e := okOf(t, c, facade.ToolName(label), object{"cmd": cmd}); string(e.Data) != `"gold"` {
			t.Errorf("%v: %s", s, e.text)
		}
	}
}
