package gateway_test

import (
	"os"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/cashtest"
	"github.com/cash-mcp/go-sdk/cash/catalog"
	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/cash/serve"
	"github.com/cash-mcp/go-sdk/toolid"
)

// TestS94Primitives holds W40: browsing and reading resources and prompts, each kind
// for itself, within the bounds, through the firewall.
func TestS94Primitives(t *testing.T) {
	resources, prompts, resource, prompt := primitives(t)
	text := strings.Repeat("a line of the manual\n", 2000)
	manual := addResource(t, resources, "manual", text)
	serve := func() *gateway.Server {
		return gateway.NewServer(newShop(), &gateway.Options{Resources: resources, Prompts: prompts})
	}
	overAll(t, serve, func(t *testing.T, c *cashtest.Client) {
		for _, tt := range []struct{ tool, want, kind string }{{"resource_browse", resource, "resource"}, {"prompt_browse", prompt, "prompt"}} {
			for _, args := range []object{{"path": "/docs"}, {"query": "readme summarize", "top_k": 1}} {
				text := c.Tool(tt.tool, args).OK().Text
				if !strings.Contains(text, tt.want+" ("+tt.kind+")") {
					t.Errorf("%s %v: %s", tt.tool, args, text)
				}
				for _, id := range idsIn(text) {
					if p, err := toolid.ParsePrimitive(id); err != nil || string(p.Kind) != tt.kind {
						t.Errorf("%s shows %s", tt.tool, id)
					}
				}
			}
			for _, bad := range []object{{}, {"query": "x", "path": "/"}, {"path": "/", "top_k": 0}} {
				wantCode(t, c.Tool(tt.tool, bad), gateway.ArgsInvalid)
			}
			wantCode(t, c.Tool(tt.tool, object{"path": "/x/"}), gateway.PathInvalid)
		}
		if e := envelopeOf(t, c.Tool("resource_read", object{"resource_id": resource}).OK()); e.Summary != "# Read me" {
			t.Errorf("envelope %+v", e)
		}
		e := envelopeOf(t, c.Tool("resource_read", object{"resource_id": manual}).OK())
		if len(e.Artifacts) != 1 || e.Artifacts[0].Size != int64(len(text)) {
			t.Fatalf("envelope %+v", e)
		}
		c.Tool("tool_view", object{"handle": e.Artifacts[0].Handle}).OK()
		if e := envelopeOf(t, c.Tool("prompt_get", object{"prompt_id": prompt, "args": object{"topic": "apples"}}).OK()); !strings.Contains(e.Summary, "apples") {
			t.Errorf("envelope %+v", e)
		}
		wantCode(t, c.Tool("prompt_get", object{"prompt_id": prompt}), gateway.ArgsInvalid)
		wantCode(t, c.Tool("prompt_get", object{"prompt_id": prompt, "args": object{"topic": 7}}), gateway.ArgsInvalid)
	})
}

// TestS94Controls holds that policy, quotas and audit are the same for all kinds.
func TestS94Controls(t *testing.T) {
	resources, prompts, resource, prompt := primitives(t)
	policy := control.NewPolicy(&control.PolicyOptions{Rules: []control.Rule{{Decision: control.Deny, Kinds: []toolid.Kind{toolid.Resource}}}})
	quota := control.NewQuota(&control.QuotaOptions{Meta: map[string]control.Limit{"prompt_get": {PerSession: 1}, "resource_browse": {PerSession: 1}}})
	srv := gateway.NewServer(newShop(), &gateway.Options{Resources: resources, Prompts: prompts, Serve: serve.Options{Controls: &control.Controls{Policy: policy, Quota: quota}}})
	c := inMemory(t, srv, named("ann"))
	wantCode(t, c.Tool("resource_read", object{"resource_id": resource}), gateway.PermissionDenied)
	c.Tool("prompt_get", object{"prompt_id": prompt, "args": object{"topic": "x"}}).OK()
	wantCode(t, c.Tool("prompt_get", object{"prompt_id": prompt, "args": object{"topic": "x"}}), gateway.RateLimited)
	c.Tool("resource_browse", object{"path": "/"}).OK()
	wantCode(t, c.Tool("resource_browse", object{"path": "/"}), gateway.RateLimited)
}

// TestS95Snapshot serves what a document holds: tools alone, or all three kinds.
func TestS95Snapshot(t *testing.T) {
	data, err := os.ReadFile("../catalog/testdata/demo.json")
	if err != nil {
		t.Fatal(err)
	}
	cat := catalog.New(nil)
	if _, err := cat.Load(data); err != nil {
		t.Fatal(err)
	}
	all := &gateway.Options{Resources: cat.Resources(), Prompts: cat.Prompts()}
	c := inMemory(t, gateway.NewServer(cat.Tools(), all), nil)
	if n := len(c.Tools()); n != 7 {
		t.Errorf("%d tools", n)
	}
	list := execute(t, c, toolID(t, cat, "github.list_issues"), object{"repo": "orchard/press"})
	if len(list.Artifacts) != 1 {
		t.Fatalf("envelope %+v", list)
	}
	c.Tool("tool_view", object{"handle": list.Artifacts[0].Handle, "selector": object{"type": "path", "path": "$.issues[*].number"}}).OK()
	for _, top := range idsIn(c.Tool("resource_browse", object{"path": "/"}).OK().Text) {
		for _, id := range idsIn(c.Tool("resource_browse", object{"path": top}).OK().Text) {
			envelopeOf(t, c.Tool("resource_read", object{"resource_id": id}).OK())
		}
	}
	bare := inMemory(t, gateway.NewServer(cat.Tools(), nil), nil)
	if n := len(bare.Tools()); n != 3 {
		t.Errorf("%d tools without resources and prompts", n)
	}
	if _, err := gateway.NewServer(cat.Tools(), nil).BrowsePrompts(t.Context(), &gateway.BrowseRequest{Path: "/"}); err == nil {
		t.Error("prompts that are not there are browsed")
	}
}

// TestS94Proxy holds that a proxy says of its reads what they are: not behind a
// firewall.
func TestS94Proxy(t *testing.T) {
	resources, prompts, resource, _ := primitives(t)
	c := inMemory(t, gateway.NewServer(newShop(), &gateway.Options{Mode: gateway.Proxy, Resources: resources, Prompts: prompts}), nil)
	for _, tool := range c.Tools() {
		if strings.Contains(tool.Description, "tool_view") {
			t.Errorf("%s speaks of tool_view: %s", tool.Name, tool.Description)
		}
	}
	if r := c.Tool("resource_read", object{"resource_id": resource}).OK(); r.Text != "# Read me" {
		t.Errorf("the resource is %s", r.Text)
	}
}
