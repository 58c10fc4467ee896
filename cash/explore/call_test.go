package explore_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cash-mcp/go-sdk/cash/control"
	"github.com/cash-mcp/go-sdk/cash/explore"
	"github.com/cash-mcp/go-sdk/firewall"
	"github.com/cash-mcp/go-sdk/registry"
)

func TestCallReading(t *testing.T) {
	b := open(t, shop(new(int)), &explore.Options{Pipeline: new(registry.PipelineOptions)})
	has(t, b.get("function?path=orders.list"), "Try it", `value="call"`, `value="dry"`)
	has(t, b.post("call", 200, "path", "orders.list", "do", "call", "arguments", "{}"), "O-1", "O-2", "tokens")
	has(t, b.post("call", 200, "path", "orders.fail", "do", "call", "arguments", "{}"), "FAILED", "no such thing")
	has(t, b.post("call", 200, "path", "orders.list", "do", "call", "arguments", "{"), "INVALID_ARGUMENTS")
	b.post("call", 404, "path", "payroll.salaries", "do", "call", "arguments", "{}")
}

// TestCallWriting makes a call once for each dry run, and only the one of the dry run.
func TestCallWriting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		made := 0
		reg := shop(&made)
		b := open(t, reg, &explore.Options{Pipeline: new(registry.PipelineOptions), Callers: []*registry.Caller{clerk, boss}})
		has(t, b.get("function?path=orders.create"), `value="dry"`, `!value="call"`)
		call := func(status int, ticket, args, as string) string {
			t.Helper()
			return b.post("call", status, "path", "orders.create", "do", "call", "arguments", args, "as", as, "ticket", ticket)
		}
		dry := func(args string) string {
			t.Helper()
			page := b.post("call", 200, "path", "orders.create", "do", "dry", "arguments", args, "as", "clerk")
			has(t, page, "The function was not run", "schema_validation", "Call it now")
			return value(t, page, "ticket")
		}
		const args = `{"customer":"C-1"}`
		call(409, "", args, "clerk")
		call(409, "invented", args, "clerk")
		call(409, dry(args), `{"customer":"C-2"}`, "clerk")
		call(409, dry(args), args, "boss")
		ticket := dry(args)
		time.Sleep(11 * time.Minute)
		call(409, ticket, args, "clerk")
		ticket = dry(args)
		reg.Namespace("orders", "Create and manage orders.").Add(registry.Func("further", "Another one.", none))
		if made != 0 {
			t.Fatalf("%d orders were made without their dry run", made)
		}
		has(t, call(200, ticket, args, "clerk"), "O-1", "C-1")
		call(409, ticket, args, "clerk")
		if made != 1 {
			t.Errorf("%d orders were made", made)
		}
		has(t, b.post("call", 200, "path", "orders.create", "do", "dry", "arguments", `{}`), "INVALID_ARGUMENTS", "!Call it now")
	})
}

// TestTickets lets one of many equal forms through, and bounds what waits.
func TestTickets(t *testing.T) {
	made := 0
	b := open(t, shop(&made), &explore.Options{Pipeline: new(registry.PipelineOptions)})
	const args = `{"customer":"C-1"}`
	dry := func() string {
		return value(t, b.post("call", 200, "path", "orders.create", "do", "dry", "arguments", args), "ticket")
	}
	first := dry()
	for range 10 {
		dry()
	}
	var group sync.WaitGroup
	codes := make([]int, 8)
	for i := range codes {
		group.Go(func() {
			codes[i] = b.do("POST", "call", url.Values{"path": {"orders.create"}, "do": {"call"}, "arguments": {args}, "ticket": {first}}).Code
		})
	}
	group.Wait()
	if made != 1 {
		t.Errorf("%d orders were made by one ticket: %v", made, codes)
	}
}

// TestControls shows the decisions of the face's own policy, and the operator settles them.
func TestControls(t *testing.T) {
	made := 0
	approvals := control.NewApprovals(nil)
	policy := control.NewPolicy(&control.PolicyOptions{Approvals: approvals, Rules: []control.Rule{
		{Decision: control.RequireApproval, Tools: []string{"orders.create"}, Reason: "<b>Money</b>."},
		{Decision: control.Deny, Tools: []string{"orders.list"}},
	}})
	controls := &control.Controls{Policy: policy, Plans: control.NewPlans(nil)}
	b := open(t, shop(&made), &explore.Options{
		Pipeline: &registry.PipelineOptions{Middleware: controls.Middleware()}, Approvals: approvals, Callers: []*registry.Caller{clerk},
	})
	has(t, b.post("call", 200, "path", "orders.list", "do", "call", "arguments", "{}"), "DENIED", "!O-1")
	const args = `{"customer":"C-1"}`
	try := func(texts ...string) {
		t.Helper()
		page := b.post("call", 200, "path", "orders.create", "do", "dry", "arguments", args)
		has(t, page, "plan_token", "required")
		has(t, b.post("call", 200, "path", "orders.create", "do", "call", "arguments", args, "ticket", value(t, page, "ticket")), texts...)
	}
	try("DENIED", "!O-1")
	page := b.get("approvals")
	has(t, page, "orders.create", "clerk", "C-1", "&lt;b&gt;Money")
	id := value(t, page, "id")
	b.post("settle", 400, "id", id, "do", "shrug")
	b.post("settle", 409, "id", "another", "do", "approve")
	if w := b.do("GET", "settle?do=approve&id="+id, nil); w.Code == 200 || w.Code == 303 {
		t.Errorf("GET settles: %d", w.Code)
	}
	b.post("settle", 303, "id", id, "do", "approve")
	b.post("settle", 409, "id", id, "do", "deny")
	has(t, b.get("approvals"), "No call waits")
	try("O-1", "!DENIED")
	if made != 1 {
		t.Errorf("%d orders were made", made)
	}
}

// TestArtifact keeps a large result for its caller.
func TestArtifact(t *testing.T) {
	reg := registry.New(nil)
	reg.Namespace("", "").Add(registry.Func("large", "A large text.", func(context.Context, struct{}) (string, error) {
		var b strings.Builder
		for i := range 5000 {
			fmt.Fprintf(&b, "line %d <b>\n", i)
		}
		return b.String(), nil
	}, registry.ReadOnly))
	b := open(t, reg, &explore.Options{Pipeline: new(registry.PipelineOptions), Firewall: firewall.New(nil), Callers: []*registry.Caller{clerk, boss}})
	page := b.post("call", 200, "path", "large", "do", "call", "arguments", "{}")
	_, rest, ok := strings.Cut(page, `href="artifact?handle=`)
	if !ok {
		t.Fatalf("no artifact: %s", page)
	}
	handle := rest[:strings.IndexAny(rest, `&"`)]
	has(t, b.get("artifact?handle="+handle), "line 0 &lt;b&gt;", "!<b>")
	has(t, b.get("artifact?handle="+handle+"&selector="+url.QueryEscape(`{"type":"lines","start":4000,"end":4010}`)), "line 4009", "!line 4010", "!line 3999")
	for target, status := range map[string]int{
		"artifact?as=boss&handle=" + handle: 404, "artifact?handle=art-none": 404, "artifact?selector=1&handle=" + handle: 400, "artifact": 200,
	} {
		if w := b.do("GET", target, nil); w.Code != status {
			t.Errorf("GET %s: %d, want %d", target, w.Code, status)
		}
	}
}
