package gateway_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash/gateway"
	"github.com/cash-mcp/go-sdk/registry"
)

// A skill that is read here speaks of the tools that are here, of what its reader sees.
func TestSkillSpeaksOfThisFace(t *testing.T) {
	get := func(context.Context, struct {
		ID int `json:"id"`
	}) (string, error) {
		return "", nil
	}
	text := strings.Join([]string{
		`a call(namespace="orders", function="get", kwargs={"id": 7}, sizelimit=50).`,
		`b call(namespace='orders', function='get').`,
		`c {"text": "call(namespace=\"orders\", function=\"get\", kwargs={})"}`,
		`d call({"namespace": "orders", "function": "get", "kwargs": {"id": 7}})`,
		`e call("orders", "get", {"id": 7})`,
		`f help(namespace="orders", function="get") and help(namespace="orders.retail") and help()`,
		`g skill(namespace="orders", skillname="refund", kwargs={"x": 1})`,
		`h recall(x), helpful, a call.`,
	}, "\n")
	reg := registry.New(nil)
	orders := reg.Namespace("orders", "Orders.")
	orders.Add(registry.Func("get", "Get an order.", get), registry.Func("drop", "Drop it.", get, registry.VisibleTo(registry.Roles("staff"))))
	reg.Namespace("orders.retail", "Retail.").Add(registry.Func("list", "List.", get))
	orders.AddSkill(registry.NewSkill("refund", "Refund.", text),
		registry.NewSkill("more", "More.", `call(namespace="orders", function="drop") and call(namespace=ns, function="get") and help(namespace="orders")`))
	id := func(name string) string {
		f, err := reg.Function(t.Context(), "orders", name)
		if err != nil {
			t.Fatal(err)
		}
		return f.ID().String()
	}
	skill, err := reg.Skill(t.Context(), "orders", "refund")
	if err != nil {
		t.Fatal(err)
	}
	read := func(ctx context.Context, mode gateway.Mode, name string) string {
		sk, err := reg.Skill(ctx, "orders", name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := gateway.NewServer(reg, &gateway.Options{Mode: gateway.Proxy}).Execute(ctx, &gateway.ExecuteRequest{ID: sk.ID().String()})
		if mode == gateway.Gateway {
			r, err = gateway.NewServer(reg, nil).Execute(ctx, &gateway.ExecuteRequest{ID: sk.ID().String()})
		}
		if err != nil {
			t.Fatal(err)
		}
		return r.Text()
	}
	want := strings.Join([]string{
		`a tool_execute(tool_id="ID", args={"id": 7}).`,
		`b tool_execute(tool_id='ID').`,
		`c {"text": "tool_execute(tool_id=\"ID\", args={})"}`,
		`d tool_execute({"tool_id": "ID", "args": {"id": 7}})`,
		`e tool_execute(tool_id="ID", args={"id": 7})`,
		`f tool_execute(tool_id="ID", dry_run=true) and tool_browse(path="/orders/retail") and tool_browse(path="/")`,
		`g tool_execute(tool_id="` + skill.ID().String() + `", args={"x": 1})`,
		`h recall(x), helpful, a call.`,
	}, "\n")
	want = strings.ReplaceAll(want, "ID", id("get"))
	quoted := strings.NewReplacer("\\", `\\`, `"`, `\"`, "\n", `\n`).Replace(want)
	if got := read(t.Context(), gateway.Gateway, "refund"); !strings.Contains(got, quoted) {
		t.Errorf("got %s\nwant %s", got, quoted)
	}
	if got := read(t.Context(), gateway.Proxy, "refund"); !strings.Contains(got, `tool_hydrate(tool_id="`+id("get")+`") and help(namespace="orders.retail")`) || !strings.HasPrefix(got, "(Here, ") {
		t.Errorf("got %s", got)
	}
	// What the reader does not see, and placeholders, stay as they are.
	more := read(t.Context(), gateway.Gateway, "more")
	for _, part := range []string{`"summary":"(Here, call and skill are tool_execute`, `call(namespace=\"orders\", function=\"drop\") and call(namespace=ns, function=\"get\") and tool_browse(path=\"/orders\")`} {
		if !strings.Contains(more, part) {
			t.Errorf("%s lacks %s", more, part)
		}
	}
	staff := registry.WithCaller(t.Context(), &registry.Caller{ID: "s", Roles: []string{"staff"}})
	if got := read(staff, gateway.Gateway, "more"); !strings.Contains(got, "orders:drop#") {
		t.Errorf("got %s", got)
	}
}
