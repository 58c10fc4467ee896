//go:build realclients

package realclients

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/disclosure"
	"github.com/cash-mcp/go-sdk/registry"
)

// dialects are what the TypeScript SDK speaks: its first version up to
// 2025-11-25, its second that and 2026-07-28.
var dialects = []struct{ sdk, version string }{
	{"v1", "2025-11-25"},
	{"v2", "2025-11-25"},
	{"v2", "2026-07-28"},
}

func TestTypeScriptSDK(t *testing.T) {
	ts := startTypeScript(t)
	for _, face := range []struct {
		name string
		test func(t *testing.T, connect func() *peer)
	}{
		{"plain", func(t *testing.T, connect func() *peer) {
			p := connect()
			plainList(t, p.list(t))
			plainCalls(t, p.result)
			unknown(t, p)
		}},
		{"facade", func(t *testing.T, connect func() *peer) {
			p := connect()
			facadeList(t, p.list(t))
			facadeCalls(t, p.result)
			unknown(t, p)
		}},
		{"disclosure", twoStages},
	} {
		url := serveHTTP(t, shop, "-face", face.name)
		for _, g := range dialects {
			for _, target := range [][]string{{url}, {shop, "-face", face.name, "-stdio"}} {
				transport := map[bool]string{true: "HTTP", false: "stdio"}[len(target) == 1]
				t.Run(fmt.Sprintf("%s, %s, SDK %s at %s", face.name, transport, g.sdk, g.version), func(t *testing.T) {
					face.test(t, func() *peer {
						p := ts.connect(t, g.sdk, g.version, target...)
						// The first SDK tells it over HTTP only.
						if p.Version != g.version && (g.sdk != "v1" || transport == "HTTP") {
							t.Fatalf("the connection has version %q", p.Version)
						}
						return p
					})
				})
			}
		}
	}
}

// unknown calls what is not there, which is an error of the protocol.
func unknown(t *testing.T, p *peer) {
	t.Helper()
	_, err := p.try(t, "callTool", map[string]any{"name": "nope", "arguments": map[string]any{}})
	if err == nil || !strings.HasPrefix(err.Error(), "-32602: ") || !strings.Contains(err.Error(), `unknown tool "nope"`) {
		t.Errorf("an unknown tool: %v", err)
	}
}

// twoStages goes the whole way in one session while another must not profit (P1
// to P16, P19, P25). Without sessions, the grant of the read is passed along.
func twoStages(t *testing.T, connect func() *peer) {
	a, b := connect(), connect()
	stateless := a.Version == "2026-07-28" && len(a.target) == 1
	if !strings.Contains(a.Instructions, descriptions+"?tools=") {
		t.Errorf("instructions: %s", a.Instructions)
	}
	disclosureList(t, a.list(t))
	var templates struct{ ResourceTemplates []resource }
	a.do(t, "listResourceTemplates", nil, &templates)
	if list := templates.ResourceTemplates; len(list) != 1 || list[0].URITemplate != descriptions+"{?tools}" {
		t.Errorf("templates: %+v", list)
	}
	var resources struct{ Resources []resource }
	a.do(t, "listResources", nil, &resources)
	checkResource(t, resources.Resources)

	refused := func(p *peer, tool, args string) string {
		t.Helper()
		got := p.result(t, true, tool, args)
		if got.text() != required(tool) || len(got.Content) != 1 || got.Structured != nil {
			t.Fatalf("%s before its description: %s, %s", tool, got.text(), got.Structured)
		}
		var body struct{ Error struct{ Resource_URI string } }
		decode(t, got.text(), &body)
		return body.Error.Resource_URI
	}
	uri := refused(a, "orders-get", getOrder)
	if got := a.read(t, descriptions); len(got) != 1 || got[0].Text != noSelection {
		t.Errorf("reading without a selection: %+v", got)
	}
	refused(a, "orders-get", getOrder)

	grant := checkRead(t, uri, a.read(t, uri), "orders-get")["orders-get"].Usage.Grant
	if (grant != "") != stateless {
		t.Fatalf("the grant is %q; without sessions = %t", grant, stateless)
	}
	order := with(getOrder, grant)
	for range 2 {
		if got := a.result(t, false, "orders-get", order).text(); !strings.HasPrefix(got, orderStart) {
			t.Errorf("orders-get: %s", got)
		}
	}
	refused(b, "orders-get", getOrder)
	refused(a, "crm-get", with(`{"customer_id":"C-5"}`, grant))
	if grant != "" {
		refused(a, "orders-get", with(getOrder, strings.Repeat("A", len(grant))))
	}
	if got := a.result(t, true, "orders-get", with(`{"order_id":7}`, grant)).text(); !strings.HasPrefix(got, `{"error":{"code":"INVALID_ARGUMENTS","message":"`) || !strings.Contains(got, uri) {
		t.Errorf("wrong arguments: %s", got)
	}
	several(t, a)
	unknown(t, a)
	if _, err := a.try(t, "readResource", map[string]any{"uri": "resource:///nothing"}); err == nil || !strings.HasPrefix(err.Error(), "-32602: ") {
		t.Errorf("reading what is not there: %v", err)
	}
	a.close(t)
	refused(connect(), "orders-get", getOrder)
}

