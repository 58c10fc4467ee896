package cashtext_test

import (
	"strings"
	"testing"

	"github.com/cash-mcp/go-sdk/internal/cashsource/cashtext"
)

// shop is the mount of a server with the RFC's namespaces.
var shop = cashtext.Mount{
	To:        "shop",
	Known:     map[string]bool{"orders": true, "orders.retail": true, "inventory": true},
	Functions: map[string]bool{"inventory.check": true, "orders.create": true, "orders.retail.create": true},
}

// TestR137Prose holds which dotted paths are rewritten: those that the server has, and nothing that only looks alike.
func TestR137Prose(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"RFC 8.7", "If `inventory.check` is unavailable, proceed directly to `orders.create`; the server will enforce stock constraints.",
			"If `shop.inventory.check` is unavailable, proceed directly to `shop.orders.create`; the server will enforce stock constraints."},
		{"outside of code", "First inventory.check, then orders.create.", "First shop.inventory.check, then shop.orders.create."},
		{"a namespace", "What is in `orders.retail` and orders.retail: all.", "What is in `shop.orders.retail` and shop.orders.retail: all."},
		{"as spelled", "Use Orders.Create or _orders.create_ or **orders.create**.", "Use shop.Orders.Create or _shop.orders.create_ or **shop.orders.create**."},
		{"beside marks", "(orders.create) orders.create! orders.create? “orders.create” orders.create… orders.create's", "(shop.orders.create) shop.orders.create! shop.orders.create? “shop.orders.create” shop.orders.create… shop.orders.create's"},
		{"as a call", "orders.create(id) and `orders.create()`", "shop.orders.create(id) and `shop.orders.create()`"},
		{"a link", "[orders.create](https://shop.example/orders.create) [x](orders.create)", "[shop.orders.create](https://shop.example/orders.create) [x](orders.create)"},
		{"several levels", "orders.retail.create\n- orders.retail.create: it.", "shop.orders.retail.create\n- shop.orders.retail.create: it."},
		{"headings", "## orders.create\n", "## shop.orders.create\n"},
		{"an error", "**Error:** `orders.create` failed: inventory.check did not answer.", "**Error:** `shop.orders.create` failed: shop.inventory.check did not answer."},
		{"a row", "| orders.create | string | like orders.create |", "| orders.create | string | like shop.orders.create |"},

		{"unknown", "orders.ship, orders.wholesale, check.inventory, inventory", ""},
		{"one word", "orders and create, inventory or check", ""},
		{"a host", "inventory.check.example.com, https://inventory.check/orders.create?x=orders.create http://a/b.c", ""},
		{"a file", "orders.retail.csv ./orders.retail /tmp/orders.create C:\\orders.create orders.create.bak", ""},
		{"an address", "me@orders.create orders.create@shop.example", ""},
		{"longer words", "reorders.create orders.creates pre-orders.create orders.create-x éorders.create orders.createé orders..create .orders.create", ""},
		{"settings", "topic=orders.create --orders.create $.orders.create $orders.create #orders.create a:orders.create orders.create[0]", ""},
		{"strings", `"orders.create" 'orders.create' \"orders.create\"`, ""},
		{"objects", "{\"topic\": \"x orders.create\"} {{orders.create}} {a: orders.create,\n b: orders.create}", ""},
		{"a block of code", "```yaml\ntopic: orders.create\n```", ""},
		{"a block of tildes", "~~~\norders.create\n```\norders.create\n~~~", ""},
		{"rules", "The channel. One of: orders.retail, orders.create. Default: orders.retail.", ""},
		{"a rule in a row", "| channel | string | no | See orders.create. Default: orders.retail. |", "| channel | string | no | See shop.orders.create. Default: orders.retail. |"},
		{"within an invocation", "`call(namespace=\"orders\", function=\"create\", kwargs={\"note\": \"see orders.create now\"})`", "`call(namespace=\"shop.orders\", function=\"create\", kwargs={\"note\": \"see orders.create now\"})`"},
		{"within a broken one", "call(function=\"create\", kwargs={\"id\": x[0].id, \"note\": \"orders.create\"})", "call(namespace=\"shop\", function=\"create\", kwargs={\"id\": x[0].id, \"note\": \"orders.create\"})"},
		{"after one", "`help()` orders.create", "`help(namespace=\"shop\")` shop.orders.create"},
		{"after a paragraph with a brace", "{ orders.create\n\norders.create", "{ orders.create\n\nshop.orders.create"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.want == "" {
				tt.want = tt.text
			}
			if got := shop.Text(tt.text); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
	below := cashtext.Mount{From: "orders", To: "a.b", Known: shop.Known, Functions: shop.Functions}
	if got := below.Text("orders.create, orders.retail.create, inventory.check"); got != "a.b.create, a.b.retail.create, inventory.check" {
		t.Errorf("a mount of a namespace: %s", got)
	}
}

// TestR137ProseInJSON holds that only prose is rewritten in a page in JSON.
func TestR137ProseInJSON(t *testing.T) {
	const page = `{"namespace":"orders","name":"create","description":"Like orders.retail.create.","parameters":[` +
		`{"name":"orders.create","type":"orders.create","description":"As for inventory.check.","default":"orders.create","enum":["orders.create"]}],` +
		`"returns":"What inventory.check gives.","example":{"topic":"orders.create"}}`
	want := strings.NewReplacer(`"namespace":"orders"`, `"namespace":"shop.orders"`, "Like orders", "Like shop.orders", "for inventory", "for shop.inventory", "What inventory", "What shop.inventory").Replace(page)
	if got, ok := shop.JSON(page); !ok || got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// FuzzProse holds that rewriting loses nothing, also when done twice, and leaves longer words alone.
func FuzzProse(f *testing.F) {
	addSeeds(f)
	for _, s := range []string{
		"If `inventory.check` fails, use orders.create. See https://orders.create/ and orders.retail.csv",
		"{orders.create} \"orders.create\" _orders.create_ ```\norders.create\n```\n| orders.create | inventory.check |",
		"inventory.check\xffé orders.create\u200b… One of: orders.create",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once := shop.Text(text)
		twice := shop.Text(once)
		if !replaces(text) && (!subsequence(text, once) || !subsequence(once, twice)) {
			t.Errorf("%q became %q, then %q", text, once, twice)
		}
		if strings.ContainsAny(text, "(`#{") || strings.Contains(text, "shop") {
			return
		}
		if strings.ReplaceAll(once, "shop.", "") != text || once != twice {
			t.Errorf("%q became %q, then %q", text, once, twice)
		}
		words, after := strings.Fields(text), strings.Fields(once)
		for i, w := range words {
			if strings.ContainsAny(w, "/@\\=$") && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz0123456789./@\\=$-_:") == "" && after[i] != w {
				t.Errorf("%q became %q in %q", w, after[i], text)
			}
		}
	})
}

// TestHostileProse holds that long texts take linear time.
func TestHostileProse(t *testing.T) {
	for _, unit := range []string{"orders.create ", "orders.create", "orders.", "_", ".", "{", "{orders.create}\n", "|", "| a.b\n", "One of: ", "```\n", "`help()` orders.create ", "é", "\xff"} {
		text := strings.Repeat(unit, (2<<20)/len(unit))
		if got := shop.Text(text); len(got) < len(text) {
			t.Errorf("%q: %d bytes became %d", unit, len(text), len(got))
		}
	}
}
