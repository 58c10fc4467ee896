package cash_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/cash"
	"github.com/cash-mcp/go-sdk/registry"
)

func help(t *testing.T, srv *cash.Server, namespace, function, kwargs string) string {
	t.Helper()
	text, err := srv.Help(context.Background(), &cash.HelpRequest{Namespace: namespace, Function: function, Kwargs: json.RawMessage(kwargs)})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestHelpOptions(t *testing.T) {
	srv := exampleServer()
	full := help(t, srv, "orders", "create", `{"params":"full"}`)
	for _, want := range []string{"| channel | string | no | Sales channel code.", "| items[].product_id | string | yes | Product to order. |", "| items[].quantity | integer | yes |"} {
		if !strings.Contains(full, want) {
			t.Errorf("R42: params=full does not show %q:\n%s", want, full)
		}
	}
	if strings.Contains(full, "params=") {
		t.Errorf("R42: the full page promises more:\n%s", full)
	}
	example := help(t, srv, "orders", "create", `{"examples":true}`)
	if want := `call(namespace="orders", function="create", kwargs={"customer_id": "C-42", "items": [{"product_id": "<product_id>", "quantity": 3}]})`; !strings.Contains(example, want) {
		t.Errorf("examples=true does not show %s:\n%s", want, example)
	}
	base := help(t, srv, "", "", "")
	for _, kwargs := range []string{`{"zzz":1}`, `{"format":"xml"}`, `{"examples":"maybe"}`, `[1]`, `7`, `"x"`, `{"format":1,"Format":2}`, `{`, `{"format":"json","format":"json"}`, `null`} {
		if got := help(t, srv, "", "", kwargs); got != base {
			t.Errorf("R46: kwargs %s change the page to\n%s", kwargs, got)
		}
	}
}

// TestHelpExampleWorks holds that the example that help shows can be called.
func TestHelpExampleWorks(t *testing.T) {
	srv := exampleServer()
	var page struct{ Example string }
	if err := json.Unmarshal([]byte(help(t, srv, "orders", "create", `{"format":"json","examples":true}`)), &page); err != nil {
		t.Fatal(err)
	}
	_, kwargs, _ := strings.Cut(strings.TrimSuffix(page.Example, ")"), "kwargs=")
	if _, err := srv.Call(context.Background(), &cash.CallRequest{Namespace: "orders", Function: "create", Kwargs: json.RawMessage(kwargs)}); err != nil {
		t.Errorf("%s: %v", kwargs, err)
	}
}

func TestHelpJSON(t *testing.T) {
	srv := cash.NewServer(registryOf(15), &cash.Options{SizeLimit: 20000})
	for _, tt := range []struct{ namespace, function, want string }{
		{"", "", `{"namespaces":[{"name":"ns0","description":"Namespace 0."},{"name":"ns1","description":"Namespace 1."}],"arguments":{"format":["json","markdown"],"examples":[true,false],"params":["full"],"search":"what you need, in words","offset":"entries to skip","limit":"most entries"},"sizelimit":20000}`},
		{"ns1", "f12", `{"namespace":"ns1","name":"f12","description":"Function 12.","parameters":[],"returns":"Text.","id":"ns1:f12#628ca13d"}`},
	} {
		if got := help(t, srv, tt.namespace, tt.function, `{"format":"json"}`); got != tt.want {
			t.Errorf("R44: got  %s\nwant %s", got, tt.want)
		}
	}
	if text := help(t, srv, "", "", ""); !strings.Contains(text, "20000") {
		t.Errorf("R52: the threshold is not told:\n%s", text)
	}
}

// TestHelpLayers holds R40 and R41 on a tree with everything at every level.
func TestHelpLayers(t *testing.T) {
	reg := registry.New(nil)
	for _, path := range []string{"orders", "orders.retail", "orders.retail.web"} {
		ns := reg.Namespace(path, "About "+path+".\nSecond line of "+path+".")
		last := path[strings.LastIndexByte(path, '.')+1:]
		ns.Add(registry.Func("do"+last, "Does "+last+" | things.\nMore.", createOrder))
		ns.AddSkill(registry.NewSkill("how"+last, "How.", "Text."))
	}
	srv := cash.NewServer(reg, nil)
	for _, tt := range []struct {
		namespace  string
		want, none []string
	}{
		{"", []string{"- **orders** — About orders.\n"}, []string{"retail", "doorders", "customer_id", "Second", "skill", "how"}},
		{"orders", []string{"## Sub-namespaces\n\n- **retail** — About orders.retail.\n", "## Functions\n\n- **doorders** — Does orders | things."}, []string{"web", "customer_id", "|--", "More", "how", "skill"}},
		{"ORDERS.Re_tail.web", []string{"# orders.retail.web\n\n## Functions"}, []string{"Sub-namespaces"}},
	} {
		text := help(t, srv, tt.namespace, "", "")
		for _, w := range tt.want {
			if !strings.Contains(text, w) {
				t.Errorf("help(%s) lacks %q:\n%s", tt.namespace, w, text)
			}
		}
		for _, n := range tt.none {
			if strings.Contains(text, n) {
				t.Errorf("help(%s) has %q:\n%s", tt.namespace, n, text)
			}
		}
	}
}

func TestHelpErrors(t *testing.T) {
	reg := registryOf(5)
	reg.Namespace("ns0.sub", "").Add(registry.Func("f", "", createOrder))
	reg.Namespace("skilled", "").AddSkill(registry.NewSkill("s", "", "x"))
	srv := cash.NewServer(reg, nil)
	for _, tt := range []struct{ namespace, function, want string }{
		{"nope", "", "No namespace `nope`. Use `help()` to see available namespaces."},
		{"ns0.nope", "", "No namespace `ns0.nope`. Use `help(namespace=\"ns0\")` to see what is in that namespace."},
		{"nope.nope", "f", "No namespace `nope.nope`. Use `help()` to see available namespaces."},
		{"ns0", "nope", "No function `nope` in namespace `ns0`. Use `help(namespace=\"ns0\")` to see available functions."},
		{"", "nope", "No function `nope` in the root namespace. Use `help()` to see available functions."},
		{"skilled", "", "No namespace `skilled`. Use `help()` to see available namespaces."},
		{"shop-orders", "", "Did you mean `shop_orders`?"},
		{"", "ns0.f0", "Use `namespace=\"ns0\", function=\"f0\"`."},
	} {
		_, err := srv.Help(context.Background(), &cash.HelpRequest{Namespace: tt.namespace, Function: tt.function})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("help(%s, %s): %v", tt.namespace, tt.function, err)
		}
	}
}

func TestHelpText(t *testing.T) { // R55
	srv := cash.NewServer(registryOf(1), &cash.Options{HelpText: func(ctx context.Context, req *cash.HelpRequest, text string) string {
		return fmt.Sprintf("%s %s %d", registry.CallerFrom(ctx).ID, req.Kwargs, len(text))
	}})
	ctx := registry.WithCaller(context.Background(), &registry.Caller{ID: "ann"})
	got, err := srv.Help(ctx, &cash.HelpRequest{Kwargs: json.RawMessage(`{"model":"small"}`)})
	if err != nil || !strings.HasPrefix(got, `ann {"model":"small"} `) {
		t.Errorf("got %q, %v", got, err)
	}
}