// several reads of two tools, and one that is not there, in one query as URLs are
// written, and calls both.
func several(t *testing.T, p *peer) {
	t.Helper()
	uri := descriptions + "?tools=inventory-list%2C%20crm-find,nope&tools=crm-find"
	tools := checkRead(t, uri, p.read(t, uri), "inventory-list", "crm-find", "nope")
	if nope := tools["nope"]; nope.Error != "Tool 'nope' not found" || !slices.Equal(nope.Available, shopTools) {
		t.Errorf("a name that is not there: %+v", nope)
	}
	p.result(t, false, "inventory-list", with(`{}`, tools["inventory-list"].Usage.Grant))
	p.result(t, false, "crm-find", with(`{"query":"Bergen"}`, tools["crm-find"].Usage.Grant))
}

// with adds a grant, if there is one, to arguments.
func with(args, grant string) string {
	if grant == "" {
		return args
	}
	if args == "{}" {
		return fmt.Sprintf(`{"_grant":%q}`, grant)
	}
	return fmt.Sprintf(`{"_grant":%q,%s`, grant, args[1:])
}

// Without grants, clients over HTTP that speak both generations fall back to the
// one with sessions, and others are told that there is no other.
func TestTypeScriptSDKFallsBack(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("orders", "Orders.").Add(registry.Func("get", "Retrieve an order.", func(_ context.Context, in byID) (byID, error) { return in, nil }))
	srv := disclosure.NewServer(reg, nil)
	url := serveInProcess(t, srv)
	ts := startTypeScript(t)
	p := ts.connect(t, "v2", "auto", url)
	if p.Version != "2025-11-25" || p.Session == "" {
		t.Errorf("version %q, session %q", p.Version, p.Session)
	}
	uri := descriptions + "?tools=orders-get"
	if got := p.result(t, true, "orders-get", getOrder).text(); got != required("orders-get") {
		t.Errorf("before its description: %s", got)
	}
	checkRead(t, uri, p.read(t, uri), "orders-get")
	if got := p.result(t, false, "orders-get", getOrder).text(); got != getOrder {
		t.Errorf("orders-get: %s", got)
	}
	p.close(t) // the session with it
	if _, err := ts.tryConnect(t, "v2", "2026-07-28", url); err == nil || !strings.Contains(err.Error(), "Unsupported protocol version") {
		t.Errorf("a client without sessions, of a server that needs them: %v", err)
	}
}

// A model that cannot read resources does all of it by a tool. A grant of a client without a session is of no use in a
// session.
func TestTypeScriptSDKByTool(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("orders", "Orders.").Add(registry.Func("get", "Retrieve an order.", func(_ context.Context, in byID) (byID, error) { return in, nil }))
	url := serveInProcess(t, disclosure.NewServer(reg, &disclosure.Options{Tool: true, Grants: new(disclosure.Grants)}))
	ts := startTypeScript(t)
	elsewhere := ts.connect(t, "v2", "2026-07-28", url)
	byTool := func(p *peer) string {
		t.Helper()
		text := p.result(t, false, disclosure.ToolName, `{"tools":["orders-get"]}`).text()
		return checkRead(t, "", []contents{{MIMEType: "application/json", Text: text}}, "orders-get")["orders-get"].Usage.Grant
	}
	foreign := byTool(elsewhere)
	elsewhere.result(t, false, "orders-get", with(getOrder, foreign))
	for _, g := range dialects {
		p := ts.connect(t, g.sdk, g.version, url)
		checkNames(t, p.list(t), []string{"orders-get", disclosure.ToolName})
		p.result(t, true, "orders-get", getOrder)
		sessions := g.version < "2026-07-28"
		if sessions {
			if got := p.result(t, true, "orders-get", with(getOrder, foreign)).text(); got != required("orders-get") {
				t.Errorf("%s at %s, a grant from elsewhere: %s", g.sdk, g.version, got)
			}
		}
		grant := byTool(p)
		if (grant == "") != sessions || grant == foreign {
			t.Errorf("%s at %s: the grant %q", g.sdk, g.version, grant)
		}
		if got := p.result(t, false, "orders-get", with(getOrder, grant)).text(); got != getOrder {
			t.Errorf("%s at %s: %s", g.sdk, g.version, got)
		}
	}
}

type byID struct {
	OrderID string `json:"order_id" jsonschema:"The order."`
}
